/* A block is a part of a chunk that is contiguous in the file and small enough to hold in memory. These functions cut
 * chunks into blocks, and copy what a rank takes of one. */
#ifndef DRXI_BLOCK_H
#define DRXI_BLOCK_H

#include "array/replica.h"
#include "mp/move/selection.h"

/* How chunks are cut: count[j] blocks along axis j, of extent[j] indices each. */
struct drxi_cut {
    const drx_array *a;
    int64_t extent[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    int64_t bytes; /* of a block */
};
void drxi_cut_chunks(struct drxi_cut *cut, const drx_array *a);

struct drxi_block {
    int64_t offset;                             /* bytes, in the file */
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM]; /* indices of the array */
};
/* Get block number `which` of the chunk, in the order of the file. */
void drxi_cut_block(const struct drxi_cut *cut, int64_t address, const int64_t chunk_index[], int64_t which,
                    struct drxi_block *block);
int64_t drxi_cut_blocks(const struct drxi_cut *cut); /* of a chunk */

/* The number of elements of the block that the sets, one for each axis, have. */
int64_t drxi_block_count(const struct drxi_block *block, int ndim, const struct drxi_axis_set sets[]);

/* Where those elements are: PACKED in row-major order, in the MEMORY of the rank that takes them, or in an IMAGE of the
 * block's bytes in the file. */
struct drxi_place {
    enum { DRXI_PACKED, DRXI_MEMORY, DRXI_IMAGE } kind;
    uint8_t *base;
    const int64_t *stride_bytes; /* MEMORY: of a local index */
};
void drxi_block_copy(const struct drxi_cut *cut, const struct drxi_block *block, const struct drxi_axis_set sets[],
                     struct drxi_place to, struct drxi_place from);
/* Set the bytes of those elements to 1 in `marks`, which has a byte for each element of the block's image. */
void drxi_block_mark(const struct drxi_cut *cut, const struct drxi_block *block, const struct drxi_axis_set sets[],
                     uint8_t marks[]);

#endif
