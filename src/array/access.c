/* The public reads and writes, checked here, moved by request.c and points*.c. */
#include <stdarg.h>
#include <stdio.h>

#include "array/array.h"
#include "base/hooks.h"
#include "copy/copy.h"
#include "data/sums.h"
#include "drx_tools.h"

enum {
    MANY_POINTS = 64,
    DENSE_BYTES = 1 << 12 /* of the chunks around points, for each of them: a page */
};

/* Refuse flags and reserved words that this version does not know. */
static drx_status check_form(const drx_array *a, const drx_box *box)
{
    if (box->flags & ~(unsigned)DRX_ALONE)
        return drxi_fail(DRX_EINVAL, "%s: flags 0x%x of the box, expected 0 or DRX_ALONE", a->parts.label, box->flags);
    if (!drxi_is_zero(box->reserved, sizeof box->reserved))
        return drxi_fail(DRX_EINVAL, "%s: reserved words of the box are not 0", a->parts.label);
    return DRX_OK;
}

/* What was asked for lies outside the bounds of axis j. */
static drx_status __attribute__((format(printf, 5, 6)))
outside(const drx_array *a, int j, int64_t lower, int64_t upper, const char *format, ...)
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
    for (int j = 0; j < a->log.state.desc.ndim; j++) {
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
            return outside(a, j, lower[j], bound, "%lld from index %lld on in steps of %lld", (long long)count[j],
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
    const int ndim = a->log.state.desc.ndim;

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

/* Everything before elements move; what is in the pool goes to the file. */
static drx_status begin(drx_array *a, const drx_box *box, const void *buf, bool *empty, int64_t stride_bytes[])
{
    drx_status st = drxi_check_box(a, a->log.state.lower, a->log.state.upper, box, buf, empty, stride_bytes);

    return st || *empty || !a->data.pool ? st : drxi_pool_flush(a->data.pool);
}

/* A payload that a trim has given back does not match: what counts is that it was trimmed. */
static bool lost(const drx_array *a, drx_status st)
{
    return a->data.pack && !a->parts.writable && (st == DRX_ECHECKSUM || st == DRX_EDAMAGED);
}

/* What the watch says, or else what came before it. */
static drx_status watched(drx_status watch, drx_status st)
{
    return watch ? watch : st;
}

drx_status drxi_read_now(drx_array *a, const drx_box *box, void *buf)
{
    int64_t stride_bytes[DRX_MAX_NDIM];
    bool empty;
    drx_status st;

    drxi_gate_enter(&a->gate);
    st = begin(a, box, buf, &empty, stride_bytes);
    if (!st && !empty)
        st = drxi_transfer_read(
            &a->data,
            &(struct drxi_box){ .lo = box->lo, .count = box->count, .step = box->step, .stride_bytes = stride_bytes },
            buf);
    if ((!st || lost(a, st)) && !empty)
        st = watched(drxi_watch_box(a, box->lo, box->count, box->step), st);
    drxi_gate_leave(&a->gate);
    return st;
}

drx_status drxi_write_now(drx_array *a, const drx_box *box, const void *buf)
{
    int64_t stride_bytes[DRX_MAX_NDIM];
    bool empty;
    drx_status st;

    drxi_gate_enter(&a->gate);
    st = drxi_check_writable(a);
    if (!st)
        st = begin(a, box, buf, &empty, stride_bytes);
    if (!st && !empty)
        st = drxi_transfer_write(&a->data,
                                 &(struct drxi_box){ .lo = box->lo,
                                                     .count = box->count,
                                                     .step = box->step,
                                                     .stride_bytes = stride_bytes,
                                                     .alone = (box->flags & DRX_ALONE) != 0 },
                                 buf);
    if (!st && !empty)
        st = drxi_watch_box(a, box->lo, box->count, box->step);
    drxi_gate_leave(&a->gate);
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

    return st ? st : drxi_read_now(a, box, buf);
}

drx_status drx_write_box(drx_array *a, const drx_box *box, const void *buf)
{
    drx_status st = take_turn(a, true, box);

    return st ? st : drxi_write_now(a, box, buf);
}

drx_status drx_read(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, void *buf)
{
    return drx_read_box(a, &(drx_box){ .lo = lo, .count = count, .order = order }, buf);
}

drx_status drx_write(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, const void *buf)
{
    return drx_write_box(a, &(drx_box){ .lo = lo, .count = count, .order = order }, buf);
}

static drx_status locate(const drx_array *a, const int64_t index[], const void *value, int64_t *offset)
{
    const struct drxi_state *s = &a->log.state;
    int64_t chunk[DRX_MAX_NDIM], within = 0;

    if (!index || !value)
        return drxi_fail(DRX_EINVAL, "%s: the index or the value is a null pointer", a->parts.label);
    for (int j = 0; j < s->desc.ndim; j++) {
        if (index[j] < s->lower[j] || index[j] >= s->upper[j])
            return outside(a, j, s->lower[j], s->upper[j], "index %lld", (long long)index[j]);
        chunk[j] = drxi_chunk_of(&a->data, j, index[j], &within);
    }
    *offset = drxi_map_address(&s->map, chunk) * a->data.chunk_pitch_bytes + within;
    return DRX_OK;
}

/* The same for one element. */
static drx_status take_turn_at(drx_array *a, bool writing, const int64_t index[])
{
    int64_t one[DRX_MAX_NDIM];

    if (!a)
        return drxi_no_array();
    for (int j = 0; j < DRX_MAX_NDIM; j++)
        one[j] = 1;
    return drxi_wait_turn(a, &(struct drxi_pending){ .writing = writing, .lo = index, .count = one });
}

/* The view that has the element in memory; NULL: calls read it. */
static const struct drxi_view *view_of_element(drx_array *a, int64_t offset)
{
    const struct drxi_view *view = drxi_as_from_disk() ? NULL : drxi_data_view(&a->data);

    if (view && drxi_data_asks(&a->data)) {
        const bool there = offset < view->bytes && drxi_data_resident(&a->data, offset);

        drxi_data_answer(&a->data, there);
        view = there ? view : NULL;
    }
    /* Under a limit of memory a call costs less than mapping what is soon released again. */
    return view && offset + (int64_t)a->data.item_bytes <= view->bytes && view->bytes <= drxi_view_most() ? view : NULL;
}

/* Get the element from the view, and see in the same visit that nothing was trimmed. A read from memory takes as long as
 * the processor waits for it, and the wait overlaps with the next one's when few instructions lie between them. */
static bool get_quickly(drx_array *a, const struct drxi_view *view, int64_t offset, void *value)
{
    const struct drxi_view *log;
    uint64_t word = 0;
    int64_t at = 0;

    return view && drxi_watch_place(a, &log, &at) &&
           drxi_view_get_then(view, offset, value, a->data.item_bytes, log, at, &word) &&
           (!log || drxi_watch_quiet(a, word));
}

static drx_status get_element(drx_array *a, const struct drxi_view *view, int64_t offset, void *value)
{
    if (view && drxi_view_get(view, offset, value, a->data.item_bytes))
        return DRX_OK;
    if (drxi_cached_get(&a->data, offset, value))
        return DRX_OK;
    return drxi_data_read(&a->data, value, a->data.item_bytes, offset);
}

/* With what the pool holds of it. */
static drx_status get_watched(drx_array *a, const int64_t index[], int64_t offset, void *value)
{
    const bool verifies = a->data.sums && drxi_verifies();
    const struct drxi_view *view;
    drx_status st = DRX_OK;

    if (a->data.pool && drxi_pool_get(a->data.pool, offset, value)) {
        drxi_swap(value, a->data.item_bytes, a->log.state.desc.type);
    } else {
        view = view_of_element(a, offset);
        if (!verifies && get_quickly(a, view, offset, value))
            return DRX_OK;
        st = get_element(a, view, offset, value);
    }
    if (!st && verifies)
        st = drxi_sums_verify_chunk(&a->data, offset / a->data.chunk_pitch_bytes);
    return !st || lost(a, st) ? watched(drxi_watch_points(a, 1, index), st) : st;
}

drx_status drx_get(drx_array *a, const int64_t index[], void *value)
{
    int64_t offset;
    drx_status st = DRX_OK;

    if ((!a || drxi_has_pending(a)) && (st = take_turn_at(a, false, index)))
        return st;
    drxi_gate_enter(&a->gate);
    st = locate(a, index, value, &offset);
    if (!st)
        st = get_watched(a, index, offset, value);
    drxi_gate_leave(&a->gate);
    return st;
}

static drx_status put_element(drx_array *a, int64_t offset, const void *value)
{
    uint8_t element[DRXI_ITEM_MAX_BYTES];
    bool taken = false;
    drx_status st = DRX_OK;

    memcpy(element, value, a->data.item_bytes);
    drxi_swap(element, a->data.item_bytes, a->log.state.desc.type);
    atomic_store_explicit(&a->data.unsynced, true, memory_order_relaxed);
    if (a->data.pool)
        st = drxi_pool_put(a->data.pool, offset, element, &taken);
    return st || taken ? st : drxi_data_put(&a->data, element, a->data.item_bytes, offset);
}

drx_status drx_put(drx_array *a, const int64_t index[], const void *value)
{
    int64_t offset;
    drx_status st = DRX_OK;

    if ((!a || drxi_has_pending(a)) && (st = take_turn_at(a, true, index)))
        return st;
    drxi_gate_enter(&a->gate);
    st = drxi_check_writable(a);
    if (!st)
        st = locate(a, index, value, &offset);
    if (!st)
        st = put_element(a, offset, value);
    if (!st)
        st = drxi_watch_points(a, 1, index);
    drxi_gate_leave(&a->gate);
    return st;
}

/* The box around points; empty where one of them cannot be an element. */
static void box_around(const drx_array *a, int64_t n, const int64_t indices[], int64_t lo[], int64_t count[])
{
    const int ndim = a->log.state.desc.ndim;

    for (int j = 0; j < ndim; j++) {
        int64_t last = indices[j];

        lo[j] = indices[j];
        for (int64_t i = 1; i < n; i++) {
            lo[j] = drxi_min(lo[j], indices[i * ndim + j]);
            last = drxi_max(last, indices[i * ndim + j]);
        }
        count[j] = lo[j] >= DRXI_LEAST_INDEX && last < INT64_MAX + drxi_min(lo[j], 0) ? last - lo[j] + 1 : 0;
    }
}

static drx_status check_points(const drx_array *a, int64_t n, const int64_t indices[], const void *values)
{
    const int ndim = a->log.state.desc.ndim;
    int64_t bytes;

    if (n < 0)
        return drxi_fail(DRX_EINVAL, "%s: %lld points, expected 0 or more", a->parts.label, (long long)n);
    if (n > 0 && (!indices || !values))
        return drxi_fail(DRX_EINVAL, "%s: the indices or the values are a null pointer", a->parts.label);
    if (!drxi_mul(n, (int64_t)sizeof *indices * ndim, &bytes) || !drxi_mul(n, (int64_t)a->data.item_bytes, &bytes))
        return drxi_fail(DRX_EOVERFLOW, "%s: the bytes of %lld points overflow 64 bits", a->parts.label, (long long)n);
    return DRX_OK;
}

static drx_status check_indices(const drx_array *a, int64_t n, const int64_t indices[])
{
    const int64_t *lower = a->log.state.lower, *upper = a->log.state.upper;
    const int ndim = a->log.state.desc.ndim;

    for (int64_t i = 0; i < n; i++)
        for (int j = 0; j < ndim; j++)
            if (indices[i * ndim + j] < lower[j] || indices[i * ndim + j] >= upper[j])
                return outside(a, j, lower[j], upper[j], "point %lld: index %lld", (long long)i,
                               (long long)indices[i * ndim + j]);
    return DRX_OK;
}

/* Many points that lie close together are written faster with what lies between them. Nobody else may write there
 * meanwhile: neither another handle, nor, while the gate is shut, another thread. */
static bool write_alone(const drx_array *a, int64_t n, const int64_t lo[], const int64_t count[])
{
    int64_t bytes = a->data.chunk_pitch_bytes;

    if (n < MANY_POINTS || a->data.others || a->data.sums || a->data.io->in_memory)
        return false;
    for (int j = 0; j < a->log.state.desc.ndim; j++) {
        const int64_t chunk = a->log.state.desc.chunk[j];

        if (count[j] < 1)
            return false;
        bytes =
            drxi_mul_saturated(bytes, drxi_floor_div(lo[j] + count[j] - 1, chunk) - drxi_floor_div(lo[j], chunk) + 1);
    }
    return bytes / n <= DENSE_BYTES;
}

static void enter(drx_array *a, bool alone)
{
    if (alone)
        drxi_gate_shut(&a->gate);
    else
        drxi_gate_enter(&a->gate);
}

static void leave(drx_array *a, bool alone)
{
    if (alone)
        drxi_gate_open(&a->gate);
    else
        drxi_gate_leave(&a->gate);
}

static drx_status move_points(drx_array *a, bool writing, int64_t n, const int64_t indices[], void *values)
{
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    bool alone = false;
    drx_status st = a ? check_points(a, n, indices, values) : drxi_no_array();

    if (!st && n > 0 && (writing || drxi_has_pending(a))) {
        box_around(a, n, indices, lo, count);
        st = drxi_wait_turn(a, &(struct drxi_pending){ .writing = writing, .lo = lo, .count = count });
        alone = writing && write_alone(a, n, lo, count);
    }
    if (st)
        return st;
    enter(a, alone);
    if (writing)
        st = drxi_check_writable(a);
    if (!st)
        st = check_indices(a, n, indices);
    if (!st && n > 0 && a->data.pool)
        st = drxi_pool_flush(a->data.pool);
    if (!st)
        st = writing ? drxi_points_write(&a->data, n, indices, values, alone)
                     : drxi_points_read(&a->data, n, indices, values);
    if (!st || lost(a, st))
        st = watched(drxi_watch_points(a, n, indices), st);
    leave(a, alone);
    return st;
}

drx_status drx_read_points(drx_array *a, int64_t n, const int64_t indices[], void *values)
{
    return move_points(a, false, n, indices, values);
}

drx_status drx_write_points(drx_array *a, int64_t n, const int64_t indices[], const void *values)
{
    return move_points(a, true, n, indices, (void *)(uintptr_t)values); /* only read */
}

drx_status drx_set_pool(drx_array *a, size_t bytes)
{
    drx_status st;

    if (!a)
        return drxi_no_array();
    drxi_gate_shut(&a->gate);
    st = a->data.pool ? drxi_pool_bound(a->data.pool, bytes) : DRX_OK;
    drxi_gate_open(&a->gate);
    return st;
}
