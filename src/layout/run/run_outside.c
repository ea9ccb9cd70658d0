/* Cells of the copy outside its bounds, which a copy in parts of chunks leaves to be filled. */
#include "layout/run/run.h"

static drx_status fill_part_outside(drx_array *a, const int64_t lo[], const int64_t end[])
{
    const int64_t stride[DRX_MAX_NDIM] = { 0 }; /* one element for all */
    int64_t count[DRX_MAX_NDIM];

    for (int j = 0; j < a->data.ndim; j++) {
        count[j] = end[j] - lo[j];
        if (count[j] <= 0)
            return DRX_OK;
    }
    return drxi_transfer_write(&a->data, &(struct drxi_box){ .lo = lo, .count = count, .stride_bytes = stride },
                               a->data.fill);
}

/* Before and after the box along axis 0, then along axis 1 of what is left, and so on. */
drx_status drxi_fill_around(drx_array *a, const int64_t begin[], const int64_t end[], const int64_t lo[],
                            const int64_t hi[])
{
    const int ndim = a->data.ndim;
    int64_t from[DRX_MAX_NDIM], to[DRX_MAX_NDIM];
    drx_status st = DRX_OK;

    memcpy(from, begin, (size_t)ndim * sizeof *from);
    memcpy(to, end, (size_t)ndim * sizeof *to);
    for (int j = 0; !st && j < ndim; j++) {
        to[j] = lo[j];
        st = fill_part_outside(a, from, to);
        from[j] = hi[j];
        to[j] = end[j];
        if (!st)
            st = fill_part_outside(a, from, to);
        from[j] = lo[j];
        to[j] = hi[j];
    }
    return st;
}
