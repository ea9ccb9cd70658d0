/* The part for Disk Resident Arrays. Each job has a few processes. It makes its array, moves it in several ways, and
 * answers with one line of JSON, as other parts do (bench.h). */
#ifndef DRA_JOB_H
#define DRA_JOB_H

#include "../ranks/bench_ranks.h"

/* Begin MPI and the answer. */
void begin_job(int *argc, char ***argv);

/* Between these two calls a thread measures the memory of this process alone, which takes some of its time. The second
 * call is collective and answers memory_bytes: the highest increase of any process. */
void start_watching(void);
void stop_watching(void);

/* Drop the files whose names begin so from the page cache, or only sync them. */
enum settle { DROPPED, SYNCED };
void settle_files(const char *folder, const char *name, enum settle how);
/* Remove those that there are. */
void remove_all(const char *folder, const char *name);

/* All ranks share the worst outcome, and rank 0 prints the answer. Returns the exit code. Collective. */
int end_job(const char *name, enum outcome outcome);

/* Element (i, j) of every array, of `columns` columns. */
static inline double element_of(int64_t columns, int64_t i, int64_t j)
{
    return (double)(i * columns + j + 1);
}

#endif
