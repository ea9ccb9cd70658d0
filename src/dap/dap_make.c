/* Making descriptions from sizes. */
#include "dap/dap_internal.h"

static int begin_dimension(struct dap_dim *d, int type, int64_t size, int64_t grid_size, int64_t grid_rank)
{
    if (size < 0 || grid_size < 1)
        return DAP_EINVAL;
    if (grid_rank < 0 || grid_rank >= grid_size)
        return DAP_ERANGE;
    *d = (struct dap_dim){ .dist_type = type, .size = size, .proc_grid_size = grid_size, .proc_grid_rank = grid_rank };
    return DAP_OK;
}

/* The first of n chunks of a rank, when the first n mod P ranks have one more. */
static int64_t first_chunk(int64_t n, int64_t grid_size, int64_t grid_rank)
{
    return n / grid_size * grid_rank + drxi_min(grid_rank, n % grid_size);
}

int dap_block(int64_t size, int64_t chunk, int64_t grid_size, int64_t grid_rank, struct dap_dim *out)
{
    struct dap_dim d;
    const int status = chunk < 1 ? DAP_EINVAL : begin_dimension(&d, 'b', size, grid_size, grid_rank);
    int64_t n;

    if (status)
        return status;
    n = drxi_ceil_div(size, chunk);
    d.start = drxi_min(drxi_mul_saturated(first_chunk(n, grid_size, grid_rank), chunk), size);
    d.stop = drxi_min(drxi_mul_saturated(first_chunk(n, grid_size, grid_rank + 1), chunk), size);
    *out = d;
    return DAP_OK;
}

int dap_irregular(const int64_t bounds[], int64_t grid_size, int64_t grid_rank, struct dap_dim *out)
{
    struct dap_dim d;
    int status;

    if (grid_size < 1 || bounds[0] != 0)
        return DAP_EINVAL;
    for (int64_t r = 0; r < grid_size; r++)
        if (bounds[r] > bounds[r + 1])
            return DAP_EINVAL;
    status = begin_dimension(&d, 'b', bounds[grid_size], grid_size, grid_rank);
    if (status)
        return status;
    d.start = bounds[grid_rank];
    d.stop = bounds[grid_rank + 1];
    *out = d;
    return DAP_OK;
}

int dap_cyclic(int64_t size, int64_t chunk, int64_t nchunks, int64_t grid_size, int64_t grid_rank, struct dap_dim *out)
{
    struct dap_dim d;
    const int status = chunk < 1 || nchunks < 1 ? DAP_EINVAL : begin_dimension(&d, 'c', size, grid_size, grid_rank);

    if (status)
        return status;
    if (!drxi_mul(chunk, nchunks, &d.block_size))
        return DAP_EOVERFLOW;
    if (!drxi_mul(grid_rank, d.block_size, &d.start))
        d.start = size; /* beyond it in any case */
    *out = d;
    return DAP_OK;
}

int dap_unstructured(int64_t size, int64_t n_indices, const int64_t indices[], uint32_t flags, int64_t grid_size,
                     int64_t grid_rank, struct dap_dim *out)
{
    const uint32_t known = DAP_DIM_ONE_TO_ONE;
    struct dap_dim d;
    int status;

    if (n_indices < 0 || n_indices > size || (n_indices > 0 && !indices) || (flags & ~known))
        return DAP_EINVAL;
    status = begin_dimension(&d, 'u', size, grid_size, grid_rank);
    if (status)
        return status;
    d.flags = flags;
    d.n_indices = n_indices;
    d.indices = indices;
    *out = d;
    return DAP_OK;
}

int dap_undistributed(int64_t size, struct dap_dim *out)
{
    struct dap_dim d;
    const int status = begin_dimension(&d, 'b', size, 1, 0);

    if (status)
        return status;
    d.flags = DAP_DIM_ALIAS;
    d.stop = size;
    *out = d;
    return DAP_OK;
}

int dap_pad(struct dap_dim *dim, int64_t before, int64_t after, uint32_t flags)
{
    const uint32_t known = DAP_DIM_PERIODIC;
    struct dap_dim d = *dim;

    if (!dapi_is_block(&d) || d.padding[0] || d.padding[1] || before < 0 || after < 0 || (flags & ~known))
        return DAP_EINVAL;
    d.padding[0] = before;
    d.padding[1] = after;
    if (dapi_shared_before(&d) > d.start || dapi_shared_after(&d) > d.size - d.stop)
        return DAP_ERANGE;
    if ((dapi_is_first(&d) && before > d.stop - d.start) || (dapi_is_last(&d) && after > d.stop - d.start))
        return DAP_ERANGE;
    d.start -= dapi_shared_before(&d);
    d.stop += dapi_shared_after(&d);
    d.flags = (d.flags & ~(uint32_t)DAP_DIM_ALIAS) | flags;
    *dim = d;
    return DAP_OK;
}
