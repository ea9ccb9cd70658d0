/* C = A B on disk: what multiply.c and mpi/multiply_together.c share. Matrices are DRX arrays of float64; A is m x
 * k, B is k x n, C is m x n. */
#ifndef PRODUCT_H
#define PRODUCT_H

#include "outofcore.h"

struct product_job {
    int64_t m, n, k;
    int64_t memory_bytes;         /* for blocks, of each process */
    int64_t chunk;                /* chunks are chunk x chunk */
    char path[3][OOC_PATH_BYTES]; /* of A, B, C */
    int verify;
};

/* What a process holds: m x n of C, and two panels each of A, m x k, and of B, k x n. Multiples of a chunk. */
struct product_blocks {
    int64_t m, n, k;
};

/* One step of the work: a panel of A times a panel of B, added to a block of C. */
struct product_step {
    int64_t row, rows, column, columns; /* of C; perhaps 0 rows or columns at the border of a grid of processes */
    int64_t depth, terms;               /* columns of A, rows of B */
};

struct product_result {
    double seconds, sync_seconds, in_core_flops; /* flops: of all processes, in a second */
    int64_t read_bytes, written_bytes, memory_bytes;
    int processes;
};

/* From the command line. Its chunks are those of arrays that the program makes. */
void product_arguments(int argc, char **argv, struct product_job *job);

/* What to create matrix 0, 1 or 2 with (A, B, C); shape and chunk are filled in, and belong to the caller. */
drx_spec product_spec(const struct product_job *job, int matrix, int64_t shape[2], int64_t chunk[2]);
/* Check that an existing array of that name fits the job. */
void product_expect(const struct product_job *job, int matrix, const drx_array *a);
/* Give part `part` of `parts` of A or B its values, through memory[doubles]. */
void product_fill(const struct product_job *job, drx_array *a, int matrix, int part, int parts, double *memory);

/* The blocks with which a grid of processes reads least. */
struct product_blocks product_choose(const struct product_job *job, const int grid[2]);
/* How many steps there are, and step s for the process at `place` in the grid. */
int64_t product_steps(const struct product_job *job, const struct product_blocks *block, const int grid[2]);
struct product_step product_step(const struct product_job *job, const struct product_blocks *block, const int grid[2],
                                 const int place[2], int64_t s);

enum { PRODUCT_STRIPES = 4 }; /* of a block of C */
/* A block of C that is in memory, and on its way to the array c. */
struct product_sum {
    double *block;
    drx_array *c;
    drx_request *writing[PRODUCT_STRIPES];
};
/* Add the product of the panels a and b to the block. Helper threads write a complete stripe; the next use of its
 * memory waits for that. */
void product_add(const struct product_job *job, const struct product_blocks *block, const struct product_step *at,
                 const double *a, const double *b, struct product_sum *sum);
void product_finish(struct product_sum *sum); /* wait until all stripes are written */

/* Seconds of an in-core product of square matrices that together take the memory of the job, and its operations. */
double product_in_core(const struct product_job *job, double *memory, double *operations);

/* Whether C is A B: by Freivalds' check, and by a product in core where that is small. */
int product_is_right(const struct product_job *job, drx_array *a, drx_array *b, drx_array *c);

void product_report(const struct product_job *job, const struct product_blocks *block, const struct product_result *r);

#endif
