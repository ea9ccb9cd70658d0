/* Lists of elements as one request: how many calls it takes, what is refused, files that were cut, and what happens
 * when a call fails. That they give the right elements, tests/model tells. */
#include <errno.h>
#include <unistd.h>

#include "base/hooks.h"
#include "base/work.h"
#include "bytes.h"
#include "drx_tools.h"
#include "file_faults.h"
#include "io/io.h"

enum { MOST_ROWS = 90, MOST_COLUMNS = 70, MOST = 4000 };

static const int64_t origin[2];
static int64_t indices[MOST][2];
static int32_t values[MOST], got[MOST];

static uint64_t seed = 5;

static drx_array *make(const char *path, unsigned flags, int stripes, int64_t chunk_rows)
{
    static const char *const folders[] = { "s0", "s1", "s2" };
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = (int64_t[]){ 5, 4 },
                            .chunk = (int64_t[]){ chunk_rows, 8 },
                            .fill = &(int32_t){ -1 },
                            .chunk_order = chunk_rows % 2 ? DRX_COL_MAJOR : DRX_ROW_MAJOR,
                            .align = chunk_rows > 8 ? 512 : 1,
                            .nstripes = stripes,
                            .stripes = stripes ? folders : NULL,
                            .flags = flags | DRX_REPLACE };
    drx_array *a;

    assert_int_equal(system("mkdir -p s0 s1 s2"), 0);
    assert_ok(drx_create(path, &spec, &a));
    return a;
}

static void use(int way, int threads)
{
    drxi_hooks.way = way;
    drxi_hooks.shared_bytes = threads > 1 ? 0 : INT64_MAX;
    drxi_work_limit(threads);
}

static int use_defaults(void **state)
{
    use(DRXI_ANY_WAY, 0);
    drxi_hooks.shared_bytes = 1 << 20;
    drxi_hooks.cache = DRXI_AS_FITS;
    drx_set_memory(0);
    return 0;
}

/* Elements of each size, more points than a block holds, and again smaller blocks. */
TEST_WITH(sizes, NULL, use_defaults)
{
    static const drx_type types[] = { DRX_INT8, DRX_UINT16, DRX_FLOAT32, DRX_INT64, DRX_COMPLEX128 };
    static uint8_t all[16 * 1000], some[16 * 300000];
    static int64_t list[300000];

    for (int64_t i = 0; i < (int64_t)sizeof all; i++)
        all[i] = (uint8_t)random_next(&seed);
    for (int64_t i = 0; i < 300000; i++)
        list[i] = random_below(&seed, 1000);
    for (int k = 0; k < 15; k++) {
        const drx_type type = types[k % 5];
        const size_t item = drx_type_size(type);
        const drx_spec spec = {
            .ndim = 1, .type = type, .shape = (int64_t[]){ 1000 }, .chunk = (int64_t[]){ 7 }, .flags = DRX_REPLACE
        };
        drx_array *a;

        use(k / 5 == 0 ? DRXI_STAGED : DRXI_MAPPED, 1 + k / 5 % 2);
        drxi_hooks.cache = k % 2 ? DRXI_DIRECT : DRXI_CACHED;
        drx_set_memory(k % 2 ? 1 << 16 : 0);
        assert_ok(drx_create(k < 10 ? "sizes" : NULL, &spec, &a));
        assert_ok(drx_write(a, origin, spec.shape, DRX_ROW_MAJOR, all));
        assert_ok(drx_read_points(a, 300000, list, some));
        for (int64_t i = 0; i < 300000; i++)
            assert_memory_equal(some + (size_t)i * item, all + (size_t)list[i] * item, item);
        for (int64_t i = 0; i < 300000; i++)
            some[(size_t)i * item] ^= (uint8_t)i; /* one element, different values */
        assert_ok(drx_write_points(a, 300000, list, some));
        for (int64_t i = 0; i < 300000; i++)
            memcpy(all + (size_t)list[i] * item, some + (size_t)i * item, item);
        assert_ok(drx_read(a, origin, spec.shape, DRX_ROW_MAJOR, some));
        assert_memory_equal(some, all, 1000 * item);
        assert_ok(drx_close(a));
    }
}

/* Elements of a chunk are one write where nobody else can write between them: the chunk has a checksum, whose entry is
 * taken once; or they are many, and no other handle may write. Otherwise adjacent ones are. */
TEST_WITH(together, NULL, use_defaults)
{
    for (int i = 0; i < 6; i++) {
        const bool sums = i % 3 == 1, shared = i % 3 == 2;
        drx_array *a = make("together", sums ? DRX_CHECKSUM : 0, 0, i < 3 ? 32 : 16); /* x 8 columns; half of a chunk */
        drx_counters before, after;
        int64_t n = 0;

        assert_ok(drx_extend(a, 0, 27));
        assert_ok(drx_extend(a, 1, 4));
        assert_ok(drx_close(a));
        assert_ok(drx_open("together", shared ? DRX_SHARED : DRX_RDWR, &a));
        for (int64_t row = i < 3 ? 31 : 15; row >= 0; row--)
            for (int64_t j = 0; j < 8; j += 2) {
                indices[n][0] = row;
                indices[n][1] = j;
                values[n] = (int32_t)n;
                n++;
            }
        assert_int_equal(n, i < 3 ? 128 : 64);
        if (i >= 3)
            n = 60; /* few */
        assert_ok(drx_count(a, &before));
        assert_ok(drx_write_points(a, n, indices[0], values));
        assert_ok(drx_count(a, &after));
        assert_int_equal(after.writes - before.writes, sums || (i < 3 && !shared) ? 1 : n);
        use(DRXI_STAGED, 1);
        assert_ok(drx_read_points(a, n, indices[0], got));
        assert_memory_equal(got, values, (size_t)n * sizeof *got);
        assert_ok(drx_count(a, &before));
        assert_int_equal(before.reads - after.reads, 1);
        assert_ok(drx_close(a));
    }
}

TEST(refused)
{
    drx_array *a = make("refused", 0, 0, 8), *reader;
    const int64_t list[3][2] = { { 0, 0 }, { 4, 3 }, { 1, 4 } }, negative[2][2] = { { 0, -1 }, { 0, 0 } };
    int32_t three[3] = { 1, 2, 3 };

    memset(indices, 0, sizeof indices);
    assert_status(drx_read_points(NULL, 1, list[0], three), DRX_EINVAL);
    assert_status(drx_write_points(NULL, 1, list[0], three), DRX_EINVAL);
    assert_status(drx_read_points(a, -1, list[0], three), DRX_EINVAL);
    assert_detail("refused: -1 points, expected 0 or more");
    assert_status(drx_read_points(a, 1, NULL, three), DRX_EINVAL);
    assert_detail("null pointer");
    assert_status(drx_write_points(a, 1, list[0], NULL), DRX_EINVAL);
    assert_status(drx_read_points(a, INT64_MAX / 2, list[0], three), DRX_EOVERFLOW);
    assert_status(drx_write_points(a, 3, list[0], three), DRX_ERANGE);
    assert_detail("refused: axis 1: point 2: index 4, the bound is 4");
    assert_status(drx_read_points(a, 2, negative[0], got), DRX_ERANGE);
    assert_detail("axis 1: point 0: index -1");
    indices[0][0] = INT64_MIN;
    assert_status(drx_write_points(a, MOST, indices[0], values), DRX_ERANGE);
    indices[0][0] = 0;
    indices[1][0] = INT64_MAX;
    assert_status(drx_write_points(a, MOST, indices[0], values), DRX_ERANGE);
    assert_detail("axis 0: point 1: index 9223372036854775807, the bound is 5");
    assert_ok(drx_read_points(a, 2, list[0], got)); /* nothing was written */
    assert_int_equal(got[0], -1);
    assert_int_equal(got[1], -1);
    assert_ok(drx_read_points(a, 0, NULL, NULL));
    assert_ok(drx_write_points(a, 0, list[0], three));
    assert_ok(drx_close(a));
    assert_ok(drx_open("refused", DRX_RDONLY, &reader));
    assert_status(drx_write_points(reader, 1, list[0], three), DRX_EACCES);
    assert_ok(drx_read_points(reader, 2, list[0], got));
    assert_ok(drx_close(reader));
}

/* What a file lacks reads as fill unless a sync promised it. In stripes, others go on behind what one of them lacks. */
TEST_WITH(shortened, NULL, use_defaults)
{
    static const int ways[] = { DRXI_STAGED, DRXI_MAPPED, DRXI_ANY_WAY };
    static int32_t all[MOST_ROWS * MOST_COLUMNS];

    for (int i = 0; i < 12; i++) {
        const bool promised = i % 2, striped = i >= 6;
        drx_array *a = make("short", 0, striped ? 3 : 0, 8);
        int64_t lost = 0;
        drx_status st;

        assert_ok(drx_extend(a, 0, MOST_ROWS - 5));
        assert_ok(drx_extend(a, 1, MOST_COLUMNS - 4));
        for (int k = 0; k < MOST_ROWS * MOST_COLUMNS; k++)
            all[k] = k;
        assert_ok(drx_write(a, origin, drx_shape(a), DRX_ROW_MAJOR, all));
        if (promised)
            assert_ok(drx_sync(a));
        use(ways[i / 2 % 3], 1);
        for (int64_t k = 0; k < MOST; k++) {
            indices[k][0] = k * 7 % MOST_ROWS;
            indices[k][1] = k * 11 % MOST_COLUMNS;
        }
        assert_ok(drx_read_points(a, MOST, indices[0], got));
        assert_int_equal(system(striped ? "truncate -s 4096 s1/*.xta.1" : "truncate -s 4096 short.xta"), 0);
        st = drx_read_points(a, MOST, indices[0], got);
        assert_int_equal(st, promised ? DRX_EDAMAGED : DRX_OK);
        if (promised)
            assert_detail("damaged: ends before offset");
        for (int64_t k = 0; !st && k < MOST; k++) {
            const int64_t at = indices[k][0] * MOST_COLUMNS + indices[k][1];

            assert_true(got[k] == -1 || got[k] == at);
            lost += got[k] == -1;
        }
        assert_true(st || (striped ? lost > MOST / 8 && lost < MOST / 4 : lost > MOST / 2));
        assert_ok(drx_read_points(a, 1, (int64_t[]){ 0, 1 }, got));
        assert_int_equal(got[0], 1);
        (void)drx_close(a);
    }
}

/* Each call of the file fails in turn, and each allocation: the error is reported, elements are old or new, and the
 * next try succeeds. */
static drx_status play(drx_array *a, bool writing, int64_t n)
{
    return writing ? drx_write_points(a, n, indices[0], values) : drx_read_points(a, n, indices[0], got);
}

static void fail_in_turn(bool writing, unsigned flags, int stripes, bool memory)
{
    bool fired = true;

    for (long nth = 1; fired; nth++) {
        drx_array *a = make("f", flags, stripes, 8);
        int64_t n = 40;
        drx_status st;

        assert_ok(drx_extend(a, 0, 30));
        assert_ok(drx_sync(a));
        for (int64_t i = 0; i < n; i++) {
            indices[i][0] = i * 13 % 35;
            indices[i][1] = i % 4;
            values[i] = (int32_t)(i + 1);
        }
        use(DRXI_STAGED, 1);
        if (memory)
            drxi_fail_allocation = nth;
        else
            drxi_fault_arm(nth, EIO, false);
        st = play(a, writing, n);
        fired = memory ? drxi_fail_allocation <= 0 : drxi_fault_fired();
        drxi_fail_allocation = 0;
        drxi_fault_arm(0, 0, false);
        if (st) {
            assert_int_equal(st, memory ? DRX_ENOMEM : DRX_EIO);
            assert_string_not_equal(drx_last_error(), "");
        }
        if (flags & DRX_CHECKSUM && st) { /* this handle may trust no entry any more */
            (void)drx_close(a);
            assert_ok(drx_open("f", DRX_RDWR, &a));
        }
        for (int64_t i = 0; writing && st && i < n; i++) {
            assert_ok(drx_get(a, indices[i], got));
            assert_true(got[0] == values[i] || got[0] == -1);
        }
        assert_ok(play(a, true, n));
        assert_ok(play(a, false, n));
        assert_memory_equal(got, values, (size_t)n * sizeof *got);
        assert_ok(drx_close(a));
        assert_ok(drx_check("f", NULL, NULL, NULL, NULL));
    }
}

TEST_WITH(failing, NULL, use_defaults)
{
    drxi_fault_arm(0, 0, false); /* wrap what is opened from now on */
    for (int i = 0; i < 16; i++)
        fail_in_turn(i % 2, i / 2 % 2 ? DRX_CHECKSUM : 0, i / 4 % 2 ? 3 : 0, i / 8);
}
