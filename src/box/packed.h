/* What a write does to the chunks of a compressed array, and writes whose elements several processes give. */
#ifndef DRXI_PACKED_H
#define DRXI_PACKED_H

#include "box/box.h"

/* The bounds of the array, with what is written, and what grows: this axis (-1: none) at this end. */
struct drxi_packed_bounds {
    int growing;
    enum drxi_end end;
    int64_t lower[DRX_MAX_NDIM], upper[DRX_MAX_NDIM];
};

/* The bounds of the state; what grows is the axis of this growth, or, without one, of the last one. */
DRXI_SHARED void drxi_packed_bounds_of(const struct drxi_data *data, const struct drxi_growth *growth,
                                       struct drxi_packed_bounds *b);
/* The cells of a chunk that begins at `first`, along axis j, that a write must have to close it: those inside the bounds,
 * and on the axis that grows, up to the end of the chunk. */
void drxi_packed_counting(const struct drxi_packed_bounds *b, int j, int64_t first, int64_t extent, int64_t *from,
                          int64_t *to);
/* Whether the growing axis has yet to pass the chunk. */
bool drxi_packed_at_edge(const struct drxi_packed_bounds *b, const struct drxi_desc *d, const int64_t index[]);

enum { DRXI_PACKED_READ_THROUGH_BYTES = 1 << 11 };

/* In how many parts, of `most`, a read may be cut: each has a thread, which holds two chunks and a payload. */
int64_t drxi_packed_parts(const struct drxi_data *data, int64_t most);

/* ---- packed_parts.c ---- */

/* A chunk that one process writes for several. */
struct drxi_packed_chunk {
    struct drxi_pack_hold hold;
    int64_t address, index[DRX_MAX_NDIM];
    uint8_t *image; /* of its elements; those that are written */
    uint8_t *marks; /* have a 1 here */
};

/* Take the chunk, and decide what becomes of it. */
DRXI_SHARED drx_status drxi_packed_take(struct drxi_data *data, const struct drxi_packed_bounds *b,
                                        struct drxi_packed_chunk *c);
/* Compress n chunks that were taken; the images are as on disk then. */
DRXI_SHARED drx_status drxi_packed_make(struct drxi_data *data, int64_t n, struct drxi_packed_chunk c[]);
/* Write them to their places; what is open is written in place. */
DRXI_SHARED drx_status drxi_packed_put(struct drxi_data *data, int64_t n, struct drxi_packed_chunk c[]);

#endif
