/* The nodes of a job, and where the stripes of an array are. The rest of this room (far.h) knows nothing of MPI. */
#pragma once

#include "mp/far/far.h"
#include "mp/mp.h"

struct drxi_home;

/* Find the nodes, and serve. *out is NULL when all ranks are on one node. This rank keeps this many bytes of the files
 * of other nodes. Collective. */
drx_status drxi_home_begin(MPI_Comm comm, int64_t cache_bytes, struct drxi_home **out);
/* After the array was closed on this rank. NULL is fine. Collective. */
void drxi_home_end(struct drxi_home *home, MPI_Comm comm);

/* The nodes on which an array may have stripes that a call of the root replaces, which this rank enters; and the end of
 * that, which keeps the detail. Collective. */
drx_status drxi_home_of_replaced(const drxmp_array *m, struct drxi_home **home);
void drxi_home_leave(struct drxi_home *home, MPI_Comm comm);

/* Of a chunk: the rank that moves it for all, on the node of its stripe. And whether a rank is one of these. */
int drxi_home_owner(const struct drxi_home *home, int64_t address);
bool drxi_home_owns(const struct drxi_home *home, int rank);

/* Until the next call, the stripes that this thread opens, removes and so on may lie on any node. NULL: on this one. */
void drxi_home_enter(struct drxi_home *home);
/* The same until the next call of this function, wherever NULL is entered meanwhile. */
void drxi_home_reach(struct drxi_home *home);
/* Tell all ranks where the root has found the stripes that it opened last. When each rank has found all of them on its
 * own node, *home ends and becomes NULL. Collective. */
drx_status drxi_home_share(struct drxi_home **home, MPI_Comm comm);
