/* What a write does to the chunks of a compressed array, and writes whose elements several processes give. */
#pragma once

#include "box/box.h"

/* The bounds of the array, and of what is written beyond them by now; and what grows, or grew last. */
struct drxi_packed_bounds {
    struct drxi_last growing;
    int64_t lower[DRX_MAX_NDIM], upper[DRX_MAX_NDIM];
};

static inline struct drxi_packed_bounds drxi_packed_bounds_of(const struct drxi_data *data)
{
    struct drxi_packed_bounds b = { .growing = data->growing };

    memcpy(b.lower, data->lower, sizeof b.lower);
    memcpy(b.upper, data->upper, sizeof b.upper);
    if (b.growing.axis >= 0)
        *(b.growing.end == DRXI_LOW ? &b.lower[b.growing.axis] : &b.upper[b.growing.axis]) = data->grown_from;
    return b;
}
/* The cells of a chunk that begins at `first`, along axis j, that a write must have to close it: those inside the
 * bounds, and on the axis that grows, up to the end of the chunk. */
void drxi_packed_counting(const struct drxi_packed_bounds *b, int j, int64_t first, int64_t extent, int64_t *from,
                          int64_t *to);
/* Whether the growing axis has yet to pass the chunk. */
bool drxi_packed_at_edge(const struct drxi_packed_bounds *b, const struct drxi_data *data, const int64_t index[]);

enum { DRXI_PACKED_READ_THROUGH_BYTES = 1 << 11 };

/* In how many parts, of `most`, a read may be cut: each has a thread, which holds two chunks and a payload. */
int64_t drxi_packed_parts(const struct drxi_data *data, int64_t most);

/* ---- packed_parts.c ---- */

/* A chunk that one process writes for several, or closes. */
struct drxi_packed_chunk {
    struct drxi_pack_hold hold;
    int64_t address, index[DRX_MAX_NDIM];
    uint8_t *image; /* of its elements; those that are written. NULL: it is only closed, if it is open */
    uint8_t *marks; /* have a 1 here */
};

/* Take n chunks, in the order of their addresses, decide what becomes of them, and compress; the images are as on disk
 * then. The bounds do not matter to chunks that are only closed. */
DRXI_SHARED drx_status drxi_packed_begin(struct drxi_data *data, const struct drxi_packed_bounds *b, int64_t n,
                                         struct drxi_packed_chunk c[]);
/* Give them back; before, with `write`, write them to their places, and what is open in place. */
DRXI_SHARED drx_status drxi_packed_end(struct drxi_data *data, int64_t n, struct drxi_packed_chunk c[], bool write);
