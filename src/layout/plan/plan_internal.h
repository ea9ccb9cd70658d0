/* What the files of the planner share. */
#pragma once

#include "layout/plan/relayout.h"

/* The least common multiple; and the least multiple of `unit` that is at least n. INT64_MAX when they do not fit. */
static inline int64_t drxi_lcm(int64_t a, int64_t b)
{
    return drxi_mul_saturated(a, b / drxi_gcd(a, b));
}

static inline int64_t drxi_round_up(int64_t n, int64_t unit)
{
    return drxi_mul_saturated(drxi_ceil_div(n, unit), unit);
}

/* ---- plan_make.c -------------------------------------------------------------------- */

/* Check a request; and make the sides of a valid one, in whole chunks. */
drx_status drxi_relayout_check(const struct drxi_relayout_request *request);
void drxi_relayout_sides(const struct drxi_relayout_request *request, struct drxi_relayout_side *source,
                         struct drxi_relayout_side *target);

/* ---- plan_axis.c, plan_calls.c: one axis of a pass, measured -------------------- */

/* The steps of an axis together: pairs of units where the second follows the first in the file, by the digit of this
 * axis (the unit in its chunk, or the chunk) that changes between them. */
enum drxi_run {
    DRXI_SAME,  /* neither */
    DRXI_INNER, /* the next in the chunk */
    DRXI_WHOLE, /* from the chunk's end to its start */
    DRXI_NEXT,  /* from the chunk's end to the next chunk's start */
    DRXI_ALL,   /* from the last chunk's end to the first chunk's start */
    DRXI_RUNS
};

struct drxi_axis_side {
    int64_t chunk, unit;
    bool temporary;
};

struct drxi_axis {
    int64_t length;               /* of the array */
    int64_t start, extent, group; /* what is walked, in groups */
    struct drxi_axis_side source, target;
};

/* A way to go along an axis, and its cost over the whole axis. */
struct drxi_axis_option {
    int64_t stride, region;
    int64_t block, leftover, stage; /* the most of any step; stage: in whole target units */
    int64_t steps;
    int64_t read[DRXI_RUNS], write[DRXI_RUNS]; /* [DRXI_SAME]: units */
    bool rereads;
};

/* Make one from its stride and region; and estimate the number of its steps. */
void drxi_axis_measure(const struct drxi_axis *axis, struct drxi_axis_option *option);
int64_t drxi_axis_work(const struct drxi_axis *axis, const struct drxi_axis_option *option);

/* Add the contents of units lo <= i < hi; `length`: of the stored axis, in elements. */
void drxi_count_runs(int64_t lo, int64_t hi, const struct drxi_axis_side *side, int64_t length,
                     int64_t counts[DRXI_RUNS]);

/* Calls for all steps: side->unit boxes of counts[j] on axis j; 0 when they overflow. */
int64_t drxi_count_calls(int ndim, const struct drxi_relayout_side *side, const int64_t *const counts[]);

/* ---- plan_options.c ----------------------------------------------------------------- */

enum { DRXI_AXIS_OPTIONS = 64 };

struct drxi_options {
    int count;
    struct drxi_axis_option option[DRXI_AXIS_OPTIONS];
};

/* Ways to go along an axis. They include one in `ratio` of the sizes (1: all), and always the least and the largest.
 * False: too many. */
bool drxi_axis_options(const struct drxi_axis *axis, double ratio, struct drxi_options *options);

/* ---- plan_units.c -------------------------------------------------------------------- */

enum { DRXI_UNITS = 12 };

/* The units in which a side can move, the whole chunk first. */
int drxi_units(int ndim, const struct drxi_relayout_side *side, int64_t item_bytes, int64_t part_bytes,
               int64_t units[DRXI_UNITS][DRX_MAX_NDIM]);

/* ---- plan_cost.c ----------------------------------------------------------------------- */

/* Compute the pass's memory, bytes, calls and seconds from its options, its sides and its buffers; false when something
 * overflows. */
bool drxi_pass_memory(struct drxi_relayout_pass *pass, int ndim, int64_t item_bytes,
                      const struct drxi_axis_option *const options[]);
bool drxi_pass_bytes(struct drxi_relayout_pass *pass, int ndim, int64_t item_bytes,
                     const struct drxi_axis_option *const options[]);
bool drxi_pass_calls(struct drxi_relayout_pass *pass, int ndim, const struct drxi_axis_option *const options[]);
/* Let a stage that does not hold all of a step have up to 1 MiB within the limit. */
void drxi_pass_widen(struct drxi_relayout_pass *pass, int ndim, int64_t item_bytes, int64_t limit_bytes);
double drxi_pass_seconds(const struct drxi_relayout_pass *pass, const struct drxi_relayout_cost *cost);
void drxi_pass_order(struct drxi_relayout_pass *pass, int ndim, const struct drxi_axis_option *const options[]);

/* ---- plan_pass.c: the best single pass ---------------------------------------------------- */

struct drxi_task {
    int ndim;
    int64_t length[DRX_MAX_NDIM]; /* of the array */
    int64_t start[DRX_MAX_NDIM];  /* of the box, after a place where chunks of both sides begin */
    int64_t extent[DRX_MAX_NDIM]; /* of the box */
    int64_t group[DRX_MAX_NDIM];
    int64_t item_bytes, memory_bytes;
    bool least; /* minimise memory, not time */
    struct drxi_relayout_cost cost;
};

/* Find the best pass between two sides, and choose their units; *found: there is one. */
drx_status drxi_best_pass(const struct drxi_task *task, const struct drxi_relayout_side *source,
                          const struct drxi_relayout_side *target, struct drxi_relayout_pass *best, bool *found);

/* ---- plan_passes.c: the best chain of passes ------------------------------------------------ */

struct drxi_chain {
    int passes; /* 0: found none */
    int64_t between[DRXI_RELAYOUT_PASSES - 1][DRX_MAX_NDIM];
    double cost; /* seconds, or with task->least bytes of memory */
};

drx_status drxi_best_chain(struct drxi_task *task, const struct drxi_relayout_side *source,
                           const struct drxi_relayout_side *target, struct drxi_chain *best);

/* The side of a temporary array with such chunks. */
void drxi_temporary_side(int ndim, const int64_t chunk[], struct drxi_relayout_side *side);
/* The groups of a chain of one or more passes. */
void drxi_chain_group(struct drxi_task *task, const struct drxi_relayout_side *source,
                      const struct drxi_relayout_side *target, bool several);
