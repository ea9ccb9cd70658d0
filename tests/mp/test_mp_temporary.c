/* Temporary arrays of many processes have no names until they persist, and leave no files if they do not. */
#include "base/hooks.h"
#include "mp_testing.h"

enum { ROWS = 40, COLUMNS = 30 };

static const struct mp_box whole = { { 0, 0 }, { ROWS, COLUMNS } };
static int32_t buf[ROWS * COLUMNS];

static drx_codec codec;

static int count_files(void)
{
    return mp_count_files("t.* d0/* d1/*");
}

static drxmp_array *create(bool striped)
{
    static const char *const folders[] = { "d0", "d1" };

    mp_shell("mkdir -p d0 d1");
    return mp_create("t", &(drx_spec){ .ndim = 2,
                                       .type = DRX_INT32,
                                       .shape = (const int64_t[]){ 10, COLUMNS },
                                       .chunk = (const int64_t[]){ 4, 7 },
                                       .flags = DRX_TEMPORARY,
                                       .codec = codec,
                                       .nstripes = striped ? 2 : 0,
                                       .stripes = striped ? folders : NULL });
}

static void write_all(drxmp_array *m)
{
    const struct mp_box mine = mp_part(0, whole);

    assert_ok(drxmp_extend(m, 0, ROWS - 10));
    mp_number_box(1, &mine, buf);
    assert_ok(mp_write_all(m, &mine, buf));
    assert_ok(drxmp_sync(m));
}

static void check_all(drxmp_array *m)
{
    memset(buf, 0xff, sizeof buf);
    assert_ok(mp_read_all(m, &whole, buf)); /* what others have written, too */
    mp_assert_numbers(1, &whole, buf);
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
    drxmp_array *m = create(striped), *other;

    write_all(m);
    assert_ok(drxmp_persist(m, 0));
    assert_status(drxmp_persist(m, 0), DRX_EINVAL); /* it is none any more */
    other = mp_open("t", DRX_RDONLY);
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
    mp_remove("t");
    assert_int_equal(count_files(), 0);
}

TEST(without_names)
{
    for (int striped = 0; striped < 2; striped++) {
        live_and_vanish(striped, false);
        persist(striped);
    }
}

/* As when ranks are on other machines than rank 0. */
TEST(under_other_names)
{
    drxi_hooks.no_aliases = true;
    for (int striped = 0; striped < 2; striped++) {
        live_and_vanish(striped, true);
        persist(striped);
    }
}

TEST(not_by_mpiio)
{
    drxmp_array *m = create(false);

    assert_fails(mp_set(m, "drx_backend=mpiio"), DRX_EUNSUPPORTED, "temporary");
    write_all(m);
    check_all(m);
    assert_ok(drxmp_close(m));
}

TEST(compressed)
{
    codec = DRX_ZLIB;
    for (int parked = 0; parked < 2; parked++) {
        drxmp_array *m;

        drxi_hooks.no_aliases = parked;
        m = create(false);
        assert_int_equal(count_files(), parked && mp_ranks > 1 ? 2 : 0);
        write_all(m);
        check_all(m);
        assert_ok(drxmp_close(m));
        assert_int_equal(count_files(), 0);
        m = create(false);
        write_all(m);
        assert_ok(drxmp_persist(m, 0));
        mp_assert_epochs(m);
        check_all(m);
        assert_ok(drxmp_close(m));
        assert_int_equal(count_files(), 3);
        m = mp_open("t", DRX_RDWR);
        check_all(m);
        assert_ok(drxmp_close(m));
        mp_remove("t");
        assert_int_equal(count_files(), 0);
    }
    codec = DRX_RAW;
}
