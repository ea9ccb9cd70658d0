/* The parallel part of the benchmark: several processes (ranks) do the same work together.
 *
 * One group of processes serves all peers. Rank 0 reads commands, one line each,
 *
 *     WORKLOAD PEER SIZE CHUNK FOLDER
 *
 * and answers for all ranks, as the serial part does (bench.h). The array has 32 SIZE x 16 SIZE doubles in chunks of
 * CHUNK x CHUNK, if the peer has chunks. Each rank has one block of it (BLOCK x BLOCK). The number of ranks is a power
 * of two, so all blocks have the same shape. A peer is an entry of the table `mp_peers`, a workload an entry of a
 * table of works. After a failure the ranks may be in different places; end the group then. */
#ifndef BENCH_MP_H
#define BENCH_MP_H

#include "../ranks/bench_ranks.h"

/* A box in memory, in C or in Fortran order. */
struct part {
    int64_t lo[2], count[2];
    bool fortran;
};

/* A library, with one setting. `path` is without suffix; handles are the peer's own. All calls except
 * read_box are collective. */
struct mp_peer {
    const char *name;
    const char *files;           /* peers of one name here read the same files */
    const char *const *suffixes; /* of these files; NULL-terminated */
    bool best;                   /* the fastest setting for the access; else the defaults of the library */
    bool independent;            /* each rank reads and writes alone */
    bool both_axes;              /* grows along both; else along axis 0, if at all */

    /* access GROWTH: the array will grow; else as in open. */
    enum outcome (*create)(const struct mp_peer *peer, const char *path, const struct layout *layout,
                           enum access access, void **out);
    /* To read: WHOLE or BOXES. */
    enum outcome (*open)(const struct mp_peer *peer, const char *path, const struct layout *layout, enum access access,
                         void **out);
    enum outcome (*grow)(void *array, int axis, int64_t by); /* NULL: declines */
    enum outcome (*flush)(void *array); /* let other openers see the growth; NULL: they see it already */
    /* Read or write the part of each rank. */
    enum outcome (*move)(void *array, bool writing, const struct part *part, double *elements);
    /* Of this rank alone, after open for BOXES. */
    enum outcome (*read_box)(void *array, const int64_t lo[2], const int64_t count[2], double *out);
    enum outcome (*close)(void *array);
};

extern const struct mp_peer *const mp_peers[]; /* NULL-terminated */

/* One command. */
struct mp_job {
    const struct mp_peer *peer;
    const char *folder;
    int64_t size, chunk;
};

struct mp_work {
    const char *name;
    enum outcome (*run)(const struct mp_work *work, const struct mp_job *job);
    bool fortran, history;
    bool unaligned; /* the parts of the ranks begin and end inside chunks */
    bool stored;    /* each growth is flushed */
};

/* Each ends with .name NULL. */
extern const struct mp_work mp_array_works[], mp_piece_works[], mp_growth_works[], mp_machine_works[];

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

/* ---- mp_slabs.c ------------------------------------------------------------------ */

/* Read or write a box in C order. */
typedef enum outcome move_rows(void *array, bool writing, const int64_t lo[2], const int64_t count[2],
                               double *elements);

/* Move a part by a library that has only C order: Fortran order by slabs of rows, which are transposed. */
enum outcome move_by_slabs(move_rows *move, void *array, bool writing, const struct part *part, double *elements);

/* ---- mp_growth.c ------------------------------------------------------------------- */

/* Create the array; with a history: a quarter of it, which grows 8 times, the axes alternating. */
enum outcome make_array(const struct mp_job *job, const char *path, const struct layout *layout, bool history,
                        enum access access, void **out);

/* ---- mp_work.c --------------------------------------------------------------------- */

struct layout plane_layout(const struct mp_job *job);
void remove_plane(const struct mp_job *job, const char *path); /* collective */

/* Has this peer done this work on such an array before? Its first answer is checked, since checking takes as long as the
 * work. */
bool is_known(const struct mp_work *work, const struct mp_job *job);

double *memory_for(enum buffer which, const struct part *part); /* NULL after complain() */
/* Open the array, which is in the page cache; the end of every read. Collective. */
enum outcome open_warm(const struct mp_work *work, const struct mp_job *job, enum access access, void **out);
enum outcome finish_read(const struct mp_job *job, const struct measure *measure, enum outcome outcome, void *array);

#endif
