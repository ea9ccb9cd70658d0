/* The best single pass: all combinations of units and ways to go along the axes, thinned out where there are too many.
 * The paper descends from the largest template that fits; its result depends on where it starts, and can be worse with
 * more memory. */
#include "layout/plan/plan_internal.h"

enum { COMBINATIONS = 1 << 14 };

struct search {
    const struct drxi_task *task;
    struct drxi_options options[DRX_MAX_NDIM];
    const struct drxi_axis_option *chosen[DRX_MAX_NDIM];
    int64_t least_block[DRX_MAX_NDIM + 1]; /* bytes by which axes from here on multiply a block */
    int joint;                             /* later axes move with it */
    int64_t limit_bytes;
    struct drxi_relayout_pass pass, best;
    bool found;
};

static bool is_better(const struct search *s, const struct drxi_relayout_pass *pass)
{
    const struct drxi_relayout_pass *best = &s->best;

    if (!s->found)
        return true;
    if (s->task->least)
        return pass->memory_bytes < best->memory_bytes;
    if (pass->seconds != best->seconds)
        return pass->seconds < best->seconds;
    return pass->memory_bytes < best->memory_bytes;
}

/* Whether moving the bytes alone takes longer than the best pass. */
static bool is_hopeless(const struct search *s)
{
    const struct drxi_relayout_cost *cost = &s->task->cost;

    return s->found && !s->task->least &&
           ((double)s->pass.read_bytes / cost->read_bandwidth > s->best.seconds ||
            (double)s->pass.write_bytes / cost->write_bandwidth > s->best.seconds);
}

/* Every axis has its option: try all buffers for them. */
static void try_buffers(struct search *s)
{
    const struct drxi_task *task = s->task;
    struct drxi_relayout_pass *pass = &s->pass;
    bool counted = false;

    drxi_pass_order(pass, task->ndim, s->chosen);
    if (!drxi_pass_bytes(pass, task->ndim, task->item_bytes, s->chosen) || is_hopeless(s))
        return;
    for (int staged = 0; staged < 2; staged++) {
        pass->staged_whole = staged == 1;
        counted = false;
        for (pass->buffers = 1; pass->buffers <= 2; pass->buffers++) {
            if (!drxi_pass_memory(pass, task->ndim, task->item_bytes, s->chosen) || pass->memory_bytes > s->limit_bytes)
                break;
            if (!counted && !drxi_pass_calls(pass, task->ndim, s->chosen))
                return;
            counted = true;
            pass->seconds = drxi_pass_seconds(pass, &task->cost);
            if (is_better(s, pass))
                s->best = *pass;
            s->found = true;
            if (task->least)
                s->limit_bytes = s->best.memory_bytes;
        }
    }
}

/* Choose options for axes from `axis` on; the axes before multiply a block by `bytes`. */
static void choose_axis(struct search *s, int axis, int64_t bytes)
{
    const struct drxi_options *options = &s->options[axis];

    if (drxi_mul_saturated(bytes, s->least_block[axis]) > s->limit_bytes)
        return;
    if (axis == s->task->ndim) {
        try_buffers(s);
        return;
    }
    if (axis > s->joint) { /* as far along its options as the axis before */
        const struct drxi_options *with = &s->options[axis - 1];
        const int64_t place = s->chosen[axis - 1] - with->option;
        const int64_t i = with->count > 1 ? place * (options->count - 1) / (with->count - 1) : 0;

        s->chosen[axis] = &options->option[i];
        choose_axis(s, axis + 1, drxi_mul_saturated(bytes, s->chosen[axis]->block));
        return;
    }
    for (int i = 0; i < options->count; i++) {
        s->chosen[axis] = &options->option[i];
        choose_axis(s, axis + 1, drxi_mul_saturated(bytes, s->chosen[axis]->block));
    }
}

static struct drxi_axis search_axis(const struct search *s, int j)
{
    const struct drxi_relayout_side *source = &s->pass.source, *target = &s->pass.target;

    return (struct drxi_axis){
        .length = s->task->length[j],
        .start = s->task->start[j],
        .extent = s->task->extent[j],
        .group = s->task->group[j],
        .source = { .chunk = source->chunk[j], .unit = source->unit[j], .temporary = source->temporary },
        .target = { .chunk = target->chunk[j], .unit = target->unit[j], .temporary = target->temporary },
    };
}

/* Make options for all axes, with no more than this number of combinations. */
static void list_options(struct search *s)
{
    static const double ratios[] = { 1, 1.25, 2, 4, 16, 256, 1e30 };
    const int ndim = s->task->ndim;
    int64_t combinations = INT64_MAX;

    for (size_t r = 0; r < sizeof ratios / sizeof ratios[0] && combinations > COMBINATIONS; r++) {
        combinations = 1;
        s->joint = ndim;
        for (int j = 0; j < ndim; j++) {
            const struct drxi_axis axis = search_axis(s, j);
            const bool all = drxi_axis_options(&axis, ratios[r], &s->options[j]);

            combinations = all ? drxi_mul_saturated(combinations, s->options[j].count) : INT64_MAX;
            if (combinations > COMBINATIONS && s->joint == ndim)
                s->joint = j > 0 ? j - 1 : 0;
        }
    }
}

static void measure_options(struct search *s)
{
    const int ndim = s->task->ndim;

    s->least_block[ndim] = 1;
    for (int j = ndim - 1; j >= 0; j--) {
        const struct drxi_axis axis = search_axis(s, j);
        int64_t least = INT64_MAX;

        for (int i = 0; i < s->options[j].count; i++) {
            drxi_axis_measure(&axis, &s->options[j].option[i]);
            least = drxi_min(least, s->options[j].option[i].block);
        }
        s->least_block[j] = drxi_mul_saturated(least, s->least_block[j + 1]);
    }
}

static void search_units(struct search *s)
{
    for (int j = 0; j < s->task->ndim; j++)
        s->pass.lcm[j] = drxi_lcm(s->pass.source.unit[j], s->pass.target.unit[j]);
    list_options(s);
    measure_options(s);
    choose_axis(s, 0, s->task->item_bytes);
}

static void search_all(struct search *s)
{
    const struct drxi_task *task = s->task;
    struct drxi_relayout_pass *pass = &s->pass;
    int64_t from[DRXI_UNITS][DRX_MAX_NDIM], to[DRXI_UNITS][DRX_MAX_NDIM];
    const int n_from = drxi_units(task->ndim, &pass->source, task->item_bytes, task->cost.part_bytes, from);
    const int n_to = drxi_units(task->ndim, &pass->target, task->item_bytes, task->cost.part_bytes, to);

    for (int i = 0; i < n_from; i++)
        for (int k = 0; k < n_to; k++) {
            memcpy(pass->source.unit, from[i], sizeof from[i]);
            memcpy(pass->target.unit, to[k], sizeof to[k]);
            search_units(s);
        }
}

drx_status drxi_best_pass(const struct drxi_task *task, const struct drxi_relayout_side *source,
                          const struct drxi_relayout_side *target, struct drxi_relayout_pass *best, bool *found)
{
    struct search *s = drxi_calloc(1, sizeof *s);

    if (!s)
        return DRX_ENOMEM;
    s->task = task;
    s->limit_bytes = task->memory_bytes;
    s->pass.source = *source;
    s->pass.target = *target;
    memcpy(s->pass.start, task->start, sizeof s->pass.start);
    memcpy(s->pass.group, task->group, sizeof s->pass.group);
    search_all(s);
    *found = s->found;
    *best = s->best;
    drxi_free(s);
    return DRX_OK;
}
