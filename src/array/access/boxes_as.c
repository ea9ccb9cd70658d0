/* Reads and writes with a buffer of another type, piece by piece (typed_box.c). A write goes over all pieces twice: it
 * converts them without storing anything, and then once more to store them. */
#include "array/array.h"

enum { STAGE_BYTES = 2 << 20 };

/* Some chunks are read as a whole anyway. */
int64_t drxi_typed_bytes(const drx_array *a, int64_t wanted)
{
    const int64_t most = drxi_max(wanted, a->data.file->stored->least_chunks * a->data.chunk_pitch_bytes);

    return drxi_min(most, drxi_may_take(DRXI_FOR_TYPES));
}

static drx_status move_typed_piece(struct drxi_typed_box *t)
{
    const drx_box piece = {
        .lo = t->lo, .count = t->count, .step = t->box->step, .order = t->order, .flags = t->box->flags
    };
    drx_status st;

    if (!t->writing) {
        st = drxi_read_now(t->a, 0, &piece, t->own);
        if (!st)
            drxi_typed_take(t);
        return st;
    }
    st = drxi_typed_give(t);
    return st ? st : drxi_write_now(t->a, 0, &piece, t->own);
}

static drx_status move_pieces(struct drxi_typed_box *t)
{
    int64_t first[DRX_MAX_NDIM], last[DRX_MAX_NDIM], cell[DRX_MAX_NDIM];
    drx_status st = DRX_OK;

    drxi_typed_cells(t, first, last);
    memcpy(cell, first, sizeof cell);
    do
        if (drxi_typed_piece(t, cell))
            st = move_typed_piece(t);
    while (!st && drxi_typed_next(t, first, last, cell));
    return st ? st : drxi_typed_status(t);
}

static drx_status check_typed(struct drxi_typed_box *t)
{
    drx_status st;

    drxi_gate_enter(&t->a->gate);
    st = drxi_typed_check(t);
    if (!t->empty)
        drxi_typed_cut(t, drxi_typed_bytes(t->a, STAGE_BYTES));
    drxi_gate_leave(&t->a->gate);
    return st;
}

static drx_status move_typed_box(struct drxi_typed_box *t)
{
    drx_status st = drxi_typed_stages(t);

    if (!st && t->writing)
        st = drxi_typed_try(t);
    if (!st)
        st = move_pieces(t);
    drxi_typed_free(t);
    return st;
}

static drx_status access_as(drx_array *a, const drx_box *box, drx_type type, drx_conversion how, bool writing,
                            void *buf)
{
    struct drxi_typed_box t = { .a = a, .box = box, .type = type, .how = how, .writing = writing, .buf = buf };
    drx_status st = DRX_OK;

    if (!a)
        return drxi_no_array();
    if (type == a->data.type && (how == DRX_EXACT || how == DRX_NEAREST))
        return writing ? drx_write_box(a, box, buf) : drx_read_box(a, box, buf);
    if (box)
        st = drxi_wait_turn(
            a, &(struct drxi_pending){ .writing = writing, .lo = box->lo, .count = box->count, .step = box->step });
    if (!st)
        st = check_typed(&t);
    return st || t.empty ? st : move_typed_box(&t);
}

drx_status drx_read_box_as(drx_array *a, const drx_box *box, drx_type type, drx_conversion how, void *buf)
{
    return access_as(a, box, type, how, false, buf);
}

drx_status drx_write_box_as(drx_array *a, const drx_box *box, drx_type type, drx_conversion how, const void *buf)
{
    return access_as(a, box, type, how, true, (void *)(uintptr_t)buf); /* only read */
}

drx_status drx_read_as(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, drx_type type,
                       drx_conversion how, void *buf)
{
    return drx_read_box_as(a, &(drx_box){ .lo = lo, .count = count, .order = order }, type, how, buf);
}

drx_status drx_write_as(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, drx_type type,
                        drx_conversion how, const void *buf)
{
    return drx_write_box_as(a, &(drx_box){ .lo = lo, .count = count, .order = order }, type, how, buf);
}
