/* What the programs of several processes (ranks) share. */
#ifndef BENCH_RANKS_H
#define BENCH_RANKS_H

#include <mpi.h>

#include "../common/bench.h"

extern int bench_rank, bench_ranks; /* set by find_ranks, which comes after MPI_Init */
void find_ranks(void);

/* The same outcome on all ranks: FAILED when one failed, and its complaint. Collective. */
enum outcome agree(enum outcome mine);

/* The time when all have started, and the seconds from then until the last has ended. Collective. */
double start_together(void);
double seconds_since(double start);

int64_t status_bytes(const char *key); /* a number of /proc/self/status; 0 when it is not known */

#endif
