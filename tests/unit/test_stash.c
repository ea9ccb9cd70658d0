/* Reading ahead of a program that walks through an array that is read directly: what is fetched into memory, for whom,
 * and that a change in between is seen. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "array/array.h"
#include "base/hooks.h"
#include "drx_tools.h"
#include "processes.h"
#include "testing.h"

enum { N = 48, SLAB = 4, SLABS = N / SLAB, SLAB_BYTES = 8 * SLAB * N * N, TRIES = 40 };

static const int64_t slab_count[3] = { SLAB, N, N };
static double slab[SLAB * N * N];

static double expected(int64_t i, int64_t j, int64_t k)
{
    return (double)((i * 1000 + j) * 1000 + k);
}

/* Let the last change of the data be long ago, at this second. */
static void change_at(time_t second)
{
    const struct timespec times[2] = { { .tv_sec = second }, { .tv_sec = second } };

    assert_int_equal(utimensat(AT_FDCWD, "stash.xta", times, 0), 0);
}

static void make_old(void)
{
    change_at(1000000000);
}

static void make(unsigned flags)
{
    static const int64_t shape[] = { N, N, N }, chunk[] = { 16, 24, 24 }, zero[3] = { 0 };
    const drx_spec spec = {
        .ndim = 3, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE | flags
    };
    double *all = malloc(sizeof *all * N * N * N);
    drx_array *a;

    assert_non_null(all);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            for (int64_t k = 0; k < N; k++)
                all[(i * N + j) * N + k] = expected(i, j, k);
    assert_ok(drx_create("stash", &spec, &a));
    assert_ok(drx_write(a, zero, shape, DRX_ROW_MAJOR, all));
    assert_ok(drx_close(a));
    free(all);
    make_old();
}

static drx_array *open_as(int mode)
{
    drx_array *a;

    drxi_hooks.way = DRXI_STAGED;
    drxi_hooks.cache = DRXI_DIRECT;
    assert_ok(drx_open("stash", mode, &a));
    return a;
}

static void close_array(drx_array *a)
{
    assert_ok(drx_close(a));
    drxi_hooks.way = DRXI_ANY_WAY;
    drxi_hooks.cache = DRXI_AS_FITS;
    drxi_hooks.stash_bytes = 0;
}

static void rest(int milliseconds)
{
    const struct timespec pause = { 0, 1000000 * milliseconds };

    if (milliseconds > 0)
        (void)nanosleep(&pause, NULL);
}

static void read_slab(drx_array *a, int64_t which)
{
    memset(slab, 0xff, sizeof slab);
    assert_ok(drx_read(a, (int64_t[]){ SLAB * which, 0, 0 }, slab_count, DRX_ROW_MAJOR, slab));
}

static void check_slab(int64_t which)
{
    for (int64_t i = 0; i < SLAB; i++)
        for (int64_t j = 0; j < N; j++)
            for (int64_t k = 0; k < N; k++)
                assert_true(slab[(i * N + j) * N + k] == expected(SLAB * which + i, j, k));
}

/* Walk from one slab to another with a rest after each. Returns the bytes that were fetched. */
static int64_t walk(drx_array *a, int64_t first, int64_t end, int milliseconds)
{
    const int64_t before = counters_of(a).ahead_bytes;

    for (int64_t which = first; which < end; which++) {
        read_slab(a, which);
        check_slab(which);
        rest(milliseconds);
    }
    return counters_of(a).ahead_bytes - before;
}

/* Walk through all without looking. */
static int64_t hurry(drx_array *a)
{
    const int64_t before = counters_of(a).ahead_bytes;

    for (int64_t which = 0; which < SLABS; which++)
        assert_ok(drx_read(a, (int64_t[]){ SLAB * which, 0, 0 }, slab_count, DRX_ROW_MAJOR, slab));
    return counters_of(a).ahead_bytes - before;
}

/* Walk through the first five slabs until the sixth is being fetched. The machine may be so busy that a program that
 * rests looks like one that does not, but not each time. */
static void fetch_sixth(drx_array *a)
{
    bool fetched = false;

    for (int i = 0; i < TRIES && !fetched; i++) {
        (void)walk(a, 0, 4, 5);
        fetched = walk(a, 4, 5, 0) > 0;
    }
    assert_true(fetched);
}

/* A program that takes its time has all slabs but the first three from the stash, and one that does not has none. */
TEST(all)
{
    for (unsigned flags = 0; flags <= DRX_CHECKSUM; flags += DRX_CHECKSUM) {
        drx_array *a;
        int64_t most = 0;
        bool left = false;

        make(flags);
        a = open_as(DRX_RDONLY);
        for (int i = 0; i < TRIES && most < (SLABS - 3) * SLAB_BYTES; i++)
            most = drxi_max(most, walk(a, 0, SLABS, 5));
        for (int i = 0; i < TRIES && !left; i++)
            left = hurry(a) < (SLABS - 3) * SLAB_BYTES;
        assert_true(most >= (SLABS - 3) * SLAB_BYTES);
        assert_true(left);
        close_array(a);
    }
}

/* What was fetched is not read again. */
TEST(from_the_stash)
{
    drx_counters before, after;
    drx_array *a;
    int64_t of_slab;

    make(0);
    a = open_as(DRX_RDONLY);
    (void)walk(a, 0, 1, 0);
    assert_ok(drx_count(a, &before));
    of_slab = before.concurrent;
    assert_true(of_slab > 1);
    fetch_sixth(a);
    assert_ok(drx_count(a, &before));
    read_slab(a, 5);
    check_slab(5);
    assert_ok(drx_count(a, &after));
    assert_int_equal(after.concurrent - before.concurrent, after.ahead_bytes > before.ahead_bytes ? of_slab : 0);
    close_array(a);
}

/* Only the first part of a slab finds room. */
TEST(in_part)
{
    drx_array *a;

    make(0);
    for (int64_t bytes = 4096; bytes < 2 * SLAB_BYTES; bytes = bytes * 5 / 2 / 8 * 8) {
        int64_t fetched = 0;

        a = open_as(DRX_RDONLY);
        drxi_hooks.stash_bytes = bytes;
        for (int i = 0; i < TRIES && fetched == 0; i++)
            fetched = walk(a, 0, SLABS, 5);
        assert_true(fetched <= bytes * (SLABS - 3));
        if (bytes > SLAB_BYTES * 2 / 3)
            assert_true(fetched > 0);
        close_array(a);
    }
}

/* Elements that change while they are in the stash are read as they are, also when that seems long ago. */
TEST(changed)
{
    for (int i = 0; i < 4; i++) {
        const int64_t lo[3] = { 5 * SLAB, 7, 9 }, one[3] = { 1, 1, 1 };
        const double other = -1;
        drx_array *a, *writer;

        make(i & 1 ? DRX_CHECKSUM : 0);
        a = open_as(DRX_RDONLY);
        fetch_sixth(a);
        assert_ok(drx_open("stash", DRX_RDWR, &writer));
        assert_ok(drx_write(writer, lo, one, DRX_ROW_MAJOR, &other));
        assert_ok(drx_close(writer));
        if (i & 2)
            change_at(1000000001);
        read_slab(a, 5);
        assert_true(slab[(0 * N + 7) * N + 9] == other);
        slab[(0 * N + 7) * N + 9] = expected(lo[0], lo[1], lo[2]);
        check_slab(5);
        close_array(a);
    }
}

/* Nothing is fetched while somebody can write, shortly after a change, or when the array has been compacted or
 * replaced, since nobody knows who writes to it then. */
TEST(not_beside_changes)
{
    drx_array *a, *writer;
    time_t changed_at;

    make(0);
    a = open_as(DRX_RDWR);
    assert_int_equal(walk(a, 0, SLABS, 5), 0);
    close_array(a);

    a = open_as(DRX_RDONLY);
    assert_ok(drx_open("stash", DRX_RDWR, &writer));
    assert_int_equal(walk(a, 0, SLABS, 5), 0);
    assert_ok(drx_close(writer));
    assert_ok(drx_open("stash", DRX_SHARED, &writer));
    assert_int_equal(walk(a, 0, SLABS, 5), 0);
    assert_ok(drx_close(writer));
    make_old();
    fetch_sixth(a);

    changed_at = time(NULL);
    change_at(changed_at);
    (void)walk(a, 5, 6, 0); /* the stash is emptied */
    if (walk(a, 0, 5, 5) > 0)
        assert_true(time(NULL) - changed_at >= 3); /* so slow is the machine */
    make_old();
    fetch_sixth(a);
    make(0); /* under the same name */
    assert_int_equal(walk(a, 5, SLABS, 5), 0);
    close_array(a);
}

/* Turned off, or below the least limit, nothing is fetched. A walk may end with reads under way. */
TEST(bounds)
{
    drx_array *a;

    make(0);
    a = open_as(DRX_RDONLY);
    drx_set_read_ahead(0);
    assert_int_equal(walk(a, 0, SLABS, 5), 0);
    drx_set_read_ahead(1);
    drx_set_memory(31 << 20);
    assert_int_equal(walk(a, 0, SLABS, 5), 0);
    drx_set_memory(32 << 20);
    fetch_sixth(a);
    read_slab(a, 9);
    check_slab(9);
    fetch_sixth(a);
    drx_set_memory(0);
    close_array(a);
}

/* A child neither uses its parent's reads nor ends them. */
TEST(forking)
{
    drx_array *a;
    pid_t child;

    skip_if_emulated();
    make(0);
    a = open_as(DRX_RDONLY);
    fetch_sixth(a);
    child = fork();
    if (child == 0) {
        (void)alarm(60);
        (void)walk(a, 5, SLABS, 5);
        _exit(0);
    }
    finish(child);
    (void)walk(a, 5, SLABS, 5);
    close_array(a);
}
