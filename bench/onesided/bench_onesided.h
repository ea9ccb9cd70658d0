/* One-sided access, measured: what the peers have to do. A command is WORKLOAD:PART:TURN PEER SIZE warm FOLDER: a
 * repetition, the one of that number, is a PARTth of its calls. The array has 16 SIZE x 16 SIZE doubles. */
#ifndef BENCH_ONESIDED_H
#define BENCH_ONESIDED_H

#include <mpi.h>

#include "../common/bench.h"

enum { BOX = 256 }; /* doubles, of an edge */

extern int grid[2];  /* of the ranks */
extern int64_t edge; /* of the array */

enum way { GET, PUT, ACC }; /* ACC adds one times the buffer */

/* A square array of edge * edge doubles in C order, over a grid of ranks, in equal blocks; boxes of it in memory. A
 * call returns when it is done at the target. A peer that only grows has no such array: make is NULL. */
struct mover {
    struct peer peer;                         /* first: it is found by it; it has the name alone */
    bool slow;                                /* asked a tenth as often */
    void *(*make)(const struct mover *mover); /* the array; collective, as is: */
    void (*drop)(void *array);
    void (*move)(void *array, enum way way, const int64_t lo[2], const int64_t count[2], double *buf);
    double (*grow)(const struct mover *mover, bool filled, int64_t calls); /* a new array; seconds. NULL: it cannot */
};
extern const struct mover mover_drx, mover_drx_memory, mover_drx_file, mover_drx_rma, mover_ga, mover_window,
    mover_copy;

/* The block of a rank, and where an element is in it. */
static inline int64_t block_extent(int axis)
{
    return edge / grid[axis];
}

static inline int owner(const int64_t at[2])
{
    return (int)(at[0] / block_extent(0) * grid[1] + at[1] / block_extent(1));
}

static inline int64_t place(const int64_t at[2])
{
    return at[0] % block_extent(0) * block_extent(1) + at[1] % block_extent(1);
}

/* Ends the job where it failed: other ranks may wait. */
void check(int failed, const char *what);

#endif
