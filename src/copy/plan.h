/* A copy, planned: loops around one of three innermost parts. */
#ifndef DRXI_PLAN_H
#define DRXI_PLAN_H

#include "copy/copy.h"
#include "copy/fold.h"
#include "copy/kernels.h"

enum { DRXI_PIECE_ROWS = 32 }; /* of src that a transposition goes through at a time, other loops inside */

/* The run is what lies contiguously in dst: `inner` elements, `outer` times (1: once;
 * else, say, a run over several chunks). Around it are loops, outermost first; a
 * transposition goes through the run piece by piece inside of the first `far` ones, and
 * so do rows, some pieces at a time. */
struct drxi_plan {
    size_t item;
    int kind; /* its place among the kernels */
    const struct drxi_kernels *kernels;
    bool stream;            /* dst goes past the cache */
    struct drxi_fold *fold; /* NULL: nothing is folded */
    int loops, far;
    struct drxi_copy_axis loop[DRXI_COPY_AXES];
    struct drxi_copy_axis inner, outer; /* the run; outer.count 1: none */
    struct drxi_copy_axis turned;       /* the axis along which src is contiguous, when not along the run */
    struct drxi_copy_axis column;       /* of the general part, beside `inner` */
};

/* strided.c: the axes longer than 1, in decreasing order of their stride in dst, those
 * merged that follow on from each other on both sides; how many these are. */
int drxi_copy_reduce(int n_given, const struct drxi_copy_axis given[], struct drxi_copy_axis axes[]);

/* rows.c: the run, contiguous in src too piece by piece: its pieces first <= i < last. */
void drxi_copy_rows(const struct drxi_plan *plan, uint8_t *dst, const uint8_t *src, int64_t first, int64_t last);

/* turn.c: elements first <= i < last of the run, DRXI_PIECE_ROWS and at most a line of more, for each index of the
 * turned axis. */
void drxi_copy_turned(const struct drxi_plan *plan, uint8_t *dst, const uint8_t *src, int64_t first, int64_t last);

/* tiles.c: two axes, `column` and `inner`, of any strides. */
void drxi_copy_tiles(const struct drxi_plan *plan, uint8_t *dst, const uint8_t *src);

#endif
