/* Collective reads and writes with buffers of other types than the array's.
 *
 *   try     a write converts all elements once without storing them; a rank that has one that does not fit ends the
 *           call
 *   begin   the ranks agree, and tell each other their boxes
 *   rounds  in each, every rank moves one piece of its box or nothing, as a collective call moves boxes (move.c). A
 *           piece is converted before it is written, or after it was read
 *   end     the ranks agree whether all elements that were read have fitted
 *
 * Pieces are cells of one grid, equal on all ranks. A cell has the number (i mod n, j mod m, ...), where n, m, ... are
 * the most cells that any rank meets along each axis. So the cells of a rank have different numbers, and its rounds are
 * these.
 *
 * Invariants
 *   1. All ranks move a cell in the same round. So a chunk that lies in one cell is written once, whoever takes part.
 *   2. Every rank finds the same rounds from what all have told. */
#include "mp/mp.h"

/* What a rank tells: what it does, and, unless that is nothing, its spans, and its first and its last indices. Then the
 * indices become those of cells. */
enum { NOTHING, MOVES, CONVERTS };

struct typed_all {
    drxmp_array *m;
    struct drxi_typed_box t;
    struct drxi_call call;
    drx_status st;               /* of this rank, for the next agreement */
    int64_t *told;               /* 1 + 3 * ndim numbers of each rank */
    bool converts;               /* some rank does */
    int64_t cells[DRX_MAX_NDIM]; /* the most of a rank along each axis */
};

static int ndim_of(const struct typed_all *x)
{
    return x->t.ndim;
}

static int64_t *told_by(const struct typed_all *x, int rank)
{
    return x->told + (int64_t)rank * (1 + 3 * ndim_of(x));
}

static int64_t *spans_of(const struct typed_all *x, int rank)
{
    return told_by(x, rank) + 1;
}

static int64_t *first_index(const struct typed_all *x, int rank)
{
    return told_by(x, rank) + 1 + ndim_of(x);
}

static int64_t *last_of(const struct typed_all *x, int rank)
{
    return told_by(x, rank) + 1 + 2 * ndim_of(x);
}

/* ---- the grid ------------------------------------------------------------------------- */

/* Local: whether this rank could do its part. */
static drx_status prepare_typed(struct typed_all *x)
{
    drx_array *a = x->m->a;
    struct drxi_typed_box *t = &x->t;
    drx_status st = drxi_typed_check(t);

    x->told = drxi_calloc((size_t)x->m->ranks * (size_t)(1 + 3 * t->ndim), sizeof *x->told);
    if (!st && !x->told)
        st = DRX_ENOMEM;
    if (st || t->empty)
        return st;
    drxi_typed_cut(t, drxi_typed_bytes(a, x->m->settings.buffer_bytes / 4));
    if (t->type == drx_dtype(a))
        return DRX_OK;
    st = drxi_typed_stages(t);
    return !st && t->writing ? drxi_typed_try(t) : st;
}

static drx_status share_outcome(struct typed_all *x)
{
    const struct drxi_typed_box *t = &x->t;
    const int me = x->m->rank, ndim = ndim_of(x);

    *told_by(x, me) = t->empty ? NOTHING : t->type == drx_dtype(x->m->a) ? MOVES : CONVERTS;
    for (int j = 0; !t->empty && j < ndim; j++) {
        spans_of(x, me)[j] = t->span[j];
        first_index(x, me)[j] = t->box->lo[j];
        last_of(x, me)[j] = t->box->lo[j] + (t->box->count[j] - 1) * (t->box->step ? t->box->step[j] : 1);
    }
    return drxi_mpi(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x->told, 1 + 3 * ndim, MPI_INT64_T, x->m->comm),
                    "gathering boxes");
}

/* The cells of axis j. */
static void lay_axis(struct typed_all *x, int j)
{
    const int64_t lower = drx_lower(x->m->a)[j], chunk = drx_chunk(x->m->a)[j];
    struct drxi_typed_box *t = &x->t;

    t->origin[j] = drxi_floor_div(lower, chunk) * chunk;
    t->span[j] = INT64_MAX;
    x->cells[j] = 0;
    for (int rank = 0; rank < x->m->ranks; rank++)
        if (*told_by(x, rank) != NOTHING)
            t->span[j] = drxi_min(t->span[j], spans_of(x, rank)[j]);
    for (int rank = 0; rank < x->m->ranks; rank++) {
        int64_t *first = first_index(x, rank), *last = last_of(x, rank);

        if (*told_by(x, rank) == NOTHING)
            continue;
        first[j] = (first[j] - t->origin[j]) / t->span[j];
        last[j] = (last[j] - t->origin[j]) / t->span[j];
        x->cells[j] = drxi_max(x->cells[j], last[j] - first[j] + 1);
    }
}

static void lay_grid(struct typed_all *x)
{
    for (int rank = 0; rank < x->m->ranks; rank++)
        x->converts = x->converts || *told_by(x, rank) == CONVERTS;
    for (int j = 0; j < ndim_of(x); j++)
        lay_axis(x, j);
}

/* ---- rounds ------------------------------------------------------------------------------ */

/* How many cells after its first one the rank has the cell of this number along axis j; -1: it has none. */
static int64_t part_place(const struct typed_all *x, int rank, int j, int64_t number)
{
    const int64_t first = first_index(x, rank)[j], place = drxi_floor_mod(number - first, x->cells[j]);

    return place <= last_of(x, rank)[j] - first ? place : -1;
}

/* The least number from `from` on that a cell of the rank has along axis j; -1: there is none. */
static int64_t least_from(const struct typed_all *x, int rank, int j, int64_t from)
{
    const int64_t first = first_index(x, rank)[j] % x->cells[j];

    if (from >= x->cells[j])
        return -1;
    return part_place(x, rank, j, from) >= 0 ? from : first > from ? first : -1;
}

/* The first round of the rank from `from` on; false: there is none. */
static bool round_of_rank(const struct typed_all *x, int rank, const int64_t from[], int64_t number[])
{
    const int ndim = ndim_of(x);
    int j = 0;
    int64_t least = 0;

    memcpy(number, from, (size_t)ndim * sizeof *from);
    while (j < ndim && (least = least_from(x, rank, j, number[j])) == number[j])
        j++;
    if (j == ndim)
        return true;
    while (least < 0 && --j >= 0)
        least = least_from(x, rank, j, number[j] + 1);
    if (j < 0)
        return false;
    number[j] = least;
    while (++j < ndim)
        number[j] = least_from(x, rank, j, 0);
    return true;
}

static bool comes_before(int ndim, const int64_t a[], const int64_t b[])
{
    int j = 0;

    while (j < ndim && a[j] == b[j])
        j++;
    return j < ndim && a[j] < b[j];
}

/* The first round from `number` on in which any rank moves something. */
static bool next_round(const struct typed_all *x, int64_t number[])
{
    const int ndim = ndim_of(x);
    int64_t best[DRX_MAX_NDIM], one[DRX_MAX_NDIM];
    bool found = false;

    for (int rank = 0; rank < x->m->ranks; rank++) {
        if (*told_by(x, rank) == NOTHING || !round_of_rank(x, rank, number, one))
            continue;
        if (!found || comes_before(ndim, one, best))
            memcpy(best, one, (size_t)ndim * sizeof *one);
        found = true;
    }
    if (found)
        memcpy(number, best, (size_t)ndim * sizeof *best);
    return found;
}

/* Turn to this rank's piece of the round; false: it moves nothing. */
static bool typed_piece(struct typed_all *x, const int64_t number[])
{
    int64_t cell[DRX_MAX_NDIM];

    if (x->st || x->t.empty)
        return false;
    for (int j = 0; j < ndim_of(x); j++) {
        const int64_t place = part_place(x, x->m->rank, j, number[j]);

        if (place < 0)
            return false;
        cell[j] = first_index(x, x->m->rank)[j] + place;
    }
    return drxi_typed_piece(&x->t, cell);
}

static drx_status move_round(struct typed_all *x, const int64_t number[])
{
    struct drxi_typed_box *t = &x->t;
    const struct drxi_box box = {
        .lo = t->lo, .count = t->count, .step = t->box ? t->box->step : NULL, .stride_bytes = t->own_stride
    };
    const bool moves = typed_piece(x, number);
    drx_status st;

    if (moves && t->writing)
        x->st = drxi_typed_give(t); /* fails when somebody has changed the buffer meanwhile */
    st = drxi_move_boxes(x->m, t->writing, &x->call, x->st, moves && !x->st ? &box : NULL, t->own);
    if (!st && moves && !t->writing)
        drxi_typed_take(t);
    return st;
}

static drx_status move_in_rounds(struct typed_all *x)
{
    const int ndim = ndim_of(x);
    int64_t number[DRX_MAX_NDIM] = { 0 };
    drx_status st = DRX_OK;

    if (!x->t.empty && !x->t.own)
        x->st = drxi_typed_stages(&x->t); /* the first round reports it */
    for (bool more = next_round(x, number); more && !st; more = ndim > 0 && next_round(x, number)) {
        st = move_round(x, number);
        if (ndim > 0)
            number[ndim - 1]++;
    }
    return st || x->t.writing ? st : drxi_agree(x->m->comm, drxi_typed_status(&x->t), NULL);
}

/* ---- the call ------------------------------------------------------------------------------ */

static drx_status move_whole(struct typed_all *x)
{
    const drx_box *given = x->t.box;
    const struct drxi_box box = {
        .lo = given->lo, .count = given->count, .step = given->step, .stride_bytes = x->t.mem_stride
    };

    return drxi_move_boxes(x->m, x->t.writing, &x->call, DRX_OK, x->t.empty ? NULL : &box, x->t.buf);
}

static drx_status move_typed_parts(struct typed_all *x)
{
    drx_status st = drxi_begin(x->m, prepare_typed(x), &x->call);

    if (!st)
        st = share_outcome(x);
    if (st)
        return st;
    lay_grid(x);
    return x->converts ? move_in_rounds(x) : move_whole(x);
}

static drx_status move_all_as(drxmp_array *m, const char *name, bool writing, const drx_box *box, drx_type type,
                              drx_conversion how, void *buf)
{
    struct typed_all x = { .m = m };
    drx_status st;

    if (!m)
        return drxi_no_array();
    x.t = (struct drxi_typed_box){ .a = m->a, .box = box, .type = type, .how = how, .writing = writing, .buf = buf };
    drxi_call_start(&x.call, name);
    drxi_enter_box(m->a, writing, box);
    st = move_typed_parts(&x);
    drxi_leave(m->a);
    drxi_typed_free(&x.t);
    drxi_free(x.told);
    return st;
}

drx_status drxmp_read_box_all_as(drxmp_array *m, const drx_box *box, drx_type type, drx_conversion how, void *buf)
{
    return move_all_as(m, "drxmp_read_box_all_as", false, box, type, how, buf);
}

drx_status drxmp_write_box_all_as(drxmp_array *m, const drx_box *box, drx_type type, drx_conversion how,
                                  const void *buf)
{
    return move_all_as(m, "drxmp_write_box_all_as", true, box, type, how, (void *)(uintptr_t)buf); /* only read */
}

drx_status drxmp_read_all_as(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, drx_type type,
                             drx_conversion how, void *buf)
{
    const drx_box box = { .lo = lo, .count = count, .order = order };

    return move_all_as(m, "drxmp_read_all_as", false, &box, type, how, buf);
}

drx_status drxmp_write_all_as(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, drx_type type,
                              drx_conversion how, const void *buf)
{
    const drx_box box = { .lo = lo, .count = count, .order = order };

    return move_all_as(m, "drxmp_write_all_as", true, &box, type, how, (void *)(uintptr_t)buf); /* only read */
}
