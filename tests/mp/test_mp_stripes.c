/* Striped arrays of many processes: the files are those that one process makes, each of them; all ranks open the set.
 */
#include <unistd.h>

#include "drx_tools.h"
#include "mp_testing.h"

enum { ROWS = 60, COLUMNS = 50, STRIPES = 3 };

static const char *const folders[STRIPES] = { "d0", "d1", "d2" };
static int32_t buf[ROWS * COLUMNS];

static int32_t value_at(int64_t i, int64_t j)
{
    return (int32_t)(1000 * i + j);
}

static void start(void)
{
    if (mp_rank == 0) {
        assert_int_equal(system("rm -rf ./*; mkdir d0 d1 d2 alone alone/d0 alone/d1 alone/d2"), 0);
        assert_int_equal(setenv("DRX_CREATION_ID", "00112233445566778899aabbccddeeff", 1), 0);
    }
    (void)MPI_Barrier(mp_comm);
}

static drx_spec spec_of(const int64_t shape[])
{
    static const int64_t chunk[2] = { 7, 8 };
    static const int32_t fill = -1;

    return (drx_spec){ .ndim = 2,
                       .type = DRX_INT32,
                       .shape = shape,
                       .chunk = chunk,
                       .fill = &fill,
                       .align = 64,
                       .nstripes = STRIPES,
                       .stripes = folders };
}

static void fill_box(const int64_t lo[2], const int64_t count[2])
{
    for (int64_t i = 0; i < count[0]; i++)
        for (int64_t j = 0; j < count[1]; j++)
            buf[i * count[1] + j] = value_at(lo[0] + i, lo[1] + j);
}

static void check_box(const int64_t lo[2], const int64_t count[2])
{
    for (int64_t i = 0; i < count[0]; i++)
        for (int64_t j = 0; j < count[1]; j++)
            assert_int_equal(buf[i * count[1] + j], value_at(lo[0] + i, lo[1] + j));
}

/* This rank's rows among n from `first` on. */
static void share(int64_t first, int64_t n, int64_t lo[2], int64_t count[2])
{
    lo[0] = first + n * mp_rank / mp_ranks;
    count[0] = first + n * (mp_rank + 1) / mp_ranks - lo[0];
    lo[1] = 0;
    count[1] = COLUMNS;
}

static void make_together(void)
{
    const drx_spec spec = spec_of((const int64_t[]){ 20, 10 });
    int64_t lo[2], count[2];
    drxmp_array *m;

    assert_ok(drxmp_create(mp_comm, "a", &spec, &m));
    assert_ok(drxmp_extend(m, 1, COLUMNS - 10));
    share(0, 20, lo, count);
    fill_box(lo, count);
    assert_ok(drxmp_write_all(m, lo, count, DRX_ROW_MAJOR, buf));
    share(20, ROWS - 20, lo, count);
    fill_box(lo, count);
    assert_ok(drxmp_append_all(m, 0, ROWS - 20, lo, count, DRX_ROW_MAJOR, buf));
    assert_ok(drxmp_sync(m));
    assert_ok(drxmp_close(m));
}

static void make_alone(void)
{
    const drx_spec spec = spec_of((const int64_t[]){ 20, 10 });
    drx_array *a;

    assert_ok(drx_create("alone/a", &spec, &a));
    assert_ok(drx_extend(a, 1, COLUMNS - 10));
    fill_box((const int64_t[]){ 0, 0 }, (const int64_t[]){ 20, COLUMNS });
    assert_ok(drx_write(a, (const int64_t[]){ 0, 0 }, (const int64_t[]){ 20, COLUMNS }, DRX_ROW_MAJOR, buf));
    fill_box((const int64_t[]){ 20, 0 }, (const int64_t[]){ ROWS - 20, COLUMNS });
    assert_ok(drx_append(a, 0, ROWS - 20, DRX_ROW_MAJOR, buf));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

TEST(files_are_those_of_one)
{
    start();
    make_together();
    if (mp_rank == 0) {
        make_alone();
        assert_int_equal(system("cmp a.xmd alone/a.xmd && for k in 0 1 2; do diff -r d$k alone/d$k || exit 1; done"),
                         0);
        assert_ok(drx_check("a", NULL, NULL, NULL, NULL));
    }
    (void)MPI_Barrier(mp_comm);
}

static void read_together(const char *path)
{
    int64_t lo[2], count[2];
    drx_request *request;
    drxmp_array *m;

    assert_ok(drxmp_open(mp_comm, path, DRX_RDONLY, &m));
    share(0, ROWS, lo, count);
    memset(buf, 0, sizeof buf);
    assert_ok(drxmp_read_all(m, lo, count, DRX_ROW_MAJOR, buf));
    check_box(lo, count);
    memset(buf, 0, sizeof buf);
    assert_ok(drxmp_iread_all(m, &(drx_box){ .lo = lo, .count = count }, buf, &request));
    assert_ok(drx_wait(request));
    check_box(lo, count);
    memset(buf, 0, sizeof buf);
    assert_ok(drxmp_read(m, lo, count, DRX_ROW_MAJOR, buf)); /* each for itself */
    check_box(lo, count);
    assert_ok(drxmp_close(m));
}

/* MPI-IO knows one file: said on all ranks alike, and the array goes on as it was. */
TEST(not_by_mpiio)
{
    drxmp_array *m;
    MPI_Info info;

    start();
    make_together();
    read_together("a");
    assert_ok(drxmp_open(mp_comm, "a", DRX_RDWR, &m));
    assert_int_equal(MPI_Info_create(&info), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(info, "drx_backend", "mpiio"), MPI_SUCCESS);
    assert_status(drxmp_set_info(m, info), DRX_EUNSUPPORTED);
    assert_detail("several folders");
    assert_int_equal(MPI_Info_free(&info), MPI_SUCCESS);
    assert_ok(drxmp_extend(m, 0, 5));
    assert_ok(drxmp_close(m));
}

TEST(copies)
{
    const drx_copy_spec to_one = { .chunk = (const int64_t[]){ 16, 16 } };
    const drx_copy_spec to_two = { .chunk = (const int64_t[]){ 5, 9 }, .nstripes = 2, .stripes = folders };
    drxmp_array *m;

    start();
    make_together();
    assert_ok(drxmp_open(mp_comm, "a", DRX_RDONLY, &m));
    assert_ok(drxmp_copy(m, "b", &to_one, NULL));
    assert_ok(drxmp_close(m));
    read_together("b");
    assert_ok(drxmp_open(mp_comm, "b", DRX_RDONLY, &m));
    assert_ok(drxmp_copy(m, "c", &to_two, NULL));
    assert_ok(drxmp_close(m));
    read_together("c");
}

/* A folder or a stripe that is not there: the same on all ranks. */
TEST(missing)
{
    drx_spec spec = spec_of((const int64_t[]){ 20, 10 });
    const char *const absent[] = { "d0", "absent", "d2" };
    drxmp_array *m;

    start();
    spec.stripes = absent;
    assert_status(drxmp_create(mp_comm, "x", &spec, &m), DRX_ENOENT);
    assert_detail("absent");
    make_together();
    if (mp_rank == 0)
        assert_int_equal(system("rm d1/*"), 0);
    (void)MPI_Barrier(mp_comm);
    assert_status(drxmp_open(mp_comm, "a", DRX_RDONLY, &m), DRX_ENOENT);
    assert_detail("stripe 1 of the 3 of a");
    if (mp_rank == 0)
        assert_ok(drx_remove("a"));
    (void)MPI_Barrier(mp_comm);
}

TEST(folders_that_differ)
{
    drx_spec spec = spec_of((const int64_t[]){ 20, 10 });
    const char *const mine[] = { "d0", mp_rank == 0 ? "d1" : "d2", "d2" };
    drxmp_array *m;

    start();
    spec.stripes = mine;
    if (mp_ranks > 1)
        assert_status(drxmp_create(mp_comm, "x", &spec, &m), DRX_EMISMATCH);
}
