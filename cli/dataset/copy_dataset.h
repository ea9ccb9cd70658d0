/* A dataset in another layout. */
#pragma once

#include "formats/source.h"

/* What all variables of the copy have; zeros: what those of the source have. */
struct dataset_layout {
    struct chunks chunks; /* extents along dimensions of these names */
    const drx_order *order;
    int64_t align;
    unsigned flags; /* DRX_CHECKSUM, DRX_FROM_ZERO */
    const struct codec_choice *codec;
    int64_t memory_bytes;      /* for elements; 0: SLAB_BYTES */
    struct rounding *rounding; /* of floating-point variables that are no coordinates; NULL: none */
};

/* Make a dataset `to` of what `from`, whose path is `path`, shows, or of the part `text` (select_dims; NULL: all):
 * variables in their order, with attributes, in one commit. Gives the exit code; a copy that fails or is interrupted
 * leaves nothing. */
int copy_dataset(drx_dataset *from, const char *path, const char *text, const char *to,
                 const struct dataset_layout *layout);

/* Add a variable of a source to the dataset `ds` at `path`. dims: the names of all axes; dims[0] NULL: a scalar. An
 * axis with the name of a dimension of the dataset has its extent. Gives the exit code. */
int add_source(drx_dataset *ds, const char *path, const char *name, struct source *s, const char *const dims[],
               const struct dataset_layout *l);
