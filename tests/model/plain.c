#include "plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *plain_alloc(size_t n)
{
    void *p = calloc(1, n ? n : 1);

    if (!p) {
        fprintf(stderr, "model: out of memory (%zu bytes)\n", n);
        exit(EXIT_FAILURE);
    }
    return p;
}

int64_t plain_product(int n, const int64_t *extent)
{
    int64_t product = 1;

    for (int j = 0; j < n; j++)
        product *= extent[j];
    return product;
}

bool plain_next(int ndim, const int64_t *count, int64_t *i)
{
    for (int j = ndim - 1; j >= 0; j--) {
        if (++i[j] < count[j])
            return true;
        i[j] = 0;
    }
    return false;
}

void plain_strides(int ndim, const int64_t *count, bool col_major, int64_t *stride)
{
    int64_t step = 1;

    for (int k = 0; k < ndim; k++) {
        int j = col_major ? k : ndim - 1 - k;

        stride[j] = step;
        step *= count[j];
    }
}

void plain_init(struct plain *p, int ndim, size_t elem_bytes, const int64_t *shape, const void *fill)
{
    int64_t n = plain_product(ndim, shape);

    memset(p, 0, sizeof *p);
    p->ndim = ndim;
    p->elem_bytes = elem_bytes;
    memcpy(p->shape, shape, (size_t)ndim * sizeof *shape);
    p->data = plain_alloc((size_t)n * elem_bytes);
    for (int64_t i = 0; i < n; i++)
        memcpy(p->data + (size_t)i * elem_bytes, fill, elem_bytes);
}

void plain_free(struct plain *p)
{
    free(p->data);
    p->data = NULL;
}

void plain_grow(struct plain *p, int axis, int64_t by, const void *fill)
{
    struct plain bigger;
    int64_t shape[PLAIN_MAX_NDIM] = { 0 };
    int64_t i[PLAIN_MAX_NDIM] = { 0 };

    memcpy(shape, p->shape, (size_t)p->ndim * sizeof *shape);
    shape[axis] += by;
    plain_init(&bigger, p->ndim, p->elem_bytes, shape, fill);
    if (plain_product(p->ndim, p->shape) > 0)
        do
            memcpy(plain_at(&bigger, i), plain_at(p, i), p->elem_bytes);
        while (plain_next(p->ndim, p->shape, i));
    plain_free(p);
    *p = bigger;
}

unsigned char *plain_at(const struct plain *p, const int64_t *index)
{
    int64_t at = 0;

    for (int j = 0; j < p->ndim; j++)
        at = at * p->shape[j] + index[j];
    return p->data + (size_t)at * p->elem_bytes;
}

/* Where element i of a selection is: in the array, and (returned) in memory. */
static ptrdiff_t place(const struct plain *p, const int64_t *lo, const int64_t *step, const int64_t *stride,
                       const int64_t *i, unsigned char **element)
{
    int64_t index[PLAIN_MAX_NDIM];
    int64_t offset = 0;

    for (int j = 0; j < p->ndim; j++) {
        index[j] = lo[j] + (step && i[j] ? i[j] * step[j] : i[j]);
        offset += i[j] ? i[j] * stride[j] : 0;
    }
    *element = plain_at(p, index);
    return (ptrdiff_t)offset * (ptrdiff_t)p->elem_bytes;
}

void plain_load(const struct plain *p, const int64_t *lo, const int64_t *count, const int64_t *step,
                const int64_t *stride, void *mem)
{
    int64_t i[PLAIN_MAX_NDIM] = { 0 };
    unsigned char *element;

    if (plain_product(p->ndim, count) == 0)
        return;
    do {
        ptrdiff_t at = place(p, lo, step, stride, i, &element);

        memcpy((unsigned char *)mem + at, element, p->elem_bytes);
    } while (plain_next(p->ndim, count, i));
}

void plain_store(struct plain *p, const int64_t *lo, const int64_t *count, const int64_t *step, const int64_t *stride,
                 const void *mem)
{
    int64_t i[PLAIN_MAX_NDIM] = { 0 };
    unsigned char *element;

    if (plain_product(p->ndim, count) == 0)
        return;
    do {
        ptrdiff_t at = place(p, lo, step, stride, i, &element);

        memcpy(element, (const unsigned char *)mem + at, p->elem_bytes);
    } while (plain_next(p->ndim, count, i));
}
