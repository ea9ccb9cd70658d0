/* One rank's n-th file call, or n-th allocation, fails, for n = 1, 2, ... until none is left to fail: every rank gets
 * the same status, none hangs, and the files hold what was there before the call or what it was to bring. */
#include <errno.h>

#include "io/io.h"
#include "mp_testing.h"

enum { ROWS = 40, COLUMNS = 40, ROOM = ROWS * COLUMNS, STEPS = 12 };

/* The array as it should be: elements outside the bounds are fill. */
struct model {
    int64_t shape[2];
    int32_t element[ROOM];
};

static struct model before, after;
static int32_t fill;
static drxmp_array *m;

static void set(int64_t i, int64_t j, int32_t value)
{
    after.element[i * COLUMNS + j] = value;
}

/* ---- the steps ---------------------------------------------------------------------------- */

static drx_status make(void)
{
    static const int64_t shape[2] = { 6, 7 }, chunk[2] = { 4, 5 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .fill = &fill };

    memcpy(after.shape, shape, sizeof shape);
    return drxmp_create(mp_comm, "faults", &spec, &m);
}

/* Columns of the whole, in parts that share chunks; each rank's begins with `first` + 1000 * rank. */
static drx_status write_columns(int32_t first, bool request)
{
    const int64_t *shape = after.shape;
    int64_t lo[2] = { 0, 0 }, count[2] = { shape[0], 0 };
    int32_t buf[ROOM];
    drx_request *r;
    drx_status st;

    for (int rank = 0; rank < mp_ranks; rank++) {
        const int64_t from = shape[1] * rank / mp_ranks, to = shape[1] * (rank + 1) / mp_ranks;

        for (int64_t i = 0; i < shape[0]; i++)
            for (int64_t j = from; j < to; j++) {
                const int32_t value = first + 1000 * rank + (int32_t)(i * (to - from) + j - from);

                set(i, j, value);
                if (rank == mp_rank)
                    buf[i * (to - from) + j - from] = value;
            }
        if (rank == mp_rank) {
            lo[1] = from;
            count[1] = to - from;
        }
    }
    if (!request)
        return drxmp_write_all(m, lo, count, DRX_ROW_MAJOR, buf);
    st = drxmp_iwrite_all(m, &(drx_box){ .lo = lo, .count = count }, buf, &r);
    return st ? st : drx_wait(r);
}

static drx_status grow(int axis, int64_t by)
{
    after.shape[axis] += by;
    return drxmp_extend(m, axis, by);
}

static drx_status append(void)
{
    const int64_t by = 5, bound = after.shape[0], width = after.shape[1];
    const int64_t from = width * mp_rank / mp_ranks, to = width * (mp_rank + 1) / mp_ranks;
    const int64_t lo[2] = { bound, from }, count[2] = { by, to - from };
    int32_t buf[ROOM];

    after.shape[0] += by;
    for (int64_t i = 0; i < by; i++)
        for (int64_t j = 0; j < width; j++) {
            set(bound + i, j, (int32_t)(5000 + i * 100 + j));
            if (j >= from && j < to)
                buf[i * (to - from) + j - from] = (int32_t)(5000 + i * 100 + j);
        }
    return drxmp_append_all(m, 0, by, lo, count, DRX_ROW_MAJOR, buf);
}

static drx_status write_interleaved(void)
{
    const int64_t n = (after.shape[1] - mp_rank + mp_ranks - 1) / mp_ranks;
    const int64_t lo[2] = { 1, mp_rank }, count[2] = { 3, n }, step[2] = { 2, mp_ranks }, stride[2] = { n, 1 };
    int32_t buf[ROOM];

    for (int64_t i = 0; i < 3; i++)
        for (int64_t j = 0; j < after.shape[1]; j++)
            set(1 + 2 * i, j, (int32_t)(7000 + i * 100 + j));
    for (int64_t i = 0; i < 3; i++)
        for (int64_t k = 0; k < n; k++)
            buf[i * n + k] = (int32_t)(7000 + i * 100 + mp_rank + k * mp_ranks);
    return drxmp_write_box_all(m, &(drx_box){ .lo = lo, .count = count, .step = step, .stride = stride }, buf);
}

static drx_status read_back(void)
{
    const int64_t lo[2] = { 0, 0 };
    int32_t buf[ROOM];
    drx_status st = drxmp_read_all(m, lo, after.shape, DRX_ROW_MAJOR, buf);

    for (int64_t i = 0; !st && i < after.shape[0]; i++)
        for (int64_t j = 0; j < after.shape[1]; j++)
            assert_int_equal(buf[i * after.shape[1] + j], after.element[i * COLUMNS + j]);
    return st;
}

static drx_status one_io_rank(void)
{
    MPI_Info info;
    drx_status st;

    assert_int_equal(MPI_Info_create(&info), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(info, "drx_io_ranks", "1"), MPI_SUCCESS);
    st = drxmp_set_info(m, info);
    assert_int_equal(MPI_Info_free(&info), MPI_SUCCESS);
    return st ? st : write_columns(200, false);
}

static drx_status close_all(void)
{
    drxmp_array *closing = m;

    m = NULL;
    return drxmp_close(closing);
}

static drx_status play(int step)
{
    switch (step) {
    case 0:
        return make();
    case 1:
        return write_columns(100, false);
    case 2:
        return grow(1, 6);
    case 3:
        return append();
    case 4:
        return drxmp_attr_set_text(m, "units", "K");
    case 5:
        return write_interleaved();
    case 6:
        return drxmp_sync(m);
    case 7:
        return grow(0, 3);
    case 8:
        return write_columns(300, true);
    case 9:
        return read_back();
    case 10:
        return one_io_rank();
    default:
        return close_all();
    }
}

/* ---- what is left ------------------------------------------------------------------------------ */

static void check_elements(drx_array *a)
{
    const int64_t lo[2] = { 0, 0 }, *shape = drx_shape(a);
    int32_t buf[ROOM];

    assert_ok(drx_read(a, lo, shape, DRX_ROW_MAJOR, buf));
    for (int64_t i = 0; i < shape[0]; i++)
        for (int64_t j = 0; j < shape[1]; j++) {
            const int64_t at = i * COLUMNS + j;
            const int32_t value = buf[i * shape[1] + j];

            assert_true(value == before.element[at] || value == after.element[at]);
        }
}

/* The files, on rank 0: they open, and nothing comes to light when they grow. */
static void check_files(int failed, bool persistent)
{
    drx_array *a;
    drx_status st;

    if (mp_rank == 0 && failed == 0) {
        if (!persistent) /* where every call fails, so does the one that removes it */
            assert_int_equal(access("faults.xmd", F_OK), -1);
        (void)unlink("faults.xmd");
        (void)unlink("faults.xta");
    } else if (mp_rank == 0) {
        st = drx_open("faults", DRX_RDWR, &a);
        assert_ok(st);
        if (memcmp(drx_shape(a), before.shape, sizeof before.shape) != 0)
            assert_memory_equal(drx_shape(a), after.shape, sizeof after.shape);
        check_elements(a);
        if (memcmp(drx_shape(a), before.shape, sizeof before.shape) == 0)
            memcpy(after.shape, before.shape, sizeof before.shape);
        for (int64_t at = 0; at < ROOM; at++) /* what is new from here on is fill */
            if (at / COLUMNS >= after.shape[0] || at % COLUMNS >= after.shape[1])
                before.element[at] = after.element[at] = fill;
        assert_ok(drx_extend(a, 0, 9));
        assert_ok(drx_extend(a, 1, 9));
        check_elements(a);
        assert_ok(drx_close(a));
        assert_ok(drx_remove("faults"));
    }
    (void)MPI_Barrier(mp_comm);
}

static void assert_alike(drx_status st, int step)
{
    int low = st, high = st;

    (void)MPI_Allreduce(MPI_IN_PLACE, &low, 1, MPI_INT, MPI_MIN, mp_comm);
    (void)MPI_Allreduce(MPI_IN_PLACE, &high, 1, MPI_INT, MPI_MAX, mp_comm);
    if (low != high)
        print_error("step %d: status %d on this rank, from %d to %d on others; %s\n", step, (int)st, low, high,
                    drx_last_error());
    assert_int_equal(low, high);
    if (st)
        assert_true(strlen(drx_last_error()) > 0);
}

/* ---- the faults ------------------------------------------------------------------------------------ */

enum kind { CALL, CALLS, ALLOCATION };

static void arm(enum kind kind, long n)
{
    if (kind == ALLOCATION)
        drxi_fail_allocation = n;
    else
        drxi_fault_arm(n, kind == CALLS ? ENOSPC : EIO, kind == CALLS);
}

static bool disarm(enum kind kind, long n)
{
    const bool fired = kind == ALLOCATION ? n > 0 && drxi_fail_allocation == 0 : drxi_fault_fired();

    drxi_fail_allocation = 0;
    drxi_fault_arm(0, 0, false);
    return fired;
}

/* Play with the n-th fault of `culprit`; false when it did not come to that. */
static bool play_with_fault(enum kind kind, int culprit, long n)
{
    int failed = -1, fired;

    for (int i = 0; i < ROOM; i++)
        after.element[i] = fill;
    before = after;
    m = NULL;
    drxi_fault_arm(0, 0, false);
    if (mp_rank == culprit)
        arm(kind, n);
    for (int step = 0; step < STEPS && failed < 0; step++) {
        drx_status st;

        before = after;
        st = play(step);
        if (st)
            failed = step;
        assert_alike(st, step);
    }
    fired = mp_rank == culprit && disarm(kind, n);
    (void)MPI_Bcast(&fired, 1, MPI_INT, culprit, mp_comm);
    (void)drxmp_close(m);
    check_files(failed, kind == CALLS);
    return fired;
}

static void fail_in_turn(enum kind kind)
{
    const int culprits[] = { 0, mp_ranks - 1 };

    for (int c = 0; c < (mp_ranks > 1 ? 2 : 1); c++) {
        long n = 0;

        while (play_with_fault(kind, culprits[c], ++n))
            ;
        print_message("rank %d: %ld in turn\n", culprits[c], n - 1);
        assert_true(n > (c ? 5 : 20));
    }
}

TEST(one_call)
{
    fill = 0;
    fail_in_turn(CALL);
}

TEST(one_call_with_fill)
{
    fill = -7;
    fail_in_turn(CALL);
}

TEST(all_calls)
{
    fill = -7;
    fail_in_turn(CALLS);
}

TEST(allocations)
{
    fill = -7;
    fail_in_turn(ALLOCATION);
}
