/* Growth. drx_extend: look after the cells it uncovers, make room, append GROW.
 * drx_append: append INTENT, make room, write, append GROW; what fails on the way
 * is undone at once, what a crash cuts off at the next open for writing. */
#include "array/array.h"
#include "copy/copy.h"

/* Every growth of a program passes here, on MPI on every rank: refuse here what may not grow. */
drx_status drxi_prepare_growth(drx_array *a, int axis, int64_t by, struct drxi_step *step)
{
    drx_status st = drxi_check_writable(a);

    if (st)
        return st;
    if (axis < 0 || axis >= a->log.state.desc.ndim)
        return drxi_fail(DRX_EINVAL, "%s: axis %d, expected 0 to %d", a->parts.label, axis, a->log.state.desc.ndim - 1);
    if (by < 0)
        return drxi_fail(DRX_EINVAL, "%s: axis %d: growing by %lld, expected 0 or more", a->parts.label, axis,
                         (long long)by);
    if ((st = drxi_state_prepare(&a->log.state, axis, by, step)))
        return drxi_fail(st, "%s: %s", a->parts.label, drx_last_error());
    if (by == 0 || !a->data.pool)
        return DRX_OK;
    return drxi_pool_flush(a->data.pool);
}

drx_status drxi_fail_append(drx_array *a, const struct drxi_step *step, drx_status st)
{
    char detail[DRXI_DETAIL_BYTES];

    drxi_report_keep(detail);
    if (drxi_undo_append(a, &step->growth))
        a->log.broken = st;
    drxi_report_set(detail);
    return st;
}

drx_status drxi_extend(drx_array *a, const struct drxi_step *step)
{
    drx_status st = drxi_clear_residue(a, step->growth.axis, step->growth.bound);

    if (st)
        return st;
    st = drxi_data_allocate(&a->data, step->chunks_before, step->chunks_after);
    return st ? drxi_fail_append(a, step, st) : drxi_commit_append(a, step);
}

/* Write the new slab, whose chunks the map does not have yet. */
static drx_status write_slab(drx_array *a, const struct drxi_step *step, drx_order order, const void *buf)
{
    drxi_map *map = &a->log.state.map;
    const struct drxi_map_mark mark = drxi_map_mark(map);
    const int axis = step->growth.axis;
    int64_t lo[DRX_MAX_NDIM];
    int64_t count[DRX_MAX_NDIM];
    int64_t stride[DRX_MAX_NDIM];
    drx_status st;

    if (!drxi_slab_to(a, axis, step->growth.bound, lo, count))
        return DRX_OK;
    drxi_strides(a->log.state.desc.ndim, count, a->data.item_bytes, order, stride);
    drxi_map_grow(map, axis, step->by_chunks);
    st = drxi_transfer_write(&a->data, &(struct drxi_box){ .lo = lo, .count = count, .stride_bytes = stride }, buf);
    drxi_map_ungrow(map, axis, step->by_chunks, mark);
    return st;
}

drx_status drxi_begin_append(drx_array *a, const struct drxi_step *step)
{
    drx_status st = drxi_clear_residue(a, step->growth.axis, step->growth.bound);

    if (!st)
        st = drxi_log_append_growth(&a->log, DRXI_INTENT, &step->growth);
    if (st)
        return st;
    st = drxi_data_allocate(&a->data, step->chunks_before, step->chunks_after);
    return st ? drxi_fail_append(a, step, st) : DRX_OK;
}

drx_status drxi_commit_append(drx_array *a, const struct drxi_step *step)
{
    drx_status st = drxi_log_append_growth(&a->log, DRXI_GROW, &step->growth);

    if (st)
        return drxi_fail_append(a, step, st);
    drxi_state_grow(&a->log.state, step);
    return DRX_OK;
}

static drx_status append(drx_array *a, const struct drxi_step *step, drx_order order, const void *buf)
{
    drx_status st;

    if (!buf)
        return drxi_fail(DRX_EINVAL, "%s: appending from a null pointer", a->parts.label);
    if ((st = drxi_begin_append(a, step)))
        return st;
    st = write_slab(a, step, order, buf);
    return st ? drxi_fail_append(a, step, st) : drxi_commit_append(a, step);
}

drx_status drx_extend(drx_array *a, int axis, int64_t by)
{
    struct drxi_step step;
    drx_status st = drxi_wait_to_grow(a, axis);

    if (st)
        return st;
    st = drxi_begin_change(a);
    if (!st)
        st = drxi_prepare_growth(a, axis, by, &step);
    if (!st && by > 0)
        st = drxi_extend(a, &step);
    return drxi_end_change(a, st);
}

drx_status drx_reserve(drx_array *a, int axis, int64_t by, int64_t lo[], int64_t count[])
{
    int64_t first[DRX_MAX_NDIM], extent[DRX_MAX_NDIM];
    struct drxi_step step;
    drx_status st = drxi_wait_to_grow(a, axis);

    if (st)
        return st;
    st = drxi_begin_change(a);
    if (!st && (!lo || !count))
        st = drxi_fail(DRX_EINVAL, "%s: lo or count is a null pointer", a->parts.label);
    if (!st)
        st = drxi_prepare_growth(a, axis, by, &step);
    if (!st)
        (void)drxi_slab_to(a, axis, step.growth.bound, first, extent);
    if (!st && by > 0)
        st = drxi_extend(a, &step);
    if (!st) {
        memcpy(lo, first, sizeof *lo * (size_t)a->log.state.desc.ndim);
        memcpy(count, extent, sizeof *count * (size_t)a->log.state.desc.ndim);
    }
    return drxi_end_change(a, st);
}

/* Others who share the array may have grown it since the caller looked: the slab has the extents that it knew. */
static drx_status check_slab(const drx_array *a, int axis, const int64_t known[])
{
    for (int j = 0; j < a->log.state.desc.ndim; j++)
        if (j != axis && known[j] != a->log.state.shape[j])
            return drxi_fail(DRX_EMISMATCH, "%s: axis %d: the slab has extent %lld, the bound is %lld now",
                             a->parts.label, j, (long long)known[j], (long long)a->log.state.shape[j]);
    return DRX_OK;
}

drx_status drx_append(drx_array *a, int axis, int64_t by, drx_order order, const void *buf)
{
    int64_t known[DRX_MAX_NDIM];
    struct drxi_step step;
    drx_status st = drxi_wait_to_grow(a, axis);

    if (st)
        return st;
    drxi_gate_shut(&a->gate);
    memcpy(known, a->log.state.shape, sizeof known);
    st = drxi_begin_log_change(a);
    if (!st && order != DRX_ROW_MAJOR && order != DRX_COL_MAJOR)
        st = drxi_fail(DRX_EINVAL, "%s: order %d, expected DRX_ROW_MAJOR or DRX_COL_MAJOR", a->parts.label, (int)order);
    if (!st)
        st = drxi_prepare_growth(a, axis, by, &step);
    if (!st)
        st = check_slab(a, axis, known);
    if (!st && by > 0)
        st = append(a, &step, order, buf);
    return drxi_end_change(a, st);
}
