/* A sync gives back the space of payloads that were replaced, when they are more than those that count: so the file of
 * an array that grows by thin slabs takes about what its chunks take. */
#include "base/hooks.h"
#include "bytes.h"
#include "drx_tools.h"

enum { COLUMNS = 16384, CHUNK_ROWS = 16, ROWS = 320, SYNC_ROWS = 8, FROM_BYTES = 1 << 20 };
enum { CHUNK_BYTES = CHUNK_ROWS * COLUMNS * (int)sizeof(float), SLACK_BYTES = 1 << 18 };

static int lower_threshold(void **state)
{
    (void)state;
    drxi_hooks.reclaiming.from_bytes = FROM_BYTES;
    return 0;
}

static int usual_threshold(void **state)
{
    (void)state;
    drxi_hooks.reclaiming.from_bytes = 16 << 20;
    return 0;
}

static drx_array *make(const char *path)
{
    drx_array *a;

    assert_ok(drx_create(path,
                         &(drx_spec){ .ndim = 2,
                                      .type = DRX_FLOAT32,
                                      .shape = (int64_t[]){ 0, COLUMNS },
                                      .chunk = (int64_t[]){ CHUNK_ROWS, COLUMNS },
                                      .codec = DRX_LZ4,
                                      .flags = DRX_REPLACE },
                         &a));
    return a;
}

static void set_row(float *row, int64_t i)
{
    for (int j = 0; j < COLUMNS; j++)
        row[j] = (float)(i * 3 + j / 64);
}

static void append_rows(drx_array *a, int64_t from, int64_t to)
{
    static float row[COLUMNS];

    for (int64_t i = from; i < to; i++) {
        set_row(row, i);
        assert_ok(drx_append(a, 0, 1, DRX_ROW_MAJOR, row));
    }
}

static void check_rows(drx_array *a, int64_t from, int64_t to)
{
    static float row[COLUMNS], got[COLUMNS];

    for (int64_t i = from; i < to; i++) {
        set_row(row, i);
        assert_ok(drx_read(a, (int64_t[]){ i, 0 }, (int64_t[]){ 1, COLUMNS }, DRX_ROW_MAJOR, got));
        assert_memory_equal(got, row, sizeof row);
    }
}

/* What the payloads take on the disk. */
static int64_t taken(const char *name)
{
    struct stat s;

    assert_int_equal(stat(name, &s), 0);
    return (int64_t)s.st_blocks * 512;
}

static int64_t alive(drx_array *a)
{
    drx_packing p;

    assert_ok(drx_packing_of(a, &p));
    return p.stored_bytes;
}

/* Dead is at most what is alive or the threshold, and what lies between them is less than a block. */
static int64_t bound(drx_array *a)
{
    const int64_t live = alive(a);

    return live + (live > FROM_BYTES ? live : FROM_BYTES) + SLACK_BYTES;
}

static void grow(const char *path, bool open_each_time)
{
    char name[64];
    drx_array *a = make(path), *reader = NULL;
    int64_t most = 0;

    (void)snprintf(name, sizeof name, "%s.xtz", path);
    for (int64_t i = 0; i < ROWS; i += SYNC_ROWS) {
        append_rows(a, i, i + SYNC_ROWS);
        if (i == 0) { /* it was at payloads that go */
            assert_ok(drx_sync(a));
            assert_ok(drx_open(path, DRX_RDONLY, &reader));
            check_rows(reader, 0, 2);
        }
        if (open_each_time) {
            assert_ok(drx_close(a));
            assert_ok(drx_open(path, DRX_RDWR, &a));
        }
        assert_ok(drx_sync(a));
        assert_in_range(taken(name), 1, bound(a));
        assert_in_range(length_of(name), 1,
                        alive(a) + CHUNK_BYTES + SLACK_BYTES); /* all open chunks lie in one place */
        most = taken(name) > most ? taken(name) : most;
    }
    assert_true(most < ROWS / CHUNK_ROWS * (int64_t)CHUNK_BYTES / 2);
    check_rows(reader, 0, SYNC_ROWS);
    assert_ok(drx_refresh(reader));
    check_rows(reader, 0, ROWS);
    assert_ok(drx_close(reader));
    check_rows(a, 0, ROWS);
    assert_ok(drx_close(a));
    assert_ok(drx_check(path, NULL, NULL, NULL, NULL));
}

TEST_WITH(thin_slabs_keep_no_dead_payloads, lower_threshold, usual_threshold)
{
    grow("thin", false);
}

/* Who opens the array looks at the file for what others have given back. */
TEST_WITH(nor_when_the_array_is_opened_again_and_again, lower_threshold, usual_threshold)
{
    grow("again", true);
}

/* Others may write at any time to an array that is shared; the next who has it alone gives back. */
TEST_WITH(shared_arrays_wait, lower_threshold, usual_threshold)
{
    drx_array *a = make("shared");

    assert_ok(drx_close(a));
    assert_ok(drx_open("shared", DRX_SHARED, &a));
    append_rows(a, 0, 8 * CHUNK_ROWS);
    assert_ok(drx_sync(a));
    assert_true(taken("shared.xtz") > bound(a));
    assert_ok(drx_close(a));
    assert_ok(drx_open("shared", DRX_RDWR, &a));
    assert_true(taken("shared.xtz") > bound(a));
    assert_ok(drx_sync(a));
    assert_in_range(taken("shared.xtz"), 1, bound(a));
    check_rows(a, 0, 8 * CHUNK_ROWS);
    assert_ok(drx_close(a));
    assert_ok(drx_check("shared", NULL, NULL, NULL, NULL));
}

/* Below the threshold nothing is given back. */
TEST(small_files_stay_as_they_are)
{
    drx_array *a = make("small");

    append_rows(a, 0, 4 * CHUNK_ROWS);
    assert_ok(drx_sync(a));
    assert_true(taken("small.xtz") > 4 * (int64_t)CHUNK_BYTES);
    assert_ok(drx_close(a));
}

/* The file ends within a payload that is open, and promised: what is missing is fill, and no other payload comes
 * there. */
TEST(cut_within_open)
{
    enum { N = 1000, CUT = 2000 };
    const drx_spec spec = { .ndim = 1,
                            .type = DRX_INT32,
                            .shape = (int64_t[]){ 2 * N },
                            .chunk = (int64_t[]){ N },
                            .codec = DRX_LZ4,
                            .fill = &(int32_t){ 5 },
                            .flags = DRX_REPLACE };
    const int64_t *lo = (int64_t[]){ 0 }, part = N - 1;
    uint64_t stream = starting_seed(20261126);
    int32_t values[2 * N], got[2 * N];
    int kept = 0;
    struct stat s;
    drx_array *a;

    for (int i = 0; i < 2 * N; i++)
        values[i] = (int32_t)random_next(&stream);
    assert_ok(drx_create("whole", &spec, &a));
    assert_ok(drx_write(a, lo, &part, DRX_ROW_MAJOR, values));
    assert_ok(drx_sync(a));
    assert_int_equal(system("for f in whole.x*; do cp $f cut.${f#whole.}; done"), 0);
    assert_ok(drx_close(a));
    assert_int_equal(stat("cut.xtz", &s), 0);
    assert_int_equal(truncate("cut.xtz", s.st_size - CUT), 0);
    for (int again = 0; again < 2; again++) {
        assert_ok(drx_open("cut", DRX_RDWR, &a));
        assert_ok(drx_write(a, spec.chunk, spec.chunk, DRX_ROW_MAJOR, values + N));
        assert_ok(drx_sync(a));
        assert_ok(drx_read(a, lo, spec.shape, DRX_ROW_MAJOR, got));
        for (kept = 0; got[kept] == values[kept]; kept++)
            continue;
        assert_in_range(kept, N - 1 - CUT / 4, N - 2);
        for (int i = kept; i < N; i++)
            assert_int_equal(got[i], 5);
        assert_memory_equal(got + N, values + N, N * sizeof *got);
        assert_ok(drx_close(a));
    }
}
