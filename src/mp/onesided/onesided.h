/* One-sided access to the sections of other ranks (darray/sections.h).
 *
 *   onesided.c        boxes: cut into what each owner has of them, strided part by strided part
 *   onesided_list.c   lists of elements; counters
 *   onesided_lock.c   one rank at a time changes the elements of a rank
 *   onesided_far.c    what loads and stores do not reach, by MPI RMA
 *
 * Invariants
 *   1. A call that only reaches sections in shared memory makes no MPI call.
 *   2. drxmp_darray_acc and drxmp_darray_fetch_add hold the lock of the rank that owns the elements. All ranks of a
 *      darray use one kind of lock: a word in shared memory when each of them reaches every section directly, else a
 *      word in a window, which all take by the same MPI call. MPI promises nothing between its own atomic operations
 *      and a processor's.
 *   3. Sections change under MPI_Put alone, never under MPI_Accumulate: Open MPI saturates sums of 8 and 16 bits.
 *   4. Whatever was begun by RMA is complete when the call returns. */
#ifndef DRXI_ONESIDED_H
#define DRXI_ONESIDED_H

#include "copy/copy.h"
#include "mp/darray/sections.h"

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

#endif
