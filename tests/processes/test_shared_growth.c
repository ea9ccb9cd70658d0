/* Processes that share an array all grow it at once. No slab is lost or stored twice, and each belongs to the
 * process that reserved it. */
#include "drx_tools.h"
#include "processes.h"

enum { PROCESSES = 8, COLUMNS = 3, FILL = -5, MOST_BY = 3 };

static int growths;
static uint64_t random_seed;
static bool at_both_ends;

static void run(bool (*work)(int))
{
    pid_t pid[PROCESSES];

    for (int p = 0; p < PROCESSES; p++)
        pid[p] = start(work, p);
    for (int p = 0; p < PROCESSES; p++)
        finish(pid[p]);
}

/* Other changes of the log go in between. */
static bool change_something(drx_array *a, int process, int i)
{
    char name[16];

    if (i % 20 == 7)
        return did(drx_dim_rename(a, process % 2, process % 3 ? "here" : NULL));
    if (i % 20 == 11 && process == 0)
        return did(drx_sync(a));
    (void)snprintf(name, sizeof name, "of %d", process);
    return i % 10 != 3 || did(drx_attr_set(a, name, DRX_INT32, 1, &i));
}

/* Odd processes at the low end, when some do. */
static bool is_before(int process)
{
    return at_both_ends && process % 2;
}

static bool append_rows(int process)
{
    drx_array *a;

    if (!did(drx_open("rows", DRX_SHARED, &a)))
        return false;
    for (int32_t i = 0; i < growths; i++) {
        const int32_t row[COLUMNS] = { process, i, process * 1000003 + i };

        if (!did((is_before(process) ? drx_prepend : drx_append)(a, 0, 1, DRX_ROW_MAJOR, row)) ||
            !change_something(a, process, i))
            return false;
    }
    return did(drx_close(a));
}

/* Every row of every process is there once, those of each process in their order, or in the other one at the low
 * end. */
static void check_rows(void)
{
    const int64_t n = (int64_t)PROCESSES * growths;
    int32_t(*row)[COLUMNS] = calloc((size_t)n, sizeof *row);
    int32_t next[PROCESSES];
    drx_array *a;

    assert_non_null(row);
    for (int p = 0; p < PROCESSES; p++)
        next[p] = is_before(p) ? growths - 1 : 0;
    assert_ok(drx_open("rows", DRX_RDONLY, &a));
    assert_string_equal(drx_last_error(), "");
    assert_int_equal(drx_shape(a)[0], n);
    assert_int_equal(drx_growth_count(a), n);
    assert_ok(drx_read(a, drx_lower(a), drx_shape(a), DRX_ROW_MAJOR, row));
    for (int64_t i = 0; i < n; i++) {
        assert_in_range(row[i][0], 0, PROCESSES - 1);
        assert_int_equal(row[i][1], next[row[i][0]]);
        next[row[i][0]] += is_before(row[i][0]) ? -1 : 1;
        assert_int_equal(row[i][2], row[i][0] * 1000003 + row[i][1]);
    }
    for (int p = 0; p < PROCESSES; p++)
        assert_int_equal(next[p], is_before(p) ? -1 : growths);
    assert_int_equal(drx_attr_count(a), PROCESSES);
    assert_ok(drx_close(a));
    assert_ok(drx_check("rows", NULL, NULL, NULL, NULL));
    free(row);
}

TEST(appends_lose_none)
{
    const int64_t shape[2] = { 0, COLUMNS }, chunk[2] = { 7, 2 };

    growths = sample_or_all(100, 1000);
    for (int kind = 0; kind < 12; kind++) {
        at_both_ends = kind % 2;
        make_int32("rows", shape, chunk, kind & 2 ? FILL : 0, DRX_ROW_MAJOR,
                   kind >= 8   ? MAKE_PACKED
                   : kind >= 4 ? DRX_CHECKSUM
                               : 0);
        run(append_rows);
        check_rows();
    }
}

struct slab {
    int axis;
    int32_t value;
    int64_t lo[2], count[2];
};

static struct slab *slabs; /* `growths` for each process */
static bool puts_singly;

/* Elements one by one, or all together. */
static bool write_slab(drx_array *a, const struct slab *s, int32_t *buf)
{
    const int64_t n = s->count[0] * s->count[1];

    for (int64_t i = 0; i < n; i++)
        buf[i] = s->value;
    if (!puts_singly)
        return did(drx_write(a, s->lo, s->count, DRX_ROW_MAJOR, buf));
    for (int64_t i = 0; i < n; i++)
        if (!did(drx_put(a, (int64_t[]){ s->lo[0] + i / s->count[1], s->lo[1] + i % s->count[1] }, &s->value)))
            return false;
    return true;
}

static bool holds_fill(drx_array *a, const struct slab *s, int32_t *buf)
{
    if (!did(drx_read(a, s->lo, s->count, DRX_COL_MAJOR, buf)))
        return false;
    for (int64_t i = 0; i < s->count[0] * s->count[1]; i++)
        if (buf[i] != FILL) {
            print_error("a new slab holds %d, expected the fill\n", (int)buf[i]);
            return false;
        }
    return true;
}

/* Some are written at once, others when many more have been reserved; all read as fill before. */
static bool reserve_and_write(int process)
{
    struct slab *mine = slabs + (ptrdiff_t)process * growths;
    int32_t *buf = malloc(sizeof *buf * MOST_BY * (size_t)(2 + PROCESSES * growths * MOST_BY));
    uint64_t random = random_seed + (uint64_t)process;
    bool good = buf != NULL;
    drx_array *a;

    if (!did(drx_open("slabs", DRX_SHARED, &a)))
        return false;
    for (int i = 0; good && i < growths; i++) {
        struct slab *s = &mine[i];

        s->axis = (int)random_below(&random, 2);
        s->value = process * growths + i;
        good = did((at_both_ends && random_below(&random, 2) ? drx_reserve_before : drx_reserve)(
                   a, s->axis, 1 + random_below(&random, MOST_BY), s->lo, s->count)) &&
               holds_fill(a, s, buf);
        if (good && i % 2 == 0)
            good = write_slab(a, s, buf);
    }
    for (int i = 1; good && i < growths; i += 2)
        good = holds_fill(a, &mine[i], buf) && write_slab(a, &mine[i], buf);
    free(buf);
    return did(drx_close(a)) && good;
}

static int by_place(const void *left, const void *right)
{
    const struct slab *a = left, *b = right;

    if (a->axis != b->axis)
        return a->axis - b->axis;
    return a->lo[a->axis] < b->lo[b->axis] ? -1 : a->lo[a->axis] > b->lo[b->axis];
}

/* Replay the log: each growth is the slab of one process, which has all of it. */
static void check_slabs(int32_t *buf)
{
    const int n = PROCESSES * growths;
    drx_array *a;
    int64_t lower[2] = { 0, 0 }, shape[2];

    qsort(slabs, (size_t)n, sizeof *slabs, by_place);
    assert_ok(drx_open("slabs", DRX_RDONLY, &a));
    assert_int_equal(drx_growth_count(a), n);
    memcpy(shape, drx_initial_shape(a), sizeof shape);
    for (int i = 0; i < n; i++) {
        struct slab grown = { .lo = { lower[0], lower[1] }, .count = { shape[0], shape[1] } };
        const struct slab *s;
        int64_t by;

        assert_ok(drx_growth(a, i, &grown.axis, &by));
        grown.lo[grown.axis] += by < 0 ? by : shape[grown.axis];
        grown.count[grown.axis] = llabs(by);
        lower[grown.axis] += by < 0 ? by : 0;
        shape[grown.axis] += llabs(by);
        s = bsearch(&grown, slabs, (size_t)n, sizeof *slabs, by_place);
        assert_non_null(s);
        assert_memory_equal(s->lo, grown.lo, sizeof grown.lo);
        assert_memory_equal(s->count, grown.count, sizeof grown.count);
        assert_ok(drx_read(a, grown.lo, grown.count, DRX_ROW_MAJOR, buf));
        for (int64_t k = 0; k < grown.count[0] * grown.count[1]; k++)
            assert_int_equal(buf[k], s->value);
    }
    assert_memory_equal(shape, drx_shape(a), sizeof shape);
    assert_memory_equal(lower, drx_lower(a), sizeof lower);
    assert_ok(drx_close(a));
    assert_ok(drx_check("slabs", NULL, NULL, NULL, NULL));
}

TEST(slabs_are_ones_own)
{
    const int64_t shape[2] = { 2, 3 }, chunk[2] = { sample_or_all(5, 61), sample_or_all(4, 37) };
    int32_t *buf;

    growths = sample_or_all(50, 1000);
    random_seed = starting_seed(0);
    slabs = common(sizeof *slabs * (size_t)(PROCESSES * growths));
    buf = malloc(sizeof *buf * MOST_BY * (size_t)(3 + PROCESSES * growths * MOST_BY));
    for (int way = 0; way < 12; way++) {
        puts_singly = way % 6 == 1 || way % 6 == 5;
        at_both_ends = way >= 6;
        make_int32("slabs", shape, chunk, FILL, way % 6 == 2 ? DRX_COL_MAJOR : DRX_ROW_MAJOR,
                   way % 6 == 3   ? DRX_CHECKSUM
                   : way % 6 >= 4 ? MAKE_PACKED
                                  : 0);
        run(reserve_and_write);
        check_slabs(buf);
    }
    free(buf);
}

/* Without others it is an extend that tells where; also in memory. */
TEST(reserving_alone)
{
    const int64_t shape[2] = { 2, 3 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .flags = DRX_REPLACE };
    const char *const paths[] = { "alone", NULL };

    for (int i = 0; i < 2; i++) {
        int64_t lo[2], count[2];
        drx_array *a;

        assert_ok(drx_create(paths[i], &spec, &a));
        assert_ok(drx_reserve(a, 1, 4, lo, count));
        assert_memory_equal(lo, ((int64_t[]){ 0, 3 }), sizeof lo);
        assert_memory_equal(count, ((int64_t[]){ 2, 4 }), sizeof count);
        assert_int_equal(drx_shape(a)[1], 7);
        assert_ok(drx_reserve(a, 0, 0, lo, count));
        assert_memory_equal(lo, ((int64_t[]){ 2, 0 }), sizeof lo);
        assert_memory_equal(count, ((int64_t[]){ 0, 7 }), sizeof count);
        assert_status(drx_reserve(a, 2, 1, lo, count), DRX_EINVAL);
        assert_detail("axis 2, expected 0 to 1");
        assert_status(drx_reserve(a, 0, -1, lo, count), DRX_EINVAL);
        assert_status(drx_reserve(a, 0, INT64_MAX, lo, count), DRX_EOVERFLOW);
        assert_status(drx_reserve(a, 0, 1, NULL, count), DRX_EINVAL);
        assert_status(drx_reserve(a, 0, 1, lo, NULL), DRX_EINVAL);
        assert_status(drx_reserve(NULL, 0, 1, lo, count), DRX_EINVAL);
        assert_int_equal(drx_growth_count(a), 1);
        assert_ok(drx_close(a));
    }
}
