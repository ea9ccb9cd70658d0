/* Copies into another layout, in several passes. */
#include "drx_tools.h"
#include "marked.h"
#include "numbers.h"
#include "scenarios.h"

static const int turned[2] = { 1, 0 };
static const int64_t chunk[2] = { 7, 2 }, origin[2] = { 0, 0 };
static const char *const folders[] = { "../s1", "../s2" };

/* With a folder for temporary files: in the least memory, where a copy takes several passes. */
static void prepare(struct trial *t)
{
    drx_copy_spec *spec = calloc(1, sizeof *spec);
    drx_copy_plan plan;

    assert_non_null(spec);
    t->own = spec;
    numbers_make("left/a", 0);
    assert_ok(drx_open("left/a", DRX_RDONLY, &t->a[0]));
    *spec = (drx_copy_spec){ .permute = turned, .chunk = chunk, .flags = t->of->flags };
    if (t->of->stripes) {
        spec->nstripes = t->of->stripes;
        spec->stripes = folders;
    }
    if (t->of->flags & DRX_REPLACE)
        marked_make("right/b", 5, 3);
    if (t->of->how & LEAST) {
        spec->memory_bytes = 1;
        assert_status(drx_plan_copy(t->a[0], spec, &plan, NULL, 0, NULL), DRX_ERANGE);
        spec->memory_bytes = plan.memory_bytes;
        spec->tmp = "s0";
        assert_ok(drx_plan_copy(t->a[0], spec, &plan, NULL, 0, NULL));
        assert_true(plan.passes > 1);
    }
}

static drx_status copy(struct trial *t)
{
    return drx_copy(t->a[0], "right/b", t->own, NULL);
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

static void check(struct trial *t, drx_status st)
{
    const bool over = t->of->flags & DRX_REPLACE;
    const bool other = over && marked_is("right/b", 5, 3), there = !other && is_turned("right/b");

    numbers_require(t->a[0]);
    assert_true(st || there);
    if (t->persistent)
        return;
    if (!there)
        assert_true(over ? other : marked_none("right/b"));
    if (!there && !over)
        assert_int_equal(marked_count("s?/*"), 0); /* nor temporary ones */
    if (over && !(t->struck & CALL_REMOVE))
        assert_int_equal(marked_count("right/b.*"), 2);
}

static void check_memory(struct trial *t, drx_status st)
{
    numbers_require(t->a[0]);
    if (!st)
        require_turned(t->a[1]);
}

// clang-format off
const struct scenario scenarios_copy[] = {
    { "copy in passes",               "", prepare, copy, check, .how = LEAST },
    { "copy over another",            "", prepare, copy, check, .flags = DRX_REPLACE },
    { "copy over another in passes",  "", prepare, copy, check, .how = LEAST | LIKE, .flags = DRX_REPLACE },
    { "copy to stripes",              "", prepare, copy, check, .stripes = 2 },
    { "plan, advise, copy to memory", "", prepare, copy_to_memory, check_memory, .to = NULL },
    { 0 }
};
// clang-format on
