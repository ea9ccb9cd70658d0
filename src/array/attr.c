/* Attributes and names of axes. A change is one record; memory follows it. */
#include "array/array.h"

static void publish_attr(drx_array *a, struct drxi_change *c)
{
    drxi_attrs_set(&a->log.state.attrs, &c->attr);
    c->attr = (struct drxi_attr){ 0 };
}

drx_status drxi_prepare_attr(drx_array *a, const struct drxi_asked *x, struct drxi_change *c)
{
    struct drxi_attr_payload payload;
    drx_status st = drxi_check_writable(a);

    if (!st)
        st = x->is_text ? drxi_attrs_check_text(a->parts.label, x->name, x->values, &payload)
                        : drxi_attrs_check(a->parts.label, x->name, x->type, x->n, x->values, &payload);
    if (st)
        return st;
    c->record = (struct drxi_record){ .kind = DRXI_ATTR, .attr = payload };
    c->publish = publish_attr;
    st = drxi_attrs_make(&a->log.state.attrs, &payload, &c->attr);
    if (st)
        c->attr = (struct drxi_attr){ 0 };
    return st;
}

static void publish_deletion(drx_array *a, struct drxi_change *c)
{
    drxi_attrs_delete(&a->log.state.attrs, c->at);
    drxi_attrs_pack(&a->log.state.attrs);
}

drx_status drxi_prepare_name(struct drxi_change *c, enum drxi_kind kind, int axis, const char *name)
{
    c->record = (struct drxi_record){ .kind = kind, .axis = axis, .name = name ? name : "" };
    c->name = *c->record.name ? drxi_strdup(name) : NULL;
    return *c->record.name && !c->name ? DRX_ENOMEM : DRX_OK;
}

drx_status drxi_prepare_attr_delete(drx_array *a, const struct drxi_asked *asked, struct drxi_change *c)
{
    drx_status st = drxi_check_writable(a);

    c->publish = publish_deletion;
    if (!st)
        st = drxi_attrs_look_up(&a->log.state.attrs, a->parts.label, asked->name, &c->at);
    return st ? st : drxi_prepare_name(c, DRXI_ATTR_DELETE, 0, asked->name);
}

drx_status drx_attr_get(const drx_array *a, const char *name, drx_type *type, int64_t *n, const void **values)
{
    return a ? drxi_attrs_get(&a->log.state.attrs, a->parts.label, name, type, n, values) : drxi_no_array();
}

int drx_attr_count(const drx_array *a)
{
    return (int)a->log.state.attrs.n;
}

drx_status drx_attr_info(const drx_array *a, int i, const char **name, drx_type *type, int64_t *n, int *is_text)
{
    return a ? drxi_attrs_info(&a->log.state.attrs, a->parts.label, i, name, type, n, is_text) : drxi_no_array();
}

const char *drx_dim_name(const drx_array *a, int axis)
{
    return axis >= 0 && axis < a->log.state.desc.ndim ? a->log.state.dim[axis] : NULL;
}

static void publish_name(drx_array *a, struct drxi_change *c)
{
    drxi_state_set_dim(&a->log.state, c->record.axis, c->name);
    c->name = NULL;
}

static drx_status name_axis(drx_array *a, int axis, const char *name, struct drxi_change *c)
{
    drx_status st = name && *name ? drxi_attrs_check_name(a->parts.label, name) : DRX_OK;

    c->publish = publish_name;
    return st ? st : drxi_prepare_name(c, DRXI_DIM_NAME, axis, name);
}

drx_status drxi_name_axis(drx_array *a, int axis, const char *name)
{
    struct drxi_change c;
    drx_status st;

    drxi_change_start(&c);
    st = name_axis(a, axis, name, &c);
    if (!st)
        st = drxi_change_run(a, &c, &drxi_alone);
    drxi_change_end(&c);
    return st;
}

drx_status drxi_prepare_rename(drx_array *a, const struct drxi_asked *asked, struct drxi_change *c)
{
    const int axis = asked->axis;
    drx_status st = drxi_check_writable(a);

    if (!st && (axis < 0 || axis >= a->log.state.desc.ndim))
        st = drxi_fail(DRX_EINVAL, "%s: axis %d, expected 0 to %d", a->parts.label, axis, a->log.state.desc.ndim - 1);
    return st ? st : name_axis(a, axis, asked->name, c);
}
