/* Requests: moves that a caller polls, or waits for later. */
#include "mp/move/move.h"

/* The request is no longer pending: the caller learns that it is over. */
static void wake_request(struct drxi_move *mv)
{
    if (mv->told.lo)
        drxi_pending_end(mv->m->a, &mv->told);
    mv->told.lo = NULL;
}

static drx_status test_mp_request(drx_request *request, int *done)
{
    struct drxi_move *mv = (struct drxi_move *)request;

    *done = mv->state == DRXI_OVER || drxi_moves_advance(mv->m, mv, false);
    if (*done)
        wake_request(mv);
    return DRX_OK;
}

static drx_status wait_mp_request(drx_request *request)
{
    struct drxi_move *mv = (struct drxi_move *)request;
    const drx_status flushed = drxi_flush_puts(mv->m, DRX_OK);
    drx_status st;

    (void)drxi_moves_advance(mv->m, mv, true);
    wake_request(mv);
    mv->m->pending--;
    if (mv->uses)
        (void)atomic_fetch_sub(mv->uses, 1);
    st = mv->st ? mv->st : flushed;
    drxi_move_release(mv);
    drxi_free(mv);
    return st;
}

static const struct drxi_request_ops ops = { test_mp_request, wait_mp_request };

static void give_request(struct drxi_move *mv, drx_request **out)
{
    mv->request.ops = &ops;
    mv->m->pending++;
    if (mv->uses)
        (void)atomic_fetch_add(mv->uses, 1);
    *out = &mv->request;
}

/* Show other calls on this handle what the request moves. Of sections that are no boxes, that is the box around. */
static void show(struct drxi_move *mv)
{
    mv->told = (struct drxi_pending){ .writing = mv->writing };
    if (mv->empty && (!mv->known || mv->st || !drxi_move_hull(mv, mv->lo, mv->count)))
        return;
    mv->told.lo = mv->lo;
    mv->told.count = mv->count;
    mv->told.step = mv->empty ? NULL : mv->step;
    drxi_pending_begin(mv->m->a, &mv->told);
}

static drx_status begin_request(struct drxi_move *mv, drx_request **out)
{
    drxmp_array *m = mv->m;
    struct drxi_move **link = &m->requests;

    give_request(mv, out);
    while (*link)
        link = &(*link)->next;
    *link = mv;
    show(mv);
    (void)drxi_moves_advance(m, mv, false);
    return DRX_OK;
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

/* A write to a compressed array is over when the call returns. To the other ranks, which may make another call by
 * mistake, it is a request. */
static drx_status write_now(struct drxi_move *mv, drx_request **out)
{
    drx_status st;

    drxi_finish_moves(mv->m);
    (void)drxi_move_advance(mv, true, DRXI_OVER);
    st = mv->st;
    if (!st) {
        give_request(mv, out);
        return DRX_OK;
    }
    drxi_move_release(mv);
    drxi_free(mv);
    return st;
}

drx_status drxi_move_boxes_start(drxmp_array *m, bool writing, const struct drxi_call *call, drx_status st,
                                 const struct drxi_box *box, void *mem, drx_request **out)
{
    const size_t ranks = (size_t)m->ranks, ndim = (size_t)drx_ndim(m->a);
    struct drxi_move *mv = drxi_malloc(sizeof *mv);

    drxi_job_complete(m);
    m->requested = true;
    if (!mv)
        return take_part_without_memory(m, writing, call);
    drxi_move_set_up(mv, m, writing, call, st, box, mem);
    mv->comm = m->request_comm;
    mv->taken[0] = mv->wire = drxi_malloc(ranks * (size_t)drxi_move_wire_width(mv) * sizeof *mv->wire);
    mv->taken[1] = mv->sets = drxi_malloc(ranks * ndim * sizeof *mv->sets);
    if (!mv->wire || !mv->sets) {
        drxi_move_release(mv);
        drxi_free(mv);
        return take_part_without_memory(m, writing, call);
    }
    drxi_move_tell_mine(mv);
    return mv->by_rounds ? write_now(mv, out) : begin_request(mv, out);
}

drx_status drxi_move_sets_start(drxmp_array *m, bool writing, const struct drxi_call *call,
                                const struct drxi_moved *moved, drx_request **out)
{
    struct drxi_move *mv = drxi_malloc(sizeof *mv);

    if (!mv) {
        drxi_free(moved->sets);
        drxi_free(moved->runs);
        return drxi_move_boxes_start(m, writing, call, DRX_ENOMEM, NULL, NULL, out);
    }
    drxi_move_set_up_known(mv, m, writing, call, moved);
    mv->uses = moved->uses;
    mv->taken[1] = moved->sets;
    mv->taken[2] = moved->runs;
    drxi_job_complete(m);
    m->requested = true;
    mv->comm = m->request_comm;
    return mv->by_rounds ? write_now(mv, out) : begin_request(mv, out);
}
