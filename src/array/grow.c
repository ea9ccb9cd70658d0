/* Growth. drx_extend: look after the cells it uncovers, make room, append GROW.
 * drx_append: append INTENT, make room, write, append GROW; what fails on the way
 * is undone at once, what a crash cuts off at the next open for writing. */
#include "array/array.h"
#include "copy/copy.h"

enum { INSPECT_BYTES = 1 << 20 };

drx_status drxi_allocate(drx_array *a, int64_t before, int64_t after)
{
    const int64_t pitch = a->chunk_pitch_bytes;
    drx_status st = DRX_OK;

    if (after == before)
        return DRX_OK;
    if (!a->zero_fill)
        st = a->data->ops->reserve(a->data, before * pitch, after * pitch);
    if (!st && !a->zero_fill)
        st = drxi_data_fill(a, before * pitch, after * pitch);
    if (!st)
        st = drxi_data_resize(a, after);
    if (!st && !a->zero_fill && a->state.ever_synced)
        st = drxi_make_durable(a, a->data);
    return st;
}

/* The box of indices from the bound of `axis` to `end`, inside the other bounds;
 * false when it is empty. */
static bool slab_to(const drx_array *a, int axis, int64_t end, int64_t lo[], int64_t count[])
{
    bool some = true;

    for (int j = 0; j < a->state.desc.ndim; j++) {
        lo[j] = j == axis ? a->state.shape[j] : 0;
        count[j] = (j == axis ? end : a->state.shape[j]) - lo[j];
        some = some && count[j] > 0;
    }
    return some;
}

/* ---- cells outside the bounds that may not hold the fill ----------------------- */

static bool holds_fill(const drx_array *a, const uint8_t *buf, int64_t n)
{
    return memcmp(buf, a->state.desc.fill, a->item_bytes) == 0 &&
           memcmp(buf, buf + a->item_bytes, (size_t)(n - 1) * a->item_bytes) == 0;
}

static drx_status write_fill_box(drx_array *a, const int64_t lo[], const int64_t count[])
{
    const int64_t stride[DRX_MAX_NDIM] = {0}; /* one element for all */

    return drxi_transfer_write(a, &(struct drxi_box){.lo = lo, .count = count, .stride_bytes = stride}, a->state.desc.fill);
}

struct restoring {
    drx_array *a;
    uint8_t *buf;
    int64_t hole_begin, hole_end; /* of the file, as far as is known */
    bool changed;
};

/* Whether a hole covers the bytes of a box that lies in one chunk. */
static drx_status in_hole(struct restoring *r, int64_t chunk_offset, const int64_t start[], const int64_t count[],
                          bool *covered)
{
    const drx_array *a = r->a;
    int64_t begin = chunk_offset;
    int64_t end = chunk_offset + (int64_t)a->item_bytes;
    int64_t stop;
    drx_status st = DRX_OK;

    for (int j = 0; j < a->state.desc.ndim; j++) {
        begin += start[j] * a->item_pitch_bytes[j];
        end += (start[j] + count[j] - 1) * a->item_pitch_bytes[j];
    }
    if (begin < r->hole_begin || begin >= r->hole_end) {
        st = a->data->ops->extent(a->data, begin, &r->hole_end, &stop);
        r->hole_begin = begin;
    }
    *covered = a->zero_fill && end <= r->hole_end;
    return st;
}

/* Restore a box that lies in the chunk of that index and offset, in parts that fit
 * the buffer: the fill is written over those that hold anything else, where space
 * is taken already. */
static drx_status restore_box(struct restoring *r, const int64_t index[], int64_t chunk_offset, int64_t start[],
                              int64_t count[])
{
    drx_array *a = r->a;
    const int ndim = a->state.desc.ndim;
    int64_t lo[DRX_MAX_NDIM];
    int64_t stride[DRX_MAX_NDIM];
    int64_t items = 1;
    int longest = 0;
    bool covered;
    drx_status st = in_hole(r, chunk_offset, start, count, &covered);

    if (st || covered)
        return st;
    for (int j = 0; j < ndim; j++) {
        lo[j] = index[j] * a->state.desc.chunk[j] + start[j];
        items *= count[j];
        longest = count[j] > count[longest] ? j : longest;
    }
    if (items * (int64_t)a->item_bytes > INSPECT_BYTES) {
        const int64_t all = count[longest];

        count[longest] = all / 2;
        st = restore_box(r, index, chunk_offset, start, count);
        start[longest] += all / 2;
        count[longest] = all - all / 2;
        if (!st)
            st = restore_box(r, index, chunk_offset, start, count);
        start[longest] -= all / 2;
        count[longest] = all;
        return st;
    }
    drxi_strides(ndim, count, a->item_bytes, DRX_ROW_MAJOR, stride);
    st = drxi_transfer_read(a, &(struct drxi_box){.lo = lo, .count = count, .stride_bytes = stride}, r->buf);
    if (st || holds_fill(a, r->buf, items))
        return st;
    r->changed = true;
    return write_fill_box(a, lo, count);
}

/* Let a box of cells, in chunks that exist, hold the fill; *changed is set when it did not. */
static drx_status restore_cells(drx_array *a, const int64_t lo[], const int64_t count[], bool *changed)
{
    struct restoring r = {a, NULL, 0, 0, false};
    struct drxi_cursor cursor;
    drx_status st = DRX_OK;

    r.buf = drxi_malloc(INSPECT_BYTES);
    if (!r.buf)
        return DRX_ENOMEM;
    drxi_cursor_start(&cursor, a, lo, count, NULL);
    while (!st && drxi_cursor_next(&cursor))
        st = restore_box(&r, cursor.index, cursor.piece.address * a->chunk_pitch_bytes, cursor.piece.start,
                         cursor.piece.count);
    *changed = *changed || r.changed;
    drxi_free(r.buf);
    return st;
}

/* The same for those from the bound of `axis` to `end`, inside the other bounds. */
static drx_status restore_fill(drx_array *a, int axis, int64_t end, bool *changed)
{
    int64_t lo[DRX_MAX_NDIM];
    int64_t count[DRX_MAX_NDIM];

    return slab_to(a, axis, end, lo, count) ? restore_cells(a, lo, count, changed) : DRX_OK;
}

/* The cells beyond the bound of axis 0, then those beyond that of axis 1 and not of axis 0, and so on. */
drx_status drxi_restore_outside(drx_array *a, bool *changed)
{
    const int ndim = a->state.desc.ndim;
    int64_t lo[DRX_MAX_NDIM] = {0};
    int64_t count[DRX_MAX_NDIM];
    drx_status st = DRX_OK;

    *changed = false;
    for (int j = 0; j < ndim; j++)
        count[j] = drxi_chunks_end(a, j);
    for (int j = 0; !st && j < ndim && a->state.map.chunks > 0; j++) {
        lo[j] = a->state.shape[j];
        count[j] -= lo[j];
        if (count[j] > 0)
            st = restore_cells(a, lo, count, changed);
        lo[j] = 0;
        count[j] = a->state.shape[j];
    }
    return st || !*changed ? st : drxi_make_durable(a, a->data);
}

/* Before growth uncovers cells that were there when the array was opened: a crash
 * may have left something in them, of which the log need not know. What is found
 * is gone for good, before a GROW can bring it to light. */
static drx_status clear_residue(drx_array *a, int axis, int64_t bound)
{
    bool changed = false;
    drx_status st = restore_fill(a, axis, drxi_min(bound, a->found[axis]), &changed);

    if (!st && changed)
        st = drxi_make_durable(a, a->data);
    return st;
}

drx_status drxi_undo_append(drx_array *a, const struct drxi_growth *growth)
{
    const int64_t in_chunks = drxi_chunks_end(a, growth->axis);
    bool changed = false;
    drx_status st = drxi_data_resize(a, a->state.map.chunks);

    if (!st)
        st = restore_fill(a, growth->axis, drxi_min(growth->bound, in_chunks), &changed);
    if (!st)
        st = drxi_make_durable(a, a->data);
    return st;
}

/* ---- the calls ------------------------------------------------------------------- */

drx_status drxi_prepare_growth(drx_array *a, int axis, int64_t by, struct drxi_step *step)
{
    drx_status st = drxi_check_writable(a);

    if (st)
        return st;
    if (axis < 0 || axis >= a->state.desc.ndim)
        return drxi_fail(DRX_EINVAL, "%s: axis %d, expected 0 to %d", a->label, axis, a->state.desc.ndim - 1);
    if (by < 0)
        return drxi_fail(DRX_EINVAL, "%s: axis %d: growing by %lld, expected 0 or more", a->label, axis, (long long)by);
    if ((st = drxi_state_prepare(&a->state, axis, by, step)))
        return drxi_fail(st, "%s: %s", a->label, drx_last_error());
    if (by == 0 || !a->pool)
        return DRX_OK;
    return drxi_pool_flush(a->pool);
}

drx_status drxi_fail_append(drx_array *a, const struct drxi_step *step, drx_status st)
{
    char detail[DRXI_DETAIL_BYTES];

    drxi_report_keep(detail);
    if (drxi_undo_append(a, &step->growth))
        a->broken = st;
    drxi_report_set(detail);
    return st;
}

drx_status drxi_extend(drx_array *a, const struct drxi_step *step)
{
    drx_status st = clear_residue(a, step->growth.axis, step->growth.bound);

    if (st)
        return st;
    st = drxi_allocate(a, step->chunks_before, step->chunks_after);
    if (!st)
        st = drxi_log_append_growth(a, DRXI_GROW, &step->growth);
    if (st)
        return drxi_fail_append(a, step, st);
    drxi_state_grow(&a->state, step);
    return DRX_OK;
}

/* Write the new slab, whose chunks the map does not have yet. */
static drx_status write_slab(drx_array *a, const struct drxi_step *step, drx_order order, const void *buf)
{
    drxi_map *map = &a->state.map;
    const struct drxi_map_mark mark = drxi_map_mark(map);
    const int axis = step->growth.axis;
    int64_t lo[DRX_MAX_NDIM];
    int64_t count[DRX_MAX_NDIM];
    int64_t stride[DRX_MAX_NDIM];
    drx_status st;

    if (!slab_to(a, axis, step->growth.bound, lo, count))
        return DRX_OK;
    drxi_strides(a->state.desc.ndim, count, a->item_bytes, order, stride);
    drxi_map_grow(map, axis, step->by_chunks);
    st = drxi_transfer_write(a, &(struct drxi_box){.lo = lo, .count = count, .stride_bytes = stride}, buf);
    drxi_map_ungrow(map, axis, step->by_chunks, mark);
    return st;
}

drx_status drxi_begin_append(drx_array *a, const struct drxi_step *step)
{
    drx_status st = clear_residue(a, step->growth.axis, step->growth.bound);

    if (!st)
        st = drxi_log_append_growth(a, DRXI_INTENT, &step->growth);
    if (st)
        return st;
    st = drxi_allocate(a, step->chunks_before, step->chunks_after);
    return st ? drxi_fail_append(a, step, st) : DRX_OK;
}

drx_status drxi_commit_append(drx_array *a, const struct drxi_step *step)
{
    drx_status st = drxi_log_append_growth(a, DRXI_GROW, &step->growth);

    if (st)
        return drxi_fail_append(a, step, st);
    drxi_state_grow(&a->state, step);
    return DRX_OK;
}

static drx_status append(drx_array *a, const struct drxi_step *step, drx_order order, const void *buf)
{
    drx_status st;

    if (!buf)
        return drxi_fail(DRX_EINVAL, "%s: appending from a null pointer", a->label);
    if ((st = drxi_begin_append(a, step)))
        return st;
    st = write_slab(a, step, order, buf);
    return st ? drxi_fail_append(a, step, st) : drxi_commit_append(a, step);
}

drx_status drx_extend(drx_array *a, int axis, int64_t by)
{
    struct drxi_step step;
    drx_status st;

    if (!a)
        return drxi_no_array();
    drxi_gate_shut(&a->gate);
    st = drxi_begin_change(a);
    if (!st)
        st = drxi_prepare_growth(a, axis, by, &step);
    if (!st && by > 0)
        st = drxi_extend(a, &step);
    drxi_end_change(a);
    drxi_gate_open(&a->gate);
    return st;
}

drx_status drx_reserve(drx_array *a, int axis, int64_t by, int64_t lo[], int64_t count[])
{
    struct drxi_step step;
    drx_status st;

    if (!a)
        return drxi_no_array();
    if (!lo || !count)
        return drxi_fail(DRX_EINVAL, "%s: lo or count is a null pointer", a->label);
    drxi_gate_shut(&a->gate);
    st = drxi_begin_change(a);
    if (!st)
        st = drxi_prepare_growth(a, axis, by, &step);
    if (!st)
        (void)slab_to(a, axis, step.growth.bound, lo, count);
    if (!st && by > 0)
        st = drxi_extend(a, &step);
    drxi_end_change(a);
    drxi_gate_open(&a->gate);
    return st;
}

/* Others who share the array may have grown it: the slab is one of the bounds that the caller knew. */
static drx_status check_slab(const drx_array *a, int axis, const int64_t known[])
{
    for (int j = 0; j < a->state.desc.ndim; j++)
        if (j != axis && known[j] != a->state.shape[j])
            return drxi_fail(DRX_EMISMATCH, "%s: axis %d: the slab has extent %lld, the bound is %lld now", a->label, j,
                             (long long)known[j], (long long)a->state.shape[j]);
    return DRX_OK;
}

drx_status drx_append(drx_array *a, int axis, int64_t by, drx_order order, const void *buf)
{
    int64_t known[DRX_MAX_NDIM];
    struct drxi_step step;
    drx_status st;

    if (!a)
        return drxi_no_array();
    if (order != DRX_ROW_MAJOR && order != DRX_COL_MAJOR)
        return drxi_fail(DRX_EINVAL, "%s: order %d, expected DRX_ROW_MAJOR or DRX_COL_MAJOR", a->label, (int)order);
    drxi_gate_shut(&a->gate);
    memcpy(known, a->state.shape, sizeof known);
    st = drxi_begin_change(a);
    if (!st)
        st = drxi_prepare_growth(a, axis, by, &step);
    if (!st)
        st = check_slab(a, axis, known);
    if (!st && by > 0)
        st = append(a, &step, order, buf);
    drxi_end_change(a);
    drxi_gate_open(&a->gate);
    return st;
}
