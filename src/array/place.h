/* Names of the files of an array: put in place, replaced, removed, moved, copied.
 *
 *   place.c      putting files in place, replacing, removing
 *   rename.c     another name for an array
 *   duplicate.c  an exact copy of the files
 *   missing_stripes.c  what an array names and is not there */
#pragma once

#include "array/array.h"

/* The files that an array may have beside its metadata: .xta, and perhaps .xcs; or .xtz and .xct. */
enum { DRXI_DATA_BODY, DRXI_SUMS_BODY, DRXI_PAYLOADS_BODY, DRXI_TABLE_BODY, DRXI_BODIES };
static inline bool drxi_has_elements(int body)
{
    return body == DRXI_DATA_BODY || body == DRXI_PAYLOADS_BODY;
}

struct drxi_names {
    char *meta, *body[DRXI_BODIES];
    char *dataset; /* that would be of the same name */
};
drx_status drxi_names_make(const char *path, struct drxi_names *n); /* free also on failure */
void drxi_names_free(struct drxi_names *n);

/* Whether the path is free: no array is there, or it may be replaced and nobody writes to it. *old, if there is one,
 * holds its lock until it is closed. */
drx_status drxi_check_free(const struct drxi_names *n, bool replace, drxi_io **old);
/* DRX_EINVAL: the folder of the path is that of a dataset, where no array is made, replaced, removed or renamed
 * alone. */
drx_status drxi_refuse_dataset_folder(const char *path);
/* No dataset has the name, which the array would hide. */
drx_status drxi_refuse_dataset(const struct drxi_names *n);
/* The same before work is done; the look under the folder's lock decides. */
drx_status drxi_look_first(const struct drxi_names *n, bool replace);

/* Open metadata that are about to lose their name, and keep writers away: DRX_EBUSY when there is one. A read-only file
 * needs no lock. */
drx_status drxi_hold_meta(const char *meta, drxi_io **out);

/* What bears the names, and is to be replaced: NULL where there is nothing. meta comes from drxi_check_free. */
struct drxi_old {
    drxi_io *meta, *body[DRXI_BODIES];
    struct drxi_stripes stripes; /* which keep their names until they are dropped */
};
drx_status drxi_set_aside(const struct drxi_names *n, struct drxi_old *old); /* under other names */
void drxi_put_back(struct drxi_old *old);                                    /* under their own; changes the detail */
void drxi_let_go(struct drxi_old *old);                               /* close, and so remove, what is set aside */
void drxi_drop_stripes(const char *path, const struct drxi_old *old); /* when what replaces it is in place */

/* Give the complete files of `a` their names, the metadata last, while nobody else makes, replaces or removes arrays in
 * the folder. */
drx_status drxi_put_in_place(drx_array *a, const struct drxi_names *n, bool replace);

/* Give the files their names, or spare ones, except to stripes, whose own are unique. Data stay where they are when
 * only the metadata move. */
drx_status drxi_name_data(drx_array *a, bool spare);
/* Remove what there is of an array, the metadata first; DRX_ENOENT: nothing, nor was something found before. */
drx_status drxi_remove_files(const struct drxi_names *n, bool found);

/* ---- duplicate.c ---- */

/* drx_duplicate of a lone array. */
drx_status drxi_duplicate_lone(const char *from, const char *to, unsigned flags, drx_progress progress, void *user);

/* ---- rename.c ---- */

/* Name the stripes of the array by absolute paths, durably, so that its metadata can move to another folder. */
drx_status drxi_fix_stripe_folders(const char *path);
