/* What the parts of the benchmark share.
 *
 * One process, or a group of them (ranks), serves all peers that are C libraries. It reads commands, one line each,
 *
 *     WORKLOAD[:NUMBER...] PEER SIZE warm|cold FOLDER
 *
 * from scripts/bench, and answers each with one line of JSON: seconds and a checksum, or `declined`, or `error`. A
 * program that has these words as arguments does this alone, and fails with the work. The peers in Python use the same
 * protocol. SIZE is the extent of the cube of doubles; the other arrays are in proportion to it. A peer is an entry of
 * the table `peers`, a workload an entry of a table of works. After a failure the ranks may be in different places; end
 * the group then. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_NDIM = 3, FOLDER_BYTES = 3000, PATH_BYTES = 4000, ARGUMENTS = 4 };

/* An array of doubles; each extent may grow. */
struct layout {
    int ndim;
    int64_t extent[MAX_NDIM], chunk[MAX_NDIM];
};

/* What a peer opens an array for; one with the best setting prepares for it. GROWTH is along axis 0 only. No two
 * elements of LAST_PLANES, a[:,:,k], are neighbours in the file. Two threads of the program read SHARED_BOXES through
 * one handle. LARGE_BOXES and SLABS are of an array larger than memory. */
enum access {
    GROWTH,
    GROWTH_ALL,
    WHOLE,
    FORTRAN,
    PLANES,
    LAST_PLANES,
    ELEMENTS,
    BOXES,
    SHARED_BOXES,
    STRIPS,
    FIRST,
    LARGE_BOXES,
    SLABS
};

/* How a call of a peer ended. Before it returns FAILED, it calls complain(). */
enum outcome { DONE, FAILED, DECLINED };

struct job; /* a command; see below */

/* A box in memory, in C or in Fortran order. */
struct part {
    int64_t lo[2], count[2];
    bool fortran;
};

/* One growth of an array by `by` indices of the axis. */
struct growth {
    struct layout layout; /* after it */
    int axis;
    int64_t by, lo[MAX_NDIM], count[MAX_NDIM]; /* lo, count: the box of the new elements */
    const double *slab;                        /* which these are; NULL: none are written */
};

/* A library, with one setting. `path` is without suffix; handles are the peer's own. Boxes are in C order, except
 * where a comment says otherwise. The peer declines a call that is NULL, except where a comment says otherwise. Of a
 * group, all calls but read are collective. zarr_peer.py has the same members. */
struct peer {
    const char *name;
    const char *files;           /* peers of one name here read the same files */
    const char *const *suffixes; /* of these files, or patterns (glob); NULL-terminated */
    bool best;                   /* the fastest setting for the access; else the defaults of the library */
    bool independent;            /* each rank reads and writes alone */
    bool both_axes;              /* of a group: grows along both; else along axis 0, if at all */
    bool shares;                 /* threads of the program may read through one handle; else it declines SHARED_BOXES */
    int threads;                 /* how many it may use; 0: it decides */
    int64_t slab_rows;           /* Fortran order by slabs: how many indices of axis 1 in a slab; 0: all */
    uint64_t declines;           /* bit 1 << access: it declines this access */
    uint64_t by_slabs;           /* likewise: it reads boxes of this access by slabs as thick as a chunk along axis 0 */

    /* access GROWTH: the array will grow; else as in open. */
    enum outcome (*create)(const struct peer *peer, const char *path, const struct layout *layout, enum access access,
                           void **out);
    enum outcome (*open)(const struct peer *peer, const char *path, const struct layout *layout, enum access access,
                         void **out);
    enum outcome (*prepare)(void *array, const struct growth *growth); /* before grow, not timed; NULL: nothing */
    enum outcome (*grow)(void *array, const struct growth *growth);
    enum outcome (*flush)(void *array); /* let other openers see the growth; NULL: they see it already */
    /* Read a box; NULL: by move. */
    enum outcome (*read)(void *array, const int64_t lo[], const int64_t count[], double *out);
    /* Read or write a box; of a group, that of each rank. */
    enum outcome (*move)(void *array, bool writing, const int64_t lo[], const int64_t count[], double *elements);
    /* The same of a part in Fortran order. NULL: in C order by slabs, which are transposed. */
    enum outcome (*move_fortran)(void *array, bool writing, const int64_t lo[], const int64_t count[],
                                 double *elements);
    /* The whole array in Fortran order. NULL: likewise. */
    enum outcome (*read_fortran)(void *array, const struct layout *layout, double *out);
    enum outcome (*get)(void *array, const int64_t index[], double *out);
    /* n elements by one call; NULL: there is none. In other workloads than that of lists, only the best setting uses
     * it. */
    enum outcome (*get_many)(void *array, int64_t n, const int64_t (*index)[MAX_NDIM], double *out);
    enum outcome (*close)(void *array);                                            /* releases it whatever happens */
    enum outcome (*copy)(const char *from, const char *to, const struct job *job); /* into other chunks */
    enum outcome (*version)(void); /* answers that of the library; NULL: another peer does */
};

#define ACCESS(access) (UINT64_C(1) << (access)) /* of the bits above */

extern const struct peer *const *peers; /* NULL-terminated */

/* One command. */
struct job {
    const struct peer *peer;
    const char *folder;
    int64_t size;
    int64_t argument[ARGUMENTS]; /* the numbers after the name of the workload; 0: not given */
    bool cold;
};

/* A workload measures, and answers with the answer_ calls. */
struct work {
    const char *name;
    enum outcome (*run)(const struct work *work, const struct job *job);
    enum access access;
    int64_t number;                /* an axis or a count; its meaning depends on the workload */
    const struct reading *reading; /* what those of requests.h read */
};

/* What a program has: tables of works that each end with .name NULL; a check of each job, perhaps this one. */
extern const struct work *const works[]; /* NULL-terminated */
extern enum outcome (*const check_job)(const struct job *job);
enum outcome check_size(const struct job *job);

extern const struct work machine_works[]; /* of bench_machine.c: calibrate, versions */

/* The main of a program: performs the command that the arguments are, or all on stdin. Gives the exit code. */
int bench_main(int argc, char *argv[], const struct peer *const *table);

enum { LINE_BYTES = FOLDER_BYTES + 256 };

/* ---- ranks/alone.c, ranks/together.c: one process, or a group of them ------- */

extern int bench_rank, bench_ranks;
void begin_group(int *argc, char ***argv);
void end_group(void);
/* The next command, the same on all ranks; false at the end. */
bool next_line(char line[LINE_BYTES]);
/* The same outcome on all ranks: FAILED when one failed, and its complaint. Collective, as all that follow. */
enum outcome agree(enum outcome mine);
void wait_for_all(void);
/* The time when all have started, and the seconds from then until the last has ended. */
double start_together(void);
double seconds_since(double start);
void answer_group(void); /* the version of MPI */

/* ---- bench_answer.c ------------------------------------------------------ */

/* Keep the text for the answer. Returns FAILED. */
enum outcome complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void answer_number(const char *key, double value);
void answer_text(const char *key, const char *format, ...) __attribute__((format(printf, 2, 3)));
void answer_integer(const char *key, int64_t value);
void answer_checksum(uint64_t checksum);
const char *complaint_text(void);
/* Begin the answer to a command; write it. False: it could not be written. */
void begin_answer(void);
bool end_answer(const char *work, enum outcome outcome);

/* ---- bench_data.c: the elements, and whether they are right ---------------- */

uint64_t mix(uint64_t x); /* scatters bits; also the source of all random numbers: mix(seed + i) */
double value_at(int ndim, const int64_t index[]);
void fill_box(int ndim, const int64_t lo[], const int64_t count[], bool fortran, double *out);
int64_t box_elements(int ndim, const int64_t count[]);
/* Depends on each element and its position; 0 for none. */
uint64_t checksum(int64_t n, const double *elements);
/* Is each element of the box right? check_some: are this many of them, at random? They complain(). */
enum outcome check_box(int ndim, const int64_t lo[], const int64_t count[], bool fortran, const double *out);
enum { SAMPLES = 4096 };
enum outcome check_some(int samples, int ndim, const int64_t lo[], const int64_t count[], bool fortran,
                        const double *out);

/* ---- bench_files.c: paths, memory, the page cache, the clock ---------------- */

double now(void); /* seconds */
/* Memory from malloc, aligned to 64 bytes, with every byte written. Calls return the same memory as long as `bytes`
 * does not grow. NULL: out of memory, after complain(). */
enum buffer { TARGET, SLAB, STAGE, BUFFERS };
void *buffer(enum buffer which, size_t bytes);
void *new_handle(size_t bytes, void **out); /* zeros, which it gives to `out`, too; NULL after complain() */
/* A path in the folder; and where a file of the peers that share peer->files is. Until three calls later. */
const char *path_in(const char *folder, const char *name);
const char *path_of(const struct job *job, const char *array);
int64_t files_bytes(const struct peer *peer, const char *path);
int64_t stored_bytes(const char *path, const char *suffix); /* of a file, without holes */
const char *file_of(const char *path, const char *suffix);  /* until the next call */
int64_t proc_bytes(const char *path, const char *key); /* a number of a file of /proc, in KiB there; 0: not known */
/* Until one of them is not DONE. */
enum outcome each_file(const char *const suffixes[], const char *path,
                       enum outcome (*visit)(const char *file, void *with), void *with);
void remove_files(const char *const suffixes[], const char *path);
enum outcome sync_files(const char *const suffixes[], const char *path);
enum outcome move_bytes(int fd, bool writing, void *memory, size_t bytes, int64_t offset); /* all of them */
/* Bring the files into the page cache, or out of it; then answer which part stayed. */
enum outcome settle_cache(const char *const suffixes[], const char *path, bool cold);

/* ---- bench_boxes.c: boxes by the calls of a peer, and Fortran order for libraries that have only C order ------- */

/* Copy the slab of `count` elements at `lo`, in C order, to its place in the whole array in Fortran order, or back. */
void transpose_slab(const struct layout *layout, const int64_t lo[], const int64_t count[], double *slab, double *whole,
                    bool back);
enum outcome read_box(const struct peer *peer, void *array, const int64_t lo[], const int64_t count[], double *out);
/* Box `lo`, `count` as the peer reads it best for the access; FORTRAN: all of the array. */
enum outcome read_for(const struct peer *peer, void *array, const struct layout *layout, enum access access,
                      const int64_t lo[], const int64_t count[], double *out);
/* Read or write the part of each rank. */
enum outcome move_part(const struct peer *peer, void *array, bool writing, const struct part *part, double *elements);

/* The cache of chunks that a library reads fastest with; bytes 0: its default. Slots: a hundred times as many as chunks
 * fit, as the manual of HDF5 advises. */
struct cache {
    size_t bytes, slots;
};
struct cache best_cache(const struct layout *layout, enum access access);

/* ---- bench_threads.c: run(with, 0) and so on, in n threads; the worst outcome ---------- */

enum outcome in_threads(int n, enum outcome (*run)(void *with, int which), void *with);

/* ---- bench_growth.c ------------------------------------------------------------------- */

/* What comes of a growth by `by` indices of the axis: `now` is the layout before. */
struct growth growth_by(const struct layout *now, int axis, int64_t by);

/* ---- bench_arrays.c: drop-ARRAY, settle-ARRAY: remove its files; bring them into the page cache or out of it ---- */

enum outcome drop_array(const struct work *work, const struct job *job);
enum outcome settle_array(const struct work *work, const struct job *job);

/* ---- work_growth.c ---------------------------------------------------------- */

struct grown {
    double seconds, fill_seconds; /* of growing and closing; of computing the elements */
    int64_t growths;
};
/* Make the array `path`, which grows to `layout` by a chunk at a time: along all axes in turn, or axis 0 only. */
enum outcome grow_array(const struct peer *peer, const char *path, const struct layout *layout, bool all_axes,
                        struct grown *grown);
/* Make an array of that name again, along axis 0. */
enum outcome build_array(const struct job *job, const char *name, const struct layout *layout);

#endif
