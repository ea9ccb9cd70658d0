#include "wind_dataset.h"

drx_array *member(drx_dataset *ds, const char *name)
{
    drx_array *a;

    assert_ok(drx_dataset_array(ds, name, &a));
    return a;
}

void add_variable(drx_dataset *ds, const char *name, int ndim, const char *const dims[], const int64_t shape[])
{
    const int64_t chunk[] = { 2, 3, 4 };

    assert_ok(drx_dataset_add(
        ds, name, &(drx_spec){ .ndim = ndim, .type = DRX_INT32, .shape = shape, .chunk = chunk, .dims = dims }, NULL));
}

const char *const time_lat_lon[] = { "time", "lat", "lon" };

drx_dataset *make_winds(const char *path)
{
    const int64_t shape[] = { 0, LATS, LONS };
    drx_dataset *ds;

    assert_ok(drx_dataset_create(path, &ds));
    add_variable(ds, "u", 3, time_lat_lon, shape);
    add_variable(ds, "v", 3, time_lat_lon, shape);
    add_variable(ds, "time", 1, time_lat_lon, shape);
    assert_ok(drx_dataset_commit(ds, "variables"));
    return ds;
}

void write_step(drx_array *a, int64_t t, int32_t value)
{
    const int64_t lo[] = { t, drx_ndim(a) > 1 ? drx_lower(a)[1] : 0, drx_ndim(a) > 2 ? drx_lower(a)[2] : 0 };
    const int64_t count[] = { 1, drx_ndim(a) > 1 ? drx_shape(a)[1] : 1, drx_ndim(a) > 2 ? drx_shape(a)[2] : 1 };
    int32_t *buf = calloc((size_t)(count[1] * count[2]), sizeof *buf);

    for (int64_t i = 0; i < count[1] * count[2]; i++)
        buf[i] = value;
    assert_ok(drx_write(a, lo, count, DRX_ROW_MAJOR, buf));
    free(buf);
}

void append_step(drx_dataset *ds, int32_t value)
{
    int64_t t;

    (void)drx_dataset_dim(ds, drx_dataset_dim_find(ds, "time"), &t);
    assert_ok(drx_dataset_extend(ds, "time", 1));
    for (int i = 0; i < drx_dataset_count(ds); i++)
        if (drx_dataset_ndim(ds, i) > 0)
            write_step(member(ds, drx_dataset_name(ds, i)), t, value);
}

int32_t first_at(drx_array *a, int64_t t)
{
    const int64_t index[] = { t, 0, 0 };
    int32_t value = -1;

    assert_ok(drx_get(a, index, &value));
    return value;
}

void expect_bound(drx_dataset *ds, const char *dim, int64_t bound)
{
    int64_t have = -1;

    assert_non_null(drx_dataset_dim(ds, drx_dataset_dim_find(ds, dim), &have));
    assert_int_equal(have, bound);
}

drx_dataset *open_at(const char *path, int mode, int64_t at)
{
    drx_dataset *ds;

    assert_ok(drx_dataset_open(path, mode, at, &ds));
    return ds;
}
