/* Selections: what each rank takes of an array, a set of indices along each axis, and where that is in its memory. */
#ifndef DRXI_SELECTION_H
#define DRXI_SELECTION_H

#include "base/base.h"

/* Indices index + i * step, 0 <= i < count, that are local + i * local_step in memory. */
struct drxi_run {
    int64_t index, step, count, local, local_step;
};

struct drxi_axis_set {
    enum { DRXI_RANGE, DRXI_BLOCKS, DRXI_RUNS } kind;
    int64_t start, step, n, local; /* RANGE: start + i * step, local + i */
    int64_t block, end;            /* BLOCKS: start <= index < end, (index - start) mod step < block, local in turn */
    const struct drxi_run *runs;   /* RUNS: n of them, ascending, none in another */
};

void drxi_axis_range(struct drxi_axis_set *s, int64_t start, int64_t step, int64_t count, int64_t local);
void drxi_axis_blocks(struct drxi_axis_set *s, int64_t start, int64_t block, int64_t period, int64_t end);
void drxi_axis_runs(struct drxi_axis_set *s, const struct drxi_run runs[], int64_t n);

/* The first run of its indices with from <= index < to; false: there is none. */
bool drxi_axis_next(const struct drxi_axis_set *s, int64_t from, int64_t to, struct drxi_run *run);
/* The same, fast where `from` increases little from call to call; *place is its own, 0 at first. */
bool drxi_axis_next_after(const struct drxi_axis_set *s, int64_t from, int64_t to, struct drxi_run *run,
                          int64_t *place);
/* How many there are. Time: linear in the runs. */
int64_t drxi_axis_count(const struct drxi_axis_set *s, int64_t from, int64_t to);
/* The first and the last of all; false when there is none. */
bool drxi_axis_bounds(const struct drxi_axis_set *s, int64_t *first, int64_t *last);

#endif
