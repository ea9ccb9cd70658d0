/* Ranks and their coordinates in the grid of processes, row-major. */
#include "dap/dap_internal.h"

int dap_grid_ranks(int ndim, const int64_t grid[], int64_t *nranks)
{
    int64_t product = 1;

    for (int axis = 0; axis < ndim; axis++) {
        if (grid[axis] < 1)
            return DAP_EINVAL;
        if (!drxi_mul(product, grid[axis], &product))
            return DAP_EOVERFLOW;
    }
    *nranks = product;
    return DAP_OK;
}

int dap_grid_rank(int ndim, const int64_t grid[], const int64_t coords[], int64_t *rank)
{
    int64_t nranks, sum = 0;
    const int status = dap_grid_ranks(ndim, grid, &nranks);

    if (status)
        return status;
    for (int axis = 0; axis < ndim; axis++) {
        if (coords[axis] < 0 || coords[axis] >= grid[axis])
            return DAP_ERANGE;
        sum = sum * grid[axis] + coords[axis]; /* below nranks */
    }
    *rank = sum;
    return DAP_OK;
}

int dap_grid_coords(int ndim, const int64_t grid[], int64_t rank, int64_t coords[])
{
    int64_t nranks;
    const int status = dap_grid_ranks(ndim, grid, &nranks);

    if (status)
        return status;
    if (rank < 0 || rank >= nranks)
        return DAP_ERANGE;
    for (int axis = ndim - 1; axis >= 0; axis--) {
        coords[axis] = rank % grid[axis];
        rank /= grid[axis];
    }
    return DAP_OK;
}
