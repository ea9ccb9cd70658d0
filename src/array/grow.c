/* Growth, at either end. drx_extend: look after the cells it uncovers, make room, append GROW.
 * drx_append_pieces: append INTENT, make room, write piece after piece, append
 * GROW; what fails on the way is undone at once, what a crash cuts off at the
 * next open for writing. drx_append is the same of one piece. */
#include "array/array.h"
#include "copy/copy.h"

enum { LOOK_BACK = 64 }; /* growths */

drx_status drxi_check_growable(const drx_array *a, int axis)
{
    drx_status st = drxi_check_writable(a);

    if (st)
        return st;
    if (a->in_dataset)
        return drxi_fail(DRX_EINVAL,
                         "%s: a variable of a dataset: its bounds are those of its dimensions: drx_dataset_extend, "
                         "drx_dataset_extend_before and drx_dataset_trim change them",
                         a->parts.label);
    if (axis < 0 || axis >= a->log.state.desc.ndim)
        return drxi_fail(DRX_EINVAL, "%s: axis %d, expected 0 to %d", a->parts.label, axis, a->log.state.desc.ndim - 1);
    return DRX_OK;
}

/* Every growth of a program passes here, on MPI on every rank: refuse here what may not grow. */
drx_status drxi_prepare_growth(drx_array *a, int axis, enum drxi_end end, int64_t by, struct drxi_step *step)
{
    drx_status st = drxi_check_growable(a, axis);

    if (st)
        return st;
    if (by < 0)
        return drxi_fail(DRX_EINVAL, "%s: axis %d: growing by %lld, expected 0 or more", a->parts.label, axis,
                         (long long)by);
    if ((st = drxi_state_prepare(&a->log.state, axis, end, by, step)))
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

drx_status drxi_close_before(drx_array *a, const struct drxi_growth *growth, const struct drxi_closer *closer)
{
    const struct drxi_state *s = &a->log.state;
    const int j = growth->axis;

    for (int64_t i = s->growths - 1; a->data.pack && i >= drxi_max(0, s->growths - LOOK_BACK); i--) {
        const int64_t by = s->growth_by[i];

        if (s->growth_axis[i] != j || (by < 0) != (growth->end == DRXI_LOW))
            continue;
        return growth->end == DRXI_LOW
                   ? drxi_packed_passed(&a->data, closer, j, DRXI_LOW, s->lower[j] - by, s->lower[j])
                   : drxi_packed_passed(&a->data, closer, j, DRXI_HIGH, s->upper[j] - by, s->upper[j]);
    }
    return DRX_OK;
}

drx_status drxi_close_slab(drx_array *a, const struct drxi_step *step, const struct drxi_closer *closer)
{
    drxi_map *map = &a->log.state.map;
    const int axis = step->growth.axis;
    const enum drxi_end end = step->growth.end;
    const struct drxi_map_mark mark = drxi_map_mark(map, axis, end);
    drx_status st;

    if (!a->data.pack)
        return DRX_OK;
    drxi_map_grow(map, axis, end, step->by_chunks);
    st = drxi_packed_passed(&a->data, closer, axis, end,
                            end == DRXI_LOW ? a->log.state.lower[axis] : a->log.state.upper[axis], step->growth.bound);
    drxi_map_ungrow(map, axis, end, step->by_chunks, mark);
    return st;
}

drx_status drxi_extend(drx_array *a, const struct drxi_step *step)
{
    drx_status st = drxi_clear_residue(a, &step->growth);

    if (!st)
        st = drxi_close_before(a, &step->growth, NULL);
    return st ? st : drxi_extend_now(a, step);
}

drx_status drxi_extend_now(drx_array *a, const struct drxi_step *step)
{
    const drx_status st = drxi_data_allocate(&a->data, step->chunks_before, step->chunks_after);

    return st ? drxi_fail_append(a, step, st) : drxi_commit_append(a, step);
}

/* Write n indices of the new slab from index `done` of it on, into chunks that the map does not have yet. */
static drx_status write_piece(drx_array *a, const struct drxi_step *step, int64_t done, int64_t n, drx_order order,
                              const void *buf)
{
    drxi_map *map = &a->log.state.map;
    const int axis = step->growth.axis;
    const enum drxi_end end = step->growth.end;
    const struct drxi_map_mark mark = drxi_map_mark(map, axis, end);
    int64_t lo[DRX_MAX_NDIM];
    int64_t count[DRX_MAX_NDIM];
    int64_t stride[DRX_MAX_NDIM];
    drx_status st;

    if (!drxi_slab_of(a, &step->growth, lo, count))
        return DRX_OK;
    lo[axis] += done;
    count[axis] = n;
    drxi_strides(a->log.state.desc.ndim, count, a->data.item_bytes, order, stride);
    drxi_map_grow(map, axis, end, step->by_chunks);
    st = drxi_transfer_write(
        &a->data, &(struct drxi_box){ .lo = lo, .count = count, .stride_bytes = stride, .growth = &step->growth }, buf);
    drxi_map_ungrow(map, axis, end, step->by_chunks, mark);
    return st;
}

drx_status drxi_begin_append(drx_array *a, const struct drxi_step *step)
{
    drx_status st = drxi_clear_residue(a, &step->growth);

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

static drx_status from_nothing(const drx_array *a)
{
    return drxi_fail(DRX_EINVAL, "%s: appending from a null pointer", a->parts.label);
}

drx_status drxi_check_piece(const drx_array *a, int64_t done, int64_t by, int64_t n)
{
    if (n >= 1 && n <= by - done)
        return DRX_OK;
    return drxi_fail(DRX_EINVAL, "%s: a piece of %lld indices from index %lld of the slab on, expected 1 to %lld",
                     a->parts.label, (long long)n, (long long)done, (long long)(by - done));
}

drx_status drxi_refused_piece(const drx_array *a, int64_t done, int64_t by, drx_status st)
{
    if (st && !*drx_last_error())
        return drxi_fail(st, "%s: the append was given up by its caller, after %lld of %lld indices", a->parts.label,
                         (long long)done, (long long)by);
    return st;
}

/* A slab as the caller gives it. */
struct slab {
    int64_t by;
    drx_order order;
    drx_next_piece *next;
    void *with;
};

/* Write all of it. */
static drx_status write_slab(drx_array *a, const struct drxi_step *step, const struct slab *slab)
{
    drx_status st = DRX_OK;

    for (int64_t done = 0, n = 0; !st && done <= slab->by; done += n) {
        const void *buf = NULL;

        n = 0;
        drxi_report_clear();
        st = drxi_refused_piece(a, done, slab->by, slab->next(slab->with, done, &n, &buf));
        if (st || done == slab->by)
            break;
        st = buf ? drxi_check_piece(a, done, slab->by, n) : from_nothing(a);
        if (!st)
            st = write_piece(a, step, done, n, slab->order, buf);
    }
    return st;
}

static drx_status append(drx_array *a, const struct drxi_step *step, const struct slab *slab)
{
    drx_status st;

    if (!slab->next)
        return from_nothing(a);
    if ((st = drxi_begin_append(a, step)))
        return st;
    st = write_slab(a, step, slab);
    if (!st)
        st = drxi_close_slab(a, step, NULL);
    return st ? drxi_fail_append(a, step, st) : drxi_commit_append(a, step);
}

/* tells: in lo and count, which indices are new. */
static drx_status extend(drx_array *a, int axis, enum drxi_end end, int64_t by, bool tells, int64_t lo[],
                         int64_t count[])
{
    int64_t first[DRX_MAX_NDIM], extent[DRX_MAX_NDIM];
    struct drxi_step step;
    drx_status st = drxi_wait_to_grow(a, axis, end);

    if (st)
        return st;
    st = drxi_begin_change(a);
    if (!st && tells && (!lo || !count))
        st = drxi_fail(DRX_EINVAL, "%s: lo or count is a null pointer", a->parts.label);
    if (!st)
        st = drxi_prepare_growth(a, axis, end, by, &step);
    if (!st)
        (void)drxi_slab_of(a, &step.growth, first, extent);
    if (!st && by > 0)
        st = drxi_extend(a, &step);
    if (!st && tells) {
        memcpy(lo, first, sizeof *lo * (size_t)a->log.state.desc.ndim);
        memcpy(count, extent, sizeof *count * (size_t)a->log.state.desc.ndim);
    }
    return drxi_end_change(a, st);
}

drx_status drx_extend(drx_array *a, int axis, int64_t by)
{
    return extend(a, axis, DRXI_HIGH, by, false, NULL, NULL);
}

drx_status drx_extend_before(drx_array *a, int axis, int64_t by)
{
    return extend(a, axis, DRXI_LOW, by, false, NULL, NULL);
}

drx_status drx_reserve(drx_array *a, int axis, int64_t by, int64_t lo[], int64_t count[])
{
    return extend(a, axis, DRXI_HIGH, by, true, lo, count);
}

drx_status drx_reserve_before(drx_array *a, int axis, int64_t by, int64_t lo[], int64_t count[])
{
    return extend(a, axis, DRXI_LOW, by, true, lo, count);
}

/* Others who share the array may have changed its bounds since the caller looked: the slab has the ones that it knew. */
static drx_status check_slab(const drx_array *a, int axis, const int64_t lower[], const int64_t upper[])
{
    const struct drxi_state *s = &a->log.state;

    for (int j = 0; j < s->desc.ndim; j++)
        if (j != axis && (lower[j] != s->lower[j] || upper[j] != s->upper[j]))
            return drxi_fail(DRX_EMISMATCH,
                             "%s: axis %d: the slab has the indices %lld to %lld, the array %lld to %lld now",
                             a->parts.label, j, (long long)lower[j], (long long)upper[j] - 1, (long long)s->lower[j],
                             (long long)s->upper[j] - 1);
    return DRX_OK;
}

static drx_status append_pieces(drx_array *a, int axis, enum drxi_end end, const struct slab *slab)
{
    int64_t lower[DRX_MAX_NDIM], upper[DRX_MAX_NDIM];
    struct drxi_step step;
    drx_status st = drxi_wait_to_grow(a, axis, end);

    if (st)
        return st;
    drxi_gate_shut(&a->gate);
    memcpy(lower, a->log.state.lower, sizeof lower);
    memcpy(upper, a->log.state.upper, sizeof upper);
    st = drxi_begin_log_change(a);
    if (!st && slab->order != DRX_ROW_MAJOR && slab->order != DRX_COL_MAJOR)
        st = drxi_fail(DRX_EINVAL, "%s: order %d, expected DRX_ROW_MAJOR or DRX_COL_MAJOR", a->parts.label,
                       (int)slab->order);
    if (!st)
        st = drxi_prepare_growth(a, axis, end, slab->by, &step);
    if (!st)
        st = check_slab(a, axis, lower, upper);
    if (!st && slab->by > 0)
        st = append(a, &step, slab);
    return drxi_end_change(a, st);
}

drx_status drx_append_pieces(drx_array *a, int axis, int64_t by, drx_order order, drx_next_piece *next, void *with)
{
    return append_pieces(a, axis, DRXI_HIGH, &(struct slab){ by, order, next, with });
}

drx_status drx_prepend_pieces(drx_array *a, int axis, int64_t by, drx_order order, drx_next_piece *next, void *with)
{
    return append_pieces(a, axis, DRXI_LOW, &(struct slab){ by, order, next, with });
}

/* A slab in one piece. */
struct whole {
    int64_t by;
    const void *buf;
};

static drx_status next_whole(void *with, int64_t done, int64_t *n, const void **buf)
{
    const struct whole *whole = with;

    *n = whole->by - done;
    *buf = whole->buf;
    return DRX_OK;
}

drx_status drx_append(drx_array *a, int axis, int64_t by, drx_order order, const void *buf)
{
    struct whole whole = { by, buf };

    return drx_append_pieces(a, axis, by, order, buf ? next_whole : NULL, &whole);
}

drx_status drx_prepend(drx_array *a, int axis, int64_t by, drx_order order, const void *buf)
{
    struct whole whole = { by, buf };

    return drx_prepend_pieces(a, axis, by, order, buf ? next_whole : NULL, &whole);
}
