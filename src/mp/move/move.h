/* A move between memory and the file: the box of each rank, in steps (move.c). A request is a move that its caller did
 * not wait for (mp_request.c). order.c says which move waits for which. */
#ifndef DRXI_MOVE_H
#define DRXI_MOVE_H

#include "base/work.h"
#include "mp/move/exchange.h"

struct drxi_move {
    drx_request request;    /* first */
    struct drxi_move *next; /* request that began after it */
    drxmp_array *m;
    MPI_Comm comm;
    struct drxi_pending told;             /* to others on this handle, until the caller knows that it is over */
    bool writing, empty, blocking, plain; /* plain: this rank takes a box */
    bool shared;                          /* with gather or exchange: other ranks take part in what this one moves */
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], step[DRX_MAX_NDIM], stride_bytes[DRX_MAX_NDIM];
    uint8_t *mem;
    struct drxi_call call;

    enum { DRXI_BEGIN, DRXI_GATHER, DRXI_PLAN, DRXI_EXCHANGE, DRXI_DIRECT, DRXI_AGREE, DRXI_OVER } state;
    bool begun; /* the communication or the helper of the state */
    MPI_Request pending;
    int64_t *wire;
    struct drxi_axis_set *sets; /* both: the array's own, or `taken` */
    void *taken[2];
    struct drxi_exchange *exchange;
    struct drxi_work work;
    atomic_bool worked;
    int64_t low[3];
    drx_status st;
    char *detail;
};

/* ---- order.c ---- */

/* The older move x has to go on before y may begin on this rank. Not both are shared. */
bool drxi_moves_conflict(const struct drxi_move *x, const struct drxi_move *y);
bool drxi_move_is_held(const struct drxi_move *mv); /* an older request conflicts with it */

/* ---- move.c ---- */

/* Set up the move of this rank's box; NULL: it takes none, and `st` may say why. */
void drxi_move_set_up(struct drxi_move *mv, drxmp_array *m, bool writing, const struct drxi_call *call, drx_status st,
                      const struct drxi_box *box, void *mem);
/* What this rank takes; a gather tells the same, and what the others take. */
void drxi_move_tell_mine(struct drxi_move *mv);
int drxi_move_wire_width(const struct drxi_move *mv); /* numbers that a rank tells in a gather */
/* Go on until it is in that state; false: something is waited for. */
bool drxi_move_advance(struct drxi_move *mv, bool wait, int until);
/* The oldest requests go on, up to `last`, or all; true: these are over. */
bool drxi_moves_advance(drxmp_array *m, struct drxi_move *last, bool wait);
void drxi_move_release(struct drxi_move *mv); /* what it holds */

#endif
