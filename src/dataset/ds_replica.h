/* All that libdrxmp sees of an open dataset; it includes no other header of this room.
 *
 * Several processes have a dataset open together. One of them, the root, has the files; the others are replicas, with a copy
 * of the log in memory. The root makes each change, and tells the bytes that have come to its log; the others take them, and
 * let their arrays follow.
 *
 * Invariants
 *   1. Between calls all have the same log, byte for byte, and the same variables lent in libdrxmp's name.
 *   2. A replica changes no file but the data of its arrays. */
#ifndef DRXI_DS_REPLICA_H
#define DRXI_DS_REPLICA_H

#include "base/base.h"
#include "drx_dataset.h"

/* What the root tells of a dataset, beside bytes of its log. */
struct drxi_ds_news {
    int64_t at;          /* the commit shown, of a handle at an earlier one; DRX_LAST */
    int64_t from, bytes; /* of the log */
    int64_t counts;      /* where what counts ends */
    int another;         /* it is another log than before, and the bytes are all of it */
    int writable, only_abort, broken;
};

/* `*log`: the bytes of the log from `from` on, those of a transaction included, to be freed; log NULL: only their number.
 * Another log than that of which was told before is told whole. */
DRXI_SHARED drx_status drxi_ds_tell(drx_dataset *ds, int64_t from, struct drxi_ds_news *news, uint8_t **log);
DRXI_SHARED drx_status drxi_ds_open_replica(const char *path, const struct drxi_ds_news *news, const uint8_t log[],
                                            drx_dataset **out);
/* The end of the log. */
DRXI_SHARED int64_t drxi_ds_log_end(const drx_dataset *ds);

DRXI_SHARED const char *drxi_ds_path(const drx_dataset *ds);
/* The array lent for a visible variable; NULL: none. */
DRXI_SHARED drx_array *drxi_ds_lent(const drx_dataset *ds, const char *name);
/* Whether a lent array is still there. */
DRXI_SHARED bool drxi_ds_is_there(const drx_dataset *ds, const drx_array *a);

/* Whether the bounds of a dimension can change so, before any variable is touched. */
DRXI_SHARED drx_status drxi_ds_check_extend(const drx_dataset *ds, const char *dim, enum drxi_end end, int64_t by,
                                            uint16_t *dimension);
DRXI_SHARED drx_status drxi_ds_check_trim(const drx_dataset *ds, const char *dim, int64_t before, int64_t after,
                                          uint16_t *dimension);
/* The same of a commit, and of a shorter log. */
DRXI_SHARED drx_status drxi_ds_check_end(const drx_dataset *ds, const char *message);
DRXI_SHARED drx_status drxi_ds_check_forget(const drx_dataset *ds, int64_t n);
/* A replica after a change, or a refresh, of the root's: take what came to the log, and let the arrays follow. */
DRXI_SHARED drx_status drxi_ds_follow(drx_dataset *ds, const struct drxi_ds_news *news, const uint8_t log[]);

#endif
