/* A box of an array, gone through in slabs of bounded memory. */
#ifndef SLABS_H
#define SLABS_H

#include <stdbool.h>

#include "drx.h"
#include "frame/progress.h"

enum { SLAB_BYTES = 64 << 20 };

/* Let slabs have at most so many bytes from now on, instead of SLAB_BYTES. */
void limit_slabs(int64_t bytes);

struct slabs {
    int ndim;
    drx_order order;
    int64_t count[DRX_MAX_NDIM]; /* the box */
    int64_t phase[DRX_MAX_NDIM]; /* borders between slabs are where phase + index is a multiple of the block */
    int64_t block[DRX_MAX_NDIM]; /* largest extents of a slab */
    int64_t at[DRX_MAX_NDIM], extent[DRX_MAX_NDIM]; /* the present slab in the box, once next_slab gave true */
    int64_t unit[DRX_MAX_NDIM];                     /* blocks are multiples of it, where that goes */
    size_t element_bytes;
    int64_t number;     /* of the present slab, from 0 on */
    bool begun, shared; /* shared: share_slabs */
};

/* Cut the box of `count` elements lo + i * step of an array like `a` (step NULL: 1) into slabs of as many bytes as
 * are allowed: along chunks where that goes; or, `in_sequence`, so that the slabs one after the other hold the
 * elements in the given order. Returns the bytes of the whole box; -1 when 64 bits cannot hold them. */
int64_t cut_slabs(struct slabs *s, const drx_array *a, const int64_t lo[], const int64_t count[], const int64_t step[],
                  drx_order order, bool in_sequence);

/* The same for a box of elements anywhere, along multiples of `unit` where that goes; NULL: in sequence. */
int64_t cut_box(struct slabs *s, int ndim, const int64_t count[], const int64_t unit[], size_t element_bytes,
                drx_order order);

bool next_slab(struct slabs *s);
int64_t slab_bytes(const struct slabs *s); /* of the present slab */
int64_t largest_slab_bytes(const struct slabs *s);

/* The axis that is number k from the slowest one. */
int axis_from_slowest(int ndim, drx_order order, int k);

/* Elements times `bytes`, or -1. */
int64_t box_bytes(int ndim, const int64_t count[], size_t bytes);

/* Let the team share them, cut further where that gives each rank some. To be called once they are cut. */
void share_slabs(struct slabs *s);

/* What is done with a slab, for which `buf` has room; gives the exit code. */
typedef int slab_work(void *with, const struct slabs *slabs, void *buf);

/* Do it with each slab until it fails or an interrupt comes. Gives the exit code. Collective if they are shared: a
 * failure on one rank ends the work of all, with the same exit code. */
int do_slabs(struct slabs *s, slab_work *work, void *with, struct progress *progress);

#endif
