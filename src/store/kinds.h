/* What applies the records of each kind shares. */
#pragma once

#include "store/store.h"

/* DRX_EDAMAGED: the record says what cannot be. */
drx_status drxi_cannot(const char *why);
/* The end of a payload whose fields have been read: its length first, then what is reserved. */
drx_status drxi_end_fields(struct drxi_fields *f);
/* `what` comes first. DRX_EUNSUPPORTED */
drx_status drxi_read_what(struct drxi_fields *f, int *what);
/* The thing, to a pointer. DRX_EDAMAGED: it is not there. */
drx_status drxi_find_thing(const struct drxi_store *s, enum drxi_what what, uint16_t number, void *out);
/* Both of these. */
drx_status drxi_end_about(struct drxi_fields *f, const struct drxi_store *s, enum drxi_what what, uint16_t number,
                          void *out);
/* A record of `what`, and perhaps a name: the thing that it is about. */
drx_status drxi_read_subject(const struct drxi_store *s, const struct drxi_log_record *record, int *what,
                             struct drxi_text *name, void *out);
/* Those of a kind, by `what` from 1 on. */
const struct drxi_table *drxi_table_of(const struct drxi_store *s, int what);
drx_status drxi_note_step(struct drxi_store *s, const struct drxi_log_record *record, struct drxi_change_of step);

enum { DRXI_SHELLS = 1, DRXI_Z_ORDER }; /* initial orders */
/* The layers of chunks that a growth to `bound` adds along an axis. */
int64_t drxi_layers_of(int64_t lower, int64_t upper, int64_t chunk, int64_t by, int64_t bound);
/* The chunks that a variable may have. DRX_EDAMAGED: its chunk is too large. */
drx_status drxi_most_chunks(const struct drxi_variable *v, int64_t *most);

typedef drx_status drxi_apply(struct drxi_store *s, const struct drxi_log_record *record);
drxi_apply drxi_read_variable_record, drxi_read_axis_record, drxi_read_epoch_record, drxi_read_stripes_record,
    drxi_read_source_record;
drxi_apply drxi_read_attribute_record, drxi_read_attribute_delete_record, drxi_read_type_record;
