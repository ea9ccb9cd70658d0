/* The scene with many steps: create, write, grow, name, sync, close, open. */
#include "drx_tools.h"
#include "marked.h"
#include "scenarios.h"
#include "scene.h"

static void prepare(struct trial *t)
{
    struct scene *s = malloc(sizeof *s);

    assert_non_null(s);
    scene_stripes = t->of->stripes;
    scene_mode = t->of->how & SHARED ? DRX_SHARED : DRX_RDWR;
    scene_start(s, "scene", t->of->how & FILLED ? -7 : 0);
    t->own = s;
}

static drx_status play(struct trial *t)
{
    struct scene *s = t->own;
    drx_status st = DRX_OK;

    for (int i = 0; !st && i < SCENE_STEPS; i++)
        st = scene_play(s, i);
    t->a[0] = s->a;
    return st;
}

/* It was not made, nothing is left of it, and it can be made after all. */
static void check_not_made(const struct trial *t)
{
    const drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 1 }, .flags = DRX_REPLACE };
    drx_array *a;

    if (!t->persistent && !(t->struck & CALL_REMOVE))
        assert_int_equal(marked_count("s?/*"), 0);
    assert_ok(drx_create("scene", &spec, &a));
    assert_ok(drx_close(a));
}

/* The handle reads on, unless checksums could not be brought up to date while single puts wait for that; and the files
 * hold what they must. */
static void check(struct trial *t, drx_status st)
{
    struct scene *s = t->own;
    drx_array *a;
    struct model *m;
    drx_status opened, closed;

    if (t->a[0] && st)
        assert_true(scene_same_shape(t->a[0], &s->before));
    if (t->a[0] && st && !t->persistent && !scene_flags)
        scene_check(t->a[0], &s->before);
    closed = drx_close(t->a[0]);
    t->a[0] = NULL;
    if (closed && scene_flags) { /* single puts are lost, which is told */
        assert_ok(drx_check("scene", NULL, NULL, NULL, NULL));
        return;
    }
    opened = drx_open("scene", DRX_RDWR, &a);
    if (opened == DRX_ENOENT && s->before.shape[0] == 0) {
        check_not_made(t);
        return;
    }
    assert_ok(opened);
    if (!t->persistent && !scene_flags) /* what a failed write left of a record was taken away at once */
        assert_string_equal(drx_last_error(), "");
    m = scene_same_shape(a, &s->after) && !scene_same_shape(a, &s->before) ? &s->after : &s->before;
    m = st ? m : &s->after;
    if (st)
        m->attrs = drx_attr_count(a); /* one or the other */
    scene_check(a, m);
    assert_ok(drx_close(a));
    assert_ok(drx_check("scene", NULL, NULL, NULL, NULL));
    assert_ok(drx_open("scene", DRX_RDWR, &a));
    scene_check_growth(a, m, s->fill);
    assert_ok(drx_close(a));
}

/* A compaction that fails is left undone. */
#define PLAY prepare, play, check

// clang-format off
const struct scenario scenarios_life[] = {
    { "create, grow, write, close",           ".", PLAY, .stripes = 0 },
    { "the same with a fill",                 ".", PLAY, .how = FILLED },
    { "the same with a fill, other names",    ".", PLAY, .how = FILLED | OTHER_NAMES | LIKE },
    { "the same with stripes",                "",  PLAY, .how = FILLED, .stripes = 3 },
    { "the same with stripes, other names",   "",  PLAY, .how = OTHER_NAMES | LIKE, .stripes = 2 },
    { "the same shared",                      ".", PLAY, .how = SHARED | FILLED | LIKE },
    { "the same compacting",                  ".", PLAY, CALL_ALL, .how = COMPACTING | FILLED | LIKE },
    { "the same compacting with other names", ".", PLAY, CALL_ALL, .how = COMPACTING | OTHER_NAMES | LIKE },
    { 0 }
};
// clang-format on
