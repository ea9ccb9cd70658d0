/* User-defined types in a dataset are what they are in a netCDF-4 file. */
#include "nc_growing.h"
#include "nc_same.h"
#include "nc_typed.h"

enum { MOST = 8 };

static void same_fields(const int nc[2], const nc_type type[2], int n)
{
    char name[2][NC_MAX_NAME + 1], of[2][NC_MAX_NAME + 1];
    int ndim[2], sizes[2][NC_MAX_VAR_DIMS], found;
    size_t offset[2];
    nc_type field[2];

    for (int i = 0; i < n; i++) {
        for (int w = 0; w < 2; w++) {
            assert_nc(nc_inq_compound_field(nc[w], type[w], i, name[w], &offset[w], &field[w], &ndim[w], sizes[w]));
            assert_nc(nc_inq_type(nc[w], field[w], of[w], NULL));
            assert_nc(nc_inq_compound_fieldindex(nc[w], type[w], name[0], &found));
            assert_int_equal(found, i);
            assert_nc_is(nc_inq_compound_fieldindex(nc[w], type[w], "none", &found), NC_EBADFIELD);
        }
        assert_string_equal(name[0], name[1]);
        assert_string_equal(of[0], of[1]);
        assert_int_equal(offset[0], offset[1]);
        assert_int_equal(ndim[0], ndim[1]);
        assert_memory_equal(sizes[0], sizes[1], (size_t)ndim[0] * sizeof(int));
    }
    for (int w = 0; w < 2; w++)
        assert_nc_is(nc_inq_compound_field(nc[w], type[w], n, NULL, NULL, NULL, NULL, NULL), NC_EBADFIELD);
}

static void same_names(const int nc[2], const nc_type type[2], nc_type base, int n, size_t bytes)
{
    char name[2][NC_MAX_NAME + 1], ident[NC_MAX_NAME + 1];
    int64_t value[2] = { 0 };

    for (int i = 0; i < n; i++) {
        for (int w = 0; w < 2; w++) {
            assert_nc(nc_inq_enum_member(nc[w], type[w], i, name[w], &value[w]));
            assert_nc(nc_inq_enum_ident(nc[w], type[w], base == NC_BYTE ? (int8_t)value[0] : value[0], ident));
            assert_string_equal(ident, name[0]);
            assert_nc_is(nc_inq_enum_ident(nc[w], type[w], 77, ident), NC_EINVAL);
        }
        assert_string_equal(name[0], name[1]);
        assert_memory_equal(&value[0], &value[1], bytes);
    }
    for (int w = 0; w < 2; w++)
        assert_nc_is(nc_inq_enum_member(nc[w], type[w], n, NULL, NULL), NC_EINVAL);
}

/* Types of both have their numbers in the same order. */
static int same_types(const int nc[2])
{
    char name[2][NC_MAX_NAME + 1];
    int n[2], ids[2][MOST], of_class[2];
    nc_type base[2], found;
    size_t bytes[2], fields[2];

    for (int w = 0; w < 2; w++)
        assert_nc(nc_inq_typeids(nc[w], &n[w], ids[w]));
    assert_int_equal(n[0], n[1]);
    for (int i = 0; i < n[0]; i++) {
        const nc_type type[2] = { ids[0][i], ids[1][i] };

        for (int w = 0; w < 2; w++) {
            assert_nc(nc_inq_user_type(nc[w], type[w], name[w], &bytes[w], &base[w], &fields[w], &of_class[w]));
            assert_nc(nc_inq_typeid(nc[w], name[0], &found));
            assert_int_equal(found, type[w]);
            assert_nc_is(nc_inq_compound_fieldindex(nc[w], type[w], "none", NULL),
                         of_class[0] == NC_COMPOUND ? NC_EBADFIELD : NC_EBADTYPE);
        }
        assert_string_equal(name[0], name[1]);
        assert_int_equal(bytes[0], bytes[1]);
        assert_int_equal(base[0], base[1]);
        assert_int_equal(fields[0], fields[1]);
        assert_int_equal(of_class[0], of_class[1]);
        if (of_class[0] == NC_COMPOUND)
            same_fields(nc, type, (int)fields[0]);
        if (of_class[0] == NC_ENUM)
            same_names(nc, type, base[0], (int)fields[0], bytes[0]);
    }
    return n[0];
}

static void open_both(const char *ds, int nc[2], int g[2], int h[2])
{
    types_make(ds, "in.nc");
    assert_nc(nc_open("in.nc", NC_NOWRITE, &nc[0]));
    assert_nc(nc_open(ds, NC_NOWRITE, &nc[1]));
    for (int w = 0; w < 2; w++) {
        assert_nc(nc_inq_ncid(nc[w], "g", &g[w]));
        assert_nc(nc_inq_ncid(g[w], "h", &h[w]));
    }
}

TEST(the_same_types)
{
    int nc[2], g[2], h[2], format;
    nc_type found[2], none;

    open_both("ds0", nc, g, h);
    assert_int_equal(same_types(nc), 2);
    assert_int_equal(same_types(g), 2);
    assert_int_equal(same_types(h), 1);
    same_groups(nc, SAME_BUT_STORAGE | SAME_BUT_ORDER, true);
    assert_nc(nc_inq_format(nc[1], &format));
    assert_int_equal(format, NC_FORMAT_NETCDF4);
    for (int w = 0; w < 2; w++) {
        assert_nc(nc_inq_typeid(h[w], "sky", &found[w])); /* of a group above */
        assert_nc(nc_inq_typeid(nc[w], "obs", &none));    /* of one below */
        assert_nc_is(nc_inq_typeid(nc[w], "nothing", &none), NC_EBADTYPE);
        assert_nc_is(nc_inq_typeid(nc[w], "g/inner", &none), NC_EINVAL);
        assert_nc_is(nc_inq_user_type(nc[w], 99, NULL, NULL, NULL, NULL, NULL), NC_EBADTYPE);
        assert_nc_is(nc_inq_type(nc[w], 99, NULL, NULL), NC_EBADTYPE);
    }
    assert_int_equal(found[0], found[1]);
    for (int w = 0; w < 2; w++)
        assert_nc(nc_close(nc[w]));
}

TEST(which_types_are_equal)
{
    int nc[2], g[2], h[2], equal;
    nc_type sky[2], day[2];

    open_both("ds1", nc, g, h);
    for (int w = 0; w < 2; w++) {
        assert_nc(nc_inq_typeid(nc[w], "sky", &sky[w]));
        assert_nc(nc_inq_typeid(g[w], "day", &day[w]));
        assert_nc(nc_inq_type_equal(nc[w], sky[w], g[w], day[w], &equal));
        assert_int_equal(equal, 0);
        assert_nc(nc_inq_type_equal(nc[w], sky[w], h[w], sky[w], &equal));
        assert_int_equal(equal, 1);
        assert_nc(nc_inq_type_equal(nc[w], sky[w], nc[w], NC_BYTE, &equal));
        assert_int_equal(equal, 0);
        assert_nc(nc_inq_type_equal(nc[w], NC_INT, nc[w], NC_INT, &equal));
        assert_int_equal(equal, 1);
        assert_nc(nc_close(nc[w]));
    }
}

/* As their type, and an enum as its base; as nothing else. */
TEST(conversions)
{
    static const size_t lo[] = { 1, 0 }, count[] = { 1, TYPES_X };
    static const ptrdiff_t step[] = { 1, 2 };
    int nc[2], g[2], h[2], ints[8];
    double doubles[TYPES_X];
    signed char bytes[2][8] = { 0 };
    struct types_obs obs[2];

    open_both("ds2", nc, g, h);
    for (int w = 0; w < 2; w++) {
        assert_nc_is(nc_get_var_int(nc[w], 0, ints), NC_EBADTYPE);
        assert_nc_is(nc_get_var_double(h[w], 0, doubles), NC_EBADTYPE);
        assert_nc_is(nc_get_att_int(nc[w], 0, "flag", ints), NC_EBADTYPE);
        assert_nc_is(nc_get_att_double(h[w], 0, "in", doubles), NC_EBADTYPE);
        assert_nc(nc_get_vars(nc[w], 0, lo, (size_t[]){ 1, 2 }, step, bytes[w]));
        assert_nc(nc_get_vars(h[w], 0, (size_t[]){ 2 }, (size_t[]){ 1 }, (ptrdiff_t[]){ 1 }, &obs[w]));
    }
    assert_int_equal(bytes[1][0], 1);
    assert_int_equal(bytes[1][1], -128);
    assert_memory_equal(bytes[0], bytes[1], 2);
    assert_memory_equal(&obs[0], &obs[1], sizeof *obs);
    assert_nc(nc_get_vara_schar(nc[1], 0, lo, count, bytes[1]));
    assert_memory_equal(bytes[1], "\1\1\200", 3);
    assert_nc(nc_get_att_schar(nc[1], 0, "flag", bytes[1]));
    assert_memory_equal(bytes[1], "\0\1", 2);
    for (int w = 0; w < 2; w++)
        assert_nc(nc_close(nc[w]));
}

/* netCDF-C copies elements, and takes back what belongs to them. */
TEST(elements_in_memory)
{
    int nc[2], g[2], h[2];
    struct types_obs obs[TYPES_X], copy[TYPES_X];
    nc_type type;
    void *all;

    open_both("ds3", nc, g, h);
    for (int w = 0; w < 2; w++) {
        assert_nc(nc_inq_vartype(h[w], 0, &type));
        assert_nc(nc_get_var(h[w], 0, obs));
        assert_nc(nc_copy_data(h[w], type, obs, TYPES_X, copy));
        assert_memory_equal(obs, copy, sizeof obs);
        assert_nc(nc_reclaim_data(h[w], type, copy, TYPES_X));
        assert_nc(nc_copy_data_all(h[w], type, obs, TYPES_X, &all));
        assert_memory_equal(obs, all, sizeof obs);
        assert_nc(nc_reclaim_data_all(h[w], type, all, TYPES_X));
        assert_nc(nc_close(nc[w]));
    }
}

/* Variables and attributes of types that are there are written as numbers are. */
TEST(writing)
{
    static const size_t lo[] = { 3, 0 }, count[] = { 1, TYPES_X };
    int nc[2], g[2], h[2], dims[2], s, d, o;
    struct types_obs obs[TYPES_X];
    nc_type sky, day, of;
    const uint16_t b = 60000;

    open_both("ds6", nc, g, h);
    for (int w = 0; w < 2; w++) {
        assert_nc(nc_close(nc[w]));
        assert_nc(nc_open(w ? "ds6" : "in.nc", NC_WRITE, &nc[w]));
        assert_nc(nc_inq_ncid(nc[w], "g", &g[w]));
        assert_nc(nc_inq_ncid(g[w], "h", &h[w]));
        assert_nc(nc_inq_typeid(nc[w], "sky", &sky));
        assert_nc(nc_inq_typeid(g[w], "day", &day));
        assert_nc(nc_inq_varid(nc[w], "s", &s));
        assert_nc(nc_put_vara(nc[w], s, lo, count, "\1\0\1")); /* index 2 stays the fill */
        assert_nc_is(nc_put_vara_int(nc[w], s, lo, count, (int[TYPES_X]){ 0 }), NC_EBADTYPE);
        assert_nc(nc_inq_varid(h[w], "o", &o));
        assert_nc(nc_get_var(h[w], o, obs));
        obs[1].in[0].v[1][2] = 77;
        assert_nc(nc_put_var(h[w], o, obs));
        assert_nc(nc_inq_vartype(h[w], o, &of));
        assert_nc(nc_put_att(h[w], o, "all", of, TYPES_X, obs));
        assert_nc(nc_put_att(nc[w], NC_GLOBAL, "sky", sky, 1, "\1"));
        assert_nc(nc_inq_dimid(nc[w], "x", &dims[0]));
        assert_nc(nc_inq_dimid(nc[w], "t", &dims[1]));
        assert_nc(nc_def_var(g[w], "new", day, 1, dims, &d));
        assert_nc(nc_put_att(g[w], d, "one", day, 1, &b));
        assert_nc(nc_put_vara(g[w], d, lo + 1, (size_t[]){ 1 }, &b)); /* the others are netCDF's default fill */
        assert_nc(nc_def_var(h[w], "more", of, 2, (int[]){ dims[1], dims[0] }, &d));
        assert_nc(nc_put_vara(h[w], d, lo, count, obs));
        assert_nc_is(nc_def_var(g[w], "bad", 99, 1, dims, &d), NC_EBADTYPE);
        assert_nc(nc_close(nc[w]));
        assert_nc(nc_open(w ? "ds6" : "in.nc", NC_NOWRITE, &nc[w]));
    }
    same_groups(nc, SAME_BUT_STORAGE | SAME_BUT_ORDER | SAME_BUT_REOPENED, true);
    for (int w = 0; w < 2; w++)
        assert_nc(nc_close(nc[w]));
}

/* One variable alone has the types that it needs, in its root. */
TEST(a_variable_alone)
{
    char name[NC_MAX_NAME + 1];
    int nc[2], g[2], h[2], one, n, ids[MOST];

    open_both("ds4", nc, g, h);
    assert_nc(nc_open("ds4/g/h/o", NC_NOWRITE, &one));
    assert_nc(nc_inq_typeids(one, &n, ids));
    assert_int_equal(n, 3);
    for (int i = 0; i < n; i++) {
        assert_nc(nc_inq_user_type(one, ids[i], name, NULL, NULL, NULL, NULL));
        assert_string_equal(name, ((const char *const[]){ "inner", "sky", "obs" })[i]);
    }
    assert_nc(nc_close(one));
    for (int w = 0; w < 2; w++)
        assert_nc(nc_close(nc[w]));
}

static drx_type compound(const char *name, drx_type type)
{
    const drx_member field = { .name = "f", .type = type };
    const drx_type_info info = {
        .type_class = DRX_COMPOUND, .name = name, .bytes = drx_type_size(type), .nmembers = 1, .members = &field
    };
    drx_type made;

    assert_int_equal(drx_type_define(&info, &made), DRX_OK);
    return made;
}

static void add_scalar(drx_dataset *ds, const char *name, drx_type type, const void *value)
{
    static const int64_t one[] = { 1 };
    drx_array *a;

    assert_int_equal(drx_dataset_add(ds, name, &(drx_spec){ .ndim = 1, .type = type, .shape = one }, &a), DRX_OK);
    if (value)
        assert_int_equal(drx_put(a, (int64_t[]){ 0 }, value), DRX_OK);
}

/* Types without names, bits, and what netCDF has no type for. */
TEST(what_netcdf_lacks)
{
    const drx_type_info bits = { .type_class = DRX_BITFIELD, .bytes = 2, .first_bit = 3, .nbits = 4 };
    static const char *const names[] = { "type_2", "complex64", "type_3", "bool", "type_4" };
    char name[NC_MAX_NAME + 1], text[2000];
    drx_type type;
    drx_dataset *ds;
    int nc, n, ids[MOST], id;
    unsigned short value;
    nc_type of;

    assert_int_equal(drx_type_define(&bits, &type), DRX_OK);
    assert_int_equal(drx_dataset_create("lacks", &ds), DRX_OK);
    assert_int_equal(drx_dataset_add_group(ds, "type_1"), DRX_OK);
    add_scalar(ds, "bits", type, "\x78\x01");
    add_scalar(ds, "plain", compound(NULL, DRX_INT32), NULL);
    add_scalar(ds, "z", compound(NULL, DRX_COMPLEX64), NULL);
    add_scalar(ds, "b", compound(NULL, DRX_BOOL), NULL);
    add_scalar(ds, "half", compound(NULL, DRX_FLOAT16), NULL);
    add_scalar(ds, "wide", compound("ucs", DRX_UNICODE(2)), NULL);
    assert_int_equal(drx_dataset_attr_set(ds, DRX_VARIABLE, "z", "half", compound(NULL, DRX_FLOAT16), 1, "\0\0"),
                     DRX_OK);
    assert_int_equal(drx_dataset_commit(ds, NULL), DRX_OK);
    assert_int_equal(drx_dataset_close(ds), DRX_OK);

    assert_nc(nc_open("lacks", NC_NOWRITE, &nc));
    assert_nc(nc_inq_varid(nc, "bits", &id));
    assert_nc(nc_inq_vartype(nc, id, &of));
    assert_int_equal(of, NC_USHORT);
    assert_nc(nc_get_var_ushort(nc, id, &value));
    assert_int_equal(value, 0x178);
    watch_error();
    assert_nc(nc_inq_typeids(nc, &n, ids));
    assert_int_equal(error_lines(text, sizeof text), 3);
    assert_non_null(strstr(text, "variable 'half'"));
    assert_non_null(strstr(text, "float16"));
    assert_non_null(strstr(text, "variable 'wide'"));
    assert_non_null(strstr(text, "attribute 'half'"));
    assert_int_equal(n, 5);
    for (int i = 0; i < n; i++) {
        assert_int_equal(ids[i], NC_FIRSTUSERTYPEID + i);
        assert_nc(nc_inq_type(nc, ids[i], name, NULL));
        assert_string_equal(name, names[i]);
    }
    assert_nc(nc_inq_varid(nc, "half", &id));
    watch_error();
    assert_nc_is(nc_inq_vartype(nc, id, &of), NC_EBADTYPE);
    assert_int_equal(error_lines(text, sizeof text), 1);
    assert_nc(nc_close(nc));
}

/* ---- defined through netCDF ---- */

/* It is the dataset that DRX's own calls make, and the file that netCDF-4 makes. */
TEST(defining)
{
    int nc[2], g[2], h[2];

    types_define("def0", NC_UDF0);
    for (int by = 0; by < 2; by++) { /* each with the two others */
        open_both("ds7", nc, g, h);
        assert_nc(nc_close(nc[by]));
        assert_nc(nc_open("def0", NC_NOWRITE, &nc[by]));
        same_groups(nc, SAME_BUT_STORAGE | SAME_BUT_ORDER | SAME_BUT_REOPENED, true);
        for (int w = 0; w < 2; w++) {
            assert_nc(nc_inq_ncid(nc[w], "g", &g[w]));
            assert_nc(nc_inq_ncid(g[w], "h", &h[w]));
        }
        assert_int_equal(same_types(nc), 2);
        assert_int_equal(same_types(g), 2);
        assert_int_equal(same_types(h), 1);
        for (int w = 0; w < 2; w++)
            assert_nc(nc_close(nc[w]));
        assert_int_equal(drx_dataset_delete("ds7"), DRX_OK);
    }
    assert_int_equal(drx_dataset_check("def0", NULL, NULL, NULL, NULL), DRX_OK);
}

/* The same call with both, which return the same. */
#define BOTH(call)                                           \
    do {                                                     \
        int st_[2];                                          \
        for (int w = 0; w < 2; w++)                          \
            st_[w] = (call);                                 \
        check_nc(st_[1], st_[0], #call, __FILE__, __LINE__); \
    } while (0)

static void create_both(const char *ds, int mode, int nc[2])
{
    assert_nc(nc_create("out.nc", NC_NETCDF4 | mode, &nc[0]));
    assert_nc(nc_create(ds, NC_NETCDF4 | NC_UDF0 | mode, &nc[1]));
}

TEST(errors_of_definitions)
{
    static const int sizes[] = { 2, 3 };
    char text[2000], longest[NC_MAX_NAME + 2] = "";
    int nc[2], g[2], id[2], n[2], ids[2][MOST];
    nc_type s[2], e[2], o[2], none[2];

    memset(longest, 'a', NC_MAX_NAME + 1);
    create_both("def1", 0, nc);
    BOTH(nc_def_compound(nc[w], 0, "s", &s[w]));
    BOTH(nc_def_opaque(nc[w], 0, "o", &o[w]));
    BOTH(nc_def_enum(nc[w], 99, "e", &e[w]));
    BOTH(nc_def_compound(nc[w], 8, "a/b", &s[w]));
    BOTH(nc_def_compound(nc[w], 8, longest, &s[w]));
    BOTH(nc_def_enum(nc[w], NC_INT, "e", &e[w]));
    BOTH(nc_def_opaque(nc[w], 3, "o", &o[w]));
    BOTH(nc_def_compound(nc[w], 20, "s", &s[w])); /* netCDF-4 gives others the layout of C when it opens them */
    BOTH(nc_def_opaque(nc[w], 3, "s", NULL));     /* the name is in use */
    BOTH(nc_def_grp(nc[w], "s", &g[w]));
    BOTH(nc_def_var(nc[w], "s", NC_INT, 0, NULL, &id[w]));
    BOTH(nc_def_grp(nc[w], "g", &g[w]));
    BOTH(nc_def_enum(nc[w], NC_INT, "g", NULL));
    BOTH(nc_def_opaque(g[w], 3, "s", NULL)); /* of another group */
    BOTH(nc_insert_compound(nc[w], s[w], "", 0, NC_INT));
    BOTH(nc_insert_compound(nc[w], 99, "x", 0, NC_INT));
    BOTH(nc_insert_compound(nc[w], e[w], "x", 0, NC_INT));
    BOTH(nc_insert_compound(nc[w], o[w], "x", 0, NC_INT));
    assert_nc_is(nc_insert_compound(nc[1], s[1], "x", 0, 99), NC_EBADTYPE); /* netCDF-4, too, but the field stays */
    BOTH(nc_insert_enum(nc[w], s[w], "x", sizes));
    BOTH(nc_insert_enum(nc[w], NC_INT, "x", sizes));
    BOTH(nc_insert_enum(nc[w], e[w], "x/y", sizes));
    BOTH(nc_insert_enum(nc[w], e[w], "two", &sizes[0]));
    BOTH(nc_insert_array_compound(nc[w], s[w], "x", 0, NC_SHORT, 2, sizes));
    BOTH(nc_insert_compound(nc[w], s[w], "e", 12, e[w]));
    BOTH(nc_insert_compound(nc[w], s[w], "o", 16, o[w]));
    BOTH(nc_inq_typeids(nc[w], &n[w], ids[w]));
    assert_int_equal(n[1], n[0]);
    assert_int_equal(same_types(nc), 3); /* while they are defined, too */
    BOTH(nc_inq_typeid(nc[w], "s", &none[w]));
    assert_int_equal(none[1], s[1]);
    BOTH(nc_enddef(nc[w]));
    BOTH(nc_insert_compound(nc[w], s[w], "late", 20, NC_INT));
    BOTH(nc_insert_enum(nc[w], e[w], "late", &sizes[1]));
    BOTH(nc_def_opaque(g[w], 3, "again", &o[w])); /* which enters define mode */
    assert_int_equal(same_types(nc), 3);
    assert_int_equal(same_types(g), 2);
    BOTH(nc_close(nc[w]));
    for (int w = 0; w < 2; w++)
        assert_nc(nc_open(w ? "def1" : "out.nc", NC_NOWRITE, &nc[w]));
    assert_int_equal(same_types(nc), 3);
    BOTH(nc_inq_typeid(nc[w], "s", &s[w]));
    BOTH(nc_insert_compound(nc[w], s[w], "late", 20, NC_INT));
    assert_nc_is(nc_def_opaque(nc[1], 3, "late", NULL), NC_EPERM); /* netCDF-4 fails when it closes the file */
    BOTH(nc_close(nc[w]));

    create_both("def2", NC_CLASSIC_MODEL, nc);
    BOTH(nc_def_compound(nc[w], 8, "s", &s[w]));
    BOTH(nc_def_enum(nc[w], NC_INT, "e", &e[w]));
    BOTH(nc_close(nc[w]));

    create_both("def3", 0, nc); /* what a dataset cannot have */
    watch_error();
    assert_nc_is(nc_def_vlen(nc[1], "list", NC_INT, &o[1]), NC_EBADTYPE);
    assert_nc_is(nc_def_enum(nc[1], NC_FLOAT, "floats", &e[1]), NC_EBADTYPE);
    assert_nc(nc_def_compound(nc[1], 16, "s", &s[1]));
    assert_nc_is(nc_insert_compound(nc[1], s[1], "text", 0, NC_STRING), NC_EBADTYPE);
    assert_nc_is(nc_insert_compound(nc[1], s[1], "itself", 0, s[1]), NC_EBADTYPE);
    assert_nc_is(nc_insert_array_compound(nc[1], s[1], "x", 0, NC_INT, -1, sizes), NC_EINVAL);
    assert_nc(nc_insert_compound(nc[1], s[1], "x", 0, NC_INT));
    assert_nc(nc_insert_compound(nc[1], s[1], "y", 2, NC_INT));
    assert_nc_is(nc_def_var(nc[1], "v", s[1], 0, NULL, &id[1]), NC_EINVAL); /* y lies in x */
    assert_int_equal(error_lines(text, sizeof text), 4);
    assert_non_null(strstr(text, "type 'list'"));
    assert_non_null(strstr(text, "type 'floats'"));
    assert_non_null(strstr(text, "type 's', field 'text'"));
    assert_non_null(strstr(text, "y"));
    for (int w = 0; w < 2; w++)
        assert_nc(nc_abort(nc[w]));
}

/* A type without members cannot be stored. Then it gets one, and the file can be closed. */
TEST(a_type_that_is_not_complete)
{
    char text[2000];
    int nc[2];
    nc_type e[2];

    create_both("def4", 0, nc);
    watch_error();
    BOTH(nc_def_enum(nc[w], NC_UBYTE, "e", &e[w]));
    BOTH(nc_close(nc[w]));
    assert_int_equal(error_lines(text, sizeof text), 1);
    assert_non_null(strstr(text, "type 'e'"));
    BOTH(nc_redef(nc[w]));
    BOTH(nc_insert_enum(nc[w], e[w], "one", "\1"));
    BOTH(nc_close(nc[w]));
    for (int w = 0; w < 2; w++)
        assert_nc(nc_open(w ? "def4" : "out.nc", NC_NOWRITE, &nc[w]));
    assert_int_equal(same_types(nc), 1);
    BOTH(nc_close(nc[w]));
}

/* netCDF-4 fails to store a compound that is defined before the type of its field, or in a group above. */
TEST(fields_defined_later)
{
    int nc, g, n, ids[MOST];
    nc_type outer, inner, found;

    assert_nc(nc_create("def6", NC_UDF0, &nc));
    assert_nc(nc_def_grp(nc, "g", &g));
    assert_nc(nc_def_compound(nc, 8, "outer", &outer));
    assert_nc(nc_def_opaque(g, 3, "inner", &inner));
    assert_nc(nc_insert_compound(nc, outer, "in", 2, inner));
    assert_nc(nc_put_att(nc, NC_GLOBAL, "a", outer, 1, "12345678"));
    assert_nc(nc_close(nc));
    assert_nc(nc_open("def6", NC_NOWRITE, &nc));
    assert_nc(nc_inq_ncid(nc, "g", &g));
    assert_nc(nc_inq_typeids(nc, &n, ids));
    assert_int_equal(n, 1);
    assert_nc(nc_inq_compound_fieldtype(nc, ids[0], 0, &found));
    assert_nc(nc_inq_typeids(g, &n, ids));
    assert_int_equal(n, 1);
    assert_int_equal(found, ids[0]);
    assert_nc(nc_close(nc));
}

/* How variables of them are stored. */
TEST(storage)
{
    int nc[2], dim[2], id[2];
    nc_type e[2];

    create_both("def8", 0, nc);
    BOTH(nc_def_enum(nc[w], NC_SHORT, "e", &e[w]));
    BOTH(nc_def_dim(nc[w], "x", 100, &dim[w]));
    BOTH(nc_insert_enum(nc[w], e[w], "one", &(short){ 1 }));
    BOTH(nc_def_var(nc[w], "v", e[w], 1, &dim[w], &id[w]));
    BOTH(nc_def_var_endian(nc[w], id[w], NC_ENDIAN_BIG));
    BOTH(nc_def_var_chunking(nc[w], id[w], NC_CHUNKED, (size_t[]){ 10 }));
    BOTH(nc_def_var_filter(nc[w], id[w], 1, 1, &(unsigned){ 3 }));
    BOTH(nc_put_var1(nc[w], id[w], (size_t[]){ 42 }, &(short){ 1 }));
    same_groups(nc, 0, true);
    BOTH(nc_close(nc[w]));
}

/* Types of a group that gets another name, and those that an abort takes back. */
TEST(types_and_transactions)
{
    int nc[2], g[2], n[2], id[2];
    nc_type o[2], e[2];

    create_both("def5", 0, nc);
    BOTH(nc_def_grp(nc[w], "g", &g[w]));
    BOTH(nc_def_opaque(g[w], 3, "o", &o[w]));
    BOTH(nc_def_enum(g[w], NC_INT64, "e", &e[w]));
    BOTH(nc_insert_enum(g[w], e[w], "least", &(int64_t){ INT64_MIN }));
    BOTH(nc_rename_grp(g[w], "h"));
    BOTH(nc_def_var(g[w], "v", o[w], 0, NULL, &id[w]));
    BOTH(nc_put_var(g[w], id[w], "abc"));
    BOTH(nc_sync(nc[w]));
    BOTH(nc_redef(nc[w]));
    assert_nc(nc_def_opaque(nc[1], 3, "gone", &o[1]));
    assert_nc(nc_abort(nc[1]));
    assert_nc(nc_close(nc[0]));
    for (int w = 0; w < 2; w++)
        assert_nc(nc_open(w ? "def5" : "out.nc", NC_NOWRITE, &nc[w]));
    BOTH(nc_inq_typeids(nc[w], &n[w], NULL));
    assert_int_equal(n[1], n[0]);
    BOTH(nc_inq_ncid(nc[w], "h", &g[w]));
    assert_int_equal(same_types(g), 2);
    same_groups(nc, SAME_BUT_STORAGE | SAME_BUT_ORDER | SAME_BUT_REOPENED, true);
    BOTH(nc_close(nc[w]));
}
