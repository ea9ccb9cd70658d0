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
 * and end inside chunks; STORED: each growth is flushed; IN_STRIPS, IN_SECTIONS: the ranks read some such pieces. */
enum { IN_FORTRAN = 1, HISTORY = 2, UNALIGNED = 4, STORED = 8, IN_STRIPS = 16, IN_SECTIONS = 32 };

extern const struct work mp_write_works[], mp_read_works[], mp_growth_works[];

/* ---- mp_common.c ------------------------------------------------------------------- */

struct measure {
    double start;
    int64_t resident_bytes, mapped_bytes; /* at the start; mapped: of them, pages of mapped files */
};

/* Begin; and answer the seconds from when all have started until the last has ended (of one of `times`), the most
 * memory that a rank took meanwhile beside what it had (memory_bytes), and the pages of mapped files that a rank has
 * more now (mapped_bytes). Collective. */
void start_measure(struct measure *m);
void answer_measure(const struct measure *m, int times);

struct layout plane_layout(const struct job *job);
/* The path of the array that is kept for reads, with a history or without. */
const char *kept_path(const struct work *work, const struct job *job);
void remove_plane(const struct job *job, const char *path); /* collective */
/* The block of a rank, in an array of that layout less a margin. */
struct part block_of(const struct layout *layout, const int64_t margin[2], int rank);
/* Its part in the work on a whole array. */
struct part part_of(const struct work *work, const struct job *job, int rank);
/* DECLINED: the peer cannot have the history that the work wants. */
enum outcome check_history(const struct work *work, const struct job *job);
/* Has this peer done this work on such an array before? Its first answer is checked, since checking takes as long as
 * the work. */
bool is_known(const struct work *work, const struct job *job);
double *memory_for(enum buffer which, const struct part *part, int64_t pieces); /* of all ranks, or NULL. Collective */

/* ---- mp_growth.c ------------------------------------------------------------------- */

/* Create the array; with a history: a quarter of it, which grows 8 times, the axes alternating. */
enum outcome make_array(const struct job *job, const char *path, const struct layout *layout, bool history,
                        enum access access, void **out);

#endif
