/* One-sided access to the sections of other ranks (darray/sections.h).
 *
 *   onesided.c        cuts a box into strided parts, each with one owner, and moves parts
 *   onesided_list.c   lists of elements; counters
 *   onesided_lock.c   a lock for each rank's elements
 *   onesided_far.c    uses MPI RMA where loads and stores do not reach
 *   onesided_begun.c  RMA that goes on after the call: requests
 *
 * Arrays in the memory of the job (memory/) find the places of elements in their own way, and use the rest.
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
#pragma once

#include "copy/copy.h"
#include "mp/darray/sections.h"

/* ---- places -------------------------------------------------------------------------------------- */

enum drxi_access { DRXI_GET, DRXI_PUT, DRXI_ADD };

/* Where elements lie: with a rank, in memory that loads and stores reach, or else in a window. */
struct drxi_target {
    int rank;
    uint8_t *near; /* NULL: only RMA reaches it */
    MPI_Win win;
    MPI_Aint at; /* bytes from the start of the rank's window */
};

static inline void drxi_in_section(const drxmp_darray *d, int rank, int64_t offset, struct drxi_target *at)
{
    const struct drxi_reach *r = &d->reach[rank];

    at->rank = rank;
    at->near = r->mem ? r->mem + offset : NULL;
    at->win = d->sections;
    at->at = r->at + (MPI_Aint)offset;
}

/* ---- onesided.c ---------------------------------------------------------------------------------- */

/* A strided part of the memory of a rank, and of a buffer. In the axes, dst strides are the memory's and src the
 * buffer's. */
struct drxi_portion {
    enum drxi_access access;
    const void *alpha;     /* of an addition; the caller holds the lock */
    struct drxi_target at; /* of the first element */
    int n;
    struct drxi_copy_axis axes[DRXI_COPY_AXES];
    uint8_t *buf;
};

/* The box that has the parts. */
struct drxi_whole {
    drx_type type;
    size_t item_bytes;
    int64_t bytes;        /* of the box */
    int64_t buffer_bytes; /* the most, for RMA */
    struct drxi_begun
        *begun; /* collects the RMA that goes on after the call, which is no addition; NULL: nothing does */
};
drx_status drxi_move_part(const struct drxi_whole *whole, const struct drxi_portion *part);

/* The number 1 in a type. */
const void *drxi_one_of(drx_type type);
/* Check that this rank can access the section of `rank` in this way. */
drx_status drxi_check_target(const drxmp_darray *d, int rank, enum drxi_access access);

/* ---- onesided_lock.c ---------------------------------------------------------------------------- */

/* Exclude other ranks that add to elements of `rank`. Waits. */
drx_status drxi_lock(const drxmp_darray *d, int rank);
drx_status drxi_unlock(const drxmp_darray *d, int rank);

/* ---- onesided_far.c ------------------------------------------------------------------------------- */

/* Move a part by RMA. What goes on is completed by drxi_begun_finish, and part->buf must stay valid until then. */
drx_status drxi_far_move(const struct drxi_whole *whole, const struct drxi_portion *part);

/* An operation that has begun: a packed form of a part, on its way. */
struct drxi_parcel {
    struct drxi_parcel *next;
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

enum { DRXI_MOST_BEGUN = 1024, DRXI_MOST_TARGETS = 64 };

/* RMA of contiguous bytes, which is in progress at some ranks; `begun` and `targets` are 0 at first. */
struct drxi_rma {
    int begun, targets;
    struct {
        int rank;
        MPI_Win win;
    } target[DRXI_MOST_TARGETS];
};
/* Begin to get or put bytes; `mem` must stay valid until they are complete. Complete all, also after a failure: rank by
 * rank, because MPI_Win_flush_all of MPICH 4.0 returns before gets and puts are complete. */
drx_status drxi_rma_begin(struct drxi_rma *r, bool get, const struct drxi_target *at, void *mem, int64_t bytes);
drx_status drxi_rma_finish(struct drxi_rma *r);

/* ---- onesided_list.c ------------------------------------------------------------------------------ */

/* Check the arguments of a list. `call` begins the message, unless it is empty. */
drx_status drxi_check_list(const char *call, int64_t n, const int64_t indices[], const void *values);
/* Elements that lie with ranks. `find` finds one that exists; what loads and stores reach is then in memory. */
struct drxi_elements {
    drx_status (*find)(const void *of, const int64_t index[], struct drxi_target *at);
    const void *of;
    size_t item_bytes;
    int ndim;
};
/* Get or put a list of elements, which exist. Finishes every operation that it began, also after a failure. Inlined,
 * for the sake of `find`. */
static inline __attribute__((always_inline)) drx_status
drxi_move_list(const struct drxi_elements *x, bool writing, int64_t n, const int64_t indices[], uint8_t *value)
{
    struct drxi_rma rma;
    drx_status st = DRX_OK, one;

    rma.begun = rma.targets = 0;
    for (int64_t i = 0; !st && i < n; i++, indices += x->ndim, value += x->item_bytes) {
        struct drxi_target at;

        if ((st = x->find(x->of, indices, &at)))
            break;
        if (at.near) {
            memcpy(writing ? at.near : value, writing ? value : at.near, x->item_bytes);
        } else {
            const struct drxi_target far = at; /* `at` has no address, and stays in registers */

            st = drxi_rma_begin(&rma, !writing, &far, value, (int64_t)x->item_bytes);
        }
    }
    one = rma.targets > 0 ? drxi_rma_finish(&rma) : DRX_OK;
    return st ? st : one;
}

drx_status drxi_check_integers(const char *call, drx_type type);
/* Add to an integer, with the lock of its rank. It wraps around. *old: its value before. */
drx_status drxi_add_at(const struct drxi_target *at, drx_type type, size_t item_bytes, int64_t add, int64_t *old);

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
/* Make one: DRX_ENOMEM. What the caller begins goes into r->begun. Then, with the status of that, give it to the user,
 * or, after a failure, complete what began, free it and return the status. */
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
