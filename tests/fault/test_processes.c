/* Several processes create, replace and remove arrays at one path at the same time. */
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "io/io.h"
#include "processes.h"

enum { ROUNDS = 300 };

/* Arrays of two kinds: of n elements that are all n. */
static drx_status make(int n, unsigned flags)
{
    const int64_t shape[1] = { n };
    const int8_t fill = (int8_t)n;
    const drx_spec spec = {
        .ndim = 1, .type = DRX_INT8, .shape = shape, .chunk = shape, .fill = &fill, .flags = flags
    };
    drx_array *a;
    drx_status st = drx_create("contested", &spec, &a);

    return st ? st : drx_close(a);
}

/* Whole, of one kind, or not there; nothing else. */
static bool look(void)
{
    int8_t buf[100];
    drx_array *a;
    drx_status st = drx_open("contested", DRX_RDONLY, &a);
    bool good;

    if (st == DRX_ENOENT && !strstr(drx_last_error(), "missing"))
        return true;
    if (st || strlen(drx_last_error()) > 0) {
        print_error("opening gave %d: %s\n", (int)st, drx_last_error());
        return false;
    }
    good = drx_read(a, (int64_t[]){ 0 }, drx_shape(a), DRX_ROW_MAJOR, buf) == DRX_OK;
    for (int64_t i = 0; good && i < drx_shape(a)[0]; i++)
        good = buf[i] == drx_shape(a)[0];
    if (!good)
        print_error("the metadata of %d with other data: %s\n", (int)drx_shape(a)[0], drx_last_error());
    (void)drx_close(a);
    return good;
}

static bool make_again_and_again(int n)
{
    for (int i = 0; i < ROUNDS; i++) {
        const drx_status st = make(n, i % 3 ? DRX_REPLACE : 0);

        if ((st && st != DRX_EEXIST && st != DRX_EBUSY) || !look())
            return false;
    }
    return true;
}

static bool remove_again_and_again(int ignored)
{
    for (int i = 0; i < ROUNDS; i++) {
        const drx_status st = drx_remove("contested");

        if ((st && st != DRX_ENOENT && st != DRX_EBUSY) || !look())
            return false;
    }
    return true;
}

static bool write_again_and_again(int ignored)
{
    for (int i = 0; i < ROUNDS; i++) {
        drx_array *a;
        const drx_status st = drx_open("contested", DRX_RDWR, &a);

        if (st == DRX_ENOENT || st == DRX_EBUSY)
            continue;
        if (st || drx_extend(a, 0, 1))
            return false;
        /* it is ours: nobody replaces or removes it now */
        if (access("contested.xmd", F_OK) || access("contested.xta", F_OK))
            return false;
        if (drx_close(a))
            return false;
    }
    return true;
}

TEST(contested_names)
{
    const pid_t workers[] = { start(make_again_and_again, 20), start(make_again_and_again, 90),
                              start(remove_again_and_again, 0) };

    for (size_t i = 0; i < sizeof workers / sizeof workers[0]; i++)
        finish(workers[i]);
    (void)drx_remove("contested");
    assert_ok(make(20, 0));
    assert_true(look());
    assert_status(make(90, 0), DRX_EEXIST);
    assert_ok(drx_remove("contested"));
}

static bool replace_again_and_again(int n)
{
    for (int i = 0; i < ROUNDS; i++) {
        const drx_status st = make(n, DRX_REPLACE);

        if (st && st != DRX_EBUSY)
            return false;
    }
    return true;
}

TEST(writer_keeps_its_array)
{
    const pid_t replacer = start(replace_again_and_again, 30), writer = start(write_again_and_again, 0);

    finish(replacer);
    finish(writer);
}

/* Tables that let something happen between two steps of a call. */
static struct drxi_files hooked;
static int hook_calls;

/* Somebody replaces the array after a reader has opened its metadata. */
static drx_status open_after_replacement(const char *path, enum drxi_how how, drxi_io **out)
{
    if (how == DRXI_READ && strcmp(path, "contested.xta") == 0 && hook_calls++ == 0)
        assert_ok(make(90, DRX_REPLACE));
    return drxi_posix.open(path, how, out);
}

TEST(reader_meets_replacement)
{
    assert_ok(make(20, DRX_REPLACE));
    hooked = drxi_posix;
    hooked.open = open_after_replacement;
    hook_calls = 0;
    drxi_files = &hooked;
    assert_true(look());
    drxi_files = &drxi_posix;
    assert_int_equal(hook_calls, 2);
}

/* Names go only while their folder is locked. */
static drx_status remove_under_lock(const char *path)
{
    const int fd = open(".", O_RDONLY | O_DIRECTORY);

    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
    assert_int_equal(close(fd), 0);
    hook_calls++;
    return drxi_posix.remove(path);
}

TEST(names_change_under_a_lock)
{
    hooked = drxi_posix;
    hooked.remove = remove_under_lock;
    hook_calls = 0;
    drxi_files = &hooked;
    assert_ok(make(30, DRX_REPLACE));
    assert_ok(make(20, DRX_REPLACE));
    assert_ok(drx_remove("contested"));
    drxi_files = &drxi_posix;
    assert_int_equal(hook_calls, 5); /* with the names that a compressed array has */
}
