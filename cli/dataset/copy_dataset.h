/* A dataset in another layout. */
#ifndef COPY_DATASET_H
#define COPY_DATASET_H

#include <stdbool.h>

#include "arrays/codec_choice.h"
#include "arrays/rounding.h"
#include "drx_dataset.h"

/* What all variables of the copy have; zeros: what those of the source have. */
struct dataset_layout {
    int nchunks; /* extents of a chunk along dimensions of these names */
    const char *dim[DRX_MAX_NDIM];
    int64_t chunk[DRX_MAX_NDIM];
    const drx_order *order;
    int64_t align;
    unsigned flags; /* DRX_CHECKSUM, DRX_FROM_ZERO */
    const struct codec_choice *codec;
    int64_t memory_bytes;      /* for elements; 0: SLAB_BYTES */
    struct rounding *rounding; /* of floating-point variables that are no coordinates; NULL: none */
};

/* Make a dataset `to` of what `from`, whose path is `path`, shows: variables in their order, with attributes, in one
 * commit. Gives the exit code; a copy that fails or is interrupted leaves nothing. */
int copy_dataset(drx_dataset *from, const char *path, const char *to, const struct dataset_layout *layout);

#endif
