/* Renaming: whatever fails, and whenever the process is killed, the array is whole
 * under one of the names. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hooks.h"
#include "deadly.h"
#include "drx_tools.h"
#include "io/io.h"
#include "marked.h"

enum { N = 9, MARK = 7, OTHER_N = 5, OTHER_MARK = 3 };

static bool is_source(const char *path)
{
    return marked_is(path, N, MARK);
}

static bool is_other(const char *path)
{
    return marked_is(path, OTHER_N, OTHER_MARK);
}

/* ---- what it does -------------------------------------------------------------------------- */

TEST(renames)
{
    marked_clean();
    marked_make("a", N, MARK);
    assert_ok(drx_rename("a", "b b é", 0));
    assert_true(marked_none("a") && is_source("b b é"));
    assert_ok(drx_rename("b b é", "left/c", 0));
    assert_ok(drx_rename("left/c", "right/c", 0));
    assert_ok(drx_rename("right/c", "left/d", 0));
    assert_true(is_source("left/d"));
    assert_int_equal(marked_count("*"), 2);
    assert_int_equal(marked_count("*/*"), 2);
}

TEST(existing_names)
{
    marked_clean();
    marked_make("a", N, MARK);
    marked_make("b", OTHER_N, OTHER_MARK);
    assert_status(drx_rename("a", "b", 0), DRX_EEXIST);
    assert_detail("b.xmd: exists already");
    assert_true(is_source("a") && is_other("b"));
    assert_ok(drx_rename("a", "b", DRX_REPLACE));
    assert_true(marked_none("a") && is_source("b"));
    marked_make("a", OTHER_N, OTHER_MARK);
    assert_int_equal(unlink("a.xmd"), 0);
    assert_status(drx_rename("b", "a", 0), DRX_EEXIST); /* half of another */
    assert_detail("without its a.xmd");
    assert_true(is_source("b"));
    assert_ok(drx_rename("b", "a", DRX_REPLACE));
    assert_true(is_source("a"));
    assert_int_equal(marked_count("*.x*"), 2);
}

TEST(refusals)
{
    marked_clean();
    assert_status(drx_rename("a", "b", 0), DRX_ENOENT);
    assert_detail("a.xmd");
    marked_make("a", N, MARK);
    assert_status(drx_rename("a", "nowhere/b", 0), DRX_ENOENT);
    assert_status(drx_rename("a", "b", DRX_SHELL), DRX_EINVAL);
    assert_status(drx_rename("a", "left/", 0), DRX_EINVAL);
    assert_status(drx_rename(NULL, "b", 0), DRX_EINVAL);
    assert_int_equal(rename("a.xta", "b.xta"), 0);
    assert_status(drx_rename("a", "c", DRX_REPLACE), DRX_ENOENT);
    assert_detail("a.xta: missing");
    assert_int_equal(rename("b.xta", "a.xta"), 0);
    assert_true(is_source("a"));
}

TEST(one_array_under_two_names)
{
    static const char *const names[] = { "a", "./a", "left/../a", "loop/a", "second" };

    marked_clean();
    marked_make("a", N, MARK);
    assert_int_equal(symlink(".", "loop"), 0);
    assert_int_equal(link("a.xmd", "second.xmd"), 0);
    assert_int_equal(link("a.xta", "second.xta"), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (unsigned flags = 0; flags <= DRX_REPLACE; flags += DRX_REPLACE) {
            assert_status(drx_rename("a", names[i], flags), DRX_EINVAL);
            assert_detail("same array");
            assert_true(is_source("a") && is_source("second"));
        }
    assert_int_equal(marked_count("*.x*"), 4);
}

TEST(open_for_writing)
{
    drx_array *a;

    marked_clean();
    marked_make("a", N, MARK);
    marked_make("b", OTHER_N, OTHER_MARK);
    assert_ok(drx_open("a", DRX_RDWR, &a));
    assert_status(drx_rename("a", "c", 0), DRX_EBUSY);
    assert_status(drx_rename("b", "a", DRX_REPLACE), DRX_EBUSY);
    assert_ok(drx_close(a));
    assert_ok(drx_open("a", DRX_RDONLY, &a));
    assert_ok(drx_rename("a", "c", 0));
    assert_status(drx_refresh(a), DRX_ENOENT);
    assert_int_equal(drx_shape(a)[0], N); /* it reads on */
    assert_ok(drx_close(a));
    assert_true(is_source("c") && is_other("b"));
}

TEST(symbolic_links)
{
    marked_clean();
    marked_make("left/a", N, MARK);
    assert_int_equal(symlink("a.xmd", "left/b.xmd"), 0);
    assert_int_equal(symlink("a.xta", "left/b.xta"), 0);
    assert_status(drx_rename("left/b", "right/b", 0), DRX_EUNSUPPORTED);
    assert_detail("left/b.xta: a symbolic link");
    assert_true(is_source("left/a") && is_source("left/b") && marked_none("right/b"));
    assert_ok(drx_rename("left/b", "left/c", 0));
    assert_true(is_source("left/a") && is_source("left/c"));
    marked_make("left/d", N, MARK);
    assert_int_equal(rename("left/d.xmd", "left/e"), 0);
    assert_int_equal(symlink("e", "left/d.xmd"), 0); /* and a .xta of its own */
    assert_status(drx_rename("left/d", "right/d", 0), DRX_EUNSUPPORTED);
    assert_detail("right/d.xmd: a symbolic link");
    assert_true(is_source("left/d") && marked_none("right/d"));
    marked_make("right/d", OTHER_N, OTHER_MARK);
    assert_status(drx_rename("left/d", "right/d", DRX_REPLACE), DRX_EUNSUPPORTED);
    assert_true(is_source("left/d") && is_other("right/d"));
    assert_ok(drx_duplicate("left/c", "right/c", DRX_MOVE, NULL, NULL));
    assert_true(is_source("left/a") && is_source("right/c") && marked_none("left/c"));
}

/* /dev/shm is another file system on most machines. */
TEST(another_file_system)
{
    struct stat here, there;

    marked_clean();
    if (stat(".", &here) != 0 || stat("/dev/shm", &there) != 0 || here.st_dev == there.st_dev)
        skip();
    marked_make("a", N, MARK);
    assert_status(drx_rename("a", "/dev/shm/drx test", 0), DRX_EUNSUPPORTED);
    assert_detail("another file system");
    assert_true(is_source("a"));
    assert_true(marked_none("/dev/shm/drx test"));
}

/* ---- what fails ------------------------------------------------------------------------------ */

/* Nothing of the array that was there is lost: it has its name, or another that it was
 * set aside under. */
static bool other_is_somewhere(void)
{
    return is_other("right/b") || (marked_count("right/b.xmd*") >= 1 && marked_count("right/b.xta*") >= 1);
}

static void check_failure(bool there, bool persistent)
{
    if (!persistent) {
        assert_true(is_source("left/a"));
        assert_true(there ? is_other("right/b") : marked_none("right/b"));
        assert_int_equal(marked_count("left/*"), 2);
        assert_int_equal(marked_count("right/*"), there ? 2 : 0);
    } else if (is_source("left/a")) {
        assert_true(!there || other_is_somewhere());
    } else {
        assert_true(is_source("right/b"));
    }
}

static void fail_calls(int error, drx_status expected, bool there, bool persistent)
{
    bool fired = true;
    long n = 0;

    while (fired) {
        drx_status st;

        marked_clean();
        marked_make("left/a", N, MARK);
        if (there)
            marked_make("right/b", OTHER_N, OTHER_MARK);
        drxi_fault_arm(++n, error, persistent);
        st = drx_rename("left/a", "right/b", there ? DRX_REPLACE : 0);
        fired = drxi_fault_fired();
        drxi_fault_arm(0, 0, false);
        if (st) {
            assert_true(fired);
            assert_int_equal(st, expected);
            assert_detail("injected fault");
            check_failure(there, persistent);
            continue;
        }
        assert_true(is_source("right/b"));
        assert_true(marked_none("left/a"));
        assert_true(persistent || marked_count("right/*") == 2);
    }
    print_message("%ld calls failed in turn\n", n - 1);
    assert_true(n > 15);
}

TEST(each_call)
{
    fail_calls(EIO, DRX_EIO, false, false);
    fail_calls(ENOSPC, DRX_ENOSPC, true, false);
    fail_calls(EIO, DRX_EIO, false, true);
    fail_calls(EIO, DRX_EIO, true, true);
}

TEST(each_call_without_links)
{
    drxi_hooks.no_links = true;
    fail_calls(EIO, DRX_EIO, false, false);
    fail_calls(EIO, DRX_EIO, true, false);
    drxi_hooks.no_links = false;
}

TEST(each_allocation)
{
    drx_status st = DRX_ENOMEM;

    for (long n = 1; st; n++) {
        marked_clean();
        marked_make("left/a", N, MARK);
        marked_make("right/b", OTHER_N, OTHER_MARK);
        drxi_fail_allocation = n;
        st = drx_rename("left/a", "right/b", DRX_REPLACE);
        drxi_fail_allocation = 0;
        if (st) {
            assert_int_equal(st, DRX_ENOMEM);
            check_failure(true, false);
        }
        assert_true(n < 200);
    }
}

/* ---- kill -9 ------------------------------------------------------------------------------------ */

static const char *const places[] = { "left/x", "right/x", "left/y" };
enum { PLACES = 3, KILLS = 250 };

static int place_of_source(void)
{
    int place = -1;

    for (int i = 0; i < PLACES; i++)
        if (is_source(places[i])) {
            assert_int_equal(place, -1); /* only one */
            place = i;
        }
    return place;
}

/* Rename round and round, now and then over another array, until killed. */
static void run_in_circles(int place)
{
    for (;;) {
        const int next = (place + 1) % PLACES;

        if (drx_rename(places[place], places[next], DRX_REPLACE) != DRX_OK)
            _exit(1);
        place = next;
    }
}

TEST(killed_at_any_moment)
{
    uint64_t random = 1;
    int moved = 0;

    marked_clean();
    marked_make(places[0], N, MARK);
    for (int i = 0; i < KILLS; i++) {
        const int place = place_of_source();
        const struct timespec wait = { 0, random_below(&random, 4000000) };
        int status;
        pid_t pid;

        assert_true(place >= 0);
        if (i % 2)
            marked_make(places[(place + 1) % PLACES], OTHER_N, OTHER_MARK);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            run_in_circles(place);
        (void)nanosleep(&wait, NULL);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
        moved += place_of_source() != place;
    }
    print_message("%d of %d times it was elsewhere\n", moved, (int)KILLS);
    assert_true(moved > KILLS / 10);
    assert_ok(drx_rename(places[place_of_source()], "found", 0));
    assert_true(is_source("found"));
}

/* Killed before each call that opens a file, or changes or syncs names: every moment there is. */
static unsigned rename_flags;

static drx_status rename_it(void)
{
    return drx_rename("left/a", "right/b", rename_flags);
}

TEST(killed_before_each_call)
{
    for (unsigned flags = 0; flags <= DRX_REPLACE; flags += DRX_REPLACE) {
        bool killed = true;
        long calls = 0;

        while (killed) {
            marked_clean();
            marked_make("left/a", N, MARK);
            if (flags)
                marked_make("right/b", OTHER_N, OTHER_MARK);
            rename_flags = flags;
            killed = deadly(rename_it, ++calls);
            assert_true(is_source("left/a") != is_source("right/b"));
            if (is_source("left/a")) { /* what is left is not in the way */
                assert_true(!flags || other_is_somewhere());
                assert_ok(drx_rename("left/a", "right/b", flags));
            } else { /* nor on the way back */
                assert_ok(drx_rename("right/b", "left/a", 0));
                assert_ok(drx_rename("left/a", "right/b", 0));
            }
            assert_true(is_source("right/b") && marked_none("left/a"));
        }
        assert_true(calls > 5);
    }
}

/* ---- others at the same names ----------------------------------------------------------------- */

enum { ROUNDS = 200 };

static bool rename_again_and_again(const char *from, const char *to)
{
    for (int i = 0; i < ROUNDS; i++) {
        const drx_status st = drx_rename(from, to, i % 2 ? DRX_REPLACE : 0);

        if (st && st != DRX_ENOENT && st != DRX_EEXIST && st != DRX_EBUSY) {
            print_error("%s to %s: %s\n", from, to, drx_last_error());
            return false;
        }
    }
    return true;
}

TEST(opposite_ways)
{
    pid_t pids[4];
    int status;

    marked_clean();
    marked_make("left/x", N, MARK);
    for (int i = 0; i < 4; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0)
            _exit(rename_again_and_again(i % 2 ? "right/x" : "left/x", i % 2 ? "left/x" : "right/x") ? 0 : 1);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_true(is_source("left/x") != is_source("right/x"));
    assert_int_equal(marked_count("*/*"), 2);
}

/* Names change only while both folders are locked. */
static int renames_seen;

static bool is_locked(const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY);
    const bool locked = flock(fd, LOCK_EX | LOCK_NB) != 0;

    assert_int_equal(close(fd), 0);
    return locked;
}

static drx_status rename_under_locks(const char *from, const char *to)
{
    assert_true(is_locked("left") && is_locked("right"));
    renames_seen++;
    return drxi_posix.rename(from, to);
}

TEST(both_folders_are_locked)
{
    struct drxi_files hooked = drxi_posix;

    marked_clean();
    marked_make("left/a", N, MARK);
    hooked.rename = rename_under_locks;
    drxi_files = &hooked;
    assert_ok(drx_rename("left/a", "right/b", 0));
    assert_ok(drx_rename("right/b", "left/c", 0));
    drxi_files = &drxi_posix;
    assert_int_equal(renames_seen, 2);
    assert_false(is_locked("left") || is_locked("right"));
}
