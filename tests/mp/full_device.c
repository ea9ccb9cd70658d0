/* The device of the folder `small` of the launch has too little room for what the ranks write. All ranks get the error,
 * by each way to the data file, and no stored element is lost. */
#include "mp_testing.h"

enum { ROWS = 1024, COLUMNS = 1024, FIRST = 16 }; /* 4 MiB; of rows that there is room for */

static int32_t buf[ROWS * COLUMNS];

static const struct mp_box first = { { 0, 0 }, { FIRST, COLUMNS } };
static const struct mp_box all = { { 0, 0 }, { ROWS, COLUMNS } }, more = { { FIRST, 0 }, { ROWS, COLUMNS } };

static drxmp_array *create(const char *backend, int64_t rows, int32_t fill)
{
    const int64_t shape[2] = { rows, COLUMNS };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = first.count, .fill = &fill };
    drxmp_array *m = mp_create("../small/array", &spec);

    assert_ok(mp_set(m, "drx_backend=%s", backend));
    for (int k = 0; k < ROWS * COLUMNS; k++)
        buf[k] = 7;
    return m;
}

static void finish(drxmp_array *m)
{
    assert_ok(drxmp_close(m));
    mp_remove("../small/array");
}

static void check_first(drxmp_array *m)
{
    memset(buf, 0, sizeof *buf * FIRST * COLUMNS);
    assert_ok(mp_read_all(m, &first, buf));
    for (int k = 0; k < FIRST * COLUMNS; k++)
        assert_int_equal(buf[k], 7);
}

static void write_first(drxmp_array *m)
{
    const struct mp_box mine = mp_part(0, first);

    assert_ok(mp_write_all(m, &mine, buf));
}

static void writing(const char *backend)
{
    const struct mp_box rows = mp_part(0, all), columns = mp_part(1, all);
    drxmp_array *m = create(backend, ROWS, 0);
    drx_request *request;

    write_first(m);
    assert_status(mp_write_all(m, &rows, buf), DRX_ENOSPC);
    assert_status(drxmp_write_all(m, columns.lo, columns.count, DRX_COL_MAJOR, buf), DRX_ENOSPC);
    assert_ok(drxmp_iwrite_all(m, &(drx_box){ .lo = rows.lo, .count = rows.count }, buf, &request));
    assert_status(drx_wait(request), DRX_ENOSPC);
    check_first(m);
    if (mp_rank == mp_ranks - 1)
        assert_status(drxmp_write(m, all.lo, all.count, DRX_ROW_MAJOR, buf), DRX_ENOSPC);
    check_first(m);
    finish(m);
}

/* Growth with a fill that has to be written, or with data: undone, as if nothing had been. */
static void growing(const char *backend)
{
    const struct mp_box mine = mp_part(0, more);
    drxmp_array *m = create(backend, FIRST, 7);

    assert_status(drxmp_extend(m, 0, ROWS), DRX_ENOSPC);
    assert_status(drxmp_append_all(m, 0, ROWS, mine.lo, mine.count, DRX_ROW_MAJOR, buf), DRX_ENOSPC);
    assert_int_equal(drx_shape(drxmp_serial(m))[0], FIRST);
    assert_ok(drxmp_extend(m, 0, FIRST));
    assert_ok(drxmp_sync(m));
    assert_ok(drxmp_close(m));
    m = mp_open("../small/array", DRX_RDWR);
    assert_int_equal(drx_shape(drxmp_serial(m))[0], 2 * FIRST);
    check_first(m);
    finish(m);
}

/* The same with nothing to fill: the file has its length at once, and the data no room. */
static void appending(const char *backend)
{
    const struct mp_box mine = mp_part(0, more);
    drxmp_array *m = create(backend, FIRST, 0);

    write_first(m);
    assert_status(drxmp_append_all(m, 0, ROWS, mine.lo, mine.count, DRX_ROW_MAJOR, buf), DRX_ENOSPC);
    assert_int_equal(drx_shape(drxmp_serial(m))[0], FIRST);
    check_first(m);
    finish(m);
}

TEST(posix)
{
    writing("posix");
    growing("posix");
    appending("posix");
}

TEST(mpiio)
{
    writing("mpiio");
    growing("mpiio");
    appending("mpiio");
}
