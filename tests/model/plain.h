/* plain.h - the plain array: dense, row-major, laid out anew at every growth.
 *
 * What the library is compared with. It knows nothing of chunks, files or the
 * library, and prefers being obviously right to being fast. */
#ifndef DRX_MODEL_PLAIN_H
#define DRX_MODEL_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLAIN_MAX_NDIM = 32 };

struct plain {
    int ndim;
    size_t elem_bytes;
    int64_t shape[PLAIN_MAX_NDIM];
    unsigned char *data;
};

/* Allocate n zeroed bytes (at least one) or end the program. */
void *plain_alloc(size_t n);

/* Product of the n extents. */
int64_t plain_product(int n, const int64_t *extent);
/* Row-major successor of i in the box [0, count); false after the last one. */
bool plain_next(int ndim, const int64_t *count, int64_t *i);
/* Strides, in elements, of a contiguous box of `count`. */
void plain_strides(int ndim, const int64_t *count, bool col_major, int64_t *stride);

void plain_init(struct plain *p, int ndim, size_t elem_bytes, const int64_t *shape, const void *fill);
void plain_free(struct plain *p);
void plain_grow(struct plain *p, int axis, int64_t by, const void *fill);
unsigned char *plain_at(const struct plain *p, const int64_t *index);

/* Element lo[j] + i * step[j] of the array and element i * stride[j] of mem,
 * for 0 <= i < count[j]; step NULL: 1. plain_load fills mem from the array,
 * plain_store the array from mem. */
void plain_load(const struct plain *p, const int64_t *lo, const int64_t *count, const int64_t *step,
                const int64_t *stride, void *mem);
void plain_store(struct plain *p, const int64_t *lo, const int64_t *count, const int64_t *step, const int64_t *stride,
                 const void *mem);

#endif
