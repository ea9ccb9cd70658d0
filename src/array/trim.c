/* Changes of bounds other than growth: drx_trim and drx_add_axis. They write a record, and no data.
 *
 * What a trim frees goes back to the file system when its record is durable: drx_sync (sync.c), or here, for an array in
 * memory. The cells of a chunk that a trim cuts through keep their values; nobody trusts them (outside.c). */
#include "array/array.h"

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

drx_status drxi_prepare_trim(drx_array *a, int axis, int64_t before, int64_t after, struct drxi_change *c)
{
    struct drxi_state *s = &a->log.state;
    drx_status st = drxi_check_growable(a, axis);

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

drx_status drx_trim(drx_array *a, int axis, int64_t before, int64_t after)
{
    struct drxi_change c;
    drx_status st = a ? drxi_wait_for_all(a, true, false) : drxi_no_array();

    if (st)
        return st;
    drxi_change_start(&c);
    st = drxi_begin_change(a);
    return drxi_change_alone(a, &c, st ? st : drxi_prepare_trim(a, axis, before, after, &c));
}

static drx_status check_new_axis(const drx_array *a, int at, const char *name)
{
    const int ndim = a->log.state.desc.ndim;
    drx_status st = drxi_check_growable(a, 0);

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

drx_status drxi_prepare_axis(drx_array *a, int at, const char *name, struct drxi_change *c)
{
    drx_status st = check_new_axis(a, at, name);

    if (!st)
        st = drxi_prepare_name(c, DRXI_ADD_AXIS, at, name);
    if (!st && a->data.file->pool)
        st = drxi_pool_flush(a->data.file->pool);
    if (!st)
        st = drxi_state_prepare_axis(&a->log.state);
    drxi_data_follow(&a->data); /* vectors may lie elsewhere */
    c->publish = publish_axis;
    return st;
}

drx_status drx_add_axis(drx_array *a, int at, const char *name)
{
    struct drxi_change c;
    drx_status st = a ? drxi_wait_for_all(a, true, false) : drxi_no_array();

    if (st)
        return st;
    drxi_change_start(&c);
    st = drxi_begin_change(a);
    return drxi_change_alone(a, &c, st ? st : drxi_prepare_axis(a, at, name, &c));
}
