/* A rank that makes no calls does not delay others that reach it by RMA if it has a progress thread, and never
 * delays those that reach it directly. */
#include <time.h>

#include "mp_spread.h"

enum { COUNT = 1000 };

static drxmp_darray *make(const char *way)
{
    assert_int_equal(setenv("DRXMP_ONESIDED", way, 1), 0);
    return mp_blocks(DRX_INT64, COUNT * mp_ranks);
}

/* The first rank gets from, puts to and counts on the last one, which makes no calls of MPI: `until_reached` until the
 * first one is through, which therefore must not need it, otherwise for a moment. */
static void reach_sleeper(drxmp_darray *d, bool until_reached)
{
    const int64_t count = COUNT, lo = COUNT * (mp_ranks - 1), at = lo;
    static int64_t buf[COUNT];

    (void)MPI_Barrier(mp_comm);
    if (mp_rank == 0 && mp_ranks > 1) {
        assert_ok(drxmp_darray_get(d, &lo, &count, DRX_ROW_MAJOR, buf));
        assert_ok(drxmp_darray_put(d, &lo, &count, DRX_ROW_MAJOR, buf));
        assert_ok(drxmp_darray_acc(d, &lo, &count, DRX_ROW_MAJOR, NULL, buf));
        assert_ok(drxmp_darray_fetch_add(d, &at, 1, NULL));
        assert_int_equal(mkdir("reached", 0777), 0);
    } else if (mp_rank == mp_ranks - 1) {
        do
            (void)nanosleep(&(struct timespec){ 0, until_reached ? 1000000 : 100000000 }, NULL);
        while (until_reached && mp_ranks > 1 && access("reached", F_OK) != 0);
    }
    assert_ok(drxmp_darray_sync(d));
    if (mp_rank == 0 && mp_ranks > 1)
        assert_int_equal(rmdir("reached"), 0);
    (void)MPI_Barrier(mp_comm);
}

static bool has_threads(void)
{
    return mp_thread_level == MPI_THREAD_MULTIPLE;
}

TEST(directly)
{
    drxmp_darray *d = make("direct");

    reach_sleeper(d, true);
    assert_ok(drxmp_darray_free(d));
}

TEST(without_a_thread)
{
    drxmp_darray *d = make("rma");

    reach_sleeper(d, false);
    assert_ok(drxmp_darray_free(d));
}

TEST(by_a_thread)
{
    for (int by_environment = 0; by_environment < 2; by_environment++) {
        drxmp_darray *d, *other;

        if (!has_threads())
            skip();
        if (by_environment)
            assert_int_equal(setenv("DRXMP_PROGRESS", "1", 1), 0);
        d = make("rma");
        other = make("1"); /* two who want it */
        assert_int_equal(unsetenv("DRXMP_PROGRESS"), 0);
        if (!by_environment) {
            assert_ok(drxmp_darray_progress(d, 1));
            assert_ok(drxmp_darray_progress(d, 1));
            assert_ok(drxmp_darray_progress(other, 1));
            assert_ok(drxmp_darray_progress(other, 0));
        }
        reach_sleeper(d, true);
        assert_ok(drxmp_darray_progress(d, 0));
        assert_ok(drxmp_darray_free(other));
        assert_ok(drxmp_darray_free(d));
    }
}

TEST(not_enough_threads)
{
    const struct dap_dim dim = mp_block(4);
    drxmp_darray *d;

    if (has_threads() || mp_ranks == 1)
        skip();
    d = make("rma");
    assert_fails(drxmp_darray_progress(d, 1), DRX_EUNSUPPORTED, "MPI_THREAD_MULTIPLE");
    assert_ok(drxmp_darray_free(d));
    assert_int_equal(setenv("DRXMP_PROGRESS", "1", 1), 0);
    assert_status(drxmp_darray_create(mp_comm, DRX_INT64, 1, &dim, DRX_ROW_MAJOR, &d), DRX_EUNSUPPORTED);
}
