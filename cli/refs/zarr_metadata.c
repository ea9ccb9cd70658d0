/* What Zarr, version 2, says of an array. */
#include <math.h>
#include <string.h>

#include "refs.h"

/* NumPy's name of the type as it is stored. Zarr joins bytes to text where the type is that of one character. */
static const char *dtype_of(const drx_array *a, char out[16])
{
    const drx_type type = drx_dtype(a);
    const size_t bytes = drx_type_size(type);
    const char kind = drx_type_name(type)[0]; /* int, uint, float, complex, bool */

    if (DRX_IS_STRING(type))
        (void)snprintf(out, 16, "%c%s", DRX_IS_BYTES(type) ? '|' : '<', drx_type_name(type));
    else
        (void)snprintf(out, 16, "%c%c%zu", bytes == 1 ? '|' : '<', holds_text(a) ? 'S' : kind, bytes);
    return out;
}

static struct json_object *json_of_extents(int n, const int64_t extents[])
{
    struct json_object *list = json_object_new_array();

    for (int j = 0; list && j < n; j++)
        (void)json_object_array_add(list, json_object_new_int64(extents[j]));
    return list;
}

enum { MOST_INLINE_BYTES = 64 << 10 };

bool begins_inside_chunk(const struct zarr_variable *v)
{
    for (int j = 0; j < v->ndim; j++)
        if (drx_lower(v->a)[j] % drx_chunk(v->a)[j] != 0)
            return true;
    return false;
}

bool is_inline(const struct zarr_variable *v)
{
    drx_spec spec;
    int64_t bytes;

    drx_describe(v->a, &spec);
    if (v->ndim == 0)
        return spec.codec != DRX_RAW && spec.chunk[0] > 1;
    bytes = box_bytes(spec.ndim, spec.shape, drx_type_size(spec.type));
    return begins_inside_chunk(v) && bytes >= 0 && bytes <= MOST_INLINE_BYTES;
}

/* The extents of a chunk of Zarr, which are at least 1. */
static void chunk_of(const struct zarr_variable *v, const drx_spec *spec, int64_t chunk[])
{
    const bool whole = v->ndim > 0 && is_inline(v);

    for (int j = 0; j < v->ndim; j++)
        chunk[j] = !whole ? spec->chunk[j] : spec->shape[j] > 0 ? spec->shape[j] : 1;
}

/* How numcodecs calls what decodes the frames, which say all that a decoder needs. */
static struct json_object *compressor_of(const struct zarr_variable *v, const drx_spec *spec)
{
    struct json_object *c;

    if (spec->codec == DRX_RAW || is_inline(v))
        return NULL;
    c = json_object_new_object();
    if (!c)
        return NULL;
    (void)json_object_object_add(c, "id", json_object_new_string("blosc"));
    (void)json_object_object_add(c, "cname", json_object_new_string(drx_codec_name(spec->codec)));
    (void)json_object_object_add(c, "clevel", json_object_new_int(spec->level));
    (void)json_object_object_add(c, "shuffle", json_object_new_int((int)spec->shuffle - (int)DRX_SHUFFLE_NONE));
    (void)json_object_object_add(c, "blocksize", json_object_new_int(0));
    return c;
}

/* Is a number the mark of nothing: 0, or NaN, which is no number in any case? */
static bool is_plain(drx_type type, const void *value)
{
    const double re = real_part(type, value, 0), im = type_is_complex(type) ? real_part(type, value, 1) : 0;

    return isnan(re) || isnan(im) || (re == 0 && im == 0);
}

static void set_nan(drx_type type, void *out)
{
    const double nan[2] = { NAN, NAN };

    (void)convert_value(type_is_complex(type) ? DRX_COMPLEX128 : DRX_FLOAT64, nan, type, out);
}

/* What marks missing elements: the attribute _FillValue (*noted), or else the fill, unless it is 0. Where there is
 * none, NaN does, which marks nothing else, or, of integers, nothing: false. A bool marks nothing by its fill,
 * and a string nothing at all. */
static bool mark_of(const drx_array *a, void *out, bool *noted)
{
    const drx_type type = drx_dtype(a);
    const void *values, *fill = fill_of(a);
    drx_type from;
    int64_t n;

    *noted = false;
    if (holds_text(a) || DRX_IS_STRING(type))
        return false;
    if (drx_attr_get(a, "_FillValue", &from, &n, &values) == DRX_OK) {
        *noted = n == 1 && !type_is_complex(from) == !type_is_complex(type) && convert_value(from, values, type, out);
        return *noted;
    }
    if (type == DRX_BOOL)
        return false;
    if (fill && (type_is_whole(type) || !is_plain(type, fill)))
        memcpy(out, fill, drx_type_size(type));
    else if (type_is_whole(type))
        return false;
    else
        set_nan(type, out);
    return true;
}

/* No chunk is missing, so the fill value of Zarr tells xarray what marks missing elements, and a program that cannot
 * reach a chunk what to take for it. Where nothing marks them it is null: xarray would take a 0 for the mark. */
struct json_object *zarray_of(const struct zarr_variable *v)
{
    struct json_object *z = json_object_new_object(), *fill = NULL;
    char mark[VALUE_MAX_BYTES], dtype[16];
    int64_t chunk[DRX_MAX_NDIM];
    bool noted, columns;
    drx_spec spec;

    if (!z)
        return NULL;
    drx_describe(v->a, &spec);
    chunk_of(v, &spec, chunk);
    columns = spec.chunk_order == DRX_COL_MAJOR && !is_inline(v);
    if (mark_of(v->a, mark, &noted))
        fill = json_of_value(spec.type, mark);
    (void)json_object_object_add(z, "zarr_format", json_object_new_int(2));
    (void)json_object_object_add(z, "shape", json_of_extents(v->ndim, spec.shape));
    (void)json_object_object_add(z, "chunks", json_of_extents(v->ndim, chunk));
    (void)json_object_object_add(z, "dtype", json_object_new_string(dtype_of(v->a, dtype)));
    (void)json_object_object_add(z, "compressor", compressor_of(v, &spec));
    (void)json_object_object_add(z, "fill_value", fill);
    (void)json_object_object_add(z, "order", json_object_new_string(columns ? "F" : "C"));
    (void)json_object_object_add(z, "filters", NULL);
    return z;
}

static void add_dimensions(struct json_object *attributes, const struct zarr_variable *v)
{
    struct json_object *names = json_object_new_array();
    char made[512]; /* the name is that of a file */

    for (int j = 0; names && j < v->ndim; j++) {
        (void)snprintf(made, sizeof made, "%s_dim_%d", v->name, j);
        (void)json_object_array_add(names, json_object_new_string(v->dim[j] ? v->dim[j] : made));
    }
    (void)json_object_object_add(attributes, "_ARRAY_DIMENSIONS", names);
}

/* Where index 0 of Zarr is not index 0 of the array, an attribute says which it is. */
static void add_lower(struct json_object *attributes, const struct zarr_variable *v)
{
    const int64_t *lower = drx_lower(v->a);

    for (int j = 0; j < v->ndim; j++)
        if (lower[j] != 0) {
            (void)json_object_object_add(attributes, "drx_lower", json_of_extents(v->ndim, lower));
            return;
        }
}

struct json_object *zattrs_of(const struct zarr_variable *v)
{
    char mark[VALUE_MAX_BYTES];
    bool noted;
    struct json_object *attributes = attributes_of(&(struct owner){ .array = v->a }, holds_text(v->a));

    if (!attributes)
        return NULL;
    if (mark_of(v->a, mark, &noted) && noted) /* the fill value says it */
        json_object_object_del(attributes, "_FillValue");
    add_dimensions(attributes, v);
    add_lower(attributes, v);
    return attributes;
}
