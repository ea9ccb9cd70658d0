/* A program that leaves a walk does not wait for what is being fetched for it: a read that no thread has begun is never
 * carried out. A program that stays gets all of it. The reads of one box are slow here, and counted. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/hooks.h"
#include "drx_tools.h"
#include "testing.h"

/* Boxes of some columns, a read for each row. A slow read takes so long that all of a box take more than a second. */
enum { ROWS = 1100, COLUMNS = 1 << 16, WIDE = 64, STEP = 8192, SLOW_BOX = 4, SLOW_US = 10000, TRIES = 40 };

static atomic_int begun, ended; /* slow reads */
static atomic_bool slow;

/* What libdrx calls. A row is a chunk, so the place in it tells the box. */
ssize_t pread(int fd, void *buf, size_t n, off_t offset)
{
    static ssize_t (*real)(int fd, void *buf, size_t n, off_t offset);
    const bool waits = slow && offset % COLUMNS == STEP * SLOW_BOX;
    ssize_t got;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pread");
    if (waits) {
        (void)atomic_fetch_add(&begun, 1);
        (void)usleep(SLOW_US);
    }
    got = real(fd, buf, n, offset);
    if (waits)
        (void)atomic_fetch_add(&ended, 1);
    return got;
}

static int8_t box[ROWS * WIDE];

static void make(void)
{
    static const int64_t shape[2] = { ROWS, COLUMNS }, chunk[2] = { 1, COLUMNS };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT8, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };
    const struct timespec long_ago[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
    drx_array *a;

    assert_ok(drx_create("left", &spec, &a));
    assert_ok(drx_close(a));
    assert_int_equal(utimensat(AT_FDCWD, "left.xta", long_ago, 0), 0); /* so that a stash takes it */
}

static void read_box(drx_array *a, int64_t column)
{
    assert_ok(drx_read(a, (int64_t[]){ 0, column }, (int64_t[]){ ROWS, WIDE }, DRX_ROW_MAJOR, box));
}

/* Walk up to the slow box. False: it is not being fetched. */
static bool walk(drx_array *a)
{
    drx_counters before, after;

    begun = ended = 0;
    slow = true;
    for (int64_t k = 0; k < SLOW_BOX; k++) {
        assert_ok(drx_count(a, &before));
        (void)usleep(2000); /* the program works */
        read_box(a, STEP * k);
    }
    assert_ok(drx_count(a, &after));
    if (after.ahead_bytes == before.ahead_bytes)
        return false;
    for (int i = 0; i < 10000 && begun == 0; i++)
        (void)usleep(1000);
    assert_in_range(begun, 1, ROWS / 2);
    return true;
}

/* The array, with reads of the slow box under way: into the system's cache, or directly into a stash. A program may
 * look as if it did not work, on a busy machine, but not each time. */
static drx_array *open_walking(int mode, bool direct)
{
    drx_array *a = NULL;
    bool fetched = false;

    drxi_hooks.way = DRXI_STAGED;
    drxi_hooks.cache = direct ? DRXI_DIRECT : DRXI_CACHED;
    drxi_hooks.stash_bytes = 64 << 20;
    for (int i = 0; i < TRIES && !fetched; i++) {
        assert_ok(drx_close(a));
        assert_ok(drx_open("left", mode, &a));
        fetched = walk(a);
    }
    assert_true(fetched);
    return a;
}

/* Most reads have not begun, and none of them ever will. */
static void expect_left(void)
{
    const int now = begun;

    assert_in_range(now, 1, ROWS / 2);
    (void)usleep(3 * SLOW_US);
    assert_int_equal(begun, now);
    assert_int_equal(ended, now);
}

/* Leaves the walk by a call that gives the array back, or closes it. */
typedef drx_array *leave(drx_array *a);

/* With the reads of the program by a ring or by threads. */
static void leave_by(leave *call, int mode, bool direct)
{
    for (int way = 0; way < 2; way++) {
        const struct drxi_hooks before = drxi_hooks;
        drx_array *a;

        drxi_hooks.no_ring = way == 1;
        a = call(open_walking(mode, direct));
        expect_left();
        slow = false;
        assert_ok(drx_close(a));
        drxi_hooks = before;
    }
}

static drx_array *close_it(drx_array *a)
{
    assert_ok(drx_close(a));
    return NULL;
}

static drx_array *read_elsewhere(drx_array *a)
{
    read_box(a, STEP * (SLOW_BOX + 2));
    return a;
}

static drx_array *turn_back(drx_array *a)
{
    read_box(a, STEP * (SLOW_BOX - 2));
    return a;
}

TEST(closing)
{
    make();
    leave_by(close_it, DRX_RDWR, false);
    leave_by(close_it, DRX_RDONLY, true);
}

TEST(reading_elsewhere)
{
    make();
    leave_by(read_elsewhere, DRX_RDWR, false);
    leave_by(read_elsewhere, DRX_RDONLY, true);
    leave_by(turn_back, DRX_RDONLY, false);
    leave_by(turn_back, DRX_RDONLY, true);
}

/* Calls that have nothing to do with the walk wait for no read of it. */
TEST(other_calls)
{
    const int64_t lo[2] = { ROWS / 2, 5 }, one[2] = { 1, 1 };
    const struct drxi_hooks before = drxi_hooks;
    int8_t value = 7;
    drx_array *a;

    make();
    a = open_walking(DRX_RDWR, false);
    assert_ok(drx_write(a, lo, one, DRX_ROW_MAJOR, &value));
    assert_ok(drx_read(a, lo, one, DRX_ROW_MAJOR, &value));
    assert_ok(drx_extend(a, 0, 1));
    assert_ok(drx_sync(a));
    assert_in_range(begun, 1, ROWS / 2);
    assert_ok(drx_close(a));
    expect_left();
    slow = false;
    drxi_hooks = before;
}

/* Of the box that is read next, nothing is given up. */
TEST(staying)
{
    for (int direct = 0; direct < 2; direct++) {
        const struct drxi_hooks before = drxi_hooks;
        drx_array *a;

        make();
        a = open_walking(DRX_RDONLY, direct);
        read_box(a, STEP * SLOW_BOX);
        assert_true(begun >= ROWS);
        assert_int_equal(ended, begun);
        slow = false;
        assert_ok(drx_close(a));
        drxi_hooks = before;
    }
}
