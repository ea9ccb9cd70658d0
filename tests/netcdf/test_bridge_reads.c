/* Every inquiry and read through the bridge, against netCDF-C on a netCDF-4 file of the same data. */
#include <float.h>
#include <math.h>

#include "nc_pair.h"

static int ours = -1, theirs = -1;

static int open_both(void **state)
{
    static uint64_t random;

    random = starting_seed(0);
    *state = &random;
    if (ours >= 0)
        return 0;
    pair_make("pair", "pair.nc", &random);
    assert_nc(nc_open("pair", NC_NOWRITE, &ours));
    assert_nc(nc_open("pair.nc", NC_NOWRITE, &theirs));
    return 0;
}

/* ---- inquiries ---- */

/* A call with the file `ncid`, and w, which is 0 for ours and 1 for theirs. Both give the same. */
#define both(call)                                               \
    for (int w = 1, expected_ = 0; w >= 0; w--) {                \
        const int ncid = w ? theirs : ours, st_ = call;          \
        if (w)                                                   \
            expected_ = st_;                                     \
        else                                                     \
            check_nc(st_, expected_, #call, __FILE__, __LINE__); \
    }

TEST_WITH(file_and_dimensions, open_both, NULL)
{
    int n[2][4], ids[2][8], unlimited[2], format[2], mode;
    char name[2][NC_MAX_NAME + 1];
    size_t length[2];

    both(nc_inq(ncid, &n[w][0], &n[w][1], &n[w][2], &n[w][3]));
    assert_memory_equal(n[0], n[1], sizeof n[0]);
    both(nc_inq_format(ncid, &format[w]));
    assert_int_equal(format[0], format[1]);
    assert_nc(nc_inq_format_extended(ours, &format[0], &mode));
    assert_int_equal(format[0], NC_FORMATX_UDF0);
    both(nc_inq_unlimdims(ncid, &unlimited[w], ids[w]));
    assert_int_equal(unlimited[0], unlimited[1]);
    assert_int_equal(ids[0][0], ids[1][0]);
    both(nc_inq_dimids(ncid, &n[w][0], ids[w], 0));
    assert_memory_equal(ids[0], ids[1], 5 * sizeof ids[0][0]);
    for (int d = -1; d < 7; d++) {
        name[0][0] = name[1][0] = '\0';
        length[0] = length[1] = 0;
        both(nc_inq_dim(ncid, d, name[w], &length[w]));
        assert_string_equal(name[0], name[1]);
        assert_int_equal(length[0], length[1]);
    }
    for (int i = 0; i < 3; i++) {
        const char *const names[] = { "t", "string6", "no" };

        ids[0][0] = ids[1][0] = -5;
        both(nc_inq_dimid(ncid, names[i], &ids[w][0]));
        assert_int_equal(ids[0][0], ids[1][0]);
    }
    both(nc_inq_grps(ncid, &n[w][0], ids[w]));
    assert_int_equal(n[0][0], n[1][0]);
    both(nc_inq_grpname_full(ncid, &length[w], name[w]));
    assert_string_equal(name[0], name[1]);
    assert_int_equal(length[0], length[1]);
    both(nc_inq_grpname(ncid, name[w]));
    assert_string_equal(name[0], name[1]);
    both(nc_inq_grp_parent(ncid, &ids[w][0]));
    both(nc_inq_grp_ncid(ncid, "none", &ids[w][0]));
    both(nc_inq_varids(ncid, &n[w][0], NULL));
    assert_int_equal(n[0][0], n[1][0]);
}

TEST_WITH(types_of_the_file, open_both, NULL)
{
    char name[2][NC_MAX_NAME + 1];
    size_t bytes[2];
    nc_type id[2];
    int n[2];

    both(nc_inq_typeids(ncid, &n[w], NULL));
    assert_int_equal(n[0], n[1]);
    both(nc_inq_typeid(ncid, "nothing", &id[w]));
    both(nc_inq_typeid(ncid, "short", &id[w]));
    assert_int_equal(id[0], id[1]);
    both(nc_inq_type(ncid, 90, name[w], &bytes[w]));
    for (nc_type type = NC_BYTE; type <= NC_STRING; type++) {
        both(nc_inq_type(ncid, type, name[w], &bytes[w]));
        assert_string_equal(name[0], name[1]);
        assert_int_equal(bytes[0], bytes[1]);
    }
}

static void check_storage(int var, const struct pair_variable *v)
{
    int mode[2], on[2][3], endian[2], storage[2];
    size_t chunk[2][PAIR_MAX_NDIM] = { 0 }, nfilters[2] = { 0 }, nparams[2] = { 0 };
    unsigned ids[2][4], params[2][16] = { 0 };
    double fill[2][2] = { 0 };
    char *text[2];

    both(nc_inq_var_chunking(ncid, var, &storage[w], chunk[w]));
    assert_int_equal(storage[0], storage[1]);
    if (pair_ndim(v))
        assert_memory_equal(chunk[0], chunk[1], sizeof chunk[0]);
    both(nc_inq_var_endian(ncid, var, &endian[w]));
    assert_int_equal(endian[0], endian[1]);
    both(nc_inq_var_fletcher32(ncid, var, &mode[w]));
    assert_int_equal(mode[0], mode[1]);
    if (v->nc == NC_STRING) {
        both(nc_inq_var_fill(ncid, var, &mode[w], &text[w]));
        assert_string_equal(text[0], text[1]);
        free(text[0]);
        free(text[1]);
    } else {
        both(nc_inq_var_fill(ncid, var, &mode[w], fill[w]));
        if (v->fill)
            assert_memory_equal(fill[0], fill[1], sizeof fill[0]);
    }
    assert_int_equal(mode[0], mode[1]);
    both(nc_inq_var_deflate(ncid, var, &on[w][0], &on[w][1], &on[w][2]));
    if (!on[1][1])
        on[1][2] = 0;
    assert_memory_equal(on[0], on[1], sizeof on[0]);
    both(nc_inq_var_filter_ids(ncid, var, &nfilters[w], ids[w]));
    assert_int_equal(nfilters[0], nfilters[1]);
    for (size_t i = 0; i < nfilters[1]; i++) {
        assert_int_equal(ids[0][i], ids[1][i]);
        both(nc_inq_var_filter_info(ncid, var, ids[1][i], &nparams[w], params[w]));
        assert_int_equal(nparams[0], nparams[1]);
        assert_int_equal(params[0][0], params[1][0]);
    }
    both(nc_inq_var_filter_info(ncid, var, 9, &nparams[w], params[w]));
}

TEST_WITH(variables, open_both, NULL)
{
    char name[2][NC_MAX_NAME + 1];
    int ndims[2], dims[2][NC_MAX_VAR_DIMS], natts[2], id[2];
    nc_type type[2];

    for (int var = -1; var <= pair_count; var++) {
        natts[0] = natts[1] = 0;
        name[0][0] = name[1][0] = '\0';
        both(nc_inq_var(ncid, var, name[w], &type[w], &ndims[w], dims[w], &natts[w]));
        if (var < 0 || var == pair_count)
            continue;
        assert_string_equal(name[0], name[1]);
        assert_int_equal(type[0], type[1]);
        assert_int_equal(ndims[0], ndims[1]);
        assert_memory_equal(dims[0], dims[1], (size_t)ndims[0] * sizeof dims[0][0]);
        assert_int_equal(natts[0], natts[1]);
        both(nc_inq_varid(ncid, name[w], &id[w]));
        assert_int_equal(id[0], id[1]);
        check_storage(var, &pair_variables[var]);
    }
    both(nc_inq_varid(ncid, "nothing", &id[w]));
}

/* ---- attributes ---- */

/* X(type of netCDF, name in the functions of netCDF-C, type of C) */
/* clang-format off */
#define NUMBERS(X)                           \
    X(BYTE, schar, signed char)              \
    X(UBYTE, uchar, unsigned char)           \
    X(SHORT, short, short)                   \
    X(USHORT, ushort, unsigned short)        \
    X(INT, int, int)                         \
    X(UINT, uint, unsigned)                  \
    X(INT64, longlong, long long)            \
    X(UINT64, ulonglong, unsigned long long) \
    X(FLOAT, float, float)                   \
    X(DOUBLE, double, double)
/* clang-format on */

static const nc_type types[] = { NC_BYTE,  NC_UBYTE,  NC_SHORT, NC_USHORT, NC_INT,  NC_UINT,
                                 NC_INT64, NC_UINT64, NC_FLOAT, NC_DOUBLE, NC_CHAR, NC_NAT };
enum { TYPES = sizeof types / sizeof types[0] };

static int get_att(int nc, int var, const char *name, nc_type type, void *out)
{
    int st;

    switch (type) {
#define ATT(nctype, function, ctype)                    \
    case NC_##nctype:                                   \
        st = nc_get_att_##function(nc, var, name, out); \
        break;
        NUMBERS(ATT)
        ATT(CHAR, text, char)
    default:
        st = nc_get_att(nc, var, name, out);
    }
    return st;
}

static void check_strings(int var, const char *name, size_t n)
{
    char *strings[2][8];

    assert_in_range(n, 1, 8);
    both(nc_get_att_string(ncid, var, name, strings[w]));
    for (size_t i = 0; i < n; i++)
        assert_string_equal(strings[0][i], strings[1][i]);
    assert_nc(nc_free_string(n, strings[0]));
    assert_nc(nc_free_string(n, strings[1]));
}

static bool is_float(nc_type type)
{
    return type == NC_FLOAT || type == NC_DOUBLE;
}

static void check_attribute(int var, int number)
{
    char name[2][NC_MAX_NAME + 1];
    double values[2][8];
    nc_type type[2];
    size_t n[2];
    int id[2], natts;

    both(nc_inq_attname(ncid, var, number, name[w]));
    assert_nc(nc_inq_varnatts(theirs, var, &natts));
    if (number < 0 || number >= natts)
        return;
    assert_string_equal(name[0], name[1]);
    both(nc_inq_att(ncid, var, name[w], &type[w], &n[w]));
    assert_int_equal(type[0], type[1]);
    assert_int_equal(n[0], n[1]);
    both(nc_inq_attid(ncid, var, name[w], &id[w]));
    assert_int_equal(id[0], id[1]);
    if (type[0] == NC_STRING) {
        check_strings(var, name[0], n[0]);
        return;
    }
    for (int i = 0; i < TYPES; i++) {
        memset(values, 0x5a, sizeof values);
        both(get_att(ncid, var, name[w], types[i], values[w]));
        if (!is_float(type[0]) || is_float(types[i]) || types[i] == NC_NAT)
            assert_memory_equal(values[0], values[1], sizeof values[0]);
    }
}

TEST_WITH(attributes, open_both, NULL)
{
    nc_type type;
    size_t n;
    int id;

    for (int var = NC_GLOBAL; var < pair_count; var++) {
        int natts;

        assert_nc(nc_inq_varnatts(ours, var, &natts));
        for (int k = -1; k <= natts; k++)
            check_attribute(var, k);
        both(nc_inq_att(ncid, var, "nothing", &type, &n));
        both(nc_inq_attid(ncid, var, "nothing", &id));
    }
    both(nc_inq_att(ncid, pair_count, "units", &type, &n));
}

/* ---- elements ---- */

enum way { VAR1, VARA, VARS, VARM, WAYS };

struct request {
    int var;
    enum way way;
    nc_type type;
    size_t start[PAIR_MAX_NDIM], count[PAIR_MAX_NDIM];
    ptrdiff_t stride[PAIR_MAX_NDIM], map[PAIR_MAX_NDIM];
    bool whole; /* no strides, and no map */
};

static int get(int nc, const struct request *r, nc_type type, void *out)
{
    const ptrdiff_t *stride = r->whole ? NULL : r->stride, *map = r->whole ? NULL : r->map;
    int st;

    switch (type) {
#define GET(nctype, function, ctype)                                                                      \
    case NC_##nctype:                                                                                     \
        st = r->way == VAR1   ? nc_get_var1_##function(nc, r->var, r->start, out)                         \
             : r->way == VARA ? nc_get_vara_##function(nc, r->var, r->start, r->count, out)               \
             : r->way == VARS ? nc_get_vars_##function(nc, r->var, r->start, r->count, stride, out)       \
                              : nc_get_varm_##function(nc, r->var, r->start, r->count, stride, map, out); \
        break;
        NUMBERS(GET)
        GET(CHAR, text, char)
        GET(STRING, string, char *)
    default:
        st = r->way == VAR1   ? nc_get_var1(nc, r->var, r->start, out)
             : r->way == VARA ? nc_get_vara(nc, r->var, r->start, r->count, out)
             : r->way == VARS ? nc_get_vars(nc, r->var, r->start, r->count, stride, out)
                              : nc_get_varm(nc, r->var, r->start, r->count, stride, map, out);
    }
    return st;
}

enum { ROOM = 1 << 14 }; /* elements; of the largest map, too */

/* Axes in any order, some elements apart; some maps go where the elements would lie without one. */
static void random_map(struct request *r, int ndim, uint64_t *random)
{
    int order[PAIR_MAX_NDIM] = { 0, 1, 2 };
    ptrdiff_t step = 1 + (ptrdiff_t)random_below(random, 3) / 2;

    for (int k = ndim - 1; k > 0; k--) {
        const int64_t with = random_below(random, k + 1);
        const int kept = order[k];

        order[k] = order[with];
        order[with] = kept;
    }
    for (int k = ndim - 1; k >= 0; k--) {
        r->map[order[k]] = step;
        step *= (ptrdiff_t)(r->count[order[k]] ? r->count[order[k]] : 1);
        step += (ptrdiff_t)random_below(random, 3) / 2;
    }
}

/* Most are inside the bounds. */
static void random_request(struct request *r, const struct pair_variable *v, uint64_t *random)
{
    r->way = (enum way)random_below(random, WAYS);
    r->type = v->nc == NC_STRING ? (random_below(random, 2) ? NC_STRING : NC_NAT) : types[random_below(random, TYPES)];
    r->whole = random_below(random, 10) == 0;
    for (int k = 0; k < pair_ndim(v); k++) {
        size_t length;
        int dims[PAIR_MAX_NDIM];
        const bool wild = random_below(random, 30) == 0;

        assert_nc(nc_inq_vardimid(theirs, r->var, dims));
        assert_nc(nc_inq_dimlen(theirs, dims[k], &length));
        r->start[k] = (size_t)random_below(random, (int64_t)length + (wild ? 4 : 0));
        r->stride[k] = r->whole ? 1 : 1 + (ptrdiff_t)random_below(random, 4) - (wild && random_below(random, 2));
        r->count[k] = r->start[k] < length && r->stride[k] > 0
                          ? 1 + (size_t)random_below(random, 1 + (int64_t)(length - 1 - r->start[k]) /
                                                                     (r->way < VARS ? 1 : r->stride[k]))
                          : 1;
        if (wild)
            r->count[k] = (size_t)random_below(random, 5);
    }
    random_map(r, pair_ndim(v), random);
}

/* Can the type hold the number, as netCDF-C asks? What becomes of others is not defined. */
static bool holds(nc_type type, double number)
{
    static const double limits[][2] = { [NC_BYTE] = { -128, 127 },          [NC_UBYTE] = { 0, 255 },
                                        [NC_SHORT] = { -32768, 32767 },     [NC_USHORT] = { 0, 65535 },
                                        [NC_INT] = { -0x1p31, 0x7fffff80 }, [NC_UINT] = { 0, 0xffffff00 },
                                        [NC_INT64] = { -0x1p63, 0x1p62 },   [NC_UINT64] = { 0, 0x1p63 } };

    return number >= limits[type][0] && number <= limits[type][1];
}

static size_t bytes_of(nc_type type)
{
    size_t bytes = 16;

    (void)nc_inq_type(theirs, type, NULL, &bytes);
    return bytes;
}

/* Elements of integers that came from numbers which these cannot hold are alike. */
static void blind(const struct request *r, char *a, char *b)
{
    static double numbers[ROOM];
    const size_t bytes = bytes_of(r->type);

    for (int i = 0; i < ROOM; i++)
        numbers[i] = 0;
    (void)get(theirs, r, NC_DOUBLE, numbers);
    for (size_t i = 0; i < ROOM; i++)
        if (!holds(r->type, numbers[i])) {
            memset(a + i * bytes, 0, bytes);
            memset(b + i * bytes, 0, bytes);
        }
}

static void say(const struct request *r, const struct pair_variable *v)
{
    print_error("%s, way %d, type %d, whole %d:", v->name, r->way, r->type, r->whole);
    for (int k = 0; k < pair_ndim(v); k++)
        print_error(" [%zu + %zu * %td, map %td]", r->start[k], r->count[k], r->stride[k], r->map[k]);
    print_error("\n");
}

static void compare_strings(char **a, char **b)
{
    for (size_t i = 0; i < ROOM; i++) {
        assert_int_equal(!a[i], !b[i]);
        if (a[i])
            assert_string_equal(a[i], b[i]);
        free(a[i]);
        free(b[i]);
    }
}

static bool is_empty(const struct request *r, const struct pair_variable *v)
{
    for (int k = 0; k < pair_ndim(v); k++)
        if (r->count[k] == 0)
            return true;
    return false;
}

static bool is_outside(int st)
{
    return st == NC_EINVALCOORDS || st == NC_EEDGE;
}

static void compare(const struct request *r, const struct pair_variable *v)
{
    static char buffers[2][ROOM * 16];
    const bool strings = v->nc == NC_STRING;
    int st[2];

    memset(buffers, strings ? 0 : 0x5a, sizeof buffers);
    st[1] = get(theirs, r, r->type, buffers[1]);
    st[0] = get(ours, r, r->type, buffers[0]);
    if (r->way == VARM && is_outside(st[0]) && (is_outside(st[1]) || is_empty(r, v)))
        return; /* netCDF-C goes there step by step, and nowhere for nothing */
    if (st[0] != st[1])
        say(r, v);
    assert_int_equal(st[0], st[1]);
    if (strings) {
        compare_strings((char **)(void *)buffers[0], (char **)(void *)buffers[1]);
        return;
    }
    if (st[0] != NC_NOERR && st[0] != NC_ERANGE)
        return;
    if (is_float(v->nc) && !is_float(r->type) && r->type != NC_NAT && r->type != NC_CHAR)
        blind(r, buffers[0], buffers[1]);
    if (memcmp(buffers[0], buffers[1], sizeof buffers[0]) != 0) {
        say(r, v);
        fail_msg("other elements");
    }
}

TEST_WITH(random_reads, open_both, NULL)
{
    for (int i = 0; i < 6000; i++) {
        struct request r = { .var = (int)random_below(*state, pair_count) };

        random_request(&r, &pair_variables[r.var], *state);
        compare(&r, &pair_variables[r.var]);
    }
}
