/* The plan of a darray's ghosts: which ranks have ghosts and sources in common with this one, and where. Finding that
 * takes longer than moving the elements, so the darray keeps the plan, with its buffers. */
#include "mp/darray/ghosts.h"

/* Whose elements this rank has on a side, and whose its peers have. */
static const drxmp_darray *mine(const struct drxi_ghosts *g, int side)
{
    return side == DRXI_GHOSTS ? g->to : g->from;
}

static const drxmp_darray *theirs(const struct drxi_ghosts *g, int side)
{
    return side == DRXI_GHOSTS ? g->from : g->to;
}

static int64_t my_place(const struct drxi_ghosts *g, int side, int axis)
{
    return drxi_grid_rank(mine(g, side), g->to->rank, axis);
}

/* Whether it is this rank's own place in the only darray, where most elements are their own sources. */
static bool is_own(const struct drxi_ghosts *g, int axis, int64_t k)
{
    return g->to == g->from && k == my_place(g, DRXI_GHOSTS, axis);
}

/* ---- along an axis ---------------------------------------------------------------------------- */

/* The pairs that this grid rank has with grid rank k, on one side. */
static drx_status find_pairs(const struct drxi_ghosts *g, int axis, int side, int64_t k, enum drxi_turns turns,
                             struct drxi_pairs *pairs)
{
    const int64_t here = my_place(g, side, axis);
    const bool ghosts = side == DRXI_GHOSTS;

    return drxi_pairs_find(g, axis, ghosts ? here : k, ghosts ? k : here, turns, ghosts, pairs);
}

static drx_status find_others(struct drxi_ghosts *g, int axis)
{
    struct drxi_ghost_axis *x = &g->axis[axis];
    drx_status st = DRX_OK;

    for (int side = 0; !st && side < DRXI_GHOST_SIDES; side++) {
        const int64_t grid = theirs(g, side)->axis[axis].grid;

        x->pairs[side] = drxi_calloc((size_t)grid, sizeof *x->pairs[side]);
        if (!x->pairs[side])
            return drxi_fail(DRX_ENOMEM, "out of memory for the ghosts of %lld ranks", (long long)grid);
        for (int64_t k = 0; !st && k < grid; k++)
            st = is_own(g, axis, k) ? find_pairs(g, axis, side, k, DRXI_TURNED, &x->turned[side])
                                    : find_pairs(g, axis, side, k, DRXI_ALL_TURNS, &x->pairs[side][k]);
    }
    return st;
}

/* What this rank has of its own is long, and needed only for ghosts along other axes. */
static drx_status find_own(struct drxi_ghosts *g, int axis)
{
    struct drxi_ghost_axis *x = &g->axis[axis];
    const int64_t own = my_place(g, DRXI_GHOSTS, axis);
    drx_status st = find_pairs(g, axis, DRXI_GHOSTS, own, DRXI_INNER, &x->same);

    for (int side = 0; !st && side < DRXI_GHOST_SIDES; side++)
        st = find_pairs(g, axis, side, own, DRXI_ALL_TURNS, &x->pairs[side][own]);
    return st;
}

static bool has_some(const struct drxi_ghosts *g, int axis)
{
    const struct drxi_ghost_axis *x = &g->axis[axis];
    bool some = false;

    for (int side = 0; side < DRXI_GHOST_SIDES; side++) {
        some = some || x->turned[side].n > 0;
        for (int64_t k = 0; k < g->to->axis[axis].grid; k++)
            some = some || (!is_own(g, axis, k) && x->pairs[side][k].n > 0);
    }
    return some;
}

static drx_status find_axes(struct drxi_ghosts *g)
{
    int with = 0; /* axes with ghosts */
    drx_status st = DRX_OK;

    for (int j = 0; !st && j < g->to->ndim; j++)
        st = find_others(g, j);
    if (g->to != g->from)
        return st;
    for (int j = 0; !st && j < g->to->ndim; j++)
        with += has_some(g, j);
    for (int j = 0; !st && j < g->to->ndim; j++)
        if (with - has_some(g, j) > 0)
            st = find_own(g, j);
    return st;
}

/* ---- the ranks ------------------------------------------------------------------------------------ */

/* Make a term, unless it is empty. Returns its elements. `term` NULL: only count them. */
static int64_t set_term(const struct drxi_ghosts *g, const struct drxi_pairs *const by_axis[], struct drxi_term *term)
{
    int64_t n = 1;

    for (int j = 0; j < g->to->ndim; j++)
        n *= by_axis[j]->n;
    for (int i = 0; term && n > 0 && i < g->to->ndim; i++)
        term->pairs[i] = by_axis[drxi_term_axis(g, i)];
    return n;
}

/* The terms with the rank at these grid coordinates. With itself, inside one darray, this rank has one for each axis
 * along which it repeats elements: they turn along that axis, do not along the axes before it, and may along those
 * after it. */
static void set_peer(const struct drxi_ghosts *g, int side, const int64_t at[], struct drxi_peer *peer,
                     struct drxi_term *room)
{
    const struct drxi_pairs *by_axis[DRX_MAX_NDIM];
    int rank = 0;

    for (int j = 0; j < g->to->ndim; j++) {
        rank += (int)(at[j] * theirs(g, side)->axis[j].behind);
        by_axis[j] = &g->axis[j].pairs[side][at[j]];
    }
    *peer = (struct drxi_peer){ .rank = rank, .term = room };
    if (g->to != g->from || rank != g->to->rank) {
        peer->elements = set_term(g, by_axis, room);
        peer->terms = peer->elements > 0;
        return;
    }
    for (int turned = 0; turned < g->to->ndim; turned++) {
        int64_t n;

        by_axis[turned] = &g->axis[turned].turned[side];
        n = set_term(g, by_axis, room ? room + peer->terms : NULL);
        peer->elements += n;
        peer->terms += n > 0;
        by_axis[turned] = &g->axis[turned].same;
    }
}

/* The first place from k on, along an axis, that has pairs, or is this rank's own; the grid's extent when there is
 * none. */
static int64_t find_place(const struct drxi_ghosts *g, int side, int axis, int64_t k)
{
    const struct drxi_pairs *pairs = g->axis[axis].pairs[side];

    while (k < theirs(g, side)->axis[axis].grid && !is_own(g, axis, k) && pairs[k].n == 0)
        k++;
    return k;
}

/* Go to the first grid coordinates, in the order of ranks, or to the next; false when there are none. */
static bool first_place(const struct drxi_ghosts *g, int side, int64_t at[])
{
    bool some = true;

    for (int j = 0; j < g->to->ndim; j++) {
        at[j] = find_place(g, side, j, 0);
        some = some && at[j] < theirs(g, side)->axis[j].grid;
    }
    return some;
}

static bool next_place(const struct drxi_ghosts *g, int side, int64_t at[])
{
    for (int j = g->to->ndim - 1; j >= 0; j--) {
        at[j] = find_place(g, side, j, at[j] + 1);
        if (at[j] < theirs(g, side)->axis[j].grid)
            return true;
        at[j] = find_place(g, side, j, 0);
    }
    return false;
}

/* Fill a side with peers, or, without room for them, count them and their terms. */
static int64_t find_peers(const struct drxi_ghosts *g, int side, struct drxi_ghost_side *s)
{
    int64_t at[DRX_MAX_NDIM], terms = 0;

    s->n = 0;
    for (bool more = first_place(g, side, at); more; more = next_place(g, side, at)) {
        struct drxi_peer peer;

        set_peer(g, side, at, &peer, s->terms ? s->terms + terms : NULL);
        if (peer.terms > 0 && s->peer)
            s->peer[s->n] = peer;
        s->n += peer.terms > 0;
        terms += peer.terms;
    }
    return terms;
}

static drx_status make_side(struct drxi_ghosts *g, int side)
{
    struct drxi_ghost_side *s = &g->side[side];
    const int64_t terms = find_peers(g, side, s), n = s->n;

    if (n > 0) {
        s->peer = drxi_malloc((size_t)n * sizeof *s->peer);
        s->terms = drxi_malloc((size_t)(terms + g->to->ndim) * sizeof *s->terms);
        if (!s->peer || !s->terms)
            return drxi_fail(DRX_ENOMEM, "out of memory for the %lld ranks that share elements", (long long)n);
        (void)find_peers(g, side, s);
    }
    return DRX_OK;
}

/* ---- buffers ------------------------------------------------------------------------------------------- */

static bool is_far(const struct drxi_ghosts *g, const struct drxi_peer *peer)
{
    return peer->rank != g->from->rank && !g->from->reach[peer->rank].mem;
}

static int64_t count_far(const struct drxi_ghosts *g, const struct drxi_ghost_side *s)
{
    int64_t n = 0;

    for (int64_t i = 0; i < s->n; i++)
        n += is_far(g, &s->peer[i]);
    return n;
}

/* A piece of each rank on a side must fit into half the buffer. Of a redistribution all ranks know it. */
static void set_piece(struct drxi_ghosts *g)
{
    const int64_t far = g->to == g->from
                            ? drxi_max(count_far(g, &g->side[DRXI_GHOSTS]), count_far(g, &g->side[DRXI_SOURCES]))
                            : g->from->ranks - 1;
    const int64_t bytes = drxi_min(g->from->buffer_bytes / 2 / drxi_max(far, 1), DRXI_PIECE_BYTES);

    g->piece = drxi_max(bytes / (int64_t)g->from->item_bytes, 1);
}

static drx_status make_slots(const struct drxi_ghosts *g, struct drxi_ghost_side *s)
{
    const size_t item = g->from->item_bytes;
    int64_t n = 0;

    for (int64_t i = 0; i < s->n; i++)
        n += is_far(g, &s->peer[i]) ? drxi_min(s->peer[i].elements, g->piece) : 0;
    if (n == 0)
        return DRX_OK;
    s->slots = drxi_malloc((size_t)n * item);
    if (!s->slots)
        return drxi_fail(DRX_ENOMEM, "out of memory for pieces of %lld elements", (long long)n);
    n = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (is_far(g, &s->peer[i])) {
            s->peer[i].slot = s->slots + (size_t)n * item;
            n += drxi_min(s->peer[i].elements, g->piece);
        }
    return DRX_OK;
}

static drx_status make_buffers(struct drxi_ghosts *g)
{
    const int64_t n = g->side[DRXI_GHOSTS].n + g->side[DRXI_SOURCES].n;
    drx_status st;

    set_piece(g);
    g->requests = drxi_malloc((size_t)n * sizeof(MPI_Request));
    if (!g->requests)
        return drxi_fail(DRX_ENOMEM, "out of memory for messages with %lld ranks", (long long)n);
    st = make_slots(g, &g->side[DRXI_GHOSTS]);
    return st ? st : make_slots(g, &g->side[DRXI_SOURCES]);
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

drx_status drxi_ghosts_between(const drxmp_darray *to, const drxmp_darray *from, const int64_t by[], const int64_t lo[],
                               const int64_t hi[], struct drxi_ghosts **out)
{
    struct drxi_ghosts *g = drxi_calloc(1, sizeof *g);
    drx_status st;

    *out = NULL;
    if (!g)
        return drxi_fail(DRX_ENOMEM, "out of memory for the plan of ghosts");
    g->to = to;
    g->from = from;
    g->by = by;
    g->lo = lo;
    g->hi = hi;
    st = find_axes(g);
    for (int side = 0; !st && side < DRXI_GHOST_SIDES; side++)
        st = make_side(g, side);
    if (!st)
        st = make_buffers(g);
    if (st)
        drxi_ghosts_free(g);
    else
        *out = g;
    return st;
}

drx_status drxi_ghosts_plan(drxmp_darray *d)
{
    return d->ghosts ? DRX_OK : drxi_ghosts_between(d, d, NULL, NULL, NULL, &d->ghosts);
}

static void free_axis(struct drxi_ghosts *g, int axis)
{
    struct drxi_ghost_axis *x = &g->axis[axis];

    drxi_pairs_free(&x->same);
    for (int side = 0; side < DRXI_GHOST_SIDES; side++) {
        drxi_pairs_free(&x->turned[side]);
        for (int64_t k = 0; x->pairs[side] && k < theirs(g, side)->axis[axis].grid; k++)
            drxi_pairs_free(&x->pairs[side][k]);
        drxi_free(x->pairs[side]);
    }
}

void drxi_ghosts_free(struct drxi_ghosts *g)
{
    if (!g)
        return;
    for (int j = 0; j < g->to->ndim; j++)
        free_axis(g, j);
    for (int side = 0; side < DRXI_GHOST_SIDES; side++) {
        drxi_free(g->side[side].peer);
        drxi_free(g->side[side].terms);
        drxi_free(g->side[side].slots);
    }
    drxi_free(g->requests);
    drxi_free(g);
}
