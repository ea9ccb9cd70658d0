/* Growth and attributes. To grow, each rank prepares, the root grows the array and writes the record, and each other
 * rank follows, which cannot fail. To change an attribute, the root makes the change and sends the record to the
 * others. */
#include "mp/mp.h"

static drx_status extend(drxmp_array *m, const struct drxi_step *step)
{
    drx_status st = drxi_share_log_end(m, m->rank == DRXI_ROOT ? drxi_root_extend(m->a, step) : DRX_OK);

    if (!st && m->rank != DRXI_ROOT)
        drxi_follow_growth(m->a, step);
    return st;
}

/* Begin any growth: name the call and prepare the step. The gate is shut on return, also on error. */
static drx_status start_growth(drxmp_array *m, const char *name, int axis, int64_t by, struct drxi_call *call,
                               struct drxi_step *step)
{
    drx_status st = drxi_check_idle(m);

    drxi_call_start(call, name);
    drxi_call_int(call, "axis", axis);
    drxi_call_int(call, "by", by);
    if (!st)
        st = drxi_wait_to_grow(m->a, axis);
    drxi_gate_shut(drxi_parts_of(m->a)->gate);
    return st ? st : drxi_prepare_growth(m->a, axis, by, step);
}

drx_status drxmp_extend(drxmp_array *m, int axis, int64_t by)
{
    struct drxi_step step;
    struct drxi_call call;
    drx_status st;

    if (!m)
        return drxi_no_array();
    st = start_growth(m, "drxmp_extend", axis, by, &call, &step);
    st = drxi_begin(m, st, &call);
    if (!st && by > 0)
        st = extend(m, &step);
    drxi_gate_open(drxi_parts_of(m->a)->gate);
    return st;
}

/* A part of n indices of the slab, from index `done` of it on. */
struct part {
    int64_t done, n;
    drx_box box;
    const void *buf;
    bool empty;
    int64_t stride_bytes[DRX_MAX_NDIM];
};

/* Check that the part lies there. */
static drx_status check_part(const drxmp_array *m, const struct drxi_step *step, struct part *part)
{
    const drx_array *a = m->a;
    const int axis = step->growth.axis;
    const int64_t first = drx_shape(a)[axis] + part->done;
    int64_t shape[DRX_MAX_NDIM];
    drx_status st;

    memcpy(shape, drx_shape(a), sizeof shape);
    shape[axis] = first + part->n;
    st = drxi_check_box(a, shape, &part->box, part->buf, &part->empty, part->stride_bytes);
    if (!st && !part->empty && part->box.lo[axis] < first)
        st = drxi_fail(DRX_ERANGE, "%s: axis %d: the part begins at index %lld, and the new slab at %lld",
                       drxi_parts_of(a)->label, axis, (long long)part->box.lo[axis], (long long)first);
    return st;
}

/* Write into chunks that the map does not have yet. */
static drx_status write_part(drxmp_array *m, const struct drxi_step *step, const struct part *part)
{
    const struct drxi_box box = { .lo = part->box.lo, .count = part->box.count, .stride_bytes = part->stride_bytes };
    struct drxi_map_mark mark;
    struct drxi_call call;
    drx_status st;

    mark = drxi_show_slab(m->a, step);
    drxi_call_start(&call, "drxmp_append_all");
    drxi_call_int(&call, "n", part->n);
    st = drxi_move_boxes(m, true, &call, DRX_OK, part->empty ? NULL : &box,
                         (void *)(uintptr_t)part->buf); /* only read */
    drxi_hide_slab(m->a, step, mark);
    return st;
}

static drx_status begin_append(drxmp_array *m, const struct drxi_step *step)
{
    return drxi_from_root(m->comm, m->rank == DRXI_ROOT ? drxi_root_begin_append(m->a, step) : DRX_OK, NULL, 0);
}

/* `st` is that of all ranks. */
static drx_status end_append(drxmp_array *m, const struct drxi_step *step, drx_status st)
{
    if (m->rank == DRXI_ROOT)
        st = drxi_root_end_append(m->a, step, st);
    st = drxi_share_log_end(m, st);
    if (!st && m->rank != DRXI_ROOT)
        drxi_follow_growth(m->a, step);
    return st;
}

drx_status drxmp_append_all(drxmp_array *m, int axis, int64_t by, const int64_t lo[], const int64_t count[],
                            drx_order order, const void *buf)
{
    struct part part = { .n = by, .box = { .lo = lo, .count = count, .order = order }, .buf = buf, .empty = true };
    struct drxi_step step;
    struct drxi_call call;
    drx_status st;

    if (!m)
        return drxi_no_array();
    st = start_growth(m, "drxmp_append_all", axis, by, &call, &step);
    if (!st)
        st = check_part(m, &step, &part);
    st = drxi_begin(m, st, &call);
    if (!st && by > 0) {
        st = begin_append(m, &step);
        if (!st)
            st = end_append(m, &step, write_part(m, &step, &part));
    }
    drxi_gate_open(drxi_parts_of(m->a)->gate);
    return st;
}

/* A slab as the caller gives it. */
struct slab {
    int64_t by;
    drx_order order;
    drxmp_next_piece *next;
    void *with;
};

/* Write the piece from index part->done of the slab on, and move that past it; at the end of the slab, ask for the last
 * word. */
static drx_status append_piece(drxmp_array *m, const struct drxi_step *step, const struct slab *slab, struct part *part)
{
    int64_t lo[DRX_MAX_NDIM] = { 0 }, count[DRX_MAX_NDIM] = { 0 };
    drx_status st;

    part->n = 0;
    part->buf = NULL;
    part->box = (drx_box){ .lo = lo, .count = count, .order = slab->order };
    drxi_report_clear();
    st = slab->next(slab->with, part->done, &part->n, lo, count, &part->buf);
    st = drxi_refused_piece(m->a, part->done, slab->by, st);
    if (!st && part->done < slab->by)
        st = drxi_check_piece(m->a, part->done, slab->by, part->n);
    if (!st && part->done < slab->by)
        st = check_part(m, step, part);
    st = drxi_agree(m->comm, st, NULL);
    if (!st && part->done < slab->by)
        st = write_part(m, step, part);
    part->done += part->n;
    return st;
}

static drx_status append_slab(drxmp_array *m, const struct drxi_step *step, const struct slab *slab)
{
    struct part part = { .empty = true };
    bool last = false;
    drx_status st = begin_append(m, step);

    if (st)
        return st;
    while (!st && !last) {
        last = part.done == slab->by;
        st = append_piece(m, step, slab, &part);
    }
    return end_append(m, step, st);
}

drx_status drxmp_append_pieces(drxmp_array *m, int axis, int64_t by, drx_order order, drxmp_next_piece *next,
                               void *with)
{
    const struct slab slab = { .by = by, .order = order, .next = next, .with = with };
    struct drxi_step step;
    struct drxi_call call;
    drx_status st;

    if (!m)
        return drxi_no_array();
    st = start_growth(m, "drxmp_append_pieces", axis, by, &call, &step);
    if (!st && !next)
        st = drxi_fail(DRX_EINVAL, "%s: appending from a null pointer", drxi_parts_of(m->a)->label);
    st = drxi_begin(m, st, &call);
    if (!st && by > 0)
        st = append_slab(m, &step, &slab);
    drxi_gate_open(drxi_parts_of(m->a)->gate);
    return st;
}

/* A change of the log that the root makes for all. */
struct change {
    const char *call;
    enum { SET_VALUES, SET_TEXT, DELETE, RENAME } what;
    const char *name, *text;
    drx_type type;
    int64_t n;
    const void *values;
    int axis;
};

static drx_status make_change(drx_array *a, const void *arg)
{
    const struct change *c = arg;

    switch (c->what) {
    case SET_VALUES:
        return drx_attr_set(a, c->name, c->type, c->n, c->values);
    case SET_TEXT:
        return drx_attr_set_text(a, c->name, c->text);
    case DELETE:
        return drx_attr_delete(a, c->name);
    default:
        return drx_dim_rename(a, c->axis, c->name);
    }
}

static drx_status change_log(drxmp_array *m, const struct change *c)
{
    struct drxi_call call;
    int64_t bytes, before;
    drx_status st;

    if (!c->values || c->n < 0 || !drxi_mul(c->n, (int64_t)drx_type_size(c->type), &bytes))
        bytes = 0; /* the root reports the error */
    drxi_call_start(&call, c->call);
    drxi_call_int(&call, "axis", c->axis);
    drxi_call_text(&call, "the name", c->name);
    drxi_call_int(&call, "type", c->type);
    drxi_call_int(&call, "n", c->n);
    drxi_call_bytes(&call, "the values", c->values, (size_t)bytes);
    drxi_call_text(&call, "the text", c->text);
    if ((st = drxi_begin(m, DRX_OK, &call)))
        return st;
    before = drxi_state_of(m->a)->chain.end;
    st = drxi_share_log(m, drxi_by_root(m, make_change, c), before);
    if (st || !m->lent)
        return st;
    st = m->rank == DRXI_ROOT ? DRX_OK : drxi_as_if_alone(m, make_change, c); /* its record went to the dataset */
    return *m->lent = drxi_agree(m->comm, st, NULL);
}

drx_status drxmp_attr_set(drxmp_array *m, const char *name, drx_type type, int64_t n, const void *values)
{
    return change_log(
        m, &(struct change){ "drxmp_attr_set", SET_VALUES, .name = name, .type = type, .n = n, .values = values });
}

drx_status drxmp_attr_set_text(drxmp_array *m, const char *name, const char *utf8)
{
    return change_log(m, &(struct change){ "drxmp_attr_set_text", SET_TEXT, .name = name, .text = utf8 });
}

drx_status drxmp_attr_delete(drxmp_array *m, const char *name)
{
    return change_log(m, &(struct change){ "drxmp_attr_delete", DELETE, .name = name });
}

drx_status drxmp_dim_rename(drxmp_array *m, int axis, const char *name)
{
    return change_log(m, &(struct change){ "drxmp_dim_rename", RENAME, .name = name, .axis = axis });
}
