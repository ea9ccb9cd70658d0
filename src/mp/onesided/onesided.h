/* One-sided access to the sections of other ranks (darray/sections.h).
 *
 *   onesided.c        cuts a box into strided parts, each with one owner
 *   onesided_list.c   lists of elements; counters
 *   onesided_lock.c   a lock for each rank's elements
 *   onesided_far.c    uses MPI RMA where loads and stores do not reach
 *   onesided_begun.c  RMA that goes on after the call: requests, also to arrays in the memory of the job
 *
 * Invariants
 *   1. A call that only reaches sections in shared memory makes no MPI call.
 *   2. drxmp_darray_acc and drxmp_darray_fetch_add hold the lock of the rank that owns the elements. All ranks of a
 *      darray use the same kind of lock, because MPI promises nothing between its own atomic operations and a
 *      processor's. The lock is a word in shared memory when every rank reaches every section directly. Otherwise it
 *      is a word in a window, which all ranks take by the same MPI call.
 *   3. RMA changes sections by MPI_Put, never by MPI_Accumulate, because Open MPI saturates sums of 8 and 16 bits.
 *   4. Every RMA operation is complete when the call returns, or belongs to a request.
 *   5. A call completes the requests of this rank that touch its elements, unless both read. */
#ifndef DRXI_ONESIDED_H
#define DRXI_ONESIDED_H

#include <pthread.h>

#include "copy/copy.h"
#include "mp/darray/sections.h"

/* ---- onesided.c ---------------------------------------------------------------------------------- */

enum drxi_access { DRXI_GET, DRXI_PUT, DRXI_ADD };

/* The number 1 in a type. */
const void *drxi_one_of(drx_type type);

/* Check that this rank can access the section of `rank` in this way. */
drx_status drxi_check_target(const drxmp_darray *d, int rank, enum drxi_access access);

/* Move a box, whose flags and reserved words do not count. What needs RMA and is no addition goes on in `begun`; NULL:
 * nothing does. */
struct drxi_begun;
drx_status drxi_move_box(drxmp_darray *d, const drx_box *box, enum drxi_access access, const void *alpha,
                         const void *buf, struct drxi_begun *begun);

/* ---- onesided_list.c ------------------------------------------------------------------------------ */

union drxi_integer {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
};
/* Add to an integer, which wraps around, and return its old value. */
int64_t drxi_add_to(drx_type type, union drxi_integer *v, int64_t add);

enum { DRXI_MOST_BEGUN = 1024 }; /* RMA operations in progress */

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
    int64_t offset; /* bytes to the part's first element: from the section's, or of a far move in the rank's window */
    uint8_t *buf;
};
/* Move a part, of a box of so many bytes, to or from the memory of its first element. */
void drxi_near_move(const struct drxi_portion *part, drx_type type, size_t item_bytes, int64_t box_bytes,
                    uint8_t *element);

/* What a window holds, and the most bytes of a buffer for it. */
struct drxi_far {
    MPI_Win win;
    drx_type type;
    size_t item_bytes;
    int64_t buffer_bytes;
};
drx_status drxi_far_move(const struct drxi_far *far, const struct drxi_portion *part);
/* The same of a get or put that drxi_begun_finish completes. `buf` must stay valid until then. */
drx_status drxi_far_begin(const struct drxi_far *far, const struct drxi_portion *part, struct drxi_begun *begun);

/* An operation that has begun: a packed form of a part, on its way. */
struct drxi_parcel {
    struct drxi_parcel *next;
    MPI_Win win;
    struct drxi_portion part;
    uint8_t *packed;
    int64_t bytes;
};
struct drxi_begun {
    size_t item_bytes;
    struct drxi_parcel *first;
    int64_t bytes; /* of memory for all */
};
/* Complete all of them, also after a failure. */
drx_status drxi_begun_finish(struct drxi_begun *begun);

/* ---- onesided_begun.c ----------------------------------------------------------------------------- */

/* A request. */
struct drxi_one_sided {
    drx_request request; /* first */
    struct drxi_one_sided *next;
    struct drxi_outstanding *of;
    struct drxi_begun begun;
    bool writing, listed;
    int ndim;
    int64_t lo[DRX_MAX_NDIM], last[DRX_MAX_NDIM]; /* the box around its elements, while it is listed */
    drx_status st;
    char *detail;
};
/* Make one: DRX_ENOMEM. What the caller begins goes into r->begun. Then, with the status of that, give it to the user, or,
 * after a failure, complete what began, free it and return the status. */
drx_status drxi_one_sided_new(struct drxi_outstanding *of, size_t item_bytes, struct drxi_one_sided **out);
drx_status drxi_one_sided_give(struct drxi_one_sided *r, drx_status st, bool writing, int ndim, const drx_box *box,
                               drx_request **req);

/* Complete the requests of this rank that touch elements of the box (NULL: any), unless both read. It costs a load when
 * there is none. */
void drxi_begun_before_slowly(struct drxi_outstanding *of, bool writing, const drx_box *box);
static inline void drxi_begun_before(struct drxi_outstanding *of, bool writing, const drx_box *box)
{
    if (atomic_load_explicit(&of->first, memory_order_acquire))
        drxi_begun_before_slowly(of, writing, box);
}

/* Begin to get or put one element; finish what began on that rank. `value` must stay valid until then. */
drx_status drxi_far_get(const drxmp_darray *d, int rank, int64_t offset, void *value);
drx_status drxi_far_put(const drxmp_darray *d, int rank, int64_t offset, const void *value);
drx_status drxi_far_finish(const drxmp_darray *d, int rank);

#endif
