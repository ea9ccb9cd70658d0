/* Inquiries, attributes and names. What takes an attribute of an array takes one of a dataset. */
#include <stdlib.h>
#include <string.h>

#include "drxf_calls.h"

/* ---- inquiries: of a handle that is no open array, 0 ---------------------------------- */

DRX_API int drxf_ndim(int64_t id)
{
    const drx_array *a = drxf_c_array(id);

    return a ? drx_ndim(a) : 0;
}

DRX_API int drxf_dtype(int64_t id)
{
    const drx_array *a = drxf_c_array(id);

    return a ? (int)drx_dtype(a) : 0;
}

/* which: 0 the shape, 1 the lower bounds, 2 the chunk */
DRX_API void drxf_bounds(int64_t id, int which, int64_t out[])
{
    const drx_array *a = drxf_c_array(id);
    const int64_t *from = NULL;

    if (a)
        from = which == 0 ? drx_shape(a) : which == 1 ? drx_lower(a) : drx_chunk(a);
    for (int j = 0; a && j < drx_ndim(a); j++)
        out[j] = from[j];
}

DRX_API const char *drxf_dim_name(int64_t id, int axis)
{
    const drx_array *a = drxf_c_array(id);

    return a && axis >= 1 && axis <= drx_ndim(a) ? drx_dim_name(a, axis - 1) : NULL;
}

DRX_API int drxf_axis_named(int64_t id, const char *name)
{
    const drx_array *a = drxf_c_array(id);

    for (int j = 0; a && j < drx_ndim(a); j++)
        if (drx_dim_name(a, j) && strcmp(drx_dim_name(a, j), name) == 0)
            return j + 1;
    return 0;
}

/* ---- attributes ------------------------------------------------------------------------ */

/* An array or a part of a dataset, which has attributes. */
struct owner {
    const struct drxf_kind *kind;
    void *it;
    struct drxf_part of;
    const drx_array *a; /* for inquiries, one of the two */
    const drx_dataset *ds;
};

static drx_status find_owner(int64_t id, int part, const char *of, struct owner *out)
{
    drx_status st = drxf_any(id, &out->it, &out->kind);

    if (!st && !out->kind->attr_set)
        st = drxf_fail(DRX_EINVAL, "the handle is that of a %s, which has no attributes", out->kind->name);
    if (!st && !out->kind->dataset && part != DRX_DATASET)
        st = drxf_fail(DRX_EINVAL, "the handle is that of an array, which has no parts");
    if (st)
        return st;
    out->of = (struct drxf_part){ part, of };
    out->a = out->kind->array ? out->kind->array(out->it) : NULL;
    out->ds = out->kind->dataset ? out->kind->dataset(out->it) : NULL;
    return DRX_OK;
}

DRX_API int drxf_attr_count(int64_t id, int part, const char *of)
{
    struct owner o;
    int n;

    if (find_owner(id, part, of, &o))
        return 0;
    n = o.a ? drx_attr_count(o.a) : drx_dataset_attr_count(o.ds, part, of);
    return n < 0 ? 0 : n;
}

static drx_status info(const struct owner *o, int i, const char **name, drx_type *type, int64_t *n, int *is_text)
{
    return o->a ? drx_attr_info(o->a, i, name, type, n, is_text)
                : drx_dataset_attr_info(o->ds, o->of.part, o->of.path, i, name, type, n, is_text);
}

/* i counts from 1. */
DRX_API const char *drxf_attr_name(int64_t id, int part, const char *of, int i)
{
    struct owner o;
    const char *name = NULL;

    return find_owner(id, part, of, &o) || info(&o, i - 1, &name, NULL, NULL, NULL) ? NULL : name;
}

static drx_status find_attr(int64_t id, int part, const char *of, const char *name, struct owner *o, drx_type *type,
                            int64_t *n, int *is_text)
{
    const drx_status st = find_owner(id, part, of, o);
    const char *other;

    if (st)
        return st;
    for (int i = 0; info(o, i, &other, type, n, is_text) == DRX_OK; i++)
        if (strcmp(other, name) == 0)
            return DRX_OK;
    if (o->a)
        return drxf_fail_of(o->a, DRX_ENOENT, "no attribute \"%.200s\"", name);
    if (drx_dataset_attr_count(o->ds, part, of) < 0)
        return DRX_ENOENT; /* with the detail set */
    return drxf_fail(DRX_ENOENT, "the %s has no attribute \"%.200s\"", part ? of : "dataset", name);
}

DRX_API drx_status drxf_attr_info(int64_t id, int part, const char *of, const char *name, int *type, int64_t *n,
                                  int *is_text)
{
    struct owner o;
    drx_type its_type;
    const drx_status st = find_attr(id, part, of, name, &o, &its_type, n, is_text);

    if (!st)
        *type = (int)its_type;
    return st;
}

/* The values of an attribute, of the library; of a text, if `text`. */
static drx_status find_values(int64_t id, int part, const char *of, const char *name, bool text, drx_type *type,
                              int64_t *n, const void **values)
{
    struct owner o;
    int is_text;
    drx_status st = find_attr(id, part, of, name, &o, type, n, &is_text);

    if (!st && is_text && !text)
        st = drxf_fail(DRX_EMISMATCH, "attribute \"%.200s\" is a text, expected a variable of characters", name);
    if (!st && !is_text && text)
        st = drxf_fail(DRX_EMISMATCH, "attribute \"%.200s\" is %s, expected a text", name, drx_type_name(*type));
    if (!st)
        st = o.a ? drx_attr_get(o.a, name, NULL, NULL, values)
                 : drx_dataset_attr_get(o.ds, part, of, name, NULL, NULL, values);
    return st;
}

/* Into a variable of characters, padded with blanks. */
static drx_status get_text(int64_t id, int part, const char *of, const char *name, const CFI_cdesc_t *letters)
{
    const void *text;
    drx_type type;
    int64_t n;
    drx_status st = find_values(id, part, of, name, true, &type, &n, &text);

    if (!st && (letters->rank || (int64_t)letters->elem_len < n))
        st = drxf_fail(DRX_EMISMATCH, "attribute \"%.200s\" has %lld characters, and values has room for %lld", name,
                       (long long)n, letters->rank ? 0 : (long long)letters->elem_len);
    if (!st) {
        memset(letters->base_addr, ' ', letters->elem_len);
        memcpy(letters->base_addr, text, (size_t)n);
    }
    return st;
}

DRX_API drx_status drxf_attr_get(int64_t id, int part, const char *of, const char *name, const CFI_cdesc_t *values,
                                 int bits)
{
    char room[DRXF_MOST_NAME];
    const void *its_values;
    drx_type type;
    int64_t n;
    drx_status st = drxf_check_there(values, "values");

    if (!st && DRXF_KIND(values->type) == DRXF_KIND(CFI_type_char))
        return get_text(id, part, of, name, values);
    if (!st)
        st = find_values(id, part, of, name, false, &type, &n, &its_values);
    if (!st && !drxf_takes(type, values, bits))
        st = drxf_fail(DRX_EMISMATCH, "attribute \"%.200s\" is %s, and values is %s; expected %s%s", name,
                       drx_type_name(type), drxf_declared_as(values, room), drxf_declared(type),
                       drxf_lacks(type) ? " and bits=.true." : "");
    if (!st && n != drxf_size(values))
        st = drxf_fail(DRX_EMISMATCH, "attribute \"%.200s\" has %lld values, and values has room for %lld", name,
                       (long long)n, (long long)drxf_size(values));
    if (!st && n)
        drxf_unpack(values, its_values);
    return st;
}

/* The bytes stay the library's until the next change. */
DRX_API drx_status drxf_attr_get_text(int64_t id, int part, const char *of, const char *name, const void **text,
                                      int64_t *n)
{
    drx_type type;

    return find_values(id, part, of, name, true, &type, n, text);
}

DRX_API drx_status drxf_attr_set(int64_t id, int part, const char *of, const char *name, const CFI_cdesc_t *values)
{
    struct owner o;
    struct drxf_kept wrong;
    const void *piece = NULL;
    void *made = NULL;
    drx_status st = find_owner(id, part, of, &o);

    if (st)
        return st;
    st = drxf_check_there(values, "values");
    if (!st && !drxf_type_of(values))
        st = drxf_fail(DRX_EINVAL, "attribute \"%.200s\": expected a text, or integers, real or complex numbers", name);
    if (!st) {
        piece = drxf_in_one_piece(values, &made);
        st = piece ? DRX_OK : DRX_ENOMEM;
    }
    drxf_keep(&wrong, st);
    st = st ? o.kind->attr_set(o.it, &o.of, name, 0, 0, NULL) /* refused */
            : o.kind->attr_set(o.it, &o.of, name, drxf_type_of(values), drxf_size(values), piece);
    free(made);
    return drxf_tell(&wrong, o.kind->together, st);
}

DRX_API drx_status drxf_attr_set_text(int64_t id, int part, const char *of, const char *name, const char *text)
{
    struct owner o;
    const drx_status st = find_owner(id, part, of, &o);

    return st ? st : o.kind->attr_set_text(o.it, &o.of, name, text);
}

DRX_API drx_status drxf_attr_delete(int64_t id, int part, const char *of, const char *name)
{
    struct owner o;
    const drx_status st = find_owner(id, part, of, &o);

    return st ? st : o.kind->attr_delete(o.it, &o.of, name);
}
