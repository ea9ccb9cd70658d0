/* Copies into another layout, in several passes. */
#include "drx_tools.h"
#include "marked.h"
#include "numbers.h"
#include "scenarios.h"

static const int turned[2] = { 1, 0 };
static const int64_t chunk[2] = { 7, 2 }, origin[2] = { 0, 0 };
static const char *const folders[] = { "s1", "s2" };

/* In the least memory, where a copy takes several passes. */
static void start(struct trial *t, bool least)
{
    drx_copy_spec *spec = calloc(1, sizeof *spec);
    drx_copy_plan plan;

    assert_non_null(spec);
    numbers_make("left/a", 0);
    assert_ok(drx_open("left/a", DRX_RDONLY, &t->a[0]));
    spec->permute = turned;
    spec->chunk = chunk;
    if (least) {
        spec->memory_bytes = 1;
        assert_status(drx_plan_copy(t->a[0], spec, &plan, NULL, 0, NULL), DRX_ERANGE);
        spec->memory_bytes = plan.memory_bytes;
        spec->tmp = "s0";
    }
    t->own = spec;
}

static void prepare(struct trial *t)
{
    start(t, true);
}

static void prepare_over(struct trial *t)
{
    start(t, false);
    marked_make("right/b", 5, 3);
    ((drx_copy_spec *)t->own)->flags = DRX_REPLACE;
}

static void prepare_stripes(struct trial *t)
{
    start(t, false);
    ((drx_copy_spec *)t->own)->nstripes = 2;
    ((drx_copy_spec *)t->own)->stripes = folders;
}

static void prepare_memory(struct trial *t)
{
    start(t, false);
}

static drx_status copy(struct trial *t)
{
    return drx_copy(t->a[0], "right/b", t->own, NULL);
}

static drx_status copy_to_stripes(struct trial *t)
{
    return drx_copy(t->a[0], "b", t->own, NULL);
}

static drx_status copy_to_memory(struct trial *t)
{
    char text[2000];
    size_t length;
    drx_copy_plan plan;
    drx_access_cost before, after;
    drx_advice advice;
    const drx_access access = { .count = (int64_t[]){ 1, NUMBERS_COLUMNS } };
    drx_status st = drx_plan_copy(t->a[0], t->own, &plan, text, sizeof text, &length);

    if (!st)
        st = drx_advise(t->a[0], 1, &access, NULL, &advice, &before, &after);
    return st ? st : drx_copy(t->a[0], NULL, t->own, &t->a[1]);
}

static void require_turned(drx_array *a)
{
    int32_t buf[NUMBERS], wanted[NUMBERS];

    numbers_compose(DRX_ROW_MAJOR, wanted);
    assert_ok(drx_read(a, origin, (int64_t[]){ NUMBERS_COLUMNS, NUMBERS_ROWS }, DRX_COL_MAJOR, buf));
    assert_memory_equal(buf, wanted, sizeof buf);
    assert_int_equal(drx_attr_count(a), 1);
}

static bool is_turned(const char *path)
{
    drx_array *a;
    const drx_status st = drx_open(path, DRX_RDWR, &a);

    if (st == DRX_ENOENT)
        return false;
    assert_ok(st);
    require_turned(a);
    assert_ok(drx_close(a));
    assert_ok(drx_check(path, NULL, NULL, NULL, NULL));
    return true;
}

static void check_at(struct trial *t, const char *path, drx_status st)
{
    const bool other = marked_is(path, 5, 3), there = !other && is_turned(path);

    numbers_require(t->a[0]);
    assert_true(st ? true : there);
    if (!there && !other && !t->persistent) {
        assert_true(marked_none(path));
        assert_int_equal(marked_count("s?/*"), 0); /* nor temporary ones */
    }
}

static void check(struct trial *t, drx_status st)
{
    check_at(t, "right/b", st);
    if (!t->persistent && !(t->struck & CALL_REMOVE) && ((drx_copy_spec *)t->own)->flags & DRX_REPLACE)
        assert_int_equal(marked_count("right/b.*"), 2);
}

static void check_stripes(struct trial *t, drx_status st)
{
    check_at(t, "b", st);
}

static void check_memory(struct trial *t, drx_status st)
{
    numbers_require(t->a[0]);
    if (!st)
        require_turned(t->a[1]);
}

const struct scenario copying = { "copy in passes", "", prepare, copy, check, 0, false };
const struct scenario copying_over = { "copy over another", "", prepare_over, copy, check, 0, false };
const struct scenario copying_to_stripes = {
    "copy to stripes", "", prepare_stripes, copy_to_stripes, check_stripes, 0, false
};
const struct scenario copying_to_memory = {
    "plan, advise, copy to memory", "", prepare_memory, copy_to_memory, check_memory, 0, false
};
