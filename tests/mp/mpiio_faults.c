/* For n = 1, 2, ..., one rank's n-th call of MPI-IO fails, or does nothing and reports success. Every rank gets the
 * same status, none hangs, and what was stored before stays. No helper thread makes such a call. MPI's profiling
 * interface intercepts the calls. */
#include <pthread.h>
#include <stdatomic.h>

#include "array/array.h"
#include "base/hooks.h"
#include "base/work.h"
#include "mp_testing.h"

enum { ROWS = 96, COLUMNS = 300, GROWN = 10, ADDED = 6, ALL_ROWS = ROWS + GROWN + ADDED, STEPS = 11 };

static struct {
    bool silent;
    long left; /* 0: not armed */
    bool fired;
} fault;

static pthread_t caller;
static atomic_bool elsewhere; /* a call came from another thread */

/* Whether this call is the one. */
static bool strikes(void)
{
    const bool now = fault.left > 0 && --fault.left == 0;

    if (!pthread_equal(pthread_self(), caller))
        atomic_store(&elsewhere, true);
    fault.fired = fault.fired || now;
    return now;
}

static int code_of_fault(void)
{
    return fault.silent ? MPI_SUCCESS : MPI_ERR_IO;
}

/* A call has moved nothing. */
static int fail_to_move(MPI_Status *status)
{
    (void)MPI_Status_set_elements(status, MPI_BYTE, 0);
    return code_of_fault();
}

int MPI_File_read_at(MPI_File file, MPI_Offset offset, void *buf, int n, MPI_Datatype type, MPI_Status *status)
{
    return strikes() ? fail_to_move(status) : PMPI_File_read_at(file, offset, buf, n, type, status);
}

int MPI_File_write_at(MPI_File file, MPI_Offset offset, const void *buf, int n, MPI_Datatype type, MPI_Status *status)
{
    return strikes() ? fail_to_move(status) : PMPI_File_write_at(file, offset, buf, n, type, status);
}

/* Of those through a view the struck one takes part, too; with nothing to move it cannot fail. */
int MPI_File_read(MPI_File file, void *buf, int n, MPI_Datatype type, MPI_Status *status)
{
    return n > 0 && strikes() ? fail_to_move(status) : PMPI_File_read(file, buf, n, type, status);
}

int MPI_File_write(MPI_File file, const void *buf, int n, MPI_Datatype type, MPI_Status *status)
{
    return n > 0 && strikes() ? fail_to_move(status) : PMPI_File_write(file, buf, n, type, status);
}

int MPI_File_read_all(MPI_File file, void *buf, int n, MPI_Datatype type, MPI_Status *status)
{
    const bool struck = n > 0 && strikes();
    const int code = PMPI_File_read_all(file, buf, struck ? 0 : n, type, status);

    return struck ? fail_to_move(status) : code;
}

int MPI_File_write_all(MPI_File file, const void *buf, int n, MPI_Datatype type, MPI_Status *status)
{
    const bool struck = n > 0 && strikes();
    const int code = PMPI_File_write_all(file, buf, struck ? 0 : n, type, status);

    return struck ? fail_to_move(status) : code;
}

int MPI_File_set_size(MPI_File file, MPI_Offset bytes)
{
    return strikes() ? code_of_fault() : PMPI_File_set_size(file, bytes);
}

int MPI_File_get_size(MPI_File file, MPI_Offset *bytes)
{
    return strikes() ? MPI_ERR_IO : PMPI_File_get_size(file, bytes);
}

int MPI_File_sync(MPI_File file)
{
    return strikes() ? MPI_ERR_IO : PMPI_File_sync(file);
}

int MPI_File_set_view(MPI_File file, MPI_Offset at, MPI_Datatype etype, MPI_Datatype filetype, const char *rep,
                      MPI_Info info)
{
    const int code = PMPI_File_set_view(file, at, etype, filetype, rep, info);

    return strikes() ? MPI_ERR_IO : code;
}

int MPI_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file)
{
    if (comm == MPI_COMM_SELF && strikes())
        return MPI_ERR_NO_SUCH_FILE;
    return PMPI_File_open(comm, name, mode, info, file);
}

static drxmp_array *m;
static int32_t buf[ALL_ROWS * COLUMNS];

static const struct mp_box all = { { 0, 0 }, { ROWS, COLUMNS } };

static drx_status write_version(int version, int axis)
{
    const struct mp_box mine = mp_part(axis, all);

    mp_number_box(version, &mine, buf);
    return mp_write_all(m, &mine, buf);
}

static drx_status append(void)
{
    const struct mp_box mine = mp_part(1, (struct mp_box){ { ROWS + GROWN, 0 }, { ADDED, COLUMNS } });

    mp_number_box(3, &mine, buf);
    return drxmp_append_all(m, 0, ADDED, mine.lo, mine.count, DRX_ROW_MAJOR, buf);
}

enum how { TOGETHER, BEGUN, ALONE, ASYNC };

static drx_status read_back(enum how how)
{
    const drx_box box = { .lo = all.lo, .count = all.count };
    drx_request *r = NULL;
    drx_status st;

    memset(buf, 0, sizeof buf);
    if (how == TOGETHER)
        st = mp_read_all(m, &all, buf);
    else if (how == BEGUN)
        st = drxmp_iread_all(m, &box, buf, &r);
    else if (how == ALONE)
        st = drxmp_read(m, all.lo, all.count, DRX_ROW_MAJOR, buf);
    else
        st = drx_read_async(drxmp_serial(m), &box, buf, &r);
    if (r)
        st = drx_wait(r);
    if (how >= ALONE) /* the others hear of it here */
        (void)MPI_Allreduce(MPI_IN_PLACE, &st, 1, MPI_INT, MPI_MIN, mp_comm);
    if (!st)
        mp_assert_numbers(2, &all, buf);
    return st;
}

static drx_status use(const char *backend)
{
    return mp_set(m, "drx_backend=%s,drx_buffer=65536", backend);
}

static drx_status play(int step)
{
    switch (step) {
    case 0:
        return use("mpiio");
    case 1:
        return write_version(1, 1); /* columns: chunks are shared */
    case 2:
        return write_version(2, 0); /* rows: of most of them a rank has all */
    case 3:
        return read_back(TOGETHER);
    case 4:
        return drxmp_extend(m, 0, GROWN);
    case 5:
        return append();
    case 6:
        return read_back(BEGUN);
    case 7:
        return read_back(ALONE);
    case 8:
        return read_back(ASYNC);
    case 9:
        return drxmp_sync(m);
    default:
        return use("posix");
    }
}

static void make(void)
{
    const int64_t chunk[2] = { 12, 50 };
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT32, .shape = all.count, .chunk = chunk, .align = 1, .flags = DRX_REPLACE
    };

    m = mp_create("caught", &spec);
    assert_ok(use("posix"));
}

/* Of version 0 elements are the fill. */
static int32_t value(int version, int64_t i, int64_t j)
{
    return version ? mp_number(version, i, j) : 0;
}

/* What is in the file when that step has failed; STEPS: none has. */
static void check(int failed)
{
    const int64_t rows = failed <= 4 ? ROWS : failed == 5 ? ROWS + GROWN : ALL_ROWS;

    m = mp_open("caught", DRX_RDONLY);
    assert_ok(use("posix"));
    assert_int_equal(drx_shape(drxmp_serial(m))[0], rows);
    assert_ok(mp_read_all(m, &(struct mp_box){ { 0, 0 }, { rows, COLUMNS } }, buf));
    for (int64_t k = 0; k < rows * COLUMNS; k++) {
        const int64_t i = k / COLUMNS, j = k % COLUMNS;
        const int version = i >= ROWS + GROWN ? 3 : i >= ROWS || failed < 1 ? 0 : failed < 3 ? failed - 1 : 2;
        const bool writing = i < ROWS && (failed == 1 || failed == 2); /* then old or new */
        const bool right = buf[k] == value(version, i, j) || (writing && buf[k] == value(version + 1, i, j));

        if (!right)
            print_error("step %d: [%d, %d] is %d\n", failed, (int)i, (int)j, (int)buf[k]);
        assert_true(right);
    }
    assert_ok(drxmp_close(m));
}

/* Returns whether the n-th call was there to fail. */
static bool play_with_fault(bool silent, int culprit, long n)
{
    int failed = STEPS, fired;

    make();
    fault.silent = silent;
    fault.fired = false;
    fault.left = mp_rank == culprit ? n : 0;
    for (int step = 0; step < STEPS && failed == STEPS; step++) {
        const drx_status st = play(step);

        mp_assert_alike(st, step);
        if (st)
            failed = step;
    }
    fault.left = 0;
    fired = fault.fired;
    (void)MPI_Bcast(&fired, 1, MPI_INT, culprit, mp_comm);
    if ((failed < STEPS) != fired)
        print_error("call %ld of rank %d: %s\n", n, culprit, failed < STEPS ? "not reached" : "failed unnoticed");
    assert_int_equal(failed < STEPS, fired);
    assert_false(elsewhere);
    (void)drxmp_close(m);
    check(failed);
    return fired;
}

static void fail_in_turn(bool silent)
{
    caller = pthread_self();
    atomic_store(&elsewhere, false);
    drxi_hooks.shared_bytes = 1 << 12; /* so that helpers would take part */
    drxi_work_limit(4);
    for (int culprit = 0; culprit<mp_ranks; culprit += mp_ranks> 1 ? mp_ranks - 1 : 1) {
        long n = 0;

        while (play_with_fault(silent, culprit, ++n))
            ;
        print_message("rank %d: %ld in turn\n", culprit, n - 1);
        assert_true(n > 15);
    }
}

TEST(failing)
{
    fail_in_turn(false);
}

TEST(silent)
{
    fail_in_turn(true);
}
