/* For n = 1, 2, ... (or some of them, mp_next), one rank's n-th file call or n-th allocation fails. Every rank gets the
 * same status, none hangs, and the files hold the elements from before the call or those that it writes. */
#include "mp/mp.h"
#include "mp_testing.h"

enum { ROWS = 40, COLUMNS = 40, ROOM = ROWS * COLUMNS, STEPS = 13 };

/* The array as it should be: elements outside the bounds are fill. */
struct model {
    int64_t shape[2];
    int32_t element[ROOM];
};

static struct model before, after;
static int32_t fill;
static drx_codec codec;
static bool in_memory; /* of the job: there are no files */
static drxmp_array *m;

static drx_status make(void)
{
    static const int64_t shape[2] = { 6, 7 }, chunk[2] = { 4, 5 };
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .fill = &fill, .codec = codec
    };

    memcpy(after.shape, shape, sizeof shape);
    return drxmp_create(mp_comm, in_memory ? NULL : "faults", &spec, &m);
}

/* The box gets the numbers of a version. `buf` gets those of this rank's columns, which share chunks with others'. */
static struct mp_box renumber(int version, struct mp_box whole, int32_t buf[])
{
    const struct mp_box mine = mp_part(1, whole);

    for (int64_t i = whole.lo[0]; i < whole.lo[0] + whole.count[0]; i++)
        for (int64_t j = 0; j < whole.count[1]; j++)
            after.element[i * COLUMNS + j] = mp_number(version, i, j);
    mp_number_box(version, &mine, buf);
    return mine;
}

static drx_status write_columns(int version, bool request)
{
    int32_t buf[ROOM];
    const struct mp_box mine = renumber(version, (struct mp_box){ { 0, 0 }, { after.shape[0], after.shape[1] } }, buf);
    drx_request *r;
    drx_status st;

    if (!request || codec) /* requests do not write to compressed arrays */
        return mp_write_all(m, &mine, buf);
    st = drxmp_iwrite_all(m, &(drx_box){ .lo = mine.lo, .count = mine.count }, buf, &r);
    return st ? st : drx_wait(r);
}

static drx_status grow(int axis, int64_t by)
{
    after.shape[axis] += by;
    return drxmp_extend(m, axis, by);
}

struct pieces {
    struct mp_box mine; /* of the slab */
    int32_t buf[ROOM];
};

/* Two rows at a time. */
static drx_status next_piece(void *with, int64_t done, int64_t *n, int64_t lo[], int64_t count[], const void **buf)
{
    const struct pieces *p = with;
    const int64_t left = p->mine.count[0] - done;

    memcpy(lo, p->mine.lo, sizeof p->mine.lo);
    memcpy(count, p->mine.count, sizeof p->mine.count);
    *n = count[0] = left < 2 ? left : 2;
    lo[0] += done;
    *buf = p->buf + done * count[1];
    return DRX_OK;
}

static drx_status append(int64_t by, bool in_pieces)
{
    struct pieces p;

    p.mine = renumber(4, (struct mp_box){ { after.shape[0], 0 }, { by, after.shape[1] } }, p.buf);
    after.shape[0] += by;
    return in_pieces ? drxmp_append_pieces(m, 0, by, DRX_ROW_MAJOR, next_piece, &p)
                     : drxmp_append_all(m, 0, by, p.mine.lo, p.mine.count, DRX_ROW_MAJOR, p.buf);
}

static drx_status write_interleaved(void)
{
    const int64_t n = (after.shape[1] - mp_rank + mp_ranks - 1) / mp_ranks;
    const int64_t lo[2] = { 1, mp_rank }, count[2] = { 3, n }, step[2] = { 2, mp_ranks };
    int32_t buf[ROOM];

    for (int64_t i = 0; i < 3; i++)
        for (int64_t j = 0; j < after.shape[1]; j++) {
            const int32_t value = mp_number(5, i, j);

            after.element[(1 + 2 * i) * COLUMNS + j] = value;
            if (j % mp_ranks == mp_rank)
                buf[i * n + j / mp_ranks] = value;
        }
    return drxmp_write_box_all(m, &(drx_box){ .lo = lo, .count = count, .step = step }, buf);
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
    const drx_status st = mp_set(m, "drx_io_ranks=1");

    return st ? st : write_columns(2, false);
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
        return write_columns(1, false);
    case 2:
        return grow(1, 6);
    case 3:
        return append(5, false);
    case 4:
        return drxmp_attr_set_text(m, "units", "K");
    case 5:
        return write_interleaved();
    case 6:
        return drxmp_sync(m);
    case 7:
        return grow(0, 3);
    case 8:
        return write_columns(3, true);
    case 9:
        return append(5, true);
    case 10:
        return read_back();
    case 11:
        return one_io_rank();
    default:
        return close_all();
    }
}

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
        (void)unlink("faults.xct");
        (void)unlink("faults.xtz");
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

/* The array in memory that a failure has left, if any: it has the elements from before the call or those that it
 * writes, and nothing comes to light when it grows. */
static void check_memory(void)
{
    drx_status st;

    if (!m)
        return;
    check_elements(drxmp_serial(m));
    (void)MPI_Barrier(mp_comm);
    if (memcmp(drx_shape(drxmp_serial(m)), before.shape, sizeof before.shape) != 0)
        assert_memory_equal(drx_shape(drxmp_serial(m)), after.shape, sizeof after.shape);
    else
        memcpy(after.shape, before.shape, sizeof before.shape);
    for (int64_t at = 0; at < ROOM; at++)
        if (at / COLUMNS >= after.shape[0] || at % COLUMNS >= after.shape[1])
            before.element[at] = after.element[at] = fill;
    st = drxmp_extend(m, 0, 9);
    mp_assert_alike(st, 0);
    if (!st) { /* otherwise the failure could not be undone */
        assert_ok(drxmp_extend(m, 1, 9));
        check_elements(drxmp_serial(m));
    }
    (void)MPI_Barrier(mp_comm);
}

/* Play with the n-th fault of `culprit`; false when it did not come to that. */
static bool play_with_fault(enum mp_fault fault, int culprit, long n)
{
    int failed = -1;
    bool fired;

    for (int i = 0; i < ROOM; i++)
        after.element[i] = fill;
    before = after;
    m = NULL;
    (void)mp_disarm(MP_CALL, 0);
    mp_arm(fault, culprit, n);
    for (int step = 0; step < STEPS && failed < 0; step++) {
        drx_status st;

        before = after;
        st = play(step);
        if (st)
            failed = step;
        mp_assert_alike(st, step);
        assert_true(!st || *drx_last_error());
        if (m)
            mp_assert_epochs(m);
    }
    fired = mp_disarm(fault, culprit);
    if (in_memory)
        check_memory();
    (void)drxmp_close(m);
    if (!in_memory)
        check_files(failed, fault == MP_CALLS);
    return fired;
}

static void fail_in_turn(enum mp_fault fault, int32_t with_fill, long least)
{
    fill = with_fill;
    for (int c = 0; c < (mp_ranks > 1 ? 2 : 1); c++) {
        const int culprit = c ? mp_ranks - 1 : 0;
        long n = mp_next(0), tried = 0;

        for (; play_with_fault(fault, culprit, n); n = mp_next(n))
            tried++;
        print_message("rank %d: %ld before the %ld-th\n", culprit, tried, n);
        assert_true(n > (c && least > 5 ? 5 : least));
    }
}

TEST(one_call)
{
    fail_in_turn(MP_CALL, 0, 20);
}

TEST(one_call_with_fill)
{
    fail_in_turn(MP_CALL, -7, 20);
}

TEST(all_calls)
{
    fail_in_turn(MP_CALLS, -7, 20);
}

TEST(allocations)
{
    fail_in_turn(MP_ALLOCATION, -7, 20);
}

static void fail_compressed(enum mp_fault fault, int32_t with_fill)
{
    codec = DRX_LZ4;
    fail_in_turn(fault, with_fill, 20);
    codec = DRX_RAW;
}

TEST(one_call_of_a_compressed_array)
{
    fail_compressed(MP_CALL, 0);
}

TEST(all_calls_of_a_compressed_array)
{
    fail_compressed(MP_CALLS, -7);
}

TEST(allocations_of_a_compressed_array)
{
    fail_compressed(MP_ALLOCATION, -7);
}

/* On one node, and as if every rank had a node to itself. */
static void fail_in_memory(enum mp_fault fault, int32_t with_fill, long least)
{
    in_memory = true;
    drxi_job_least_bytes = 1;
    for (int far = 0; far < 2; far++) {
        assert_int_equal(setenv("DRXMP_ONESIDED", far ? "1" : "direct", 1), 0);
        fail_in_turn(fault, with_fill, least);
    }
    drxi_job_least_bytes = 1 << 20;
    in_memory = false;
}

TEST(one_call_in_memory)
{
    fail_in_memory(MP_CALL, 0, 5);
}

TEST(all_calls_in_memory)
{
    fail_in_memory(MP_CALLS, -7, 5);
}

TEST(allocations_in_memory)
{
    fail_in_memory(MP_ALLOCATION, -7, 20);
}
