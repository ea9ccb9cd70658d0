/* A renamed array is whole under one of the two names. test_system_calls fails each call of drx_rename, and
 * test_killed kills it before each. */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hooks.h"
#include "drx_tools.h"
#include "io/io.h"
#include "marked.h"
#include "processes.h"

enum { N = 9, MARK = 7, OTHER_N = 5, OTHER_MARK = 3 };

static bool is_source(const char *path)
{
    return marked_is(path, N, MARK);
}

static bool is_other(const char *path)
{
    return marked_is(path, OTHER_N, OTHER_MARK);
}

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
    assert_int_equal(marked_count("*.x*"), 0);
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

/* Both files of a compressed array have to lead somewhere, whether they get second names or are moved. */
TEST(symbolic_links_of_compressed_arrays)
{
    static const char *const files[] = { "left/a.xtz", "left/a.xct" };

    for (int i = 0; i < 2; i++)
        for (int moved = 0; moved < 2; moved++) {
            char there[32];

            marked_clean();
            marked_codec = DRX_LZ4;
            marked_make("left/a", N, MARK);
            assert_int_equal(rename(files[i], "left/elsewhere"), 0);
            assert_int_equal(symlink("elsewhere", files[i]), 0);
            assert_true(is_source("left/a"));
            drxi_hooks.no_links = moved;
            assert_status(drx_rename("left/a", "right/a", 0), DRX_EUNSUPPORTED);
            (void)snprintf(there, sizeof there, "right/%s", files[i] + strlen("left/"));
            assert_detail(moved ? there : files[i]);
            assert_true(is_source("left/a") && marked_none("right/a"));
            assert_ok(drx_rename("left/a", "left/b", 0));
            drxi_hooks.no_links = false;
            marked_codec = DRX_RAW;
            assert_true(is_source("left/b") && marked_none("left/a"));
        }
}

static void leave_something(const char *name)
{
    FILE *f = fopen(name, "w");

    assert_non_null(f);
    assert_true(fputs("something", f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* The description says which files belong to the array, not which files are there. */
TEST(files_of_another_kind_stay)
{
    marked_clean();
    marked_codec = DRX_LZ4;
    marked_make("a", N, MARK);
    marked_codec = DRX_RAW;
    leave_something("a.xta");
    assert_ok(drx_rename("a", "left/b", 0));
    assert_true(is_source("left/b"));
    assert_int_equal(marked_count("left/*"), 3);
    assert_int_equal(marked_count("*.x*"), 1);
    assert_int_equal(unlink("left/b.xtz"), 0);
    assert_status(drx_rename("left/b", "left/c", 0), DRX_ENOENT);
    assert_detail("left/b.xtz: missing");
    assert_int_equal(unlink("a.xta"), 0);
    marked_make("a", N, MARK);
    leave_something("a.xtz");
    leave_something("a.xct");
    assert_ok(drx_rename("a", "b", 0));
    assert_true(is_source("b"));
    assert_int_equal(marked_count("b.*"), 2);
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

enum { ROUNDS = 200 };

static bool rename_again_and_again(int back)
{
    const char *from = back ? "right/x" : "left/x", *to = back ? "left/x" : "right/x";

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

    marked_clean();
    marked_make("left/x", N, MARK);
    for (int i = 0; i < 4; i++)
        pids[i] = start(rename_again_and_again, i % 2);
    for (int i = 0; i < 4; i++)
        finish(pids[i]);
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
