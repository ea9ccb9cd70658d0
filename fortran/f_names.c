/* Inquiries, and what attributes hold. */
#include <string.h>

#include "drxf.h"

static int number_of(const int *part)
{
    return part ? *part : DRX_DATASET;
}

static int axis_named(const drx_array *a, const char *name)
{
    for (int j = 0; a && j < drx_ndim(a); j++)
        if (drx_dim_name(a, j) && strcmp(drx_dim_name(a, j), name) == 0)
            return j + 1;
    return 0;
}

/* How many groups, dimensions or variables there are, or the name of number i. */
static int count(const drx_dataset *ds, int part)
{
    return part == DRX_GROUP       ? drx_dataset_group_count(ds)
           : part == DRX_DIMENSION ? drx_dataset_dim_count(ds)
                                   : drx_dataset_count(ds);
}

static const char *name_in(const drx_dataset *ds, int part, int i)
{
    return part == DRX_GROUP       ? drx_dataset_group(ds, i)
           : part == DRX_DIMENSION ? drx_dataset_dim(ds, i, NULL)
                                   : drx_dataset_name(ds, i);
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
DRX_API int64_t drxf_number(int64_t id, int of, const char *name, const int *part)
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
        return t.ds ? count(t.ds, *part) : 0;
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
        return drxf_an_owner(id, number_of(part), &t) ? 0 : attributes(&t, number_of(part), name);
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
DRX_API const char *drxf_name(int64_t id, int of, int i, const int *part, const char *path)
{
    struct drxf_target t;
    const char *name = NULL;

    if (of == DRXF_OF_ATTRS && !drxf_an_owner(id, number_of(part), &t))
        (void)info(&t, number_of(part), path, i - 1, &name, NULL, NULL, NULL);
    if (of == DRXF_OF_ATTRS || !drxf_find(id, &t))
        return name;
    if (of == DRXF_OF_AXIS)
        return t.a && i >= 1 && i <= drx_ndim(t.a) ? drx_dim_name(t.a, i - 1) : NULL;
    return t.ds ? name_in(t.ds, *part, i - 1) : NULL;
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
    if (time)
        *time = st ? 0 : found.time;
    *message = st ? NULL : found.message;
    return st;
}

/* ---- attributes ------------------------------------------------------------------------ */

struct attribute {
    drx_type type;
    int64_t n;
    int is_text;
    const void *values; /* the library's, until the next change */
};

static drx_status find_attr(int64_t id, const char *name, const int *part, const char *of, struct attribute *out)
{
    struct drxf_target t;
    const int its_part = number_of(part);
    const drx_status st = drxf_an_owner(id, its_part, &t);
    const char *other;

    if (st)
        return st;
    for (int i = 0; info(&t, its_part, of, i, &other, &out->type, &out->n, &out->is_text) == DRX_OK; i++)
        if (strcmp(other, name) == 0)
            return t.a ? drx_attr_get(t.a, name, NULL, NULL, &out->values)
                       : drx_dataset_attr_get(t.ds, its_part, of, name, NULL, NULL, &out->values);
    if (t.a)
        return drxf_fail_of(t.a, DRX_ENOENT, "no attribute \"%.200s\"", name);
    if (drx_dataset_attr_count(t.ds, its_part, of) < 0)
        return DRX_ENOENT; /* with the detail set */
    return drxf_fail(DRX_ENOENT, "the %s has no attribute \"%.200s\"", its_part ? of : "dataset", name);
}

DRX_API drx_status drxf_attr_info(int64_t id, const char *name, int *type, int64_t *n, int *is_text, const int *part,
                                  const char *of)
{
    struct attribute found = { .n = 0 };
    const drx_status st = find_attr(id, name, part, of, &found);

    if (type)
        *type = st ? 0 : (int)found.type;
    if (n)
        *n = st ? 0 : found.n;
    *is_text = !st && found.is_text;
    return st;
}

DRX_API drx_status drxf_attr_get_text(int64_t id, const char *name, const void **text, size_t *n, const int *part,
                                      const char *of)
{
    struct attribute found;
    drx_status st = find_attr(id, name, part, of, &found);

    if (!st && !found.is_text)
        st = drxf_fail(DRX_EMISMATCH, "attribute \"%.200s\" is %s, expected a text", name, drx_type_name(found.type));
    *text = st ? NULL : found.values;
    *n = st ? 0 : (size_t)found.n;
    return st;
}

/* Into a variable of characters, padded with blanks. */
static drx_status get_text(int64_t id, const char *name, const CFI_cdesc_t *letters, const int *part, const char *of)
{
    const void *text;
    size_t n;
    drx_status st = drxf_attr_get_text(id, name, &text, &n, part, of);

    if (!st && (letters->rank || letters->elem_len < n))
        st = drxf_fail(DRX_EMISMATCH, "attribute \"%.200s\" has %zu characters, and values has room for %zu", name, n,
                       letters->rank ? 0 : letters->elem_len);
    if (!st) {
        memset(letters->base_addr, ' ', letters->elem_len);
        memcpy(letters->base_addr, text, n);
    }
    return st;
}

DRX_API drx_status drxf_attr_get(int64_t id, const char *name, const CFI_cdesc_t *values, int bits, const int *part,
                                 const char *of)
{
    char room[DRXF_MOST_NAME];
    struct attribute found;
    drx_status st = drxf_check_there(values, "values");

    if (!st && DRXF_KIND(values->type) == DRXF_KIND(CFI_type_char))
        return get_text(id, name, values, part, of);
    if (!st)
        st = find_attr(id, name, part, of, &found);
    if (!st && found.is_text)
        st = drxf_fail(DRX_EMISMATCH, "attribute \"%.200s\" is a text, expected a variable of characters", name);
    if (!st && !drxf_takes(found.type, values, bits))
        st = drxf_fail(DRX_EMISMATCH, "attribute \"%.200s\" is %s, and values is %s; expected %s%s", name,
                       drx_type_name(found.type), drxf_declared_as(values, room), drxf_declared(found.type),
                       drxf_lacks(found.type) ? " and bits=.true." : "");
    if (!st && found.n != drxf_size(values))
        st = drxf_fail(DRX_EMISMATCH, "attribute \"%.200s\" has %lld values, and values has room for %lld", name,
                       (long long)found.n, (long long)drxf_size(values));
    if (!st && found.n)
        drxf_unpack(values, found.values);
    return st;
}
