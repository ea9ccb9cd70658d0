/* Growth and attributes. Growth: each rank prepares, the root does it and writes the record, each rank follows, which
 * cannot fail. Attributes: the root does it, and the record tells the others. */
#include "mp/mp.h"

static drx_status extend(drxmp_array *m, const struct drxi_step *step)
{
    drx_status st = drxi_share_log_end(m, m->rank == DRXI_ROOT ? drxi_root_extend(m->a, step) : DRX_OK);

    if (!st && m->rank != DRXI_ROOT)
        drxi_follow_growth(m->a, step);
    return st;
}

/* What a growth of any kind does first: name the call and prepare the step. The gate is shut on return, also on error. */
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

/* The box lies in what is new along `axis`. */
static drx_status check_part(const drxmp_array *m, const struct drxi_step *step, const drx_box *part, const void *buf,
                             bool *empty, int64_t stride_bytes[])
{
    const drx_array *a = m->a;
    const int axis = step->growth.axis;
    int64_t shape[DRX_MAX_NDIM];
    drx_status st;

    memcpy(shape, drx_shape(a), sizeof shape);
    shape[axis] = step->growth.bound;
    st = drxi_check_box(a, shape, part, buf, empty, stride_bytes);
    if (!st && !*empty && part->lo[axis] < drx_shape(a)[axis])
        st = drxi_fail(DRX_ERANGE, "%s: axis %d: a part from index %lld on, what is new begins at %lld",
                       drxi_parts_of(a)->label, axis, (long long)part->lo[axis], (long long)drx_shape(a)[axis]);
    return st;
}

/* Write into chunks that the map does not have yet. */
static drx_status write_slab(drxmp_array *m, const struct drxi_step *step, const struct drxi_box *box, const void *buf)
{
    struct drxi_map_mark mark;
    struct drxi_call call;
    drx_status st;

    mark = drxi_show_slab(m->a, step);
    drxi_call_start(&call, "drxmp_append_all");
    st = drxi_move_boxes(m, true, &call, DRX_OK, box, (void *)(uintptr_t)buf); /* only read */
    drxi_hide_slab(m->a, step, mark);
    return st;
}

static drx_status append(drxmp_array *m, const struct drxi_step *step, const struct drxi_box *box, const void *buf)
{
    drx_status st = m->rank == DRXI_ROOT ? drxi_root_begin_append(m->a, step) : DRX_OK;

    st = drxi_from_root(m->comm, st, NULL, 0);
    if (st)
        return st;
    st = write_slab(m, step, box, buf);
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
    const drx_box part = { .lo = lo, .count = count, .order = order };
    int64_t stride_bytes[DRX_MAX_NDIM];
    const struct drxi_box box = { .lo = lo, .count = count, .stride_bytes = stride_bytes };
    struct drxi_step step;
    struct drxi_call call;
    bool empty = true;
    drx_status st;

    if (!m)
        return drxi_no_array();
    st = start_growth(m, "drxmp_append_all", axis, by, &call, &step);
    if (!st)
        st = check_part(m, &step, &part, buf, &empty, stride_bytes);
    st = drxi_begin(m, st, &call);
    if (!st && by > 0)
        st = append(m, &step, empty ? NULL : &box, buf);
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
        bytes = 0; /* the root finds what is wrong */
    drxi_call_start(&call, c->call);
    drxi_call_int(&call, "axis", c->axis);
    drxi_call_text(&call, "the name", c->name);
    drxi_call_int(&call, "type", c->type);
    drxi_call_int(&call, "n", c->n);
    drxi_call_bytes(&call, "the values", c->values, (size_t)bytes);
    drxi_call_text(&call, "the text", c->text);
    if ((st = drxi_begin(m, DRX_OK, &call)))
        return st;
    before = drxi_state_of(m->a)->log_end;
    return drxi_share_log(m, drxi_by_root(m, make_change, c), before);
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
