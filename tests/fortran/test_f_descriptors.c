/* What no program of gfortran can do: descriptors of other compilers, and each allocation that fails, in turn. */
#include "drxf.h"
#include "testing.h"

/* Calls that the module makes. */
drx_status drxf_make(int what, const char *path, int64_t *id, const struct drxf_spec *from, const int *mode,
                     const CFI_cdesc_t *at);
drx_status drxf_close(int64_t id);
int drxf_is_open(int64_t id);
void drxf_bounds(int64_t id, int which, int64_t out[]);
drx_status drxf_change(int64_t id, int what, const char *name, const char *text, const int *part, const char *of,
                       const CFI_cdesc_t *axis, const CFI_cdesc_t *by, const CFI_cdesc_t *before,
                       const CFI_cdesc_t *after, const CFI_cdesc_t *values, int64_t *first);
drx_status drxf_move(int64_t id, int how, const CFI_cdesc_t *values, const CFI_cdesc_t *start, const CFI_cdesc_t *count,
                     const CFI_cdesc_t *stride, int bits);
drx_status drxf_append(int64_t id, int before, const CFI_cdesc_t *axis, const CFI_cdesc_t *values, int bits,
                       const CFI_cdesc_t *by, const CFI_cdesc_t *start, const CFI_cdesc_t *count);
drx_status drxf_points(int64_t id, int how, const CFI_cdesc_t *indices, const CFI_cdesc_t *values, int bits);
int drxf_message(const CFI_cdesc_t *errmsg, const char *text);

enum { ROWS = 3 };

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static int64_t fails_in; /* 0: none does; n: the n-th allocation from now on */
static bool failed;

static bool fails(void)
{
    if (fails_in == 0 || --fails_in > 0)
        return false;
    failed = true;
    return true;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return fails() ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __real_realloc(old, bytes);
}

typedef union {
    CFI_cdesc_t it;
    CFI_CDESC_T(CFI_MAX_RANK) room;
} descriptor;

/* An array in memory whose elements along an axis are sm[] bytes apart. */
static const CFI_cdesc_t *describe(descriptor *d, void *base, CFI_type_t type, size_t len, int rank,
                                   const CFI_index_t extent[], const CFI_index_t sm[])
{
    static char anywhere;

    assert_int_equal(CFI_establish(&d->it, &anywhere, CFI_attribute_other, type, len, (CFI_rank_t)rank, extent),
                     CFI_SUCCESS);
    d->it.base_addr = base;
    for (int j = 0; sm && j < rank; j++)
        d->it.dim[j].sm = sm[j];
    return &d->it;
}

static const CFI_cdesc_t *numbers(descriptor *d, int32_t values[], CFI_index_t n)
{
    return describe(d, values, CFI_type_int32_t, sizeof *values, 1, &n, NULL);
}

static drx_status open_table(int mode, int64_t *id)
{
    return drxf_make(DRXF_MAKE_OPEN_ARRAY, "table", id, NULL, &mode, NULL);
}

static void make_table(int64_t *id)
{
    const struct drxf_spec spec = { .ndim = 2, .type = DRX_INT32, .flags = DRX_REPLACE, .shape = { ROWS, 0 } };

    assert_ok(drxf_make(DRXF_MAKE_ARRAY, "table", id, &spec, NULL, NULL));
}

/* Columns whose elements are apart: the calls make copies of them. `column` counts those that are there. */
static drx_status scenario(int64_t column)
{
    int32_t apart[2 * ROWS], seen[2 * ROWS], at[2 * ROWS], one = 1, half[4] = { 5, 0, 6, 0 };
    descriptor values, others, indices, axis, list;
    const CFI_index_t n = ROWS, pair[] = { 2, ROWS }, step = 2 * sizeof(int32_t);
    const CFI_index_t two = 2;
    int64_t id = 0;
    drx_status st = open_table(DRX_RDWR, &id);

    for (int i = 0; i < 2 * ROWS; i++) {
        apart[i] = i % 2 ? -1 : (int32_t)(10 * column + i / 2);
        at[i] = i % 2 ? (int32_t)column + 1 : i / 2 + 1;
        seen[i] = -2;
    }
    numbers(&axis, (int32_t[]){ 2 }, 1);
    describe(&values, apart, CFI_type_int32_t, sizeof one, 1, &n, &step);
    describe(&others, seen, CFI_type_int32_t, sizeof one, 1, &n, &step);
    describe(&indices, at, CFI_type_int32_t, sizeof one, 2, pair, NULL);
    describe(&list, half, CFI_type_int32_t, sizeof one, 1, &two, &step);
    if (!st)
        st = drxf_append(id, 0, &axis.it, &values.it, 0, NULL, NULL, NULL);
    if (!st)
        st = drxf_points(id, DRXF_MOVE_READ, &indices.it, &others.it, 0);
    for (int i = 0; !st && i < 2 * ROWS; i++)
        assert_int_equal(seen[i], i % 2 ? -2 : apart[i]);
    if (!st)
        st = drxf_points(id, DRXF_MOVE_WRITE, &indices.it, &others.it, 0);
    if (!st)
        st = drxf_change(id, DRXF_TO_ATTR_SET, "list", NULL, NULL, "", NULL, NULL, NULL, NULL, &list.it, NULL);
    fails_in = 0;
    assert_ok(drxf_close(id));
    return st;
}

static int64_t columns(void)
{
    int64_t id, bounds[2];

    assert_ok(open_table(DRX_RDONLY, &id));
    drxf_bounds(id, DRXF_BOUNDS_SHAPE, bounds);
    for (int32_t j = 0; j < bounds[1]; j++) {
        int32_t column[ROWS], start[] = { 1, j + 1 };
        descriptor values, first;

        assert_ok(
            drxf_move(id, DRXF_MOVE_READ, numbers(&values, column, ROWS), numbers(&first, start, 2), NULL, NULL, 0));
        for (int i = 0; i < ROWS; i++)
            assert_int_equal(column[i], 10 * j + i);
    }
    assert_ok(drxf_close(id));
    return bounds[1];
}

TEST(each_allocation)
{
    int64_t id, nth = 0;

    make_table(&id);
    assert_ok(drxf_close(id));
    do {
        const int64_t before = columns();
        drx_status st;

        failed = false;
        fails_in = ++nth;
        st = scenario(before);
        if (st)
            assert_status(st, DRX_ENOMEM);
        assert_true(st == DRX_OK || failed);
        assert_in_range(columns(), before, before + 1);
    } while (failed);
    print_message("%lld allocations\n", (long long)nth - 1);
    assert_true(nth > 10);
}

/* The table of handles grows; without memory a handle is refused, and what it would have stood for is closed. */
TEST(no_room_for_a_handle)
{
    int64_t id[300], n = 0;
    bool refused = false;

    make_table(&id[0]);
    assert_ok(drxf_close(id[0]));
    while (n < 300 && !refused) {
        drx_status st;

        /* The allocation that fails is the last one of the call, the table's, when it has to grow. */
        fails_in = 0;
        assert_ok(open_table(DRX_RDONLY, &id[n]));
        n++;
        if (n % 64)
            continue;
        fails_in = 1;
        failed = false;
        st = drxf_room();
        refused = failed;
        fails_in = 0;
        if (refused)
            assert_status(st, DRX_ENOMEM);
    }
    assert_true(refused);
    for (int64_t i = 0; i < n; i++) {
        assert_true(drxf_is_open(id[i]));
        assert_ok(drxf_close(id[i]));
        assert_false(drxf_is_open(id[i]));
    }
}

TEST(numbers_are_not_used_twice)
{
    int64_t id, again;

    make_table(&id);
    assert_ok(drxf_close(id));
    make_table(&again);
    assert_int_not_equal(id, again);
    assert_false(drxf_is_open(id));
    assert_false(drxf_is_open(0));
    assert_false(drxf_is_open(-1));
    assert_false(drxf_is_open(INT64_MAX));
    assert_false(drxf_is_open(again + 1));
    assert_ok(drxf_close(id)); /* does nothing */
    assert_true(drxf_is_open(again));
    assert_status(drxf_change(id, DRXF_TO_SYNC, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
                  DRX_EINVAL);
    assert_detail("not open");
    assert_ok(drxf_close(again));
}

TEST(strange_descriptors)
{
    int32_t place[] = { 1, 1 }, three = 3, column[ROWS] = { 1, 2, 3 };
    descriptor values, start, axis;
    const CFI_index_t n = ROWS, odd = 6;
    int64_t id;

    make_table(&id);
    numbers(&start, place, 2);
    assert_ok(
        drxf_append(id, 0, numbers(&axis, (int32_t[]){ 2 }, 1), numbers(&values, column, ROWS), 0, NULL, NULL, NULL));
    describe(&values, column, CFI_type_int32_t, sizeof three, 1, &n, &odd);
    assert_status(drxf_move(id, DRXF_MOVE_READ, &values.it, &start.it, NULL, NULL, 0), DRX_EINVAL);
    assert_detail("6 bytes apart, expected a multiple of their 4");
    describe(&values, NULL, CFI_type_int32_t, sizeof three, 1, &n, NULL);
    assert_status(drxf_move(id, DRXF_MOVE_READ, &values.it, &start.it, NULL, NULL, 0), DRX_EINVAL);
    assert_detail("values is not allocated");
    describe(&values, column, CFI_type_int32_t, sizeof three, 2, (CFI_index_t[]){ ROWS, 1 }, NULL);
    values.it.dim[1].extent = -1;
    assert_status(drxf_move(id, DRXF_MOVE_WRITE, &values.it, &start.it, NULL, NULL, 0), DRX_EINVAL);
    assert_detail("assumed size");
    describe(&values, column, CFI_type_struct, 3 * sizeof three, 0, NULL, NULL);
    assert_status(drxf_move(id, DRXF_MOVE_READ, &values.it, &start.it, NULL, NULL, 0), DRX_EMISMATCH);
    assert_detail("of a derived type");
    describe(&values, NULL, CFI_type_int32_t, sizeof three, 1, (CFI_index_t[]){ 0 }, NULL);
    assert_ok(drxf_move(id, DRXF_MOVE_READ, &values.it, &start.it, NULL, NULL, 0)); /* nothing is nowhere */
    assert_ok(drxf_move(id, DRXF_MOVE_WRITE, &values.it, &start.it, NULL, NULL, 0));
    assert_int_equal(drxf_message(&start.it, "text"), 1);
    assert_ok(drxf_close(id));
}
