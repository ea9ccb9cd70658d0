/* The sections of a darray, and how other ranks reach them.
 *
 *   node.c              the ranks that share memory
 *   darray_memory.c     sections in memory that a node shares, private ones and imported ones; windows over them
 *   darray_owner.c      which rank owns an index, and which ranks own some of a range
 *   darray_progress.c   a thread that lets MPI go on */
#ifndef DRXI_SECTIONS_H
#define DRXI_SECTIONS_H

#include "mp/darray/darray.h"

/* ---- node.c ------------------------------------------------------------------------------ */

struct drxi_node {
    MPI_Comm comm;
    int64_t most;
    int ranks, rank; /* here */
    int *whole;      /* the rank in the communicator of each */
};

/* The ranks that share memory with this one. `keeper`, the caller's communicator, keeps them once they are found; `own`
 * has the same ranks. `most`: as if no more than so many did, equal on all ranks. Collective; the ranks have still to
 * agree on how it went, and to forget it when that was not well. */
drx_status drxi_node_find(MPI_Comm keeper, MPI_Comm own, int64_t most, const struct drxi_node **out);
void drxi_node_forget(MPI_Comm keeper);

/* ---- darray_memory.c ------------------------------------------------------------------------ */

/* Bytes free where MPI puts shared memory; -1: not known. Tests change it. */
extern int64_t (*drxi_shared_room)(void);

/* Whether the node has memory for the sections of its ranks. Local. */
drx_status drxi_memory_plan(drxmp_darray *d, const struct drxi_darray_plan *plan, const struct drxi_node *node);
/* Have it, and whatever reaches it. Collective; the ranks have still to agree on how it went. */
drx_status drxi_memory_make(drxmp_darray *d, const struct drxi_darray_plan *plan, const struct drxi_node *node);
/* Collective, unless nothing was made. */
void drxi_memory_free(drxmp_darray *d);
/* What was stored before by this rank comes before what it loads and stores now, and the same of windows. */
void drxi_memory_fence(const drxmp_darray *d);

/* ---- darray_owner.c ----------------------------------------------------------------------------- */

/* The grid ranks that own some of the indices from <= index < to, which are in bounds, are among first, first + 1, ...,
 * `n` of them, counted around. */
void drxi_axis_owners(const drxmp_darray *d, int axis, int64_t from, int64_t to, int64_t *first, int64_t *n);
/* Where an element is: DRX_ERANGE when nobody owns it. */
drx_status drxi_locate(const drxmp_darray *d, const int64_t index[], int *rank, int64_t *offset_bytes);
/* Whether all indices of a box, which is not empty, have owners. */
drx_status drxi_check_owned(const drxmp_darray *d, const int64_t lo[], const int64_t count[]);

/* ---- darray_progress.c ------------------------------------------------------------------------------------ */

/* One more, or one less, who wants MPI to go on although this rank makes no calls. */
drx_status drxi_progress_want(void);
void drxi_progress_leave(void);

#endif
