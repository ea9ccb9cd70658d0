#include <string.h>

#include "frame/json.h"
#include "info.h"

static void put_attributes(struct json *j, drx_array *a)
{
    const char *name;
    const char *values;
    const void *at;
    drx_type type;
    int64_t n;
    int is_text;

    json_begin(j, "attrs", '{', true);
    for (int i = 0; i < drx_attr_count(a); i++) {
        if (drx_attr_info(a, i, &name, NULL, NULL, &is_text) || drx_attr_get(a, name, &type, &n, &at))
            continue;
        values = at;
        if (is_text) {
            json_text(j, name, values, (size_t)n);
        } else if (n == 1) {
            json_value(j, name, type, values);
        } else {
            json_begin(j, name, '[', false);
            for (int64_t k = 0; k < n; k++)
                json_value(j, NULL, type, values + (size_t)k * drx_type_size(type));
            json_end(j, ']');
        }
    }
    json_end(j, '}');
}

static void put_history(struct json *j, drx_array *a)
{
    const int ndim = drx_ndim(a);
    int64_t shape[DRX_MAX_NDIM];
    int64_t by;
    int axis;

    memcpy(shape, drx_initial_shape(a), (size_t)ndim * sizeof *shape);
    json_begin(j, "history", '[', true);
    for (int64_t i = 0; i < drx_growth_count(a) && !put_failed(); i++) {
        if (drx_growth(a, i, &axis, &by))
            break;
        shape[axis] += by;
        json_begin(j, NULL, '{', false);
        json_number(j, "axis", axis);
        json_number(j, "by", by);
        json_numbers(j, "shape", ndim, shape);
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void put_stripes(struct json *j, const struct info *info)
{
    json_begin(j, "stripes", '[', info->spec.nstripes > 0);
    for (int k = 0; k < info->spec.nstripes; k++) {
        json_begin(j, NULL, '{', false);
        json_string(j, "folder", info->spec.stripes[k]);
        json_string(j, "file", drx_file(info->array, 1 + k));
        json_number(j, "bytes", info->stripe[k].bytes);
        json_number(j, "bytes_on_disk", info->stripe[k].on_disk);
        json_end(j, '}');
    }
    json_end(j, ']');
}

void put_info_json(struct json *j, const struct info *info, bool long_too)
{
    drx_array *a = info->array;
    const drx_spec *spec = &info->spec;
    static const char zero[16];

    json_begin(j, NULL, '{', true);
    json_string(j, "path", info->path);
    json_numbers(j, "shape", spec->ndim, drx_shape(a));
    json_numbers(j, "chunk", spec->ndim, drx_chunk(a));
    json_string(j, "type", drx_type_name(spec->type));
    json_string(j, "order", spec->chunk_order == DRX_COL_MAJOR ? "F" : "C");
    json_begin(j, "dims", '[', false);
    for (int axis = 0; axis < spec->ndim; axis++)
        json_string(j, NULL, drx_dim_name(a, axis));
    json_end(j, ']');
    json_value(j, "fill", spec->type, spec->fill ? spec->fill : zero);
    put_attributes(j, a);
    if (long_too)
        put_history(j, a);
    else
        json_number(j, "growths", drx_growth_count(a));
    json_number(j, "chunks", drx_chunk_count(a));
    json_number(j, "data_bytes", info->data.bytes);
    json_number(j, "metadata_bytes", info->metadata.bytes);
    json_numbers(j, "initial_shape", spec->ndim, drx_initial_shape(a));
    json_number(j, "align", spec->align ? spec->align : 1);
    json_number(j, "data_bytes_on_disk", info->data.on_disk);
    put_stripes(j, info);
    json_boolean(j, "checksum", info->spec.flags & DRX_CHECKSUM);
    if (info->spec.flags & DRX_CHECKSUM)
        json_number(j, "checksum_bytes", info->checksums.bytes);
    if (info->report[0])
        json_string(j, "report", info->report);
    json_end(j, '}');
}
