/* A move transfers the box of each rank between memory and the file, in steps (move.c). A request is a move whose
 * caller did not wait for it (mp_request.c). order.c says which move waits for which. */
#ifndef DRXI_MOVE_H
#define DRXI_MOVE_H

#include "mp/move/block.h"
#include "mp/move/exchange.h"

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

#endif
