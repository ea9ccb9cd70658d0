/* This library: directly; and forced to use RMA inside a node, as it does between nodes. */
#include <drxmp.h>
#include <stdlib.h>

#include "bench_onesided.h"

static drxmp_darray *near, *far;

static drxmp_darray *make(const char *way)
{
    struct dap_dim dims[2];
    drxmp_darray *d;

    (void)setenv("DRXMP_ONESIDED", way, 1);
    for (int j = 0; j < 2; j++)
        check(dap_block(edge, 1, grid[j], j == 0 ? rank / grid[1] : rank % grid[1], &dims[j]), "dap_block");
    check(drxmp_darray_create(MPI_COMM_WORLD, DRX_FLOAT64, 2, dims, DRX_ROW_MAJOR, &d), drx_last_error());
    return d;
}

static void make_near(void)
{
    near = make("direct");
}

static void make_far(void)
{
    far = make("rma");
}

static void drop_near(void)
{
    check(drxmp_darray_free(near), drx_last_error());
}

static void drop_far(void)
{
    check(drxmp_darray_free(far), drx_last_error());
}

static void get_near(const int64_t lo[2], const int64_t count[2], double *buf)
{
    check(drxmp_darray_get(near, lo, count, DRX_ROW_MAJOR, buf), drx_last_error());
}

static void put_near(const int64_t lo[2], const int64_t count[2], const double *buf)
{
    check(drxmp_darray_put(near, lo, count, DRX_ROW_MAJOR, buf), drx_last_error());
}

static void acc_near(const int64_t lo[2], const int64_t count[2], const double *buf)
{
    check(drxmp_darray_acc(near, lo, count, DRX_ROW_MAJOR, NULL, buf), drx_last_error());
}

static void get_far(const int64_t lo[2], const int64_t count[2], double *buf)
{
    check(drxmp_darray_get(far, lo, count, DRX_ROW_MAJOR, buf), drx_last_error());
}

static void put_far(const int64_t lo[2], const int64_t count[2], const double *buf)
{
    check(drxmp_darray_put(far, lo, count, DRX_ROW_MAJOR, buf), drx_last_error());
}

static void acc_far(const int64_t lo[2], const int64_t count[2], const double *buf)
{
    check(drxmp_darray_acc(far, lo, count, DRX_ROW_MAJOR, NULL, buf), drx_last_error());
}

const struct peer peer_drx = { "drx", false, make_near, drop_near, get_near, put_near, acc_near };
const struct peer peer_drx_rma = { "drx-rma", true, make_far, drop_far, get_far, put_far, acc_far };
