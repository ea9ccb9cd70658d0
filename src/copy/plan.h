/* The plan of a copy: loops around one of three innermost parts. */
#pragma once

#include "copy/copy.h"
#include "copy/fold.h"

enum {
    DRXI_PIECE_ROWS = 32,  /* of src that a transposition handles at a time, with other loops inside */
    DRXI_SHORT_BYTES = 511 /* of a row: for longer ones it pays to fetch lines of dst ahead */
};

/* The run is contiguous in dst: `inner` elements, `outer` times (1: once; more for a run over several chunks). The
 * loops are around it, outermost first. A transposition goes through the run piece by piece inside the first `far`
 * loops; so do rows, some pieces at a time. */
struct drxi_plan {
    size_t item;
    int kind; /* the index of the item's size among the kernels */
    const struct drxi_kernels *kernels;
    bool stream;            /* write dst past the cache */
    struct drxi_fold *fold; /* NULL: nothing is folded */
    int loops, far;
    struct drxi_copy_axis loop[DRXI_COPY_AXES + 1]; /* parts of an element may be one more axis */
    struct drxi_copy_axis inner, outer;             /* the run; outer.count 1: none */
    struct drxi_copy_axis turned;                   /* the axis along which src is contiguous, if that is not the run */
    struct drxi_copy_axis column;                   /* of the general part, besides `inner` */
};

/* strided.c: sort the axes longer than 1 by decreasing stride in dst, merge axes that continue each other on both
 * sides, and return their number. */
int drxi_copy_reduce(int n_given, const struct drxi_copy_axis given[], struct drxi_copy_axis axes[]);
/* Take one of the loops out. */
struct drxi_copy_axis drxi_copy_take(struct drxi_copy_axis loop[], int *loops, int at);

/* rows.c: copy the pieces first <= i < last of a run whose pieces are contiguous in src, too. */
void drxi_copy_rows(const struct drxi_plan *plan, uint8_t *dst, const uint8_t *src, int64_t first, int64_t last);

/* turn.c: copy elements first <= i < last of the run for each index of the turned axis. The range has DRXI_PIECE_ROWS
 * elements, and at most a line more. */
void drxi_copy_turned(const struct drxi_plan *plan, uint8_t *dst, const uint8_t *src, int64_t first, int64_t last);

/* tiles.c: copy along two axes, `column` and `inner`, of any strides. */
void drxi_copy_tiles(const struct drxi_plan *plan, uint8_t *dst, const uint8_t *src);
