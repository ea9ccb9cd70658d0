/* The part of an array that a word selects: PATH, or PATH[...] in Python's notation. */
#pragma once

#include "arrays.h"

/* Elements lo + i * step of one axis, 0 <= i < count. */
struct range {
    int64_t lo, count, step;
    bool one; /* the one at an index or a coordinate, not a range that holds one */
};

/* Elements lo + i * step of each axis, 0 <= i < count, counted from 0 at its lower bound; the step may be negative. An
 * axis with a single index is dropped: its extent is 1 here, and the result does not have it. */
struct selection {
    char *path;
    char *text; /* inside the brackets; NULL: no brackets */
    int ndim;
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], step[DRX_MAX_NDIM];
    bool dropped[DRX_MAX_NDIM];
    int64_t commit; /* of its dataset; DRX_LAST: the array as it is */
};

/* Split the word into path and text, unless it is the path of an array. Changes `word` and points into it. */
void split_selection(struct selection *s, char *word, int64_t commit);

/* Does the word name a dataset, or DATASET[TEXT], a part of it? Then `word` becomes its path, and *text what the
 * brackets hold, or NULL. */
bool selects_dataset(char *word, char **text);

/* Complete it for the array: axes without an item are selected whole. Gives the exit code. */
int settle_selection(struct selection *s, const drx_array *a);

/* The range of each dimension of a dataset that `text`, as "time=2003,lat=-30:30", says of their coordinates; all of
 * those that it does not name. A dimension without coordinates takes an index or a slice. Gives the exit code. */
int select_dims(drx_dataset *ds, const char *path, const char *text, struct range of[]);

/* Open the array for reading and complete the selection; close it with close_together. NULL, after printing why: the
 * exit code is in *status. Collective. */
drx_array *open_selection(struct selection *s, int *status);

/* The axes that are kept; returns their number. */
int kept_axes(const struct selection *s, int axes[]);
/* The numbers that belong to those axes. */
void keep_axes(const struct selection *s, const int64_t in[], int64_t out[]);

/* Cut the selection into slabs; read a slab, contiguous in the order of the slabs, and give the exit code. */
int64_t cut_selection(struct slabs *slabs, const drx_array *a, const struct selection *s, drx_order order,
                      bool in_sequence);
int read_slab(drx_array *a, const struct selection *s, const struct slabs *slabs, void *buf);

/* Takes a slab: a box of the kept axes, in the order of the slabs. False after printing what is wrong. */
typedef bool take_slab(void *to, const int64_t at[], const int64_t count[], const void *buf);

/* Read each slab and give it to `take`, until an interrupt; progress: as of do_slabs. Gives the exit code. Collective
 * if they are shared. */
int pour(drx_array *a, const struct selection *s, struct slabs *slabs, take_slab *take, void *to,
         struct progress *progress);
