/* Memory runs out on one rank of a distributed array. All ranks get the same status, and the elements stay. */
#include "mp_spread.h"

enum { MOST_ALLOCATIONS = 200 };

static drxmp_array *a;
static drxmp_darray *d, *other;
static struct dap_dim dims[2];

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
    const int last = mp_ranks - 1;
    bool fired = true;
    long n = 0;

    while (fired) {
        drx_status st;

        mp_arm(MP_ALLOCATION, last, ++n);
        st = call();
        fired = mp_disarm(MP_ALLOCATION, last);
        mp_assert_alike(st, n);
        assert_true(st == DRX_OK || (fired && st == DRX_ENOMEM)); /* some are only of use */
        assert_true(n < MOST_ALLOCATIONS);
    }
    assert_true(n > 1);
    assert_ok(call());
}

TEST(out_of_memory)
{
    static drx_status (*const calls[])(void) = { create,        zones,        import, write_sections,
                                                 read_sections, redistribute, refresh };
    static const int64_t chunk[2] = { 2, 3 };
    const int64_t shape[2] = { 8 * mp_ranks, 6 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };
    struct dap_dim padded[2] = { mp_block(8 * mp_ranks), mp_undistributed(6) };
    int64_t indices[8];

    for (int64_t i = 0; i < 8; i++)
        indices[i] = (mp_rank + 3 * i * mp_ranks) % (8 * mp_ranks);
    dims[0] = mp_listed(8 * mp_ranks, 8, indices, DAP_DIM_ONE_TO_ONE);
    dims[1] = padded[1];
    assert_int_equal(dap_pad(&padded[0], 2, 2, DAP_DIM_PERIODIC), DAP_OK);
    a = mp_create("short", &spec);
    d = mp_darray(DRX_INT32, 2, dims, DRX_ROW_MAJOR);
    other = mp_darray(DRX_INT32, 2, padded, DRX_ROW_MAJOR);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        print_message("call %zu\n", i);
        fail_each(calls[i]);
    }
    assert_ok(drxmp_darray_free(d));
    assert_ok(drxmp_darray_free(other));
    assert_ok(drxmp_close(a));
}
