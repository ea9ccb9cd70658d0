/* Striped arrays get other names, are copied, replaced and removed while a call fails, or the process is killed: one
 * whole array stays, and no stripes that belong to none, where that can be had. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deadly.h"
#include "drx_tools.h"
#include "io/io.h"
#include "marked.h"

enum { STRIPES = 2 };

static const char *const folders[STRIPES] = { "../s0", "../s1" }; /* of the arrays in left and right */
static const int64_t origin[1];

static void make(const char *path, int64_t n, int8_t mark)
{
    const int8_t fill = -1;
    const drx_spec spec = { .ndim = 1,
                            .type = DRX_INT8,
                            .shape = &n,
                            .chunk = (const int64_t[]){ 2 },
                            .fill = &fill,
                            .flags = DRX_REPLACE,
                            .nstripes = STRIPES,
                            .stripes = folders };
    int8_t buf[16];
    drx_array *a;

    memset(buf, mark, sizeof buf);
    assert_ok(drx_create(path, &spec, &a));
    assert_ok(drx_write(a, origin, &n, DRX_ROW_MAJOR, buf));
    assert_ok(drx_attr_set_text(a, "title", "marked"));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

static bool is_a(const char *path)
{
    return marked_is(path, 9, 7);
}

static bool is_b(const char *path)
{
    return marked_is(path, 5, 3);
}

static void start(void)
{
    marked_clear("left/*");
    marked_clear("right/*");
    marked_clear("s?/*");
    make("left/a", 9, 7);
    make("right/b", 5, 3);
}

static int stripe_files(void)
{
    return marked_count("s?/*");
}

/* ---- the calls that are to fail -------------------------------------------------------------- */

static drx_status rename_it(void)
{
    return drx_rename("left/a", "right/c", 0);
}

static drx_status rename_over(void)
{
    return drx_rename("left/a", "right/b", DRX_REPLACE);
}

static drx_status copy_it(void)
{
    return drx_duplicate("left/a", "right/c", 0, NULL, NULL);
}

static drx_status copy_over(void)
{
    return drx_duplicate("left/a", "right/b", DRX_REPLACE, NULL, NULL);
}

static drx_status move_it(void)
{
    return drx_duplicate("left/a", "right/c", DRX_MOVE, NULL, NULL);
}

static drx_status remove_it(void)
{
    return drx_remove("left/a");
}

/* It is seen when it has all that is_a wants. */
static drx_status persist_over(void)
{
    const int8_t fill = 7;
    const drx_spec spec = { .ndim = 1,
                            .type = DRX_INT8,
                            .shape = (const int64_t[]){ 9 },
                            .chunk = (const int64_t[]){ 2 },
                            .fill = &fill,
                            .flags = DRX_TEMPORARY,
                            .nstripes = STRIPES,
                            .stripes = folders };
    drx_array *a;
    drx_status st = drx_create("right/b", &spec, &a), closed;

    if (st)
        return st;
    st = drx_attr_set_text(a, "title", "marked");
    if (!st)
        st = drx_persist(a, DRX_REPLACE);
    closed = drx_close(a);
    return st ? st : closed;
}

struct deed {
    drx_status (*call)(void);
    const char *source, *target; /* where an array is to be afterwards; NULL: nowhere */
    bool source_goes, over;      /* over b */
};

static const struct deed deeds[] = {
    { rename_it, "left/a", "right/c", true, false }, { rename_over, "left/a", "right/b", true, true },
    { copy_it, "left/a", "right/c", false, false },  { copy_over, "left/a", "right/b", false, true },
    { move_it, "left/a", "right/c", true, false },   { persist_over, NULL, "right/b", false, true },
};

enum { DEEDS = sizeof deeds / sizeof deeds[0] };

static void check_done(const struct deed *d)
{
    assert_true(is_a(d->target));
    if (d->source)
        assert_true(d->source_goes ? marked_none(d->source) : is_a(d->source));
    assert_true(d->over || is_b("right/b"));
    assert_int_equal(marked_count("left/*") + marked_count("right/*"), (!d->source_goes) + 1 + (!d->over));
    assert_int_equal(stripe_files(), STRIPES * ((!d->source_goes) + 1 + (!d->over)));
}

/* It failed: all is as it was, or, when only what came after it failed, done. */
static void check_failed(const struct deed *d)
{
    const bool done = is_a(d->target);

    assert_true(done || is_b("right/b"));
    assert_true(is_a("left/a") || (done && d->source_goes));
    if (!done)
        assert_int_equal(stripe_files(), STRIPES * 2);
    assert_int_equal(marked_count("*/*.new-*"), 0);
}

static void each_call(void **state)
{
    for (int i = 0; i < DEEDS; i++) {
        bool fired = true;
        long n = 0;

        while (fired) {
            drx_status st;

            start();
            drxi_fault_arm(++n, EIO, false);
            st = deeds[i].call();
            fired = drxi_fault_fired();
            drxi_fault_arm(0, 0, false);
            if (st)
                check_failed(&deeds[i]);
            else if (fired) /* in clearing away what was replaced */
                assert_true(is_a(deeds[i].target));
            else
                check_done(&deeds[i]);
            assert_true(!st || fired);
        }
        print_message("%ld calls failed in turn\n", n - 1);
        assert_true(n > 15);
    }
}

/* Removing that fails can be done again. */
static void removing(void **state)
{
    bool fired = true;
    long n = 0;

    while (fired) {
        drx_status st;

        start();
        drxi_fault_arm(++n, EIO, false);
        st = remove_it();
        fired = drxi_fault_fired();
        drxi_fault_arm(0, 0, false);
        if (st && marked_count("left/*") > 0)
            assert_ok(remove_it());
        assert_int_equal(marked_count("left/*"), 0);
        assert_int_equal(stripe_files(), STRIPES);
        assert_true(is_b("right/b"));
    }
    assert_true(n > 8);
}

static void each_allocation(void **state)
{
    for (int i = 0; i < DEEDS; i++) {
        bool fired = true;

        for (long n = 1; fired; n++) {
            drx_status st;

            start();
            drxi_fail_allocation = n;
            st = deeds[i].call();
            fired = drxi_fail_allocation == 0;
            drxi_fail_allocation = 0;
            if (st)
                check_failed(&deeds[i]);
            else if (fired) /* in clearing away what was replaced */
                assert_true(is_a(deeds[i].target));
            else
                check_done(&deeds[i]);
            assert_true(!st || (fired && st == DRX_ENOMEM));
        }
    }
}

/* ---- killed -------------------------------------------------------------------------------------- */

/* Both arrays are there, one of them perhaps set aside, or what is to be afterwards. */
static void killed_before_each_call(void **state)
{
    for (int i = 0; i < DEEDS; i++) {
        const struct deed *d = &deeds[i];
        bool killed = true;

        for (long n = 1; killed; n++) {
            start();
            killed = deadly(d->call, n);
            if (is_a(d->target)) {
                assert_true(!d->source || is_a(d->source) != d->source_goes || d->call == move_it);
                assert_ok(drx_check(d->target, NULL, NULL, NULL, NULL));
            } else {
                assert_true(is_a("left/a"));
                assert_true(is_b("right/b") || (d->over && marked_count("right/b.xmd.new-*") == 1));
            }
            assert_true(killed || is_a(d->target));
        }
    }
}

/* What a kill leaves of a removal can be removed: the array, or nothing that has its name. */
static void killed_in_removing(void **state)
{
    bool killed = true;

    for (long n = 1; killed; n++) {
        start();
        killed = deadly(remove_it, n);
        assert_true(is_a("left/a") || marked_count("left/a.xmd") == 0);
        assert_true(is_b("right/b"));
    }
}

static int make_folders(void **state)
{
    return system("mkdir left right s0 s1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call),          cmocka_unit_test(removing),
        cmocka_unit_test(each_allocation),    cmocka_unit_test(killed_before_each_call),
        cmocka_unit_test(killed_in_removing),
    };

    return cmocka_run_group_tests(tests, make_folders, NULL);
}
