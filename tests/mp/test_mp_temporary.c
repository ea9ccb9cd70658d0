/* Temporary arrays of many processes: no names until they persist, nothing when they do not. */
#include "base/hooks.h"
#include "io/io.h"
#include "mp_testing.h"

enum { ROWS = 40, COLUMNS = 30 };

static int32_t buf[ROWS * COLUMNS];

static int count_files(void)
{
    FILE *f;
    int n = -1;

    (void)MPI_Barrier(mp_comm);
    if (mp_rank == 0) {
        f = popen("ls t.* u.* d0 d1 2>/dev/null | grep -c '[.]x'", "r");
        assert_non_null(f);
        assert_int_equal(fscanf(f, "%d", &n), 1);
        (void)pclose(f);
    }
    (void)MPI_Bcast(&n, 1, MPI_INT, 0, mp_comm);
    return n;
}

static drxmp_array *create(bool striped)
{
    static const char *const folders[] = { "d0", "d1" };
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = (const int64_t[]){ 10, COLUMNS },
                            .chunk = (const int64_t[]){ 4, 7 },
                            .flags = DRX_TEMPORARY,
                            .nstripes = striped ? 2 : 0,
                            .stripes = striped ? folders : NULL };
    drxmp_array *m;

    assert_ok(drxmp_create(mp_comm, "t", &spec, &m));
    return m;
}

static void share(int64_t lo[2], int64_t count[2])
{
    lo[0] = ROWS * mp_rank / mp_ranks;
    count[0] = ROWS * (mp_rank + 1) / mp_ranks - lo[0];
    lo[1] = 0;
    count[1] = COLUMNS;
}

static void write_all(drxmp_array *m)
{
    int64_t lo[2], count[2];

    assert_ok(drxmp_extend(m, 0, ROWS - 10));
    share(lo, count);
    for (int64_t i = 0; i < count[0] * COLUMNS; i++)
        buf[i] = (int32_t)(lo[0] * COLUMNS + i);
    assert_ok(drxmp_write_all(m, lo, count, DRX_ROW_MAJOR, buf));
    assert_ok(drxmp_sync(m));
}

static void check_all(drxmp_array *m)
{
    const int64_t lo[2] = { 0, 0 }, count[2] = { ROWS, COLUMNS };

    memset(buf, 0xff, sizeof buf);
    assert_ok(drxmp_read_all(m, lo, count, DRX_ROW_MAJOR, buf)); /* what others have written, too */
    for (int i = 0; i < ROWS * COLUMNS; i++)
        assert_int_equal(buf[i], i);
}

static void live_and_vanish(bool striped, bool parked)
{
    drxmp_array *m = create(striped);

    assert_int_equal(count_files(), parked && mp_ranks > 1 ? 1 + striped : 0); /* under other names */
    write_all(m);
    check_all(m);
    assert_status(drxmp_persist(m, DRX_SHELL), DRX_EINVAL);
    assert_ok(drxmp_close(m));
    assert_int_equal(count_files(), 0);
}

static void persist(bool striped)
{
    drxmp_array *m = create(striped);
    drxmp_array *other;

    write_all(m);
    assert_ok(drxmp_persist(m, 0));
    assert_status(drxmp_persist(m, 0), DRX_EINVAL); /* it is none any more */
    assert_ok(drxmp_open(mp_comm, "t", DRX_RDONLY, &other));
    check_all(other);
    assert_ok(drxmp_close(other));
    assert_ok(drxmp_extend(m, 1, 3));
    assert_ok(drxmp_sync(m));
    assert_ok(drxmp_close(m));
    m = create(!striped); /* while one of that name is there */
    write_all(m);
    assert_status(drxmp_persist(m, 0), DRX_EEXIST);
    check_all(m);
    assert_ok(drxmp_persist(m, DRX_REPLACE));
    check_all(m);
    assert_ok(drxmp_close(m));
    assert_int_equal(count_files(), striped ? 2 : 3);
    if (mp_rank == 0)
        assert_ok(drx_remove("t"));
    assert_int_equal(count_files(), 0);
}

static void start(void)
{
    if (mp_rank == 0)
        assert_int_equal(system("mkdir -p d0 d1"), 0);
    (void)MPI_Barrier(mp_comm);
}

TEST(without_names)
{
    start();
    for (int striped = 0; striped < 2; striped++) {
        live_and_vanish(striped, false);
        persist(striped);
    }
}

/* As when ranks are on other machines than rank 0. */
TEST(under_other_names)
{
    start();
    drxi_hooks.no_aliases = true;
    for (int striped = 0; striped < 2; striped++) {
        live_and_vanish(striped, true);
        persist(striped);
    }
    drxi_hooks.no_aliases = false;
}

TEST(not_by_mpiio)
{
    drxmp_array *m;
    MPI_Info info;

    start();
    m = create(false);
    assert_int_equal(MPI_Info_create(&info), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(info, "drx_backend", "mpiio"), MPI_SUCCESS);
    assert_status(drxmp_set_info(m, info), DRX_EUNSUPPORTED);
    assert_detail("temporary");
    assert_int_equal(MPI_Info_free(&info), MPI_SUCCESS);
    write_all(m);
    check_all(m);
    assert_ok(drxmp_close(m));
}
