/* Decoded chunks that are kept for small reads: all arrays of the process together keep within the bound. */
#include "array/array.h"
#include "drx_tools.h"
#include "testing.h"

enum { ROWS = 64, COLUMNS = 1024, CHUNK_BYTES = COLUMNS * (int)sizeof(float), ARRAYS = 3, KEPT = 8 };

static drx_array *make(int number)
{
    static float values[ROWS * COLUMNS];
    const int64_t shape[] = { ROWS, COLUMNS }, chunk[] = { 1, COLUMNS }, lo[] = { 0, 0 };
    char path[16];
    drx_array *a;

    (void)snprintf(path, sizeof path, "kept%d", number);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i] = (float)(number + i / 8);
    assert_ok(drx_create(
        path,
        &(drx_spec){
            .ndim = 2, .type = DRX_FLOAT32, .shape = shape, .chunk = chunk, .codec = DRX_LZ4, .flags = DRX_REPLACE },
        &a));
    assert_ok(drx_write(a, lo, shape, DRX_ROW_MAJOR, values));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    assert_ok(drx_open(path, DRX_RDONLY, &a));
    return a;
}

/* Small reads of each row: the second one of a chunk decodes and keeps it. */
static void read_rows(drx_array *a, int number, int64_t first, int64_t rows)
{
    for (int64_t i = first; i < first + rows; i++)
        for (int turn = 0; turn < 3; turn++) {
            const int64_t lo[] = { i, 8 * turn }, count[] = { 1, 8 };
            float got[8];

            assert_ok(drx_read(a, lo, count, DRX_ROW_MAJOR, got));
            for (int j = 0; j < 8; j++)
                assert_true(got[j] == (float)(number + (i * COLUMNS + lo[1] + j) / 8));
        }
}

static int kept(drx_array *const a[])
{
    int n = 0;

    for (int i = 0; i < ARRAYS; i++)
        n += a[i] ? a[i]->data.file->pack->cache.n : 0;
    return n;
}

TEST(all_arrays_share_the_bound)
{
    drx_array *a[ARRAYS];

    for (int i = 0; i < ARRAYS; i++)
        a[i] = make(i);
    drx_set_memory(8 * KEPT * CHUNK_BYTES);
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < ARRAYS; i++) {
            read_rows(a[i], i, 0, ROWS);
            assert_in_range(kept(a), 1, KEPT);
        }
    assert_int_equal(kept(a), KEPT);
    assert_ok(drx_close(a[0])); /* which had all of them */
    a[0] = NULL;
    assert_int_equal(kept(a), 0);
    read_rows(a[1], 1, 0, KEPT);
    assert_int_equal(kept(a), KEPT);
    drx_set_memory(0);
    read_rows(a[2], 2, 0, ROWS);
    assert_int_equal(kept(a), KEPT + ROWS);
    drx_set_memory(8 * 2 * CHUNK_BYTES);
    read_rows(a[2], 2, 0, 1); /* each frees its own at its next small read */
    assert_int_equal(kept(a), KEPT);
    read_rows(a[1], 1, 0, 1);
    assert_in_range(kept(a), 0, 2);
    read_rows(a[2], 2, 0, 2);
    assert_int_equal(kept(a), 2);
    drx_set_memory(8 * KEPT * CHUNK_BYTES);
    read_rows(a[2], 2, 0, 4);
    assert_int_equal(kept(a), 6);
    drx_set_memory(0);
    for (int i = 1; i < ARRAYS; i++)
        assert_ok(drx_close(a[i]));
}
