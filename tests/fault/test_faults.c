/* The order in which the library makes things durable, found by making the calls of the file tables fail in turn,
 * and the state after a failed sync. test_system_calls fails all calls of such scenes and looks at the arrays. */
#include <errno.h>

#include "file_faults.h"
#include "io/io.h"
#include "scene.h"

/* A new array after this many steps of the scene; no call fails. */
static void play(struct scene *s, int32_t fill, int steps)
{
    const drx_status st = drx_remove("scene");

    assert_true(st == DRX_OK || st == DRX_ENOENT);
    drxi_fault_arm(0, 0, false); /* wrap what is opened from now on */
    scene_start(s, "scene", fill);
    for (int i = 0; i < steps; i++)
        assert_ok(scene_play(s, i));
}

/* Whether growth by a chunk makes the data durable first: only a fill that is
 * written needs it, and only once something was promised. */
static bool growth_syncs(int32_t fill, bool synced)
{
    bool syncs = false;

    for (long n = 1; n < 8; n++) {
        struct scene s;

        play(&s, fill, 2);
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

        play(&s, 0, 3);
        drxi_fault_arm(i + 1, EIO, false);
        assert_int_equal(drx_sync(s.a), i < n ? DRX_EIO : DRX_OK);
        if (i < n)
            assert_non_null(strstr(drx_last_error(), calls[i]));
        drxi_fault_arm(0, 0, false);
        assert_ok(drx_close(s.a));
    }
}

/* A growth whose sync failed leaves nothing that a later sync could promise. */
TEST(failed_sync_is_remembered)
{
    for (long n = 1; n < 8; n++) {
        struct scene s;
        drx_status st;

        play(&s, -7, 2);
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

    play(&s, 0, 3);
    assert_ok(drx_close(s.a));
    assert_ok(drx_open("scene", DRX_RDWR, &s.a));
    drxi_fault_arm(1, EIO, false);
    assert_status(drx_sync(s.a), DRX_EIO);
    assert_non_null(strstr(drx_last_error(), "scene.xta: injected fault in sync"));
    drxi_fault_arm(0, 0, false);
    assert_status(drx_extend(s.a, 0, 1), DRX_EIO); /* it cannot be known what is on disk */
    assert_ok(drx_close(s.a));
}
