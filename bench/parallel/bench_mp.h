/* The parallel part of the benchmark: several processes (ranks) do the same work together.
 *
 * A command is WORKLOAD:CHUNK PEER SIZE warm FOLDER. The array has 32 SIZE x 16 SIZE doubles in chunks of CHUNK x
 * CHUNK, if the peer has chunks. Each rank has one block of it (BLOCK x BLOCK). The number of ranks is a power of
 * two, so all blocks have the same shape. */
#ifndef BENCH_MP_H
#define BENCH_MP_H

#include <mpi.h>

#include "../common/bench.h"

/* The number of a workload is of these bits. HISTORY: the array has grown; UNALIGNED: the parts of the ranks begin
 * and end inside chunks; STORED: each growth is flushed. */
enum { IN_FORTRAN = 1, HISTORY = 2, UNALIGNED = 4, STORED = 8 };

extern const struct work mp_array_works[], mp_piece_works[], mp_growth_works[], mp_copy_works[];

/* ---- mp_measure.c ---------------------------------------------------------------- */

struct measure {
    double start;
    int64_t resident_bytes, mapped_bytes; /* at the start; mapped: of them, pages of mapped files */
};

/* Seconds from when all have started until the last has ended. Collective. */
void start_measure(struct measure *m);
double stop_measure(const struct measure *m);
/* Answers the most memory that a rank took since the start beside what it had (memory_bytes), and the pages of mapped
 * files that a rank has more now (mapped_bytes). Collective. */
void answer_memory(const struct measure *m);

/* ---- mp_growth.c ------------------------------------------------------------------- */

/* Create the array; with a history: a quarter of it, which grows 8 times, the axes alternating. */
enum outcome make_array(const struct job *job, const char *path, const struct layout *layout, bool history,
                        enum access access, void **out);

/* ---- mp_work.c --------------------------------------------------------------------- */

struct layout plane_layout(const struct job *job);
void remove_plane(const struct job *job, const char *path); /* collective */

/* Has this peer done this work on such an array before? Its first answer is checked, since checking takes as long as
 * the work. */
bool is_known(const struct work *work, const struct job *job);

double *memory_for(enum buffer which, const struct part *part); /* NULL after complain() */
/* Open the array, which is in the page cache; the end of every read. Collective. */
enum outcome open_warm(const struct work *work, const struct job *job, enum access access, void **out);
enum outcome finish_read(const struct job *job, const struct measure *measure, enum outcome outcome, void *array);

#endif
