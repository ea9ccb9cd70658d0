/* Arrays in the memory of a job: the chunks lie with all ranks, at the addresses that the map computes.
 *
 *   job_make.c     makes an array
 *   job_pieces.c   the memory: a file in memory on each node, which its ranks map, in pieces, and windows over them
 *   job_io.c       the table of file calls for that memory
 *   job_move.c     moves boxes between chunks and buffers: copies, or RMA
 *   job_access.c   one-sided access to boxes and elements
 *   job_export.c   the chunks that a rank holds, by the Distributed Array Protocol
 *
 * Invariants
 *   1. The chunk with the address q belongs to rank q mod ranks; it is number q / ranks of the chunks of this rank, in
 *      round q / ranks. So every rank computes where a chunk lies.
 *   2. All ranks have memory for the same rounds. It comes in pieces of doubling size, so there are few, and no byte
 *      ever moves. What no chunk has used is zero, and takes no memory.
 *   3. The ranks of a node share a file in memory. In a round, their chunks lie side by side in the order of the ranks.
 *      On a single node the file is therefore that of an array on disk.
 *   4. Nobody writes a log. Each rank makes every change of the state by itself, from equal arguments.
 *   5. One-sided requests go on only where a chunk is on another node, and there everything of this rank goes through
 *      the calls of this room, which complete those that it must not overtake. A collective call completes all. */
#pragma once

#include "mp/onesided/onesided.h"

enum { DRXI_JOB_PIECES = 48, DRXI_JOB_BLOCK_BYTES = 1 << 18 };

/* A rank on its node. */
struct drxi_seat {
    int32_t ranks, rank; /* of the node, and its number among them */
    bool near;           /* it is on the node of this rank */
};

/* Rounds 0 to 2^shift - 1, or from 2^(shift + k - 1) to twice that. */
struct drxi_job_piece {
    struct drxi_mapping here; /* of this node */
    int64_t bytes;            /* of it */
    atomic_uchar *touched;    /* blocks of it that this rank has in memory */
    MPI_Win win;              /* MPI_WIN_NULL on a single node */
};

struct drxi_job {
    drxi_io io; /* first: the way of the array's data */
    MPI_Comm comm;
    int rank, ranks;
    const drx_array *a; /* whose data these are */
    drx_type type;
    int64_t item_bytes, pitch_bytes, buffer_bytes;
    struct drxi_seat *seat; /* [ranks] */
    bool far;               /* some rank is on another node */
    drxi_io *file;          /* of this node */
    int shift, pieces;
    int64_t rounds; /* that there is memory for */
    struct drxi_job_piece piece[DRXI_JOB_PIECES];
    int64_t bytes;       /* of the chunks, as the root knows */
    int64_t counted;     /* of drxi_node_bytes, for this array */
    drxmp_darray *locks; /* whose sections lend their locks: the holder may add to the elements of that rank */
    atomic_int exports;  /* not released */
    struct drxi_outstanding outstanding;
};

/* Where a chunk lies: with a rank, this many bytes from the start of a piece of its node. */
struct drxi_job_place {
    int rank, piece;
    int64_t offset;
};

static inline int64_t drxi_job_first_round(const struct drxi_job *job, int piece)
{
    return piece == 0 ? 0 : INT64_C(1) << (job->shift + piece - 1);
}

static inline struct drxi_job_place drxi_job_find(const struct drxi_job *job, int64_t address)
{
    const int64_t round = address / job->ranks, high = round >> job->shift;
    const int rank = (int)(address - round * job->ranks), k = high ? 64 - __builtin_clzll((uint64_t)high) : 0;
    const struct drxi_seat *s = &job->seat[rank];
    const int64_t slot = (round - drxi_job_first_round(job, k)) * s->ranks + s->rank;

    return (struct drxi_job_place){ rank, k, slot * job->pitch_bytes };
}

/* ---- job_pieces.c ---- */

/* Find the nodes, and make an empty file in the memory of each. `keeper`: the caller's communicator, of the same ranks.
 * Collective. */
drx_status drxi_job_begin(struct drxi_job *job, MPI_Comm keeper);
/* Exclude other ranks that add to elements of `rank`, and see what they added. */
drx_status drxi_job_lock(const struct drxi_job *job, int rank);
drx_status drxi_job_unlock(const struct drxi_job *job, int rank);
/* Release windows and locks: collective. Then the rest: local. */
void drxi_job_leave(struct drxi_job *job);
void drxi_job_free(struct drxi_job *job);
/* Memory for this many chunks, which drxi_job_check has allowed. Collective. */
drx_status drxi_job_grow(drxmp_array *m, int64_t chunks);
/* Count again, in drxi_node_bytes, the chunks between the bounds and this many more. */
void drxi_job_count(struct drxi_job *job, int64_t more);
/* How far from its window's start a place on another node is. */
int64_t drxi_job_in_window(const struct drxi_job *job, const struct drxi_job_place *p);
/* How a place is reached. */
static inline void drxi_job_target(const struct drxi_job *job, const struct drxi_job_place *p, struct drxi_target *at)
{
    const struct drxi_job_piece *piece = &job->piece[p->piece];

    at->rank = p->rank;
    at->near = job->seat[p->rank].near ? piece->here.base + p->offset : NULL;
    if (at->near)
        return;
    at->win = piece->win;
    at->at = drxi_job_in_window(job, p);
}
/* Order this rank's loads and stores before the call, also in windows, before those after it. */
void drxi_job_fence(const struct drxi_job *job);

/* Before this rank loads or stores bytes of its node, from a place on: bring them into memory. DRX_ENOMEM. */
drx_status drxi_job_touch_slowly(const struct drxi_job *job, const struct drxi_job_place *p, int64_t bytes);
static inline bool drxi_job_touched(const struct drxi_job *job, const struct drxi_job_place *p, int64_t bytes)
{
    const atomic_uchar *touched = job->piece[p->piece].touched;
    const int64_t last = (p->offset + bytes - 1) / DRXI_JOB_BLOCK_BYTES;

    for (int64_t i = p->offset / DRXI_JOB_BLOCK_BYTES; i <= last; i++)
        if (!atomic_load_explicit(&touched[i], memory_order_relaxed))
            return false;
    return true;
}
static inline drx_status drxi_job_touch(const struct drxi_job *job, const struct drxi_job_place *p, int64_t bytes)
{
    return drxi_job_touched(job, p, bytes) ? DRX_OK : drxi_job_touch_slowly(job, p, bytes);
}
/* The other way to bytes of this node that the rank has not touched: by a call, which takes memory without making it
 * zero first, and needs no page of the rank's own. */
drx_status drxi_job_store(const struct drxi_job *job, const struct drxi_job_place *p, const void *from, int64_t bytes);

/* ---- job_io.c ---- */

extern const struct drxi_io_ops drxi_job_ops;

/* ---- job_move.c ---- */

/* Move a box, or add alpha times `buf` to it. It is checked, and the gate is entered. What needs RMA and is no addition
 * goes on in `begun`; NULL: nothing does. */
drx_status drxi_job_move(drxmp_array *m, enum drxi_access access, const void *alpha, const struct drxi_box *box,
                         void *buf, struct drxi_begun *begun);

/* ---- job_access.c ---- */

/* drxi_in_job.access */
drx_status drxi_job_access(drxmp_array *m, bool writing, const drx_box *box, void *buf);
/* DRX_EUNSUPPORTED: the array is in files, and `call` is not for those; DRX_EINVAL: there is none. */
drx_status drxi_job_check_there(const drxmp_array *m, const char *call);
