/* Attributes and names of axes. A change is one record; memory follows it. */
#include "array/array.h"

static drx_status check_name(const drx_array *a, const char *name)
{
    const size_t n = name ? strlen(name) : 0;

    if (!a)
        return drxi_no_array();
    if (n < 1 || n > DRXI_NAME_MAX_BYTES || !drxi_is_utf8(name, n))
        return drxi_fail(DRX_EINVAL, "%s: a name of %zu bytes, expected 1 to %d bytes of UTF-8", a->parts.label, n,
                         DRXI_NAME_MAX_BYTES);
    return DRX_OK;
}

/* Append the record of an attribute. */
static drx_status append_attr(drx_array *a, const struct drxi_attr_payload *payload)
{
    const size_t bytes = drxi_attr_encode(payload, NULL);
    uint8_t *record = drxi_malloc(DRXI_RECORD_HEAD_BYTES + bytes);
    drx_status st;

    if (!record)
        return DRX_ENOMEM;
    (void)drxi_attr_encode(payload, record + DRXI_RECORD_HEAD_BYTES);
    st = drxi_log_append(&a->log, DRXI_ATTR, 0, record, bytes);
    drxi_free(record);
    return st;
}

static drx_status append_name(drx_array *a, enum drxi_kind kind, int arg, const char *name)
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
        st = drxi_state_make_attr(&a->log.state, payload, &made);
    if (!st) {
        st = append_attr(a, payload);
        if (!st)
            drxi_state_set_attr(&a->log.state, &made);
        else
            drxi_attr_free(&made);
    }
    return drxi_end_change(a, st);
}

drx_status drx_attr_set(drx_array *a, const char *name, drx_type type, int64_t n, const void *values)
{
    const size_t item_bytes = drx_type_size(type);
    struct drxi_attr_payload payload = { name, 0, type, false, n, values };
    drx_status st = check_name(a, name);

    if (st)
        return st;
    if (item_bytes == 0)
        return drxi_fail(DRX_EINVAL, "%s: attribute \"%s\": type %d does not exist", a->parts.label, name, (int)type);
    if (n < 0 || (n > 0 && !values))
        return drxi_fail(DRX_EINVAL, "%s: attribute \"%s\": %lld values, expected 0 or more, and a pointer to them",
                         a->parts.label, name, (long long)n);
    if (n > DRXI_ATTR_MAX_BYTES / (int64_t)item_bytes)
        return drxi_fail(DRX_EOVERFLOW, "%s: attribute \"%s\": %lld values, expected up to %d bytes", a->parts.label,
                         name, (long long)n, DRXI_ATTR_MAX_BYTES);
    payload.name_bytes = strlen(name);
    return set_attr(a, &payload);
}

drx_status drx_attr_set_text(drx_array *a, const char *name, const char *utf8)
{
    const size_t n = utf8 ? strlen(utf8) : 0;
    struct drxi_attr_payload payload = { name, 0, DRX_UINT8, true, (int64_t)n, utf8 };
    drx_status st = check_name(a, name);

    if (st)
        return st;
    if (!utf8 || !drxi_is_utf8(utf8, n))
        return drxi_fail(DRX_EINVAL, "%s: attribute \"%s\": its text is not UTF-8", a->parts.label, name);
    if (n > DRXI_ATTR_MAX_BYTES)
        return drxi_fail(DRX_EOVERFLOW, "%s: attribute \"%s\": %zu bytes, expected up to %d", a->parts.label, name, n,
                         DRXI_ATTR_MAX_BYTES);
    payload.name_bytes = strlen(name);
    return set_attr(a, &payload);
}

static drx_status find(const drx_array *a, const char *name, int64_t *i)
{
    *i = -1;
    if (!a)
        return drxi_no_array();
    *i = name ? drxi_state_find_attr(&a->log.state, name, strlen(name)) : -1;
    return *i >= 0 ? DRX_OK : drxi_fail(DRX_ENOENT, "%s: no attribute \"%s\"", a->parts.label, name ? name : "");
}

drx_status drx_attr_get(const drx_array *a, const char *name, drx_type *type, int64_t *n, const void **values)
{
    const struct drxi_attr *attr;
    int64_t i;
    drx_status st = find(a, name, &i);

    if (st)
        return st;
    attr = &a->log.state.attr[i];
    if (type)
        *type = attr->type;
    if (n)
        *n = attr->n;
    if (values)
        *values = attr->values;
    return DRX_OK;
}

drx_status drx_attr_delete(drx_array *a, const char *name)
{
    int64_t i;
    drx_status st = drxi_begin_change(a);

    if (!st)
        st = find(a, name, &i);
    if (!st)
        st = append_name(a, DRXI_ATTR_DELETE, 0, name);
    if (!st) {
        drxi_state_delete_attr(&a->log.state, i);
        drxi_state_pack_attrs(&a->log.state);
    }
    return drxi_end_change(a, st);
}

int drx_attr_count(const drx_array *a)
{
    return (int)a->log.state.attrs;
}

drx_status drx_attr_info(const drx_array *a, int i, const char **name, drx_type *type, int64_t *n, int *is_text)
{
    const struct drxi_attr *attr;

    if (!a)
        return drxi_no_array();
    if (i < 0 || i >= a->log.state.attrs)
        return drxi_fail(DRX_ERANGE, "%s: attribute %d, there are %d", a->parts.label, i, drx_attr_count(a));
    attr = &a->log.state.attr[i];
    if (name)
        *name = attr->name;
    if (type)
        *type = attr->type;
    if (n)
        *n = attr->n;
    if (is_text)
        *is_text = attr->is_text;
    return DRX_OK;
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
        if ((st = check_name(a, name)))
            return st;
        if (!(made = drxi_strdup(name)))
            return DRX_ENOMEM;
    }
    st = append_name(a, DRXI_DIM_NAME, axis, made ? made : "");
    if (st)
        drxi_free(made);
    else
        drxi_state_set_dim(&a->log.state, axis, made);
    return st;
}

drx_status drx_dim_rename(drx_array *a, int axis, const char *name)
{
    drx_status st = drxi_begin_change(a);

    if (!st && (axis < 0 || axis >= a->log.state.desc.ndim))
        st = drxi_fail(DRX_EINVAL, "%s: axis %d, expected 0 to %d", a->parts.label, axis, a->log.state.desc.ndim - 1);
    if (!st)
        st = drxi_name_axis(a, axis, name);
    return drxi_end_change(a, st);
}
