/* This library: directly; and forced to use RMA inside a node, as it does between nodes. */
#include <drxmp.h>
#include <stdlib.h>
#include <string.h>

#include "bench_onesided.h"

static void *make(const struct mover *mover)
{
    struct dap_dim dims[2];
    drxmp_darray *d;

    (void)setenv("DRXMP_ONESIDED", mover == &mover_drx_rma ? "rma" : "direct", 1);
    for (int j = 0; j < 2; j++)
        check(dap_block(edge, 1, grid[j], j == 0 ? bench_rank / grid[1] : bench_rank % grid[1], &dims[j]), "dap_block");
    check(drxmp_darray_create(MPI_COMM_WORLD, DRX_FLOAT64, 2, dims, DRX_ROW_MAJOR, &d), drx_last_error());
    memset(drxmp_darray_local(d), 0,
           (size_t)(block_extent(0) * block_extent(1)) * sizeof(double)); /* or it is one page */
    return d;
}

static void drop(void *array)
{
    check(drxmp_darray_free(array), drx_last_error());
}

static void get(void *array, const int64_t lo[2], const int64_t count[2], double *buf)
{
    check(drxmp_darray_get(array, lo, count, DRX_ROW_MAJOR, buf), drx_last_error());
}

static void put(void *array, const int64_t lo[2], const int64_t count[2], const double *buf)
{
    check(drxmp_darray_put(array, lo, count, DRX_ROW_MAJOR, buf), drx_last_error());
}

static void acc(void *array, const int64_t lo[2], const int64_t count[2], const double *buf)
{
    check(drxmp_darray_acc(array, lo, count, DRX_ROW_MAJOR, NULL, buf), drx_last_error());
}

const struct mover mover_drx = { { .name = "drx" }, false, make, drop, get, put, acc, NULL };
const struct mover mover_drx_rma = { { .name = "drx-rma" }, true, make, drop, get, put, acc, NULL };
