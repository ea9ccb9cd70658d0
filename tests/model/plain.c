#include "model.h"

void *plain_alloc(size_t n)
{
    void *p = calloc(1, n ? n : 1);

    assert_non_null(p);
    return p;
}

int64_t plain_product(int n, const int64_t *extent)
{
    int64_t product = 1;

    for (int j = 0; j < n; j++)
        product *= extent[j];
    return product;
}

void plain_strides(int ndim, const int64_t *count, drx_order order, int64_t *stride)
{
    int64_t step = 1;

    for (int k = 0; k < ndim; k++) {
        int j = order == DRX_COL_MAJOR ? k : ndim - 1 - k;

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
    int64_t shape[DRX_MAX_NDIM] = { 0 };
    int64_t i[DRX_MAX_NDIM] = { 0 };

    memcpy(shape, p->shape, (size_t)p->ndim * sizeof *shape);
    shape[axis] += by;
    plain_init(&bigger, p->ndim, p->elem_bytes, shape, fill);
    if (plain_product(p->ndim, p->shape) > 0)
        do
            memcpy(plain_at(&bigger, i), plain_at(p, i), p->elem_bytes);
        while (next_index(p->ndim, p->shape, i));
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

/* Memory from the array, or the array from memory. */
static void move(const struct plain *p, const int64_t *lo, const int64_t *count, const int64_t *step,
                 const int64_t *stride, unsigned char *mem, bool store)
{
    int64_t i[DRX_MAX_NDIM] = { 0 }, index[DRX_MAX_NDIM];

    if (plain_product(p->ndim, count) == 0)
        return;
    do {
        unsigned char *element, *place;
        int64_t offset = 0;

        for (int j = 0; j < p->ndim; j++) { /* what is multiplied by 0 may be as large as there is */
            index[j] = lo[j] + (step && i[j] ? i[j] * step[j] : i[j]);
            offset += i[j] ? i[j] * stride[j] : 0;
        }
        element = plain_at(p, index);
        place = mem + offset * (ptrdiff_t)p->elem_bytes;
        memcpy(store ? element : place, store ? place : element, p->elem_bytes);
    } while (next_index(p->ndim, count, i));
}

void plain_load(const struct plain *p, const int64_t *lo, const int64_t *count, const int64_t *step,
                const int64_t *stride, void *mem)
{
    move(p, lo, count, step, stride, mem, false);
}

void plain_store(struct plain *p, const int64_t *lo, const int64_t *count, const int64_t *step, const int64_t *stride,
                 void *mem)
{
    move(p, lo, count, step, stride, mem, true);
}
