/* A slice of two axes through the chunks of an array. */
#ifndef CHUNK_SLICE_H
#define CHUNK_SLICE_H

#include "frame/options.h"
#include "growth_steps.h"

struct chunk_slice {
    int down, across;         /* the axes; down -1: the array has only one */
    int64_t at[DRX_MAX_NDIM]; /* the chunk index on each other axis */
    int64_t rows, columns;    /* its extents in chunks; 1 row when there is one axis */
};

/* The slice of the axes "A,B", or, if NULL, of the two with most segments, at the chunk indices `at` of the other axes
 * (none: 0). Gives the exit code, after printing why. */
int settle_slice(struct chunk_slice *slice, const drx_array *a, const char *path, const char *axes,
                 const struct numbers *at);

/* What of the segment of a step lies in the slice: rows lo[0] to hi[0] - 1 and
 * columns lo[1] to hi[1] - 1. False: nothing. */
struct slice_part {
    int64_t lo[2], hi[2];
};
bool part_of_slice(const struct step *step, const struct chunk_slice *slice, int ndim, struct slice_part *part);

#endif
