/* The steps of a pass. They go through the regions in the order of the target's addresses. In each region the axes step
 * like the digits of a number, the one traversed fastest first. */
#include "layout/run/run.h"

static void rewind_axis(struct drxi_steps *s, int j)
{
    s->walk[j] = s->start[j];
    (void)drxi_axis_step(&s->walk[j], &s->step[j]);
}

static void enter_region(struct drxi_steps *s, int j)
{
    (void)drxi_axis_region(&s->start[j]);
    rewind_axis(s, j);
}

void drxi_steps_start(struct drxi_steps *steps, const struct drxi_relayout_pass *pass, int ndim, const int64_t end[])
{
    steps->pass = pass;
    steps->ndim = ndim;
    steps->begun = false;
    for (int j = 0; j < ndim; j++)
        drxi_axis_start(&steps->start[j], pass, j, end[j]);
}

static bool next_region(struct drxi_steps *s)
{
    for (int j = s->ndim - 1; j >= 0; j--) {
        if (drxi_axis_region(&s->start[j])) {
            rewind_axis(s, j);
            return true;
        }
        drxi_axis_start(&s->start[j], s->pass, j, s->start[j].end);
        enter_region(s, j);
    }
    return false;
}

bool drxi_steps_next(struct drxi_steps *s)
{
    if (!s->begun) {
        s->begun = true;
        for (int j = 0; j < s->ndim; j++)
            enter_region(s, j);
        return true;
    }
    for (int i = 0; i < s->ndim; i++) {
        const int j = s->pass->traverse[i];

        if (drxi_axis_step(&s->walk[j], &s->step[j]))
            return true;
        rewind_axis(s, j);
    }
    return next_region(s);
}
