/* The public reads and writes of boxes, checked in before.c, moved by box/request.c. */
#include "array/access/access.h"
#include "base/hooks.h"

struct drxi_data *drxi_begin_visit(drx_array *a, int64_t bytes)
{
    struct drxi_data *snapshot = NULL;

    if (bytes >= drxi_hooks.long_bytes && bytes >= drxi_map_bytes(&a->data.map))
        snapshot = drxi_snapshot_take(&a->data);
    if (!snapshot)
        return &a->data;
    drxi_gate_pin(&a->gate);
    drxi_gate_leave(&a->gate);
    return snapshot;
}

void drxi_end_visit(drx_array *a, struct drxi_data *data)
{
    if (data == &a->data) {
        drxi_gate_leave(&a->gate);
        return;
    }
    drxi_snapshot_end(data);
    drxi_gate_unpin(&a->gate);
}

static int64_t box_bytes(const drx_array *a, const drx_box *box)
{
    return drxi_times((int64_t)a->data.item_bytes, a->data.ndim, box->count);
}

/* Everything before elements move; what is in the pool goes to the file. */
static drx_status begin_box(drx_array *a, int ndim, const drx_box *box, const void *buf, bool *empty,
                            int64_t stride_bytes[])
{
    drx_status st;

    *empty = false;
    if (ndim != 0 && ndim != a->data.ndim)
        return drxi_fail(DRX_EMISMATCH, "%s: the array has got an axis since the request for a box of %d axes began",
                         a->parts.label, ndim);
    st = drxi_check_box(a, a->data.lower, a->data.upper, box, buf, empty, stride_bytes);

    return st || *empty || !a->data.file->pool ? st : drxi_pool_flush(a->data.file->pool);
}

drx_status drxi_read_now(drx_array *a, int ndim, const drx_box *box, void *buf)
{
    struct drxi_data *data = &a->data;
    int64_t stride_bytes[DRX_MAX_NDIM];
    bool empty;
    drx_status st;

    drxi_gate_enter(&a->gate);
    st = begin_box(a, ndim, box, buf, &empty, stride_bytes);
    if (!st && !empty)
        drxi_watch_ahead(a);
    if (!st && !empty)
        data = drxi_begin_visit(a, box_bytes(a, box));
    if (!st && !empty)
        st = drxi_transfer_read(
            data,
            &(struct drxi_box){ .lo = box->lo, .count = box->count, .step = box->step, .stride_bytes = stride_bytes },
            buf);
    if ((!st || drxi_is_lost(a, st)) && !empty)
        st = drxi_watched(drxi_watch_box(a, box->lo, box->count, box->step), st);
    drxi_end_visit(a, data);
    return st;
}

drx_status drxi_write_box(drx_array *a, struct drxi_data *data, const struct drxi_box *box, const void *buf)
{
    drx_status st = drxi_begin_write(a);

    if (st)
        return st;
    st = drxi_watch_box(a, box->lo, box->count, box->step);
    if (!st)
        st = drxi_transfer_write(data, box, buf);
    drxi_end_write(a);
    return st;
}

drx_status drxi_write_now(drx_array *a, int ndim, const drx_box *box, const void *buf)
{
    struct drxi_data *data = &a->data;
    int64_t stride_bytes[DRX_MAX_NDIM];
    bool empty;
    drx_status st;

    drxi_gate_enter(&a->gate);
    st = drxi_check_writable(a);
    if (!st)
        st = begin_box(a, ndim, box, buf, &empty, stride_bytes);
    if (!st && !empty) {
        data = drxi_begin_visit(a, box_bytes(a, box));
        st = drxi_write_box(a, data,
                            &(struct drxi_box){ .lo = box->lo,
                                                .count = box->count,
                                                .step = box->step,
                                                .stride_bytes = stride_bytes,
                                                .alone = (box->flags & DRX_ALONE) != 0 },
                            buf);
    }
    drxi_end_visit(a, data);
    return st;
}

/* Wait until a call for this box may begin. */
static drx_status take_turn(drx_array *a, bool writing, const drx_box *box)
{
    if (!a)
        return drxi_no_array();
    if (!box)
        return drxi_fail(DRX_EINVAL, "%s: the box is a null pointer", a->parts.label);
    return drxi_wait_turn(
        a, &(struct drxi_pending){ .writing = writing, .lo = box->lo, .count = box->count, .step = box->step });
}

drx_status drx_read_box(drx_array *a, const drx_box *box, void *buf)
{
    drx_status st = take_turn(a, false, box);

    return st ? st : drxi_read_now(a, 0, box, buf);
}

drx_status drx_write_box(drx_array *a, const drx_box *box, const void *buf)
{
    drx_status st = take_turn(a, true, box);

    return st ? st : drxi_write_now(a, 0, box, buf);
}

drx_status drx_read(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, void *buf)
{
    return drx_read_box(a, &(drx_box){ .lo = lo, .count = count, .order = order }, buf);
}

drx_status drx_write(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, const void *buf)
{
    return drx_write_box(a, &(drx_box){ .lo = lo, .count = count, .order = order }, buf);
}
