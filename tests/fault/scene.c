#include "scene.h"

int scene_stripes;
unsigned scene_flags;
drx_codec scene_codec;
int scene_mode = DRX_RDWR;

void scene_start(struct scene *s, const char *path, int32_t fill)
{
    memset(s, 0, sizeof *s);
    s->path = path;
    s->fill = fill;
}

static int32_t value_of(int step, int64_t i, int64_t j)
{
    return (int32_t)(1000000 * (step + 1) + 1000 * i + j);
}

/* Cells that a growth to `shape` uncovers. */
static void uncover(struct model *m, int axis, int64_t by, int32_t fill)
{
    int64_t old[2] = { m->shape[0], m->shape[1] };

    m->shape[axis] += by;
    for (int64_t i = 0; i < m->shape[0]; i++)
        for (int64_t j = 0; j < m->shape[1]; j++)
            if (i >= old[0] || j >= old[1])
                m->value[i][j] = m->other[i][j] = fill;
}

/* The box as a step writes it, in C order in `buf`, and in the model. */
static void compose(struct model *m, int step, const int64_t lo[], const int64_t count[], int32_t *buf)
{
    for (int64_t i = 0; i < count[0]; i++)
        for (int64_t j = 0; j < count[1]; j++) {
            const int32_t v = value_of(step, lo[0] + i, lo[1] + j);

            m->value[lo[0] + i][lo[1] + j] = v;
            buf[i * count[1] + j] = v;
        }
}

static drx_status play_create(struct scene *s)
{
    const int64_t chunk[2] = { 2, 3 };
    const char *dims[2] = { "y", NULL };
    const char *const folders[] = { "s0", "s1", "s2" };
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = s->after.shape,
                            .chunk = chunk,
                            .fill = &s->fill,
                            .dims = dims,
                            .align = 32,
                            .flags = scene_flags,
                            .codec = scene_stripes > 0 ? DRX_RAW : scene_codec,
                            .nstripes = scene_stripes,
                            .stripes = scene_stripes > 0 ? folders : NULL };

    s->after.shape[0] = s->after.shape[1] = 0;
    memcpy(s->after.dim, "y", 2);
    uncover(&s->after, 0, 3, s->fill);
    uncover(&s->after, 1, 4, s->fill);
    return drx_create(s->path, &spec, &s->a);
}

struct pieces {
    const int32_t *slab;
    int64_t rows, columns, by; /* of the slab */
    int axis;
    int32_t piece[SCENE_EXTENT];
};

/* One index at a time. */
static drx_status next_piece(void *with, int64_t done, int64_t *n, const void **buf)
{
    struct pieces *p = with;

    if (done == p->by)
        return DRX_OK;
    for (int64_t i = 0; i < (p->axis == 0 ? p->columns : p->rows); i++)
        p->piece[i] = p->slab[p->axis == 0 ? done * p->columns + i : i * p->columns + done];
    *n = 1;
    *buf = p->piece;
    return DRX_OK;
}

static drx_status play_append(struct scene *s, int step, int axis, int64_t by)
{
    int32_t buf[SCENE_EXTENT * SCENE_EXTENT];
    int64_t lo[2] = { 0, 0 };
    int64_t count[2];

    lo[axis] = s->before.shape[axis];
    uncover(&s->after, axis, by, s->fill);
    memcpy(count, s->after.shape, sizeof count);
    count[axis] = by;
    compose(&s->after, step, lo, count, buf);
    for (int64_t i = 0; i < count[0]; i++) /* whole or not at all */
        for (int64_t j = 0; j < count[1]; j++)
            s->after.other[lo[0] + i][lo[1] + j] = s->after.value[lo[0] + i][lo[1] + j];
    if (by > 1) {
        struct pieces p = { .slab = buf, .rows = count[0], .columns = count[1], .by = by, .axis = axis };

        return drx_append_pieces(s->a, axis, by, DRX_ROW_MAJOR, next_piece, &p);
    }
    return drx_append(s->a, axis, by, DRX_ROW_MAJOR, buf);
}

static drx_status play_write(struct scene *s, int step, const int64_t lo[2], const int64_t count[2])
{
    int32_t buf[SCENE_EXTENT * SCENE_EXTENT];

    compose(&s->after, step, lo, count, buf);
    return drx_write(s->a, lo, count, DRX_ROW_MAJOR, buf);
}

/* Single elements, which may stay in the pool. */
static drx_status play_put(struct scene *s, int step)
{
    drx_status st = DRX_OK;

    for (int64_t k = 0; !st && k < 3; k++) {
        const int64_t index[2] = { k, k + 1 };
        const int32_t v = value_of(step, index[0], index[1]);

        s->after.value[index[0]][index[1]] = v;
        st = drx_put(s->a, index, &v);
    }
    return st;
}

static drx_status play_close(struct scene *s)
{
    drx_status st = drx_close(s->a);

    s->a = NULL;
    return st;
}

static drx_status play_reopen(struct scene *s)
{
    drx_status st = play_close(s);

    return st ? st : drx_open(s->path, scene_mode, &s->a);
}

/* The handle that made an array is an exclusive writer. */
static drx_status play_first_write(struct scene *s, int step)
{
    drx_status st = scene_mode == DRX_SHARED ? play_reopen(s) : DRX_OK;

    return st ? st : play_write(s, step, (int64_t[]){ 0, 0 }, (int64_t[]){ 3, 4 });
}

enum { CREATE, FIRST_WRITE, APPEND, EXTEND, WRITE, PUT, TITLE, NO_TITLE, RENAME, SYNC, REOPEN, CLOSE };

static const struct {
    int what, axis, by;
} steps[SCENE_STEPS] = {
    { CREATE, 0, 0 }, { FIRST_WRITE, 0, 0 }, { APPEND, 0, 2 }, { EXTEND, 1, 3 }, { WRITE, 0, 0 },  { TITLE, 0, 0 },
    { SYNC, 0, 0 },   { APPEND, 1, 1 },      { PUT, 0, 0 },    { EXTEND, 0, 4 }, { RENAME, 0, 0 }, { NO_TITLE, 0, 0 },
    { SYNC, 0, 0 },   { APPEND, 0, 1 },      { APPEND, 1, 2 }, { REOPEN, 0, 0 }, { APPEND, 0, 1 }, { EXTEND, 1, 1 },
    { PUT, 0, 0 },    { TITLE, 0, 0 },       { SYNC, 0, 0 },   { EXTEND, 0, 1 }, { APPEND, 1, 3 }, { CLOSE, 0, 0 },
};

static drx_status play(struct scene *s, int i)
{
    switch (steps[i].what) {
    case CREATE:
        return play_create(s);
    case FIRST_WRITE:
        return play_first_write(s, i);
    case APPEND:
        return play_append(s, i, steps[i].axis, steps[i].by);
    case EXTEND:
        uncover(&s->after, steps[i].axis, steps[i].by, s->fill);
        return drx_extend(s->a, steps[i].axis, steps[i].by);
    case WRITE:
        return play_write(s, i, (int64_t[]){ 1, 2 }, (int64_t[]){ 3, 4 });
    case PUT:
        return play_put(s, i);
    case TITLE:
        s->after.attrs = 1;
        return drx_attr_set_text(s->a, "title", "a scene");
    case NO_TITLE:
        s->after.attrs = 0;
        return drx_attr_delete(s->a, "title");
    case RENAME:
        memcpy(s->after.dim, "north", 6);
        return drx_dim_rename(s->a, 0, "north");
    case SYNC:
        return drx_sync(s->a);
    case REOPEN:
        return play_reopen(s);
    default:
        return play_close(s);
    }
}

/* A failed step may have written some of its cells, but grown nothing. */
static void allow_both(struct scene *s)
{
    for (int64_t i = 0; i < s->before.shape[0]; i++)
        for (int64_t j = 0; j < s->before.shape[1]; j++) {
            s->before.other[i][j] = s->after.value[i][j];
            s->after.other[i][j] = s->before.value[i][j];
        }
}

static void settle(struct model *m)
{
    memcpy(m->other, m->value, sizeof m->other);
}

drx_status scene_play(struct scene *s, int i)
{
    drx_status st;

    s->before = s->after;
    st = play(s, i);
    if (st)
        allow_both(s);
    else
        settle(&s->after);
    return st;
}

bool scene_same_shape(drx_array *a, const struct model *m)
{
    return drx_shape(a)[0] == m->shape[0] && drx_shape(a)[1] == m->shape[1];
}

void scene_check(drx_array *a, const struct model *m)
{
    static int32_t buf[SCENE_EXTENT * SCENE_EXTENT * 16];
    const int64_t lo[2] = { 0, 0 };
    const char *dim = drx_dim_name(a, 0);

    assert_true(scene_same_shape(a, m));
    assert_int_equal(drx_attr_count(a), m->attrs);
    assert_string_equal(dim ? dim : "", m->dim);
    assert_ok(drx_read(a, lo, m->shape, DRX_ROW_MAJOR, buf));
    for (int64_t i = 0; i < m->shape[0]; i++)
        for (int64_t j = 0; j < m->shape[1]; j++) {
            const int32_t v = buf[i * m->shape[1] + j];

            if (v != m->value[i][j] && v != m->other[i][j])
                print_error("element (%d, %d) is %d, expected %d or %d\n", (int)i, (int)j, (int)v, (int)m->value[i][j],
                            (int)m->other[i][j]);
            assert_true(v == m->value[i][j] || v == m->other[i][j]);
        }
}

void scene_check_growth(drx_array *a, struct model *m, int32_t fill)
{
    for (int axis = 0; axis < 2; axis++) { /* inside the chunk first, then beyond */
        assert_ok(drx_extend(a, axis, 1));
        uncover(m, axis, 1, fill);
    }
    scene_check(a, m);
    for (int axis = 0; axis < 2; axis++) {
        const int64_t by = SCENE_EXTENT - 1 - m->shape[axis];

        assert_ok(drx_extend(a, axis, by));
        uncover(m, axis, by, fill);
        scene_check(a, m);
    }
}
