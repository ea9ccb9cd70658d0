/* One-sided access to the sections of other ranks (darray/sections.h).
 *
 *   onesided.c        cuts a box into strided parts, each with one owner
 *   onesided_list.c   lists of elements; counters
 *   onesided_lock.c   a lock for each rank's elements
 *   onesided_far.c    uses MPI RMA where loads and stores do not reach
 *
 * Invariants
 *   1. A call that only reaches sections in shared memory makes no MPI call.
 *   2. drxmp_darray_acc and drxmp_darray_fetch_add hold the lock of the rank that owns the elements. All ranks of a
 *      darray use the same kind of lock, because MPI promises nothing between its own atomic operations and a
 *      processor's. The lock is a word in shared memory when every rank reaches every section directly. Otherwise it
 *      is a word in a window, which all ranks take by the same MPI call.
 *   3. RMA changes sections by MPI_Put, never by MPI_Accumulate, because Open MPI saturates sums of 8 and 16 bits.
 *   4. Every RMA operation is complete when the call returns. */
#ifndef DRXI_ONESIDED_H
#define DRXI_ONESIDED_H

#include "copy/copy.h"
#include "mp/darray/sections.h"

/* ---- onesided.c ---------------------------------------------------------------------------------- */

enum drxi_access { DRXI_GET, DRXI_PUT, DRXI_ADD };

/* Check that this rank can access the section of `rank` in this way. */
drx_status drxi_check_target(const drxmp_darray *d, int rank, enum drxi_access access);

/* ---- onesided_lock.c ---------------------------------------------------------------------------- */

/* Exclude other ranks that add to elements of `rank`. Waits. */
drx_status drxi_lock(const drxmp_darray *d, int rank);
drx_status drxi_unlock(const drxmp_darray *d, int rank);

/* ---- onesided_far.c ------------------------------------------------------------------------------- */

/* A strided part of a section and of a buffer. In the axes, dst strides are the section's and src the buffer's. */
struct drxi_portion {
    enum drxi_access access;
    const void *alpha; /* of an addition; the caller holds the lock */
    int rank;
    int n;
    struct drxi_copy_axis axes[DRXI_COPY_AXES];
    int64_t offset; /* bytes from the section's first element to the part's */
    uint8_t *buf;
};
drx_status drxi_far_move(const drxmp_darray *d, const struct drxi_portion *part);

/* Begin to get or put one element; finish all that began. `value` must stay valid until then. */
drx_status drxi_far_get(const drxmp_darray *d, int rank, int64_t offset, void *value);
drx_status drxi_far_put(const drxmp_darray *d, int rank, int64_t offset, const void *value);
drx_status drxi_far_finish(const drxmp_darray *d);

#endif
