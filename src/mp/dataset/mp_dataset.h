/* A dataset that many ranks have open.
 *
 *   mp_ds_call.c    what every collective call does
 *   mp_ds_open.c    create, open, close, refresh
 *   mp_ds_arrays.c  the arrays that it lends
 *   mp_ds_change.c  a transaction
 *
 * Each rank has a dataset of drx_dataset.h: the root that of the files, the others a replica (dataset/ds_replica.h). A
 * change is agreed on, made by the root, and, when that succeeded, by the others.
 *
 * Invariants
 *   1. Between calls all ranks have the same log, and the same list of arrays. When one could not follow the root,
 *      `broken` is set on all.
 *   2. After a failure the ranks may differ in which arrays are gone. So no rank goes by that where it meets the
 *      others.
 *   3. Only const pointers to the datasets leave the library. */
#pragma once

#include "dataset/ds_replica.h"
#include "drxmp_dataset.h"
#include "mp/mp.h"

struct drxmp_dataset {
    MPI_Comm comm; /* a duplicate */
    int rank;
    drx_dataset *ds;
    drx_status broken; /* a rank could not follow: nothing changes any more */
    struct drxi_settings settings;
    int64_t arrays, room;
    drxmp_array **array; /* all that it has lent; those that are gone, too */
};

/* ---- mp_ds_call.c ---- */

/* drxi_flush_puts of each array. Local. */
drx_status drxi_ds_flush_puts(const drxmp_dataset *d, drx_status mine);
/* Flush them, and agree on a call that this rank begins with the status `mine`; DRX_EINVAL for no dataset, without
 * communication.
 * Collective. */
drx_status drxi_ds_agree(drxmp_dataset *d, drx_status mine, const struct drxi_call *call);
/* DRX_EBUSY while a request on one of the arrays is pending. */
drx_status drxi_ds_check_idle(const drxmp_dataset *d);
/* The others have followed the root, with these statuses: a failure breaks the dataset. Collective. */
drx_status drxi_ds_followed(drxmp_dataset *d, drx_status mine);

/* The root has done something, with the status `roots`: the others follow its log. Returns that status, or why a rank
 * could not follow. Collective. */
drx_status drxi_ds_tell_others(drxmp_dataset *d, drx_status roots);

/* Call it for each array that is still there; the ranks agree on the worst status. Collective. */
drx_status drxi_ds_each(drxmp_dataset *d, drx_status (*call)(drx_array *a, void *none));
/* drxi_settle_payloads of each array, where there are compressed ones. Collective. */
drx_status drxi_ds_settle(drxmp_dataset *d);
/* drxi_share_epochs of each array. Collective. */
drx_status drxi_ds_share_epochs(drxmp_dataset *d);

/* ---- mp_ds_arrays.c ---- */

/* The array of a member, which is there on all ranks or on none. Collective. */
drx_status drxi_ds_lend_all(drxmp_dataset *d, const char *name, drxmp_array **out);
/* Free the handles; the datasets close the arrays. Collective. */
void drxi_ds_free_arrays(drxmp_dataset *d);
