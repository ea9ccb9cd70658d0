/* Bounds: growth at either end, trims, new axes. A growth looks after the cells that it uncovers, makes room, appends
 * GROW. An append appends a GROW that does not count yet, makes room, lets its caller write, and lets it count; what
 * fails on the way is undone at once, what a crash cuts off at the next open for writing. */
#include "array/array.h"

enum { LOOK_BACK = 64 }; /* growths */

static drx_status check_growable(const drx_array *a, int axis)
{
    drx_status st = drxi_check_writable(a);

    if (st)
        return st;
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
    if (drxi_undo_append(a, &c->step.growth) || drxi_log_cut_rest(&a->log))
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

/* Both begin so: cells that the growth uncovers are looked after. What is restored becomes durable, and nobody may
 * write to a chunk meanwhile that counts as durable then. */
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

/* Others who share the array may have changed its bounds since the caller of an append looked: the slab has the ones
 * that it knew. */
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

/* Every growth of a program passes here, on MPI on every rank: refuse here what may not grow. */
drx_status drxi_prepare_growth(drx_array *a, const struct drxi_asked *asked, struct drxi_change *c)
{
    const int axis = asked->axis;
    const int64_t by = asked->by;
    drx_status st = check_growable(a, axis);

    if (st)
        return st;
    if (by < 0)
        return drxi_fail(DRX_EINVAL, "%s: axis %d: growing by %lld, expected 0 or more", a->parts.label, axis,
                         (long long)by);
    st = drxi_prepare_step(a, axis, asked->end, by, &c->step);
    if (!st && asked->write)
        st = check_slab(a, axis, c->lower, c->upper);
    if (st || by == 0)
        return st;
    if (a->data.file->pool && (st = drxi_pool_flush(a->data.file->pool)))
        return st;
    c->record = (struct drxi_record){ .kind = DRXI_GROW, .growth = c->step.growth };
    c->before = before_extend;
    c->publish = publish;
    return asked->write ? drxi_data_grown(&a->data, &c->step, &c->after) : DRX_OK;
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

static drx_status end_append(drx_array *a, struct drxi_change *c, const struct drxi_team *t, drx_status st)
{
    if (!st)
        st = t->close(t, a, close_slab, &c->after);
    a->parts.data = &a->data;
    return drxi_change_finish(a, c, t, st);
}

drx_status drxi_append(drx_array *a, struct drxi_change *c, const struct drxi_team *t)
{
    drx_status st;

    if (!c->publish) /* nothing changes */
        return DRX_OK;
    st = drxi_begin_append(a, c, t);
    return st ? st : end_append(a, c, t, c->asked->write(a, c, c->asked->with));
}

/* ---- trims and new axes: a record, and no data ---- */

/* What a trim frees goes back to the file system when its record is durable: drx_sync (sync.c), or here, for an array
 * in memory. The cells of a chunk that it cuts through keep their values; nobody trusts them (outside.c). */
static void publish_trim(drx_array *a, struct drxi_change *c)
{
    const struct drxi_trimming *trim = &c->record.trim;
    const bool low = trim->lower != a->log.state.lower[trim->axis],
               high = trim->upper != a->log.state.upper[trim->axis];

    drxi_state_trim(&a->log.state, trim);
    drxi_data_follow(&a->data);
    if (low || trim->lower == trim->upper)
        drxi_doubt_outside(a, trim->axis, DRXI_LOW);
    if (high || trim->lower == trim->upper)
        drxi_doubt_outside(a, trim->axis, DRXI_HIGH);
    if (a->log.io)
        return;
    (void)drxi_data_give_back(&a->data, &a->log.state.freed); /* memory can; otherwise it stays in use */
    drxi_freed_clear(&a->log.state.freed);
    drxi_report_clear();
}

drx_status drxi_prepare_trim(drx_array *a, const struct drxi_asked *asked, struct drxi_change *c)
{
    const int axis = asked->axis;
    const int64_t before = asked->by, after = asked->after;
    struct drxi_state *s = &a->log.state;
    drx_status st = check_growable(a, axis);

    if (st)
        return st;
    if (before < 0 || after < 0)
        return drxi_fail(DRX_EINVAL, "%s: axis %d: trimming %lld and %lld indices, expected 0 or more", a->parts.label,
                         axis, (long long)before, (long long)after);
    if (before > s->shape[axis] || after > s->shape[axis] - before)
        return drxi_fail(DRX_ERANGE, "%s: axis %d: trimming %lld and %lld indices, it has %lld", a->parts.label, axis,
                         (long long)before, (long long)after, (long long)s->shape[axis]);
    st = a->data.file->pool ? drxi_pool_flush(a->data.file->pool) : DRX_OK;
    if (st || (before == 0 && after == 0))
        return st;
    c->record =
        (struct drxi_record){ .kind = DRXI_TRIM, .trim = { axis, s->lower[axis] + before, s->upper[axis] - after } };
    c->publish = publish_trim;
    return drxi_state_prepare_trim(s, &c->record.trim);
}

static drx_status check_new_axis(const drx_array *a, int at, const char *name)
{
    const int ndim = a->log.state.desc.ndim;
    drx_status st = check_growable(a, 0);

    if (st)
        return st;
    if (ndim == DRX_MAX_NDIM)
        return drxi_fail(DRX_EINVAL, "%s: it has %d axes, which is the most", a->parts.label, ndim);
    if (at < 0 || at > ndim)
        return drxi_fail(DRX_EINVAL, "%s: a new axis %d, expected 0 to %d", a->parts.label, at, ndim);
    return name && *name ? drxi_attrs_check_name(a->parts.label, name) : DRX_OK;
}

static void publish_axis(drx_array *a, struct drxi_change *c)
{
    const int at = c->record.axis;

    drxi_state_add_axis(&a->log.state, at);
    drxi_state_set_dim(&a->log.state, at, c->name);
    c->name = NULL;
    for (int end = 0; end < 2; end++) {
        memmove(a->found[end] + at + 1, a->found[end] + at, (DRX_MAX_NDIM - 1 - (size_t)at) * sizeof **a->found);
        drxi_doubt_outside(a, at, (enum drxi_end)end);
    }
    drxi_data_follow(&a->data);
}

drx_status drxi_prepare_axis(drx_array *a, const struct drxi_asked *asked, struct drxi_change *c)
{
    drx_status st = check_new_axis(a, asked->axis, asked->name);

    if (!st)
        st = drxi_prepare_name(c, DRXI_ADD_AXIS, asked->axis, asked->name);
    if (!st && a->data.file->pool)
        st = drxi_pool_flush(a->data.file->pool);
    if (!st)
        st = drxi_state_prepare_axis(&a->log.state);
    drxi_data_follow(&a->data); /* vectors may lie elsewhere */
    c->publish = publish_axis;
    return st;
}
