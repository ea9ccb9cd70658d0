/* Refreshing ghosts from their sources, and adding them to their sources. Each rank takes what it needs from its peers:
 * copies as they come, sums in the order of ranks, so that they are the same in every run. It loads from sections in
 * shared memory; other peers send pieces. Each such peer has a piece under way at any time, so nobody waits in a
 * circle. */
#include "copy/copy.h"
#include "mp/darray/ghosts.h"

enum { TAG = 3 };

/* One exchange: what lies at the peers of side `from` of each rank comes to side `to`. */
struct exchange {
    const struct drxi_ghosts *g;
    const drxmp_darray *mine, *theirs; /* where it comes to, and from */
    struct drxi_ghost_side *to, *from;
    MPI_Request *received, *sent; /* [to->n], [from->n] */
    bool add;
    drx_status st; /* the first failure, which does not cut it short, because others wait */
};

static void keep_code(struct exchange *x, int code)
{
    if (!x->st)
        x->st = drxi_mpi(code, "moving a piece");
}

static int peer_bytes(const struct exchange *x, const struct drxi_peer *peer)
{
    return (int)(drxi_term_elements(&peer->part) * (int64_t)x->mine->item_bytes);
}

static struct drxi_ghost_end in_section(const struct exchange *x, const drxmp_darray *d, int rank, int whose)
{
    struct drxi_ghost_end end = { .whose = whose, .base = rank == d->rank ? d->mem : d->reach[rank].mem };

    for (int i = 0; i < d->ndim; i++) {
        const int axis = drxi_term_axis(x->g, i);

        end.stride_bytes[i] = rank == d->rank ? d->stride_bytes[axis] : d->reach[rank].stride_bytes[axis];
    }
    return end;
}

static struct drxi_ghost_end in_slot(const struct drxi_peer *peer)
{
    return (struct drxi_ghost_end){ .whose = DRXI_IN_SLOT, .base = peer->slot };
}

static void send_next(struct exchange *x, int64_t i)
{
    struct drxi_peer *peer = &x->from->peer[i];
    const struct drxi_ghost_end mine = in_section(x, x->theirs, x->theirs->rank, DRXI_HERE), slot = in_slot(peer);

    x->sent[i] = MPI_REQUEST_NULL;
    if (!drxi_term_next(&peer->part))
        return;
    drxi_term_copy(&peer->part, x->mine->type, false, &slot, &mine);
    keep_code(x, MPI_Isend(peer->slot, peer_bytes(x, peer), MPI_BYTE, peer->rank, TAG, x->mine->comm, &x->sent[i]));
}

static void receive_next(struct exchange *x, int64_t i)
{
    struct drxi_peer *peer = &x->to->peer[i];

    x->received[i] = MPI_REQUEST_NULL;
    peer->arrived = false;
    if (drxi_term_next(&peer->part))
        keep_code(
            x, MPI_Irecv(peer->slot, peer_bytes(x, peer), MPI_BYTE, peer->rank, TAG, x->mine->comm, &x->received[i]));
    peer->over = x->received[i] == MPI_REQUEST_NULL;
}

static void start_messages(struct exchange *x, const struct drxi_ghost_side *side, MPI_Request requests[],
                           void (*next)(struct exchange *x, int64_t i))
{
    for (int64_t i = 0; i < side->n; i++) {
        struct drxi_peer *peer = &side->peer[i];

        drxi_term_start(&peer->part, peer->term, x->mine->ndim, x->g->piece);
        requests[i] = MPI_REQUEST_NULL;
        if (peer->slot)
            next(x, i);
    }
}

/* Take all from a peer whose section loads reach. */
static void take_near(const struct exchange *x, const struct drxi_peer *peer)
{
    const struct drxi_ghost_end mine = in_section(x, x->mine, x->mine->rank, DRXI_HERE);
    const struct drxi_ghost_end other = in_section(x, x->theirs, peer->rank, DRXI_THERE);
    const int64_t most = drxi_max(DRXI_PIECE_BYTES / (int64_t)x->mine->item_bytes, 1);

    for (int i = 0; i < peer->terms; i++) {
        struct drxi_term_part part;

        drxi_term_start(&part, &peer->term[i], x->mine->ndim, most);
        while (drxi_term_next(&part))
            drxi_term_copy(&part, x->mine->type, x->add, &mine, &other);
    }
}

/* Take what is there from a peer; false when a piece is still to come. */
static bool take_message(struct exchange *x, int64_t i)
{
    struct drxi_peer *peer = &x->to->peer[i];

    if (!peer->slot) {
        take_near(x, peer);
        return true;
    }
    if (peer->arrived) {
        const struct drxi_ghost_end mine = in_section(x, x->mine, x->mine->rank, DRXI_HERE), slot = in_slot(peer);

        if (!x->st)
            drxi_term_copy(&peer->part, x->mine->type, x->add, &mine, &slot);
        receive_next(x, i);
    }
    return peer->over;
}

drx_status drxi_ghosts_exchange(struct drxi_ghosts *g, int to, bool add)
{
    struct exchange x = { .g = g,
                          .mine = to == DRXI_GHOSTS ? g->to : g->from,
                          .theirs = to == DRXI_GHOSTS ? g->from : g->to,
                          .to = &g->side[to],
                          .from = &g->side[1 - to],
                          .received = g->requests,
                          .add = add };
    const int n = (int)(x.to->n + x.from->n);
    int64_t next = 0;

    x.sent = x.received + x.to->n;
    start_messages(&x, x.to, x.received, receive_next);
    start_messages(&x, x.from, x.sent, send_next);
    for (;;) {
        int i = MPI_UNDEFINED, code;

        while (next < x.to->n && take_message(&x, next))
            next++;
        code = MPI_Waitany(n, g->requests, &i, MPI_STATUS_IGNORE);
        keep_code(&x, code);
        if (i == MPI_UNDEFINED)
            return x.st;
        if (i >= x.to->n) {
            send_next(&x, i - x.to->n);
            continue;
        }
        x.to->peer[i].arrived = true;
        if (!add)
            (void)take_message(&x, i);
    }
}

/* The ranks agree once on the size of a piece, and whether there are ghosts at all. */
static drx_status agree_on_pieces(drxmp_darray *d)
{
    struct drxi_ghosts *g = d->ghosts;
    int64_t least[2] = { g->piece, -(g->side[DRXI_GHOSTS].n > 0) };
    drx_status st;

    if (g->agreed)
        return DRX_OK;
    st = drxi_mpi(MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT64_T, MPI_MIN, d->comm), "agreeing on pieces");
    if ((st = drxi_agree(d->comm, st, NULL)))
        return st;
    g->piece = least[0];
    g->any = least[1] < 0;
    g->agreed = true;
    return DRX_OK;
}

/* The first agreement, which orders what all ranks did before it. */
static drx_status begin_exchange(drxmp_darray *d, bool add, const struct drxi_call *call)
{
    drx_status st = add ? drxi_check_addable(d->type) : DRX_OK;

    if (!st)
        st = drxi_ghosts_plan(d);
    if (!st && (d->ghosts->side[DRXI_GHOSTS].n > 0 || (add && d->ghosts->side[DRXI_SOURCES].n > 0)))
        st = drxi_darray_check_writable(d);
    if (!st && (d->ghosts->side[DRXI_GHOSTS].n > 0 || d->ghosts->side[DRXI_SOURCES].n > 0))
        st = drxi_darray_check_idle(d, add);
    drxi_memory_fence(d);
    st = drxi_darray_begin(d, st, call);
    drxi_memory_fence(d);
    return st ? st : agree_on_pieces(d);
}

static drx_status settle_exchange(drxmp_darray *d, drx_status st)
{
    drxi_memory_fence(d);
    st = drxi_agree(d->comm, st, NULL);
    drxi_memory_fence(d);
    return st;
}

static drx_status sync(drxmp_darray *d, const char *name, bool add)
{
    struct drxi_call call;
    drx_status st;

    if (!d)
        return drxi_fail(DRX_EINVAL, "the darray is a null pointer");
    drxi_call_start(&call, name);
    drxi_call_int(&call, "the darray", d->id);
    st = begin_exchange(d, add, &call);
    if (st || !d->ghosts->any)
        return st;
    if (add && (st = settle_exchange(d, drxi_ghosts_exchange(d->ghosts, DRXI_SOURCES, true))))
        return st;
    return settle_exchange(d, drxi_ghosts_exchange(d->ghosts, DRXI_GHOSTS, false));
}

drx_status drxmp_darray_sync(drxmp_darray *d)
{
    return sync(d, "drxmp_darray_sync", false);
}

drx_status drxmp_darray_sync_add(drxmp_darray *d)
{
    return sync(d, "drxmp_darray_sync_add", true);
}
