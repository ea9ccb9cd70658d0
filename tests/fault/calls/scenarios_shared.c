/* Writers that share an array, and logs that are compacted. */
#include "drx_tools.h"
#include "numbers.h"
#include "scenarios.h"

enum { SLAB_ROWS = 2, SLAB = SLAB_ROWS * NUMBERS_COLUMNS };

static void prepare_shared(struct trial *t)
{
    numbers_make("left/a", 0);
    assert_ok(drx_open("left/a", DRX_SHARED, &t->a[0]));
}

/* Another one has grown it since. */
static void prepare_shared_with_others(struct trial *t)
{
    prepare_shared(t);
    assert_ok(drx_open("left/a", DRX_SHARED, &t->a[1]));
    assert_ok(drx_extend(t->a[1], 0, 3));
}

static void compose(int64_t first_row, int32_t slab[SLAB])
{
    for (int64_t i = 0; i < SLAB_ROWS; i++)
        for (int64_t j = 0; j < NUMBERS_COLUMNS; j++)
            slab[i * NUMBERS_COLUMNS + j] = number(first_row + i, j);
}

/* A slab of its own, and one that is appended. */
static drx_status share(struct trial *t)
{
    int64_t lo[2], count[2];
    int32_t slab[SLAB];
    drx_status st = drx_reserve(t->a[0], 0, SLAB_ROWS, lo, count);

    if (!st) {
        compose(lo[0], slab);
        st = drx_write(t->a[0], lo, count, DRX_ROW_MAJOR, slab);
    }
    compose(NUMBERS_ROWS, slab);
    if (!st)
        st = drx_append(t->a[0], 0, SLAB_ROWS, DRX_ROW_MAJOR, slab);
    if (!st)
        st = drx_attr_set_text(t->a[0], "more", "text");
    return st ? st : drx_sync(t->a[0]);
}

/* All cells hold what was written there, or the fill. */
static void require_cells(drx_array *a)
{
    const int64_t origin[2] = { 0, 0 }, *bounds = drx_shape(a);
    int32_t *buf = malloc((size_t)(bounds[0] * bounds[1]) * sizeof *buf);

    assert_non_null(buf);
    assert_ok(drx_read(a, origin, bounds, DRX_ROW_MAJOR, buf));
    for (int64_t i = 0; i < bounds[0]; i++)
        for (int64_t j = 0; j < bounds[1]; j++) {
            const int32_t v = buf[i * bounds[1] + j];
            const bool own = i < NUMBERS_ROWS && v == number(i, j);

            assert_true(own || (i >= NUMBERS_ROWS && (v == NUMBERS_FILL || v % 1000 == j + 1)));
        }
    free(buf);
}

/* The writer continues, unless its handle is broken. The other writers continue in any case. */
static void check_shared(struct trial *t, drx_status st)
{
    drx_array *other;

    assert_true(st || drx_shape(t->a[0])[0] >= NUMBERS_ROWS + 2 * SLAB_ROWS);
    require_cells(t->a[0]);
    assert_ok(drx_open("left/a", DRX_SHARED, &other));
    assert_ok(drx_extend(other, 0, 1));
    require_cells(other);
    if (drx_extend(t->a[0], 0, 1) == DRX_OK)
        assert_int_equal(drx_shape(t->a[0])[0], drx_shape(other)[0] + 1);
    assert_ok(drx_close(other));
    for (int i = 0; i < TRIAL_HANDLES; i++)
        trial_close(t, i);
    assert_ok(drx_check("left/a", NULL, NULL, NULL, NULL));
    assert_ok(drx_open("left/a", DRX_RDWR, &other)); /* nobody's lock is left */
    require_cells(other);
    assert_ok(drx_close(other));
}

static void prepare_compacting(struct trial *t)
{
    numbers_make("left/a", t->of->stripes);
    assert_ok(drx_open("left/a", DRX_RDWR, &t->a[0]));
    for (int i = 0; i < 9; i++)
        assert_ok(drx_attr_set(t->a[0], "title", DRX_INT32, 1, &i));
    assert_ok(drx_attr_set_text(t->a[0], "title", "numbers"));
}

static drx_status compact(struct trial *t)
{
    return drx_compact(t->a[0]);
}

static void check_compacted(struct trial *t, drx_status st)
{
    numbers_require(t->a[0]);
    if (drx_attr_set_text(t->a[0], "more", "text") == DRX_OK) /* it is not broken */
        assert_ok(drx_attr_delete(t->a[0], "more"));
    else
        assert_true(st != DRX_OK);
    assert_int_equal(drx_close(t->a[0]), DRX_OK);
    t->a[0] = NULL;
    assert_true(numbers_there("left/a"));
}

// clang-format off
const struct scenario scenarios_shared[] = {
    { "share",                 "left/", prepare_shared,             share,   check_shared,    .stripes = 0 },
    { "share with others",     "left/", prepare_shared_with_others, share,   check_shared,    .stripes = 0 },
    { "compact",               "left/", prepare_compacting,         compact, check_compacted, .stripes = 0 },
    { "compact a striped one", "/",     prepare_compacting,         compact, check_compacted, .stripes = 2 },
    { 0 }
};
// clang-format on
