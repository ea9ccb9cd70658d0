/* A failure on one rank, or an interruption, ends a copy on all and leaves no files. */
#include "base/hooks.h"
#include "layout/run/run.h"
#include "mp_copies.h"

static const int64_t to_chunk[2] = { 5, 4 };

/* After a failure there is nothing, or, where it came behind the last step, the copy. */
static void check_left(drx_status st)
{
    const int left = mp_count_files("to* .[a-z]*");

    assert_true(left == 2 || (st && left == 0));
    if (left == 2) {
        assert_int_equal(mp_count_files("to*"), 2);
        mp_assert_same_files("to", "alone");
        mp_remove("to");
    }
}

/* One rank's n-th file call, or allocation, fails. */
static bool copy_with_fault(drxmp_array *m, int culprit, long n, enum mp_fault fault, bool stays_open)
{
    const drx_copy_spec spec = { .chunk = to_chunk, .memory_bytes = 4000 };
    drxmp_array *to = NULL;
    drx_status st;
    bool fired;

    mp_arm(fault, culprit, n);
    st = drxmp_copy(m, "to", &spec, stays_open ? &to : NULL);
    fired = mp_disarm(fault, culprit);
    mp_assert_alike(st, n);
    assert_true(!st || *drx_last_error());
    assert_ok(drxmp_close(to));
    check_left(st);
    return fired;
}

static void fail_in_turn(int64_t first)
{
    const drx_copy_spec spec = { .chunk = to_chunk };
    drxmp_array *m;

    (void)mp_disarm(MP_CALL, 0);  /* from now on files are opened through the table that fails */
    drxi_hooks.way = DRXI_STAGED; /* by calls */
    drxi_hooks.never_direct = true;
    m = make_small("from", first, 24);
    copy_alone(m, &spec);
    for (int way = 0; way < (mp_ranks > 1 ? 8 : 4); way++) {
        const enum mp_fault fault = way & 1 ? MP_ALLOCATION : MP_CALL;
        const int culprit = way & 4 ? mp_ranks - 1 : 0;
        long n = mp_next(0), tried = 0;

        for (; copy_with_fault(m, culprit, n, fault, way & 2); n = mp_next(n))
            tried++;
        print_message("rank %d: %ld %s before the %ld-th\n", culprit, tried, fault == MP_CALL ? "calls" : "allocations",
                      n);
        assert_true(n > 2);
    }
    assert_ok(drxmp_close(m));
}

TEST(faults)
{
    fail_in_turn(0);
}

TEST(faults_from_elsewhere)
{
    fail_in_turn(-5);
}

struct seen {
    int64_t calls, stop_at, last, total;
};

static int count_calls(void *user, int64_t done, int64_t total)
{
    struct seen *seen = user;

    assert_int_equal(mp_rank, 0);
    assert_true(done >= seen->last && done <= total);
    seen->last = done;
    seen->total = total;
    return ++seen->calls == seen->stop_at;
}

static void interrupt(int64_t first)
{
    struct seen seen = { 0 };
    const drx_copy_spec spec = { .chunk = to_chunk, .memory_bytes = 4000, .progress = count_calls, .user = &seen };
    drxmp_array *m = make_small("from", first, 2000);
    int64_t calls;

    copy_alone(m, &spec);
    copy_and_compare(m, &spec, false);
    mp_remove("to");
    assert_true(mp_rank > 0 || (seen.calls > 0 && seen.last == seen.total));
    calls = seen.calls;
    (void)MPI_Bcast(&calls, 1, MPI_INT64_T, 0, mp_comm);
    for (int64_t i = 1; i <= calls; i += 1 + calls / 10) {
        seen = (struct seen){ .stop_at = i };
        assert_fails(drxmp_copy(m, "to", &spec, NULL), DRX_EINTERRUPTED, "rank 0: from: copying it was interrupted");
        assert_int_equal(seen.calls, mp_rank ? 0 : i);
        assert_int_equal(mp_count_files("to* .[a-z]*"), 0);
    }
    assert_ok(drxmp_close(m));
}

TEST(interrupts)
{
    interrupt(0);
}

TEST(interrupts_from_elsewhere)
{
    interrupt(7);
}
