/* Copying boxes of elements between layouts. */
#pragma once

#include "base/base.h"
#include "drx_tools.h"

/* An axis of a copy: `count` elements, and the bytes between them on either side. */
struct drxi_copy_axis {
    int64_t count, dst, src;
};

enum { DRXI_COPY_AXES = 2 * DRX_MAX_NDIM + 1 }; /* indices of chunks, once of stripes, and indices in a chunk */

/* Copy elements of item_bytes each; those of 1, 2, 4, 8 and 16 fastest. They lie at the sum of i * stride over the
 * n <= DRXI_COPY_AXES axes, which may have any order. Strides are in bytes and have any sign; dst and src point to the
 * element of index 0. A source stride may be 0. The memory must not overlap.
 *
 * `large`: the whole, of which this copy may be a part, does not fit in the caches. Then the copy writes past them
 * where that is faster. */
void drxi_copy_axes(int n, const struct drxi_copy_axis axes[], size_t item_bytes, void *dst, const void *src,
                    bool large);

/* The same, and fold what is copied. Folding costs least when the copy takes each strand in order. */
struct drxi_fold;
void drxi_copy_folding(int n, const struct drxi_copy_axis axes[], size_t item_bytes, void *dst, const void *src,
                       bool large, struct drxi_fold *fold);

/* The same for a box of count[ndim] elements that is not large. */
void drxi_copy(int ndim, const int64_t count[], size_t item_bytes, void *dst, const int64_t dst_stride[],
               const void *src, const int64_t src_stride[]);

/* The strides in bytes of a contiguous box of extent[ndim] elements. */
static inline void drxi_strides(int ndim, const int64_t extent[], size_t item_bytes, drx_order order, int64_t stride[])
{
    int64_t bytes = (int64_t)item_bytes;

    for (int i = 0; i < ndim; i++) {
        const int j = order == DRX_ROW_MAJOR ? ndim - 1 - i : i;

        stride[j] = bytes;
        bytes *= extent[j];
    }
}

/* ---- convert.c: Elements of one type as elements of another. */

/* Convert n elements, which lie contiguously. out NULL: only try. Returns the first one that does not fit, or n. The
 * types and `how` are valid; memory of unlike types does not overlap. */
int64_t drxi_convert(drx_type from, const void *in, drx_type to, void *out, int64_t n, drx_conversion how);

/* Whether these can be converted at all: DRX_EINVAL. */
drx_status drxi_check_conversion(const char *label, drx_type from, drx_type to, drx_conversion how);

/* DRX_EMISMATCH for an element that does not fit, which `where` names: "element (3, 4)". */
drx_status drxi_fail_conversion(const char *label, const char *where, drx_type from, const void *element, drx_type to,
                                drx_conversion how);

/* ---- keep_bits.c: Rounding to fewer bits of the mantissa. */

struct drxi_keep {
    drx_type type;
    int bits;           /* as in drx_keep_bits */
    const void *skip;   /* an element that stays as it is; NULL: none */
    drx_rounding *told; /* grows */
};

/* The bits that an element has: 0 for a type that is not rounded. */
int drxi_keep_bits_most(drx_type type);
drx_status drxi_check_keep_bits(const char *label, drx_type type, int bits);
/* The arguments have been checked. */
void drxi_keep_bits(const struct drxi_keep *k, int64_t n, void *elements);

/* ---- accumulate.c: Adding boxes of elements to other boxes. */

/* As drxi_copy_axes, but add `alpha`, an element of `type`, times each element of src to that of dst. Integers wrap
 * around. No axis may have a stride of 0 in dst. The sums are not atomic. */
void drxi_accumulate(int n, const struct drxi_copy_axis axes[], drx_type type, const void *alpha, void *dst,
                     const void *src);

/* DRX_EINVAL for a type whose elements cannot be added. */
drx_status drxi_check_addable(drx_type type);
