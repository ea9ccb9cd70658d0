/* All that libdrxmp sees of an open dataset; it includes no other header of this room.
 *
 * Several processes have a dataset open together. One of them, the root, has the files; the others are replicas, with a
 * copy of the log in memory. The root makes each change, and tells the bytes that have come to its log; the others take
 * them, and let their arrays follow.
 *
 * Invariants
 *   1. Between calls all have the same log, byte for byte, and the same variables lent in libdrxmp's name.
 *   2. A replica changes no file but the data of its arrays. */
#pragma once

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

/* A call of all begins, before which all have the same log; `broken`: why one could not follow an earlier change. */
DRXI_SHARED drx_status drxi_ds_call(drx_dataset *ds, drx_status broken);
/* `*log`: the bytes that have come to the log in this call, those of a transaction included, to be freed. Another log
 * than that of which was told before is told whole, as it is the first time. */
DRXI_SHARED drx_status drxi_ds_tell(drx_dataset *ds, struct drxi_ds_news *news, uint8_t **log);
DRXI_SHARED drx_status drxi_ds_open_replica(const char *path, const struct drxi_ds_news *news, const uint8_t log[],
                                            drx_dataset **out);

/* The array lent for a visible variable; NULL: none. */
DRXI_SHARED drx_array *drxi_ds_lent(const drx_dataset *ds, const char *name);

/* A change, as somebody asks for it. */
struct drxi_ds_asked {
    const char *call;
    enum {
        DRXI_DS_SET_VALUES,
        DRXI_DS_SET_TEXT,
        DRXI_DS_DELETE,
        DRXI_DS_ADD_GROUP,
        DRXI_DS_ADD_DIM,
        DRXI_DS_ADD_TYPE,
        DRXI_DS_REMOVE,
        DRXI_DS_REMOVE_GROUP,
        DRXI_DS_SET_NAME,
        DRXI_DS_EXTEND,
        DRXI_DS_EXTEND_BEFORE,
        DRXI_DS_TRIM,
        DRXI_DS_ADD_AXIS,
        DRXI_DS_BEGIN,
        DRXI_DS_RESERVE,
        DRXI_DS_RESERVE_BEFORE,
        DRXI_DS_COMMIT,
        DRXI_DS_FORGET,
        DRXI_DS_ABORT
    } what;
    int part;
    const char *of, *name, *text;
    int64_t by, after;
    drx_type type;
    int64_t n;
    const void *values;
};
/* Whether the bounds of a dimension can change so, before any variable is touched; or a commit be made, or the log
 * become shorter. */
DRXI_SHARED drx_status drxi_ds_check(const drx_dataset *ds, const struct drxi_ds_asked *asked);
drx_status drxi_ds_check_extend(const drx_dataset *ds, const char *dim, enum drxi_end end, int64_t by,
                                uint16_t *dimension);
drx_status drxi_ds_check_trim(const drx_dataset *ds, const char *dim, int64_t before, int64_t after,
                              uint16_t *dimension);
drx_status drxi_ds_check_end(const drx_dataset *ds, const char *message);
drx_status drxi_ds_check_forget(const drx_dataset *ds, int64_t n);
/* A replica after a change, or a refresh, of the root's: take what came to the log, and let the arrays follow. */
DRXI_SHARED drx_status drxi_ds_follow(drx_dataset *ds, const struct drxi_ds_news *news, const uint8_t log[]);
