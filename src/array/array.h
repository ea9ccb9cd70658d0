/* An open array, and what the files of this room offer each other.
 *
 *   handle.c    making, checking and freeing a handle
 *   create.c    making an array; default_chunk.c: the chunk, when none is given
 *   open.c      opening, closing, refresh
 *   recover.c   mending what a crash left
 *   sync.c      durability; a long log is compacted
 *   change.c    changes beside other writers: waiting, catching up, stale handles
 *   grow.c      extend, append, and undoing an append; outside.c: cells outside the bounds
 *   access.c    the public reads and writes
 *   async.c     those that go on beside the caller
 *   attr.c      attributes and names of axes
 *   inquire.c   everything that only looks
 *   place.h     names of files: place.c, rename.c, duplicate.c
 *   replica.h   the handles of several processes: replica.c
 *
 * Invariants
 *   1. What is durable or visible to others is what the log says; memory follows
 *      it only after the record has been written.
 *   2. Data goes to the file before the record that makes it visible.
 *   3. A change that cannot be undone after a failure sets log.broken, and the
 *      handle then only reads.
 *   4. Cells outside the bounds, in chunks, hold the fill. A session trusts this
 *      of its own work, and of that of the writers it shares the array with; it checks
 *      what it found at open before it relies on it (`found`). */
#ifndef DRXI_ARRAY_H
#define DRXI_ARRAY_H

#include "base/gate.h"
#include "box/box.h"

/* A request that is not over, as others see it. */
struct drxi_pending {
    struct drxi_pending *next;
    uint64_t number; /* in the order in which they began */
    bool writing;
    bool collective;                  /* of libdrxmp: it is over when its caller knows, and nobody can wait for it */
    const int64_t *lo, *count, *step; /* its box; step NULL: 1 */
};

/* Requests that go on beside the caller: async.c. */
struct drxi_requests {
    _Atomic(struct drxi_pending *) first; /* oldest first */
    uint64_t begun;
    pthread_mutex_t lock;
    pthread_cond_t done;
};

struct drx_array {
    struct drxi_gate gate; /* entered to access elements; shut to change anything else */
    char *path;            /* NULL: in memory */
    char *label;           /* the path, or a word for messages */
    bool writable, temporary;
    bool shared;                /* opened DRX_SHARED: change.c */
    bool new_names;             /* the names of the files may not be durable yet */
    atomic_bool parallel;       /* one of the handles of several processes: replica.h */
    int64_t compact_from_bytes; /* compacting failed: not tried again before the log is so long */
    struct drxi_log log;
    struct drxi_data data;
    struct drxi_requests requests;
    int64_t found[DRX_MAX_NDIM]; /* nobody checked the cells of axis j between shape[j] and found[j] */
};

/* ---- handle.c ---- */

drx_status drxi_array_new(const char *path, drx_array **out);
DRXI_SHARED drx_status drxi_array_free(drx_array *a); /* closes what is open */
/* Whether the handle can write now: DRX_EACCES, or why it is broken. */
DRXI_SHARED drx_status drxi_check_writable(const drx_array *a);
/* DRX_EACCES for a handle of several processes; and whether another handle can change the array now. */
drx_status drxi_check_alone(const drx_array *a);
drx_status drxi_check_changeable(const drx_array *a);
/* Whether a path can be given a suffix. */
drx_status drxi_check_path(const char *path);

/* Open the data, and the checksums if there are any; the log has been read. */
drx_status drxi_open_data(drx_array *a);
drx_status drxi_open_sums(drx_array *a);
void drxi_close_files(drx_array *a);             /* so that it can be opened again */
void drxi_swap_logs(drx_array *a, drx_array *b); /* two handles of one array */

/* ---- open.c ---- */

/* Open both files of a->path, of one array, and read the log; when a->writable, with the lock. Nothing is mended yet.
 */
drx_status drxi_open_pair(drx_array *a, enum drxi_tail *tail);

/* ---- create.c ---- */

/* DRXI_ID_BYTES that no other array has. */
drx_status drxi_new_id(uint8_t id[]);

/* As drx_create. Without `fill` a fill that is not zero is not written: the caller writes all initial chunks before
 * anybody else sees the array. */
DRXI_SHARED drx_status drxi_create(const char *path, const drx_spec *spec, bool fill, drx_array **out);

/* A chunk of about 1 MiB shaped to the bounds. */
void drxi_choose_chunk(int ndim, const int64_t shape[], size_t item_bytes, int64_t chunk[]);

/* ---- recover.c, outside.c ---- */

/* Mend what a crash has left; the caller holds the lock of a change. */
drx_status drxi_recover(drx_array *a, enum drxi_tail tail);

/* Put all cells of chunks that lie outside the bounds back to fill, durably; *changed tells whether one did not hold
 * it. */
drx_status drxi_restore_outside(drx_array *a, bool *changed);
/* The same of cells that are about to be uncovered, up to the bound of `axis`, and that were there at the open. */
drx_status drxi_clear_residue(drx_array *a, int axis, int64_t bound);
/* Put the cells that a growth was to uncover back to fill, the data file back to its length, and make that durable. */
drx_status drxi_undo_append(drx_array *a, const struct drxi_growth *growth);
/* The box of indices from the bound of `axis` to `end`, inside the other bounds; false when it is empty. */
bool drxi_slab_to(const drx_array *a, int axis, int64_t end, int64_t lo[], int64_t count[]);

/* ---- sync.c ---- */

/* What this handle has written of the data is durable. */
DRXI_SHARED drx_status drxi_sync_data(drx_array *a);
/* All that drx_sync does but compacting. */
drx_status drxi_sync_files(drx_array *a);
/* Sync and compact the log if it is long and mostly obsolete. A failure is an error only when it breaks the log. */
drx_status drxi_compact_at_open(drx_array *a);

/* ---- change.c ---- */

/* Every public call that changes the log stands between these two, which shut and open the gate. After `begin` the state
 * is all that was committed until now; DRX_EINVAL for no array; DRX_EBUSY, DRX_EMISMATCH, DRX_EDAMAGED: the log cannot be
 * changed. `end` follows in any case, and returns `st`. */
drx_status drxi_begin_change(drx_array *a);
drx_status drxi_end_change(drx_array *a, drx_status st);
/* The same with the gate shut already. */
drx_status drxi_begin_log_change(drx_array *a);
void drxi_end_log_change(drx_array *a);
/* A handle that has the array alone checks that nobody else wrote to the log. DRX_EBUSY: the locks of the file system
 * do not work. */
DRXI_SHARED drx_status drxi_check_log(drx_array *a);
/* Take the lock of a change; wait while another process that has it makes progress. */
drx_status drxi_lock_log(drx_array *a);
/* DRX_EMISMATCH, for a handle whose path names another file now; breaks the log. */
drx_status drxi_lost_name(drx_array *a);

/* ---- grow.c ---- */

/* A growth in steps, with the gate shut: prepared (finds all errors, reserves memory, and fills *step), then done. An
 * append is begun, its slab written, and committed. */
DRXI_SHARED drx_status drxi_prepare_growth(drx_array *a, int axis, int64_t by, struct drxi_step *step);
DRXI_SHARED drx_status drxi_extend(drx_array *a, const struct drxi_step *step);
DRXI_SHARED drx_status drxi_begin_append(drx_array *a, const struct drxi_step *step);
DRXI_SHARED drx_status drxi_commit_append(drx_array *a, const struct drxi_step *step);
/* Undo what was begun; keep the detail of the failure `st`, and return it. */
DRXI_SHARED drx_status drxi_fail_append(drx_array *a, const struct drxi_step *step, drx_status st);

/* ---- attr.c ---- */

/* Name an axis; name NULL or empty: remove its name. */
drx_status drxi_name_axis(drx_array *a, int axis, const char *name);

/* ---- async.c ---- */

/* What drx_test and drx_wait call; wait frees the request. */
struct drxi_request_ops {
    drx_status (*test)(drx_request *req, int *done);
    drx_status (*wait)(drx_request *req);
};
struct drx_request {
    const struct drxi_request_ops *ops;
};

DRXI_SHARED void drxi_finish_requests(drx_array *a); /* those that nobody waited for */

static inline bool drxi_has_pending(const drx_array *a)
{
    return atomic_load_explicit(&a->requests.first, memory_order_acquire) != NULL;
}
/* A call that touches elements calls this before it enters the gate: wait for the requests that began before `p` and
 * touch an element of its box, unless both read. DRX_EBUSY: a collective one does, and `p` is not collective. It costs
 * a load when nothing is pending. */
DRXI_SHARED drx_status drxi_wait_turn_slowly(drx_array *a, const struct drxi_pending *p);
static inline drx_status drxi_wait_turn(drx_array *a, const struct drxi_pending *p)
{
    return drxi_has_pending(a) && p->lo && p->count ? drxi_wait_turn_slowly(a, p) : DRX_OK;
}
/* The same before a growth of `axis`, for requests that reach beyond the bound, and before a call that touches all elements. */
DRXI_SHARED drx_status drxi_wait_to_grow(drx_array *a, int axis);
DRXI_SHARED drx_status drxi_wait_for_all(drx_array *a, bool writing, bool collective);

/* A collective request, whose turn has come, is in the list between these two. The caller keeps the order among
 * collective ones. */
DRXI_SHARED void drxi_pending_begin(drx_array *a, struct drxi_pending *p);
DRXI_SHARED void drxi_pending_end(drx_array *a, struct drxi_pending *p);

/* ---- access.c ---- */

/* drx_read_box and drx_write_box without waiting for their turn. */
drx_status drxi_read_now(drx_array *a, const drx_box *box, void *buf);
drx_status drxi_write_now(drx_array *a, const drx_box *box, const void *buf);

/* Check a box against the bounds, and that there is a buffer unless it is empty; *stride_bytes are its strides in
 * memory. */
DRXI_SHARED drx_status drxi_check_box(const drx_array *a, const int64_t shape[], const drx_box *box, const void *buf,
                                      bool *empty, int64_t stride_bytes[]);

#endif
