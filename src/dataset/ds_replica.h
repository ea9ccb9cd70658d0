/* All that libdrxmp sees of an open dataset; it includes no other header of this room.
 *
 * Several processes have a dataset open together. One of them, the root, has the files; the others are replicas, with
 * copies of the journal and of the logs of members in memory. Each process makes each call of drx_dataset.h, the root
 * first, on the files, and when that succeeded the others, on their copies.
 *
 * Invariants
 *   1. Between calls all have the same journal, byte for byte, and the same members lent in libdrxmp's name.
 *   2. A replica changes no file but the data of its arrays. */
#ifndef DRXI_DS_REPLICA_H
#define DRXI_DS_REPLICA_H

#include "base/base.h"
#include "drx_dataset.h"

/* What the root tells of a dataset that it has opened, beside the journal. */
struct drxi_ds_news {
    int64_t shown, journal_bytes;
    int writable, folder, follows;
};

/* `*journal`: the bytes of the journal from `from` on, to be freed; journal NULL: only their number. */
DRXI_SHARED drx_status drxi_ds_tell(const drx_dataset *ds, int64_t from, struct drxi_ds_news *news, uint8_t **journal);
DRXI_SHARED drx_status drxi_ds_open_replica(const char *path, const struct drxi_ds_news *news, const uint8_t journal[],
                                            drx_dataset **out);

DRXI_SHARED const char *drxi_ds_path(const drx_dataset *ds);
DRXI_SHARED char *drxi_ds_member_path(const drx_dataset *ds, const char *name); /* to be freed; NULL: no memory */
/* The array lent for a visible member; NULL: none. */
DRXI_SHARED drx_array *drxi_ds_lent(const drx_dataset *ds, const char *name);
/* Of which member a lent array is; -1: of one that is gone. */
DRXI_SHARED int64_t drxi_ds_member_of(const drx_dataset *ds, const drx_array *a);

/* Take the replica of a member's array, which the root has added with that spec, or lent: NULL. On failure the array is
 * freed. */
DRXI_SHARED drx_status drxi_ds_take_replica(drx_dataset *ds, const char *name, const drx_spec *spec, drx_array *a);

/* Whether the bounds of a dimension, *d, can change so, before any variable is touched. */
DRXI_SHARED drx_status drxi_ds_check_extend(const drx_dataset *ds, const char *dim, enum drxi_end end, int64_t by,
                                            int *d);
DRXI_SHARED drx_status drxi_ds_check_trim(const drx_dataset *ds, const char *dim, int64_t before, int64_t after,
                                          int *d);
/* drx_dataset_commit; *time is that of the commit: told by the root, and given to a replica. */
DRXI_SHARED drx_status drxi_ds_commit_at(drx_dataset *ds, const char *message, int64_t *time);

/* After a refresh of the root's: the new bytes of the journal; then the log of each array lent; then show the commit. */
DRXI_SHARED drx_status drxi_ds_follow(drx_dataset *ds, const uint8_t journal[], int64_t n);
DRXI_SHARED drx_status drxi_ds_follow_member(drx_dataset *ds, int64_t member, const uint8_t log[], int64_t n);
DRXI_SHARED drx_status drxi_ds_show_last(drx_dataset *ds);

#endif
