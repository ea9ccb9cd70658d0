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

void plain_init(struct plain *p, int ndim, size_t elem_bytes, const int64_t *lower, const int64_t *shape,
                const void *fill)
{
    int64_t n = plain_product(ndim, shape);

    memset(p, 0, sizeof *p);
    p->ndim = ndim;
    p->elem_bytes = elem_bytes;
    memcpy(p->lower, lower, (size_t)ndim * sizeof *lower);
    memcpy(p->shape, shape, (size_t)ndim * sizeof *shape);
    p->data = plain_alloc((size_t)n * elem_bytes);
    for (int64_t i = 0; i < n; i++)
        memcpy(p->data + (size_t)i * elem_bytes, fill, elem_bytes);
}

void plain_copy(struct plain *to, const struct plain *from)
{
    const size_t bytes = (size_t)plain_product(from->ndim, from->shape) * from->elem_bytes;

    *to = *from;
    to->data = plain_alloc(bytes);
    memcpy(to->data, from->data, bytes);
}

void plain_free(struct plain *p)
{
    free(p->data);
    p->data = NULL;
}

void plain_resize(struct plain *p, int axis, int64_t lower, int64_t extent, const void *fill)
{
    struct plain other;
    int64_t bounds[2][DRX_MAX_NDIM], i[DRX_MAX_NDIM] = { 0 }, index[DRX_MAX_NDIM] = { 0 };

    memcpy(bounds[0], p->lower, sizeof p->lower);
    memcpy(bounds[1], p->shape, sizeof p->shape);
    bounds[0][axis] = lower;
    bounds[1][axis] = extent;
    plain_init(&other, p->ndim, p->elem_bytes, bounds[0], bounds[1], fill);
    if (plain_product(p->ndim, p->shape) > 0)
        do {
            for (int j = 0; j < p->ndim; j++)
                index[j] = p->lower[j] + i[j];
            if (index[axis] >= lower && index[axis] < lower + extent)
                memcpy(plain_at(&other, index), plain_at(p, index), p->elem_bytes);
        } while (next_index(p->ndim, p->shape, i));
    plain_free(p);
    *p = other;
}

void plain_add_axis(struct plain *p, int at)
{
    const size_t moved = (size_t)(p->ndim - at) * sizeof *p->lower;

    memmove(p->lower + at + 1, p->lower + at, moved);
    memmove(p->shape + at + 1, p->shape + at, moved);
    p->lower[at] = 0;
    p->shape[at] = 1;
    p->ndim++;
}

unsigned char *plain_at(const struct plain *p, const int64_t *index)
{
    int64_t at = 0;

    for (int j = 0; j < p->ndim; j++)
        at = at * p->shape[j] + (index[j] - p->lower[j]);
    return p->data + (size_t)at * p->elem_bytes;
}

/* Memory from the array, or the array from memory. */
static void move(const struct plain *p, const int64_t *lo, const int64_t *count, const int64_t *step,
                 const int64_t *stride, unsigned char *mem, bool store)
{
    int64_t i[DRX_MAX_NDIM] = { 0 }, index[DRX_MAX_NDIM] = { 0 };

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
