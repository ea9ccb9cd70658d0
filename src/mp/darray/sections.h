/* The sections of a darray, and how other ranks reach them.
 *
 *   node.c              finds the ranks that share memory
 *   darray_memory.c     sections in shared, private or imported memory, and windows over them
 *   darray_turn.c       one communicator after the other makes windows
 *   darray_owner.c      finds the rank that owns an index, and the ranks that own some of a range
 *   darray_progress.c   a thread that makes MPI progress */
#pragma once

#include "mp/darray/darray.h"

/* ---- node.c ------------------------------------------------------------------------------ */

struct drxi_node {
    MPI_Comm comm;
    int64_t most;
    int ranks, rank; /* on the node */
    int *whole;      /* [ranks], the rank of each in the whole communicator */
};

/* Find the ranks that share memory with this one, at most `most` of them, equal on all ranks. `own` has the ranks of
 * `keeper`, the caller's communicator, which keeps the result for later calls. Collective; the ranks have not agreed on
 * the result yet, and call drxi_node_forget when one of them failed. */
drx_status drxi_node_find(MPI_Comm keeper, MPI_Comm own, int64_t most, const struct drxi_node **out);
void drxi_node_forget(MPI_Comm keeper);

/* ---- darray_memory.c ------------------------------------------------------------------------ */

/* Returns the free bytes where MPI puts shared memory; -1 when unknown. Tests change it. */
extern int64_t (*drxi_shared_room)(void);

/* What the darrays and the arrays in memory of this process have on its node, as far as it knows: of ranks that share
 * memory all sections, otherwise its own; of arrays in memory the chunks of the node. */
extern atomic_int_fast64_t drxi_node_bytes;

/* Bring mapped pages into memory at once, which is much faster than page by page, and tells a shortage, which would be
 * a signal later: false. */
bool drxi_take_pages(uint8_t *from, int64_t bytes);

/* Make a window over memory of each rank, locked for all accesses, or MPI_WIN_NULL after a failure. Both collective. */
drx_status drxi_window_make(MPI_Comm comm, void *base, int64_t bytes, int unit, MPI_Win *win);
void drxi_window_free(MPI_Win *win); /* it may be MPI_WIN_NULL */

/* Lay out the sections, and check that the node has memory for those of its ranks. Local. */
drx_status drxi_memory_plan(drxmp_darray *d, const struct drxi_darray_plan *plan, const struct drxi_node *node);
/* Allocate this rank's section, and make the windows. Collective; the ranks have not agreed on the result yet. */
drx_status drxi_memory_make(drxmp_darray *d, const struct drxi_darray_plan *plan, const struct drxi_node *node);
/* Collective when drxi_memory_make was called. */
void drxi_memory_free(drxmp_darray *d);
/* Order this rank's loads and stores before the call, also in windows, before those after it. */
void drxi_memory_order(const drxmp_darray *d);
/* The same, after its one-sided requests, which it completes. */
void drxi_memory_fence(const drxmp_darray *d);

/* ---- darray_turn.c ---------------------------------------------------------------------------- */

/* Wait, some seconds at most, until no other communicator makes windows on the nodes of this one. Collective. The turn
 * ends, with what was returned, when all ranks have made theirs. */
int drxi_turn_begin(MPI_Comm comm, const struct drxi_node *node);
void drxi_turn_end(int turn);

/* ---- darray_owner.c ----------------------------------------------------------------------------- */

/* Find `n` grid ranks first, first + 1, ..., modulo the grid, among which are all that own an index from <= index < to.
 * These indices are in bounds. */
void drxi_axis_owners(const drxmp_darray *d, int axis, int64_t from, int64_t to, int64_t *first, int64_t *n);
/* Find the owner of an element, and its offset in that rank's section. DRX_ERANGE when no rank owns it. */
drx_status drxi_locate(const drxmp_darray *d, const int64_t index[], int *rank, int64_t *offset_bytes);
/* Check that all indices of a box, which is not empty, have owners, and that its steps (NULL: 1) are at least 1. */
drx_status drxi_check_owned(const drxmp_darray *d, const int64_t lo[], const int64_t count[], const int64_t step[]);

/* ---- darray_progress.c ------------------------------------------------------------------------------------ */

/* Count users of the thread that makes MPI progress. It runs while there is one. */
drx_status drxi_progress_want(void);
void drxi_progress_leave(void);
