/* When a log is compacted, how that affects names and permissions, and compactions that fail. What the array and its
 * readers have afterwards, tests/model tells. */
#include <errno.h>

#include "array/array.h"
#include "base/hooks.h"
#include "bytes.h"
#include "drx_tools.h"
#include "file_faults.h"
#include "lone/lone.h"

static const struct drxi_compaction usual = { .from_bytes = 1 << 20, .times = 4 };

static drx_array *opened(int mode)
{
    drx_array *a;

    assert_ok(drx_open("c", mode, &a));
    assert_string_equal(drx_last_error(), "");
    return a;
}

static drx_array *make(unsigned flags)
{
    const int64_t shape[2] = { 3, 4 }, chunk[2] = { 2, 2 };
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT16, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE | flags
    };
    drx_array *a;

    assert_ok(drx_create("c", &spec, &a));
    return a;
}

/* Bytes of the log behind what does not change. */
static int64_t records(const drx_array *a)
{
    return length_of("c.xmd") - DRXI_LOG_AT;
}

static void set_often(drx_array *a, int times)
{
    for (int i = 0; i < times; i++)
        assert_ok(drx_attr_set(a, "count", DRX_INT32, 1, &i));
}

static int32_t count_of(drx_array *a)
{
    const void *values;

    assert_ok(drx_attr_get(a, "count", NULL, NULL, &values));
    return *(const int32_t *)values;
}

static int64_t compacted_bytes(const drx_array *a)
{
    int64_t bytes;

    assert_ok(drxi_log_compacted_bytes(&a->log, &bytes));
    return bytes;
}

TEST(of_itself_at_a_sync)
{
    drx_array *a = make(0);
    int64_t before;

    drxi_hooks.compaction.from_bytes = 4096;
    set_often(a, 50);
    assert_ok(drx_sync(a));
    before = length_of("c.xmd"); /* not long */
    assert_int_equal(before, a->log.state.chain.end);
    set_often(a, 50);
    assert_ok(drx_sync(a));
    assert_true(length_of("c.xmd") - DRXI_LOG_AT < (before - DRXI_LOG_AT) / 4);
    assert_int_equal(count_of(a), 49);
    set_often(a, 60);
    for (int i = 0; i < 40; i++) { /* now less than three quarters are superseded */
        char name[16];

        (void)snprintf(name, sizeof name, "%d", i);
        assert_ok(drx_attr_set(a, name, DRX_INT32, 1, &i));
    }
    assert_ok(drx_sync(a));
    assert_int_equal(length_of("c.xmd"), a->log.state.chain.end);
    assert_true(a->log.state.chain.end - DRXI_LOG_AT > 2 * (compacted_bytes(a) - DRXI_LOG_AT));
    assert_ok(drx_close(a));
    drxi_hooks.compaction = usual;
}

TEST(of_itself_at_opening)
{
    drx_array *a = make(0);

    set_often(a, 200);
    assert_ok(drx_close(a));
    drxi_hooks.compaction.from_bytes = 4096;
    a = opened(DRX_RDONLY); /* which changes nothing */
    assert_ok(drx_close(a));
    assert_true(length_of("c.xmd") > 4096);
    a = opened(DRX_RDWR);
    assert_true(records(a) < 512);
    assert_true(a->log.state.at_sync);
    assert_int_equal(count_of(a), 199);
    assert_ok(drx_close(a));
    drxi_hooks.compaction = usual;
}

/* Nothing superseded: nothing done. */
TEST(when_there_is_nothing_to_gain)
{
    struct stat before, after;
    drx_array *a = make(0);

    assert_ok(drx_compact(a));
    assert_int_equal(stat("c.xmd", &before), 0);
    assert_ok(drx_compact(a));
    assert_int_equal(stat("c.xmd", &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(length_of("c.xmd"), compacted_bytes(a));
    assert_ok(drx_close(a));
    a = opened(DRX_RDONLY);
    assert_status(drx_compact(a), DRX_EACCES);
    assert_ok(drx_close(a));
    assert_status(drx_compact(NULL), DRX_EINVAL);
}

TEST(without_a_name)
{
    const int64_t shape[1] = { 2 };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = shape };
    drx_array *a;

    assert_ok(drx_create(NULL, &spec, &a));
    set_often(a, 3);
    assert_ok(drx_compact(a));
    assert_ok(drx_close(a));
    a = make(DRX_TEMPORARY);
    set_often(a, 100);
    assert_status(drx_compact(a), DRX_EUNSUPPORTED);
    drxi_hooks.compaction.from_bytes = 1024;
    assert_ok(drx_sync(a));
    assert_ok(drx_persist(a, DRX_REPLACE));
    assert_true(length_of("c.xmd") > 1024);
    assert_ok(drx_sync(a));
    assert_true(records(a) < 1024);
    assert_ok(drx_close(a));
    drxi_hooks.compaction = usual;
}

/* A later version may have left records that mean something to it. */
TEST(records_of_a_later_version)
{
    drx_array *a = make(0);
    struct drxi_run run = drxi_run_at(&a->log.lone->store->end);

    drxi_run_begin(&run, (enum drxi_log_kind)(DRXI_LOG_OPTIONAL + 72), 0);
    drxi_run64(&run, 0);
    drxi_run_end(&run);
    drxi_run_count(&run);
    assert_ok(run.failed);
    assert_ok(drx_close(a));
    put_bytes("c.xmd", run.at, run.bytes, (size_t)run.n);
    drxi_run_free(&run);
    a = opened(DRX_RDWR);
    set_often(a, 100);
    drxi_hooks.compaction.from_bytes = 1024;
    assert_ok(drx_sync(a));
    assert_true(length_of("c.xmd") > 1024);
    assert_status(drx_compact(a), DRX_EUNSUPPORTED);
    assert_detail("that this version does not know");
    assert_ok(drx_close(a));
    drxi_hooks.compaction = usual;
}

TEST(rights_are_kept)
{
    struct stat status;
    drx_array *a = make(0);

    set_often(a, 100);
    assert_int_equal(chmod("c.xmd", 0640), 0);
    assert_ok(drx_compact(a));
    assert_int_equal(stat("c.xmd", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(status.st_nlink, 1);
    assert_ok(drx_close(a));
}

/* What would lose a name, or a link its meaning, is left alone. */
TEST(other_names)
{
    int64_t before;
    drx_array *a = make(0);

    set_often(a, 100);
    assert_ok(drx_sync(a));
    before = length_of("c.xmd");
    assert_int_equal(link("c.xmd", "other.xmd"), 0);
    assert_status(drx_compact(a), DRX_EUNSUPPORTED);
    assert_detail("c.xmd: has 2 names");
    drxi_hooks.compaction.from_bytes = 1024;
    set_often(a, 1);
    assert_ok(drx_sync(a)); /* tries, and lets it be */
    assert_string_equal(drx_last_error(), "");
    assert_true(length_of("c.xmd") > before);
    assert_int_equal(unlink("other.xmd"), 0);
    assert_ok(drx_close(a));
    assert_int_equal(rename("c.xmd", "real.xmd"), 0);
    assert_int_equal(symlink("real.xmd", "c.xmd"), 0);
    a = opened(DRX_RDWR);
    assert_status(drx_compact(a), DRX_EUNSUPPORTED);
    assert_detail("c.xmd: a symbolic link");
    assert_ok(drx_close(a));
    assert_int_equal(rename("real.xmd", "c.xmd"), 0);
    a = opened(DRX_RDWR);
    assert_true(records(a) < 1024);
    assert_ok(drx_close(a));
    drxi_hooks.compaction = usual;
}

static struct drxi_files hooked;
static drx_array *compacting;
static int hook_calls;

/* The log is compacted by its writer, who then closes it, after somebody else has opened it. */
static drx_status compact_behind(const char *path, enum drxi_how how, drxi_io **out)
{
    drx_status st = drxi_posix.open(path, how, out);

    if (hook_calls == 0 && how != DRXI_NEW && strcmp(path, "c.xmd") == 0) {
        hook_calls++;
        assert_ok(drx_compact(compacting));
        assert_ok(drx_close(compacting));
    }
    return st;
}

static void meet(int mode)
{
    drx_array *a;

    compacting = make(0);
    set_often(compacting, 100);
    hooked = drxi_posix;
    hooked.open = compact_behind;
    hook_calls = 0;
    drxi_files = &hooked;
    assert_ok(drx_open("c", mode, &a));
    drxi_files = &drxi_posix;
    assert_int_equal(hook_calls, 1);
    assert_true(a->log.state.chain.end - DRXI_LOG_AT < 512); /* the new one */
    assert_int_equal(count_of(a), 99);
    if (mode == DRX_RDWR) {
        set_often(a, 7);
        assert_ok(drx_close(a));
        a = opened(DRX_RDONLY);
        assert_int_equal(count_of(a), 6);
    }
    assert_ok(drx_close(a));
}

TEST(opening_meets_compaction)
{
    meet(DRX_RDONLY);
    meet(DRX_RDWR);
}

static int leftovers(void)
{
    return system("test -z \"$(ls -d *.new-* 2>/dev/null)\"");
}

/* Readers need not look for another log. */
static void expect_not_replaced(drx_array *a)
{
    struct drxi_live words;

    assert_ok(drxi_live_load(a->log.io, &words));
    assert_int_equal(words.replaced, 0);
}

/* Whether drx_compact, or of itself drx_sync, each call failing in turn: before the new log is in place nothing has
 * happened. */
static void fail_calls(bool of_itself, bool persistent, bool other)
{
    bool fired = true;
    long n = 0, broken = 0;

    drxi_hooks.other_names = other;
    while (fired) {
        drx_array *a, *b;
        drx_status st;

        drxi_hooks.compaction = usual;
        a = make(0);
        assert_ok(drx_close(a));
        drxi_fault_arm(0, 0, false);
        a = opened(DRX_RDWR);
        set_often(a, 30);
        assert_ok(drx_extend(a, 0, 5));
        assert_ok(drx_sync(a));
        drxi_hooks.compaction = (struct drxi_compaction){ 1, 1 };
        drxi_fault_arm(++n, EIO, persistent);
        st = of_itself ? drx_sync(a) : drx_compact(a);
        fired = drxi_fault_fired();
        drxi_fault_arm(0, 0, false);
        if (st) {
            assert_int_equal(st, DRX_EIO);
            assert_detail("injected fault");
        } else if (!of_itself) {
            assert_true(records(a) < 512);
        }
        assert_true(!a->log.broken || a->log.broken == st);
        broken += a->log.broken != DRX_OK;
        assert_int_equal(count_of(a), 29);
        if (!a->log.broken && !persistent)
            expect_not_replaced(a);
        if (!a->log.broken) {
            assert_ok(drx_extend(a, 1, 1)); /* on whichever log */
            assert_ok(drx_sync(a));
        }
        if (!persistent)
            assert_int_equal(leftovers(), 0);
        b = opened(DRX_RDONLY);
        assert_int_equal(drx_shape(b)[1], a->log.broken ? 4 : 5);
        assert_int_equal(drx_shape(b)[0], 8);
        assert_int_equal(count_of(b), 29);
        assert_ok(drx_close(b));
        assert_ok(drx_close(a));
        assert_ok(drx_check("c", NULL, NULL, NULL, NULL));
    }
    drxi_hooks.other_names = false;
    drxi_hooks.compaction = usual;
    print_message("%ld calls failed in turn, the array was broken after %ld\n", n - 1, broken);
    assert_true(n > 8);
}

TEST(calls_that_fail)
{
    for (int i = 0; i < 8; i++)
        fail_calls(i & 1, i & 2, i & 4);
}

TEST(allocations_that_fail)
{
    for (long n = 1;; n++) {
        drx_array *a = make(0);
        drx_status st;

        set_often(a, 30);
        assert_ok(drx_sync(a));
        drxi_fail_allocation = n;
        st = drx_compact(a);
        if (drxi_fail_allocation > 0) {
            drxi_fail_allocation = 0;
            assert_ok(st);
            assert_ok(drx_close(a));
            print_message("%ld allocations failed in turn\n", n - 1);
            assert_true(n > 4);
            return;
        }
        if (st)
            assert_int_equal(st, DRX_ENOMEM);
        if (a->log.broken) { /* the folder could not be synced */
            assert_ok(drx_close(a));
            a = opened(DRX_RDWR);
        }
        set_often(a, 40);
        assert_ok(drx_compact(a));
        assert_int_equal(count_of(a), 39);
        assert_ok(drx_close(a));
        assert_int_equal(leftovers(), 0);
    }
}
