/* Any change of an array: one table of what is asked for, and the public calls, which are rows of it. libdrxmp has
 * twins of these with the ranks of a job for a team. */
#include "array/array.h"
#include "copy/copy.h"

static const struct {
    enum { FOR_NOTHING, TO_GROW, FOR_ALL } waits; /* requests are of the axes and bounds that there were */
    drxi_prepare_kind *prepare;
} kinds[] = {
    [DRXI_GROW] = { TO_GROW, drxi_prepare_growth },   [DRXI_TRIM] = { FOR_ALL, drxi_prepare_trim },
    [DRXI_ADD_AXIS] = { FOR_ALL, drxi_prepare_axis }, [DRXI_DIM_NAME] = { FOR_NOTHING, drxi_prepare_rename },
    [DRXI_ATTR] = { FOR_NOTHING, drxi_prepare_attr }, [DRXI_ATTR_DELETE] = { FOR_NOTHING, drxi_prepare_attr_delete },
};

static drx_status wait_for_requests(drx_array *a, const struct drxi_asked *x, bool alone)
{
    if (kinds[x->kind].waits == TO_GROW)
        return drxi_wait_to_grow(a, x->axis, x->end);
    return kinds[x->kind].waits == FOR_ALL ? drxi_wait_for_all(a, true, !alone) : DRX_OK;
}

/* What needs no requests to be over, ranks prepare beside them: until all have agreed, which other threads may take
 * part in. */
static bool shut(drx_array *a, enum drxi_kind kind, bool alone)
{
    if (alone && kinds[kind].waits == TO_GROW)
        drxi_claim_change(a);
    else if (alone || kinds[kind].waits != FOR_NOTHING)
        drxi_gate_shut(&a->gate);
    else
        return false;
    return true;
}

static drx_status check_owner(const drx_array *a, enum drxi_kind kind)
{
    const char *const why = a->owner->refused ? a->owner->refused[kind] : NULL;
    const drx_status st = why ? drxi_check_writable(a) : DRX_OK;

    return st || !why ? st : drxi_fail(DRX_EINVAL, "%s: %s", a->parts.label, why);
}

drx_status drxi_prepare(drx_array *a, const struct drxi_asked *asked, const struct drxi_team *t, struct drxi_change *c)
{
    const bool alone = t == &drxi_alone;
    drx_status st = a ? wait_for_requests(a, asked, alone) : drxi_no_array();

    drxi_change_start(c);
    if (st)
        return st;
    c->asked = asked;
    c->team = t;
    c->shut = shut(a, asked->kind, alone);
    if (asked->write) {
        memcpy(c->lower, a->log.state.lower, sizeof c->lower);
        memcpy(c->upper, a->log.state.upper, sizeof c->upper);
    }
    if (alone)
        st = drxi_begin_log_change(a);
    if (!st)
        st = check_owner(a, asked->kind);
    return st ? st : kinds[asked->kind].prepare(a, asked, c);
}

drx_status drxi_carry_out(drx_array *a, struct drxi_change *c, drx_status st)
{
    const struct drxi_team *t = c->team;

    if (!t)
        return st;
    if (!st && !c->shut) {
        drxi_gate_shut(&a->gate);
        c->shut = true;
    }
    if (!st)
        st = c->asked->write ? drxi_append(a, c, t) : drxi_change_run(a, c, t);
    drxi_change_end(c);
    if (t == &drxi_alone)
        drxi_end_log_change(a);
    if (c->shut)
        drxi_gate_open(&a->gate);
    return st;
}

static drx_status change_alone(drx_array *a, const struct drxi_asked *asked)
{
    struct drxi_change c;
    const drx_status st = drxi_prepare(a, asked, &drxi_alone, &c);

    return drxi_carry_out(a, &c, st);
}

/* ---- growth ---- */

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
static drx_status write_slab(drx_array *a, const struct drxi_change *c, void *of)
{
    const struct slab *slab = of;
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

/* tells: in lo and count, which indices are new. */
static drx_status extend(drx_array *a, int axis, enum drxi_end end, int64_t by, bool tells, int64_t lo[],
                         int64_t count[])
{
    const struct drxi_asked asked = { .kind = DRXI_GROW, .axis = axis, .end = end, .by = by };
    int64_t first[DRX_MAX_NDIM], extent[DRX_MAX_NDIM];
    struct drxi_change c;
    drx_status st = drxi_prepare(a, &asked, &drxi_alone, &c);
    int ndim = 0;

    if (!st && tells && (!lo || !count))
        st = drxi_fail(DRX_EINVAL, "%s: lo or count is a null pointer", a->parts.label);
    if (!st && tells) {
        (void)drxi_slab_of(a, &c.step.growth, first, extent);
        ndim = a->log.state.desc.ndim;
    }
    st = drxi_carry_out(a, &c, st);
    if (!st && tells) {
        memcpy(lo, first, sizeof *lo * (size_t)ndim);
        memcpy(count, extent, sizeof *count * (size_t)ndim);
    }
    return st;
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

static drx_status append_pieces(drx_array *a, int axis, enum drxi_end end, struct slab slab)
{
    const struct drxi_asked asked = {
        .kind = DRXI_GROW, .axis = axis, .end = end, .by = slab.by, .write = write_slab, .with = &slab
    };
    struct drxi_change c;
    drx_status st = drxi_prepare(a, &asked, &drxi_alone, &c);

    if (!st && slab.order != DRX_ROW_MAJOR && slab.order != DRX_COL_MAJOR)
        st = drxi_fail(DRX_EINVAL, "%s: order %d, expected DRX_ROW_MAJOR or DRX_COL_MAJOR", a->parts.label,
                       (int)slab.order);
    if (!st && slab.by > 0 && !slab.next)
        st = from_nothing(a);
    return drxi_carry_out(a, &c, st);
}

drx_status drx_append_pieces(drx_array *a, int axis, int64_t by, drx_order order, drx_next_piece *next, void *with)
{
    return append_pieces(a, axis, DRXI_HIGH, (struct slab){ by, order, next, with });
}

drx_status drx_prepend_pieces(drx_array *a, int axis, int64_t by, drx_order order, drx_next_piece *next, void *with)
{
    return append_pieces(a, axis, DRXI_LOW, (struct slab){ by, order, next, with });
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

/* ---- others ---- */

drx_status drx_trim(drx_array *a, int axis, int64_t before, int64_t after)
{
    return change_alone(a, &(struct drxi_asked){ .kind = DRXI_TRIM, .axis = axis, .by = before, .after = after });
}

drx_status drx_add_axis(drx_array *a, int at, const char *name)
{
    return change_alone(a, &(struct drxi_asked){ .kind = DRXI_ADD_AXIS, .axis = at, .name = name });
}

drx_status drx_attr_set(drx_array *a, const char *name, drx_type type, int64_t n, const void *values)
{
    return change_alone(
        a, &(struct drxi_asked){ .kind = DRXI_ATTR, .name = name, .type = type, .n = n, .values = values });
}

drx_status drx_attr_set_text(drx_array *a, const char *name, const char *utf8)
{
    return change_alone(a, &(struct drxi_asked){ .kind = DRXI_ATTR, .name = name, .is_text = true, .values = utf8 });
}

drx_status drx_attr_delete(drx_array *a, const char *name)
{
    return change_alone(a, &(struct drxi_asked){ .kind = DRXI_ATTR_DELETE, .name = name });
}

drx_status drx_dim_rename(drx_array *a, int axis, const char *name)
{
    return change_alone(a, &(struct drxi_asked){ .kind = DRXI_DIM_NAME, .axis = axis, .name = name });
}
