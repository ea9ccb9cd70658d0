/* Distributed arrays, when memory runs out on one rank: all ranks get the same status, and what was there stays. */
#include "base/base.h"
#include "mp_spread.h"

enum { MOST_ALLOCATIONS = 200 };

static drxmp_array *a;
static drxmp_darray *d, *other;
static struct dap_dim dims[2];
static int64_t indices[8];

static drx_status create(void)
{
    drxmp_darray *made;
    const drx_status st = drxmp_darray_create(mp_comm, DRX_INT32, 2, dims, DRX_ROW_MAJOR, &made);

    if (st)
        assert_null(made);
    return st ? st : drxmp_darray_free(made);
}

static drx_status zones(void)
{
    drxmp_darray *made;
    const drx_status st = drxmp_darray_zones(a, NULL, NULL, DRX_ROW_MAJOR, &made);

    return st ? st : drxmp_darray_free(made);
}

static drx_status import(void)
{
    struct dap_array in;
    drxmp_darray *made;
    drx_status st;

    assert_ok(drxmp_darray_dap(d, &in));
    st = drxmp_darray_from_dap(mp_comm, &in, &made);
    dap_release(&in);
    return st ? st : drxmp_darray_free(made);
}

static drx_status read_sections(void)
{
    return drxmp_darray_read(d, a, NULL);
}

static drx_status write_sections(void)
{
    return drxmp_darray_write(d, a, NULL);
}

static drx_status redistribute(void)
{
    return drxmp_darray_redistribute(d, other);
}

static drx_status refresh(void)
{
    return drxmp_darray_sync(other);
}

/* The n-th allocation of the call fails on the last rank, for n = 1, 2, ... until the call gets by with fewer. */
static void fail_each(drx_status (*call)(void))
{
    int64_t n = 1;

    for (; n < MOST_ALLOCATIONS; n++) {
        drx_status st, roots;
        int fired;

        drxi_fail_allocation = mp_rank == mp_ranks - 1 ? n : 0;
        st = call();
        fired = drxi_fail_allocation == 0;
        drxi_fail_allocation = 0;
        roots = st;
        (void)MPI_Bcast(&roots, 1, MPI_INT, 0, mp_comm);
        assert_int_equal(st, roots);
        (void)MPI_Bcast(&fired, 1, MPI_INT, mp_ranks - 1, mp_comm);
        if (!fired)
            break;
        assert_true(st == DRX_ENOMEM || st == DRX_OK); /* some are only of use */
    }
    assert_true(n > 1 && n < MOST_ALLOCATIONS);
    assert_ok(call());
}

TEST(out_of_memory)
{
    static const int64_t chunk[2] = { 2, 3 };
    const int64_t shape[2] = { 8 * mp_ranks, 6 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };
    struct dap_dim padded[2];

    for (int64_t i = 0; i < 8; i++)
        indices[i] = (mp_rank + 3 * i * mp_ranks) % (8 * mp_ranks);
    assert_int_equal(dap_unstructured(8 * mp_ranks, 8, indices, DAP_DIM_ONE_TO_ONE, mp_ranks, mp_rank, &dims[0]),
                     DAP_OK);
    assert_int_equal(dap_undistributed(6, &dims[1]), DAP_OK);
    assert_int_equal(dap_block(8 * mp_ranks, 1, mp_ranks, mp_rank, &padded[0]), DAP_OK);
    assert_int_equal(dap_pad(&padded[0], 2, 2, DAP_DIM_PERIODIC), DAP_OK);
    padded[1] = dims[1];
    assert_ok(drxmp_create(mp_comm, "short", &spec, &a));
    assert_ok(drxmp_darray_create(mp_comm, DRX_INT32, 2, dims, DRX_ROW_MAJOR, &d));
    assert_ok(drxmp_darray_create(mp_comm, DRX_INT32, 2, padded, DRX_ROW_MAJOR, &other));
    fail_each(create);
    fail_each(zones);
    fail_each(import);
    fail_each(write_sections);
    fail_each(read_sections);
    fail_each(redistribute);
    fail_each(refresh);
    assert_ok(drxmp_darray_free(d));
    assert_ok(drxmp_darray_free(other));
    assert_ok(drxmp_close(a));
}
