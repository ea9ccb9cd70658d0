/* Trims and new axes. */
#include "model.h"

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

void chunks_from(int64_t first, int64_t extent, int64_t chunk, int64_t *lower, int64_t *upper)
{
    *lower = floor_div(first, chunk);
    *upper = extent == 0 ? *lower : floor_div(first + extent - 1, chunk) + 1;
}

void chunks_of(const struct model *m, int axis, int64_t *lower, int64_t *upper)
{
    chunks_from(m->now.lower[axis], m->now.shape[axis], m->chunk[axis], lower, upper);
}

void book_follow(struct model *m, int axis)
{
    int64_t lower, upper;

    chunks_of(m, axis, &lower, &upper);
    book_move(&m->book, axis, lower, upper);
}

static void cut_readers(struct model *m, int axis)
{
    const int64_t lower = m->now.lower[axis], upper = lower + m->now.shape[axis];

    for (int i = 0; i < READERS; i++) {
        struct reader *r = &m->reader[i];

        if (r->frozen)
            continue;
        r->cut = true;
        r->first[axis] = lower > r->first[axis] ? lower : r->first[axis];
        r->end[axis] = upper < r->end[axis] ? upper : r->end[axis];
    }
}

struct trimming {
    int axis;
    int64_t before, after;
};

static drx_status trim(struct model *m, const void *with)
{
    const struct trimming *t = with;

    return m->hands->trim(m, t->axis, t->before, t->after);
}

/* A few indices, or nearly all of them. */
void op_trim(struct model *m)
{
    const int axis = (int)rng_between(&m->rng, 0, m->ndim - 1);
    const int64_t extent = m->now.shape[axis];
    const int64_t most = rng_chance(&m->rng, 85) && extent > 3 ? 3 : extent;
    const int64_t before = rng_between(&m->rng, 0, most), after = rng_between(&m->rng, 0, most - before);

    say(m, "trim axis %d by %" PRId64 " and %" PRId64, axis, before, after);
    EXPECT_OK(m, attempt(m, trim, &(struct trimming){ axis, before, after }));
    if (before + after == 0)
        return;
    plain_resize(&m->now, axis, m->now.lower[axis] + before, extent - before - after, m->fill);
    book_follow(m, axis);
    cut_readers(m, axis);
    m->trimmed = true;
    m->residue = true; /* nobody restores the cells of a chunk that was cut through before they are used again */
    m->puts_pending = false;
    m->run->calls++;
    keep(m);
    check_bounds(m, m->a, m->now.lower, m->now.shape);
    if (rng_chance(&m->rng, 20))
        check_all(m);
}

static void insert(int64_t *values, int n, int at, int64_t value)
{
    memmove(values + at + 1, values + at, (size_t)(n - at) * sizeof *values);
    values[at] = value;
}

/* Readers go on with the axes that they know, at index 0 of the new one. */
static void add_axis_to_readers(struct model *m, int at)
{
    for (int i = 0; i < READERS; i++) {
        struct reader *r = &m->reader[i];

        if (r->frozen)
            continue;
        insert(r->first, m->ndim, at, 0);
        insert(r->end, m->ndim, at, 1);
        for (int j = 0; j < r->ndim; j++)
            r->axis[j] += r->axis[j] >= at;
    }
}

struct new_axis {
    int at;
    const char *name;
};

static drx_status add_axis(struct model *m, const void *with)
{
    const struct new_axis *n = with;

    return m->hands->add_axis(m, n->at, n->name);
}

void op_add_axis(struct model *m)
{
    const int at = (int)rng_between(&m->rng, 0, m->ndim);
    const char *name = m->hands == &lent || rng_chance(&m->rng, 50) ? "run" : NULL;
    char text[20];

    say(m, "add axis %d", at);
    if (m->ndim > 6)
        return;
    if (m->hands == &lent) { /* dimensions have different names */
        snprintf(text, sizeof text, "run %d", m->ndim);
        name = text;
    }
    EXPECT_OK(m, attempt(m, add_axis, &(struct new_axis){ at, name }));
    plain_add_axis(&m->now, at);
    book_add_axis(&m->book, at);
    insert(m->chunk, m->ndim, at, 1);
    insert(m->initial, m->ndim, at, 1);
    insert(m->origin, m->ndim, at, 0);
    names_add_dim(&m->names, at, name);
    add_axis_to_readers(m, at);
    for (int i = 0; i < m->n_grown; i++)
        m->grown[i].axis += m->grown[i].axis >= at;
    m->ndim++;
    m->widened = true;
    keep(m);
    m->puts_pending = false;
    m->run->calls++;
    check_all(m);
}
