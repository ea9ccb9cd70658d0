/* An open dataset: drx_dataset.h.
 *
 *   ds_open.c     opening, closing, refresh, and what a crash left
 *   ds_handle.c   making, checking and freeing a handle
 *   ds_make.c     making a dataset, and making arrays of a folder one
 *   ds_arrays.c   the arrays that it lends
 *   ds_change.c   what a transaction changes
 *   ds_commit.c   commit and abort
 *   ds_files.c    the whole folder renamed, copied, removed
 *   ds_check.c    verified and mended
 *   ds_inquire.c  everything that only looks
 *   ds_replica.h  the handles of several processes: ds_replica.c
 *
 * Invariants
 *   1. What the dataset shows is what its journal says of one commit (log/journal.h). A reader's arrays have the bounds of
 *      that commit, whatever their own logs say by now.
 *   2. A commit makes elements, files and names durable before it appends the COMMIT, and tells the members after it.
 *   3. The journal holds an addition, durably, before its files have names. So whoever takes a transaction back knows
 *      which files are its own. Files of removed members go after the commit; the next writer removes what is left.
 *   4. The writer has the lock of dataset.xds, and those of the members that it has touched. */
#ifndef DRXI_DATASET_H
#define DRXI_DATASET_H

#include "array/array.h"
#include "array/place.h"
#include "dataset/ds_replica.h"
#include "log/journal.h"

/* An array that the dataset has lent. */
struct drxi_lent {
    drx_dataset *ds;
    drx_array *a;
    int64_t member;
    bool gone;  /* removed, or taken back: its handle stays */
    bool grown; /* in this transaction */
    struct drxi_deferral defer;
};

struct drx_dataset {
    char *path;
    bool writable;
    bool folder;     /* arrays without dataset.xds */
    bool follows;    /* refresh shows later commits */
    bool replica;    /* its journal is a copy in memory, and another process changes the files */
    int64_t shown;   /* the commit; a writer's transaction comes on top */
    bool only_abort; /* an extension failed half-way */
    struct drxi_journal j;
    int64_t lents, lent_room;
    struct drxi_lent **lent;
    int64_t visible, visible_room; /* members of the commit shown, and of the transaction */
    int64_t *member;
};

static inline drx_status drxi_no_dataset(void)
{
    return drxi_fail(DRX_EINVAL, "the dataset is a null pointer");
}
/* The commit whose members the handle shows: for a writer, the next one. */
static inline int64_t drxi_ds_now(const drx_dataset *ds)
{
    return ds->writable ? ds->j.commits : ds->shown;
}

/* ---- ds_handle.c ---- */

drx_status drxi_ds_new(const char *path, drx_dataset **out);
void drxi_ds_free(drx_dataset *ds);
drx_status drxi_ds_find_visible(drx_dataset *ds); /* fill ds->member */
/* DRX_EACCES, or why the handle is broken. */
drx_status drxi_ds_check_writable(const drx_dataset *ds);
/* DRX_EINVAL: the transaction adds axes, and nothing else until it is committed. */
drx_status drxi_ds_fail_axes(const drx_dataset *ds);
/* Remove the files of a member, whose creation id the array of that name must have. A replica leaves them. */
drx_status drxi_ds_remove_files(const drx_dataset *ds, int64_t member);
/* No array has the name, which would hide the dataset. */
drx_status drxi_ds_refuse_array(const char *path);

/* Every name in a folder, but for "." and "..", or those that are left of them. */
struct drxi_ds_names {
    char **name;
    int64_t n, room;
    drx_status st;
};
/* drxi_ds_free_names follows in any case. */
drx_status drxi_ds_list(const char *folder, struct drxi_ds_names *found);
void drxi_ds_free_names(struct drxi_ds_names *found);

/* ---- ds_change.c ---- */

/* Record the addition of a variable, durably: dimensions that are new, then the member. */
drx_status drxi_ds_record_addition(drx_dataset *ds, const char *name, const drx_spec *spec, const uint8_t id[]);

/* ---- ds_commit.c ---- */

/* ---- ds_make.c ---- */

/* The dataset that a folder of arrays would be, for reading. */
drx_status drxi_ds_view_folder(drx_dataset *ds);

/* ---- ds_arrays.c ---- */

/* The array of a member, opened if it is not yet; a writer gets it for writing. */
drx_status drxi_ds_lend(drx_dataset *ds, int64_t member, struct drxi_lent **out);
/* DRX_EMISMATCH: the array's own log, with all that the dataset says of it, does not end at the last commit: the bounds, or
 * the commit that it names, are others. */
drx_status drxi_ds_check_bounds(const drx_dataset *ds, const drx_array *a, int64_t member, const int64_t lower[],
                                const int64_t upper[]);
/* Take an array into the list, as that of a member. On failure the array is freed. */
drx_status drxi_ds_take(drx_dataset *ds, int64_t member, drx_array *a, struct drxi_lent **out);
/* Whether it is that of the member; and, for a reader, give it the bounds of a commit. DRX_ERANGE: a later commit has
 * trimmed what that commit shows. */
drx_status drxi_ds_show(const drx_dataset *ds, int64_t member, int64_t commit, drx_array *a);
/* Show the bounds of another commit in all arrays of a reader, or, on an error, in none. */
drx_status drxi_ds_reload(drx_dataset *ds, int64_t commit);

#endif
