#include "single_cases.h"
#include "base/hooks.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "array/array.h"
#include "base/work.h"
#include "calls.h"
#include "drx_tools.h"
#include "numbers.h"

static const int64_t origin[2] = { 0, 0 }, shape[2] = { NUMBERS_ROWS, NUMBERS_COLUMNS };

static void clean(void)
{
    assert_int_equal(system("rm -rf left right s0 s1 s2 && mkdir left right s0 s1 s2"), 0);
}

static void arm(unsigned kinds, int error, enum calls_how how, long nth, long times)
{
    calls_arm(&(struct calls_plan){ .kinds = kinds, .error = error, .how = how, .nth = nth, .times = times });
}

static void defaults(void)
{
    calls_disarm();
    drxi_hooks.way = DRXI_ANY_WAY;
    drxi_hooks.shared_bytes = 1 << 20;
    drxi_hooks.no_ring = false;
    drxi_work_limit(0);
}

/* Where no thread can be had, the caller does all. Before any helper has been made. */
static void no_threads(void **state)
{
    int32_t got[NUMBERS], wanted[NUMBERS];
    drx_request *request;
    drx_array *a;

    clean();
    drxi_hooks.way = DRXI_STAGED;
    drxi_hooks.shared_bytes = 0;
    drxi_work_limit(4);
    arm(CALL_THREAD, EAGAIN, CALLS_FAIL, 1, LONG_MAX);
    numbers_make("left/a", 0);
    numbers_compose(DRX_ROW_MAJOR, wanted);
    assert_ok(drx_open("left/a", DRX_RDONLY, &a));
    numbers_require(a);
    assert_ok(drx_read_async(a, &(drx_box){ .lo = origin, .count = shape }, got, &request));
    assert_ok(drx_wait(request));
    assert_memory_equal(got, wanted, sizeof got);
    assert_ok(drx_copy(a, "right/b", &(drx_copy_spec){ .permute = (int[]){ 1, 0 } }, NULL));
    assert_ok(drx_close(a));
    assert_true(calls_struck() == CALL_THREAD);
    defaults();
}

/* What closing a file tells is told, and so is what the pool could not write; the handle is gone all the same. */
static void closing(void **state)
{
    static const struct {
        unsigned kind;
        int error;
        long nth;
        drx_status st;
        const char *file;
    } cases[] = { { CALL_CLOSE, EIO, 1, DRX_EIO, "left/a.xta" },
                  { CALL_CLOSE, EIO, 2, DRX_EIO, "left/a.xmd" },
                  { CALL_CLOSE, ENOSPC, 1, DRX_ENOSPC, "left/a.xta" },
                  { CALL_CLOSE, EDQUOT, 2, DRX_ENOSPC, "left/a.xmd" },
                  { CALL_CLOSE, EINTR, 1, DRX_OK, "" },
                  { CALL_WRITE, EIO, 1, DRX_EIO, "left/a.xta" },
                  { CALL_WRITE, ENOSPC, 1, DRX_ENOSPC, "left/a.xta" } };
    const int32_t value = number(3, 3);
    drx_array *a;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        clean();
        numbers_make("left/a", 0);
        assert_ok(drx_open("left/a", DRX_RDWR, &a));
        assert_ok(drx_put(a, (int64_t[]){ 3, 3 }, &value)); /* in the pool */
        arm(cases[i].kind, cases[i].error, CALLS_FAIL, cases[i].nth, 1);
        assert_status(drx_close(a), cases[i].st);
        if (cases[i].st)
            assert_detail(cases[i].file);
        assert_true(calls_struck() == cases[i].kind);
        calls_disarm();
        assert_true(numbers_there("left/a"));
    }
}

/* Pages of a map that cannot be read: the way by calls is taken, and its error is told. */
static void unreadable_pages(void **state)
{
    int32_t got[NUMBERS];
    drx_array *a;

    clean();
    numbers_make("left/a", 0);
    drxi_hooks.way = DRXI_MAPPED;
    drxi_hooks.no_ring = true; /* what it reads does not fail with the calls */
    assert_ok(drx_open("left/a", DRX_RDONLY, &a));
    arm(CALL_MAP, 0, CALLS_MAP_NOTHING, 1, LONG_MAX);
    for (int threads = 1; threads <= 3; threads += 2) {
        drxi_hooks.shared_bytes = threads > 1 ? 0 : INT64_MAX;
        drxi_work_limit(threads);
        numbers_require(a);
        arm(CALL_READ, EIO, CALLS_FAIL, 1, LONG_MAX);
        assert_status(drx_read(a, origin, shape, DRX_ROW_MAJOR, got), DRX_EIO);
        assert_detail("left/a.xta: reading");
        assert_status(drx_get(a, (int64_t[]){ 4, 4 }, got), DRX_EIO);
        assert_detail("left/a.xta: reading");
        assert_status(drx_copy(a, "right/b", &(drx_copy_spec){ .permute = (int[]){ 1, 0 } }, NULL), DRX_EIO);
        assert_detail("left/a.xta: reading");
        calls_disarm();
        assert_ok(drx_get(a, (int64_t[]){ 4, 4 }, got));
        assert_int_equal(got[0], number(4, 4));
    }
    numbers_require(a);
    assert_ok(drx_copy(a, "right/b", &(drx_copy_spec){ .permute = (int[]){ 1, 0 } }, NULL));
    assert_ok(drx_close(a));
    assert_ok(drx_check("right/b", NULL, NULL, NULL, NULL));
    defaults();
}

/* When undoing fails, too, the handle only reads; who opens the array next mends it. */
static void broken_handles(void **state)
{
    int32_t slab[3 * NUMBERS_COLUMNS];
    drx_array *a, *b;

    for (int append = 0; append < 2; append++) {
        clean();
        numbers_make("left/a", 0);
        memset(slab, 1, sizeof slab);
        assert_ok(drx_open("left/a", DRX_RDWR, &a));
        arm(CALL_WRITE | CALL_RESIZE, EIO, CALLS_FAIL, 2, LONG_MAX);
        assert_status(append ? drx_append(a, 0, 3, DRX_ROW_MAJOR, slab) : drx_extend(a, 0, 3), DRX_EIO);
        calls_disarm();
        numbers_require(a);
        assert_status(drx_extend(a, 0, 1), DRX_EIO);
        assert_detail("an earlier failure");
        assert_status(drx_put(a, origin, slab), DRX_EIO);
        assert_status(drx_attr_set_text(a, "title", "other"), DRX_EIO);
        assert_status(drx_sync(a), DRX_EIO);
        assert_status(drx_open("left/a", DRX_RDWR, &b), DRX_EBUSY);
        assert_ok(drx_close(a));
        assert_true(numbers_there("left/a"));
    }
}

/* A folder that another process has locked for a moment is waited for. */
static void busy_folder(void **state)
{
    const long slept = calls_made(CALL_SLEEP);

    clean();
    arm(CALL_FOLDER_LOCK, EWOULDBLOCK, CALLS_FAIL, 1, 3);
    numbers_make("left/a", 0);
    assert_true(calls_struck() == CALL_FOLDER_LOCK);
    assert_int_equal(calls_made(CALL_SLEEP) - slept, 3);
    calls_disarm();
    assert_true(numbers_there("left/a"));
}

const struct CMUnitTest single_cases[SINGLE_CASES] = { cmocka_unit_test(no_threads), cmocka_unit_test(closing),
                                                       cmocka_unit_test(unreadable_pages),
                                                       cmocka_unit_test(broken_handles),
                                                       cmocka_unit_test(busy_folder) };
