/* Makes arrays: in place of others, without a name at first, in shell order, in memory. */
#include "drx_tools.h"
#include "marked.h"
#include "numbers.h"
#include "scenarios.h"

static const int64_t origin[2] = { 0, 0 }, shape[2] = { NUMBERS_ROWS, NUMBERS_COLUMNS };

static void prepare_other(struct trial *t)
{
    marked_stripes = t->of->stripes;
    marked_make("left/a", 5, 3);
    marked_stripes = 0;
}

static drx_status replace(struct trial *t)
{
    const drx_spec spec = numbers_spec(0, DRX_REPLACE);
    drx_status st = drx_create("left/a", &spec, &t->a[0]);

    return st ? st : drx_sync(t->a[0]);
}

static bool is_new(void)
{
    const drx_spec spec = numbers_spec(0, 0);
    int32_t corner;
    drx_array *a;
    bool is;

    assert_ok(drx_open("left/a", DRX_RDWR, &a));
    is = drx_ndim(a) == 2 && memcmp(drx_shape(a), spec.shape, sizeof shape) == 0;
    if (is)
        assert_ok(drx_get(a, (int64_t[]){ 4, 6 }, &corner));
    if (is)
        assert_int_equal(corner, NUMBERS_FILL);
    assert_ok(drx_close(a));
    return is;
}

static void check_replaced(struct trial *t, drx_status st)
{
    trial_close(t, 0);
    if (t->persistent) /* of the old one only the name may have changed, and that is told */
        return;
    assert_true(is_new() || (st && marked_is("left/a", 5, 3)));
    assert_ok(drx_check("left/a", NULL, NULL, NULL, NULL));
}

static void prepare_none(struct trial *t)
{
}

/* The first one may stay in the pool. */
static drx_status fill_numbers(drx_array *a)
{
    int32_t buf[NUMBERS], first;
    drx_status st = drx_extend(a, 0, NUMBERS_ROWS - 5);

    numbers_compose(DRX_COL_MAJOR, buf);
    first = buf[0];
    buf[0] = 0;
    if (!st)
        st = drx_extend(a, 1, NUMBERS_COLUMNS - 7);
    if (!st)
        st = drx_write(a, origin, shape, DRX_COL_MAJOR, buf);
    if (!st)
        st = drx_put(a, origin, &first);
    return st ? st : drx_attr_set_text(a, "title", "numbers");
}

static drx_status make(struct trial *t, const char *path, drx_spec spec)
{
    drx_status st = drx_create(path, &spec, &t->a[0]);

    return st ? st : fill_numbers(t->a[0]);
}

static drx_status persist(struct trial *t)
{
    drx_status st = make(t, "left/a", numbers_spec(t->of->stripes, DRX_TEMPORARY));

    return st ? st : drx_persist(t->a[0], DRX_REPLACE);
}

/* What could not be named can be after all; and all of it, also what was put, was written before it could be seen. */
static void check_persisted(struct trial *t, drx_status st)
{
    drx_array *reader;

    if (t->persistent)
        return;
    if (st && t->a[0] && drx_attr_count(t->a[0]) == 1 && marked_is("left/a", 5, 3) && !(t->struck & CALL_SYNC)) {
        assert_ok(drx_persist(t->a[0], DRX_REPLACE));
        st = DRX_OK;
    }
    if (!st) {
        assert_ok(drx_open("left/a", DRX_RDONLY, &reader));
        numbers_require(reader);
        assert_ok(drx_close(reader));
    }
    trial_close(t, 0);
    assert_true(st ? marked_is("left/a", 5, 3) : numbers_there("left/a"));
}

static drx_status make_in_shells(struct trial *t)
{
    drx_spec spec = numbers_spec(0, DRX_SHELL);

    spec.chunk_order = DRX_COL_MAJOR;
    return make(t, "left/a", spec);
}

static void check_shells(struct trial *t, drx_status st)
{
    const bool made = t->a[0] != NULL;

    if (!st)
        numbers_require(t->a[0]);
    trial_close(t, 0);
    if (!st)
        assert_true(numbers_there("left/a"));
    else if (made)
        assert_ok(drx_check("left/a", NULL, NULL, NULL, NULL));
    else if (!t->persistent)
        assert_int_equal(marked_count("left/*"), 0);
}

static drx_status make_in_memory(struct trial *t)
{
    drx_spec spec = numbers_spec(0, 0);

    spec.flags = 0; /* it has no files for checksums */
    return make(t, NULL, spec);
}

/* It goes on after a failure, unless what undoes it fails, too. */
static void check_in_memory(struct trial *t, drx_status st)
{
    int32_t value = 0;

    if (!st)
        numbers_require(t->a[0]);
    if (t->a[0] && !t->persistent) {
        assert_ok(drx_put(t->a[0], origin, &(int32_t){ 77 }));
        assert_ok(drx_get(t->a[0], origin, &value));
        assert_int_equal(value, 77);
    }
}

// clang-format off
const struct scenario scenarios_make[] = {
    { "create over another",       "left/", prepare_other, replace,        check_replaced,  .stripes = 0 },
    { "create over a striped one", "/",     prepare_other, replace,        check_replaced,  .stripes = 2 },
    { "a temporary one is named",  "left/", prepare_other, persist,        check_persisted, .stripes = 0 },
    { "a striped one is named",    "/",     prepare_other, persist,        check_persisted, .stripes = 2, .how = LIKE },
    { "create in shell order",     "left/", prepare_none,  make_in_shells, check_shells,    .stripes = 0 },
    { "create in memory",          "",      prepare_none,  make_in_memory, check_in_memory, .stripes = 0 },
    { 0 }
};
// clang-format on
