/* What of an array a word means: PATH, or PATH[...] in Python's notation. */
#ifndef SELECT_H
#define SELECT_H

#include "frame/cli.h"
#include "slabs.h"

/* Of axis j the elements lo + i * step, 0 <= i < count; the step may be negative, and an axis that was given by a
 * single index is dropped: it has an extent of 1 here and no place in the result. */
struct selection {
    char *path;
    char *text; /* what stands in the brackets, or NULL */
    int ndim;
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], step[DRX_MAX_NDIM];
    bool dropped[DRX_MAX_NDIM];
};

/* Take the word apart. A word that is the path of an array as it stands has no selection. Changes `word` and points
 * into it. */
void split_selection(struct selection *s, char *word);

/* Complete it for the array: the whole without brackets; with fewer items than axes, the whole of the other axes.
 * Gives the exit code. */
int settle_selection(struct selection *s, const drx_array *a);

/* Open the array for reading and complete the selection; to be closed with close_together. NULL, with the exit code
 * in *status, after printing why. Collective. */
drx_array *open_selection(struct selection *s, int *status);

/* The axes that are not dropped; returns their number. */
int kept_axes(const struct selection *s, int axes[]);
/* The numbers that belong to those axes. */
void keep_axes(const struct selection *s, const int64_t in[], int64_t out[]);

/* Cut the selection into slabs, and read one: `buf` holds it contiguously in the order of the slabs. The latter
 * gives the exit code. */
int64_t cut_selection(struct slabs *slabs, const drx_array *a, const struct selection *s, drx_order order,
                      bool in_sequence);
int read_slab(drx_array *a, const struct selection *s, const struct slabs *slabs, void *buf);

/* Takes a slab: `count` elements from `at` on of the axes that are kept, in the order of the slabs. False after
 * printing why not. */
typedef bool take_slab(void *to, const int64_t at[], const int64_t count[], const void *buf);

/* Read slab after slab and give it to `take`. An interrupt ends it. Gives the exit code. Collective when the slabs
 * are shared. */
int pour(drx_array *a, const struct selection *s, struct slabs *slabs, take_slab *take, void *to,
         struct progress *progress);

#endif
