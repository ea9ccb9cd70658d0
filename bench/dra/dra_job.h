/* The part of Disk Resident Arrays: jobs of a few processes, each of which makes its array, moves it in several ways,
 * and answers with one line of JSON, as other parts do (bench.h). */
#ifndef DRA_JOB_H
#define DRA_JOB_H

#include "../ranks/bench_ranks.h"

/* Begin MPI and the answer. */
void begin_job(int *argc, char ***argv);

/* From here to there a thread looks at the memory that belongs to this process alone, which takes some time of it;
 * memory_bytes is answered: its peak beside what there was, the most of all processes. The second is collective. */
void start_watching(void);
void stop_watching(void);

/* Bring the files whose names begin so out of the page cache, or to the disk only. */
enum settle { DROPPED, SYNCED };
void settle_files(const char *folder, const char *name, enum settle how);
/* Remove those that there are. */
void remove_all(const char *folder, const char *name);

/* One rank's outcome is that of all; rank 0 prints the answer. The exit code. Collective. */
int end_job(const char *name, enum outcome outcome);

/* Element (i, j) of every array, of `columns` columns. */
static inline double element_of(int64_t columns, int64_t i, int64_t j)
{
    return (double)(i * columns + j + 1);
}

#endif
