/* The public reads and writes of boxes, checked here, moved by box/request.c. */
#include <stdarg.h>
#include <stdio.h>

#include "array/access/access.h"
#include "base/hooks.h"
#include "copy/copy.h"

/* Refuse flags and reserved words that this version does not know. */
static drx_status check_form(const drx_array *a, const drx_box *box)
{
    if (box->flags & ~(unsigned)DRX_ALONE)
        return drxi_fail(DRX_EINVAL, "%s: flags 0x%x of the box, expected 0 or DRX_ALONE", a->parts.label, box->flags);
    if (!drxi_is_zero(box->reserved, sizeof box->reserved))
        return drxi_fail(DRX_EINVAL, "%s: reserved words of the box are not 0", a->parts.label);
    return DRX_OK;
}

drx_status drxi_outside(const drx_array *a, int j, int64_t lower, int64_t upper, const char *format, ...)
{
    char what[200];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (lower == 0)
        return drxi_fail(DRX_ERANGE, "%s: axis %d: %s, the bound is %lld", a->parts.label, j, what, (long long)upper);
    return drxi_fail(DRX_ERANGE, "%s: axis %d: %s, the bounds are %lld and %lld", a->parts.label, j, what,
                     (long long)lower, (long long)upper);
}

/* The box lies in the bounds; *empty tells whether it has no element. */
static drx_status check_bounds(const drx_array *a, const int64_t lower[], const int64_t upper[], const int64_t lo[],
                               const int64_t count[], const int64_t step[], bool *empty)
{
    *empty = false;
    if (!lo || !count)
        return drxi_fail(DRX_EINVAL, "%s: lo or count is a null pointer", a->parts.label);
    for (int j = 0; j < a->data.ndim; j++) {
        const int64_t by = step ? step[j] : 1;
        const int64_t bound = upper[j];

        if (by < 1)
            return drxi_fail(DRX_EINVAL, "%s: axis %d: step %lld, expected 1 or more", a->parts.label, j,
                             (long long)by);
        if (count[j] < 0)
            return drxi_fail(DRX_EINVAL, "%s: axis %d: count %lld, expected 0 or more", a->parts.label, j,
                             (long long)count[j]);
        if (lo[j] < lower[j] || lo[j] > bound ||
            (count[j] > 0 && (lo[j] == bound || count[j] - 1 > (bound - 1 - lo[j]) / by)))
            return drxi_outside(a, j, lower[j], bound, "%lld from index %lld on in steps of %lld", (long long)count[j],
                                (long long)lo[j], (long long)by);
        *empty = *empty || count[j] == 0;
    }
    return DRX_OK;
}

static drx_status check_buffer(const drx_array *a, const void *buf)
{
    return buf ? DRX_OK : drxi_fail(DRX_EINVAL, "%s: the buffer is a null pointer", a->parts.label);
}

/* Strides in bytes of memory; contiguous in the given order when stride is NULL. */
static drx_status byte_strides(const drx_array *a, const int64_t count[], drx_order order, const int64_t stride[],
                               int64_t stride_bytes[])
{
    const int ndim = a->data.ndim;

    if (!stride && order != DRX_ROW_MAJOR && order != DRX_COL_MAJOR)
        return drxi_fail(DRX_EINVAL, "%s: order %d, expected DRX_ROW_MAJOR or DRX_COL_MAJOR", a->parts.label,
                         (int)order);
    if (!stride)
        drxi_strides(ndim, count, a->data.item_bytes, order, stride_bytes);
    for (int j = 0; stride && j < ndim; j++)
        if (!drxi_mul(stride[j], (int64_t)a->data.item_bytes, &stride_bytes[j]))
            return drxi_fail(DRX_EOVERFLOW, "%s: axis %d: stride %lld overflows 64 bits", a->parts.label, j,
                             (long long)stride[j]);
    return DRX_OK;
}

drx_status drxi_check_box(const drx_array *a, const int64_t lower[], const int64_t upper[], const drx_box *box,
                          const void *buf, bool *empty, int64_t stride_bytes[])
{
    drx_status st = check_form(a, box);

    if (!st)
        st = check_bounds(a, lower, upper, box->lo, box->count, box->step, empty);
    if (st || *empty)
        return st;
    st = check_buffer(a, buf);
    return st ? st : byte_strides(a, box->count, box->order, box->stride, stride_bytes);
}

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

static int64_t bytes_of(const drx_array *a, const drx_box *box)
{
    return drxi_times((int64_t)a->data.item_bytes, a->data.ndim, box->count);
}

/* Everything before elements move; what is in the pool goes to the file. */
static drx_status begin(drx_array *a, int ndim, const drx_box *box, const void *buf, bool *empty,
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
    st = begin(a, ndim, box, buf, &empty, stride_bytes);
    if (!st && !empty)
        drxi_watch_ahead(a);
    if (!st && !empty)
        data = drxi_begin_visit(a, bytes_of(a, box));
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
        st = begin(a, ndim, box, buf, &empty, stride_bytes);
    if (!st && !empty) {
        data = drxi_begin_visit(a, bytes_of(a, box));
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
