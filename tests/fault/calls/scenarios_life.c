/* The scene of many steps: create, write, grow, name, sync, close, open. */
#include "drx_tools.h"
#include "scenarios.h"
#include "scene.h"

static const int no_fill = 0, some_fill = -7;

static void start(struct trial *t, int32_t fill, int stripes)
{
    struct scene *s = malloc(sizeof *s);

    assert_non_null(s);
    scene_stripes = stripes;
    scene_start(s, "scene", fill);
    t->own = s;
}

static void prepare(struct trial *t)
{
    start(t, no_fill, 0);
}

static void prepare_with_fill(struct trial *t)
{
    start(t, some_fill, 0);
}

static void prepare_striped(struct trial *t)
{
    start(t, some_fill, 3);
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

/* The handle reads on, unless checksums could not be brought up to date while single puts wait for that; and the files
 * hold what they must. */
static void check(struct trial *t, drx_status st)
{
    struct scene *s = t->own;
    drx_array *a;
    struct model *m;
    drx_status opened, closed;

    if (t->a[0] && st && !t->persistent && !scene_flags)
        scene_check(t->a[0], &s->before);
    closed = drx_close(t->a[0]);
    t->a[0] = NULL;
    if (closed && scene_flags) { /* single puts are lost, which is told */
        assert_ok(drx_check("scene", NULL, NULL, NULL, NULL));
        return;
    }
    opened = drx_open("scene", DRX_RDWR, &a);
    if (opened == DRX_ENOENT && s->before.shape[0] == 0) /* it was not made */
        return;
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

const struct scenario life = { "create, grow, write, close", ".", prepare, play, check, 0, false };
const struct scenario life_with_fill = { "the same with a fill", ".", prepare_with_fill, play, check, 0, false };
const struct scenario life_striped = { "the same with stripes", "", prepare_striped, play, check, 0, false };
