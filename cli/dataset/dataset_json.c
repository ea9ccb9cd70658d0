/* Prints what a dataset is, as JSON. */
#include "datasets.h"
#include "frame/defined_value.h"

static void put_dimensions(struct json *j, drx_dataset *ds)
{
    json_begin(j, "dims", '{', true);
    for (int d = 0; d < drx_dataset_dim_count(ds); d++) {
        const struct owner of = { .ds = ds, .part = DRX_DIMENSION, .name = drx_dataset_dim(ds, d, NULL) };
        const bool more = drx_dataset_attr_count(ds, of.part, of.name) > 0;

        json_begin(j, of.name, '{', more);
        json_number(j, "size", extent_of(ds, d));
        json_number(j, "lower", drx_dataset_dim_lower(ds, d));
        json_boolean(j, "unlimited", is_unlimited(ds, d));
        if (more)
            json_attributes(j, &of);
        json_end(j, '}');
    }
    json_end(j, '}');
}

static void put_groups(struct json *j, drx_dataset *ds)
{
    json_begin(j, "groups", '{', true);
    for (int i = 0; i < drx_dataset_group_count(ds); i++) {
        json_begin(j, drx_dataset_group(ds, i), '{', true);
        json_attributes(j, &(struct owner){ .ds = ds, .part = DRX_GROUP, .name = drx_dataset_group(ds, i) });
        json_end(j, '}');
    }
    json_end(j, '}');
}

/* Those that have a name; none: no key. */
static void put_types(struct json *j, drx_dataset *ds)
{
    bool any = false;
    drx_type type;

    for (int i = 0; i < drx_dataset_type_count(ds); i++) {
        const char *path = drx_dataset_type(ds, i, &type);

        if (!*path || !DRX_IS_DEFINED(type))
            continue;
        if (!any)
            json_begin(j, "types", '{', true);
        any = true;
        json_defined(j, path, type);
    }
    if (any)
        json_end(j, '}');
}

static int put_variable(struct json *j, drx_dataset *ds, const char *path, int i)
{
    static const char zero[VALUE_MAX_BYTES];
    const int ndim = drx_dataset_ndim(ds, i);
    struct owner of = { .array = member_array(ds, path, i) };
    drx_spec spec;

    if (!of.array)
        return FAILED;
    drx_describe(of.array, &spec);
    json_begin(j, drx_dataset_name(ds, i), '{', true);
    json_type_of(j, spec.type);
    json_begin(j, "dims", '[', false);
    for (int k = 0; k < ndim; k++)
        json_string(j, NULL, drx_dataset_dim(ds, drx_dataset_axis(ds, i, k), NULL));
    json_end(j, ']');
    json_numbers(j, "shape", ndim, drx_shape(of.array));
    json_numbers(j, "chunk", ndim, drx_chunk(of.array));
    if (ndim < 0)
        json_boolean(j, "null", true);
    json_value(j, "fill", spec.type, spec.fill ? spec.fill : zero);
    json_codec(j, &spec);
    json_attributes(j, &of);
    json_end(j, '}');
    return DONE;
}

int put_dataset_json(struct json *j, drx_dataset *ds, const char *path)
{
    const struct owner of = { .ds = ds };
    int status = DONE;

    for (int i = 0; status == DONE && i < drx_dataset_count(ds); i++)
        status = member_array(ds, path, i) ? DONE : FAILED;
    if (status != DONE)
        return status;
    json_begin(j, NULL, '{', true);
    json_string(j, "path", path);
    json_number(j, "commit", drx_dataset_shown(ds));
    json_number(j, "last_commit", drx_dataset_last(ds));
    put_dimensions(j, ds);
    if (drx_dataset_group_count(ds))
        put_groups(j, ds);
    put_types(j, ds);
    json_begin(j, "variables", '{', true);
    for (int i = 0; status == DONE && i < drx_dataset_count(ds) && !put_failed(); i++)
        status = put_variable(j, ds, path, i);
    json_end(j, '}');
    json_attributes(j, &of);
    json_end(j, '}');
    return status;
}
