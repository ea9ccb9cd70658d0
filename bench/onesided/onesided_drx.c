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

static void move(void *array, enum way way, const int64_t lo[2], const int64_t count[2], double *buf)
{
    const drx_order order = DRX_ROW_MAJOR;

    check(way == GET   ? drxmp_darray_get(array, lo, count, order, buf)
          : way == PUT ? drxmp_darray_put(array, lo, count, order, buf)
                       : drxmp_darray_acc(array, lo, count, order, NULL, buf),
          drx_last_error());
}

const struct mover mover_drx = { { .name = "drx" }, false, make, drop, move, NULL };
const struct mover mover_drx_rma = { { .name = "drx-rma" }, true, make, drop, move, NULL };
