/* What netCDF's own test programs have shown (test_suites.py): each call gives what it gives with netCDF-4. */
#include <unistd.h>

#include "nc_pair.h"

static const int formats[] = { 0, NC_UDF0 };
static const char *const paths[] = { "s.nc", "s" };

/* Do it with a file of netCDF-4, then with a dataset. */
static void with_both(void (*test)(const char *path, int format))
{
    for (int w = 0; w < 2; w++)
        test(paths[w], formats[w] | NC_NETCDF4);
    assert_ok(drx_dataset_check("s", NULL, NULL, NULL, NULL));
    assert_int_equal(unlink("s.nc"), 0);
    assert_ok(drx_dataset_delete("s"));
}

/* ---- characters that texts do not say ---- */

static const struct {
    const char *name, *bytes;
    size_t n;
} odd[] = { { "ends", "five\0", 5 },
            { "one", "\0", 1 },
            { "none", "", 0 },
            { "within", "a\0b", 3 },
            { "within and after", "a\0b\0\0", 5 },
            { "latin",
              "\xb0"
              "C",
              2 },
            { "latin ends", "\xb0\0", 2 },
            { "utf-8",
              "\xc2\xb0"
              "C\0",
              4 },
            { "mixed", "\xb0\0\xff", 3 },
            { "plain", "plain", 5 } };
enum { ODD = sizeof odd / sizeof odd[0] };

static void check_odd(int nc, int var, int but)
{
    char value[20];
    nc_type type;
    size_t n;

    for (int i = 0; i < ODD; i++) {
        if (i == but)
            continue;
        assert_nc(nc_inq_att(nc, var, odd[i].name, &type, &n));
        assert_int_equal(type, NC_CHAR);
        assert_int_equal(n, odd[i].n);
        assert_nc(nc_get_att_text(nc, var, odd[i].name, value));
        assert_memory_equal(value, odd[i].bytes, n);
    }
}

static void odd_texts(const char *path, int format)
{
    const unsigned char three[] = { 1, 2, 3 };
    int nc, in[3], var[3] = { NC_GLOBAL, 0, NC_GLOBAL };

    for (int late = 0; late < 2; late++) { /* while the variable is being defined, and afterwards */
        assert_nc(nc_create(path, format, &nc));
        assert_nc(nc_def_var(nc, "v", NC_INT, 0, NULL, &var[1]));
        in[0] = in[1] = nc;
        assert_nc(nc_def_grp(nc, "g", &in[2]));
        if (late)
            assert_nc(nc_enddef(nc));
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < ODD; i++)
                assert_nc(nc_put_att_text(in[k], var[k], odd[i].name, odd[i].n, odd[i].bytes));
            assert_nc(nc_put_att_ubyte(in[k], var[k], "numbers", NC_UBYTE, 3, three));
            check_odd(in[k], var[k], -1);
        }
        assert_nc(nc_close(nc));
        assert_nc(nc_open(path, NC_WRITE, &nc));
        in[0] = in[1] = nc;
        assert_nc(nc_inq_ncid(nc, "g", &in[2]));
        for (int k = 0; k < 3; k++) {
            check_odd(in[k], var[k], -1);
            assert_nc(nc_put_att_text(in[k], var[k], "ends", 4, "four")); /* no longer odd, then odd in another way */
            assert_nc(nc_put_att_text(in[k], var[k], "one", 3, "\0\0\0"));
            assert_nc(nc_put_att_ubyte(in[k], var[k], "within", NC_UBYTE, 3, three));
            assert_nc(nc_put_att_text(in[k], var[k], "within", 3, "a\0b"));
            assert_nc(nc_rename_att(in[k], var[k], "latin", "renamed"));
            assert_nc(nc_rename_att(in[k], var[k], "renamed", "latin"));
            assert_nc(nc_del_att(in[k], var[k], "mixed"));
        }
        assert_nc(nc_close(nc));
        assert_nc(nc_open(path, NC_WRITE, &nc));
        in[0] = in[1] = nc;
        assert_nc(nc_inq_ncid(nc, "g", &in[2]));
        for (int k = 0; k < 3; k++) {
            char value[20];
            nc_type type;
            size_t n;

            assert_nc(nc_inq_att(in[k], var[k], "ends", &type, &n));
            assert_int_equal(n, 4);
            assert_nc(nc_get_att_text(in[k], var[k], "one", value));
            assert_memory_equal(value, "\0\0\0", 3);
            assert_nc(nc_inq_att(in[k], var[k], "numbers", &type, &n));
            assert_int_equal(type, NC_UBYTE);
            assert_nc_is(nc_inq_att(in[k], var[k], "mixed", &type, &n), NC_ENOTATT);
            assert_nc(nc_put_att_text(in[k], var[k], "ends", odd[0].n, odd[0].bytes));
            assert_nc(nc_put_att_text(in[k], var[k], "one", odd[1].n, odd[1].bytes));
            check_odd(in[k], var[k], ODD - 2);
        }
        assert_nc(nc_close(nc));
    }
}

TEST(texts_with_nuls)
{
    const void *text;
    drx_dataset *ds;
    int nc;

    with_both(odd_texts);
    assert_nc(nc_create("s", NC_NETCDF4 | NC_UDF0, &nc));
    assert_nc(nc_put_att_text(nc, NC_GLOBAL, "title", 6, "grown\0"));
    assert_nc(nc_put_att_text(nc, NC_GLOBAL, "units", 2,
                              "\xb0"
                              "C"));
    assert_nc(nc_close(nc));
    assert_ok(drx_dataset_open("s", DRX_RDONLY, DRX_LAST, &ds)); /* where texts are texts */
    assert_ok(drx_dataset_attr_get(ds, DRX_DATASET, NULL, "title", NULL, NULL, &text));
    assert_string_equal(text, "grown");
    assert_ok(drx_dataset_attr_get(ds, DRX_DATASET, NULL, "units", NULL, NULL, &text));
    assert_string_equal(text, "\xc2\xb0"
                              "C");
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_delete("s"));
}

/* ---- a file over another one ---- */

static void syncs(const char *path, int format)
{
    int nc, dim, var[3];
    float value[3] = { 0 };

    for (int again = 0; again < 2; again++) {
        assert_nc(nc_create(path, format, &nc));
        assert_nc(nc_def_dim(nc, "x", NC_UNLIMITED, &dim));
        assert_nc(nc_def_var(nc, "v", NC_FLOAT, 1, &dim, &var[0]));
        assert_nc(nc_def_var(nc, "w", NC_FLOAT, 1, &dim, &var[1]));
        assert_nc(nc_put_var1_float(nc, var[0], (size_t[]){ 0 }, (float[]){ 1 }));
        assert_nc(nc_sync(nc)); /* which puts it into the place of the other one */
        assert_nc(nc_def_var(nc, "x", NC_FLOAT, 1, &dim, &var[2]));
        assert_nc(nc_put_var1_float(nc, var[2], (size_t[]){ 2 }, (float[]){ 2 }));
        assert_nc(nc_put_var1_float(nc, var[1], (size_t[]){ 1 }, (float[]){ 3 }));
        assert_nc(nc_close(nc));
    }
    assert_nc(nc_open(path, NC_NOWRITE, &nc));
    assert_nc(nc_get_var_float(nc, 0, value));
    assert_true(value[0] == 1 && value[1] == NC_FILL_FLOAT && value[2] == NC_FILL_FLOAT);
    assert_nc(nc_get_var_float(nc, 1, value));
    assert_true(value[0] == NC_FILL_FLOAT && value[1] == 3 && value[2] == NC_FILL_FLOAT);
    assert_nc(nc_get_var_float(nc, 2, value));
    assert_true(value[1] == NC_FILL_FLOAT && value[2] == 2);
    assert_nc(nc_close(nc));
}

TEST(sync_of_what_replaces)
{
    with_both(syncs);
}

/* ---- names ---- */

static void names(const char *path, int format)
{
    static const char composed[] = "\xc3\xa9", apart[] = "e\xcc\x81";
    int nc, id, other, grp;

    assert_nc(nc_create(path, format, &nc));
    assert_nc(nc_def_dim(nc, apart, 2, &id));
    assert_nc(nc_def_var(nc, apart, NC_INT, 1, &id, &other));
    assert_nc(nc_put_att_text(nc, other, apart, 1, "a"));
    assert_nc(nc_put_att_text(nc, NC_GLOBAL, apart, 1, "a"));
    assert_nc(nc_def_grp(nc, "g\xcc\x81", &grp));
    assert_nc(nc_close(nc));
    assert_nc(nc_open(path, NC_NOWRITE, &nc));
    for (int k = 0; k < 2; k++) {
        const char *name = k ? apart : composed;

        assert_nc(nc_inq_dimid(nc, name, &id));
        assert_nc(nc_inq_varid(nc, name, &id));
        assert_nc(nc_inq_attid(nc, 0, name, &id));
        assert_nc(nc_inq_attid(nc, NC_GLOBAL, name, &id));
        assert_nc(nc_inq_grp_ncid(nc, k ? "g\xcc\x81" : "\xc7\xb5", &id));
    }
    assert_nc_is(nc_inq_dimid(nc, NULL, &id), NC_EINVAL);
    assert_nc_is(nc_inq_dimid(nc, "a/b", &id), NC_EINVAL);
    assert_nc_is(nc_inq_varid(nc, NULL, &id), NC_EINVAL);
    assert_nc_is(nc_get_att_int(nc, 0, NULL, &id), NC_EBADNAME);
    assert_nc(nc_inq_dimid(nc, composed, NULL));
    assert_nc(nc_close(nc));
}

TEST(names_in_both_forms)
{
    with_both(names);
}

/* ---- the classic model ---- */

static void classic(const char *path, int format)
{
    const unsigned char high = 200;
    signed char low = 0;
    unsigned char back = 0;
    int nc, var, id;

    assert_nc(nc_create(path, format | NC_CLASSIC_MODEL, &nc));
    assert_nc(nc_def_var(nc, "v", NC_BYTE, 0, NULL, &var));
    assert_nc(nc_put_att_uchar(nc, var, "a", NC_BYTE, 1, &high));
    assert_nc(nc_enddef(nc));
    assert_nc(nc_put_var_uchar(nc, var, &high));
    assert_nc(nc_close(nc));
    assert_nc(nc_open(path, NC_WRITE, &nc)); /* which knows it still */
    assert_nc(nc_inq_format(nc, &id));
    assert_int_equal(id, NC_FORMAT_NETCDF4_CLASSIC);
    assert_nc(nc_get_var_uchar(nc, var, &back));
    assert_int_equal(back, high);
    assert_nc(nc_get_var_schar(nc, var, &low));
    assert_int_equal((unsigned char)low, high);
    back = 0;
    assert_nc(nc_get_att_uchar(nc, var, "a", &back));
    assert_int_equal(back, high);
    assert_nc_is(nc_def_dim(nc, "x", 2, &id), NC_ENOTINDEFINE);
    assert_nc_is(nc_rename_att(nc, var, "a", "longer"), NC_ENOTINDEFINE);
    assert_nc_is(nc_def_grp(nc, "g", &id), NC_ESTRICTNC3);
    assert_nc(nc_redef(nc));
    assert_nc_is(nc_get_var_uchar(nc, var, &back), NC_EINDEFINE);
    assert_nc(nc_rename_att(nc, var, "a", "longer"));
    assert_nc(nc_enddef(nc));
    assert_nc(nc_close(nc));
}

TEST(classic_model_stays)
{
    with_both(classic);
}

/* ---- numbers that do not fit ---- */

static void too_large(const char *path, int format)
{
    const float floats[] = { 300, -200, 70000, 1 };
    signed char bytes[4];
    unsigned short shorts[4];
    int nc, dim, var;

    assert_nc(nc_create(path, format, &nc));
    assert_nc(nc_def_dim(nc, "x", 4, &dim));
    assert_nc(nc_def_var(nc, "v", NC_FLOAT, 1, &dim, &var));
    assert_nc(nc_put_var_float(nc, var, floats));
    assert_nc_is(nc_get_var_schar(nc, var, bytes), NC_ERANGE);
    assert_nc_is(nc_get_var_ushort(nc, var, shorts), NC_ERANGE);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(bytes[i], (signed char)(int)floats[i]);
        assert_int_equal(shorts[i], (unsigned short)(int)floats[i]);
    }
    assert_nc(nc_close(nc));
}

TEST(numbers_lose_their_highest_bits)
{
    with_both(too_large);
}

/* ---- a definition that fails is tried again ---- */

TEST(definition_again)
{
    const char *list[] = { "\x1e", "b" };
    int nc, var, id;

    assert_nc(nc_create("s", NC_NETCDF4 | NC_UDF0, &nc));
    assert_nc(nc_def_var(nc, "v", NC_INT, 0, NULL, &var));
    assert_nc(nc_put_att_string(nc, var, "bad", 2, list));
    assert_nc(nc_def_var(nc, "w", NC_INT, 0, NULL, &id));
    assert_nc_is(nc_enddef(nc), NC_EINVAL);
    assert_nc_is(nc_put_var_int(nc, var, &id), NC_EINVAL);
    assert_nc(nc_del_att(nc, var, "bad"));
    assert_nc(nc_put_var_int(nc, id, &id));
    assert_nc(nc_put_var_int(nc, var, &id));
    assert_nc(nc_close(nc));
    assert_nc(nc_open("s", NC_NOWRITE, &nc));
    assert_nc(nc_inq_nvars(nc, &id));
    assert_int_equal(id, 2);
    assert_nc(nc_close(nc));
    assert_ok(drx_dataset_delete("s"));
}

/* ---- what netCDF-Fortran calls ---- */

int nc_def_var_chunking_ints(int ncid, int varid, int storage, int *chunk);
int nc_inq_var_chunking_ints(int ncid, int varid, int *storage, int *chunk);
int nc_set_var_chunk_cache_ints(int ncid, int varid, int size, int nelems, int preemption);
int nc_get_var_chunk_cache_ints(int ncid, int varid, int *size, int *nelems, int *preemption);

static void fortran(const char *path, int format)
{
    int nc, dims[2], var, storage = -1, chunk[] = { 3, 5 }, back[2] = { 0 }, cache[3];

    assert_nc(nc_create(path, format, &nc));
    assert_nc(nc_def_dim(nc, "x", 7, &dims[0]));
    assert_nc(nc_def_dim(nc, "y", 8, &dims[1]));
    assert_nc(nc_def_var(nc, "v", NC_FLOAT, 2, dims, &var));
    assert_nc(nc_def_var_chunking_ints(nc, var, NC_CHUNKED, chunk));
    assert_nc_is(nc_def_var_chunking_ints(nc, 9, NC_CHUNKED, chunk), NC_ENOTVAR);
    chunk[1] = -1;
    assert_nc_is(nc_def_var_chunking_ints(nc, var, NC_CHUNKED, chunk), NC_EBADCHUNK);
    assert_nc(nc_set_var_chunk_cache_ints(nc, var, 16, 1000, 75));
    assert_nc(nc_get_var_chunk_cache_ints(nc, var, &cache[0], &cache[1], &cache[2]));
    assert_nc(nc_get_var_chunk_cache_ints(nc, var, NULL, NULL, NULL));
    assert_nc(nc_inq_var_chunking_ints(nc, var, &storage, back));
    assert_true(storage == NC_CHUNKED && back[0] == 3 && back[1] == 5);
    assert_nc_is(nc_inq_var_chunking_ints(nc, 9, &storage, back), NC_ENOTVAR);
    assert_nc(nc_close(nc));
}

TEST(chunks_by_integers)
{
    with_both(fortran);
}

/* ---- groups ---- */

static void groups(const char *path, int format)
{
    int nc, id;

    assert_nc(nc_create(path, format, &nc));
    assert_nc(nc_def_grp(nc, "g", NULL));
    assert_nc_is(nc_inq_grp_full_ncid(nc, NULL, &id), NC_EINVAL);
    assert_nc(nc_inq_grp_full_ncid(nc, "/g", &id));
    assert_nc(nc_close(nc));
}

TEST(group_without_a_name)
{
    with_both(groups);
}

static void format_stays(const char *path, int format)
{
    for (int classic = 0; classic < 2; classic++) {
        int nc, is;

        assert_nc(nc_create(path, format | (classic ? NC_CLASSIC_MODEL : 0), &nc));
        assert_nc(nc_put_att_text(nc, NC_GLOBAL, "a", 1, "a"));
        assert_nc(nc_close(nc));
        assert_nc(nc_open(path, NC_NOWRITE, &nc));
        assert_nc(nc_inq_format(nc, &is));
        assert_int_equal(is, classic ? NC_FORMAT_NETCDF4_CLASSIC : NC_FORMAT_NETCDF4);
        assert_nc(nc_close(nc));
    }
}

TEST(format_when_opened_again)
{
    with_both(format_stays);
}
