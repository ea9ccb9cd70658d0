/* The plan of a darray's ghosts: which ranks have ghosts and sources in common with this one, and where. Finding that
 * takes longer than moving the elements, so the darray keeps the plan, with its buffers. */
#include "mp/darray/ghosts.h"

enum { PIECE_BYTES = 1 << 20 }; /* larger pieces do not stay in the caches */

static int64_t my_place(const drxmp_darray *d, int axis)
{
    return drxi_grid_rank(d, d->rank, axis);
}

/* ---- along an axis ---------------------------------------------------------------------------- */

/* The pairs that this grid rank has with grid rank k, on one side. */
static drx_status find_pairs(const drxmp_darray *d, int axis, int side, int64_t k, enum drxi_turns turns,
                             struct drxi_pairs *pairs)
{
    const int64_t mine = my_place(d, axis);
    const bool ghosts = side == DRXI_GHOSTS;

    return drxi_pairs_find(d, axis, ghosts ? mine : k, ghosts ? k : mine, turns, ghosts, pairs);
}

static drx_status find_others(const drxmp_darray *d, int axis, struct drxi_ghost_axis *x)
{
    const int64_t grid = d->axis[axis].grid;
    drx_status st = DRX_OK;

    for (int side = 0; !st && side < DRXI_GHOST_SIDES; side++) {
        x->pairs[side] = drxi_calloc((size_t)grid, sizeof *x->pairs[side]);
        if (!x->pairs[side])
            return drxi_fail(DRX_ENOMEM, "out of memory for the ghosts of %lld ranks", (long long)grid);
        for (int64_t k = 0; !st && k < grid; k++)
            if (k != my_place(d, axis))
                st = find_pairs(d, axis, side, k, DRXI_ALL_TURNS, &x->pairs[side][k]);
        if (!st)
            st = find_pairs(d, axis, side, my_place(d, axis), DRXI_TURNED, &x->turned[side]);
    }
    return st;
}

/* What this rank has of its own is long, and needed only for ghosts along other axes. */
static drx_status find_own(const drxmp_darray *d, int axis, struct drxi_ghost_axis *x)
{
    const int64_t mine = my_place(d, axis);
    drx_status st = find_pairs(d, axis, DRXI_GHOSTS, mine, DRXI_INNER, &x->same);

    for (int side = 0; !st && side < DRXI_GHOST_SIDES; side++)
        st = find_pairs(d, axis, side, mine, DRXI_ALL_TURNS, &x->pairs[side][mine]);
    return st;
}

static bool has_some(const drxmp_darray *d, int axis)
{
    const struct drxi_ghost_axis *x = &d->ghosts->axis[axis];
    bool some = false;

    for (int side = 0; side < DRXI_GHOST_SIDES; side++) {
        some = some || x->turned[side].n > 0;
        for (int64_t k = 0; k < d->axis[axis].grid; k++)
            some = some || (k != my_place(d, axis) && x->pairs[side][k].n > 0);
    }
    return some;
}

static drx_status find_axes(drxmp_darray *d)
{
    int with = 0; /* axes with ghosts */
    drx_status st = DRX_OK;

    for (int j = 0; !st && j < d->ndim; j++) {
        st = find_others(d, j, &d->ghosts->axis[j]);
        with += !st && has_some(d, j);
    }
    for (int j = 0; !st && j < d->ndim; j++)
        if (with - has_some(d, j) > 0)
            st = find_own(d, j, &d->ghosts->axis[j]);
    return st;
}

/* ---- the ranks ------------------------------------------------------------------------------------ */

/* Make a term, unless it is empty. Returns its elements. `term` NULL: only count them. */
static int64_t set_term(const drxmp_darray *d, const struct drxi_pairs *const by_axis[], struct drxi_term *term)
{
    int64_t n = 1;

    for (int j = 0; j < d->ndim; j++)
        n *= by_axis[j]->n;
    for (int i = 0; term && n > 0 && i < d->ndim; i++)
        term->pairs[i] = by_axis[drxi_term_axis(d, i)];
    return n;
}

/* The terms with the rank at these grid coordinates. This rank itself has one for each axis along which it repeats
 * elements: they turn along that axis, do not along the axes before it, and may along those after it. */
static void set_peer(const drxmp_darray *d, int side, const int64_t at[], struct drxi_peer *peer,
                     struct drxi_term *room)
{
    const struct drxi_ghost_axis *x = d->ghosts->axis;
    const struct drxi_pairs *by_axis[DRX_MAX_NDIM];
    int rank = 0;

    for (int j = 0; j < d->ndim; j++) {
        rank += (int)(at[j] * d->axis[j].behind);
        by_axis[j] = &x[j].pairs[side][at[j]];
    }
    *peer = (struct drxi_peer){ .rank = rank, .term = room };
    if (rank != d->rank) {
        peer->elements = set_term(d, by_axis, room);
        peer->terms = peer->elements > 0;
        return;
    }
    for (int turned = 0; turned < d->ndim; turned++) {
        int64_t n;

        by_axis[turned] = &x[turned].turned[side];
        n = set_term(d, by_axis, room ? room + peer->terms : NULL);
        peer->elements += n;
        peer->terms += n > 0;
        by_axis[turned] = &x[turned].same;
    }
}

/* The first place from k on, along an axis, that has pairs, or is this rank's; the grid's extent when there is none. */
static int64_t find_place(const drxmp_darray *d, int side, int axis, int64_t k)
{
    const struct drxi_pairs *pairs = d->ghosts->axis[axis].pairs[side];

    while (k < d->axis[axis].grid && k != my_place(d, axis) && pairs[k].n == 0)
        k++;
    return k;
}

/* Go to the next grid coordinates, in the order of ranks; false at the end. */
static bool next_place(const drxmp_darray *d, int side, int64_t at[])
{
    for (int j = d->ndim - 1; j >= 0; j--) {
        at[j] = find_place(d, side, j, at[j] + 1);
        if (at[j] < d->axis[j].grid)
            return true;
        at[j] = find_place(d, side, j, 0);
    }
    return false;
}

/* Fill a side with peers, or, without room for them, count them and their terms. */
static int64_t find_peers(const drxmp_darray *d, int side, struct drxi_ghost_side *s)
{
    int64_t at[DRX_MAX_NDIM], terms = 0;

    s->n = 0;
    for (int j = 0; j < d->ndim; j++)
        at[j] = find_place(d, side, j, 0);
    do {
        struct drxi_peer peer;

        set_peer(d, side, at, &peer, s->terms ? s->terms + terms : NULL);
        if (peer.terms > 0 && s->peer)
            s->peer[s->n] = peer;
        s->n += peer.terms > 0;
        terms += peer.terms;
    } while (next_place(d, side, at));
    return terms;
}

static drx_status make_side(drxmp_darray *d, int side)
{
    struct drxi_ghost_side *s = &d->ghosts->side[side];
    const int64_t terms = find_peers(d, side, s), n = s->n;

    if (n > 0) {
        s->peer = drxi_malloc((size_t)n * sizeof *s->peer);
        s->terms = drxi_malloc((size_t)(terms + d->ndim) * sizeof *s->terms);
        if (!s->peer || !s->terms)
            return drxi_fail(DRX_ENOMEM, "out of memory for the %lld ranks that share elements", (long long)n);
        (void)find_peers(d, side, s);
    }
    return DRX_OK;
}

/* ---- buffers ------------------------------------------------------------------------------------------- */

static bool is_far(const drxmp_darray *d, const struct drxi_peer *peer)
{
    return peer->rank != d->rank && !d->reach[peer->rank].mem;
}

static int64_t count_far(const drxmp_darray *d, const struct drxi_ghost_side *s)
{
    int64_t n = 0;

    for (int64_t i = 0; i < s->n; i++)
        n += is_far(d, &s->peer[i]);
    return n;
}

/* A piece of each rank on a side must fit into half the buffer. */
static void set_piece(drxmp_darray *d)
{
    struct drxi_ghosts *g = d->ghosts;
    const int64_t far = drxi_max(count_far(d, &g->side[DRXI_GHOSTS]), count_far(d, &g->side[DRXI_SOURCES]));
    const int64_t bytes = drxi_min(d->buffer_bytes / 2 / drxi_max(far, 1), PIECE_BYTES);

    g->piece = drxi_max(bytes / (int64_t)d->item_bytes, 1);
}

static drx_status make_slots(drxmp_darray *d, struct drxi_ghost_side *s)
{
    const struct drxi_ghosts *g = d->ghosts;
    int64_t n = 0;

    for (int64_t i = 0; i < s->n; i++)
        n += is_far(d, &s->peer[i]) ? drxi_min(s->peer[i].elements, g->piece) : 0;
    if (n == 0)
        return DRX_OK;
    s->slots = drxi_malloc((size_t)n * d->item_bytes);
    if (!s->slots)
        return drxi_fail(DRX_ENOMEM, "out of memory for pieces of %lld elements", (long long)n);
    n = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (is_far(d, &s->peer[i])) {
            s->peer[i].slot = s->slots + (size_t)n * d->item_bytes;
            n += drxi_min(s->peer[i].elements, g->piece);
        }
    return DRX_OK;
}

static drx_status make_buffers(drxmp_darray *d)
{
    struct drxi_ghosts *g = d->ghosts;
    const int64_t n = g->side[DRXI_GHOSTS].n + g->side[DRXI_SOURCES].n;
    drx_status st;

    set_piece(d);
    g->requests = drxi_malloc((size_t)n * sizeof(MPI_Request));
    if (!g->requests)
        return drxi_fail(DRX_ENOMEM, "out of memory for messages with %lld ranks", (long long)n);
    st = make_slots(d, &g->side[DRXI_GHOSTS]);
    return st ? st : make_slots(d, &g->side[DRXI_SOURCES]);
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

drx_status drxi_ghosts_plan(drxmp_darray *d)
{
    drx_status st;

    if (d->ghosts)
        return DRX_OK;
    d->ghosts = drxi_calloc(1, sizeof *d->ghosts);
    if (!d->ghosts)
        return drxi_fail(DRX_ENOMEM, "out of memory for the plan of ghosts");
    st = find_axes(d);
    for (int side = 0; !st && side < DRXI_GHOST_SIDES; side++)
        st = make_side(d, side);
    if (!st)
        st = make_buffers(d);
    if (st)
        drxi_ghosts_free(d);
    return st;
}

static void free_axis(const drxmp_darray *d, int axis)
{
    struct drxi_ghost_axis *x = &d->ghosts->axis[axis];

    drxi_pairs_free(&x->same);
    for (int side = 0; side < DRXI_GHOST_SIDES; side++) {
        drxi_pairs_free(&x->turned[side]);
        for (int64_t k = 0; x->pairs[side] && k < d->axis[axis].grid; k++)
            drxi_pairs_free(&x->pairs[side][k]);
        drxi_free(x->pairs[side]);
    }
}

void drxi_ghosts_free(drxmp_darray *d)
{
    if (!d->ghosts)
        return;
    for (int j = 0; j < d->ndim; j++)
        free_axis(d, j);
    for (int side = 0; side < DRXI_GHOST_SIDES; side++) {
        drxi_free(d->ghosts->side[side].peer);
        drxi_free(d->ghosts->side[side].terms);
        drxi_free(d->ghosts->side[side].slots);
    }
    drxi_free(d->ghosts->requests);
    drxi_free(d->ghosts);
    d->ghosts = NULL;
}
