/* The ghosts and sources that two grid ranks have along an axis. */
#include "mp/darray/ghosts.h"

enum { SHORT_RUN = 4 }; /* pairs; with fewer in a run on average, a list is faster */

/* Inner indices are first <= i < first + period. Any other index i of a periodic axis repeats the inner index
 * i - turn * period. The ranks with coordinates 0 on all other axes say how wide the padding is. */
struct circle {
    bool periodic;
    int64_t first, period, turns_before, turns_behind;
};

static struct circle find_circle(const struct drxi_ghosts *g, int axis)
{
    const drxmp_darray *d = g->to;
    const struct drxi_spread_axis *x = &d->axis[axis];
    const struct dap_dim *first = drxi_darray_dim(d, 0, axis);
    const struct dap_dim *last = drxi_darray_dim(d, (int)((x->grid - 1) * x->behind), axis);
    struct circle c = { .first = first->padding[0], .period = first->size - first->padding[0] - last->padding[1] };

    if (g->from != d || !(first->flags & DAP_DIM_PERIODIC) || c.period <= 0)
        return (struct circle){ .periodic = false };
    c.periodic = true;
    c.turns_before = drxi_ceil_div(first->padding[0], c.period);
    c.turns_behind = drxi_ceil_div(last->padding[1], c.period);
    return c;
}

/* The part of a range that lies in the given turn, as indices of turn 0. */
static struct drxi_axis_set turn_back(const struct drxi_axis_set *set, const struct circle *c, int64_t turn)
{
    const int64_t away = turn * c->period, lo = drxi_max(set->start, c->first + away);
    const int64_t hi = drxi_min(set->start + set->n, c->first + c->period + away);
    struct drxi_axis_set part;

    drxi_axis_range(&part, lo - away, 1, drxi_max(hi - lo, 0), set->local + lo - set->start);
    return part;
}

static bool continues(const struct drxi_pair_run *last, const int64_t local[2], const int64_t step[2], int64_t count)
{
    for (int side = 0; side < 2; side++) {
        const int64_t by = last->count == 1 ? local[side] - last->local[side] : last->step[side];

        if (local[side] != last->local[side] + last->count * by || (count > 1 && step[side] != by))
            return false;
    }
    return true;
}

static drx_status append_pair(struct drxi_pairs *p, const struct drxi_common *c, bool holder_here)
{
    const int64_t local[2] = { holder_here ? c->a : c->b, holder_here ? c->b : c->a };
    const int64_t step[2] = { holder_here ? c->a_step : c->b_step, holder_here ? c->b_step : c->a_step };
    struct drxi_pair_run *last = p->runs > 0 ? &p->run[p->runs - 1] : NULL;

    if (last && continues(last, local, step, c->count)) {
        if (last->count == 1) {
            last->step[0] = local[0] - last->local[0];
            last->step[1] = local[1] - last->local[1];
        }
        last->count += c->count;
    } else {
        const drx_status st = drxi_reserve(&p->run, &p->room, p->runs + 1, sizeof *p->run);

        if (st)
            return st;
        p->run[p->runs++] = (struct drxi_pair_run){
            .at = p->n, .count = c->count, .local = { local[0], local[1] }, .step = { step[0], step[1] }
        };
    }
    p->n += c->count;
    return DRX_OK;
}

static drx_status add_common(const struct drxi_ghosts *g, int axis, const struct drxi_axis_set *held,
                             const struct drxi_axis_set *owned, bool holder_here, struct drxi_pairs *p)
{
    struct drxi_common c = { .a_place = 0 };
    int64_t from, to, last;
    drx_status st = DRX_OK;

    if (!drxi_axis_bounds(held, &from, &to) || !drxi_axis_bounds(owned, &from, &last))
        return DRX_OK;
    to = drxi_min(to, last) + 1;
    if (g->by) {
        from = drxi_max(from, g->lo[axis]);
        to = drxi_min(to, g->hi[axis]);
    }
    while (!st && drxi_common_next(held, owned, from, to, &c)) {
        st = append_pair(p, &c, holder_here);
        from = c.index + (c.count - 1) * c.step + 1;
    }
    return st;
}

static drx_status make_list(struct drxi_pairs *p)
{
    int64_t *list;

    if (p->runs < 2 || p->runs * SHORT_RUN <= p->n)
        return DRX_OK;
    if (!(list = drxi_malloc(2 * (size_t)p->n * sizeof *list)))
        return DRX_ENOMEM;
    for (int side = 0; side < 2; side++) {
        int64_t *next = p->list[side] = list + side * p->n;

        for (const struct drxi_pair_run *r = p->run; r < p->run + p->runs; r++)
            for (int64_t i = 0; i < r->count; i++)
                *next++ = r->local[side] + i * r->step[side];
    }
    drxi_free(p->run);
    p->run = NULL;
    p->runs = 0;
    return DRX_OK;
}

/* The source indices as those of their ghosts. What that needs, *runs, is to be freed. */
static drx_status find_owned(const struct drxi_ghosts *g, int axis, int64_t owner, struct drxi_axis_set *owned,
                             struct drxi_run **runs)
{
    struct drxi_run *room;

    *owned = g->from->axis[axis].owned[owner];
    *runs = NULL;
    if (!g->by)
        return DRX_OK;
    *runs = room = drxi_malloc((size_t)(owned->kind == DRXI_RUNS ? owned->n : 0) * sizeof *room);
    if (!room)
        return DRX_ENOMEM;
    drxi_axis_shift(owned, g->by[axis], &room);
    return DRX_OK;
}

drx_status drxi_pairs_find(const struct drxi_ghosts *g, int axis, int64_t holder, int64_t owner, enum drxi_turns turns,
                           bool holder_here, struct drxi_pairs *pairs)
{
    const struct circle c = find_circle(g, axis);
    struct drxi_axis_set all;
    struct drxi_run *runs;
    drx_status st = find_owned(g, axis, owner, &all, &runs);

    for (int64_t turn = -c.turns_before; !st && turn <= c.turns_behind; turn++) {
        struct drxi_axis_set held = g->to->axis[axis].held[holder], owned = all;

        if (turn == 0 ? turns == DRXI_TURNED : turns == DRXI_INNER)
            continue;
        if (c.periodic) { /* a block */
            held = turn_back(&held, &c, turn);
            owned = turn_back(&owned, &c, 0);
        }
        st = add_common(g, axis, &held, &owned, holder_here, pairs);
    }
    drxi_free(runs);
    if (!st)
        st = make_list(pairs);
    return st ? drxi_fail(st, "axis %d: out of memory for its ghosts", axis) : DRX_OK;
}

void drxi_pairs_free(struct drxi_pairs *pairs)
{
    drxi_free(pairs->run);
    drxi_free(pairs->list[0]);
}
