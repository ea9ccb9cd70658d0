/* Memory runs out on one rank of a distributed array. All ranks get the same status, and the elements stay. */
#include "mp_spread.h"

enum { MOST_ALLOCATIONS = 200 };

static drxmp_array *a;
static drxmp_darray *d, *other, *refreshed, *added;
static struct dap_dim dims[2], shared_dims[2];

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

static drx_status refresh_ghosts(void)
{
    return drxmp_darray_sync(refreshed);
}

static drx_status add_ghosts(void)
{
    return drxmp_darray_sync_add(added);
}

/* A darray whose ghosts the first call has to find, each time. */
static drx_status add_first(void)
{
    drxmp_darray *made;
    drx_status st = drxmp_darray_create(mp_comm, DRX_INT32, 2, shared_dims, DRX_COL_MAJOR, &made);

    if (st)
        return st;
    st = drxmp_darray_sync_add(made);
    assert_ok(drxmp_darray_free(made));
    return st;
}

/* Half of each rank's indices are the next one's, too; its elements along the other axis go round. */
enum { OWN = 6, ACROSS = 9 };

static drxmp_darray *share(int64_t indices[2 * OWN])
{
    drxmp_darray *made;
    int32_t *mem;

    for (int64_t i = 0; i < 2 * OWN; i++)
        indices[i] = (mp_rank * OWN + i * 5 % (2 * OWN)) % (mp_ranks * OWN + (mp_ranks == 1 ? OWN : 0));
    shared_dims[0] = mp_listed(2 * OWN * mp_ranks, 2 * OWN, indices, 0);
    shared_dims[1] = mp_undistributed(ACROSS);
    shared_dims[1].flags = DAP_DIM_PERIODIC;
    assert_int_equal(dap_pad(&shared_dims[1], 1, 2, DAP_DIM_PERIODIC), DAP_OK);
    made = mp_darray(DRX_INT32, 2, shared_dims, DRX_COL_MAJOR);
    mem = drxmp_darray_local(made);
    for (int i = 0; i < 2 * OWN * ACROSS; i++)
        mem[i] = 1;
    return made;
}

/* Each element has the sum of its ghosts, and of itself: of as many as there are of it. */
static void check_sums(drxmp_darray *made, int times)
{
    const int32_t *mem = drxmp_darray_local(made);

    for (int j = 0; j < ACROSS; j++)
        for (int i = 0; i < 2 * OWN; i++) {
            const int inner = (j - 1 + ACROSS - 3) % (ACROSS - 3); /* counted from the first inner one */
            const int here = 1 + (inner < 2) + (inner == ACROSS - 4), ranks = mp_ranks > 1 ? 2 : 1;
            int32_t expected = 1;

            for (int k = 0; k < times; k++)
                expected *= here * ranks;
            assert_int_equal(mem[j * 2 * OWN + i], expected);
        }
}

/* The n-th allocation of the call fails on the last rank, for n = 1, 2, ... until the call gets by with fewer. */
static void fail_each(drx_status (*call)(void))
{
    const int last = mp_ranks - 1;
    bool fired = true;
    long n = 0;

    while (fired) {
        drx_status st;

        n = mp_next(n);
        mp_arm(MP_ALLOCATION, last, n);
        st = call();
        fired = mp_disarm(MP_ALLOCATION, last);
        mp_assert_alike(st, n);
        assert_true(st == DRX_OK || (fired && st == DRX_ENOMEM)); /* some are only of use */
        assert_true(n < MOST_ALLOCATIONS);
    }
    assert_true(n > 1);
    assert_ok(call());
}

/* What fails changes nothing, and what succeeds in the end is right. */
TEST(out_of_memory_for_ghosts)
{
    int64_t indices[2 * OWN];

    refreshed = share(indices);
    fail_each(refresh_ghosts);
    check_sums(refreshed, 0);
    (void)setenv("DRXMP_ONESIDED", "off", 1);
    added = share(indices);
    fail_each(add_ghosts); /* it succeeds twice */
    check_sums(added, 2);
    fail_each(add_first);
    assert_ok(drxmp_darray_free(refreshed));
    assert_ok(drxmp_darray_free(added));
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
