#include "nc_same.h"

#include <netcdf_filter.h>

enum { MOST_BYTES = 1 << 20 };

#define both(call)                                                                                     \
    do {                                                                                               \
        int st_[2];                                                                                    \
        for (int w = 0; w < 2; w++)                                                                    \
            st_[w] = (call);                                                                           \
        if (st_[0] != st_[1])                                                                          \
            print_error("%s\n  gave %d and %d (%s, %s)\n", #call, st_[0], st_[1], nc_strerror(st_[0]), \
                        nc_strerror(st_[1]));                                                          \
        assert_int_equal(st_[0], st_[1]);                                                              \
    } while (0)

static size_t type_bytes(int nc, nc_type type)
{
    size_t bytes;

    assert_int_equal(nc_inq_type(nc, type, NULL, &bytes), NC_NOERR);
    return bytes;
}

/* n values of each; those of NC_STRING are freed. HDF5 has null pointers for strings that nobody wrote. */
static void same_values(const char *what, nc_type type, size_t bytes, size_t n, void *a, void *b)
{
    if (type != NC_STRING) {
        for (size_t i = 0; i < n; i++)
            if (memcmp((char *)a + i * bytes, (char *)b + i * bytes, bytes) != 0) {
                print_error("%s: value %zu of %zu differs:", what, i, n);
                for (size_t k = 0; k < bytes; k++)
                    print_error(" %02x/%02x", ((unsigned char *)a)[i * bytes + k], ((unsigned char *)b)[i * bytes + k]);
                print_error("\n");
                fail();
            }
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const char *s = ((char **)a)[i], *t = ((char **)b)[i];

        if (strcmp(s ? s : "", t ? t : "") != 0)
            print_error("%s: string %zu: '%s' and '%s'\n", what, i, s ? s : "", t ? t : "");
        assert_string_equal(s ? s : "", t ? t : "");
    }
    (void)nc_free_string(n, a);
    (void)nc_free_string(n, b);
}

static void same_attributes(const int nc[2], int var, int exceptions)
{
    int n[2] = { 0, 0 };
    char name[2][NC_MAX_NAME + 1];
    static char values[2][MOST_BYTES];
    nc_type type[2];
    size_t length[2];

    both(nc_inq_varnatts(nc[w], var, &n[w]));
    if (n[0] != n[1])
        for (int w = 0; w < 2; w++)
            for (int i = 0; i < n[w]; i++) {
                assert_int_equal(nc_inq_attname(nc[w], var, i, name[0]), NC_NOERR);
                print_error("%s: %s\n", w ? "dataset" : "file", name[0]);
            }
    assert_int_equal(n[0], n[1]);
    for (int i = 0; i < n[0]; i++) {
        assert_int_equal(nc_inq_attname(nc[0], var, i, name[0]), NC_NOERR);
        if (!(exceptions & SAME_BUT_ORDER)) {
            assert_int_equal(nc_inq_attname(nc[1], var, i, name[1]), NC_NOERR);
            assert_string_equal(name[0], name[1]);
        }
        both(nc_inq_att(nc[w], var, name[0], &type[w], &length[w]));
        assert_int_equal(type[0], type[1]);
        assert_int_equal(length[0], length[1]);
        both(nc_get_att(nc[w], var, name[0], values[w]));
        same_values(name[0], type[0], type_bytes(nc[0], type[0]), length[0], values[0], values[1]);
    }
}

static void same_dims(const int nc[2], int exceptions)
{
    int n[2], ids[2][NC_MAX_DIMS];
    char name[2][NC_MAX_NAME + 1];
    size_t length[2];

    for (int parents = 0; parents < 2; parents++) {
        both(nc_inq_dimids(nc[w], &n[w], ids[w], parents));
        assert_int_equal(n[0], n[1]);
    }
    both(nc_inq_dimids(nc[w], &n[w], ids[w], 0));
    for (int i = 0; i < n[0]; i++) {
        assert_int_equal(ids[0][i], ids[1][i]);
        both(nc_inq_dim(nc[w], ids[w][i], name[w], &length[w]));
        assert_string_equal(name[0], name[1]);
        if (length[0] != length[1])
            print_error("dimension %s\n", name[0]);
        assert_int_equal(length[0], length[1]);
    }
    both(nc_inq_unlimdims(nc[w], &n[w], ids[w]));
    assert_int_equal(n[0], n[1]);
    if (exceptions & SAME_BUT_REOPENED)
        return;
    for (int i = 0; i < n[0]; i++)
        assert_int_equal(ids[0][i], ids[1][i]);
    both(nc_inq_unlimdim(nc[w], ids[w]));
    assert_int_equal(ids[0][0], ids[1][0]);
}

static void same_storage(const int nc[2], int var, nc_type type, int ndim, int exceptions)
{
    int mode[2], on[2][3] = { { 0 } };
    size_t chunk[2][NC_MAX_VAR_DIMS], n[2];
    unsigned ids[2][8];
    _Alignas(8) char fill[2][4096] = { { 0 } };

    assert_true(type_bytes(nc[0], type) <= sizeof fill[0]);
    both(nc_inq_var_fill(nc[w], var, &mode[w], fill[w]));
    if (!(exceptions & SAME_BUT_REOPENED)) {
        assert_int_equal(mode[0] != 0, mode[1] != 0);
        both(nc_inq_var_endian(nc[w], var, &mode[w]));
        assert_int_equal(mode[0], mode[1]);
        both(nc_inq_var_fletcher32(nc[w], var, &mode[w]));
        assert_int_equal(mode[0], mode[1]);
        both(nc_inq_var_filter_ids(nc[w], var, &n[w], ids[w]));
        assert_int_equal(n[0], n[1]);
        assert_memory_equal(ids[0], ids[1], n[0] * sizeof ids[0][0]);
    }
    if (mode[0] == 0)
        same_values("fill", type, type_bytes(nc[0], type), 1, fill[0], fill[1]);
    both(nc_inq_var_deflate(nc[w], var, &on[w][0], &on[w][1], &on[w][2]));
    assert_int_equal(on[0][1], on[1][1]);
    if (type_bytes(nc[0], type) == 1 && (exceptions & SAME_BUT_REOPENED))
        on[0][0] = on[1][0] = 0; /* there is nothing to shuffle */
    if (on[0][1])
        assert_memory_equal(on[0], on[1], sizeof on[0]);
    both(nc_inq_var_chunking(nc[w], var, &mode[w], chunk[w]));
    if (!(exceptions & SAME_BUT_STORAGE)) {
        assert_int_equal(mode[0], mode[1]);
        if (mode[0] == NC_CHUNKED)
            assert_memory_equal(chunk[0], chunk[1], (size_t)ndim * sizeof chunk[0][0]);
    }
}

/* Element by element: where a variable is shorter than an unlimited dimension but the first, netCDF-C 4.9.0 puts the
 * elements of a larger box to wrong places. */
static void get_each(const int nc[2], int var, size_t bytes, size_t n, int ndim, const size_t length[],
                     char values[2][MOST_BYTES])
{
    size_t at[NC_MAX_VAR_DIMS] = { 0 };

    for (size_t i = 0; i < n; i++) {
        both(nc_get_var1(nc[w], var, at, values[w] + i * bytes));
        for (int k = ndim - 1; k >= 0; k--) {
            if (++at[k] < length[k])
                break;
            at[k] = 0;
        }
    }
}

static void same_elements(const int nc[2], int var, const char *name, nc_type type, int ndim, const int dims[])
{
    static char values[2][MOST_BYTES];
    size_t n = 1, length[NC_MAX_VAR_DIMS];
    int no_fill;

    for (int k = 0; k < ndim; k++) {
        assert_int_equal(nc_inq_dimlen(nc[0], dims[k], &length[k]), NC_NOERR);
        n *= length[k];
        if (getenv("DRX_VERBOSE"))
            print_message("%s type %d: dim %d of %zu\n", name, type, dims[k], length[k]);
    }
    assert_true(n * type_bytes(nc[0], type) <= MOST_BYTES);
    memset(values, 0, sizeof values);
    if (type == NC_STRING && nc_get_var(nc[0], var, values[0]) == NC_EHDFERR)
        return; /* as HDF5 1.10 says of some that were opened again */
    if (ndim > 1)
        get_each(nc, var, type_bytes(nc[0], type), n, ndim, length, values);
    else
        both(nc_get_var(nc[w], var, values[w]));
    assert_int_equal(nc_inq_var_fill(nc[0], var, &no_fill, NULL), NC_NOERR);
    if (no_fill)
        return; /* anything may be where nobody wrote */
    same_values(name, type, type_bytes(nc[0], type), n, values[0], values[1]);
}

static void same_variable(const int nc[2], int var, int exceptions, bool elements)
{
    char name[2][NC_MAX_NAME + 1];
    int ndim[2], dims[2][NC_MAX_VAR_DIMS], natts[2], id[2];
    nc_type type[2];

    both(nc_inq_var(nc[w], var, name[w], &type[w], &ndim[w], dims[w], &natts[w]));
    assert_string_equal(name[0], name[1]);
    assert_int_equal(type[0], type[1]);
    assert_int_equal(ndim[0], ndim[1]);
    assert_memory_equal(dims[0], dims[1], (size_t)ndim[0] * sizeof dims[0][0]);
    both(nc_inq_varid(nc[w], name[w], &id[w]));
    assert_int_equal(id[0], id[1]);
    same_attributes(nc, var, exceptions);
    same_storage(nc, var, type[0], ndim[0], exceptions);
    if (elements)
        same_elements(nc, var, name[0], type[0], ndim[0], dims[0]);
}

void same_groups(const int nc[2], int exceptions, bool elements)
{
    int n[2], ids[2][100], natts[2], nvars[2], unlimited[2];
    char name[2][NC_MAX_NAME + 1];

    both(nc_inq(nc[w], &n[w], &nvars[w], &natts[w], &unlimited[w]));
    assert_int_equal(n[0], n[1]);
    assert_int_equal(nvars[0], nvars[1]);
    if (!(exceptions & SAME_BUT_REOPENED))
        assert_int_equal(unlimited[0], unlimited[1]);
    same_dims(nc, exceptions);
    same_attributes(nc, NC_GLOBAL, exceptions);
    for (int i = 0; i < nvars[0]; i++)
        same_variable(nc, i, exceptions, elements);
    both(nc_inq_grps(nc[w], &n[w], ids[w]));
    assert_int_equal(n[0], n[1]);
    for (int i = 0; i < n[0]; i++) {
        int in[2] = { ids[0][i], -1 };

        assert_int_equal(nc_inq_grpname(in[0], name[0]), NC_NOERR);
        assert_int_equal(nc_inq_ncid(nc[1], name[0], &in[1]), NC_NOERR);
        both(nc_inq_grpname_full(in[w], NULL, name[w]));
        assert_string_equal(name[0], name[1]);
        same_groups(in, exceptions, elements);
    }
}
