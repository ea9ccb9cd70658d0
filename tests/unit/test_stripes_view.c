/* Striped arrays are read through a map of their stripes, whatever the bytes of a chunk: the second read of an element
 * makes no call, and the map follows the files. That all ways of reading give the elements, tests/model tells. */
#include <unistd.h>

#include "array/array.h"
#include "base/hooks.h"
#include "base/work.h"
#include "drx_tools.h"
#include "testing.h"

enum { MOST = 64 };

static const char *const folders[] = { "d0", "d1", "d2", "d0", "d1" };
static int32_t expected[MOST][MOST], got[MOST * MOST];
static uint64_t seed;

static int make_folders(void **state)
{
    return system("mkdir -p d0 d1 d2");
}

static int use_defaults(void **state)
{
    drxi_hooks.way = DRXI_ANY_WAY;
    drxi_hooks.shared_bytes = 1 << 20;
    drxi_work_limit(0);
    drx_set_memory(0);
    return system("rm -rf d0 d1 d2 a.*");
}

static void use(int way, int threads)
{
    drxi_hooks.way = way;
    drxi_hooks.shared_bytes = threads > 1 ? 0 : INT64_MAX;
    drxi_work_limit(threads);
}

static void fill_in(drx_array *a)
{
    const int64_t *lo = (int64_t[]){ 0, 0 }, *shape = drx_shape(a);

    for (int i = 0; i < shape[0]; i++)
        for (int j = 0; j < shape[1]; j++)
            expected[i][j] = (int32_t)random_next(&seed);
    assert_ok(drx_write_box(
        a, &(drx_box){ .lo = lo, .count = shape, .stride = (int64_t[]){ MOST, 1 }, .order = DRX_ROW_MAJOR }, expected));
}

/* Grown along both axes in turn, to at most MOST by MOST. */
static drx_array *make(const int64_t chunk[2], int stripes, unsigned flags, int64_t align)
{
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = (int64_t[]){ 1, 1 },
                            .chunk = chunk,
                            .align = align,
                            .nstripes = stripes,
                            .stripes = stripes ? folders : NULL,
                            .flags = DRX_REPLACE | flags,
                            .fill = &(int32_t){ -1 } };
    drx_array *a;

    assert_ok(drx_create("a", &spec, &a));
    for (int axis = 0; drx_shape(a)[0] < MOST - 9 || drx_shape(a)[1] < MOST - 9; axis = 1 - axis)
        assert_ok(drx_extend(a, axis, drxi_min(1 + random_below(&seed, 30), MOST - drx_shape(a)[axis])));
    fill_in(a);
    return a;
}

static void check_box(drx_array *a)
{
    int64_t lo[2], count[2], step[2];
    const bool by_column = random_below(&seed, 2) > 0;
    const int64_t stride[2] = { by_column ? 1 : MOST, by_column ? MOST : 1 };

    for (int j = 0; j < 2; j++) {
        const int64_t bound = drx_shape(a)[j];

        lo[j] = random_below(&seed, bound);
        step[j] = 1 + random_below(&seed, 3) % 2;
        count[j] = 1 + random_below(&seed, (bound - 1 - lo[j]) / step[j] + 1);
    }
    assert_ok(drx_read_box(a, &(drx_box){ .lo = lo, .count = count, .step = step, .stride = stride }, got));
    for (int64_t i = 0; i < count[0]; i++)
        for (int64_t j = 0; j < count[1]; j++)
            assert_int_equal(got[i * stride[0] + j * stride[1]], expected[lo[0] + i * step[0]][lo[1] + j * step[1]]);
}

static void check_points(drx_array *a)
{
    enum { POINTS = 150 };
    int64_t at[POINTS][2];

    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < 2; j++)
            at[i][j] = random_below(&seed, drx_shape(a)[j]);
    assert_ok(drx_read_points(a, POINTS, at[0], got));
    for (int i = 0; i < POINTS; i++) {
        int32_t value;

        assert_int_equal(got[i], expected[at[i][0]][at[i][1]]);
        assert_ok(drx_get(a, at[i], &value));
        assert_int_equal(value, got[i]);
    }
}

/* ---- calls of the stripes, counted and failing ---- */

static const struct drxi_io_ops *plain;
static struct drxi_io_ops counted;
static long calls, fails_at, in_order;

static drx_status counted_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *at)
{
    calls++;
    return plain->read(io, buf, n, offset, at);
}

static drx_status counted_size(drxi_io *io, int64_t *bytes)
{
    return ++calls == fails_at ? drxi_fail(DRX_EIO, "%s: failed", io->path) : plain->size(io, bytes);
}

static void counted_where(drxi_io *io, int64_t offset, enum drxi_manner manner, struct drxi_spot *out)
{
    plain->where(io, offset, manner, out);
    in_order += manner == DRXI_IN_ORDER;
    if (++calls == fails_at)
        out->fd = -1;
}

static void count_calls(drx_array *a)
{
    calls = fails_at = in_order = 0;
    plain = drxi_stripes_file(a->data.file->io, 0)->ops;
    counted = *plain;
    counted.read = counted_read;
    counted.size = counted_size;
    counted.where = counted_where;
    for (int k = 0; k < drxi_stripes_count(a->data.file->io); k++)
        drxi_stripes_file(a->data.file->io, k)->ops = &counted;
    drxi_data_resized(&a->data); /* look again */
}

TEST_WITH(no_calls, make_folders, use_defaults)
{
    drx_counters before, after;
    drx_array *a;

    if (!IN_ORDER_OF_FILES)
        skip();
    a = make((int64_t[]){ 7, 9 }, 3, 0, 1);
    count_calls(a);
    check_points(a);
    check_box(a);
    assert_int_equal(a->data.view.files, 3);
    assert_ok(drx_count(a, &before));
    assert_true(calls > 0);
    calls = 0;
    for (int i = 0; i < 100; i++) {
        check_points(a);
        check_box(a);
    }
    assert_ok(drx_count(a, &after));
    assert_int_equal(calls, 0);
    assert_int_equal(after.reads, before.reads);
    assert_ok(drx_close(a));
}

/* When a call that makes the map fails, one after the other, reads go by calls. */
TEST_WITH(no_map, make_folders, use_defaults)
{
    long last = 0;

    if (!IN_ORDER_OF_FILES)
        skip();
    for (long n = 1; n == 1 || n <= last; n++) {
        drx_array *a = make((int64_t[]){ 7, 9 }, 3, 0, 1);

        count_calls(a);
        fails_at = n == 1 ? 0 : n - 1;
        assert_true(n > 1 ? !drxi_data_view(&a->data) : drxi_data_view(&a->data) != NULL);
        last = n == 1 ? calls + 1 : last;
        fails_at = 0;
        check_points(a);
        check_box(a);
        assert_ok(drx_close(a));
    }
    assert_true(last > 3);
}

/* Another process cuts a stripe off: what was never promised reads as fill, what a sync has promised is damage, the
 * rest stays, and no signal ends the process. */
TEST_WITH(shortened, make_folders, use_defaults)
{
    for (int round = 0; round < 12; round++) {
        const int cut = round % 3;
        const bool promised = round / 3 % 2;
        drx_array *a = make((int64_t[]){ 16, 17 }, 3, 0, 1); /* 1088 bytes */
        const int64_t *shape = drx_shape(a);

        if (promised)
            assert_ok(drx_sync(a));
        use(DRXI_MAPPED, 1 + round / 6);
        check_points(a);
        assert_int_equal(truncate(drx_file(a, 1 + cut), 0), 0);
        for (int64_t i = 0; i < shape[0]; i++)
            for (int64_t j = 0; j < shape[1]; j++) {
                int64_t q;
                int32_t value;
                drx_status st;

                assert_ok(drx_chunk_address(a, (int64_t[]){ i / 16, j / 17 }, &q));
                st = drx_get(a, (int64_t[]){ i, j }, &value);
                assert_int_equal(st, promised && q % 3 == cut ? DRX_EDAMAGED : DRX_OK);
                if (!st)
                    assert_int_equal(value, q % 3 == cut ? -1 : expected[i][j]);
            }
        if (promised) {
            assert_status(drx_read(a, (int64_t[]){ 0, 0 }, shape, DRX_COL_MAJOR, got), DRX_EDAMAGED);
            assert_detail(drx_file(a, 1 + cut));
        } else {
            assert_ok(drx_read(a, (int64_t[]){ 0, 0 }, shape, DRX_COL_MAJOR, got));
        }
        (void)drx_close(a);
    }
}

/* A map follows the files as they grow, and is not made while one of them lacks its share: its last page would read as
 * zeros. */
TEST_WITH(map_follows, make_folders, use_defaults)
{
    enum { UNIT = 1000, FILES = 3 };
    static const char *const names[FILES] = { "d0/f", "d1/f", "d2/f" };
    drxi_io *file[FILES], *set;
    struct drxi_view view = { .base = NULL };

    for (int k = 0; k < FILES; k++)
        assert_ok(drxi_files->open(names[k], DRXI_NEW, &file[k]));
    assert_ok(drxi_stripes_join(file, FILES, UNIT, "set", &set));
    assert_ok(set->ops->view(set, &view));
    assert_null(view.base);
    for (int64_t bytes = 1; bytes < INT64_C(5) << 30; bytes = bytes * 3 + 1) {
        const uint8_t mark = (uint8_t)bytes;

        assert_ok(set->ops->resize(set, bytes));
        assert_ok(set->ops->write(set, &mark, 1, bytes - 1));
        assert_ok(set->ops->view(set, &view));
        if (view.base && view.bytes == 0) { /* it has no room for more */
            drxi_view_close(&view);
            assert_ok(set->ops->view(set, &view));
        }
        assert_non_null(view.base);
        assert_int_equal(view.bytes, bytes);
        assert_true(view.room >= bytes);
        assert_int_equal(*drxi_view_at(&view, bytes - 1), mark);
        if (bytes > 40)
            assert_int_equal(*drxi_view_at(&view, bytes / 2), 0);
    }
    assert_ok(file[1]->ops->resize(file[1], 1));
    assert_ok(set->ops->view(set, &view));
    assert_int_equal(view.bytes, 0);
    drxi_view_close(&view);
    assert_ok(set->ops->view(set, &view));
    assert_null(view.base);
    assert_ok(set->ops->close(set));
}

/* Rows of bytes in a view of several files, each beside what drxi_view_at says of it. */
TEST_WITH(rows, make_folders, use_defaults)
{
    seed = starting_seed(20261127);
    for (int round = 0; round < 20000; round++) {
        const int64_t unit = 1 + random_below(&seed, 50), files = random_below(&seed, 8);
        const int64_t span = 1000 * unit + random_below(&seed, 50);
        const struct drxi_view view = {
            .base = (const uint8_t *)1000000, .files = (int)files, .unit = unit, .file_span = span
        };
        const int64_t apart = (random_below(&seed, 120) - 60) * unit + (round % 5 == 0),
                      count = 1 + random_below(&seed, 40);
        const int64_t offset = (2400 + random_below(&seed, 100)) * unit + random_below(&seed, unit);
        const int64_t step = drxi_floor_mod(apart / unit, drxi_max(files, 1));
        const int64_t first = step == 1 ? 0 : files - 1; /* the file where a group begins */
        const uint8_t *at = drxi_view_at(&view, offset);
        bool all;
        const struct drxi_view_row row = drxi_view_row(&view, offset, apart, count, &all);

        assert_in_range(row.n * row.groups, all ? count : 1, count);
        for (int64_t i = 0; i < row.n * row.groups; i++)
            assert_ptr_equal(drxi_view_at(&view, offset + i * apart), at + i / row.n * row.turn + i % row.n * row.step);
        if (files > 1 && apart % unit == 0 && (step == 1 || step == files - 1) && offset / unit % files == first)
            assert_true(row.n * row.groups > count - files);
    }
}

/* A row of chunks is copied by three copies at most, whatever the number of stripes. */
TEST_WITH(few_copies, make_folders, use_defaults)
{
    if (!IN_ORDER_OF_FILES)
        skip();
    for (int stripes = 2; stripes <= 5; stripes++) {
        const drx_spec spec = { .ndim = 2,
                                .type = DRX_INT32,
                                .shape = (int64_t[]){ MOST, MOST },
                                .chunk = (int64_t[]){ 4, 2 },
                                .nstripes = stripes,
                                .stripes = folders,
                                .flags = DRX_REPLACE };
        drx_counters before, after;
        drx_array *a;

        assert_ok(drx_create("a", &spec, &a));
        fill_in(a);
        use(DRXI_MAPPED, 1);
        for (int by_column = 0; by_column < 2; by_column++) {
            assert_ok(drx_count(a, &before));
            assert_ok(drx_read(a, (int64_t[]){ 0, 0 }, drx_shape(a), by_column ? DRX_COL_MAJOR : DRX_ROW_MAJOR, got));
            assert_ok(drx_count(a, &after));
            assert_in_range(after.copies - before.copies, 1, 3 * (by_column ? MOST / 2 : MOST / 4));
        }
        for (int i = 0; i < MOST * MOST; i++)
            assert_int_equal(got[i], expected[i % MOST][i / MOST]);
        assert_ok(drx_close(a));
    }
}

/* The system reads ahead in each stripe of its own, past a short row of reads. So only long rows are read in order. */
TEST_WITH(short_rows, make_folders, use_defaults)
{
    for (int stripes = 0; stripes <= 3; stripes += 3) {
        drx_array *a = make((int64_t[]){ 32, 32 }, stripes, 0, 1);

        count_calls(a);
        use(DRXI_STAGED, 1);
        drx_set_memory(1 << 14); /* several reads */
        assert_ok(drx_read(a, (int64_t[]){ 0, 0 }, drx_shape(a), DRX_ROW_MAJOR, got));
        drx_set_memory(0);
        assert_true(calls > 2);
        assert_true(stripes ? in_order == 0 : in_order > 0);
        assert_ok(drx_close(a));
    }
}

TEST_WITH(long_rows, make_folders, use_defaults)
{
    enum { CHUNK = 1 << 20, CHUNKS = 12, SHORT = 8 }; /* the row is short until it has more than that */
    const drx_spec spec = { .ndim = 1,
                            .type = DRX_INT8,
                            .shape = (int64_t[]){ CHUNKS * CHUNK },
                            .chunk = (int64_t[]){ CHUNK },
                            .nstripes = 3,
                            .stripes = folders,
                            .flags = DRX_REPLACE };
    int8_t *all = malloc(CHUNKS * CHUNK);
    drx_array *a;

    assert_non_null(all);
    assert_ok(drx_create("a", &spec, &a));
    count_calls(a);
    use(DRXI_STAGED, 1);
    assert_ok(drx_read(a, (int64_t[]){ 0 }, spec.shape, DRX_ROW_MAJOR, all));
    assert_int_equal(in_order, CHUNKS - SHORT);
    assert_ok(drx_close(a));
    free(all);
}

/* A read goes through gaps between what is wanted. What is missing there does no harm. */
TEST_WITH(gaps_that_are_lost, make_folders, use_defaults)
{
    enum { CHUNK = 272, CHUNKS = 8 };
    const drx_spec spec = { .ndim = 1,
                            .type = DRX_INT32,
                            .shape = (int64_t[]){ CHUNK * CHUNKS },
                            .chunk = (int64_t[]){ CHUNK },
                            .nstripes = 2,
                            .stripes = folders,
                            .flags = DRX_REPLACE };
    const drx_box even = { .lo = (int64_t[]){ 0 },
                           .count = (int64_t[]){ CHUNKS / 2 },
                           .step = (int64_t[]){ 2 * CHUNK } };
    int32_t values[CHUNK * CHUNKS];
    drx_array *a;

    for (int i = 0; i < CHUNK * CHUNKS; i++)
        values[i] = i + 1;
    assert_ok(drx_create("a", &spec, &a));
    assert_ok(drx_write(a, even.lo, spec.shape, DRX_ROW_MAJOR, values));
    assert_ok(drx_sync(a));
    assert_int_equal(truncate(drx_file(a, 2), 0), 0);
    use(DRXI_STAGED, 1);
    assert_ok(drx_read_box(a, &even, got));
    for (int i = 0; i < CHUNKS / 2; i++)
        assert_int_equal(got[i], values[2 * CHUNK * i]);
    assert_status(drx_read(a, even.lo, spec.shape, DRX_ROW_MAJOR, got), DRX_EDAMAGED);
    assert_detail(drx_file(a, 2));
    (void)drx_close(a);
}
