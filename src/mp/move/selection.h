/* What a rank takes of an array: a set of indices along each axis, and their places in its memory. */
#ifndef DRXI_SELECTION_H
#define DRXI_SELECTION_H

#include "base/base.h"

/* Indices index + i * step, 0 <= i < count. In memory they are the local indices local + i * local_step. */
struct drxi_run {
    int64_t index, step, count, local, local_step;
};

struct drxi_axis_set {
    enum { DRXI_RANGE, DRXI_BLOCKS, DRXI_RUNS } kind;
    int64_t start, step, n, local; /* RANGE: start + i * step, 0 <= i < n, at local + i */
    int64_t block, end;            /* BLOCKS: start <= index < end, (index - start) mod step < block, at 0, 1, ... */
    const struct drxi_run *runs;   /* RUNS: n of them, ascending, without overlap */
};

void drxi_axis_range(struct drxi_axis_set *s, int64_t start, int64_t step, int64_t count, int64_t local);
void drxi_axis_blocks(struct drxi_axis_set *s, int64_t start, int64_t block, int64_t period, int64_t end);
void drxi_axis_runs(struct drxi_axis_set *s, const struct drxi_run runs[], int64_t n);

/* Get the first run of the set with from <= index < to; false when there is none. */
bool drxi_axis_next(const struct drxi_axis_set *s, int64_t from, int64_t to, struct drxi_run *run);
/* The same, faster where `from` increases little from call to call. *place keeps the position; 0 at first. */
bool drxi_axis_next_after(const struct drxi_axis_set *s, int64_t from, int64_t to, struct drxi_run *run,
                          int64_t *place);
/* Count the indices with from <= index < to. Takes time linear in the runs. */
int64_t drxi_axis_count(const struct drxi_axis_set *s, int64_t from, int64_t to);
/* Get the first and the last index of the set; false when it is empty. */
bool drxi_axis_bounds(const struct drxi_axis_set *s, int64_t *first, int64_t *last);

#endif
