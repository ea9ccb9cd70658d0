/* Copying boxes of elements between layouts. */
#ifndef DRXI_COPY_H
#define DRXI_COPY_H

#include "base/base.h"

/* Copy the box of count[ndim] elements of item_bytes (1, 2, 4, 8 or 16). Strides
 * are in bytes, of any sign and in any order; dst and src are where the element
 * of index 0 is. A source stride may be 0. The memory must not overlap. */
void drxi_copy(int ndim, const int64_t count[], size_t item_bytes, void *dst, const int64_t dst_stride[],
               const void *src, const int64_t src_stride[]);

/* Strides in bytes of a contiguous box of extent[ndim] elements. */
void drxi_strides(int ndim, const int64_t extent[], size_t item_bytes, drx_order order, int64_t stride[]);

#endif
