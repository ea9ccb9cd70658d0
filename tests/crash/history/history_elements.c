/* Steps that change the elements, bounds and attributes of the open array. */
#include "history_step.h"

static int64_t next_value(const struct history *h, const struct cell *cell)
{
    return (int64_t)h->step * 100000 + (cell - h->truth->cell) + 1;
}

/* Give each element of the box its own value in this step: in the truth, and in h->buf. */
static void compose(struct history *h, const int64_t lo[], const int64_t count[])
{
    struct truth *t = h->truth;
    int64_t in_box[TRUTH_NDIM] = { 0 }, index[TRUTH_NDIM];
    const int64_t n = truth_elements(t->ndim, count);

    free(h->buf);
    h->buf = malloc((size_t)n * sizeof(int64_t) + 1);
    assert_non_null(h->buf);
    for (int64_t i = 0; i < n; i++) {
        struct cell *cell;
        int64_t value;

        for (int j = 0; j < t->ndim; j++)
            index[j] = lo[j] + in_box[j];
        cell = truth_cell(t, index);
        value = next_value(h, cell);
        truth_write(cell, value);
        if (t->type == DRX_INT32)
            ((int32_t *)h->buf)[i] = (int32_t)value;
        else
            ((int64_t *)h->buf)[i] = value;
        (void)next_index(t->ndim, count, in_box);
    }
}

void do_write(struct history *h, const int64_t lo[], const int64_t count[])
{
    step_begin(h, "write %lld,%lld + %lld,%lld", (long long)lo[0], (long long)lo[1], (long long)count[0],
               (long long)count[1]);
    compose(h, lo, count);
    step_done_to_array(h, CALL(h, drx_write(h->a, lo, count, DRX_ROW_MAJOR, h->buf)), WRITTEN);
}

void do_put(struct history *h, const int64_t index[])
{
    const int64_t count[TRUTH_NDIM] = { 1, 1, 1 };

    step_begin(h, "put %lld,%lld", (long long)index[0], (long long)index[1]);
    compose(h, index, count);
    step_done_to_array(h, CALL(h, drx_put(h->a, index, h->buf)), PUT);
}

/* The truth grows at one end of an axis. The slab is the box of `count` from `lo` on. */
static void grow_truth(struct truth *t, int axis, int64_t by, bool before, int64_t lo[], int64_t count[])
{
    memcpy(lo, t->lower, sizeof t->lower);
    memcpy(count, t->shape, sizeof t->shape);
    if (before)
        lo[axis] = t->lower[axis] -= by;
    else
        lo[axis] += t->shape[axis];
    count[axis] = by;
    t->shape[axis] += by;
    truth_commit(t);
    truth_uncover(t, lo, count);
}

static void extend(struct history *h, int axis, int64_t by, bool before)
{
    int64_t lo[TRUTH_NDIM], count[TRUTH_NDIM];

    step_begin(h, "extend axis %d by %lld%s", axis, (long long)by, before ? " before" : "");
    grow_truth(h->truth, axis, by, before, lo, count);
    step_done_to_array(h, CALL(h, before ? drx_extend_before(h->a, axis, by) : drx_extend(h->a, axis, by)), ALL);
}

void do_extend(struct history *h, int axis, int64_t by)
{
    extend(h, axis, by, false);
}

void do_extend_before(struct history *h, int axis, int64_t by)
{
    extend(h, axis, by, true);
}

/* A slab in C order, given one index of the axis at a time. */
struct pieces {
    const char *slab;
    char *piece;
    int64_t rows, row_bytes; /* a row: what is contiguous of one index */
    int64_t by;
};

static drx_status give_piece(void *with, int64_t done, int64_t *n, const void **buf)
{
    const struct pieces *p = with;

    if (done == p->by)
        return DRX_OK;
    for (int64_t i = 0; i < p->rows; i++)
        memcpy(p->piece + i * p->row_bytes, p->slab + (i * p->by + done) * p->row_bytes, (size_t)p->row_bytes);
    *n = 1;
    *buf = p->piece;
    return DRX_OK;
}

static drx_status append_pieces(struct history *h, int axis, int64_t by, bool before)
{
    const struct truth *t = h->truth;
    struct pieces p = { .slab = h->buf, .rows = 1, .row_bytes = t->type == DRX_INT32 ? 4 : 8, .by = by };
    drx_status st;

    for (int j = 0; j < t->ndim; j++)
        if (j < axis)
            p.rows *= t->shape[j];
        else if (j > axis)
            p.row_bytes *= t->shape[j];
    p.piece = malloc((size_t)(p.rows * p.row_bytes) + 1);
    assert_non_null(p.piece);
    st = before ? drx_prepend_pieces(h->a, axis, by, DRX_ROW_MAJOR, give_piece, &p)
                : drx_append_pieces(h->a, axis, by, DRX_ROW_MAJOR, give_piece, &p);
    free(p.piece);
    return st;
}

static drx_status append_whole(struct history *h, int axis, int64_t by, bool before)
{
    return before ? drx_prepend(h->a, axis, by, DRX_ROW_MAJOR, h->buf)
                  : drx_append(h->a, axis, by, DRX_ROW_MAJOR, h->buf);
}

static void append(struct history *h, int axis, int64_t by, bool before, bool in_pieces)
{
    int64_t lo[TRUTH_NDIM], count[TRUTH_NDIM];

    step_begin(h, "%s axis %d by %lld%s", before ? "prepend" : "append", axis, (long long)by,
               in_pieces ? " in pieces" : "");
    grow_truth(h->truth, axis, by, before, lo, count);
    compose(h, lo, count);
    step_done_to_array(h, CALL(h, in_pieces ? append_pieces(h, axis, by, before) : append_whole(h, axis, by, before)),
                       ALL);
}

void do_append(struct history *h, int axis, int64_t by, bool in_pieces)
{
    append(h, axis, by, false, in_pieces);
}

void do_prepend(struct history *h, int axis, int64_t by, bool in_pieces)
{
    append(h, axis, by, true, in_pieces);
}

void do_trim(struct history *h, int axis, int64_t before, int64_t after)
{
    step_begin(h, "trim axis %d by %lld and %lld", axis, (long long)before, (long long)after);
    h->truth->lower[axis] += before;
    h->truth->shape[axis] -= before + after;
    truth_commit(h->truth);
    step_done_to_array(h, CALL(h, drx_trim(h->a, axis, before, after)), ALL);
}

void do_add_axis(struct history *h, const char *name)
{
    const int at = h->truth->ndim;

    step_begin(h, "add axis %s", name);
    truth_add_axis(h->truth, name);
    truth_commit(h->truth);
    step_done_to_array(h, CALL(h, drx_add_axis(h->a, at, name)), ALL);
}

void do_attr(struct history *h, const char *name, const char *value)
{
    step_begin(h, "attribute %s = %.40s", name, value ? value : "none");
    truth_set_attr(h->truth, name, value);
    truth_commit(h->truth);
    step_done_to_array(h, CALL(h, value ? drx_attr_set_text(h->a, name, value) : drx_attr_delete(h->a, name)), PUT);
}

void do_dim(struct history *h, int axis, const char *name)
{
    step_begin(h, "axis %d is %s", axis, name);
    truth_set_dim(h->truth, axis, name);
    truth_commit(h->truth);
    step_done_to_array(h, CALL(h, drx_dim_rename(h->a, axis, name)), PUT);
}
