/* A random program of netCDF calls, through netCDF-4 and through the bridge: what each call returns, and all that can
 * be asked for afterwards, is the same, but for what nc_same.h and `exceptions` below name. */
#include "nc_same.h"

#include <sys/stat.h>
#include <unistd.h>

#include "nc_pair.h"

struct model {
    uint64_t random;
    int nc[2];
    int ngroups;
    char group[8][60]; /* full names */
    bool classic, reopened;
    bool later; /* attributes may have moved */
    bool stop;
    int step;
    char what[300]; /* details of the step */
};

static int below(struct model *m, int n)
{
    return (int)random_below(&m->random, n);
}

static bool one_in(struct model *m, int n)
{
    return below(m, n) == 0;
}

/* What netCDF-4 and the bridge return for one call, where these differ. */
static const struct {
    int file, dataset;
    const char *why;
} exceptions[] = {
    { NC_EHDFERR, NC_EPERM, "netCDF-4 leaves it to HDF5 to find that a file is open for reading" },
    { NC_EBADNAME, NC_ENOTATT, "an attribute cannot have that name" },
    { NC_ERANGE, NC_ENAMEINUSE, "a name of HDF5's own, see next" },
    { NC_NOERR, NC_ENAMEINUSE, "names of HDF5's own are refused in groups and new names, too" },
    { NC_ELATEFILL, NC_NOERR, "netCDF-4 seldom thinks that a variable was written that was not" },
    { NC_ELATEFILL, NC_EBADTYPE, "likewise" },
    { NC_EHDFERR, NC_EBADTYPE, "and, when another type is compared first, that strings are no numbers" },
};

static void compare(struct model *m, const char *call, const int st[2])
{
    if (st[0] == st[1])
        return;
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++)
        if (exceptions[i].file == st[0] && exceptions[i].dataset == st[1])
            return;
    print_error("step %d: %s\n%s  gave %d and %d (%s, %s)\n", m->step, call, m->what, st[0], st[1], nc_strerror(st[0]),
                nc_strerror(st[1]));
    fail();
}

static bool verbose;

/* Do it with both; the status goes to `st`. `in[w]` is the group. */
#define BOTH(call)                                                           \
    do {                                                                     \
        for (int w = 0; w < 2; w++)                                          \
            st[w] = (call);                                                  \
        if (verbose)                                                         \
            print_message("%d: %s: %d\n%s", m->step, #call, st[0], m->what); \
        compare(m, #call, st);                                               \
    } while (0)

static void choose_group(struct model *m, int in[2])
{
    const int i = below(m, m->ngroups);

    for (int w = 0; w < 2; w++)
        assert_nc(nc_inq_grp_full_ncid(m->nc[w], m->group[i], &in[w]));
}

static const char *bad_name(struct model *m)
{
    static const char *const bad[] = { "", "a/b", " a", "a ", "a\x01", ".a", "\xff", "-a" };

    return bad[below(m, 8)];
}

static const char *some_name(struct model *m)
{
    static const char *const names[] = { "a", "b", "c", "d", "e", "long_name", "\xc3\xa4", "with space", "A.b-c" };

    return one_in(m, 12) ? bad_name(m) : names[below(m, 9)];
}

/* Others than those of variables, except coordinates: HDF5 keeps all in one folder. */
static const char *some_dim_name(struct model *m)
{
    static const char *const names[] = { "t", "x", "y", "z", "with two spaces", "\xc3\xb6" };

    return one_in(m, 12) ? bad_name(m) : names[below(m, 6)];
}

static nc_type some_type(struct model *m)
{
    return one_in(m, 20) ? (one_in(m, 2) ? NC_NAT : 99) : (nc_type)(1 + below(m, 12));
}

/* ---- definitions ---- */

static void def_dim(struct model *m)
{
    const size_t length = one_in(m, 3) ? NC_UNLIMITED : (size_t)(1 + below(m, 4));
    const char *name = some_dim_name(m);
    int in[2], id[2] = { -1, -1 }, st[2], n;

    choose_group(m, in);
    assert_nc(nc_inq_dimids(in[0], &n, NULL, 0));
    if (n > 6)
        return;
    BOTH(nc_def_dim(in[w], name, length, &id[w]));
    assert_int_equal(id[0], id[1]);
}

/* With a name that no dimension has: HDF5 keeps both in one folder. */
static void def_grp(struct model *m)
{
    static const char *const names[] = { "g", "h", "i", "Gruppe \xc3\xa4", "j.k", "", "g/h" };
    const char *name = names[below(m, 7)];
    int in[2], id[2], st[2];

    if (m->ngroups == 4)
        return;
    choose_group(m, in);
    BOTH(nc_def_grp(in[w], name, &id[w]));
    if (st[0])
        return;
    assert_nc(nc_inq_grpname_full(id[0], NULL, m->group[m->ngroups]));
    m->ngroups++;
}

/* Those of the group and of groups above it, each once: HDF5 fails to read what has one twice. */
static int some_dims(struct model *m, int in, int dims[])
{
    int n, all[100], ndim = below(m, 4);

    assert_nc(nc_inq_dimids(in, &n, all, 1));
    ndim = ndim < n || one_in(m, 30) ? ndim : n;
    for (int k = 0; k < ndim; k++) {
        const int i = n ? below(m, n) : 0;

        dims[k] = n && !one_in(m, 30) ? all[i] : 500;
        if (n)
            all[i] = all[--n];
    }
    return ndim;
}

static void def_var(struct model *m)
{
    const nc_type type = some_type(m);
    const char *name = some_name(m);
    int in[2], id[2] = { -1, -1 }, st[2], dims[4], ndim, n, all[100];
    char coordinate[NC_MAX_NAME + 1];

    choose_group(m, in);
    assert_nc(nc_inq_nvars(in[0], &n));
    if (n > 7)
        return;
    ndim = some_dims(m, in[0], dims);
    assert_nc(nc_inq_dimids(in[0], &n, all, 0));
    for (int i = 0; ndim == 1 && i < n; i++)
        if (all[i] == dims[0] && one_in(m, 2)) {
            assert_nc(nc_inq_dimname(in[0], dims[0], coordinate));
            name = coordinate;
        }
    BOTH(nc_def_var(in[w], name, type, ndim, dims, &id[w]));
    assert_int_equal(id[0], id[1]);
}

/* A variable that may not be there; its number and what it is. */
static int some_var(struct model *m, int in, nc_type *type, int *ndim, int dims[])
{
    int n, id;

    assert_nc(nc_inq_nvars(in, &n));
    id = n && !one_in(m, 30) ? below(m, n) : n + 1;
    *type = NC_INT;
    *ndim = 0;
    if (id < n)
        assert_nc(nc_inq_var(in, id, NULL, type, ndim, dims, NULL));
    return id;
}

static void def_storage(struct model *m)
{
    static const char string[] = "fill";
    const char *const fill_string = string;
    const double fill_number = 3.25 + below(m, 2) * 1e6;
    int in[2], st[2], dims[NC_MAX_VAR_DIMS], ndim, var, flag = below(m, 3), level = below(m, 11), deflated = 0;
    const int storage = one_in(m, 4) ? NC_CONTIGUOUS : NC_CHUNKED;
    size_t chunk[NC_MAX_VAR_DIMS];
    nc_type type;

    choose_group(m, in);
    var = some_var(m, in[0], &type, &ndim, dims);
    for (int k = 0; k < ndim; k++)
        chunk[k] = (size_t)(one_in(m, 20) ? 9 : 1 + below(m, 3));
    switch (below(m, 6)) {
    case 0:
        BOTH(nc_def_var_chunking(in[w], var, storage, chunk));
        break;
    case 1: /* netCDF-4 takes any level the second time, and fails later */
        (void)nc_inq_var_deflate(in[0], var, NULL, &deflated, NULL);
        BOTH(nc_def_var_deflate(in[w], var, flag == 0, 1, deflated && level > 9 ? 9 : level));
        break;
    case 2:
        BOTH(nc_def_var_fletcher32(in[w], var, NC_FLETCHER32));
        break;
    case 3:
        BOTH(nc_def_var_endian(in[w], var, flag / 2)); /* netCDF-C 4.9.0 writes big-endian ones wrongly */
        break;
    case 4:
        BOTH(nc_def_var_fill(in[w], var, flag == 0, NULL));
        break;
    default:
        BOTH(nc_def_var_fill(in[w], var, NC_FILL, type == NC_STRING ? (const void *)&fill_string : &fill_number));
    }
}

/* ---- attributes ---- */

static const char *some_attribute(struct model *m)
{
    static const char *const names[] = { "units", "b", "missing_value", "z", "NAME" };

    return one_in(m, 12) ? some_name(m) : names[below(m, one_in(m, 20) ? 5 : 4)];
}

static void put_att(struct model *m)
{
    static const char *const strings[] = { "one", "", "three\nlines", "a longer one" };
    const nc_type type = some_type(m), from = one_in(m, 3) ? (nc_type)(1 + below(m, 11)) : type;
    const char *name = one_in(m, 15) ? "_FillValue" : some_attribute(m);
    const size_t n = (size_t)below(m, 4);
    int in[2], st[2], dims[NC_MAX_VAR_DIMS], ndim, var;
    int numbers[4];
    nc_type unused;

    choose_group(m, in);
    var = one_in(m, 3) ? NC_GLOBAL : some_var(m, in[0], &unused, &ndim, dims);
    if (type == 99 ||
        (strcmp(name, "_FillValue") == 0 && (n != 1 || nc_inq_attid(in[0], var, name, &ndim) == NC_NOERR)))
        return; /* netCDF-4 refuses it, and changes it */
    (void)snprintf(m->what, sizeof m->what, "%s of var %d, type %d, %zu values\n", name, var, type, n);
    for (int i = 0; i < 4; i++)
        numbers[i] = one_in(m, 10) ? -70000 : below(m, 100);
    if (type == NC_STRING)
        BOTH(nc_put_att_string(in[w], var, name, n, (const char **)(const void *)strings));
    else if (type == NC_CHAR)
        BOTH(nc_put_att_text(in[w], var, name, n, "xyz"));
    else if (from == NC_CHAR)
        return;
    else
        BOTH(nc_put_att_int(in[w], var, name, type, n, numbers));
    m->stop = st[0] == NC_ELATEFILL && st[0] != st[1];
    if (nc_inq_attid(in[0], var, name, &ndim) == NC_NOERR && nc_inq_attid(in[1], var, name, &ndim) != NC_NOERR)
        assert_nc(nc_del_att(in[0], var, name)); /* netCDF-4 takes it, or refuses and adds it */
}

static void change_att(struct model *m)
{
    const char *name = some_attribute(m), *to = one_in(m, 8) ? bad_name(m) : some_name(m);
    int in[2], st[2], dims[NC_MAX_VAR_DIMS], ndim, var;
    nc_type type;

    if (!m->classic) /* what was put again and not stored yet, netCDF-4 forgets to delete */
        BOTH(nc_sync(m->nc[w]));
    choose_group(m, in);
    var = one_in(m, 3) ? NC_GLOBAL : some_var(m, in[0], &type, &ndim, dims);
    if (!m->classic && one_in(m, 2))
        BOTH(nc_del_att(in[w], var, name));
    else
        BOTH(nc_rename_att(in[w], var, name, to));
    m->later = true;
}

/* ---- elements ---- */

/* n numbers or strings of a type. */
static void some_values(struct model *m, nc_type type, size_t n, bool wild, void *out)
{
    static const char *const strings[] = { "", "a", "some text", "\xc3\xa4\xc3\xb6",
                                           "a much longer text than the others" };

    for (size_t i = 0; i < n; i++) {
        const double v = wild && one_in(m, 3) ? (one_in(m, 2) ? 3e9 : -3) : below(m, 100);

        switch (type) {
#define PUT(nctype, ctype)            \
    case NC_##nctype:                 \
        ((ctype *)out)[i] = (ctype)v; \
        break;
            PUT(SHORT, short)
            PUT(INT, int)
            PUT(INT64, int64_t)
            PUT(USHORT, unsigned short)
            PUT(UINT, unsigned)
            PUT(UINT64, uint64_t)
            PUT(FLOAT, float)
            PUT(DOUBLE, double)
        case NC_STRING:
            ((const char **)out)[i] = strings[below(m, 5)];
            break;
        default:
            ((signed char *)out)[i] = (signed char)(wild && v < 0 ? -3 : below(m, 100));
        }
    }
}

static int put(int nc, int var, nc_type type, const size_t *start, const size_t *count, const ptrdiff_t *stride,
               const ptrdiff_t *imap, const void *in)
{
    int st;

#define PUTS(nctype, name, ctype)                                                                     \
    case NC_##nctype:                                                                                 \
        st = imap     ? nc_put_varm_##name(nc, var, start, count, stride, imap, (ctype)(uintptr_t)in) \
             : stride ? nc_put_vars_##name(nc, var, start, count, stride, (ctype)(uintptr_t)in)       \
                      : nc_put_vara_##name(nc, var, start, count, (ctype)(uintptr_t)in);              \
        break;
    switch (type) {
        PUTS(BYTE, schar, const void *)
        PUTS(CHAR, text, const void *)
        PUTS(SHORT, short, const void *)
        PUTS(INT, int, const void *)
        PUTS(FLOAT, float, const void *)
        PUTS(DOUBLE, double, const void *)
        PUTS(UBYTE, uchar, const void *)
        PUTS(USHORT, ushort, const void *)
        PUTS(UINT, uint, const void *)
        PUTS(INT64, longlong, const void *)
        PUTS(UINT64, ulonglong, const void *)
        PUTS(STRING, string, const char **)
    default:
        st = nc_put_vara(nc, var, start, count, in);
    }
    return st;
}

static void put_var(struct model *m)
{
    static _Alignas(8) char values[8 * 8 * 8 * 8];
    const bool wild = one_in(m, 8), steps = one_in(m, 4);
    bool mapped = one_in(m, 6);
    size_t start[NC_MAX_VAR_DIMS] = { 0 }, count[NC_MAX_VAR_DIMS] = { 1 }, length, n = 1;
    ptrdiff_t stride[NC_MAX_VAR_DIMS], imap[NC_MAX_VAR_DIMS], step = 1;
    int in[2], st[2], dims[NC_MAX_VAR_DIMS], ndim, var, unlimited[50], nunlimited;
    nc_type type, from;
    char name[NC_MAX_NAME + 1];

    choose_group(m, in);
    var = some_var(m, in[0], &type, &ndim, dims);
    from = one_in(m, 3) ? (nc_type)(1 + below(m, 12)) : type;
    for (int k = 0; k < ndim; k++) {
        bool grows = false;

        assert_nc(nc_inq_dim(in[0], dims[k], name, &length));
        for (int g = 0; g < m->ngroups; g++) {
            int group;

            assert_nc(nc_inq_grp_full_ncid(m->nc[0], m->group[g], &group));
            assert_nc(nc_inq_unlimdims(group, &nunlimited, unlimited));
            for (int i = 0; i < nunlimited; i++)
                grows = grows || unlimited[i] == dims[k];
        }
        start[k] = one_in(m, 3) ? (size_t)below(m, (int)length + 1 + grows) : 0;
        count[k] = (size_t)below(m, one_in(m, 15) ? 6 : 4);
        stride[k] = one_in(m, 40) ? 0 : 1 + below(m, 2);
        if (grows && start[k] + count[k] * 2 > 7)
            start[k] = 0;
        else if (!grows && !one_in(m, 10)) {
            start[k] = length ? (size_t)below(m, (int)length) : 0;
            count[k] = 1 + (size_t)below(m, (int)(length - start[k]));
            stride[k] = 1;
        }
        n *= count[k];
        mapped = mapped && start[k] + count[k] <= length; /* netCDF-4 grows by a map along the first dimension alone */
        if (grows && (type == NC_STRING) != (from == NC_STRING)) /* netCDF-4 grows before it refuses that */
            from = type;
    }
    for (int k = 0; k < ndim; k++) { /* Fortran's order */
        imap[k] = step;
        step *= (ptrdiff_t)(count[k] ? count[k] : 1);
    }
    (void)snprintf(m->what, sizeof m->what, "var %d of type %d from type %d, steps %d, mapped %d\n", var, type, from,
                   steps, mapped);
    for (int k = 0; k < ndim; k++)
        (void)snprintf(m->what + strlen(m->what), 80, "  dim %d: %zu + %zu, step %td\n", dims[k], start[k], count[k],
                       stride[k]);
    some_values(m, from, 8 * 8 * 8, wild, values);
    if (mapped && ndim > 1)
        for (int k = 0; k < ndim; k++)
            stride[k] = 1;
    BOTH(put(in[w], var, from, start, count, steps || (mapped && ndim > 1) ? stride : NULL,
             mapped && ndim > 1 && n ? imap : NULL, values));
    if (st[0] != NC_ERANGE)
        return;
    some_values(m, from, 8 * 8 * 8, false, values); /* what was out of range is anything */
    BOTH(put(in[w], var, from, start, count, steps || (mapped && ndim > 1) ? stride : NULL,
             mapped && ndim > 1 && n ? imap : NULL, values));
}

static void get_var(struct model *m)
{
    static _Alignas(8) char values[2][8 * 8 * 8 * 8 * 8];
    size_t start[NC_MAX_VAR_DIMS] = { 0 }, count[NC_MAX_VAR_DIMS] = { 1 }, length, n = 1;
    int in[2], st[2], dims[NC_MAX_VAR_DIMS], ndim, var, no_fill;
    nc_type type;

    choose_group(m, in);
    var = some_var(m, in[0], &type, &ndim, dims);
    for (int k = 0; k < ndim; k++) {
        assert_nc(nc_inq_dimlen(in[0], dims[k], &length));
        start[k] = (size_t)below(m, (int)length + 1);
        count[k] = (size_t)below(m, (int)(length - start[k]) + 1) + one_in(m, 30);
        count[k] = ndim > 1 && count[k] > 1 ? 1 : count[k]; /* see get_each of nc_same.c */
        n *= count[k];
    }
    if (type == NC_STRING || type == NC_CHAR)
        return;
    memset(values, 0, sizeof values);
    BOTH(nc_get_vara_double(in[w], var, start, count, (double *)(void *)values[w]));
    if (!st[0] && nc_inq_var_fill(in[0], var, &no_fill, NULL) == NC_NOERR && !no_fill)
        assert_memory_equal(values[0], values[1], n * 8);
}

/* ---- modes ---- */

static void compare_all(struct model *m, bool elements)
{
    same_groups(m->nc,
                SAME_BUT_STORAGE | (m->reopened || m->later ? SAME_BUT_ORDER : 0) |
                    (m->reopened ? SAME_BUT_REOPENED : 0),
                elements);
}

static void change_mode(struct model *m)
{
    const int fill = one_in(m, 2) ? NC_FILL : NC_NOFILL;
    int st[2], old[2];

    switch (below(m, 5)) {
    case 0:
        BOTH(nc_redef(m->nc[w]));
        break;
    case 1:
        BOTH(nc_enddef(m->nc[w]));
        break;
    case 2:
        BOTH(nc_sync(m->nc[w]));
        break;
    case 3:
        if (!one_in(m, 3))
            return;
        BOTH(nc_set_fill(m->nc[w], fill, &old[w]));
        break;
    default:
        BOTH(nc_inq_format(m->nc[w], &old[w]));
        if (!m->reopened)
            assert_int_equal(old[0], old[1]);
    }
}

static void reopen(struct model *m)
{
    int st[2], mode = one_in(m, 5) ? NC_NOWRITE : NC_WRITE;

    if (m->classic) {
        BOTH((nc_enddef(m->nc[w]), NC_NOERR));
    }
    compare_all(m, true);
    BOTH(nc_close(m->nc[w]));
    BOTH(nc_open(w ? "m" : "m.nc", mode | (w ? NC_UDF0 : 0), &m->nc[w]));
    m->reopened = true;
    compare_all(m, true);
    if (mode == NC_WRITE)
        return;
    BOTH(nc_close(m->nc[w]));
    BOTH(nc_open(w ? "m" : "m.nc", NC_WRITE | (w ? NC_UDF0 : 0), &m->nc[w]));
}

static void run(struct model *m, int steps)
{
    for (m->step = 0; m->step < steps && !m->stop; m->step++) {
        const int what = below(m, 100);

        m->what[0] = '\0';
        if (what < 12)
            def_dim(m);
        else if (what < 15)
            def_grp(m);
        else if (what < 27)
            def_var(m);
        else if (what < 37)
            def_storage(m);
        else if (what < 47)
            put_att(m);
        else if (what < 51)
            change_att(m);
        else if (what < 85)
            put_var(m);
        else if (what < 90)
            get_var(m);
        else if (what < 98)
            change_mode(m);
        else
            reopen(m);
        if (m->stop)
            return;
        compare_all(m, false);
        if (one_in(m, 8) && !m->classic)
            compare_all(m, true);
    }
}

static void clean(void)
{
    (void)unlink("m.nc");
    if (access("m/dataset.xds", F_OK) == 0)
        assert_ok(drx_dataset_delete("m"));
}

TEST(as_netcdf_4)
{
    const uint64_t first = starting_seed(0);
    const int runs = getenv("DRX_SEED") ? 1 : 150;

    verbose = getenv("DRX_VERBOSE") != NULL;
    for (int i = 0; i < runs; i++) {
        struct model model = { .random = first + (uint64_t)i, .ngroups = 1, .group = { "/" } }, *m = &model;
        int st[2];

        print_message("seed %llu\n", (unsigned long long)(first + (uint64_t)i));
        clean();
        m->classic = one_in(m, 5);
        BOTH(nc_create(w ? "m" : "m.nc", NC_NETCDF4 | (w ? NC_UDF0 : 0) | (m->classic ? NC_CLASSIC_MODEL : 0),
                       &m->nc[w]));
        run(m, 60);
        if (m->stop || one_in(m, 8)) {
            assert_nc(nc_close(m->nc[0]));
            assert_nc(nc_abort(m->nc[1]));
            continue;
        }
        reopen(m);
        BOTH(nc_close(m->nc[w]));
        assert_int_equal(drx_dataset_check("m", NULL, NULL, NULL, NULL), DRX_OK);
    }
    clean();
}
