/* The chunks that a rank takes part in, in the order of their addresses. */
#include "mp/move/exchange.h"

bool drxi_chunks_hull(const drx_array *a, const struct drxi_axis_set sets[], int64_t first[], int64_t end[])
{
    const struct drxi_desc *d = &drxi_state_of(a)->desc;

    for (int j = 0; j < d->ndim; j++) {
        int64_t last;

        if (!drxi_axis_bounds(&sets[j], &first[j], &last))
            return false;
        first[j] = drxi_floor_div(first[j], d->chunk[j]);
        end[j] = drxi_floor_div(last, d->chunk[j]) + 1;
    }
    return true;
}

static bool find_chunk(struct drxi_cursor *c, int j, int64_t index, int64_t end)
{
    const struct drxi_axis_set *sets = c->sets;
    const int64_t extent = c->state->desc.chunk[j];
    struct drxi_run run;

    if (index >= end || !drxi_axis_next(&sets[j], index * extent, drxi_mul_saturated(end, extent), &run))
        return false;
    c->index[j] = drxi_floor_div(run.index, extent);
    return true;
}

void drxi_chunks_start(struct drxi_cursor *c, const drx_array *a, const struct drxi_axis_set sets[],
                       const int64_t first[], const int64_t end[])
{
    drxi_cursor_start_in(c, drxi_state_of(a), first, end, find_chunk, sets);
}
