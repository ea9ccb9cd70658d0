/* In the folder `small` of the launch, on a device with room for less than is written: all ranks hear of it, whichever way the data
 * go, and nothing that was there is lost. */
#include "mp_testing.h"

enum { ROWS = 1024, COLUMNS = 1024, FIRST = 16 }; /* 4 MiB; of rows that there is room for */

static int32_t buf[ROWS * COLUMNS];

static void set_backend(drxmp_array *m, const char *backend)
{
    MPI_Info info;

    assert_int_equal(MPI_Info_create(&info), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(info, "drx_backend", backend), MPI_SUCCESS);
    assert_ok(drxmp_set_info(m, info));
    assert_int_equal(MPI_Info_free(&info), MPI_SUCCESS);
}

static drxmp_array *create(int64_t rows, int32_t fill)
{
    const int64_t shape[2] = { rows, COLUMNS }, chunk[2] = { FIRST, COLUMNS };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .fill = &fill };
    drxmp_array *m;

    assert_ok(drxmp_create(mp_comm, "../small/array", &spec, &m));
    return m;
}

static void finish(drxmp_array *m)
{
    assert_ok(drxmp_close(m));
    if (mp_rank == 0)
        assert_ok(drx_remove("../small/array"));
    (void)MPI_Barrier(mp_comm);
}

/* A share of the rows from `first` on. */
static void share(int64_t first, int64_t rows, int64_t lo[2], int64_t count[2])
{
    lo[0] = first + rows * mp_rank / mp_ranks;
    count[0] = first + rows * (mp_rank + 1) / mp_ranks - lo[0];
    lo[1] = 0;
    count[1] = COLUMNS;
}

static void check_first(drxmp_array *m)
{
    memset(buf, 0, sizeof *buf * FIRST * COLUMNS);
    assert_ok(drxmp_read_all(m, (int64_t[]){ 0, 0 }, (int64_t[]){ FIRST, COLUMNS }, DRX_ROW_MAJOR, buf));
    for (int k = 0; k < FIRST * COLUMNS; k++)
        assert_int_equal(buf[k], 7);
}

static void fill_buffer(void)
{
    for (int k = 0; k < ROWS * COLUMNS; k++)
        buf[k] = 7;
}

static void writing(const char *backend)
{
    drxmp_array *m = create(ROWS, 0);
    int64_t lo[2], count[2];
    drx_request *request;

    set_backend(m, backend);
    fill_buffer();
    share(0, FIRST, lo, count);
    assert_ok(drxmp_write_all(m, lo, count, DRX_ROW_MAJOR, buf));
    share(0, ROWS, lo, count);
    assert_status(drxmp_write_all(m, lo, count, DRX_ROW_MAJOR, buf), DRX_ENOSPC);
    assert_status(drxmp_write_all(m, (int64_t[]){ 0, lo[0] }, (int64_t[]){ ROWS, count[0] }, DRX_COL_MAJOR, buf),
                  DRX_ENOSPC);
    assert_ok(drxmp_iwrite_all(m, &(drx_box){ .lo = lo, .count = count }, buf, &request));
    assert_status(drx_wait(request), DRX_ENOSPC);
    check_first(m);
    fill_buffer();
    if (mp_rank == mp_ranks - 1)
        assert_status(drxmp_write(m, (int64_t[]){ 0, 0 }, (int64_t[]){ ROWS, COLUMNS }, DRX_ROW_MAJOR, buf),
                      DRX_ENOSPC);
    check_first(m);
    finish(m);
}

/* Growth with a fill that has to be written, or with data: undone, as if nothing had been. */
static void growing(const char *backend)
{
    drxmp_array *m = create(FIRST, 7);
    int64_t lo[2], count[2];

    set_backend(m, backend);
    share(FIRST, ROWS, lo, count);
    assert_status(drxmp_extend(m, 0, ROWS), DRX_ENOSPC);
    assert_status(drxmp_append_all(m, 0, ROWS, lo, count, DRX_ROW_MAJOR, buf), DRX_ENOSPC);
    assert_int_equal(drx_shape(drxmp_serial(m))[0], FIRST);
    assert_ok(drxmp_extend(m, 0, FIRST));
    assert_ok(drxmp_sync(m));
    assert_ok(drxmp_close(m));
    assert_ok(drxmp_open(mp_comm, "../small/array", DRX_RDWR, &m));
    assert_int_equal(drx_shape(drxmp_serial(m))[0], 2 * FIRST);
    check_first(m);
    finish(m);
}

/* The same with nothing to fill: the file has its length at once, and the data no room. */
static void appending(const char *backend)
{
    drxmp_array *m = create(FIRST, 0);
    int64_t lo[2], count[2];

    set_backend(m, backend);
    fill_buffer();
    share(0, FIRST, lo, count);
    assert_ok(drxmp_write_all(m, lo, count, DRX_ROW_MAJOR, buf));
    share(FIRST, ROWS, lo, count);
    assert_status(drxmp_append_all(m, 0, ROWS, lo, count, DRX_ROW_MAJOR, buf), DRX_ENOSPC);
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
