/* Several threads use one handle. They read and write different boxes while the array grows. */
#include <pthread.h>

#include "base/hooks.h"
#include "drx_tools.h"
#include "testing.h"

enum { THREADS = 4, ROWS_EACH = 16, COLUMNS = 40, ROUNDS = 60 };

static drx_array *a;

struct worker {
    pthread_t thread;
    int number;
    drx_status st;
};

enum { DIAGONALS = 5, POINTS = DIAGONALS * ROWS_EACH }; /* many, so that they are written with what lies between */

/* Change some diagonals of the worker's rows, in `buf` too, and read them back. */
static drx_status work_on_points(const struct worker *w, int round, int32_t *buf)
{
    int64_t indices[POINTS][2];
    int32_t values[POINTS], got[POINTS];
    drx_status st;

    for (int i = 0; i < POINTS; i++) {
        const int row = i / DIAGONALS, column = (row + round + i % DIAGONALS * 3) % COLUMNS;

        indices[i][0] = w->number * ROWS_EACH + row;
        indices[i][1] = column;
        values[i] = buf[row * COLUMNS + column] = -1000 * round - i;
    }
    if ((st = drx_write_points(a, POINTS, indices[0], values)))
        return st;
    st = drx_read_points(a, POINTS, indices[0], got);
    return st || memcmp(got, values, sizeof got) == 0 ? st : DRX_EMISMATCH;
}

/* Write and read back the rows that are this worker's own, as boxes, as single elements and as lists of these. */
static drx_status work(const struct worker *w, int round)
{
    const int64_t lo[2] = { w->number * ROWS_EACH, 0 };
    const int64_t count[2] = { ROWS_EACH, COLUMNS };
    const int64_t index[2] = { lo[0] + round % ROWS_EACH, round % COLUMNS };
    const int32_t single = -round;
    int32_t buf[ROWS_EACH * COLUMNS];
    int32_t back[ROWS_EACH * COLUMNS];
    int32_t got;
    drx_status st;

    for (int i = 0; i < ROWS_EACH * COLUMNS; i++)
        buf[i] = w->number * 1000000 + round * 1000 + i;
    if ((st = drx_write(a, lo, count, DRX_ROW_MAJOR, buf)))
        return st;
    if ((st = work_on_points(w, round, buf)))
        return st;
    if ((st = drx_put(a, index, &single)))
        return st;
    if ((st = drx_get(a, index, &got)))
        return st;
    if ((st = drx_read(a, lo, count, DRX_ROW_MAJOR, back)))
        return st;
    buf[(round % ROWS_EACH) * COLUMNS + round % COLUMNS] = single;
    return got == single && memcmp(buf, back, sizeof buf) == 0 ? DRX_OK : DRX_EMISMATCH;
}

/* What grows may be inquired meanwhile. */
static drx_status inquire(void)
{
    const int64_t first[2] = { 0, 0 };
    int64_t index[2];
    int64_t c[2];
    int64_t address;
    int axis;
    drx_status st = drx_chunk_address(a, first, &address);

    st = st ? st : drx_chunk_index(a, address, index);
    st = st ? st : drx_axial_record(a, 0, 0, &index[0], &address, c);
    if (!st && drx_growth_count(a) > 0)
        st = drx_growth(a, 0, &axis, &address);
    return st;
}

static void *run(void *arg)
{
    struct worker *w = arg;

    for (int round = 0; !w->st && round < ROUNDS; round++)
        if (!(w->st = work(w, round)))
            w->st = inquire();
    return NULL;
}

/* Calls for this many bytes take snapshots. */
static void play(const char *path, int64_t long_bytes)
{
    const int64_t shape[2] = { THREADS * ROWS_EACH, COLUMNS }, chunk[2] = { 5, 7 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk };
    struct worker workers[THREADS];

    drxi_hooks.long_bytes = long_bytes;
    assert_ok(drx_create(path, &spec, &a));
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){ .number = i };
        assert_int_equal(pthread_create(&workers[i].thread, NULL, run, &workers[i]), 0);
    }
    for (int i = 0; i < 30; i++) {
        assert_ok(drx_extend(a, i % 2, 3));
        assert_ok(drx_attr_set(a, "round", DRX_INT32, 1, &(int32_t){ i }));
        if (i % 8 == 0)
            assert_ok(drx_sync(a));
        if (i % 10 == 0)
            assert_ok(drx_set_pool(a, (size_t)i << 12));
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_int_equal(workers[i].st, DRX_OK);
    }
    assert_ok(drx_close(a));
    drxi_hooks.long_bytes = 1 << 20;
}

TEST(on_disk)
{
    play("threads", 1 << 20);
}

TEST(on_disk_with_snapshots)
{
    play("snapshots", 0);
}

TEST(in_memory)
{
    play(NULL, 1 << 20);
    play(NULL, 0);
}

/* The detail of a failure belongs to the thread that failed. */
static void *fail_elsewhere(void *arg)
{
    drx_array *none;

    return drx_open("not here", DRX_RDONLY, &none) == DRX_ENOENT ? arg : NULL;
}

TEST(details_are_per_thread)
{
    drx_array *none;
    pthread_t thread;
    void *result;

    assert_status(drx_open("nothing", DRX_RDONLY, &none), DRX_ENOENT);
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &a), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_non_null(result);
    assert_detail("nothing.xmd");
}
