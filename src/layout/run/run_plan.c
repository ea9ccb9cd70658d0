/* All groups of a plan. Each group goes through all passes before the next one begins, so a temporary array between
 * passes holds one group. It is there from the pass that writes it to the end of the pass that reads it. */
#include "io/flight.h"
#include "layout/run/run.h"

struct plan_run {
    const struct drxi_relayout *plan;
    drx_array *array[DRXI_RELAYOUT_PASSES + 1]; /* before and after each pass */
    const int *permute;
    const char *tmp;
    bool fresh;
    const struct drxi_told *told;
    uint8_t *block, *memory; /* memory: in the block, where a page begins */
};

/* Make the temporary array of a group, with the chunks that the pass before it makes. */
static drx_status make_temporary(struct plan_run *r, int i)
{
    const struct drxi_relayout_pass *pass = &r->plan->pass[i - 1];
    const drx_spec spec = {
        .ndim = r->plan->ndim,
        .type = r->array[0]->data.type,
        .shape = pass->group,
        .chunk = pass->target.chunk,
        .flags = r->tmp ? DRX_TEMPORARY : 0,
    };

    return drx_create(r->tmp, &spec, &r->array[i]);
}

static struct drxi_pass_side group_side(const struct plan_run *r, int i, const struct drxi_relayout_side *side,
                                        const int64_t origin[], const int64_t group_end[])
{
    struct drxi_pass_side end = { .a = r->array[i], .side = side, .ndim = r->plan->ndim, .skip_zeros = false };

    for (int j = 0; j < end.ndim; j++) {
        end.own[j] = i == 0 && r->permute ? r->permute[j] : j;
        end.chunk[j] = end.a->data.chunk[end.own[j]];
        end.origin[j] = side->temporary ? 0 : origin[j];
        end.end[j] = group_end[j];
    }
    end.skip_zeros = r->fresh && i == r->plan->passes && end.a->data.zero_fill; /* the target holds zeros */
    return end;
}

/* Run the group whose first element is at `lo` of the target. */
static drx_status run_group(struct plan_run *r, const int64_t lo[])
{
    int64_t origin[DRX_MAX_NDIM], end[DRX_MAX_NDIM];
    drx_status st = DRX_OK;

    for (int j = 0; j < r->plan->ndim; j++) {
        const struct drxi_relayout_pass *first = &r->plan->pass[0];

        origin[j] = lo[j] - first->start[j];
        end[j] = first->start[j] + drxi_min(first->group[j], r->plan->hi[j] - lo[j]);
    }
    for (int i = 0; i < r->plan->passes; i++) { /* after a failure, only free them */
        const struct drxi_relayout_pass *pass = &r->plan->pass[i];

        if (!st && i + 1 < r->plan->passes)
            st = make_temporary(r, i + 1);
        if (!st) {
            struct drxi_pass_side source = group_side(r, i, &pass->source, origin, end);
            struct drxi_pass_side target = group_side(r, i + 1, &pass->target, origin, end);

            st = drxi_run_pass(pass, &source, &target, (size_t)r->plan->item_bytes, r->memory, r->told);
        }
        if (i > 0) {
            (void)drx_close(r->array[i]);
            r->array[i] = NULL;
        }
    }
    return st;
}

static drx_status run_groups(struct plan_run *r)
{
    const struct drxi_relayout *plan = r->plan;
    int64_t lo[DRX_MAX_NDIM];
    drx_status st;

    memcpy(lo, plan->lo, sizeof lo);
    do {
        st = run_group(r, lo);
    } while (!st && drxi_next_box(plan->ndim, plan->lo, plan->hi, plan->pass[0].group, lo));
    return st;
}

/* Copy from the source to the target directly, if possible. */
static drx_status run_directly(const struct plan_run *r, bool *done)
{
    const struct drxi_relayout *plan = r->plan;
    const int64_t none[DRX_MAX_NDIM] = { 0 };
    const struct drxi_pass_side source = group_side(r, 0, &plan->pass[0].source, none, plan->hi);
    const struct drxi_pass_side target =
        group_side(r, plan->passes, &plan->pass[plan->passes - 1].target, none, plan->hi);
    drx_status st;

    drxi_behind_late(&target.a->data, true);
    st = drxi_run_direct(&source, &target, plan->lo, r->memory, plan->memory_bytes, r->told, done);
    drxi_behind_late(&target.a->data, false);
    return st;
}

/* Whether the copy left parts of chunks outside the array unwritten that must hold the fill. */
static bool leaves_parts(const struct drxi_relayout *plan, const drx_array *target, bool directly)
{
    const struct drxi_relayout_side *side = &plan->pass[plan->passes - 1].target;

    for (int j = 0; j < plan->ndim; j++)
        if ((directly ? side->chunk[j] : side->unit[j]) < target->data.chunk[j])
            return !target->data.zero_fill;
    return false;
}

/* Write the fill to the cells outside the array in chunks of the box. */
static drx_status fill_outside(const struct drxi_relayout *plan, drx_array *target)
{
    int64_t end[DRX_MAX_NDIM];

    for (int j = 0; j < plan->ndim; j++)
        end[j] = plan->hi[j] < plan->shape[j] ? plan->hi[j] : drxi_state_chunks_end(&target->log.state, j);
    return drxi_fill_around(target, plan->lo, end, plan->lo, plan->hi);
}

drx_status drxi_run_plan(const struct drxi_relayout *plan, drx_array *source, drx_array *target, const int permute[],
                         bool fresh, const char *tmp, const struct drxi_told *told)
{
    struct plan_run r = { .plan = plan, .permute = permute, .tmp = tmp, .fresh = fresh, .told = told };
    bool done = false;
    drx_status st;

    if (plan->passes == 0)
        return DRX_OK;
    r.array[0] = source;
    r.array[plan->passes] = target;
    r.block = drxi_malloc((size_t)plan->memory_bytes + DRXI_FLIGHT_ALIGNMENT);
    if (!r.block)
        return DRX_ENOMEM;
    r.memory = r.block + DRXI_FLIGHT_ALIGNMENT - (uintptr_t)r.block % DRXI_FLIGHT_ALIGNMENT;
    drxi_prefer_huge_pages(r.memory, (size_t)plan->memory_bytes);
    st = run_directly(&r, &done);
    if (!st && !done)
        st = run_groups(&r);
    if (!st && fresh && leaves_parts(plan, target, done))
        st = fill_outside(plan, target);
    drxi_free(r.block);
    return st;
}
