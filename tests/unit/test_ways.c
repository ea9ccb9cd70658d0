/* A read may go through a view of the file, by calls, or by both, on one thread or several: files that grow or end too
 * early, and how many calls it takes. That all ways give the same elements, tests/model tells. */
#include <signal.h>
#include <unistd.h>

#include "array/array.h"
#include "base/hooks.h"
#include "base/work.h"
#include "drx_tools.h"
#include "processes.h"

enum { N = 200, CHUNK = 32 };

static const int64_t origin[2];
static int32_t expected[N * N], got[N * N];

static void make(const char *path, int64_t rows)
{
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = (int64_t[]){ rows, N },
                            .chunk = (int64_t[]){ CHUNK, CHUNK },
                            .fill = &(int32_t){ -1 },
                            .flags = DRX_REPLACE };
    drx_array *a;

    for (int64_t i = 0; i < rows * N; i++)
        expected[i] = (int32_t)i;
    assert_ok(drx_create(path, &spec, &a));
    assert_ok(drx_write(a, origin, spec.shape, DRX_ROW_MAJOR, expected));
    assert_ok(drx_close(a));
}

static void use(int way, int threads)
{
    drxi_hooks.way = way;
    drxi_hooks.shared_bytes = threads > 1 ? 0 : INT64_MAX;
    drxi_work_limit(threads);
}

static int use_defaults(void **state)
{
    drxi_hooks.way = DRXI_ANY_WAY;
    drxi_hooks.cache = DRXI_AS_FITS;
    drxi_hooks.shared_bytes = 1 << 20;
    drxi_work_limit(0);
    return 0;
}

/* Another process cuts the file off behind its first page. */
static void cut(const char *file)
{
    const pid_t child = fork();

    if (child == 0)
        _exit(truncate(file, 4096) == 0 ? 0 : 1);
    finish(child);
}

/* What was never promised reads as fill, what a sync has promised is damage; and no
 * signal ends the process. */
TEST_WITH(shortened, NULL, use_defaults)
{
    static const int ways[] = { DRXI_STAGED, DRXI_MAPPED, DRXI_ANY_WAY, DRXI_TOUCHED };
    int32_t value;

    for (int i = 0; i < 16; i++) {
        const bool promised = i % 2;
        drx_array *a;

        make("short", N);
        assert_ok(drx_open("short", DRX_RDWR, &a));
        if (promised)
            assert_ok(drx_sync(a));
        use(ways[i / 2 % 4], i < 8 ? 1 : 2);
        assert_ok(drx_read(a, origin, drx_shape(a), DRX_ROW_MAJOR, got)); /* there is a view */
        assert_ok(drx_get(a, (int64_t[]){ N - 1, N - 1 }, &value));
        cut("short.xta");
        if (promised) {
            assert_status(drx_read(a, origin, drx_shape(a), DRX_COL_MAJOR, got), DRX_EDAMAGED);
            assert_detail("short.xta: damaged: ends before offset");
            assert_status(drx_get(a, (int64_t[]){ N - 1, N - 1 }, &value), DRX_EDAMAGED);
        } else {
            assert_ok(drx_read(a, origin, drx_shape(a), DRX_ROW_MAJOR, got));
            assert_int_equal(got[0], 0);
            assert_int_equal(got[N * N - 1], -1);
            assert_ok(drx_get(a, (int64_t[]){ N - 1, N - 1 }, &value));
            assert_int_equal(value, -1);
        }
        assert_ok(drx_get(a, (int64_t[]){ 0, 5 }, &value)); /* in what is left */
        assert_int_equal(value, 5);
        (void)drx_close(a);
    }
}

static volatile sig_atomic_t seen;

static void note(int number)
{
    seen = number;
}

/* A signal that is not ours goes to the handler before ours, and by default ends the
 * process. */
TEST_WITH(not_ours, NULL, use_defaults)
{
    pid_t child = fork();

    if (child == 0) {
        drx_array *a;

        (void)signal(SIGBUS, note);
        make("ours", 2);
        use(DRXI_MAPPED, 1);
        if (drx_open("ours", DRX_RDONLY, &a) || drx_read(a, origin, drx_shape(a), DRX_ROW_MAJOR, got))
            _exit(1);
        (void)raise(SIGBUS);
        _exit(seen == SIGBUS ? 0 : 2);
    }
    finish(child);
}

enum { BLOCK_BYTES = 2 << 20, WIDE = 512 };

/* Append rows of chunks to an array of WIDE columns; how many writes that takes, in blocks, is known from the bytes. */
static void append_in_blocks(int64_t chunk_rows, int64_t pieces, unsigned flags, int64_t align)
{
    const int64_t rows = chunk_rows * pieces, chunk[2] = { chunk_rows, WIDE };
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = (int64_t[]){ 0, WIDE },
                            .chunk = chunk,
                            .flags = DRX_REPLACE | flags,
                            .align = align };
    int32_t *all = malloc((size_t)(rows * WIDE) * sizeof *all);
    int64_t bytes = 0, writes = 0;
    drx_counters counters;
    drx_array *a;

    assert_non_null(all);
    for (int64_t i = 0; i < rows * WIDE; i++)
        all[i] = (int32_t)i;
    assert_ok(drx_create("blocks", &spec, &a));
    for (int64_t done = 0; done < pieces;) {
        const int64_t n = drxi_min(1 + done % 90, pieces - done), end = bytes + n * a->data.chunk_pitch_bytes;

        assert_ok(drx_append(a, 0, n * chunk_rows, DRX_ROW_MAJOR, all + done * chunk_rows * WIDE));
        writes += n == 1 ? 1 : (end - 1) / BLOCK_BYTES - bytes / BLOCK_BYTES + 1; /* one alone goes straight */
        bytes = end;
        done += n;
    }
    assert_ok(drx_count(a, &counters));
    if (!(flags & DRX_CHECKSUM))
        assert_in_range(counters.writes, writes - (align > 0), writes); /* none for padding alone */
    memset(all, -1, (size_t)(rows * WIDE) * sizeof *all);
    assert_ok(drx_read(a, origin, drx_shape(a), DRX_ROW_MAJOR, all));
    for (int64_t i = 0; i < rows * WIDE; i++)
        assert_int_equal(all[i], i);
    assert_ok(drx_close(a));
    free(all);
}

/* Adjacent whole chunks are written in blocks that the system can keep in one page each, whatever their size. */
TEST_WITH(in_blocks, NULL, use_defaults)
{
    use(DRXI_ANY_WAY, 1);
    append_in_blocks(32, 150, 0, 0);            /* of 64 KiB */
    append_in_blocks(35, 150, 0, 0);            /* 70 KiB, which go across borders */
    append_in_blocks(35, 150, 0, 4096);         /* with padding */
    append_in_blocks(35, 150, DRX_CHECKSUM, 0); /* whole chunks only */
    append_in_blocks(1000, 7, 0, 0);            /* almost a block */
    append_in_blocks(1, 3000, 0, 0);
}

/* A direct read of the end of a file is short, and takes whole blocks, which need not begin with an element. */
TEST_WITH(strings_directly, NULL, use_defaults)
{
    enum { ITEM = 3, ITEMS = 1366, BYTES = ITEM * ITEMS }; /* of a chunk, which is a little more than a block */
    const drx_spec spec = { .ndim = 1,
                            .type = DRX_BYTES(ITEM),
                            .shape = (int64_t[]){ 2 * ITEMS },
                            .chunk = (int64_t[]){ ITEMS },
                            .flags = DRX_REPLACE };
    static char all[2 * BYTES], some[BYTES];

    for (int i = 0; i < 2 * BYTES; i++)
        all[i] = (char)(1 + i % 100);
    for (int synced = 0; synced < 2; synced++) {
        drx_counters counters;
        drx_array *a;

        assert_ok(drx_create("strings", &spec, &a));
        assert_ok(drx_write(a, origin, spec.shape, DRX_ROW_MAJOR, all));
        if (synced)
            assert_ok(drx_sync(a));
        drxi_hooks.cache = DRXI_DIRECT;
        use(DRXI_STAGED, 1);
        for (int again = 0; again < 2; again++) { /* the first goes on from the beginning, through the system's cache */
            assert_ok(drx_read(a, spec.chunk, spec.chunk, DRX_ROW_MAJOR, some));
            assert_memory_equal(some, all + BYTES, BYTES);
        }
        assert_ok(drx_count(a, &counters));
        assert_true(counters.direct_bytes > 0);
        assert_ok(drx_close(a));
    }
}

/* Reads in order bring pages of the view into memory, and copy from there; others read by calls. */
TEST_WITH(touched, NULL, use_defaults)
{
    enum { SIDE = 1024, BYTES = 4 * SIDE * SIDE };
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = (int64_t[]){ SIDE, SIDE },
                            .chunk = (int64_t[]){ 64, 128 },
                            .flags = DRX_REPLACE };
    int32_t *all;
    drx_counters counters;
    drx_array *a;

    if (!IN_ORDER_OF_FILES)
        skip();
    all = malloc(BYTES);
    assert_non_null(all);
    assert_ok(drx_create("touched", &spec, &a));
    for (int i = 0; i < SIDE * SIDE; i++)
        all[i] = i;
    assert_ok(drx_write(a, origin, spec.shape, DRX_ROW_MAJOR, all));
    for (int threads = 1; threads < 4; threads++) {
        use(DRXI_TOUCHED, threads);
        memset(all, -1, BYTES);
        assert_ok(drx_read(a, origin, spec.shape, DRX_COL_MAJOR, all));
        for (int i = 0; i < SIDE * SIDE; i++)
            assert_int_equal(all[i], i % SIDE * SIDE + i / SIDE);
        assert_ok(drx_count(a, &counters));
        assert_int_equal(counters.touched_bytes, (int64_t)BYTES * threads);
        assert_int_equal(counters.read_bytes, counters.touched_bytes);
        assert_int_equal(counters.reads, 4 * threads);
        assert_int_equal(counters.concurrent, 4 * threads);
    }
    assert_ok(drx_read(a, (int64_t[]){ 0, 500 }, (int64_t[]){ SIDE, 1 }, DRX_ROW_MAJOR, all));
    for (int i = 0; i < SIDE; i++)
        assert_int_equal(all[i], i * SIDE + 500);
    assert_ok(drx_count(a, &counters));
    assert_int_equal(counters.touched_bytes, 3 * BYTES);
    assert_ok(drx_close(a));
    free(all);
}

/* ---- calls of the file, seen ---- */

static const struct drxi_io_ops *plain;
static struct drxi_io_ops seen_ops;
static int ordinary_reads, asked[DRXI_MANNERS];

static drx_status seen_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *at)
{
    (void)__atomic_add_fetch(&ordinary_reads, 1, __ATOMIC_RELAXED);
    return plain->read(io, buf, n, offset, at);
}

static void seen_where(drxi_io *io, int64_t offset, enum drxi_manner manner, struct drxi_spot *out)
{
    (void)__atomic_add_fetch(&asked[manner], 1, __ATOMIC_RELAXED);
    plain->where(io, offset, manner, out);
}

static void see_calls(drx_array *a)
{
    plain = a->data.file->io->ops;
    seen_ops = *plain;
    seen_ops.read = seen_read;
    seen_ops.where = seen_where;
    a->data.file->io->ops = &seen_ops;
}

/* Once the system has refused to bring bytes of the view into memory, reads are under way as others are. */
static bool read_untouched(int ignored)
{
    drx_counters counters;
    drx_array *a;

    drxi_hooks.no_touch = true;
    use(DRXI_TOUCHED, 1);
    if (!did(drx_open("touched", DRX_RDONLY, &a)))
        return false;
    see_calls(a);
    for (int round = 0; round < 3; round++) {
        int32_t *all = calloc((size_t)(drx_shape(a)[0] * drx_shape(a)[1]), sizeof *all);

        ordinary_reads = 0;
        if (!all || !did(drx_read(a, origin, drx_shape(a), DRX_ROW_MAJOR, all)))
            return false;
        for (int i = 0; i < drx_shape(a)[0] * drx_shape(a)[1]; i++)
            if (all[i] != i)
                return false;
        if ((ordinary_reads == 0) != (round > 0))
            return false;
        free(all);
    }
    return did(drx_count(a, &counters)) && counters.touched_bytes == 0 && did(drx_close(a));
}

TEST_WITH(not_touched, NULL, use_defaults)
{
    skip_if_emulated();
    if (!IN_ORDER_OF_FILES)
        skip();
    finish(start(read_untouched, 0));
}

/* A box that takes one read goes as more of them would: here and there, or directly. One that goes on where the last
 * one ended is in order for the system, which reads ahead. */
TEST_WITH(one_read, NULL, use_defaults)
{
    enum { ITEMS = 1024, CHUNKS = 1000 };
    static const struct {
        int64_t chunk, chunks;
        bool in_order, in_order_directly;
    } boxes[] = {
        { 500, 1, false, false },  { 501, 1, true, true },    { 502, 2, true, true },   { 508, 1, true, true },
        { 600, 1, false, false },  { 400, 1, false, false },  { 400, 1, false, false }, { 401, 15, true, true },
        { 416, 100, true, false }, { 700, 200, true, false }, { 10, 20, false, false },
    };
    const drx_spec spec = { .ndim = 1,
                            .type = DRX_INT32,
                            .shape = (int64_t[]){ ITEMS * CHUNKS },
                            .chunk = (int64_t[]){ ITEMS },
                            .flags = DRX_REPLACE };
    int32_t *all = malloc(sizeof *all * ITEMS * CHUNKS);

    assert_non_null(all);
    use(DRXI_STAGED, 1);
    drx_set_read_ahead(0);
    for (int way = 0; way < 2; way++) {
        drx_counters before, after;
        drx_array *a;

        assert_ok(drx_create("one_read", &spec, &a));
        for (int i = 0; i < ITEMS * CHUNKS; i++)
            all[i] = i;
        assert_ok(drx_write(a, origin, spec.shape, DRX_ROW_MAJOR, all));
        see_calls(a);
        drxi_hooks.cache = way ? DRXI_DIRECT : DRXI_AS_FITS;
        for (int k = 0; k < (int)(sizeof boxes / sizeof boxes[0]); k++) {
            const bool in_order = way ? boxes[k].in_order_directly : boxes[k].in_order;
            const int64_t lo = boxes[k].chunk * ITEMS, n = boxes[k].chunks * ITEMS;

            memset(asked, 0, sizeof asked);
            memset(all, 0xff, (size_t)n * sizeof *all);
            ordinary_reads = 0;
            assert_ok(drx_count(a, &before));
            assert_ok(drx_read(a, &lo, &n, DRX_ROW_MAJOR, all));
            assert_ok(drx_count(a, &after));
            for (int i = 0; i < n; i++)
                assert_int_equal(all[i], lo + i);
            assert_int_equal(after.reads - before.reads, 1);
            assert_int_equal(after.concurrent, 0);
            assert_int_equal(ordinary_reads, in_order);
            assert_int_equal(asked[DRXI_SCATTERED], !in_order && !way);
            assert_int_equal(asked[DRXI_DIRECTLY], !in_order && way);
            assert_int_equal(after.direct_bytes - before.direct_bytes, !in_order && way ? 4 * n : 0);
        }
        assert_ok(drx_close(a));
    }
    drx_set_read_ahead(1);
    free(all);
}

/* A whole chunk that lies in memory as in the file needs no stage, and no memory. */
TEST(a_chunk_goes_straight_to_the_file)
{
    const int64_t chunk[] = { 5, 7 }, stride[] = { 7, 1 };
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT32, .shape = (int64_t[]){ 105, 105 }, .chunk = chunk, .flags = DRX_REPLACE
    };
    drx_array *a;

    if (!IN_ORDER_OF_FILES)
        skip();
    assert_ok(drx_create("straight", &spec, &a));
    for (int i = 0; i < 35; i++)
        expected[i] = i + 1;
    drxi_fail_allocation = 1;
    assert_ok(drx_write_box(a, &(drx_box){ .lo = chunk, .count = chunk, .stride = stride }, expected));
    assert_int_equal(drxi_fail_allocation, 1);
    drxi_fail_allocation = 0;
    assert_ok(drx_read(a, chunk, chunk, DRX_ROW_MAJOR, got));
    assert_memory_equal(got, expected, 35 * sizeof *got);
    assert_ok(drx_close(a));
}
