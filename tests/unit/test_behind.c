/* Writing behind: which bytes the system is told to begin to write. The file drops what is written to it. */
#include <errno.h>
#include <stdatomic.h>

#include "array/array.h"
#include "base/hooks.h"
#include "drx_tools.h"
#include "file_faults.h"
#include "testing.h"

enum {
    SPAN = DRXI_BEHIND_SPAN_BYTES,
    START_SPANS = 32,          /* nothing is pushed before */
    SPANS = START_SPANS + 40,  /* of the array in the end */
    SIDE = 512,                /* a plane of doubles has SIDE * SIDE of them, 2 MiB */
    PLANES = SPAN / (2 << 20), /* in a span */
    MOST = 4 * SPANS
};

static struct {
    int64_t begin, end;
} pushed[MOST];
static int n_pushed;

static void record(drxi_io *io, int64_t begin, int64_t end)
{
    assert_true(begin < end);
    assert_in_range(n_pushed, 0, MOST - 1);
    pushed[n_pushed].begin = begin;
    pushed[n_pushed++].end = end;
}

static drx_status drop(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    return DRX_OK;
}

static drx_status stay(drxi_io *io, int64_t bytes)
{
    return DRX_OK;
}

static double slab[32 * SIDE * SIDE];

/* An array without planes, in chunks of this many planes, whose file only records. */
static drx_array *array_of(int64_t chunk_planes, unsigned flags)
{
    static struct drxi_io_ops ops;
    const int64_t shape[3] = { 0, SIDE, SIDE }, chunk[3] = { chunk_planes, 64, SIDE };
    const drx_spec spec = { .ndim = 3, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk, .flags = flags };
    drx_array *a;

    assert_ok(drx_create(flags & DRX_CHECKSUM ? "behind" : NULL, &spec, &a));
    ops = *a->data.file->io->ops;
    ops.write = drop;
    ops.resize = stay;
    ops.push = record;
    a->data.file->io->ops = &ops;
    drxi_hooks.shared_bytes = INT64_MAX; /* one thread, so that spans become whole in order */
    drxi_hooks.behind_bytes = START_SPANS * (int64_t)SPAN;
    n_pushed = 0;
    return a;
}

static void grow(drx_array *a, int spans, int64_t by)
{
    for (int64_t planes = (int64_t)spans * PLANES; planes > 0; planes -= by)
        assert_ok(drx_append(a, 0, by, DRX_ROW_MAJOR, slab));
}

/* Every span from the first on was pushed once, in order, except for the last few. */
static void check_in_order(int spans)
{
    int64_t end = 0;

    for (int i = 0; i < n_pushed; i++) {
        assert_int_equal(pushed[i].begin, end);
        end = pushed[i].end;
    }
    assert_in_range(end / SPAN, spans - 12, spans - 1);
}

TEST(growth_by_whole_chunks)
{
    drx_array *a = array_of(4, 0);

    grow(a, START_SPANS, 4);
    assert_int_equal(n_pushed, 0);
    grow(a, SPANS - START_SPANS, 4);
    check_in_order(SPANS);
    assert_ok(drx_close(a));
}

/* By itself it begins at a sixteenth of the memory, within limits. */
TEST(begins_as_memory_allows)
{
    const int64_t part = drxi_room_for_files() / 16 / SPAN, least = 32, most = 256;
    const int start = (int)(part < least ? least : part > most ? most : part);
    drx_array *a = array_of(4, 0);

    drxi_hooks.behind_bytes = 0;
    grow(a, start, 4);
    assert_int_equal(n_pushed, 0);
    grow(a, 8, 4);
    assert_true(n_pushed > 0);
    assert_ok(drx_close(a));
}

/* Each slab fills an eighth of its chunks. */
TEST(growth_by_thin_slabs)
{
    drx_array *a = array_of(32, 0);

    grow(a, SPANS, 4);
    for (int i = 0; i < n_pushed; i++) /* no span before it is full */
        assert_int_equal(pushed[i].end % SPAN, 0);
    check_in_order(SPANS);
    assert_ok(drx_close(a));
}

/* A quarter of each span is not written; the next growth tells that it is done. */
TEST(growth_with_cells_outside)
{
    const int64_t count[3] = { PLANES, SIDE / 4 * 3, SIDE };
    drx_array *a = array_of(PLANES, 0);

    for (int i = 0; i < 2 * SPANS; i++) {
        const int64_t lo[3] = { (int64_t)i * PLANES, 0, 0 };

        assert_ok(drx_extend(a, 0, PLANES));
        assert_ok(drx_write(a, lo, count, DRX_ROW_MAJOR, slab));
    }
    check_in_order(2 * SPANS);
    assert_ok(drx_close(a));
}

TEST(checksums)
{
    drx_array *a = array_of(4, DRX_CHECKSUM | DRX_TEMPORARY);

    grow(a, SPANS, 32);
    check_in_order(SPANS);
    assert_ok(drx_close(a));
}

/* What is written again does not wait again. */
TEST(rewriting)
{
    const int64_t lo[3] = { 0, 0, 0 }, count[3] = { 2 * PLANES, SIDE, SIDE };
    drx_array *a = array_of(4, 0);

    assert_ok(drx_extend(a, 0, 2 * PLANES));
    for (int i = 0; i < SPANS; i++)
        assert_ok(drx_write(a, lo, count, DRX_ROW_MAJOR, slab));
    assert_int_equal(n_pushed, 1);
    assert_ok(drx_close(a));
}

/* Boxes of 64 KiB all over the array, more than START_SPANS in all. */
TEST(scattered_writes)
{
    const int64_t count[3] = { 1, 16, SIDE };
    drx_array *a = array_of(1, 0);
    uint64_t random = 1;

    assert_ok(drx_extend(a, 0, (int64_t)SPANS * 16 * PLANES));
    for (int i = 0; i < (START_SPANS + 8) * (SPAN >> 16); i++) {
        const int64_t lo[3] = { random_below(&random, (int64_t)SPANS * 16 * PLANES),
                                random_below(&random, SIDE / 16) * 16, 0 };

        assert_ok(drx_write(a, lo, count, DRX_ROW_MAJOR, slab));
    }
    assert_int_equal(n_pushed, 0);
    assert_ok(drx_close(a));
}

TEST(turned_off)
{
    drx_array *a = array_of(4, 0);

    drx_set_write_behind(0);
    grow(a, SPANS, 32);
    assert_int_equal(n_pushed, 0);
    drx_set_write_behind(1);
    assert_ok(drx_close(a));
}

/* The caller sees each file's own bytes, also through the table of faults, where a push does not count as a call. */
static drx_status open_recorded(const char *path, enum drxi_how how, drxi_io **out)
{
    static struct drxi_io_ops ops;
    const drx_status st = drxi_posix.open(path, how, out);

    ops = *(*out)->ops;
    ops.push = record;
    (*out)->ops = &ops;
    return st;
}

TEST(stripes_and_faults)
{
    struct drxi_files files = drxi_posix;
    drxi_io *file[2], *set;

    files.open = open_recorded;
    drxi_files = &files;
    drxi_fault_arm(3, EIO, true); /* after the two files are open */
    for (int k = 0; k < 2; k++)
        assert_ok(drxi_files->open(k ? "one" : "zero", DRXI_NEW, &file[k]));
    assert_ok(drxi_stripes_join(file, 2, 100, "set", &set));
    n_pushed = 0;
    set->ops->push(set, 50, 330); /* units 0, 2 and 1, 3 */
    assert_int_equal(n_pushed, 2);
    assert_int_equal(pushed[0].begin, 50);
    assert_int_equal(pushed[0].end, 200);
    assert_int_equal(pushed[1].begin, 0);
    assert_int_equal(pushed[1].end, 130);
    set->ops->push(set, 100, 200);
    assert_int_equal(n_pushed, 3);
    assert_false(drxi_fault_fired());
    drxi_fault_arm(0, 0, false);
    assert_ok(set->ops->close(set));
    drxi_files = &drxi_posix;
}

/* A copy from memory begins after twice as much here, and then goes on as others do. */
TEST(begins_late)
{
    drx_array *a = array_of(4, 0);

    drxi_behind_late(&a->data, true);
    grow(a, 2 * START_SPANS, 4);
    assert_int_equal(n_pushed, 0);
    grow(a, 2, 4);
    assert_true(n_pushed > 0);
    grow(a, 3 * START_SPANS, 4); /* two spans for each */
    check_in_order(5 * START_SPANS + 2);
    assert_ok(drx_close(a));
}

/* What waits when it ends is not pushed at once: two spans for each that is written. */
TEST(late_ends)
{
    drx_array *a = array_of(4, 0);

    drxi_behind_late(&a->data, true);
    grow(a, 2 * START_SPANS, 4);
    drxi_behind_late(&a->data, false);
    grow(a, 4, 4);
    assert_in_range(n_pushed, 3, 4);
    assert_in_range(pushed[n_pushed - 1].end / SPAN, 6, 8);
    grow(a, 2 * START_SPANS, 4);
    check_in_order(4 * START_SPANS + 4);
    assert_ok(drx_close(a));
}

static atomic_int pushes; /* by several threads */

static void count_push(drxi_io *io, int64_t begin, int64_t end)
{
    pushes++;
}

static drx_status open_counted(const char *path, enum drxi_how how, drxi_io **out)
{
    static struct drxi_io_ops ops;
    const drx_status st = drxi_posix.open(path, how, out);

    if (!st) {
        ops = *(*out)->ops;
        ops.push = count_push;
        (*out)->ops = &ops;
    }
    return st;
}

static int pushes_of_copy(drx_array *a, bool directly)
{
    const int64_t chunk[3] = { PLANES, SIDE, 64 };
    const drx_copy_spec spec = { .chunk = chunk, .flags = DRX_REPLACE };

    drxi_hooks.never_direct = !directly;
    pushes = 0;
    assert_ok(drx_copy(a, "copy", &spec, NULL));
    drxi_hooks.never_direct = false;
    return pushes;
}

/* Copies through the passes and from the mapped file, between the two beginnings. */
TEST(copies)
{
    enum { FEW = 4, ALL = FEW + 3 };
    const int64_t shape[3] = { (int64_t)ALL * PLANES, SIDE, SIDE }, chunk[3] = { 1, SIDE, SIDE };
    const drx_spec spec = { .ndim = 3, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk };
    struct drxi_files files = drxi_posix;
    drx_array *a;

    files.open = open_counted;
    drxi_files = &files;
    for (size_t i = 0; i < sizeof slab / sizeof *slab; i++)
        slab[i] = 1; /* zeros would not be written */
    drxi_hooks.behind_bytes = INT64_MAX / 4;
    assert_ok(drx_create("source", &spec, &a));
    for (int64_t at = 0; at < shape[0]; at += PLANES)
        assert_ok(drx_write(a, (int64_t[]){ at, 0, 0 }, (int64_t[]){ PLANES, SIDE, SIDE }, DRX_ROW_MAJOR, slab));
    drxi_hooks.behind_bytes = FEW * (int64_t)SPAN;
    assert_in_range(pushes_of_copy(a, false), 1, ALL - 1);
    if (IN_ORDER_OF_FILES) /* from the mapped file */
        assert_int_equal(pushes_of_copy(a, true), 0);
    drxi_hooks.behind_bytes = (int64_t)SPAN;
    assert_in_range(pushes_of_copy(a, true), 1, ALL - 1);
    assert_ok(drx_close(a));
    drxi_files = &drxi_posix;
}
