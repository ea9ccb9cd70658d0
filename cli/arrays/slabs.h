/* A box of an array, processed in slabs of bounded memory. */
#ifndef SLABS_H
#define SLABS_H

#include "drx.h"
#include "frame/progress.h"

enum { SLAB_BYTES = 64 << 20 };

/* The largest slab from now on, instead of SLAB_BYTES. */
void limit_slabs(int64_t bytes);

/* Is there nothing to do with the box, which begins at those indices? */
typedef bool slab_test(void *with, const int64_t at[], const int64_t extent[]);

struct slabs {
    int ndim;
    drx_order order;
    int64_t count[DRX_MAX_NDIM];                    /* the box */
    int64_t phase[DRX_MAX_NDIM];                    /* a slab ends where phase + index is a multiple of the block */
    int64_t block[DRX_MAX_NDIM];                    /* largest extents of a slab */
    int64_t at[DRX_MAX_NDIM], extent[DRX_MAX_NDIM]; /* the present slab in the box, once next_slab gave true */
    int64_t unit[DRX_MAX_NDIM];                     /* blocks are multiples of it if they can be */
    size_t element_bytes;
    size_t counted_bytes; /* of an element, which the progress counts */
    int64_t number;       /* of the present slab, from 0 */
    bool begun, shared;   /* shared: share_slabs */
    bool together;        /* all ranks do each slab, every one a part of it */
    slab_test *absent;    /* boxes of whole units of which it is true are left out; NULL: none is */
};

/* Cut the box of `count` elements lo + i * step, indices of the library, of an array like `a` (step NULL: 1) into
 * slabs, along chunks if possible. in_sequence: consecutive slabs hold the elements in the given order. Returns the
 * bytes of the box; -1: they do not fit in 64 bits. */
int64_t cut_slabs(struct slabs *s, const drx_array *a, const int64_t lo[], const int64_t count[], const int64_t step[],
                  drx_order order, bool in_sequence);

/* The same for any box, along multiples of `unit` if possible; NULL: in sequence. */
int64_t cut_box(struct slabs *s, int ndim, const int64_t count[], const int64_t unit[], size_t element_bytes,
                drx_order order);

/* Then slabs end with chunks also where the array that the box fills begins inside one, at the indices `lower`. */
void set_phase(struct slabs *s, const int64_t lower[]);

/* The unit for moving elements between chunks of extents `from` and those of `a`, in either direction: whole chunks of
 * both. Those of `a` stay whole in any case when they are compressed, so that each is written once. */
void choose_unit(const drx_array *a, const int64_t from[], int64_t unit[]);

bool next_slab(struct slabs *s);
int64_t slab_bytes(const struct slabs *s); /* of the present slab */
int64_t largest_slab_bytes(const struct slabs *s);

/* The axis that is number k from the slowest one. */
int axis_from_slowest(int ndim, drx_order order, int k);

/* Elements times `bytes`, or -1. */
int64_t box_bytes(int ndim, const int64_t count[], size_t bytes);

/* This rank's part of the box, which the team shares: whole chunks of `a`, and of the extents `from`. It is cut along
 * the slowest axis that has a chunk for each rank, or else along the axis with most chunks. It may be empty. */
void take_own_part(const drx_array *a, const int64_t from[], drx_order order, int64_t lo[], int64_t count[]);

/* Let the team share the slabs, which have been cut; cuts them further so that each rank gets some. */
void share_slabs(struct slabs *s);

/* What is done with a slab, for which `buf` has room; gives the exit code. */
typedef int slab_work(void *with, const struct slabs *slabs, void *buf);

/* Do it with each slab until it fails or an interrupt comes. progress: of this box and others; NULL: of this one alone.
 * Gives the exit code. Collective if they are shared, or done together: a failure on one rank ends the work of all,
 * with the same exit code. */
int do_slabs(struct slabs *s, slab_work *work, void *with, struct progress *progress);

#endif
