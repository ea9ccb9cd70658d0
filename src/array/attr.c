/* Attributes and names of axes. A change is one record; memory follows it. */
#include "array/array.h"

/* Append the record of an attribute. */
static drx_status append_attr(drx_array *a, const struct drxi_attr_payload *payload)
{
    const size_t bytes = drxi_attr_encode(payload, NULL);
    uint8_t *record = drxi_malloc(DRXI_RECORD_HEAD_BYTES + bytes);
    drx_status st;

    if (!record)
        return DRX_ENOMEM;
    (void)drxi_attr_encode(payload, record + DRXI_RECORD_HEAD_BYTES);
    st = drxi_log_append(&a->log, drxi_attr_kind(payload->type), 0, record, bytes);
    drxi_free(record);
    return st;
}

drx_status drxi_append_name(drx_array *a, enum drxi_kind kind, int arg, const char *name)
{
    uint8_t record[DRXI_RECORD_HEAD_BYTES + 16 + DRXI_NAME_MAX_BYTES];
    const size_t bytes = drxi_name_encode(name, strlen(name), record + DRXI_RECORD_HEAD_BYTES);

    return drxi_log_append(&a->log, kind, arg, record, bytes);
}

static drx_status set_attr(drx_array *a, const struct drxi_attr_payload *payload)
{
    struct drxi_attr made;
    drx_status st = drxi_begin_change(a);

    if (!st)
        st = drxi_attrs_make(&a->log.state.attrs, payload, &made);
    if (!st) {
        st = append_attr(a, payload);
        if (!st)
            drxi_attrs_set(&a->log.state.attrs, &made);
        else
            drxi_attr_free(&made);
    }
    return drxi_end_change(a, st);
}

drx_status drx_attr_set(drx_array *a, const char *name, drx_type type, int64_t n, const void *values)
{
    struct drxi_attr_payload payload;
    drx_status st;

    if (!a)
        return drxi_no_array();
    st = drxi_attrs_check(a->parts.label, name, type, n, values, &payload);
    return st ? st : set_attr(a, &payload);
}

drx_status drx_attr_set_text(drx_array *a, const char *name, const char *utf8)
{
    struct drxi_attr_payload payload;
    drx_status st;

    if (!a)
        return drxi_no_array();
    st = drxi_attrs_check_text(a->parts.label, name, utf8, &payload);
    return st ? st : set_attr(a, &payload);
}

drx_status drx_attr_get(const drx_array *a, const char *name, drx_type *type, int64_t *n, const void **values)
{
    return a ? drxi_attrs_get(&a->log.state.attrs, a->parts.label, name, type, n, values) : drxi_no_array();
}

drx_status drx_attr_delete(drx_array *a, const char *name)
{
    int64_t i;
    drx_status st = drxi_begin_change(a);

    if (!st)
        st = drxi_attrs_look_up(&a->log.state.attrs, a->parts.label, name, &i);
    if (!st)
        st = drxi_append_name(a, DRXI_ATTR_DELETE, 0, name);
    if (!st) {
        drxi_attrs_delete(&a->log.state.attrs, i);
        drxi_attrs_pack(&a->log.state.attrs);
    }
    return drxi_end_change(a, st);
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

drx_status drxi_name_axis(drx_array *a, int axis, const char *name)
{
    char *made = NULL;
    drx_status st = DRX_OK;

    if (name && *name) {
        if ((st = drxi_attrs_check_name(a->parts.label, name)))
            return st;
        if (!(made = drxi_strdup(name)))
            return DRX_ENOMEM;
    }
    st = drxi_append_name(a, DRXI_DIM_NAME, axis, made ? made : "");
    if (st)
        drxi_free(made);
    else
        drxi_state_set_dim(&a->log.state, axis, made);
    return st;
}

drx_status drx_dim_rename(drx_array *a, int axis, const char *name)
{
    drx_status st = drxi_begin_change(a);

    if (!st && a->in_dataset)
        st = drxi_fail(DRX_EINVAL, "%s: a variable of a dataset, whose dimensions keep their names", a->parts.label);
    if (!st && (axis < 0 || axis >= a->log.state.desc.ndim))
        st = drxi_fail(DRX_EINVAL, "%s: axis %d, expected 0 to %d", a->parts.label, axis, a->log.state.desc.ndim - 1);
    if (!st)
        st = drxi_name_axis(a, axis, name);
    return drxi_end_change(a, st);
}
