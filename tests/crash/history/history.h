/* What a program does to arrays on a disk in memory, one step after the other; after each change of the disk that a
 * step makes, the power is cut in many ways, and what is left is checked. */
#ifndef HISTORY_H
#define HISTORY_H

#include "drx_tools.h"
#include "world.h"

/* How an array is made. */
struct make {
    int ndim;
    drx_type type;
    int64_t shape[TRUTH_NDIM], chunk[TRUTH_NDIM], limit[TRUTH_NDIM];
    int64_t fill, align;
    drx_order order;
    const char *dims[TRUTH_NDIM];
    int stripes;
    unsigned flags; /* for drx_spec */
    drx_codec codec;
};

struct history {
    /* CUT: on a disk in memory, which is cut. PLAIN: it is not. LIVE: on the real disk, and a byte is written to `acks`
     * after each step. TOLD: nothing is done but to the truth, until a step that is not one of the first `acks`; that
     * one is being done, and scene_play returns. */
    enum { CUT, PLAIN, LIVE, TOLD } mode;
    int acks;
    jmp_buf stop;
    const char *name;
    uint64_t seed, random;
    struct make make;
    int random_steps;             /* of a random history */
    int samples;                  /* random cuts for each change, beside those of cut_listed */
    int few;                      /* see cut_listed */
    int nested;                   /* one in this many cuts is followed by crashes while it is mended; 0: none */
    int only_change, only_choice; /* to repeat one cut; -1: all */

    uint32_t boot; /* a tag of it */
    struct disk *disk;
    struct cut *cut;
    int seen; /* changes of the disk that have been cut */
    struct world world;
    drx_array *a;     /* open for writing; `truth` says what it holds; or NULL */
    drx_array *other; /* that shares it, or NULL */
    struct truth *truth;
    void *buf; /* what is written */
    int step;
    char what[200]; /* the step being done */
    void *known;    /* hashes of what has been checked in this step: a tree */
    struct tally tally;
};

void history_start(struct history *h, const char *name, uint64_t seed, const char *const places[], int n);
void history_end(struct history *h);

/* The steps; those without a path are done to h->a. Boxes inside the bounds. */
void do_create(struct history *h, const char *place, bool replace);
void do_open(struct history *h, const char *place);
void do_share(struct history *h, const char *place); /* open it twice, DRX_SHARED */
void do_turn(struct history *h);                     /* the other one does what comes now, */
void do_swap(struct history *h);                     /* without a refresh: the bounds are still those that it knows */
void do_close(struct history *h);
void do_sync(struct history *h);
void do_compact(struct history *h);
void do_write(struct history *h, const int64_t lo[], const int64_t count[]);
void do_put(struct history *h, const int64_t index[]);
void do_extend(struct history *h, int axis, int64_t by);
void do_extend_before(struct history *h, int axis, int64_t by);
void do_append(struct history *h, int axis, int64_t by, bool in_pieces);
void do_prepend(struct history *h, int axis, int64_t by, bool in_pieces);
void do_trim(struct history *h, int axis, int64_t before, int64_t after);
void do_add_axis(struct history *h, const char *name);                /* as the last one */
void do_attr(struct history *h, const char *name, const char *value); /* value NULL: delete it */
void do_dim(struct history *h, int axis, const char *name);
void do_rename(struct history *h, const char *from, const char *to, bool replace); /* none is open */
void do_remove(struct history *h, const char *place);
void do_duplicate(struct history *h, const char *from, const char *to, unsigned flags);
void do_copy(struct history *h, const char *to, const drx_copy_spec *spec); /* then the copy is h->a */
/* The power is cut at random, and the program goes on with what is left; none is open then. */
void do_crash(struct history *h);
/* The same, but all is left but the first `writes` that were done to the log at `place` since it was durable. */
void do_lose_log(struct history *h, const char *place, int writes);

#endif
