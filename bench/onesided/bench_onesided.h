/* One-sided access, measured: what the peers have to do. */
#ifndef BENCH_ONESIDED_H
#define BENCH_ONESIDED_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum { BOX = 256 }; /* doubles, of an edge */

extern int rank, ranks, grid[2];
extern int64_t edge; /* of the array */

/* A square array of edge * edge doubles in C order, over a grid of ranks, in equal blocks; boxes of it in memory. A
 * call returns when it is done at the target. A peer that only grows has no such array: make is NULL. */
struct peer {
    const char *name;
    bool slow;                              /* asked a tenth as often */
    void *(*make)(const struct peer *peer); /* the array; collective, as is: */
    void (*drop)(void *array);
    void (*get)(void *array, const int64_t lo[2], const int64_t count[2], double *buf);
    void (*put)(void *array, const int64_t lo[2], const int64_t count[2], const double *buf);
    void (*acc)(void *array, const int64_t lo[2], const int64_t count[2], const double *buf); /* one times buf */
    double (*grow)(const struct peer *peer, bool filled, int64_t calls); /* a new array; seconds. NULL: it cannot */
};
extern const struct peer peer_drx, peer_drx_memory, peer_drx_file, peer_drx_rma, peer_ga, peer_window, peer_copy;

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

void check(int failed, const char *what);

#endif
