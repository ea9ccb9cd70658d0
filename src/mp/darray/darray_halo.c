/* Refreshing padding, one axis after the other. Along an axis, a rank gets its padding from the ranks on its line. The
 * corners come with it, because the padding of earlier axes is already refreshed there. */
#include "mp/darray/sections.h"

/* The line of ranks through this one along an axis. The inner indices are first <= i < first + period. On a periodic
 * axis any other index i is a copy of the inner index i - turn * period. */
struct line {
    const drxmp_darray *d;
    int axis;
    int64_t first, period;
    int64_t turns_before, turns_behind;
};

static int rank_on(const struct line *l, int64_t grid_rank)
{
    const struct drxi_spread_axis *x = &l->d->axis[l->axis];

    return l->d->rank + (int)((grid_rank - drxi_grid_rank(l->d, l->d->rank, l->axis)) * x->behind);
}

static const struct dap_dim *dim_on(const struct line *l, int64_t grid_rank)
{
    return drxi_darray_dim(l->d, rank_on(l, grid_rank), l->axis);
}

static void set_line(struct line *l, const drxmp_darray *d, int axis)
{
    const struct dap_dim *first, *last;
    int64_t within;

    *l = (struct line){ .d = d, .axis = axis };
    first = dim_on(l, 0);
    last = dim_on(l, d->axis[axis].grid - 1);
    l->period = first->size;
    within = first->size - first->padding[0] - last->padding[1];
    if (!(first->flags & DAP_DIM_PERIODIC) || within <= 0)
        return;
    l->first = first->padding[0];
    l->period = within;
    l->turns_before = drxi_ceil_div(first->padding[0], within);
    l->turns_behind = drxi_ceil_div(last->padding[1], within);
}

/* Set a set to the inner indices whose copies at distance `turn` lie in from <= i < to, with the copies' local
 * indices. */
static void set_range(struct drxi_axis_set *set, const struct line *l, const struct dap_dim *dim, int64_t from,
                      int64_t to, int64_t turn)
{
    const int64_t away = turn * l->period;

    from = drxi_max(from, l->first + away);
    to = drxi_min(to, l->first + l->period + away);
    drxi_axis_range(set, from - away, 1, drxi_max(to - from, 0), from - dim->start);
}

/* Kinds of padding: copies from the neighbours before and after this rank, and copies from other turns. */
enum { BEFORE, BEHIND, TURNED };

static void set_padding(struct drxi_axis_set *set, const struct line *l, const struct dap_dim *dim, int kind,
                        int64_t turn)
{
    int64_t lo, hi;

    (void)dap_owned_range(dim, &lo, &hi);
    if (kind == TURNED)
        set_range(set, l, dim, dim->start, dim->stop, turn);
    else
        set_range(set, l, dim, kind == BEFORE ? dim->start : hi, kind == BEFORE ? lo : dim->stop, 0);
}

/* Give ranks on the line all local indices of every axis, and other ranks none. */
static void set_all(struct drxi_axis_set sets[], const struct line *l)
{
    const drxmp_darray *d = l->d;

    for (int64_t i = 0; i < (int64_t)d->ranks * d->ndim; i++)
        drxi_axis_range(&sets[i], 0, 1, 0, 0);
    for (int64_t k = 0; k < d->axis[l->axis].grid; k++)
        for (int j = 0; j < d->ndim; j++)
            drxi_axis_range(&sets[(int64_t)rank_on(l, k) * d->ndim + j], 0, 1,
                            dap_num_local(drxi_darray_dim(d, rank_on(l, k), j)), 0);
}

/* Fill one kind of padding on all ranks of the line. */
static drx_status fill(struct drxi_flow *flow, const struct line *l, int kind, int64_t turn)
{
    for (int64_t k = 0; k < l->d->axis[l->axis].grid; k++) {
        const struct dap_dim *dim = dim_on(l, k);
        const int64_t i = (int64_t)rank_on(l, k) * l->d->ndim + l->axis;
        int64_t lo, hi;

        (void)dap_owned_range(dim, &lo, &hi);
        set_range(&flow->from[i], l, dim, lo, hi, 0);
        set_padding(&flow->to[i], l, dim, kind, turn);
    }
    return drxi_flow_run(flow);
}

static drx_status fill_axis(struct drxi_flow *flow, const struct line *l)
{
    drx_status st, one;

    set_all(flow->from, l);
    set_all(flow->to, l);
    st = fill(flow, l, BEFORE, 0);
    one = fill(flow, l, BEHIND, 0);
    st = st ? st : one;
    for (int64_t turn = -l->turns_before; turn <= l->turns_behind; turn++) {
        one = turn == 0 ? DRX_OK : fill(flow, l, TURNED, turn);
        st = st ? st : one;
    }
    return st;
}

static bool has_padding(const drxmp_darray *d, int axis)
{
    for (int rank = 0; rank < d->ranks; rank++) {
        const struct dap_dim *dim = drxi_darray_dim(d, rank, axis);

        if (dim->padding[0] || dim->padding[1])
            return true;
    }
    return false;
}

static bool has_any_padding(const drxmp_darray *d)
{
    bool any = false;

    for (int j = 0; j < d->ndim; j++)
        any = any || has_padding(d, j);
    return any;
}

static drx_status plan(const drxmp_darray *d, struct drxi_flow *flow)
{
    const size_t n = (size_t)d->ranks * (size_t)d->ndim;
    drx_status st = drxi_darray_check_writable(d);

    if (st)
        return st;
    flow->from = drxi_malloc(n * sizeof *flow->from);
    flow->to = drxi_malloc(n * sizeof *flow->to);
    if (!flow->from || !flow->to)
        return drxi_fail(DRX_ENOMEM, "out of memory for the index sets of all ranks");
    flow->mem_from = (struct drxi_side){ DRXI_SIDE_A, d->mem, d->stride_bytes };
    flow->mem_to = (struct drxi_side){ DRXI_SIDE_B, d->mem, d->stride_bytes };
    return drxi_flow_memory(flow, d);
}

static drx_status refresh(drxmp_darray *d, struct drxi_flow *flow)
{
    drx_status st = DRX_OK;

    for (int j = 0; j < d->ndim; j++) {
        struct line line;
        drx_status one;

        if (!has_padding(d, j))
            continue;
        set_line(&line, d, j);
        one = fill_axis(flow, &line);
        st = st ? st : one;
    }
    return drxi_agree(d->comm, st, NULL);
}

drx_status drxmp_darray_sync(drxmp_darray *d)
{
    struct drxi_flow flow = { 0 };
    struct drxi_call call;
    bool padded;
    drx_status st;

    drxi_call_start(&call, "drxmp_darray_sync");
    drxi_call_int(&call, "the darray", d ? d->id : 0);
    padded = d && has_any_padding(d);
    st = padded ? plan(d, &flow) : DRX_OK;
    if (d)
        drxi_memory_fence(d);
    st = drxi_darray_begin(d, st, &call); /* also a barrier */
    if (d)
        drxi_memory_fence(d);
    if (!st && padded)
        st = refresh(d, &flow);
    drxi_free(flow.from);
    drxi_free(flow.to);
    drxi_flow_free(&flow);
    return st;
}
