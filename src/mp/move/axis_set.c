/* The indices of an axis that a rank takes, in closed form where there is one. */
#include "mp/move/move.h"

void drxi_axis_range(struct drxi_axis_set *s, int64_t start, int64_t step, int64_t count, int64_t local)
{
    *s = (struct drxi_axis_set){ .kind = DRXI_RANGE, .start = start, .step = step, .n = count, .local = local };
}

void drxi_axis_blocks(struct drxi_axis_set *s, int64_t start, int64_t block, int64_t period, int64_t end)
{
    *s = (struct drxi_axis_set){ .kind = DRXI_BLOCKS, .start = start, .step = period, .block = block, .end = end };
    if (block == 1) /* every period-th index */
        drxi_axis_range(s, start, period, start < end ? (end - 1 - start) / period + 1 : 0, 0);
}

void drxi_axis_runs(struct drxi_axis_set *s, const struct drxi_run runs[], int64_t n)
{
    *s = (struct drxi_axis_set){ .kind = DRXI_RUNS, .n = n, .runs = runs };
}

static bool next_of_range(const struct drxi_axis_set *s, int64_t from, int64_t to, struct drxi_run *run)
{
    const int64_t i = from <= s->start ? 0 : drxi_ceil_div(from - s->start, s->step);

    if (i >= s->n)
        return false;
    run->index = s->start + i * s->step;
    if (run->index >= to)
        return false;
    run->count = drxi_min(s->n - i, (to - 1 - run->index) / s->step + 1);
    run->step = s->step;
    run->local = s->local + i;
    run->local_step = 1;
    return true;
}

static bool next_of_blocks(const struct drxi_axis_set *s, int64_t from, int64_t to, struct drxi_run *run)
{
    const int64_t k = from <= s->start ? 0 : (from - s->start) / s->step; /* the block at or before `from` */
    int64_t block = s->start + k * s->step, before = k * s->block;
    int64_t at = drxi_max(from, block);

    if (at >= block + s->block) {
        block += s->step;
        before += s->block;
        at = block;
    }
    to = drxi_min(drxi_min(to, s->end), block + s->block);
    if (at >= to)
        return false;
    *run = (struct drxi_run){ at, 1, to - at, before + at - block, 1 };
    return true;
}

static bool ends_before(const struct drxi_run *r, int64_t from)
{
    return r->index + (r->count - 1) * r->step < from;
}

/* The first run that does not end before `from`. A `place` that is not negative is where the search begins, with steps
 * that double. */
static int64_t find_run(const struct drxi_axis_set *s, int64_t from, int64_t place)
{
    int64_t low = 0, high = s->n, width = 1;

    if (place >= 0) {
        low = high = place > 0 && place <= s->n && ends_before(&s->runs[place - 1], from) ? place : 0;
        for (; high < s->n && ends_before(&s->runs[high], from); width *= 2) {
            low = high + 1;
            high = drxi_min(high + width, s->n);
        }
    }
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (ends_before(&s->runs[middle], from))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool next_of_runs(const struct drxi_axis_set *s, int64_t from, int64_t to, struct drxi_run *run, int64_t *place)
{
    const int64_t i = *place = find_run(s, from, *place);
    int64_t skip;

    if (i == s->n || s->runs[i].index >= to)
        return false;
    *run = s->runs[i];
    skip = from <= run->index ? 0 : drxi_ceil_div(from - run->index, run->step);
    run->index += skip * run->step;
    run->local += skip * run->local_step;
    run->count -= skip;
    if (run->index >= to)
        return false;
    run->count = drxi_min(run->count, (to - 1 - run->index) / run->step + 1);
    return true;
}

bool drxi_axis_next_after(const struct drxi_axis_set *s, int64_t from, int64_t to, struct drxi_run *run, int64_t *place)
{
    switch (s->kind) {
    case DRXI_RANGE:
        return next_of_range(s, from, to, run);
    case DRXI_BLOCKS:
        return next_of_blocks(s, from, to, run);
    default:
        return next_of_runs(s, from, to, run, place);
    }
}

bool drxi_axis_next(const struct drxi_axis_set *s, int64_t from, int64_t to, struct drxi_run *run)
{
    int64_t place = -1;

    return drxi_axis_next_after(s, from, to, run, &place);
}

int64_t drxi_axis_count(const struct drxi_axis_set *s, int64_t from, int64_t to)
{
    struct drxi_run run;
    int64_t n = 0;

    while (from < to && drxi_axis_next(s, from, to, &run)) {
        n += run.count;
        from = run.index + (run.count - 1) * run.step + 1;
    }
    return n;
}

bool drxi_axis_bounds(const struct drxi_axis_set *s, int64_t *first, int64_t *last)
{
    if (s->kind == DRXI_BLOCKS ? s->start >= s->end : s->n == 0)
        return false;
    *first = s->kind == DRXI_RUNS ? s->runs[0].index : s->start;
    if (s->kind == DRXI_RANGE) {
        *last = s->start + (s->n - 1) * s->step;
    } else if (s->kind == DRXI_BLOCKS) {
        const int64_t k = (s->end - 1 - s->start) / s->step; /* of the last block */

        *last = drxi_min(s->end, s->start + k * s->step + s->block) - 1;
    } else {
        *last = s->runs[s->n - 1].index + (s->runs[s->n - 1].count - 1) * s->runs[s->n - 1].step;
    }
    return true;
}
