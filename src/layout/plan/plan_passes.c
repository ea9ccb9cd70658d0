/* Several passes through intermediate chunk shapes (Krishnamoorthy et al. 2006, Fig. 4): the geometric mean of the
 * shapes, or the two shapes that cut the way between them in three, and again between each two of these. */
#include "layout/plan/plan_internal.h"

enum { DEPTH = 2 };

void drxi_temporary_side(int ndim, const int64_t chunk[], struct drxi_relayout_side *side)
{
    *side = (struct drxi_relayout_side){ .temporary = true };
    for (int j = 0; j < ndim; j++) {
        side->chunk[j] = side->unit[j] = chunk[j];
        side->within[j] = side->across[j] = j;
    }
}

/* A temporary array is the least box that holds whole chunks of both ends. */
void drxi_chain_group(struct drxi_task *task, const struct drxi_relayout_side *source,
                      const struct drxi_relayout_side *target, bool several)
{
    for (int j = 0; j < task->ndim; j++)
        task->group[j] =
            several ? drxi_min(task->extent[j], drxi_lcm(source->chunk[j], target->chunk[j])) : task->extent[j];
}

/* The largest integer x with x^of <= s^(of - part) t^part, by bisection. */
static int64_t mean(int64_t s, int64_t t, int part, int of)
{
    int64_t low = drxi_min(s, t), high = drxi_max(s, t);

    while (low < high) {
        const int64_t x = low + (high - low) / 2 + 1;
        double power = 1, wanted = 1;

        for (int i = 0; i < of; i++) {
            power *= (double)x;
            wanted *= (double)(i < part ? t : s);
        }
        if (power <= wanted)
            low = x;
        else
            high = x - 1;
    }
    return low;
}

/* Whether no chain of several passes can be better. */
static bool is_ideal(const struct drxi_task *task, double cost)
{
    double bytes = (double)task->item_bytes;

    for (int j = 0; j < task->ndim; j++)
        bytes *= (double)task->extent[j];
    const double reading = bytes / task->cost.read_bandwidth, writing = bytes / task->cost.write_bandwidth;

    return !task->least && cost <= 2 * (reading > writing ? reading : writing);
}

static drx_status search(const struct drxi_task *task, const struct drxi_relayout_side ends[2], int depth,
                         struct drxi_chain *best);

/* The chain through n - 1 intermediate shapes, with the best pass for each part. */
static drx_status through(const struct drxi_task *task, const struct drxi_relayout_side ends[2], int n, int depth,
                          struct drxi_chain *best)
{
    struct drxi_chain whole = { 0 }, part;
    int64_t shape[3][DRX_MAX_NDIM] = { { 0 } };
    drx_status st;

    for (int i = 1; i < n; i++)
        for (int j = 0; j < task->ndim; j++)
            shape[i][j] = mean(ends[0].chunk[j], ends[1].chunk[j], i, n);
    for (int i = 0; i < n; i++) {
        struct drxi_relayout_side side[2] = { ends[0], ends[1] };

        if (i > 0)
            drxi_temporary_side(task->ndim, shape[i], &side[0]);
        if (i + 1 < n)
            drxi_temporary_side(task->ndim, shape[i + 1], &side[1]);
        st = search(task, side, depth - 1, &part);
        if (st || part.passes == 0)
            return st;
        for (int k = 0; k + 1 < part.passes; k++)
            memcpy(whole.between[whole.passes + k], part.between[k], sizeof part.between[k]);
        whole.passes += part.passes;
        if (i + 1 < n)
            memcpy(whole.between[whole.passes - 1], shape[i + 1], sizeof shape[i + 1]);
        whole.cost = !task->least ? whole.cost + part.cost : part.cost > whole.cost ? part.cost : whole.cost;
        if (best->passes > 0 && whole.cost >= best->cost)
            return DRX_OK;
    }
    *best = whole;
    return DRX_OK;
}

static drx_status one_pass(const struct drxi_task *task, const struct drxi_relayout_side ends[2],
                           struct drxi_chain *best)
{
    struct drxi_relayout_pass *pass = drxi_malloc(sizeof *pass);
    bool found;
    drx_status st;

    *best = (struct drxi_chain){ 0 };
    if (!pass)
        return DRX_ENOMEM;
    st = drxi_best_pass(task, &ends[0], &ends[1], pass, &found);
    if (st == DRX_OK && found) {
        best->passes = 1;
        best->cost = task->least ? (double)pass->memory_bytes : pass->seconds;
    }
    drxi_free(pass);
    return st;
}

static bool same_chunks(const struct drxi_task *task, const struct drxi_relayout_side ends[2])
{
    return memcmp(ends[0].chunk, ends[1].chunk, (size_t)task->ndim * sizeof(int64_t)) == 0;
}

/* of the parts of a chain, which share its group */
static drx_status search(const struct drxi_task *task, const struct drxi_relayout_side ends[2], int depth,
                         struct drxi_chain *best)
{
    drx_status st = one_pass(task, ends, best);

    for (int n = 2; n <= 3 && st == DRX_OK && depth > 0 && !same_chunks(task, ends); n++)
        if (best->passes == 0 || !is_ideal(task, best->cost))
            st = through(task, ends, n, depth, best);
    return st;
}

drx_status drxi_best_chain(struct drxi_task *task, const struct drxi_relayout_side *source,
                           const struct drxi_relayout_side *target, struct drxi_chain *best)
{
    const struct drxi_relayout_side ends[2] = { *source, *target };
    const bool aligned = drxi_is_zero(task->start, sizeof task->start);
    drx_status st;

    drxi_chain_group(task, source, target, false);
    st = one_pass(task, ends, best);
    drxi_chain_group(task, source, target, true);
    for (int n = 2; n <= 3 && st == DRX_OK && aligned && !same_chunks(task, ends); n++)
        if (best->passes == 0 || !is_ideal(task, best->cost))
            st = through(task, ends, n, DEPTH, best);
    return st;
}
