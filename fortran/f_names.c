/* Inquiries, and what attributes hold. */
#include <string.h>

#include "drxf_calls.h"

static int axis_named(const drx_array *a, const char *name)
{
    for (int j = 0; a && j < drx_ndim(a); j++)
        if (drx_dim_name(a, j) && strcmp(drx_dim_name(a, j), name) == 0)
            return j + 1;
    return 0;
}

static int count(const struct drxf_target *t, int part)
{
    if (!t->ds)
        return 0;
    return part == DRX_GROUP       ? drx_dataset_group_count(t->ds)
           : part == DRX_DIMENSION ? drx_dataset_dim_count(t->ds)
                                   : drx_dataset_count(t->ds);
}

/* Where a dimension begins, and its extent, -1: there is none. */
static int64_t dim(const drx_dataset *ds, const char *name, bool lower)
{
    const int d = ds ? drx_dataset_dim_find(ds, name) : -1;
    int64_t upper;

    if (d < 0)
        return lower ? 0 : -1;
    (void)drx_dataset_dim(ds, d, &upper);
    return lower ? drx_dataset_dim_lower(ds, d) : upper - drx_dataset_dim_lower(ds, d);
}

static int attributes(const struct drxf_target *t, int part, const char *of)
{
    const int n = t->a ? drx_attr_count(t->a) : drx_dataset_attr_count(t->ds, part, of);

    return n < 0 ? 0 : n;
}

/* Of a handle that is not open, or of another kind, it is 0, and the number of a commit or an extent is -1. */
DRX_API int64_t drxf_number(int64_t id, int of, int part, const char *name)
{
    struct drxf_target t;
    struct drxf_frame f = { .ndim = 0 };

    if (drxf_find(id, &t) && !t.ds)
        drxf_frame_at(&t, &f);
    switch ((enum drxf_of)of) {
    case DRXF_OF_NDIM:
        return f.ndim;
    case DRXF_OF_DTYPE:
        return (int64_t)f.type;
    case DRXF_OF_AXIS:
        return axis_named(t.a, name);
    case DRXF_OF_COUNT:
        return count(&t, part);
    case DRXF_OF_HAS:
        return t.ds && drx_dataset_find(t.ds, name) >= 0;
    case DRXF_OF_DIM_EXTENT:
        return dim(t.ds, name, false);
    case DRXF_OF_DIM_LOWER:
        return dim(t.ds, name, true);
    case DRXF_OF_SHOWN:
        return t.ds ? drx_dataset_shown(t.ds) : -1;
    case DRXF_OF_LAST:
        return t.ds ? drx_dataset_last(t.ds) : -1;
    case DRXF_OF_OLDEST:
        return t.ds ? drx_dataset_oldest(t.ds) : -1;
    case DRXF_OF_ATTRS:
        return drxf_an_owner(id, part, &t) ? 0 : attributes(&t, part, name);
    }
    return 0;
}

/* One for each axis, of which there are DRXF_OF_NDIM. */
DRX_API void drxf_bounds(int64_t id, int which, int64_t out[])
{
    struct drxf_target t;
    struct drxf_frame f;

    if (!drxf_find(id, &t) || t.ds)
        return;
    drxf_frame_at(&t, &f);
    if (which >= DRXF_BOUNDS_LOCAL_SHAPE && t.kind->bounds)
        t.kind->bounds(t.it, which, out);
    else if (which != DRXF_BOUNDS_CHUNK || t.a)
        memcpy(out,
               which == DRXF_BOUNDS_SHAPE   ? f.shape
               : which == DRXF_BOUNDS_LOWER ? f.lower
                                            : drx_chunk(t.a),
               (size_t)f.ndim * sizeof *out);
}

static drx_status info(const struct drxf_target *t, int part, const char *of, int i, const char **name, drx_type *type,
                       int64_t *n, int *is_text)
{
    return t->a ? drx_attr_info(t->a, i, name, type, n, is_text)
                : drx_dataset_attr_info(t->ds, part, of, i, name, type, n, is_text);
}

/* The name of axis i of an array, of part i of a dataset, or of attribute i of either, from 1 on; NULL: none. */
DRX_API const char *drxf_name(int64_t id, int of, int part, const char *path, int i)
{
    struct drxf_target t;
    const char *name = NULL;

    if (of == DRXF_OF_ATTRS)
        return drxf_an_owner(id, part, &t) || info(&t, part, path, i - 1, &name, NULL, NULL, NULL) ? NULL : name;
    if (!drxf_find(id, &t))
        return NULL;
    if (of == DRXF_OF_AXIS)
        return t.a && i >= 1 && i <= drx_ndim(t.a) ? drx_dim_name(t.a, i - 1) : NULL;
    if (!t.ds)
        return NULL;
    return part == DRX_GROUP       ? drx_dataset_group(t.ds, i - 1)
           : part == DRX_DIMENSION ? drx_dataset_dim(t.ds, i - 1, NULL)
                                   : drx_dataset_name(t.ds, i - 1);
}

/* For programs that call C; NULL: it is no array. */
DRX_API drx_array *drxf_c_array(int64_t id)
{
    struct drxf_target t;

    (void)drxf_find(id, &t);
    return t.a;
}

DRX_API drx_status drxf_commit_info(int64_t id, const CFI_cdesc_t *number, int64_t *time, const char **message)
{
    struct drxf_target t;
    drx_commit found;
    int64_t n;
    drx_status st = drxf_a_dataset(id, &t);

    if (!st)
        st = drxf_integer(number, "number", &n);
    if (!st)
        st = drx_dataset_commit_info(t.ds, n, &found);
    if (!st) {
        *time = found.time;
        *message = found.message;
    }
    return st;
}

/* ---- attributes ------------------------------------------------------------------------ */

static drx_status find_attr(int64_t id, int part, const char *of, const char *name, struct drxf_target *t,
                            drx_type *type, int64_t *n, int *is_text)
{
    const drx_status st = drxf_an_owner(id, part, t);
    const char *other;

    if (st)
        return st;
    for (int i = 0; info(t, part, of, i, &other, type, n, is_text) == DRX_OK; i++)
        if (strcmp(other, name) == 0)
            return DRX_OK;
    if (t->a)
        return drxf_fail_of(t->a, DRX_ENOENT, "no attribute \"%.200s\"", name);
    if (drx_dataset_attr_count(t->ds, part, of) < 0)
        return DRX_ENOENT; /* with the detail set */
    return drxf_fail(DRX_ENOENT, "the %s has no attribute \"%.200s\"", part ? of : "dataset", name);
}

DRX_API drx_status drxf_attr_info(int64_t id, int part, const char *of, const char *name, int *type, int64_t *n,
                                  int *is_text)
{
    struct drxf_target t;
    drx_type its_type;
    const drx_status st = find_attr(id, part, of, name, &t, &its_type, n, is_text);

    if (!st)
        *type = (int)its_type;
    return st;
}

/* The values of an attribute, of the library; of a text, if `text`. */
static drx_status find_values(int64_t id, int part, const char *of, const char *name, bool text, drx_type *type,
                              int64_t *n, const void **values)
{
    struct drxf_target t;
    int is_text;
    drx_status st = find_attr(id, part, of, name, &t, type, n, &is_text);

    if (!st && is_text && !text)
        st = drxf_fail(DRX_EMISMATCH, "attribute \"%.200s\" is a text, expected a variable of characters", name);
    if (!st && !is_text && text)
        st = drxf_fail(DRX_EMISMATCH, "attribute \"%.200s\" is %s, expected a text", name, drx_type_name(*type));
    if (!st)
        st = t.a ? drx_attr_get(t.a, name, NULL, NULL, values)
                 : drx_dataset_attr_get(t.ds, part, of, name, NULL, NULL, values);
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
