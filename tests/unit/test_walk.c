/* Reading ahead of a program that walks: which reads make a walk, what is fetched, and that nothing else changes. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "array/array.h"
#include "base/hooks.h"
#include "drx_tools.h"
#include "processes.h"
#include "testing.h"

enum { N = 48, SLAB = 4, SLAB_BYTES = 8 * SLAB * N * N };

static double expected(const int64_t i[])
{
    return (double)((i[0] * 1000 + i[1]) * 1000 + i[2]);
}

static void write_all(drx_array *a)
{
    double *all = malloc(sizeof *all * N * N * N);
    int64_t i[3] = { 0 };
    const int64_t zero[3] = { 0 }, count[3] = { N, N, N };
    size_t at = 0;

    assert_non_null(all);
    do
        all[at++] = expected(i);
    while (next_index(3, count, i));
    assert_ok(drx_write(a, zero, count, DRX_ROW_MAJOR, all));
    free(all);
}

/* An array of N x N x N, read from the disk, as far as the library knows. */
static drx_array *new_array_as(unsigned flags, drx_codec codec)
{
    static const int64_t shape[] = { N, N, N }, chunk[] = { 16, 8, 12 };
    const drx_spec spec = {
        .ndim = 3, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk, .codec = codec, .flags = DRX_REPLACE | flags
    };
    drx_array *a;

    drxi_hooks.way = DRXI_STAGED;
    assert_ok(drx_create("walk", &spec, &a));
    write_all(a);
    return a;
}

static drx_array *new_array(unsigned flags)
{
    return new_array_as(flags, DRX_RAW);
}

static void close_array(drx_array *a)
{
    assert_ok(drx_close(a));
    drxi_hooks.way = DRXI_ANY_WAY;
}

static void read_box(drx_array *a, const int64_t lo[], const int64_t count[])
{
    double *box = malloc((size_t)(count[0] * count[1] * count[2]) * sizeof *box);
    int64_t i[3] = { 0 };
    size_t at = 0;

    assert_non_null(box);
    assert_ok(drx_read(a, lo, count, DRX_ROW_MAJOR, box));
    do {
        const int64_t index[3] = { lo[0] + i[0], lo[1] + i[1], lo[2] + i[2] };

        assert_true(box[at++] == expected(index));
    } while (next_index(3, count, i));
    free(box);
}

static void read_slab(drx_array *a, int axis, int64_t lo)
{
    int64_t from[3] = { 0 }, count[3] = { N, N, N };

    from[axis] = lo;
    count[axis] = drxi_min(SLAB, N - lo);
    read_box(a, from, count);
}

/* Slabs along each axis, forwards and backwards: after three, each next one is fetched, up to the bounds. */
TEST(slabs)
{
    for (int axis = 0; axis < 3; axis++)
        for (int back = 0; back < 2; back++) {
            drx_array *a = new_array(0);

            for (int64_t k = 0; k < N / SLAB; k++) {
                const int64_t before = counters_of(a).ahead_bytes;

                read_slab(a, axis, SLAB * (back ? N / SLAB - 1 - k : k));
                if (k < 2 || k == N / SLAB - 1)
                    assert_int_equal(counters_of(a).ahead_bytes, before);
                else
                    assert_true(counters_of(a).ahead_bytes - before >= SLAB_BYTES);
            }
            close_array(a);
        }
}

/* Of a compressed array the payloads are fetched. */
TEST(compressed_slabs)
{
    for (int axis = 0; axis < 3; axis++) {
        drx_array *a = new_array_as(0, DRX_LZ4);

        for (int64_t k = 0; k < N / SLAB; k++) {
            const int64_t before = counters_of(a).ahead_bytes;

            read_slab(a, axis, SLAB * k);
            if (k < 2 || k == N / SLAB - 1)
                assert_int_equal(counters_of(a).ahead_bytes, before);
            else
                assert_true(counters_of(a).ahead_bytes > before);
        }
        close_array(a);
    }
}

/* Boxes of a nested loop: once a row has turned, each next box is fetched, also around the corners. */
TEST(nested_loops)
{
    static const int64_t count[3] = { 12, 16, N };
    drx_array *a = new_array(0);
    const int64_t in_row = N / count[1], boxes = N / count[0] * in_row;

    for (int64_t k = 0; k < boxes; k++) {
        const int64_t before = counters_of(a).ahead_bytes;

        read_box(a, (int64_t[]){ k / in_row * count[0], k % in_row * count[1], 0 }, count);
        if (k < in_row || k == boxes - 1)
            assert_int_equal(counters_of(a).ahead_bytes, before);
        else
            assert_true(counters_of(a).ahead_bytes - before >= 8 * count[0] * count[1] * count[2]);
    }
    close_array(a);
}

/* Of a box that takes more reads than are sent ahead, the first ones are. */
TEST(many_reads)
{
    enum { ROWS = 5000, COLUMNS = 40000, WIDE = 16, MOST_READS = 4096 };
    static const int64_t shape[2] = { ROWS, COLUMNS }, chunk[2] = { 1, COLUMNS / 2 }, count[2] = { ROWS, WIDE };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT8, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };
    static int8_t box[ROWS * WIDE];
    drx_array *a;

    drxi_hooks.way = DRXI_STAGED;
    assert_ok(drx_create("many", &spec, &a));
    for (int64_t k = 0; k < 6; k++) {
        const int64_t before = counters_of(a).ahead_bytes;

        assert_ok(drx_read(a, (int64_t[]){ 0, 10 * WIDE * k }, count, DRX_ROW_MAJOR, box));
        assert_true(drxi_is_zero(box, sizeof box));
        assert_int_equal(counters_of(a).ahead_bytes - before, k < 2 ? 0 : MOST_READS * WIDE);
    }
    close_array(a);
}

/* What is no walk, or is not to be fetched. */
TEST(nothing_fetched)
{
    static const int64_t small[3] = { 4, 4, 4 };
    drx_array *a = new_array(0);

    for (int64_t k = 0; k < 8; k++)
        read_slab(a, 0, k * (k + 1) / 2); /* steps that differ */
    for (int64_t k = 0; k < 8; k++)
        read_slab(a, 0, SLAB); /* no step */
    for (int64_t k = 0; k < 8; k++)
        read_slab(a, (int)(k % 3), 0); /* shapes that differ */
    for (int64_t k = 0; k < 8; k++)
        read_box(a, (int64_t[]){ k, k, k }, small);
    assert_int_equal(counters_of(a).ahead_bytes, 0);
    drx_set_read_ahead(0);
    for (int64_t k = 0; k < 8; k++)
        read_slab(a, 0, SLAB * k);
    drx_set_read_ahead(1);
    assert_int_equal(counters_of(a).ahead_bytes, 0);
    drxi_hooks.way = DRXI_ANY_WAY; /* and what is in memory need not be fetched */
    for (int64_t k = 0; k < 8; k++)
        read_slab(a, 0, SLAB * k);
    if (IN_ORDER_OF_FILES)
        assert_int_equal(counters_of(a).ahead_bytes, 0);
    close_array(a);
}

/* The walk ends at the bounds; it goes on when they grow; and elements that change meanwhile are read as they are. */
TEST(changes_meanwhile)
{
    for (unsigned flags = 0; flags <= DRX_CHECKSUM; flags += DRX_CHECKSUM) {
        drx_array *a = new_array(flags);
        const int64_t lo[3] = { 5 * SLAB, 0, 0 }, one[3] = { 1, 1, 1 };
        double value = -1;

        for (int64_t k = 0; k < 5; k++)
            read_slab(a, 0, SLAB * k);
        assert_true(counters_of(a).ahead_bytes > 0);
        assert_ok(drx_write(a, lo, one, DRX_ROW_MAJOR, &value));
        value = 0;
        assert_ok(drx_read(a, lo, one, DRX_ROW_MAJOR, &value));
        assert_true(value == -1);
        value = expected(lo);
        assert_ok(drx_write(a, lo, one, DRX_ROW_MAJOR, &value));
        assert_ok(drx_extend(a, 2, 30));
        assert_ok(drx_extend(a, 0, 30));
        for (int64_t k = 5; k < N / SLAB; k++)
            read_slab(a, 0, SLAB * k);
        assert_ok(drx_sync(a));
        close_array(a); /* with reads under way */
    }
}

static void *walk(void *arg)
{
    for (int round = 0; round < 3; round++)
        for (int64_t k = 0; k < N / SLAB; k++)
            read_slab(arg, round, SLAB * k);
    return NULL;
}

TEST(several_threads)
{
    drx_array *a = new_array(0);
    pthread_t thread[4];

    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, walk, a), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    close_array(a);
}

/* A child neither waits for its parent's reads nor ends them. */
TEST(forking)
{
    drx_array *a;
    pid_t child;

    skip_if_emulated();
    a = new_array(0);
    for (int64_t k = 0; k < 5; k++)
        read_slab(a, 0, SLAB * k);
    child = fork();
    if (child == 0) {
        (void)alarm(60);
        for (int64_t k = 5; k < N / SLAB; k++)
            read_slab(a, 0, SLAB * k);
        _exit(0);
    }
    finish(child);
    (void)walk(a);
    close_array(a);
}
