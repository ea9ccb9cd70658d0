/* Striped arrays of many processes: each file equals the one that a single process makes, and all ranks open all of
 * them. */
#include "drx_tools.h"
#include "mp_testing.h"

enum { ROWS = 60, COLUMNS = 50, STRIPES = 3 };

static const char *const folders[STRIPES] = { "d0", "d1", "d2" };
static int32_t buf[ROWS * COLUMNS];

static void start(void)
{
    mp_shell("rm -rf d0 d1 d2 alone a.* b.* c.*; mkdir d0 d1 d2 alone alone/d0 alone/d1 alone/d2");
}

static const int64_t first_shape[2] = { 20, 10 }, chunk[2] = { 7, 8 };
static const int32_t fill = -1;
static const drx_spec striped = { .ndim = 2,
                                  .type = DRX_INT32,
                                  .shape = first_shape,
                                  .chunk = chunk,
                                  .fill = &fill,
                                  .align = 64,
                                  .nstripes = STRIPES,
                                  .stripes = folders };
static const struct mp_box first = { { 0, 0 }, { 20, COLUMNS } }, second = { { 20, 0 }, { ROWS - 20, COLUMNS } };

static void make_together(void)
{
    const struct mp_box mine = mp_part(0, first), more = mp_part(0, second);
    drxmp_array *m = mp_create("a", &striped);

    assert_ok(drxmp_extend(m, 1, COLUMNS - 10));
    mp_number_box(1, &mine, buf);
    assert_ok(mp_write_all(m, &mine, buf));
    mp_number_box(1, &more, buf);
    assert_ok(drxmp_append_all(m, 0, ROWS - 20, more.lo, more.count, DRX_ROW_MAJOR, buf));
    assert_ok(drxmp_sync(m));
    assert_ok(drxmp_close(m));
}

static void make_alone(void)
{
    drx_array *a;

    assert_ok(drx_create("alone/a", &striped, &a));
    assert_ok(drx_extend(a, 1, COLUMNS - 10));
    mp_number_box(1, &first, buf);
    assert_ok(drx_write(a, first.lo, first.count, DRX_ROW_MAJOR, buf));
    mp_number_box(1, &second, buf);
    assert_ok(drx_append(a, 0, ROWS - 20, DRX_ROW_MAJOR, buf));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

TEST(files_are_those_of_one)
{
    start();
    make_together();
    if (mp_rank == 0)
        make_alone();
    mp_shell("cmp a.xmd alone/a.xmd && for k in 0 1 2; do diff -r d$k alone/d$k || exit 1; done");
    if (mp_rank == 0)
        assert_ok(drx_check("a", NULL, NULL, NULL, NULL));
}

static void read_together(const char *path)
{
    const struct mp_box mine = mp_part(0, (struct mp_box){ { 0, 0 }, { ROWS, COLUMNS } });
    drxmp_array *m = mp_open(path, DRX_RDONLY);

    for (int way = 0; way < 3; way++) {
        drx_request *request;

        memset(buf, 0, sizeof buf);
        if (way == 0) {
            assert_ok(mp_read_all(m, &mine, buf));
        } else if (way == 1) {
            assert_ok(drxmp_iread_all(m, &(drx_box){ .lo = mine.lo, .count = mine.count }, buf, &request));
            assert_ok(drx_wait(request));
        } else { /* each for itself */
            assert_ok(drxmp_read(m, mine.lo, mine.count, DRX_ROW_MAJOR, buf));
        }
        mp_assert_numbers(1, &mine, buf);
    }
    assert_ok(drxmp_close(m));
}

/* MPI-IO knows one file: said on all ranks alike, and the array goes on as it was. */
TEST(not_by_mpiio)
{
    drxmp_array *m;

    start();
    make_together();
    read_together("a");
    m = mp_open("a", DRX_RDWR);
    assert_fails(mp_set(m, "drx_backend=mpiio"), DRX_EUNSUPPORTED, "several folders");
    assert_ok(drxmp_extend(m, 0, 5));
    assert_ok(drxmp_close(m));
}

TEST(copies)
{
    const drx_copy_spec to_one = { .chunk = (const int64_t[]){ 16, 16 } };
    const drx_copy_spec to_two = { .chunk = (const int64_t[]){ 5, 9 }, .nstripes = 2, .stripes = folders };
    const char *const names[] = { "a", "b", "c" };

    start();
    make_together();
    for (int i = 0; i < 2; i++) {
        drxmp_array *m = mp_open(names[i], DRX_RDONLY);

        assert_ok(drxmp_copy(m, names[i + 1], i ? &to_two : &to_one, NULL));
        assert_ok(drxmp_close(m));
        read_together(names[i + 1]);
    }
}

/* A folder or a stripe that is not there: the same on all ranks. */
TEST(missing)
{
    const char *const absent[] = { "d0", "absent", "d2" };
    drx_spec spec = striped;
    drxmp_array *m;

    start();
    spec.stripes = absent;
    assert_fails(drxmp_create(mp_comm, "x", &spec, &m), DRX_ENOENT, "absent");
    make_together();
    mp_shell("rm d1/*");
    assert_fails(drxmp_open(mp_comm, "a", DRX_RDONLY, &m), DRX_ENOENT, "stripe 1 of the 3 of a");
    mp_remove("a");
}

TEST(folders_that_differ)
{
    const char *const mine[] = { "d0", mp_rank == 0 ? "d1" : "d2", "d2" };
    drx_spec spec = striped;
    drxmp_array *m;

    start();
    spec.stripes = mine;
    if (mp_ranks > 1)
        assert_status(drxmp_create(mp_comm, "x", &spec, &m), DRX_EMISMATCH);
}
