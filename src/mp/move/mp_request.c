/* Requests: moves that a caller polls, or waits for later. */
#include "mp/move/move.h"

/* The request is no longer pending: the caller learns that it is over. */
static void tell(struct drxi_move *mv)
{
    if (mv->told.lo)
        drxi_pending_end(mv->m->a, &mv->told);
    mv->told.lo = NULL;
}

static drx_status test(drx_request *request, int *done)
{
    struct drxi_move *mv = (struct drxi_move *)request;

    *done = mv->state == DRXI_OVER || drxi_moves_advance(mv->m, mv, false);
    if (*done)
        tell(mv);
    return DRX_OK;
}

static drx_status wait(drx_request *request)
{
    struct drxi_move *mv = (struct drxi_move *)request;
    drx_status st;

    (void)drxi_moves_advance(mv->m, mv, true);
    tell(mv);
    mv->m->pending--;
    st = mv->st;
    drxi_move_release(mv);
    drxi_free(mv);
    return st;
}

static const struct drxi_request_ops ops = { test, wait };

static void begin_request(struct drxi_move *mv)
{
    drxmp_array *m = mv->m;
    struct drxi_move **link = &m->requests;

    while (*link)
        link = &(*link)->next;
    *link = mv;
    m->pending++;
    drxi_move_tell_mine(mv);
    mv->told = (struct drxi_pending){ .writing = mv->writing, .lo = mv->lo, .count = mv->count, .step = mv->step };
    if (mv->empty)
        mv->told.lo = NULL;
    else
        drxi_pending_begin(m->a, &mv->told);
    (void)drxi_moves_advance(m, mv, false);
}

/* Without memory for a request, finish the older ones, then take part in this one and wait. It fails on all ranks, and
 * none of them is left waiting for this one. */
static drx_status take_part_without_memory(drxmp_array *m, bool writing, const struct drxi_call *call)
{
    struct drxi_move mv;

    drxi_finish_moves(m);
    drxi_move_set_up(&mv, m, writing, call, DRX_ENOMEM, NULL, NULL);
    mv.comm = m->request_comm;
    (void)drxi_move_advance(&mv, true, DRXI_OVER);
    drxi_move_release(&mv);
    return mv.st;
}

drx_status drxi_move_boxes_start(drxmp_array *m, bool writing, const struct drxi_call *call, drx_status st,
                                 const struct drxi_box *box, void *mem, drx_request **out)
{
    const size_t ranks = (size_t)m->ranks, ndim = (size_t)drx_ndim(m->a);
    struct drxi_move *mv = drxi_malloc(sizeof *mv);

    m->requested = true;
    if (!mv)
        return take_part_without_memory(m, writing, call);
    drxi_move_set_up(mv, m, writing, call, st, box, mem);
    mv->comm = m->request_comm;
    mv->request.ops = &ops;
    mv->taken[0] = mv->wire = drxi_malloc(ranks * (size_t)drxi_move_wire_width(mv) * sizeof *mv->wire);
    mv->taken[1] = mv->sets = drxi_malloc(ranks * ndim * sizeof *mv->sets);
    if (!mv->wire || !mv->sets) {
        drxi_move_release(mv);
        drxi_free(mv);
        return take_part_without_memory(m, writing, call);
    }
    begin_request(mv);
    *out = &mv->request;
    return DRX_OK;
}
