/* Ranks that read an array beside a program outside the job that trims it: all get what they had, or DRX_ERANGE. The
 * program is a serial handle of rank 0. */
#include "base/hooks.h"
#include "drx_tools.h"
#include "drxmp_dataset.h"
#include "mp_testing.h"

enum { ROWS = 40, COLUMNS = 12, TRIMMED = 7 };

static drx_array *writer; /* on rank 0 */
static const struct mp_box all_of_it = { .lo = { 0, 0 }, .count = { ROWS, COLUMNS } };
static const struct mp_box left = { .lo = { TRIMMED, 0 }, .count = { ROWS - TRIMMED, COLUMNS } };
static const struct mp_box gone = { .lo = { TRIMMED - 1, 2 }, .count = { 1, 3 } };

static void create(unsigned flags)
{
    const int64_t shape[2] = { ROWS, COLUMNS }, chunk[2] = { 3, 5 };
    const int32_t fill = -1;
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .fill = &fill, .flags = DRX_REPLACE | flags
    };
    int32_t numbers[ROWS * COLUMNS];

    if (mp_rank == 0) {
        mp_number_box(0, &all_of_it, numbers);
        assert_ok(drx_create("watched", &spec, &writer));
        assert_ok(drx_write(writer, all_of_it.lo, all_of_it.count, DRX_ROW_MAJOR, numbers));
        assert_ok(drx_sync(writer));
    }
    (void)MPI_Barrier(mp_comm);
}

/* The freed chunks go back to the file system, and cells of others are used again. */
static void trim(int axis, int64_t before, int64_t after)
{
    if (mp_rank == 0) {
        assert_ok(drx_trim(writer, axis, before, after));
        assert_ok(drx_sync(writer));
        assert_ok(before ? drx_extend_before(writer, axis, before) : drx_extend(writer, axis, after));
    }
    (void)MPI_Barrier(mp_comm);
}

static void close_all(drxmp_array *m)
{
    assert_ok(drxmp_close(m));
    if (mp_rank == 0)
        assert_ok(drx_close(writer));
    (void)MPI_Barrier(mp_comm);
}

static void expect_alone(drxmp_array *m, const struct mp_box *b)
{
    int32_t buf[ROWS * COLUMNS];

    assert_ok(drxmp_read(m, b->lo, b->count, DRX_ROW_MAJOR, buf));
    mp_assert_numbers(0, b, buf);
}

static void expect_together(drxmp_array *m, const struct mp_box *b)
{
    int32_t buf[ROWS * COLUMNS];

    assert_ok(mp_read_all(m, b, buf));
    mp_assert_numbers(0, b, buf);
}

static void expect_refused_alone(drxmp_array *m, const struct mp_box *b)
{
    const drx_box box = mp_drx_box(b);
    drx_array *a = drxmp_serial(m);
    int32_t buf[ROWS * COLUMNS];
    drx_request *req;

    assert_fails(drxmp_read(m, b->lo, b->count, DRX_ROW_MAJOR, buf), DRX_ERANGE, "trim");
    assert_status(drx_get(a, b->lo, buf), DRX_ERANGE);
    assert_status(drx_read_points(a, 1, b->lo, buf), DRX_ERANGE);
    assert_ok(drx_read_async(a, &box, buf, &req));
    assert_status(drx_wait(req), DRX_ERANGE);
}

/* One rank reads what is gone; the others, what is left, or nothing. */
static void expect_refused_together(drxmp_array *m, int culprit)
{
    static const struct mp_box none;
    const struct mp_box *mine = mp_rank == culprit ? &gone : mp_rank % 2 ? &none : &left;
    const drx_box box = mp_drx_box(mine);
    int32_t buf[ROWS * COLUMNS];
    char who[32];
    drx_request *req;

    (void)snprintf(who, sizeof who, "rank %d: watched: axis 0", culprit);
    assert_fails(mp_read_all(m, mine, buf), DRX_ERANGE, who);
    assert_detail("are left by a trim");
    assert_ok(drxmp_iread_all(m, &box, buf, &req));
    assert_status(drx_wait(req), DRX_ERANGE);
}

static drxmp_array *open_with(const char *settings)
{
    drxmp_array *m = mp_open("watched", DRX_RDONLY);

    assert_ok(mp_set(m, "%s", settings));
    return m;
}

static const char *const ways[] = { "drx_backend=posix", "drx_io_ranks=1", "drx_backend=mpiio" };
enum { WAYS = sizeof ways / sizeof *ways };

TEST(a_trimmed_box_is_refused)
{
    for (int way = 0; way < 2 * WAYS; way++) {
        drxmp_array *m;

        create(way % 2 ? DRX_CHECKSUM : 0);
        m = open_with(ways[way / 2]);
        for (int i = 0; i < 20 * (way % 2); i++) /* the view of the log is a mapping by then */
            expect_together(m, &all_of_it);
        trim(0, TRIMMED, 0);
        for (int culprit = 0; culprit < mp_ranks; culprit++)
            expect_refused_together(m, culprit);
        expect_refused_alone(m, &gone);
        expect_together(m, &left);
        expect_alone(m, &left);
        assert_ok(drxmp_refresh(m));
        assert_int_equal(drx_lower(drxmp_serial(m))[0], 0);
        expect_together(m, &left);
        trim(0, TRIMMED, 0);
        expect_refused_alone(m, &gone);
        expect_refused_together(m, mp_ranks - 1);
        close_all(m);
    }
}

/* Ranks that have not read before notice it by themselves. */
TEST(each_rank_looks)
{
    for (int first = 0; first < mp_ranks; first++) {
        drxmp_array *m;

        create(0);
        m = mp_open("watched", DRX_RDONLY);
        trim(0, TRIMMED, 0);
        if (mp_rank == first)
            expect_refused_alone(m, &gone);
        (void)MPI_Barrier(mp_comm);
        if (mp_rank != first)
            expect_refused_alone(m, &gone);
        expect_alone(m, &left);
        close_all(m);
    }
}

/* A new log, which says where the trims are, and one that does not. */
TEST(a_log_that_is_replaced)
{
    drxmp_array *m;
    int32_t buf[ROWS * COLUMNS];

    create(0);
    m = mp_open("watched", DRX_RDONLY);
    if (mp_rank == 0)
        assert_ok(drx_compact(writer));
    trim(0, TRIMMED, 0);
    expect_refused_alone(m, &gone);
    expect_together(m, &left);
    trim(1, 0, 1);
    if (mp_rank == 0) {
        assert_ok(drx_compact(writer));
        assert_ok(drx_extend(writer, 0, 1));
        assert_ok(drx_compact(writer));
    }
    (void)MPI_Barrier(mp_comm);
    assert_fails(mp_read_all(m, &left, buf), DRX_ERANGE, "nobody can tell where");
    assert_fails(drxmp_read(m, left.lo, left.count, DRX_ROW_MAJOR, buf), DRX_ERANGE, "nobody can tell where");
    assert_ok(drxmp_refresh(m));
    assert_ok(mp_read_all(m, &left, buf));
    trim(0, TRIMMED, 0);
    expect_refused_alone(m, &gone);
    close_all(m);
}

TEST(a_new_axis)
{
    drxmp_array *m;

    create(0);
    m = mp_open("watched", DRX_RDONLY);
    if (mp_rank == 0) {
        assert_ok(drx_add_axis(writer, 0, "run"));
        assert_ok(drx_extend(writer, 0, 2));
    }
    (void)MPI_Barrier(mp_comm);
    expect_together(m, &all_of_it);
    trim(1, TRIMMED, 0); /* what was axis 0 */
    expect_refused_alone(m, &gone);
    expect_together(m, &left);
    assert_status(drxmp_refresh(m), DRX_EMISMATCH);
    expect_refused_together(m, 0);
    close_all(m);
}

/* Sections that take rows, and one that takes none of those that are gone. */
TEST(sections)
{
    const int grid[2] = { mp_ranks, 1 };
    const int64_t block[2] = { 1, 4 };

    for (int cyclic = 0; cyclic < 2; cyclic++) {
        drxmp_darray *d;
        drxmp_array *m;

        create(0);
        m = mp_open("watched", DRX_RDONLY);
        assert_ok(drxmp_darray_zones(m, grid, cyclic ? block : NULL, DRX_ROW_MAJOR, &d));
        assert_ok(drxmp_darray_read(d, m, NULL));
        trim(0, TRIMMED, 0);
        assert_fails(drxmp_darray_read(d, m, NULL), DRX_ERANGE, "rank 0: watched: axis 0");
        assert_ok(drxmp_darray_free(d));
        close_all(m);
    }
}

static int trim_once(void *user, int64_t done, int64_t total)
{
    bool *trimmed = user;

    (void)done, (void)total;
    if (!*trimmed) {
        assert_ok(drx_trim(writer, 0, TRIMMED, 0));
        assert_ok(drx_sync(writer));
    }
    *trimmed = true;
    return 0;
}

TEST(a_copy)
{
    const int64_t chunk[2] = { 4, 4 };
    bool trimmed = false;
    const drx_copy_spec spec = { .chunk = chunk, .memory_bytes = 4000, .progress = trim_once, .user = &trimmed };
    drxmp_array *m;

    create(0);
    m = mp_open("watched", DRX_RDONLY);
    assert_fails(drxmp_copy(m, "to", &spec, NULL), DRX_ERANGE, "watched: axis 0");
    assert_int_equal(mp_count_files("to* .[a-z]*"), 0);
    assert_ok(drxmp_refresh(m));
    assert_ok(drxmp_copy(m, "to", &spec, NULL));
    mp_remove("to");
    close_all(m);
}

/* A writer of the job keeps others away, and looks at nothing. */
TEST(a_writer)
{
    int32_t buf[ROWS * COLUMNS];
    drx_array *other;
    drxmp_array *m;

    create(0);
    if (mp_rank == 0)
        assert_ok(drx_close(writer));
    (void)MPI_Barrier(mp_comm);
    m = mp_open("watched", DRX_RDWR);
    if (mp_rank == 0)
        assert_status(drx_open("watched", DRX_RDWR, &other), DRX_EBUSY);
    assert_ok(drxmp_trim(m, 0, TRIMMED, 0));
    expect_together(m, &left);
    assert_fails(mp_read_all(m, &gone, buf), DRX_ERANGE, "the bounds are");
    assert_ok(drxmp_close(m));
}

/* Whatever fails, in the open or in a read after the trim, no rank gets other elements. Returns whether it failed. */
static bool read_with_fault(enum mp_fault fault, int culprit, long n)
{
    int32_t buf[ROWS * COLUMNS];
    drxmp_array *m = NULL;
    bool fired;
    drx_status st;

    create(0);
    mp_arm(fault, culprit, n);
    st = drxmp_open(mp_comm, "watched", DRX_RDONLY, &m);
    mp_assert_alike(st, n);
    fired = mp_disarm(fault, culprit);
    trim(0, TRIMMED, 0);
    if (m) {
        drx_status alone;

        mp_arm(fault, culprit, fired ? 0 : n);
        alone = drxmp_read(m, gone.lo, gone.count, DRX_ROW_MAJOR, buf);
        assert_true(alone == DRX_ERANGE || (alone && mp_rank == culprit));
        st = mp_read_all(m, &gone, buf);
        mp_assert_alike(st, n);
        assert_true(st);
        fired = mp_disarm(fault, culprit) || fired;
        expect_refused_alone(m, &gone);
    }
    close_all(m);
    return fired;
}

TEST(faults)
{
    (void)mp_disarm(MP_CALL, 0);  /* from now on files are opened through the table that fails */
    drxi_hooks.way = DRXI_STAGED; /* by calls */
    for (int way = 0; way < (mp_ranks > 1 ? 4 : 2); way++) {
        const enum mp_fault fault = way & 1 ? MP_ALLOCATION : MP_CALL;
        const int culprit = way & 2 ? mp_ranks - 1 : 0;
        long n = 1;

        while (read_with_fault(fault, culprit, n))
            n++;
        print_message("rank %d: %ld %s in turn\n", culprit, n - 1, fault == MP_CALL ? "calls" : "allocations");
        assert_true(n > 5);
    }
}

/* ---- the arrays of a dataset ------------------------------------------------ */

static drx_dataset *dataset; /* the writer's, on rank 0 */

static void make_dataset(void)
{
    static const char *const dims[2] = { "time", "x" };
    const int64_t shape[2] = { ROWS, COLUMNS }, chunk[2] = { 3, 5 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .dims = dims };
    int32_t numbers[ROWS * COLUMNS];
    drx_array *u;

    mp_number_box(0, &all_of_it, numbers);
    assert_ok(drx_dataset_create("many", &dataset));
    assert_ok(drx_dataset_add(dataset, "u", &spec, &u));
    assert_ok(drx_write(u, all_of_it.lo, all_of_it.count, DRX_ROW_MAJOR, numbers));
    assert_ok(drx_dataset_commit(dataset, "first"));
}

TEST(datasets)
{
    int32_t buf[ROWS * COLUMNS];
    drxmp_dataset *d;
    drxmp_array *u;

    if (mp_rank == 0)
        make_dataset();
    (void)MPI_Barrier(mp_comm);
    assert_ok(drxmp_dataset_open(mp_comm, "many", DRX_RDONLY, DRX_LAST, &d));
    assert_ok(drxmp_dataset_array(d, "u", &u));
    expect_together(u, &all_of_it);
    for (int64_t times = 1; times < 3; times++) {
        const struct mp_box row = { .lo = { times * TRIMMED - 1, 0 }, .count = { 1, COLUMNS } };
        const struct mp_box rest = { .lo = { times * TRIMMED, 0 }, .count = { ROWS - times * TRIMMED, COLUMNS } };

        if (mp_rank == 0) {
            assert_ok(drx_dataset_trim(dataset, "time", TRIMMED, 0));
            assert_ok(drx_dataset_commit(dataset, "trimmed"));
        }
        (void)MPI_Barrier(mp_comm);
        expect_refused_alone(u, &row);
        assert_fails(mp_read_all(u, &row, buf), DRX_ERANGE, "trim");
        expect_together(u, &rest);
        assert_ok(drxmp_dataset_refresh(d));
        assert_int_equal(drx_lower(drxmp_serial(u))[0], times * TRIMMED);
        expect_together(u, &rest);
    }
    assert_ok(drxmp_dataset_close(d));
    if (mp_rank == 0)
        assert_ok(drx_dataset_close(dataset));
    (void)MPI_Barrier(mp_comm);
}
