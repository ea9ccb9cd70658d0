/* The attributes in memory, in the order in which they were first set, with an index by name: reading a log of many
 * takes time in proportion to its length.
 *
 * A deleted attribute leaves a hole without a name until drxi_attrs_pack. There are at most a few more holes than
 * attributes. */
#include "log/state.h"

enum { FEW = 16 };

static struct drxi_key key_of(const void *attrs, int64_t i)
{
    const char *const name = ((const struct drxi_attrs *)attrs)->item[i].name;

    return (struct drxi_key){ name, strlen(name) };
}

static struct drxi_keys keys_of(const struct drxi_attrs *t)
{
    return (struct drxi_keys){ key_of, t };
}

int64_t drxi_attrs_find(const struct drxi_attrs *t, const char *name, size_t name_bytes)
{
    return drxi_index_find(&t->names, keys_of(t), name, name_bytes);
}

void drxi_attrs_pack(struct drxi_attrs *t)
{
    int64_t kept = 0;

    if (t->holes == 0)
        return;
    for (int64_t i = 0; i < t->n; i++) {
        if (!t->item[i].name)
            continue;
        t->item[kept] = t->item[i];
        drxi_index_set(&t->names, keys_of(t), kept++);
    }
    t->n = kept;
    t->holes = 0;
}

drx_status drxi_attrs_reserve(struct drxi_attrs *t)
{
    const drx_status st = drxi_reserve(&t->item, &t->room, t->n + 1, sizeof *t->item);

    return st ? st : drxi_index_reserve(&t->names, keys_of(t));
}

void drxi_attr_free(struct drxi_attr *attr)
{
    drxi_free(attr->name);
    drxi_free(attr->values);
    drxi_free(attr->extents);
}

char *drxi_copy_with_nul(const void *bytes, size_t n)
{
    char *copy = drxi_malloc(n + 1);

    if (copy && n > 0)
        memcpy(copy, bytes, n);
    if (copy)
        copy[n] = '\0';
    return copy;
}

drx_status drxi_attrs_make(struct drxi_attrs *t, const struct drxi_attr_payload *payload, struct drxi_attr *made)
{
    const size_t value_bytes = (size_t)payload->n * drx_type_size(payload->type);
    drx_status st = drxi_attrs_reserve(t);

    if (st)
        return st;
    *made = (struct drxi_attr){ .rank = 1 };
    made->type = payload->type;
    made->is_text = payload->is_text;
    made->n = payload->n;
    made->name = drxi_copy_with_nul(payload->name, payload->name_bytes);
    made->values = drxi_copy_with_nul(payload->values, value_bytes);
    if (made->name && made->values)
        return DRX_OK;
    drxi_attr_free(made);
    return DRX_ENOMEM;
}

void drxi_attrs_set(struct drxi_attrs *t, const struct drxi_attr *made)
{
    const int64_t there = drxi_attrs_find(t, made->name, strlen(made->name));

    if (there >= 0) {
        drxi_attr_free(&t->item[there]);
        t->item[there] = *made;
        return;
    }
    t->item[t->n] = *made;
    drxi_index_set(&t->names, keys_of(t), t->n++);
}

void drxi_attrs_delete(struct drxi_attrs *t, int64_t i)
{
    drxi_index_remove(&t->names, keys_of(t), i);
    drxi_attr_free(&t->item[i]);
    memset(&t->item[i], 0, sizeof t->item[i]);
    t->holes++;
    if (t->holes > t->n / 2 + FEW)
        drxi_attrs_pack(t);
}

void drxi_attrs_free(struct drxi_attrs *t)
{
    for (int64_t i = 0; i < t->n; i++)
        drxi_attr_free(&t->item[i]);
    drxi_free(t->item);
    drxi_index_free(&t->names);
    memset(t, 0, sizeof *t);
}

drx_status drxi_attrs_check_name(const char *label, const char *name)
{
    const size_t n = name ? strlen(name) : 0;

    if (n < 1 || n > DRXI_NAME_MAX_BYTES || !drxi_is_utf8(name, n))
        return drxi_fail(DRX_EINVAL, "%s: a name of %zu bytes, expected 1 to %d bytes of UTF-8", label, n,
                         DRXI_NAME_MAX_BYTES);
    return DRX_OK;
}

drx_status drxi_attrs_check(const char *label, const char *name, drx_type type, int64_t n, const void *values,
                            struct drxi_attr_payload *out)
{
    const size_t item_bytes = drx_type_size(type);
    drx_status st = drxi_attrs_check_name(label, name);

    if (st)
        return st;
    if (item_bytes == 0)
        return drxi_fail(DRX_EINVAL, "%s: attribute \"%s\": type %d does not exist", label, name, (int)type);
    if (DRX_IS_STRING(type))
        return drxi_fail(DRX_EINVAL,
                         "%s: attribute \"%s\": values of type %s, expected numbers, a defined type, or a text", label,
                         name, drx_type_name(type));
    if (n < 0 || (n > 0 && !values))
        return drxi_fail(DRX_EINVAL, "%s: attribute \"%s\": %lld values, expected 0 or more, and a pointer to them",
                         label, name, (long long)n);
    if (n > DRXI_ATTR_MAX_BYTES / (int64_t)item_bytes)
        return drxi_fail(DRX_EOVERFLOW, "%s: attribute \"%s\": %lld values, expected up to %d bytes", label, name,
                         (long long)n, DRXI_ATTR_MAX_BYTES);
    *out = (struct drxi_attr_payload){ name, strlen(name), type, false, n, values };
    return DRX_OK;
}

drx_status drxi_attrs_check_text(const char *label, const char *name, const char *utf8, struct drxi_attr_payload *out)
{
    const size_t n = utf8 ? strlen(utf8) : 0;
    drx_status st = drxi_attrs_check_name(label, name);

    if (st)
        return st;
    if (!utf8 || !drxi_is_utf8(utf8, n))
        return drxi_fail(DRX_EINVAL, "%s: attribute \"%s\": its text is not UTF-8", label, name);
    if (n > DRXI_ATTR_MAX_BYTES)
        return drxi_fail(DRX_EOVERFLOW, "%s: attribute \"%s\": %zu bytes, expected up to %d", label, name, n,
                         DRXI_ATTR_MAX_BYTES);
    *out = (struct drxi_attr_payload){ name, strlen(name), DRX_UINT8, true, (int64_t)n, utf8 };
    return DRX_OK;
}

drx_status drxi_attrs_look_up(const struct drxi_attrs *t, const char *label, const char *name, int64_t *i)
{
    *i = name ? drxi_attrs_find(t, name, strlen(name)) : -1;
    return *i >= 0 ? DRX_OK : drxi_fail(DRX_ENOENT, "%s: no attribute \"%s\"", label, name ? name : "");
}

drx_status drxi_attrs_get(const struct drxi_attrs *t, const char *label, const char *name, drx_type *type, int64_t *n,
                          const void **values)
{
    int64_t i;
    drx_status st = drxi_attrs_look_up(t, label, name, &i);

    if (st)
        return st;
    if (type)
        *type = t->item[i].type;
    if (n)
        *n = t->item[i].n;
    if (values)
        *values = t->item[i].values;
    return DRX_OK;
}

drx_status drxi_attrs_info(const struct drxi_attrs *t, const char *label, int i, const char **name, drx_type *type,
                           int64_t *n, int *is_text)
{
    if (i < 0 || i >= t->n)
        return drxi_fail(DRX_ERANGE, "%s: attribute %d, there are %lld", label, i, (long long)t->n);
    if (name)
        *name = t->item[i].name;
    if (type)
        *type = t->item[i].type;
    if (n)
        *n = t->item[i].n;
    if (is_text)
        *is_text = t->item[i].is_text;
    return DRX_OK;
}
