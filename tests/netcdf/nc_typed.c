#include "nc_typed.h"

static const int8_t sky_values[] = { 0, 1, -128 }, skies[] = { 0, 1, 0, 1, 1, -128 };
static const uint16_t day_values[] = { 0, 60000 }, days[] = { 0, 60000, 0 };
static const char *const sky_names[] = { "clear", "cloudy", "missing" }, *const day_names[] = { "a", "b" };
static const char raws[] = "abcdefghij\1\2\3\4";
static const struct types_inner inner = { 2.5F, { { 1, 2, 3 }, { 4, 5, 6 } } };

static void fill(struct types_obs obs[TYPES_X])
{
    memset(obs, 0, TYPES_X * sizeof *obs);
    for (int i = 0; i < TYPES_X; i++) {
        obs[i].t = i + 0.5;
        obs[i].in[0] = inner;
        obs[i].in[1].u = (float)i;
        memcpy(obs[i].name, "abcde", 5);
        obs[i].sky = skies[i];
    }
}

/* ---- by netCDF-4 ---- */

static nc_type nc_enum(int nc, nc_type base, const char *name, int n, const char *const names[], const void *values,
                       size_t bytes)
{
    nc_type type;

    assert_nc(nc_def_enum(nc, base, name, &type));
    for (int i = 0; i < n; i++)
        assert_nc(nc_insert_enum(nc, type, names[i], (const char *)values + (size_t)i * bytes));
    return type;
}

void types_define(const char *path, int mode)
{
    static const int two[] = { 2 }, five[] = { 5 }, sizes[] = { 2, 3 };
    static const size_t lo[] = { 0, 0 }, count[] = { 2, TYPES_X };
    struct types_obs obs[TYPES_X];
    int nc, g, h, dims[2], s, r, d, i, o;
    nc_type sky, raw, day, in, of;

    fill(obs);
    assert_nc(nc_create(path, NC_NETCDF4 | mode, &nc));
    assert_nc(nc_def_grp(nc, "g", &g));
    assert_nc(nc_def_grp(g, "h", &h));
    sky = nc_enum(nc, NC_BYTE, "sky", 3, sky_names, sky_values, 1);
    assert_nc(nc_def_opaque(nc, 5, "raw", &raw));
    day = nc_enum(g, NC_USHORT, "day", 2, day_names, day_values, 2);
    assert_nc(nc_def_compound(g, sizeof inner, "inner", &in));
    assert_nc(nc_insert_compound(g, in, "u", offsetof(struct types_inner, u), NC_FLOAT));
    assert_nc(nc_insert_array_compound(g, in, "v", offsetof(struct types_inner, v), NC_SHORT, 2, sizes));
    assert_nc(nc_def_compound(h, sizeof *obs, "obs", &of));
    assert_nc(nc_insert_compound(h, of, "t", offsetof(struct types_obs, t), NC_DOUBLE));
    assert_nc(nc_insert_array_compound(h, of, "in", offsetof(struct types_obs, in), in, 1, two));
    assert_nc(nc_insert_array_compound(h, of, "name", offsetof(struct types_obs, name), NC_CHAR, 1, five));
    assert_nc(nc_insert_compound(h, of, "sky", offsetof(struct types_obs, sky), sky));
    assert_nc(nc_def_dim(nc, "t", NC_UNLIMITED, &dims[0]));
    assert_nc(nc_def_dim(nc, "x", TYPES_X, &dims[1]));
    assert_nc(nc_def_var(nc, "s", sky, 2, dims, &s));
    assert_nc(nc_def_var_fill(nc, s, 0, &sky_values[2]));
    assert_nc(nc_put_att(nc, s, "flag", sky, 2, skies));
    assert_nc(nc_def_var(nc, "r", raw, 1, &dims[1], &r));
    assert_nc(nc_put_att(nc, NC_GLOBAL, "raw", raw, 2, raws));
    assert_nc(nc_def_var(g, "d", day, 1, &dims[1], &d));
    assert_nc(nc_def_var(g, "i", in, 0, NULL, &i));
    assert_nc(nc_def_var(h, "o", of, 1, &dims[1], &o));
    assert_nc(nc_put_att(h, o, "in", in, 1, &inner));
    assert_nc(nc_put_att_text(h, o, "units", 1, "m"));
    assert_nc(nc_enddef(nc));
    assert_nc(nc_put_vara(nc, s, lo, count, skies));
    assert_nc(nc_put_var(nc, r, raws));
    assert_nc(nc_put_var(g, d, days));
    assert_nc(nc_put_var(g, i, &inner));
    assert_nc(nc_put_var(h, o, obs));
    assert_nc(nc_close(nc));
}

/* ---- by DRX ---- */

static drx_type define(const drx_type_info *info)
{
    drx_type type;

    assert_int_equal(drx_type_define(info, &type), DRX_OK);
    return type;
}

static drx_type drx_enum(const char *name, drx_type base, int n, const char *const names[], const void *values)
{
    const size_t bytes = drx_type_size(base);
    drx_member members[3] = { 0 };

    for (int i = 0; i < n; i++)
        members[i] = (drx_member){ .name = names[i], .value = (const char *)values + (size_t)i * bytes };
    return define(&(drx_type_info){
        .type_class = DRX_ENUM, .name = name, .bytes = bytes, .base = base, .nmembers = n, .members = members });
}

static void add(drx_dataset *ds, const char *path, drx_type type, int ndim, const char *const dims[],
                const int64_t shape[], const void *fill_value, const void *elements)
{
    static const int64_t lo[2] = { 0 };
    const drx_spec spec = {
        .ndim = ndim ? ndim : 1, .type = type, .shape = shape, .dims = ndim ? dims : NULL, .fill = fill_value
    };
    drx_array *a;

    assert_int_equal(drx_dataset_add(ds, path, &spec, &a), DRX_OK);
    assert_int_equal(drx_write(a, lo, shape, DRX_ROW_MAJOR, elements), DRX_OK);
}

static void make_ds(const char *path)
{
    static const char *const dims[] = { "/t", "/x" }, *const paths[] = { "sky", "raw", "g/day", "g/inner", "g/h/obs" };
    static const int64_t two[] = { 2 }, sizes[] = { 2, 3 }, shape[] = { 2, TYPES_X }, one[] = { 1 };
    struct types_obs obs[TYPES_X];
    drx_type types[5];
    drx_dataset *ds;

    fill(obs);
    types[0] = drx_enum("sky", DRX_INT8, 3, sky_names, sky_values);
    types[1] = define(&(drx_type_info){ .type_class = DRX_OPAQUE, .name = "raw", .bytes = 5 });
    types[2] = drx_enum("day", DRX_UINT16, 2, day_names, day_values);
    const drx_member in[] = {
        { .name = "u", .type = DRX_FLOAT32 },
        { .name = "v", .type = DRX_INT16, .offset = offsetof(struct types_inner, v), .rank = 2, .extents = sizes }
    };
    types[3] = define(&(drx_type_info){
        .type_class = DRX_COMPOUND, .name = "inner", .bytes = sizeof inner, .nmembers = 2, .members = in });
    const drx_member of[] = {
        { .name = "t", .type = DRX_FLOAT64 },
        { .name = "in", .type = types[3], .offset = offsetof(struct types_obs, in), .rank = 1, .extents = two },
        { .name = "name", .type = DRX_BYTES(5), .offset = offsetof(struct types_obs, name) },
        { .name = "sky", .type = types[0], .offset = offsetof(struct types_obs, sky) }
    };
    types[4] = define(&(drx_type_info){
        .type_class = DRX_COMPOUND, .name = "obs", .bytes = sizeof *obs, .nmembers = 4, .members = of });
    assert_int_equal(drx_dataset_create(path, &ds), DRX_OK);
    assert_int_equal(drx_dataset_add_group(ds, "g"), DRX_OK);
    assert_int_equal(drx_dataset_add_group(ds, "g/h"), DRX_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(drx_dataset_add_type(ds, paths[i], types[i]), DRX_OK);
    add(ds, "s", types[0], 2, dims, shape, &sky_values[2], skies);
    add(ds, "r", types[1], 1, dims + 1, shape + 1, NULL, raws);
    add(ds, "g/d", types[2], 1, dims + 1, shape + 1, NULL, days);
    add(ds, "g/i", types[3], 0, NULL, one, NULL, &inner);
    add(ds, "g/h/o", types[4], 1, dims + 1, shape + 1, NULL, obs);
    assert_int_equal(drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "drx.unlimited", "t"), DRX_OK);
    assert_int_equal(drx_dataset_attr_set(ds, DRX_DATASET, NULL, "raw", types[1], 2, raws), DRX_OK);
    assert_int_equal(drx_dataset_attr_set(ds, DRX_VARIABLE, "s", "flag", types[0], 2, skies), DRX_OK);
    assert_int_equal(drx_dataset_attr_set(ds, DRX_VARIABLE, "g/h/o", "in", types[3], 1, &inner), DRX_OK);
    assert_int_equal(drx_dataset_attr_set_text(ds, DRX_VARIABLE, "g/h/o", "units", "m"), DRX_OK);
    assert_int_equal(drx_dataset_commit(ds, NULL), DRX_OK);
    assert_int_equal(drx_dataset_close(ds), DRX_OK);
}

void types_make(const char *ds, const char *nc)
{
    make_ds(ds);
    types_define(nc, 0);
}
