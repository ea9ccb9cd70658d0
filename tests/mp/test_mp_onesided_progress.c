/* A rank that makes no calls does not keep others waiting who reach it by RMA, when it has a thread for that; nor those
 * who reach it directly, at all. */
#include <time.h>

#include "mp_spread.h"

enum { COUNT = 1000 };

static const double asleep = 1.5, soon = 1.3; /* seconds */

static drxmp_darray *make(const char *way)
{
    struct dap_dim dim;
    drxmp_darray *d;

    assert_int_equal(setenv("DRXMP_ONESIDED", way, 1), 0);
    assert_int_equal(dap_block(COUNT * mp_ranks, 1, mp_ranks, mp_rank, &dim), DAP_OK);
    assert_ok(drxmp_darray_create(MPI_COMM_WORLD, DRX_INT64, 1, &dim, DRX_ROW_MAJOR, &d));
    return d;
}

/* Seconds that the first rank takes to get from, put to and count on the last one, which sleeps. */
static double reach_sleeper(drxmp_darray *d)
{
    const int64_t count = COUNT, lo = COUNT * (mp_ranks - 1), at = lo;
    static int64_t buf[COUNT];
    double start;

    (void)MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (mp_rank == mp_ranks - 1)
        (void)nanosleep(&(struct timespec){ (time_t)asleep, (long)((asleep - (double)(time_t)asleep) * 1e9) }, NULL);
    if (mp_rank == 0 && mp_ranks > 1) {
        assert_ok(drxmp_darray_get(d, &lo, &count, DRX_ROW_MAJOR, buf));
        assert_ok(drxmp_darray_put(d, &lo, &count, DRX_ROW_MAJOR, buf));
        assert_ok(drxmp_darray_acc(d, &lo, &count, DRX_ROW_MAJOR, NULL, buf));
        assert_ok(drxmp_darray_fetch_add(d, &at, 1, NULL));
    }
    start = MPI_Wtime() - start;
    assert_ok(drxmp_darray_sync(d));
    (void)MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return start;
}

static bool has_threads(void)
{
    return mp_thread_level == MPI_THREAD_MULTIPLE;
}

static void directly(void **state)
{
    drxmp_darray *d = make("direct");

    if (mp_ranks > 1)
        assert_true(reach_sleeper(d) < soon);
    assert_ok(drxmp_darray_free(d));
}

static void without_a_thread(void **state)
{
    drxmp_darray *d = make("rma");

    print_message("the sleeper was reached after %.2f s\n", reach_sleeper(d)); /* as MPI has it */
    assert_ok(drxmp_darray_free(d));
}

static void by_a_thread(void **state)
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
        if (mp_ranks > 1)
            assert_true(reach_sleeper(d) < soon);
        assert_ok(drxmp_darray_progress(d, 0));
        assert_ok(drxmp_darray_free(other));
        assert_ok(drxmp_darray_free(d));
    }
}

static void not_enough_threads(void **state)
{
    struct dap_dim dim;
    drxmp_darray *d;

    if (has_threads() || mp_ranks == 1)
        skip();
    d = make("rma");
    assert_status(drxmp_darray_progress(d, 1), DRX_EUNSUPPORTED);
    assert_detail("MPI_THREAD_MULTIPLE");
    assert_ok(drxmp_darray_free(d));
    assert_int_equal(setenv("DRXMP_PROGRESS", "1", 1), 0);
    assert_int_equal(dap_block(4, 1, mp_ranks, mp_rank, &dim), DAP_OK);
    assert_status(drxmp_darray_create(MPI_COMM_WORLD, DRX_INT64, 1, &dim, DRX_ROW_MAJOR, &d), DRX_EUNSUPPORTED);
    assert_int_equal(unsetenv("DRXMP_PROGRESS"), 0);
}

/* With DRX_TEST_SINGLE, without threads. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directly),
        cmocka_unit_test(without_a_thread),
        cmocka_unit_test(by_a_thread),
        cmocka_unit_test(not_enough_threads),
    };

    if (!getenv("DRX_TEST_SINGLE"))
        mp_thread_level = MPI_THREAD_MULTIPLE;
    return mp_main(tests);
}
