/* Runs of a file that are read many at a time, directly or not, give what a plain read gives: from any offset to any
 * place in memory, over padding, holes and a lost end. A damaged chunk is told when a run has all of it. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hooks.h"
#include "bytes.h"
#include "layout/run/run.h"
#include "testing.h"

enum { ROUNDS = 40, MOST_RUNS = 40, ROOM = 6 << 20, LONGEST = 5 << 19 };

static uint64_t seed;
static uint8_t *got, *expected;

struct run {
    int64_t offset, bytes, place;
};

static drx_array *make(unsigned flags)
{
    static const drx_type types[] = { DRX_INT32, DRX_COMPLEX128, DRX_BYTES(7) };
    const int64_t widths[] = { 16, 100, 1000 }, aligns[] = { 1, 64, 4096 };
    const int64_t chunk[] = { 1 + random_below(&seed, 300), 1 + random_below(&seed, widths[random_below(&seed, 3)]) };
    const drx_type type = types[random_below(&seed, 3)];
    const int64_t bytes = chunk[0] * chunk[1] * (int64_t)drx_type_size(type);
    const int64_t shape[] = { chunk[0] * (1 + (2 << 20) / bytes), chunk[1] * 2 };
    const int64_t zero[] = { 0, 0 }, part[] = { shape[0] - random_below(&seed, shape[0] / 2 + 1), shape[1] };
    const size_t n = (size_t)(part[0] * part[1]) * drx_type_size(type);
    uint8_t *values = malloc(n);
    drx_array *a;

    for (size_t i = 0; i < n; i += 8) {
        const uint64_t some = random_next(&seed);

        memcpy(values + i, &some, n - i < 8 ? n - i : 8);
    }
    assert_ok(drx_create("x",
                         &(drx_spec){ .ndim = 2,
                                      .type = type,
                                      .shape = shape,
                                      .chunk = chunk,
                                      .align = aligns[random_below(&seed, 3)],
                                      .flags = DRX_REPLACE | flags },
                         &a));
    assert_ok(drx_write(a, zero, part, DRX_ROW_MAJOR, values));
    free(values);
    return a;
}

static int64_t random_offset(const drx_array *a)
{
    const int64_t items = a->data.chunk_bytes / (int64_t)a->data.item_bytes;

    return random_below(&seed, a->log.state.map.chunks) * a->data.chunk_pitch_bytes +
           (random_below(&seed, 2) ? 0 : random_below(&seed, items) * (int64_t)a->data.item_bytes);
}

/* Runs to places in memory, most of which begin as blocks of the disk do. */
static int choose(const drx_array *a, struct run runs[], int64_t most_runs)
{
    const int most = 1 + (int)random_below(&seed, most_runs);
    int64_t place = 0;
    int n = 0;

    for (int tries = 0; n < most && tries < 1000; tries++) {
        const int64_t begin = random_offset(a), end = random_offset(a);

        if (begin >= end || end - begin > LONGEST)
            continue;
        place = random_below(&seed, 3) ? drxi_ceil_div(place, 4096) * 4096 + begin % 4096 : place + 13;
        if (place + (end - begin) > ROOM)
            break;
        runs[n++] = (struct run){ begin, end - begin, place };
        place += end - begin;
    }
    return n;
}

static drx_status read_runs(drx_array *a, const struct run runs[], int n)
{
    struct drxi_run_reads *reads;
    drx_status st = drxi_run_reads_begin(&a->data, ROOM, &reads);

    if (st)
        return st;
    assert_non_null(reads);
    for (int i = 0; !st && i < n; i++)
        st = drxi_run_reads_add(reads, got + runs[i].place, runs[i].bytes, runs[i].offset);
    return drxi_run_reads_end(reads, st);
}

static drx_status read_plainly(drx_array *a, const struct run runs[], int n)
{
    drx_status st = DRX_OK;

    for (int i = 0; !st && i < n; i++)
        st = drxi_data_read(&a->data, expected + runs[i].place, (size_t)runs[i].bytes, runs[i].offset);
    return st;
}

/* Padding means nothing: what comes of it where the file ends may differ. */
static void clear_padding(const drx_array *a, const struct run runs[], int n, uint8_t *bytes)
{
    const int64_t pitch = a->data.chunk_pitch_bytes, padding = pitch - a->data.chunk_bytes;

    for (int i = 0; i < n; i++) {
        const int64_t end = runs[i].offset + runs[i].bytes;

        for (int64_t at = runs[i].offset / pitch * pitch + a->data.chunk_bytes; at < end; at += pitch)
            memset(bytes + runs[i].place + at - runs[i].offset, 0, (size_t)drxi_min(padding, end - at));
    }
}

static void choose_way(void)
{
    drxi_hooks.cache = random_below(&seed, 2) ? DRXI_DIRECT : DRXI_CACHED;
    drxi_hooks.no_ring = random_below(&seed, 3) == 0;
    drx_set_memory(random_below(&seed, 3) ? 0 : 8 << 20);
}

static void end_ways(void)
{
    drxi_hooks.cache = DRXI_AS_FITS;
    drxi_hooks.no_ring = false;
    drx_set_memory(0);
}

static void prepare(void)
{
    if (got)
        return;
    seed = starting_seed(0);
    got = aligned_alloc(4096, ROOM);
    expected = malloc(ROOM);
}

TEST(as_plain_reads)
{
    struct run runs[MOST_RUNS];
    int64_t concurrent = 0, direct = 0;

    prepare();
    for (int round = 0; round < ROUNDS; round++) {
        drx_array *a = make(random_below(&seed, 2) ? DRX_CHECKSUM : 0);
        drx_counters counters;

        if (random_below(&seed, 4) == 0) /* not synced */
            assert_int_equal(truncate("x.xta", length_of("x.xta") - random_below(&seed, 1 << 20)), 0);
        for (int k = 0; k < 4; k++) {
            const int n = choose(a, runs, MOST_RUNS);

            choose_way();
            memset(got, 0xa5, ROOM);
            memset(expected, 0xa5, ROOM);
            assert_ok(read_plainly(a, runs, n));
            assert_ok(read_runs(a, runs, n));
            clear_padding(a, runs, n, got);
            clear_padding(a, runs, n, expected);
            assert_memory_equal(got, expected, ROOM); /* nothing beside the runs is touched */
        }
        end_ways();
        assert_ok(drx_count(a, &counters));
        concurrent += counters.concurrent;
        direct += counters.direct_bytes;
        assert_ok(drx_close(a));
    }
    assert_true(concurrent > 20 * ROUNDS && direct > (int64_t)ROUNDS << 20);
}

/* A stripe that lacks its last bytes is noticed also where a direct read took as many of the next stripe instead. */
TEST(stripes_that_lack_bytes)
{
    enum { CHUNK = 1250, CHUNKS = 6, PITCH = 4 * CHUNK };
    static const char *const folders[] = { "s0", "s1", "s2" };
    const drx_spec spec = { .ndim = 1,
                            .type = DRX_INT32,
                            .shape = (int64_t[]){ CHUNK * CHUNKS },
                            .chunk = (int64_t[]){ CHUNK },
                            .nstripes = 3,
                            .stripes = folders,
                            .flags = DRX_REPLACE };
    const struct run run = { 3 * PITCH, 2 * PITCH, 0 };
    int32_t values[CHUNK * CHUNKS];
    drx_array *a;

    prepare();
    for (int i = 0; i < CHUNK * CHUNKS; i++)
        values[i] = i + 1;
    for (int k = 0; k < 3; k++)
        assert_int_equal(mkdir(folders[k], 0777), 0);
    assert_ok(drx_create("x", &spec, &a));
    assert_ok(drx_write(a, (int64_t[]){ 0 }, spec.shape, DRX_ROW_MAJOR, values));
    assert_int_equal(truncate(drx_file(a, 1), 2 * PITCH - 100), 0); /* of chunk 3 */
    drxi_hooks.cache = DRXI_DIRECT;
    memset(got, 0xa5, ROOM);
    memset(expected, 0xa5, ROOM);
    assert_ok(read_plainly(a, &run, 1));
    assert_ok(read_runs(a, &run, 1));
    end_ways();
    assert_memory_equal(got, expected, ROOM);
    memcpy(values, got, PITCH);
    assert_int_equal(values[CHUNK - 1], 0);
    assert_ok(drx_close(a));
    assert_ok(drx_remove("x"));
    for (int k = 0; k < 3; k++)
        assert_int_equal(rmdir(folders[k]), 0);
}

TEST(damaged_chunks)
{
    struct run runs[MOST_RUNS];
    int found = 0;

    prepare();
    for (int round = 0; round < ROUNDS; round++) {
        drx_array *a = make(DRX_CHECKSUM);
        const int64_t bad = random_below(&seed, a->log.state.map.chunks) * a->data.chunk_pitch_bytes;
        const int n = choose(a, runs, 2);
        drx_status st;
        uint8_t old;
        const int fd = open("x.xta", O_RDWR);

        assert_int_equal(pread(fd, &old, 1, bad), 1);
        old ^= 1;
        assert_int_equal(pwrite(fd, &old, 1, bad), 1);
        assert_int_equal(close(fd), 0);
        st = read_plainly(a, runs, n);
        assert_true(st == DRX_OK || st == DRX_ECHECKSUM);
        choose_way();
        assert_status(read_runs(a, runs, n), st);
        end_ways();
        found += st == DRX_ECHECKSUM;
        assert_ok(drx_close(a));
    }
    assert_true(found > ROUNDS / 20 && found < ROUNDS);
}

/* Where memory is short, the reads fail, or are made one by one. */
TEST(allocations_that_fail)
{
    struct run runs[MOST_RUNS];
    drx_array *a;
    int n;

    prepare();
    a = make(0);
    n = choose(a, runs, MOST_RUNS);
    assert_ok(read_plainly(a, runs, n));
    for (long fails = 1;; fails++) {
        drx_status st;

        drxi_fail_allocation = fails;
        st = read_runs(a, runs, n);
        if (drxi_fail_allocation > 0)
            break;
        drxi_fail_allocation = 0;
        assert_true(st == DRX_OK || st == DRX_ENOMEM);
        for (int i = 0; !st && i < n; i++)
            assert_memory_equal(got + runs[i].place, expected + runs[i].place, (size_t)runs[i].bytes);
    }
    drxi_fail_allocation = 0;
    assert_ok(drx_close(a));
    free(got);
    free(expected);
}
