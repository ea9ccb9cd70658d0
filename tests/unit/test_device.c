/* The example of a device (tests/device_example.c): an array whose files count their bytes. */
#include "array/array.h"
#include "device_example.h"
#include "drx_tools.h"
#include "testing.h"

enum { N = 128, CHUNK = 32, CHUNK_BYTES = CHUNK * CHUNK * 4 };

static int32_t values[N * N], got[N * N];

static int count_files(void **state)
{
    drxi_files = drxi_counted_files();
    for (int i = 0; i < N * N; i++)
        values[i] = i;
    return 0;
}

static int use_files(void **state)
{
    drxi_files = &drxi_anywhere;
    return 0;
}

static void make(const char *path)
{
    const int64_t shape[] = { N, N }, chunk[] = { CHUNK, CHUNK }, lo[] = { 0, 0 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };
    int64_t read, written;
    drx_array *a;

    assert_ok(drx_create(path, &spec, &a));
    assert_ok(drx_write(a, lo, shape, DRX_ROW_MAJOR, values));
    drxi_counted_bytes(a->data.file->io, &read, &written);
    assert_int_equal(written, N * N * 4); /* each byte once, and none is read for it */
    assert_int_equal(read, 0);
    assert_ok(drx_close(a));
}

/* How many bytes of the data file a box takes. */
static int64_t cost_of(drx_array *a, const int64_t lo[], const int64_t count[])
{
    int64_t before, after, written;

    drxi_counted_bytes(a->data.file->io, &before, &written);
    assert_ok(drx_read(a, lo, count, DRX_ROW_MAJOR, got));
    drxi_counted_bytes(a->data.file->io, &after, &written);
    assert_int_equal(written, 0);
    for (int64_t i = 0; i < count[0]; i++)
        assert_memory_equal(got + i * count[1], values + (lo[0] + i) * N + lo[1], (size_t)count[1] * 4);
    return after - before;
}

/* A box takes the bytes from its first element in a chunk to its last there, and what lies between two chunks when that
 * costs less than another read. */
TEST_WITH(bytes_of_boxes, count_files, use_files)
{
    const int64_t corner[] = { 0, 0 }, all[] = { N, N }, inside[] = { 3, 5 }, small[] = { 4, 6 }, one[] = { 1, 1 };
    const int64_t chunk[] = { CHUNK, CHUNK }, edge[] = { CHUNK - 1, 0 }, across[] = { 2, CHUNK };
    drx_counters counters;
    int64_t read, written;
    drx_array *a;

    make("counted");
    assert_ok(drx_open("counted", DRX_RDONLY, &a));
    assert_int_equal(cost_of(a, corner, chunk), CHUNK_BYTES);
    assert_int_equal(cost_of(a, inside, one), 4);
    assert_int_equal(cost_of(a, inside, small), (3 * CHUNK + 6) * 4);
    assert_int_equal(cost_of(a, edge, across), 2 * CHUNK * 4 + 3 * CHUNK_BYTES); /* a row of each of two chunks */
    a->data.file->io->cost.gap_bytes = 0;
    assert_int_equal(cost_of(a, edge, across), 2 * CHUNK * 4);
    assert_int_equal(cost_of(a, corner, all), N * N * 4);
    drxi_counted_bytes(a->data.file->io, &read, &written);
    assert_ok(drx_count(a, &counters));
    assert_int_equal(counters.read_bytes, read); /* the library counts alike */
    assert_ok(drx_close(a));
}

/* What it passes on: lengths, names, locks, errors. */
TEST_WITH(passed_on, count_files, use_files)
{
    drx_array *a, *b;

    make("passed");
    assert_ok(drx_open("passed", DRX_RDWR, &a));
    assert_int_equal(drx_open("passed", DRX_RDWR, &b), DRX_EBUSY);
    assert_ok(drx_extend(a, 0, 2 * N));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    assert_ok(drx_open("passed", DRX_SHARED, &a)); /* its log tells others of writes */
    assert_ok(drx_put(a, (const int64_t[DRX_MAX_NDIM]){ 0 }, (const double[]){ 1 }));
    assert_ok(drx_extend(a, 0, 1));
    assert_ok(drx_close(a));
    assert_int_equal(drx_open("missing", DRX_RDONLY, &a), DRX_ENOENT);
    assert_non_null(strstr(drx_last_error(), "missing"));
    assert_ok(drx_check("passed", NULL, NULL, NULL, NULL));
    assert_ok(drx_remove("passed"));
}
