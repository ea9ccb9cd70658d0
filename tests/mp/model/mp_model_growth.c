/* Steps that move the bounds. */
#include "mp_model.h"

/* As many indices as fit, at either end. */
static int64_t draw_growth(int axis, bool before)
{
    const int64_t extent = MAX_EXTENT - (upper[axis] - lower[axis]),
                  room = MIDDLE + (before ? lower[axis] : -upper[axis]);
    const int64_t most = extent < room ? extent : room;

    return mp_below(1 + (most < 9 ? most : 9));
}

static void follow(int axis, bool before, int64_t by)
{
    *(before ? &lower[axis] : &upper[axis]) += before ? -by : by;
}

void do_grow(void)
{
    const int axis = (int)mp_below(ndim);
    const bool before = mp_below(2);
    const int64_t by = draw_growth(axis, before);

    if (mp_rank == 0)
        assert_ok(before ? drx_extend_before(one, axis, by) : drx_extend(one, axis, by));
    assert_ok(before ? drxmp_extend_before(many, axis, by) : drxmp_extend(many, axis, by));
    follow(axis, before, by);
}

/* The part of this rank, in one piece or in pieces of an index. */
struct part {
    int axis;
    const struct box *box;
    int64_t first, by;
    bool pieces;
};

static drx_status next_piece(void *with, int64_t done, int64_t *n, int64_t lo[], int64_t count[], const void **out)
{
    const struct part *p = with;
    const struct box *b = p->box;
    const int64_t i = p->first + done - b->lo[p->axis];

    if (done == p->by)
        return DRX_OK;
    *n = 1;
    memcpy(lo, b->lo, sizeof b->lo);
    memcpy(count, b->count, sizeof b->count);
    lo[p->axis] = p->first + done;
    count[p->axis] = b->n > 0 && i >= 0 && i < b->count[p->axis];
    *out = buf + (count[p->axis] ? i * b->stride[p->axis] : 0);
    return DRX_OK;
}

static drx_status append_part(const struct part *p, bool before)
{
    const struct box *b = p->box;

    if (p->pieces)
        return before ? drxmp_prepend_pieces(many, p->axis, p->by, b->order, next_piece, (void *)(uintptr_t)p)
                      : drxmp_append_pieces(many, p->axis, p->by, b->order, next_piece, (void *)(uintptr_t)p);
    return before ? drxmp_prepend_all(many, p->axis, p->by, b->lo, b->count, b->order, buf)
                  : drxmp_append_all(many, p->axis, p->by, b->lo, b->count, b->order, buf);
}

/* Pieces are contiguous where the axis is the slowest. */
static bool is_slowest(int axis, drx_order order)
{
    return axis == (order == DRX_ROW_MAJOR ? 0 : ndim - 1);
}

/* The slab low <= i < high of the model, in pieces of an index. */
struct serial_slab {
    int axis;
    int64_t low[MAX_NDIM], high[MAX_NDIM];
};

static drx_status next_of_model(void *with, int64_t done, int64_t *n, const void **out)
{
    const struct serial_slab *s = with;
    int64_t low[MAX_NDIM], high[MAX_NDIM];

    if (done == s->high[s->axis] - s->low[s->axis])
        return DRX_OK;
    *n = 1;
    memcpy(low, s->low, sizeof low);
    memcpy(high, s->high, sizeof high);
    low[s->axis] += done;
    high[s->axis] = low[s->axis] + 1;
    *out = gather(low, high);
    return DRX_OK;
}

static drx_status append_one(int axis, bool before, const int64_t low[], const int64_t high[], bool pieces)
{
    struct serial_slab s = { .axis = axis };
    const int64_t by = high[axis] - low[axis];

    memcpy(s.low, low, sizeof s.low);
    memcpy(s.high, high, sizeof s.high);
    if (pieces)
        return (before ? drx_prepend_pieces : drx_append_pieces)(one, axis, by, DRX_ROW_MAJOR, next_of_model, &s);
    return (before ? drx_prepend : drx_append)(one, axis, by, DRX_ROW_MAJOR, gather(low, high));
}

void do_append(void)
{
    const int axis = (int)mp_below(ndim);
    const bool before = mp_below(2);
    const int64_t by = draw_growth(axis, before);
    const int32_t first = (int32_t)mp_below(1 << 28);
    struct box boxes[MOST_BOXES];
    struct part part = { axis, &boxes[mp_rank], 0, by, mp_below(2) };
    int64_t low[MAX_NDIM], high[MAX_NDIM];

    memcpy(low, lower, sizeof low);
    memcpy(high, upper, sizeof high);
    low[axis] = before ? lower[axis] - by : upper[axis];
    high[axis] = low[axis] + by;
    part.first = low[axis];
    if (draw_boxes(boxes, low, high, packed ? ALL : PARTS)) /* there is no such call */
        return;
    part.pieces = part.pieces && is_slowest(axis, part.box->order);
    number_box(part.box, first + mp_rank * 1000000, false);
    assert_ok(append_part(&part, before));
    follow(axis, before, by);
    for (int rank = 0; rank < mp_ranks; rank++)
        number_box(&boxes[rank], first + rank * 1000000, true);
    if (mp_rank == 0)
        assert_ok(append_one(axis, before, low, high, packed && part.pieces));
}

static void forget(const int64_t low[], const int64_t high[])
{
    int64_t index[MAX_NDIM] = { 0 }, count[MAX_NDIM], here[MAX_NDIM];

    for (int j = 0; j < ndim; j++) {
        count[j] = high[j] - low[j];
        if (count[j] <= 0)
            return;
    }
    do {
        for (int j = 0; j < ndim; j++)
            here[j] = low[j] + index[j];
        model[model_at(here)] = fill;
    } while (next_index(ndim, count, index));
}

void do_trim(void)
{
    const int axis = (int)mp_below(ndim);
    const int64_t extent = upper[axis] - lower[axis], most = extent < 5 ? extent : 5;
    const int64_t before = mp_below(most + 1), after = mp_below(most - before + 1);
    int64_t low[MAX_NDIM], high[MAX_NDIM];

    if (mp_rank == 0)
        assert_ok(drx_trim(one, axis, before, after));
    assert_ok(drxmp_trim(many, axis, before, after));
    memcpy(low, lower, sizeof low);
    memcpy(high, upper, sizeof high);
    high[axis] = lower[axis] += before;
    forget(low, high);
    low[axis] = upper[axis] -= after;
    high[axis] = low[axis] + after;
    forget(low, high);
}

void do_add_axis(void)
{
    const int place = (int)mp_below(ndim + 1);
    int64_t inner = 1, n = 1;

    if (ndim == MAX_NDIM || mp_below(4))
        return;
    if (mp_rank == 0)
        assert_ok(drx_add_axis(one, place, "new"));
    assert_ok(drxmp_add_axis(many, place, "new"));
    for (int j = 0; j < ndim; j++) {
        inner *= j < place ? 1 : SPAN;
        n *= SPAN;
    }
    memcpy(slab, model, (size_t)n * sizeof *model);
    for (int64_t i = 0; i < n * SPAN; i++)
        model[i] = fill;
    for (int64_t i = 0; i < n; i++)
        model[(i / inner * SPAN + MIDDLE) * inner + i % inner] = slab[i];
    for (int j = ndim++; j > place; j--) {
        lower[j] = lower[j - 1];
        upper[j] = upper[j - 1];
        chunk[j] = chunk[j - 1];
    }
    lower[place] = 0;
    upper[place] = chunk[place] = 1;
}
