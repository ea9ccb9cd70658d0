/* Which moves wait for which: those that touch the same elements, unless both read (move.c, invariant 3). */
#include "mp/move/move.h"

/* Whether the bounding boxes of what these ranks take overlap. */
static bool ranks_meet(const struct drxi_move *x, int x_rank, const struct drxi_move *y, int y_rank)
{
    const int ndim = drx_ndim(x->m->a);

    for (int j = 0; j < ndim; j++) {
        int64_t x_first, x_last, y_first, y_last;

        if (!drxi_axis_bounds(&x->sets[(int64_t)x_rank * ndim + j], &x_first, &x_last) ||
            !drxi_axis_bounds(&y->sets[(int64_t)y_rank * ndim + j], &y_first, &y_last) || x_last < y_first ||
            y_last < x_first)
            return false;
    }
    return true;
}

/* Whether x and y move the same elements, as far as this rank knows. */
static bool moves_meet(const struct drxi_move *x, const struct drxi_move *y)
{
    const int me = x->m->rank;

    for (int rank = 0; rank < x->m->ranks; rank++)
        if (((x->shared || rank == me) && ranks_meet(x, rank, y, me)) ||
            ((y->shared || rank == me) && ranks_meet(x, me, y, rank)))
            return true;
    return false;
}

bool drxi_moves_conflict(const struct drxi_move *x, const struct drxi_move *y)
{
    if ((!x->writing && !y->writing) || x->state == DRXI_OVER || (x->errand.state == DRXI_RUN && !x->shared))
        return false;
    return (x->shared && !x->known && x->state < DRXI_PLAN) || moves_meet(x, y);
}

bool drxi_move_is_held(const struct drxi_move *mv)
{
    for (const struct drxi_move *older = mv->blocking ? NULL : mv->m->requests; older && older != mv;
         older = older->next)
        if (drxi_moves_conflict(older, mv))
            return true;
    return false;
}
