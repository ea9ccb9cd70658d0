/* A move transfers the box of each rank between memory and the file, in steps (move.c). A request is a move whose
 * caller did not wait for it (mp_request.c). order.c says which move waits for which. */
#pragma once

#include "box/packed.h"
#include "mp/mp.h"

/* ---- selection.c: What a rank takes of an array: a set of indices along each axis, and their places in its memory. */

/* Indices index + i * step, 0 <= i < count. In memory they are the local indices local + i * local_step. */
struct drxi_run {
    int64_t index, step, count, local, local_step;
};

struct drxi_axis_set {
    enum { DRXI_RANGE, DRXI_BLOCKS, DRXI_RUNS } kind;
    int64_t start, step, n, local; /* RANGE: start + i * step, 0 <= i < n, at local + i */
    int64_t block, end;            /* BLOCKS: start <= index < end, (index - start) mod step < block, at 0, 1, ... */
    const struct drxi_run *runs;   /* RUNS: n of them, ascending, without overlap */
};

void drxi_axis_range(struct drxi_axis_set *s, int64_t start, int64_t step, int64_t count, int64_t local);
void drxi_axis_blocks(struct drxi_axis_set *s, int64_t start, int64_t block, int64_t period, int64_t end);
void drxi_axis_runs(struct drxi_axis_set *s, const struct drxi_run runs[], int64_t n);

/* Get the first run of the set with from <= index < to; false when there is none. */
bool drxi_axis_next(const struct drxi_axis_set *s, int64_t from, int64_t to, struct drxi_run *run);
/* The same, faster where `from` increases little from call to call. *place keeps the position; 0 at first. */
bool drxi_axis_next_after(const struct drxi_axis_set *s, int64_t from, int64_t to, struct drxi_run *run,
                          int64_t *place);
/* Count the indices with from <= index < to. Takes time linear in the runs. */
int64_t drxi_axis_count(const struct drxi_axis_set *s, int64_t from, int64_t to);
/* Get the first and the last index of the set; false when it is empty. */
bool drxi_axis_bounds(const struct drxi_axis_set *s, int64_t *first, int64_t *last);

/* ---- block.c: A block is a part of a chunk that is contiguous in the file and small enough to hold in memory. These
 * functions cut chunks into blocks, and copy what a rank takes of one. */

/* How chunks are cut: count[j] blocks along axis j, of extent[j] indices each. */
struct drxi_cut {
    const drx_array *a;
    int64_t extent[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    int64_t bytes; /* of a block */
};
void drxi_cut_chunks(struct drxi_cut *cut, const drx_array *a);

struct drxi_block {
    int64_t offset;                             /* bytes, in the file */
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM]; /* indices of the array */
};
/* Get block number `which` of the chunk, in the order of the file. */
void drxi_cut_block(const struct drxi_cut *cut, int64_t address, const int64_t chunk_index[], int64_t which,
                    struct drxi_block *block);
int64_t drxi_cut_blocks(const struct drxi_cut *cut); /* of a chunk */

/* The number of elements of the block that the sets, one for each axis, have. */
int64_t drxi_block_count(const struct drxi_block *block, int ndim, const struct drxi_axis_set sets[]);

/* Where those elements are: PACKED in row-major order, in the MEMORY of the rank that takes them, or in an IMAGE of the
 * block's bytes in the file. */
struct drxi_place {
    enum { DRXI_PACKED, DRXI_MEMORY, DRXI_IMAGE } kind;
    uint8_t *base;
    const int64_t *stride_bytes; /* MEMORY: of a local index */
};
void drxi_block_copy(const struct drxi_cut *cut, const struct drxi_block *block, const struct drxi_axis_set sets[],
                     struct drxi_place to, struct drxi_place from);
/* Set the bytes of those elements to 1 in `marks`, which has a byte for each element of the block's image. */
void drxi_block_mark(const struct drxi_cut *cut, const struct drxi_block *block, const struct drxi_axis_set sets[],
                     uint8_t marks[]);

/* ---- exchange.c: Reading and writing chunks that several ranks take part in, and doing I/O for ranks that do none
 * themselves. */

struct drxi_exchange;

struct drxi_part_of_all {
    MPI_Comm comm; /* for the pieces */
    bool writing;
    bool plain; /* this rank takes a box, and moves it by itself except for drxi_exchange_chunks */
    const struct drxi_axis_set *sets; /* [ranks][ndim], what each rank takes; an empty set: nothing */
    uint8_t *mem;                     /* local index 0 on all axes */
    const int64_t *stride_bytes;      /* of a local index */
};

/* ---- chunks.c: the chunks that a rank takes part in ---- */

/* The smallest box of chunks first <= i < end with all that the sets, one for each axis, have; false when that is
 * nothing. */
bool drxi_chunks_hull(const drx_array *a, const struct drxi_axis_set sets[], int64_t first[], int64_t end[]);
/* Visit those of the chunks in first <= i < end that have something of the sets. */
void drxi_chunks_start(struct drxi_cursor *c, const drx_array *a, const struct drxi_axis_set sets[],
                       const int64_t first[], const int64_t end[]);
/* Whether each rank does its own I/O; otherwise some do it for all. */
static inline bool drxi_all_do_io(const drxmp_array *m)
{
    return !m->home && m->settings.io_ranks == m->ranks;
}

/* The rank that is number `which` of those that do I/O. */
static inline int drxi_io_rank(const drxmp_array *m, int64_t which)
{
    return (int)(which * m->ranks / m->settings.io_ranks);
}

/* ---- packed.c ---- */

/* Write to a compressed array; `st` is this rank's so far, and a failure of one ends it on all. Collective. */
drx_status drxi_packed_write_all(drxmp_array *m, const struct drxi_part_of_all *part, drx_status st);

/* ---- close_passed.c ---- */

/* Close the chunks of a compressed array that `what` gives the closer: the same on all ranks. Collective. */
drx_status drxi_packed_close(drxmp_array *m, drxi_close_what *what, const void *arg);

/* ---- exchange.c ---- */

/* Plan an exchange and allocate all of its memory. Local. */
drx_status drxi_exchange_new(drxmp_array *m, const struct drxi_part_of_all *part, struct drxi_exchange **out);

/* Continue until the exchange is done; without `wait`, stop where it would wait. Returns whether it is done. After a
 * failure the exchange continues, because other ranks wait for this one. */
bool drxi_exchange_step(struct drxi_exchange *ex, bool wait);

/* After the exchange: its status, and the addresses of the chunks of a plain part that it has moved. */
drx_status drxi_exchange_status(const struct drxi_exchange *ex);
const int64_t *drxi_exchange_chunks(const struct drxi_exchange *ex, int64_t *n);
void drxi_exchange_free(struct drxi_exchange *ex); /* NULL is fine */

/* ---- round.c: Chunks of a compressed array, some at a time, that many ranks compress. Each rank that does I/O owns as
 * many of them as the others. When they are compressed, all tell each other the lengths of the payloads, so every rank
 * computes the places of all of them, one behind another in the order of the chunks. Then the owners write theirs.
 *
 * Invariants
 *   1. At the start all agree on where the payloads end, where open ones have left their places, the epoch (rank 0
 *      knows it), and how many chunks are open, whatever ranks have written by themselves. From then on all count
 *      alike.
 *   2. A rank that has failed goes on up to where lengths are told. There all learn of it, and write no more. */

struct drxi_round {
    drxmp_array *m;
    MPI_Comm comm;
    drx_status st;       /* of this rank */
    int64_t slots;       /* chunks that a rank owns, at most */
    int64_t n, each;     /* the chunks; those of an owner, at most */
    int64_t first, mine; /* those that this rank owns */
    int64_t promised;    /* the epoch of the last SYNC */
    int64_t closed;      /* chunks that were open, and that other ranks have closed */
    int64_t *told;       /* slots + 1 numbers of each rank */
};

static inline void drxi_round_note(struct drxi_round *r, drx_status st)
{
    if (!r->st)
        r->st = st;
}

/* Choose the number of slots for chunks, of which an owner has `copies` in memory, and allocate; r->st says whether
 * that succeeded. Local. */
void drxi_round_new(struct drxi_round *r, drxmp_array *m, MPI_Comm comm, int copies);
/* After the ranks have agreed: rank 0's state for all. Collective. */
void drxi_round_start(struct drxi_round *r);
/* Deal n chunks out: at most drxi_round_most. */
int64_t drxi_round_most(const struct drxi_round *r);
void drxi_round_deal(struct drxi_round *r, int64_t n);
int drxi_round_owner(const struct drxi_round *r, int64_t i);

/* The chunks that this rank owns get the places of their payloads. False on all ranks when one has failed.
 * Collective. */
bool drxi_round_place(struct drxi_round *r, struct drxi_packed_chunk c[]);

/* The status of all ranks. Frees what the round holds. Collective. */
drx_status drxi_round_end(struct drxi_round *r);

/* ---- mpi_file.c: Files through MPI-IO. */

/* Make a file that reads and writes the bytes of `own` through MPI_COMM_SELF. It owns `own` from then on, and closes
 * it. Only threads that may call MPI use it. Local. Errors: DRX_EMISMATCH when the path names another file now. */
drx_status drxi_mpi_io_open(drxi_io *own, bool writable, const char hints[], drxi_io **out);
drxi_io *drxi_mpi_io_own(drxi_io *io);
/* It owns `own` no more, and may only be closed. */
void drxi_mpi_io_let_go(drxi_io *io);

/* Open an existing file on all ranks of comm. After an error *file may still be open; it is MPI_FILE_NULL when it is
 * not. Collective: each rank makes the MPI call, also one that has failed. */
drx_status drxi_mpi_open(MPI_Comm comm, const char *path, bool writable, const char hints[], MPI_File *file);
/* Set in `to` what MPI says of an open file. */
drx_status drxi_mpi_tell(MPI_File file, MPI_Info to);

/* The status for the error code of an MPI_File call. */
drx_status drxi_mpi_file(int code, const char *path, const char *what);
/* The bytes that a call has moved. */
int drxi_mpi_moved(const MPI_Status *status);
/* The reason why a write in that range fell short. MPI may not tell, so this asks the file system for room. */
drx_status drxi_mpi_write_failed(drxi_io *io, int code, int64_t begin, int64_t end);

struct drxi_move {
    drx_request request;    /* first */
    struct drxi_move *next; /* the request that began after it */
    drxmp_array *m;
    MPI_Comm comm;
    struct drxi_pending told;             /* shows the request to other calls on this handle while it is pending */
    bool writing, empty, blocking, plain; /* plain: this rank takes a box */
    bool shared;                          /* it gathers or exchanges: other ranks may move this rank's elements */
    bool known;                           /* all ranks know the sets from the start */
    bool by_rounds;                       /* a write that ranks share chunk by chunk: packed.c */
    bool verified;                        /* also the chunks that ranks share */
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], step[DRX_MAX_NDIM], stride_bytes[DRX_MAX_NDIM];
    uint8_t *mem;
    struct drxi_call call;

    enum { DRXI_BEGIN, DRXI_GATHER, DRXI_PLAN, DRXI_EXCHANGE, DRXI_STRAIGHT, DRXI_AGREE, DRXI_OVER } state;
    bool begun; /* the communication or the errand of this state */
    MPI_Request pending;
    int64_t *wire;
    struct drxi_axis_set *sets; /* wire and sets are the array's, the caller's, or `taken` */
    void *taken[3];
    atomic_int *uses; /* of the memory that it moves; or NULL */
    struct drxi_exchange *exchange;
    struct drxi_errand errand; /* the direct part */
    int64_t low[3];
    drx_status st;
    char *detail;
};

/* ---- chunks.c ---- */

/* Verify chunks that ranks have read together, each a part: a rank that has read of one reads all of it again. All know
 * the sets. Local. */
drx_status drxi_chunks_verify(const struct drxi_move *mv);

/* ---- order.c ---- */

/* Whether y must wait for the older move x on this rank. Not both are shared. */
bool drxi_moves_conflict(const struct drxi_move *x, const struct drxi_move *y);
bool drxi_move_is_held(const struct drxi_move *mv); /* an older request conflicts with it */

/* ---- move.c ---- */

/* Set up the move of this rank's box. `box` is NULL when it moves nothing; `st` is the reason, if that is an error. */
void drxi_move_set_up(struct drxi_move *mv, drxmp_array *m, bool writing, const struct drxi_call *call, drx_status st,
                      const struct drxi_box *box, void *mem);
/* The same of sets that all ranks know. */
void drxi_move_set_up_known(struct drxi_move *mv, drxmp_array *m, bool writing, const struct drxi_call *call,
                            const struct drxi_moved *moved);
/* The least box that has all that this rank moves; false: it moves nothing. */
bool drxi_move_hull(const struct drxi_move *mv, int64_t lo[], int64_t count[]);
/* Set this rank's entries of mv->sets, before a gather sets those of all ranks. */
void drxi_move_tell_mine(struct drxi_move *mv);
int drxi_move_wire_width(const struct drxi_move *mv); /* numbers that a rank sends in a gather */
/* Advance the move to the state `until`; false when it would have to wait. */
bool drxi_move_advance(struct drxi_move *mv, bool wait, int until);
/* Advance the requests, oldest first, up to `last`; NULL: all. Returns whether these are over. */
bool drxi_moves_advance(drxmp_array *m, struct drxi_move *last, bool wait);
void drxi_move_release(struct drxi_move *mv); /* frees what it holds, but not `mv` */
