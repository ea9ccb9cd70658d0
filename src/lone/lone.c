/* The table of calls. */
#include "lone/lone.h"

const struct drxi_log_calls drxi_lone_log = { .describe = drxi_lone_describe,
                                              .create = drxi_lone_create,
                                              .drop = drxi_lone_drop,
                                              .read = drxi_lone_read,
                                              .put_back = drxi_lone_put_back,
                                              .append = drxi_lone_append,
                                              .append_stripes = drxi_lone_append_stripes,
                                              .append_epoch = drxi_lone_append_epoch,
                                              .compacted_bytes = drxi_lone_compacted_bytes,
                                              .compact = drxi_lone_compact,
                                              .restripe = drxi_lone_restripe,
                                              .has_path = drxi_lone_has_path,
                                              .tell_trims = drxi_lone_tell_trims,
                                              .look = drxi_lone_look,
                                              .free = drxi_lone_free };
