/* Requests of an array, and workloads that are a table of them. */
#ifndef BENCH_REQUESTS_H
#define BENCH_REQUESTS_H

#include "../common/bench.h"

/* A number of requests that a workload makes one after the other, or elements as one list. */
struct requests {
    enum access access; /* all but GROWTH and FIRST; PLANES and LAST_PLANES are evenly spaced */
    int axis;           /* of planes and slabs */
    int64_t first;      /* the number of the first of them */
    int64_t count;      /* 0: one; of slabs: as many as there are */
    int64_t least; /* not 0: count is that of a cube of 512^3; of a smaller one in proportion, at least this many */
    int64_t edge;  /* of boxes; how wide a strip, how thick a slab is */
    bool list;     /* all elements by one call, where the peer has one; else one by one, sorted */
    bool singly;   /* each by a call; neither: a list in the best setting, where the peer has one */
};

enum { STEPS = 3, EDGE = 32 };

/* What a workload reads: an array, in some steps, whose seconds it answers. */
struct reading {
    const char *array; /* cube, table, deep, or grown: a cube that was just written by growth, and not read since */
    bool apart;        /* in a process of its own, from the disk: opening is in the time, and memory is measured */
    bool cat;          /* the files are read from end to end, as cat does, before the clock starts */
    bool piecewise;    /* the array is larger than memory: elements are looked at as they come, while the clock runs */
    bool all;          /* of these, the checksum of all is answered; the files may be in the page cache */
    struct {
        const char *seconds;
        struct requests r;
    } step[STEPS];
};

/* Of an array that workloads read: a cube of doubles in chunks of 32 x 32 x 32, a table whose chunks are rows, an array
 * of eight times the memory of a cube. */
struct layout array_layout(const char *array, int64_t size);
/* In elements: the memory for a slab of one chunk along any axis. */
int64_t slab_elements(const struct layout *layout);
/* Makes the requests and checks what was read. */
enum outcome run_reading(const struct work *work, const struct job *job);

/* ---- disk_memory.c: the memory of the machine ------------------------------------ */

/* What drx may have for copies of an array that is larger than memory. */
void allow_memory(int64_t size);
/* Bring the files out of the page cache, and answer what part stayed. `all`: the whole cache, as far as the system
 * permits. */
enum outcome make_cold(const struct peer *peer, const char *path, bool all);
/* Resident memory of this process with mapped pages, now and at most; 0: not known. */
int64_t resident_bytes(void);
int64_t peak_bytes(void);

#endif
