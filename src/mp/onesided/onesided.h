/* Sections that other ranks reach, and what the files of one-sided access offer each other.
 *
 *   node.c            the ranks that share memory
 *   darray_memory.c   sections: in memory that a node shares, private, or imported; windows over them
 *   darray_owner.c    which rank owns an index, and which ones own some of a range
 *   onesided.c        boxes: cut into what each owner has of them, strided part by strided part
 *   onesided_list.c   lists of elements; counters
 *   onesided_lock.c   one at a time changes the elements of a rank
 *   onesided_far.c    what is not in reach of loads and stores: by MPI RMA
 *   onesided_progress.c   a thread that lets MPI go on
 *
 * Invariants
 *   1. A call that only reaches sections in shared memory makes no MPI call.
 *   2. All who change elements in place (drxmp_darray_acc, drxmp_darray_fetch_add) hold the lock of the rank whose they
 * are. The lock of a darray is one and the same for all its ranks: a word in shared memory, when each reaches every
 * section directly; else a word in a window, which all take by the same MPI call, also those that then reach the
 * section directly. MPI promises nothing between its own atomic operations and a processor's.
 *   3. Sections change under MPI_Put alone, never under MPI_Accumulate: Open MPI saturates sums of 8 and 16 bits.
 *   4. Whatever was begun by RMA is complete when the call returns. */
#ifndef DRXI_ONESIDED_H
#define DRXI_ONESIDED_H

#include "copy/copy.h"
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

/* ---- onesided.c ---------------------------------------------------------------------------------- */

enum drxi_access { DRXI_GET, DRXI_PUT, DRXI_ADD };

/* Whether the section of a rank can be reached so. */
drx_status drxi_check_target(const drxmp_darray *d, int rank, enum drxi_access access);

/* ---- onesided_lock.c ---------------------------------------------------------------------------- */

/* Be the only one to change elements of that rank in place. */
drx_status drxi_lock(const drxmp_darray *d, int rank);
drx_status drxi_unlock(const drxmp_darray *d, int rank);

/* ---- onesided_far.c ------------------------------------------------------------------------------- */

/* A strided part of a section and of a buffer; in the axes, dst is the section's. */
struct drxi_portion {
    enum drxi_access access;
    const void *alpha; /* of an addition, for which the lock is held */
    int rank;
    int n;
    struct drxi_copy_axis axes[DRXI_COPY_AXES];
    int64_t offset; /* of its first element, from that of the section */
    uint8_t *buf;
};
drx_status drxi_far_move(const drxmp_darray *d, const struct drxi_portion *part);

/* One element, begun; and the end of all that was begun. `value` stays until then. */
drx_status drxi_far_get(const drxmp_darray *d, int rank, int64_t offset, void *value);
drx_status drxi_far_put(const drxmp_darray *d, int rank, int64_t offset, const void *value);
drx_status drxi_far_finish(const drxmp_darray *d);

/* ---- onesided_progress.c ------------------------------------------------------------------------------------ */

/* One more, or one less, who wants MPI to go on although this rank makes no calls. */
drx_status drxi_progress_want(void);
void drxi_progress_leave(void);

#endif
