/* Let the n-th call of the file tables, or the n-th allocation, fail, for n = 1, 2,
 * ... until none is left to fail: each time that error, an array as it was before
 * the failed step, and files that open and hold nothing else. */
#include <errno.h>
#include <unistd.h>

#include "array/array.h"
#include "base/hooks.h"
#include "marked.h"
#include "scene.h"

/* The linker puts these in the place of the system's calls (tests/CMakeLists.txt): no test here loses power, and 100,000
 * syncs of a real disk take minutes. Whether the library syncs, and in which order, shows in the calls that fail. */
int __wrap_fsync(int fd);
int __wrap_fdatasync(int fd);

int __wrap_fsync(int fd)
{
    return 0;
}

int __wrap_fdatasync(int fd)
{
    return 0;
}

static void remove_files(void)
{
    const int ignored[] = { unlink("scene.xmd"), unlink("scene.xta"), unlink("scene.xcs") };

    (void)ignored;
    marked_clear("s?/*");
}

/* Which of the two states a failed step may leave does the array show? */
static struct model *found(drx_array *a, struct scene *s)
{
    return scene_same_shape(a, &s->after) && !scene_same_shape(a, &s->before) ? &s->after : &s->before;
}

/* Without faults again: the files open, hold what they must, and nothing comes to
 * light when they grow. */
static void check_files(struct scene *s, int failed_step, bool persistent)
{
    drx_array *a;
    drx_status st = drx_open("scene", DRX_RDWR, &a);

    if (failed_step == 0) { /* not made: and it can be made after all */
        const drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 1 }, .flags = DRX_REPLACE };

        assert_int_equal(st, DRX_ENOENT);
        if (!persistent)
            assert_int_equal(marked_count("s?/*"), 0);
        assert_ok(drx_create("scene", &spec, &a));
        assert_ok(drx_close(a));
        return;
    }
    assert_ok(st);
    if (!persistent &&
        !strstr(drx_last_error(), ".xcs: ")) /* what a failed write left of a record was taken away at once */
        assert_string_equal(drx_last_error(), "");
    {
        struct model *m = found(a, s);

        m->attrs = drx_attr_count(a); /* one or the other */
        scene_check(a, m);
        scene_check_growth(a, m, s->fill);
    }
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

/* Play until a step fails; its number, or -1. */
static int play_until_failure(struct scene *s, drx_status *st)
{
    for (int i = 0; i < SCENE_STEPS; i++)
        if ((*st = scene_play(s, i)))
            return i;
    return -1;
}

static void check_handle(struct scene *s)
{
    if (!s->a)
        return;
    assert_true(scene_same_shape(s->a, &s->before));
    assert_true(strlen(drx_last_error()) > 0);
}

/* The log is compacted whenever it is synced. */
static bool is_compacting;

static void fail_calls(int error, drx_status expected, bool persistent, int32_t fill)
{
    long n = 0, passed_over = 0;
    bool fired = true;
    int step;

    while (fired) {
        struct scene s;
        drx_status st = DRX_OK;

        remove_files();
        scene_start(&s, "scene", fill);
        drxi_fault_arm(++n, error, persistent);
        step = play_until_failure(&s, &st);
        if (step >= 0) {
            assert_int_equal(st, expected);
            assert_non_null(strstr(drx_last_error(), scene_stripes > 0 ? "scene." : "scene.x"));
            check_handle(&s);
        }
        fired = drxi_fault_fired();
        assert_true(fired || step < 0);
        passed_over += fired && step < 0;
        drxi_fault_arm(0, 0, false);
        if (step >= 0 && s.a && !persistent)
            scene_check(s.a, &s.before); /* the handle goes on reading */
        (void)drx_close(s.a);
        if (fired)
            check_files(&s, step, persistent);
    }
    print_message("%ld calls failed in turn, %ld of them in compacting, which was left undone\n", n - 1, passed_over);
    assert_true(n > 60);
    assert_int_equal(passed_over > 0, is_compacting);
}

TEST(once_eio)
{
    fail_calls(EIO, DRX_EIO, false, 0);
}

TEST(once_enospc_with_fill)
{
    fail_calls(ENOSPC, DRX_ENOSPC, false, -7);
}

/* Where new files need a name, they get a temporary one, and nothing of it remains. */
TEST(once_eio_with_other_names)
{
    drxi_hooks.other_names = true;
    fail_calls(EIO, DRX_EIO, false, -7);
    drxi_hooks.other_names = false;
    assert_int_equal(marked_count("*.new-*"), 0);
}

TEST(always_eio_with_fill)
{
    fail_calls(EIO, DRX_EIO, true, -7);
}

TEST(always_enospc)
{
    fail_calls(ENOSPC, DRX_ENOSPC, true, 0);
}

static void fail_allocations(void)
{
    long n = 0;
    int step = 0;

    while (step >= 0) {
        struct scene s;
        drx_status st = DRX_OK;

        remove_files();
        scene_start(&s, "scene", -7);
        drxi_fail_allocation = ++n;
        step = play_until_failure(&s, &st);
        drxi_fail_allocation = 0;
        if (step >= 0) {
            assert_int_equal(st, DRX_ENOMEM);
            if (s.a) {
                assert_true(scene_same_shape(s.a, &s.before));
                scene_check(s.a, &s.before);
            }
        }
        (void)drx_close(s.a);
        if (step >= 0)
            check_files(&s, step, false);
    }
    print_message("%ld allocations failed in turn\n", n - 1);
    assert_true(n > 30);
}

TEST(allocations)
{
    fail_allocations();
}

TEST(calls_with_compaction)
{
    const struct drxi_compaction usual = drxi_hooks.compaction;

    drxi_hooks.compaction.from_bytes = drxi_hooks.compaction.times = 1;
    is_compacting = true;
    fail_calls(EIO, DRX_EIO, false, -7);
    fail_calls(ENOSPC, DRX_ENOSPC, false, 0);
    drxi_hooks.other_names = true;
    fail_calls(EIO, DRX_EIO, false, 0);
    drxi_hooks.other_names = false;
    assert_int_equal(marked_count("*.new-*"), 0);
    is_compacting = false;
    fail_calls(EIO, DRX_EIO, true, -7);
    drxi_hooks.compaction = usual;
}

TEST(striped_calls)
{
    assert_int_equal(system("mkdir s0 s1 s2"), 0);
    scene_stripes = 3;
    fail_calls(EIO, DRX_EIO, false, -7);
    fail_calls(ENOSPC, DRX_ENOSPC, true, -7);
    scene_stripes = 2;
    fail_calls(ENOSPC, DRX_ENOSPC, false, 0);
    drxi_hooks.other_names = true;
    fail_calls(EIO, DRX_EIO, false, 0);
    drxi_hooks.other_names = false;
    assert_int_equal(marked_count("s?/*.new-*") + marked_count("*.new-*"), 0);
    scene_stripes = 0;
}

/* The calls that lock the log and read what other writers appended fail, too. */
TEST(shared_calls)
{
    scene_mode = DRX_SHARED;
    fail_calls(EIO, DRX_EIO, false, -7);
    fail_calls(ENOSPC, DRX_ENOSPC, true, 0);
    fail_allocations();
    scene_mode = DRX_RDWR;
}

TEST(calls_with_checksums)
{
    scene_flags = DRX_CHECKSUM;
    fail_calls(EIO, DRX_EIO, false, 0);
    fail_calls(ENOSPC, DRX_ENOSPC, true, -7);
    scene_flags = 0;
}

TEST(allocations_with_checksums)
{
    scene_flags = DRX_CHECKSUM;
    fail_allocations();
    scene_flags = 0;
}

TEST(striped_allocations)
{
    scene_stripes = 2;
    fail_allocations();
    scene_stripes = 0;
}

/* Whether growth by a chunk makes the data durable first: only a fill that is
 * written needs it, and only once something was promised. */
static bool growth_syncs(int32_t fill, bool synced)
{
    bool syncs = false;

    for (long n = 1; n < 8; n++) {
        struct scene s;

        remove_files();
        scene_start(&s, "scene", fill);
        drxi_fault_arm(0, 0, false);
        for (int i = 0; i < 2; i++)
            assert_ok(scene_play(&s, i));
        if (synced)
            assert_ok(drx_sync(s.a));
        drxi_fault_arm(n, EIO, false);
        if (drx_extend(s.a, 0, 2) && strstr(drx_last_error(), "scene.xta: injected fault in sync"))
            syncs = true;
        drxi_fault_arm(0, 0, false);
        assert_ok(drx_close(s.a));
    }
    return syncs;
}

TEST(fill_is_durable_before_its_growth)
{
    assert_true(growth_syncs(-7, true));
    assert_false(growth_syncs(-7, false));
    assert_false(growth_syncs(0, true));
}

/* A sync writes the data, then the records, then the SYNC that promises both. */
TEST(order_of_a_sync)
{
    static const char *const calls[] = { "scene.xta: injected fault in sync", "scene.xmd: injected fault in size",
                                         "scene.xmd: injected fault in sync", "scene.xmd: injected fault in write",
                                         "scene.xmd: injected fault in sync", "injected fault in sync_folder" };
    const long n = sizeof calls / sizeof calls[0];

    for (long i = 0; i <= n; i++) {
        struct scene s;

        remove_files();
        scene_start(&s, "scene", 0);
        drxi_fault_arm(0, 0, false);
        for (int step = 0; step < 3; step++)
            assert_ok(scene_play(&s, step));
        drxi_fault_arm(i + 1, EIO, false);
        assert_int_equal(drx_sync(s.a), i < n ? DRX_EIO : DRX_OK);
        if (i < n)
            assert_non_null(strstr(drx_last_error(), calls[i]));
        drxi_fault_arm(0, 0, false);
        assert_ok(drx_close(s.a));
    }
}

/* Whatever call fails while an array is replaced, the old or the new one is there, whole. */
TEST(replacing_loses_nothing)
{
    const int64_t shape[1] = { 3 }, larger[1] = { 5 };
    drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = shape, .flags = DRX_REPLACE };
    bool fired = true;
    long n = 0;

    while (fired) {
        int8_t value = 7;
        drx_array *a;
        drx_status st;

        drxi_fault_arm(0, 0, false);
        spec.shape = shape;
        assert_ok(drx_create("scene", &spec, &a));
        assert_ok(drx_put(a, (int64_t[]){ 2 }, &value));
        assert_ok(drx_close(a));
        spec.shape = larger;
        drxi_fault_arm(++n, ENOSPC, false);
        st = drx_create("scene", &spec, &a);
        fired = drxi_fault_fired();
        drxi_fault_arm(0, 0, false);
        assert_ok(drx_close(a));
        assert_ok(drx_open("scene", DRX_RDWR, &a));
        value = 0;
        assert_int_equal(drx_shape(a)[0], st ? 3 : 5);
        assert_ok(drx_get(a, (int64_t[]){ 2 }, &value));
        assert_int_equal(value, st ? 7 : 0);
        assert_ok(drx_close(a));
        assert_int_equal(marked_count("*.new-*"), 0);
    }
    print_message("%ld calls failed in turn\n", n - 1);
    assert_true(n > 20);
}

/* A temporary array that could not be named stays, and can be named after all. */
TEST(persisting_again)
{
    const int64_t shape[1] = { 3 };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = shape, .flags = DRX_TEMPORARY };

    for (long n = 1; n < 12; n++) {
        int8_t value = 9;
        drx_array *a;
        drx_array *reader;

        remove_files();
        drxi_fault_arm(0, 0, false);
        assert_ok(drx_create("scene", &spec, &a));
        assert_ok(drx_put(a, (int64_t[]){ 1 }, &value));
        drxi_fault_arm(n, EIO, false);
        if (drx_persist(a, 0)) {
            drxi_fault_arm(0, 0, false);
            assert_status(drx_open("scene", DRX_RDONLY, &reader), DRX_ENOENT);
            assert_ok(drx_persist(a, 0));
        }
        drxi_fault_arm(0, 0, false);
        assert_ok(drx_open("scene", DRX_RDONLY, &reader));
        value = 0;
        assert_ok(drx_get(reader, (int64_t[]){ 1 }, &value));
        assert_int_equal(value, 9); /* written before it could be seen */
        assert_ok(drx_close(reader));
        assert_ok(drx_close(a));
    }
}

/* A growth whose sync failed leaves nothing that a later sync could promise. */
TEST(failed_sync_is_remembered)
{
    for (long n = 1; n < 8; n++) {
        struct scene s;
        drx_status st;

        remove_files();
        scene_start(&s, "scene", -7);
        drxi_fault_arm(0, 0, false);
        for (int i = 0; i < 2; i++)
            assert_ok(scene_play(&s, i));
        assert_ok(drx_sync(s.a));
        drxi_fault_arm(n, EIO, false);
        st = drx_extend(s.a, 0, 2);
        if (st && strstr(drx_last_error(), "in sync"))
            assert_status(drx_sync(s.a), DRX_EIO);
        drxi_fault_arm(0, 0, false);
        (void)drx_close(s.a);
    }
}

/* A sync promises what an earlier handle wrote, too: that is made durable first. */
TEST(sync_covers_earlier_handles)
{
    struct scene s;

    remove_files();
    scene_start(&s, "scene", 0);
    for (int i = 0; i < 3; i++)
        assert_ok(scene_play(&s, i));
    assert_ok(drx_close(s.a));
    drxi_fault_arm(0, 0, false); /* wrap what is opened from now on */
    assert_ok(drx_open("scene", DRX_RDWR, &s.a));
    drxi_fault_arm(1, EIO, false);
    assert_status(drx_sync(s.a), DRX_EIO);
    assert_non_null(strstr(drx_last_error(), "scene.xta: injected fault in sync"));
    drxi_fault_arm(0, 0, false);
    assert_status(drx_extend(s.a, 0, 1), DRX_EIO); /* it cannot be known what is on disk */
    assert_ok(drx_close(s.a));
}
