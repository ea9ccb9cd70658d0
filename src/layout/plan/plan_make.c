/* From a request to a plan. */
#include "layout/plan/plan_internal.h"

static drx_status check_numbers(const struct drxi_relayout_request *r)
{
    if (r->ndim < 1 || r->ndim > DRX_MAX_NDIM)
        return drxi_fail(DRX_EINVAL, "%d dimensions; 1 to %d are possible", r->ndim, DRX_MAX_NDIM);
    if (r->item_bytes < 1)
        return drxi_fail(DRX_EINVAL, "an element of %lld bytes; 1 or more are expected", (long long)r->item_bytes);
    if (r->memory_bytes < 0)
        return drxi_fail(DRX_EINVAL, "a memory limit of %lld bytes", (long long)r->memory_bytes);
    return DRX_OK;
}

static drx_status check_cost(const struct drxi_relayout_cost *cost)
{
    if (cost->read_bandwidth > 0 && cost->write_bandwidth > 0 && cost->read_latency >= 0 && cost->write_latency >= 0 &&
        cost->overlap >= 0 && cost->overlap <= 1 && cost->part_bytes > 0)
        return DRX_OK;
    return drxi_fail(DRX_EINVAL, "the cost model has a bandwidth or part of 0 or less, a latency less than 0, or an "
                                 "overlap that is not within 0 to 1");
}

static drx_status check_permutation(const struct drxi_relayout_request *r)
{
    bool taken[DRX_MAX_NDIM] = { false };

    for (int j = 0; r->permute && j < r->ndim; j++) {
        const int axis = r->permute[j];

        if (axis < 0 || axis >= r->ndim)
            return drxi_fail(DRX_EINVAL, "the permutation has %d; axes are 0 to %d", axis, r->ndim - 1);
        if (taken[axis])
            return drxi_fail(DRX_EINVAL, "the permutation has axis %d twice", axis);
        taken[axis] = true;
    }
    return DRX_OK;
}

static int source_axis(const struct drxi_relayout_request *r, int j)
{
    return r->permute ? r->permute[j] : j;
}

/* Check that twice the stored extent of an axis fits in 64 bits, and so do the bytes of all axes. */
static drx_status check_plan_extents(const struct drxi_relayout_request *r)
{
    int64_t from = r->item_bytes, to = r->item_bytes;

    for (int j = 0; j < r->ndim; j++) {
        const int axis = source_axis(r, j);
        const int64_t n = r->shape[axis], s = r->source.chunk[axis], t = r->target.chunk[j];

        if (n < 0)
            return drxi_fail(DRX_EINVAL, "axis %d of the source has an extent of %lld", axis, (long long)n);
        if (s < 1)
            return drxi_fail(DRX_EINVAL, "axis %d of the source has a chunk extent of %lld", axis, (long long)s);
        if (t < 1)
            return drxi_fail(DRX_EINVAL, "axis %d of the target has a chunk extent of %lld; 1 or more is expected", j,
                             (long long)t);
        if (!drxi_mul(from, drxi_round_up(drxi_max(n, 1), s), &from) ||
            !drxi_mul(to, drxi_round_up(drxi_max(n, 1), t), &to) || from > INT64_MAX / 4 || to > INT64_MAX / 4)
            return drxi_fail(DRX_EOVERFLOW, "the bytes of all chunks overflow 64 bits at axis %d of the target", j);
    }
    return DRX_OK;
}

static drx_status check_box(const struct drxi_relayout_request *r)
{
    for (int j = 0; r->lo && j < r->ndim; j++) {
        const int64_t n = r->shape[source_axis(r, j)], t = r->target.chunk[j];

        if (r->lo[j] < 0 || r->lo[j] > r->hi[j] || r->hi[j] > n || r->lo[j] % t || (r->hi[j] % t && r->hi[j] < n))
            return drxi_fail(DRX_EINVAL,
                             "axis %d of the target: a box from %lld to %lld, expected multiples of %lld up "
                             "to %lld",
                             j, (long long)r->lo[j], (long long)r->hi[j], (long long)t, (long long)n);
    }
    return DRX_OK;
}

drx_status drxi_relayout_check(const struct drxi_relayout_request *r)
{
    drx_status st = check_numbers(r);

    if (st == DRX_OK && r->cost)
        st = check_cost(r->cost);
    if (st == DRX_OK)
        st = check_permutation(r);
    if (st == DRX_OK)
        st = check_plan_extents(r);
    return st ? st : check_box(r);
}

void drxi_relayout_sides(const struct drxi_relayout_request *r, struct drxi_relayout_side *source,
                         struct drxi_relayout_side *target)
{
    const int ndim = r->ndim;

    *source = (struct drxi_relayout_side){ .scattered = r->source.scattered };
    *target = (struct drxi_relayout_side){ .scattered = r->target.scattered };
    for (int j = 0; j < ndim; j++) {
        const int axis = source_axis(r, j);

        source->chunk[j] = source->unit[j] = r->source.chunk[axis];
        source->across[axis] = j;
        source->within[r->source.order == DRX_ROW_MAJOR ? axis : ndim - 1 - axis] = j;
        target->chunk[j] = target->unit[j] = r->target.chunk[j];
        target->across[j] = j;
        target->within[r->target.order == DRX_ROW_MAJOR ? j : ndim - 1 - j] = j;
    }
}

static bool is_empty(const struct drxi_task *task)
{
    for (int j = 0; j < task->ndim; j++)
        if (task->extent[j] == 0)
            return true;
    return false;
}

/* The box, and its start after a place where chunks of both sides begin. */
static void fill_box(const struct drxi_relayout_request *r, struct drxi_task *task, struct drxi_relayout *plan)
{
    for (int j = 0; j < r->ndim; j++) {
        const int axis = source_axis(r, j);

        task->length[j] = plan->shape[j] = r->shape[axis];
        plan->lo[j] = r->lo ? r->lo[j] : 0;
        plan->hi[j] = r->lo ? r->hi[j] : r->shape[axis];
        task->start[j] = plan->lo[j] % drxi_lcm(r->source.chunk[axis], r->target.chunk[j]);
        task->extent[j] = plan->hi[j] - plan->lo[j];
    }
}

bool drxi_relayout_alike(const struct drxi_relayout_request *r, const int64_t lo[], const int64_t hi[])
{
    for (int j = 0; j < r->ndim; j++) {
        const int64_t lcm = drxi_lcm(r->source.chunk[source_axis(r, j)], r->target.chunk[j]);

        if (r->hi[j] - r->lo[j] != hi[j] - lo[j] || r->lo[j] % lcm != lo[j] % lcm)
            return false;
    }
    return true;
}

static drx_status too_little(struct drxi_task *task, const struct drxi_relayout_side ends[2],
                             const struct drxi_chain *least, int64_t limit_bytes, int64_t *least_bytes)
{
    int64_t bytes = 0;

    for (int i = 0; i < least->passes; i++) {
        struct drxi_relayout_side side[2] = { ends[0], ends[1] };
        struct drxi_relayout_pass pass;
        bool found;

        if (i > 0)
            drxi_temporary_side(task->ndim, least->between[i - 1], &side[0]);
        if (i + 1 < least->passes)
            drxi_temporary_side(task->ndim, least->between[i], &side[1]);
        drxi_chain_group(task, &ends[0], &ends[1], least->passes > 1);
        const drx_status st = drxi_best_pass(task, &side[0], &side[1], &pass, &found);

        if (st)
            return st;
        bytes = drxi_max(bytes, pass.memory_bytes);
    }
    if (least_bytes)
        *least_bytes = bytes;
    if (least->passes == 0)
        return drxi_fail(DRX_EOVERFLOW, "the memory that any pass takes overflows 64 bits");
    return drxi_fail(DRX_ERANGE, "%lld bytes of memory are too little; %lld would do", (long long)limit_bytes,
                     (long long)bytes);
}

/* The largest sum of two neighbouring temporary arrays of one group. */
static int64_t temporary_bytes(const struct drxi_relayout *plan)
{
    int64_t most = 0, last = 0;

    for (int i = 0; i + 1 < plan->passes; i++) {
        const struct drxi_relayout_pass *pass = &plan->pass[i];
        int64_t bytes = plan->item_bytes;

        for (int j = 0; j < plan->ndim; j++)
            bytes = drxi_mul_saturated(bytes, drxi_round_up(pass->group[j], pass->target.chunk[j]));
        most = drxi_max(most, drxi_add(bytes, last, &last) ? last : INT64_MAX);
        last = bytes;
    }
    return most;
}

static bool add_pass(struct drxi_relayout *plan, const struct drxi_relayout_pass *pass)
{
    plan->memory_bytes = drxi_max(plan->memory_bytes, pass->memory_bytes);
    plan->seconds += pass->seconds;
    return drxi_add(plan->read_bytes, pass->read_bytes, &plan->read_bytes) &&
           drxi_add(plan->read_calls, pass->read_calls, &plan->read_calls) &&
           drxi_add(plan->write_bytes, pass->write_bytes, &plan->write_bytes) &&
           drxi_add(plan->write_calls, pass->write_calls, &plan->write_calls);
}

/* Find the passes of the chain once more. */
static drx_status fill_plan(struct drxi_task *task, const struct drxi_relayout_side ends[2],
                            const struct drxi_chain *chain, struct drxi_relayout *plan)
{
    drxi_chain_group(task, &ends[0], &ends[1], chain->passes > 1);
    for (int i = 0; i < chain->passes; i++) {
        struct drxi_relayout_side side[2] = { ends[0], ends[1] };
        bool found;
        drx_status st;

        if (i > 0)
            drxi_temporary_side(task->ndim, chain->between[i - 1], &side[0]);
        if (i + 1 < chain->passes)
            drxi_temporary_side(task->ndim, chain->between[i], &side[1]);
        st = drxi_best_pass(task, &side[0], &side[1], &plan->pass[i], &found);
        if (st)
            return st;
        plan->passes++;
        drxi_pass_widen(&plan->pass[i], task->ndim, task->item_bytes, task->memory_bytes);
        if (!add_pass(plan, &plan->pass[i]))
            return drxi_fail(DRX_EOVERFLOW, "the bytes that %d passes read and write overflow 64 bits", chain->passes);
    }
    plan->temporary_bytes = temporary_bytes(plan);
    return DRX_OK;
}

drx_status drxi_relayout_plan(const struct drxi_relayout_request *request, struct drxi_relayout *plan,
                              int64_t *least_bytes)
{
    struct drxi_relayout_side ends[2];
    struct drxi_task task = { .ndim = request->ndim };
    struct drxi_chain chain;
    drx_status st;

    memset(plan, 0, sizeof *plan);
    if (least_bytes)
        *least_bytes = 0;
    st = drxi_relayout_check(request);
    if (st)
        return st;
    drxi_relayout_sides(request, &ends[0], &ends[1]);
    task.item_bytes = plan->item_bytes = request->item_bytes;
    task.memory_bytes = request->memory_bytes;
    task.cost = request->cost ? *request->cost : drxi_relayout_cost;
    plan->ndim = request->ndim;
    fill_box(request, &task, plan);
    if (is_empty(&task))
        return DRX_OK;
    st = drxi_best_chain(&task, &ends[0], &ends[1], &chain);
    if (st)
        return st;
    if (chain.passes > 0)
        return fill_plan(&task, ends, &chain, plan);
    task.least = true;
    task.memory_bytes = INT64_MAX;
    st = drxi_best_chain(&task, &ends[0], &ends[1], &chain);
    return st ? st : too_little(&task, ends, &chain, request->memory_bytes, least_bytes);
}
