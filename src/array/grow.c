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
    if (a->owner->bounds)
        return drxi_fail(DRX_EINVAL, "%s: %s", a->parts.label, a->owner->bounds);
    if (axis < 0 || axis >= a->log.state.desc.ndim)
        return drxi_fail(DRX_EINVAL, "%s: axis %d, expected 0 to %d", a->parts.label, axis, a->log.state.desc.ndim - 1);
    return DRX_OK;
}

static void publish(drx_array *a, struct drxi_change *c)
{
    (void)drxi_gate_close(&a->gate);
    drxi_state_grow(&a->log.state, &c->step);
    drxi_data_follow(&a->data);
    drxi_data_resized(&a->data);
}

static drx_status undo(drx_array *a, struct drxi_change *c, drx_status st)
{
    char detail[DRXI_DETAIL_BYTES];

    drxi_gate_clear(&a->gate);
    drxi_report_keep(detail);
    if (drxi_undo_append(a, &c->step.growth) || drxi_log_drop_append(&a->log))
        a->log.broken = st;
    drxi_data_resized(&a->data);
    drxi_report_set(detail);
    return st;
}

drx_status drxi_close_before(drx_array *a, const struct drxi_closer *closer, const void *of)
{
    const struct drxi_state *s = &a->log.state;
    const struct drxi_growth *growth = of;
    const int j = growth->axis;

    for (int64_t i = s->growths - 1; drxi_may_be_open(&a->data) && i >= drxi_max(0, s->growths - LOOK_BACK); i--) {
        const int64_t by = s->growth_by[i];

        if (s->growth_axis[i] != j || (by < 0) != (growth->end == DRXI_LOW))
            continue;
        return growth->end == DRXI_LOW
                   ? drxi_packed_passed(&a->data, closer, j, DRXI_LOW, s->lower[j] - by, s->lower[j])
                   : drxi_packed_passed(&a->data, closer, j, DRXI_HIGH, s->upper[j] - by, s->upper[j]);
    }
    return DRX_OK;
}

/* What a slab that was written has passed. */
static drx_status close_slab(drx_array *a, const struct drxi_closer *closer, const void *grown)
{
    const struct drxi_data *before = &a->data, *after = grown;
    const int j = after->growing.axis;

    return after->growing.end == DRXI_LOW
               ? drxi_packed_passed(drxi_data_of(a), closer, j, DRXI_LOW, before->lower[j], after->lower[j])
               : drxi_packed_passed(drxi_data_of(a), closer, j, DRXI_HIGH, before->upper[j], after->upper[j]);
}

/* Both begin so: cells that the growth uncovers are looked after. What is restored becomes durable, and nobody may write to
 * a chunk meanwhile that counts as durable then. */
static drx_status clear(drx_array *a, struct drxi_change *c, const struct drxi_team *t, drx_status *roots)
{
    const bool doubt = drxi_has_doubt(a, &c->step.growth);
    const bool closed = doubt && drxi_gate_close(&a->gate);
    const drx_status st = t->settle(t, &c->step, doubt);

    *roots = DRX_OK;
    if (doubt)
        drxi_gate_clear(&a->gate);
    if (!st && t->rank == 0)
        *roots = drxi_change_check(a, t);
    if (!st && t->rank == 0 && !*roots)
        *roots = drxi_clear_residue(a, &c->step.growth);
    if (closed)
        drxi_gate_reopen(&a->gate);
    return st;
}

static drx_status allocate(drx_array *a, struct drxi_change *c)
{
    c->undo = undo;
    return drxi_data_allocate(&a->data, c->step.chunks_before, c->step.chunks_after);
}

static drx_status before_extend(drx_array *a, struct drxi_change *c, const struct drxi_team *t)
{
    drx_status roots, st = clear(a, c, t, &roots);

    if (!st && a->data.file->stored->closes) {
        st = t->from_root(t, roots);
        if (!st)
            st = t->close(t, a, drxi_close_before, &c->step.growth);
    }
    if (st)
        return st;
    return roots || t->rank != 0 ? roots : allocate(a, c);
}

drx_status drxi_prepare_step(drx_array *a, int axis, enum drxi_end end, int64_t by, struct drxi_step *step)
{
    const bool ready = drxi_state_is_ready(&a->log.state, axis, end);
    const bool closed = !ready && drxi_gate_close(&a->gate);
    const drx_status st = drxi_state_prepare(&a->log.state, axis, end, by, step);

    if (!ready)
        drxi_data_follow(&a->data); /* vectors lie elsewhere */
    if (closed)
        drxi_gate_reopen(&a->gate);
    return st ? drxi_fail(st, "%s: %s", a->parts.label, drx_last_error()) : DRX_OK;
}

/* Every growth of a program passes here, on MPI on every rank: refuse here what may not grow. */
drx_status drxi_prepare_growth(drx_array *a, int axis, enum drxi_end end, int64_t by, bool writes,
                               struct drxi_change *c)
{
    drx_status st = drxi_check_growable(a, axis);

    if (st)
        return st;
    if (by < 0)
        return drxi_fail(DRX_EINVAL, "%s: axis %d: growing by %lld, expected 0 or more", a->parts.label, axis,
                         (long long)by);
    st = drxi_prepare_step(a, axis, end, by, &c->step);
    if (st || by == 0)
        return st;
    if (a->data.file->pool && (st = drxi_pool_flush(a->data.file->pool)))
        return st;
    c->record = (struct drxi_record){ .kind = DRXI_GROW, .growth = c->step.growth };
    c->before = before_extend;
    c->publish = publish;
    return writes ? drxi_data_grown(&a->data, &c->step, &c->after) : DRX_OK;
}

drx_status drxi_begin_append(drx_array *a, struct drxi_change *c, const struct drxi_team *t)
{
    drx_status roots, st = clear(a, c, t, &roots);

    if (st)
        return t->end(t, st);
    if (!roots && t->rank == 0)
        roots = drxi_log_append_growth(&a->log, DRXI_INTENT, &c->step.growth);
    if (!roots && t->rank == 0 && (roots = allocate(a, c)))
        roots = undo(a, c, roots);
    st = t->from_root(t, roots);
    if (!st && t->rank != 0) /* the copy of the log goes on like it */
        st = drxi_log_append_growth(&a->log, DRXI_INTENT, &c->step.growth);
    if (st)
        return t->end(t, st);
    a->parts.data = &c->after;
    return DRX_OK;
}

drx_status drxi_end_append(drx_array *a, struct drxi_change *c, const struct drxi_team *t, drx_status st)
{
    if (!st)
        st = t->close(t, a, close_slab, &c->after);
    a->parts.data = &a->data;
    return drxi_change_finish(a, c, t, st);
}

/* Write n indices of the new slab from index `done` of it on. */
static drx_status write_piece(drx_array *a, const struct drxi_change *c, int64_t done, int64_t n, drx_order order,
                              const void *buf)
{
    const int axis = c->step.growth.axis;
    int64_t lo[DRX_MAX_NDIM];
    int64_t count[DRX_MAX_NDIM];
    int64_t stride[DRX_MAX_NDIM];

    if (!drxi_slab_of(a, &c->step.growth, lo, count))
        return DRX_OK;
    lo[axis] += done;
    count[axis] = n;
    drxi_strides(a->data.ndim, count, a->data.item_bytes, order, stride);
    return drxi_transfer_write(drxi_data_of(a), &(struct drxi_box){ .lo = lo, .count = count, .stride_bytes = stride },
                               buf);
}

static drx_status from_nothing(const drx_array *a)
{
    return drxi_fail(DRX_EINVAL, "%s: appending from a null pointer", a->parts.label);
}

/* A slab as the caller gives it. */
struct slab {
    int64_t by;
    drx_order order;
    drx_next_piece *next;
    void *with;
};

/* Write all of it. */
static drx_status write_slab(drx_array *a, const struct drxi_change *c, const struct slab *slab)
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
            st = write_piece(a, c, done, n, slab->order, buf);
    }
    return st;
}

static drx_status append(drx_array *a, struct drxi_change *c, const struct slab *slab)
{
    drx_status st = slab->next ? drxi_begin_append(a, c, &drxi_alone) : from_nothing(a);

    return st ? st : drxi_end_append(a, c, &drxi_alone, write_slab(a, c, slab));
}

/* tells: in lo and count, which indices are new. */
static drx_status extend(drx_array *a, int axis, enum drxi_end end, int64_t by, bool tells, int64_t lo[],
                         int64_t count[])
{
    int64_t first[DRX_MAX_NDIM], extent[DRX_MAX_NDIM];
    struct drxi_change c;
    drx_status st = drxi_wait_to_grow(a, axis, end);

    if (st)
        return st;
    drxi_change_start(&c);
    drxi_claim_change(a);
    st = drxi_begin_log_change(a);
    if (!st && tells && (!lo || !count))
        st = drxi_fail(DRX_EINVAL, "%s: lo or count is a null pointer", a->parts.label);
    if (!st)
        st = drxi_prepare_growth(a, axis, end, by, false, &c);
    if (!st)
        (void)drxi_slab_of(a, &c.step.growth, first, extent);
    if (!st)
        st = drxi_change_run(a, &c, &drxi_alone);
    if (!st && tells) {
        memcpy(lo, first, sizeof *lo * (size_t)a->log.state.desc.ndim);
        memcpy(count, extent, sizeof *count * (size_t)a->log.state.desc.ndim);
    }
    drxi_change_end(&c);
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
    struct drxi_change c;
    drx_status st = drxi_wait_to_grow(a, axis, end);

    if (st)
        return st;
    drxi_change_start(&c);
    drxi_claim_change(a);
    memcpy(lower, a->log.state.lower, sizeof lower);
    memcpy(upper, a->log.state.upper, sizeof upper);
    st = drxi_begin_log_change(a);
    if (!st && slab->order != DRX_ROW_MAJOR && slab->order != DRX_COL_MAJOR)
        st = drxi_fail(DRX_EINVAL, "%s: order %d, expected DRX_ROW_MAJOR or DRX_COL_MAJOR", a->parts.label,
                       (int)slab->order);
    if (!st)
        st = drxi_prepare_growth(a, axis, end, slab->by, true, &c);
    if (!st)
        st = check_slab(a, axis, lower, upper);
    if (!st && slab->by > 0)
        st = append(a, &c, slab);
    drxi_change_end(&c);
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
