#include "nc_pair.h"

#include <float.h>
#include <math.h>

enum { STRING_BYTES = 6, STRING_POINTS = 4, MOST = 12 * 9 * 5 };

#define ALL           \
    {                 \
        "t", "y", "x" \
    }
const struct pair_variable pair_variables[] = {
    { "t", DRX_FLOAT64, NC_DOUBLE, 1, { "t" } },
    { "y", DRX_FLOAT32, NC_FLOAT, 1, { "y" }, .codec = DRX_ZLIB },
    { "i8", DRX_INT8, NC_BYTE, 3, ALL },
    { "i16", DRX_INT16, NC_SHORT, 3, ALL, .codec = DRX_ZSTD, .fill = true },
    { "i32", DRX_INT32, NC_INT, 3, ALL, .flags = DRX_CHECKSUM, .fill = true },
    { "i64", DRX_INT64, NC_INT64, 2, { "y", "t" }, .codec = DRX_ZLIB, .shuffle = DRX_SHUFFLE_BYTE },
    { "u8", DRX_UINT8, NC_UBYTE, 2, { "t", "x" }, .fill = true },
    { "u16", DRX_UINT16, NC_USHORT, 3, ALL, .flags = DRX_SHELL },
    { "u32", DRX_UINT32, NC_UINT, 3, ALL, .codec = DRX_LZ4 },
    { "u64", DRX_UINT64, NC_UINT64, 1, { "x" }, .codec = DRX_ZLIB, .shuffle = DRX_SHUFFLE_NONE },
    { "f32", DRX_FLOAT32, NC_FLOAT, 3, ALL, .fill = true },
    { "f64", DRX_FLOAT64, NC_DOUBLE, 3, ALL, .codec = DRX_ZSTD },
    { "f16", DRX_FLOAT16, NC_FLOAT, 2, { "t", "y" }, .fill = true },
    { "b", DRX_BOOL, NC_BYTE, 2, { "t", "x" } },
    { "c64", DRX_COMPLEX64, NC_FLOAT, 2, { "t", "x" }, .parts = "complex" },
    { "c128", DRX_COMPLEX128, NC_DOUBLE, 1, { "y" }, .parts = "complex", .flags = DRX_CHECKSUM },
    { "chars", DRX_UINT8, NC_CHAR, 2, { "t", "x" }, .note = "drx.char" },
    { "strings", DRX_UINT8, NC_STRING, 1, { "t" }, .note = "drx.string" },
    { "words", DRX_UINT8, NC_STRING, 2, { "y", "x" }, .note = "drx.string", .codec = DRX_ZSTD },
    { "bytes", DRX_BYTES(STRING_BYTES), NC_CHAR, 2, { "t", "x" }, .parts = "string6" },
    { "points", DRX_UNICODE(STRING_POINTS), NC_STRING, 1, { "y" }, .codec = DRX_ZLIB },
    { "scalar", DRX_INT32, NC_INT, 0 },
    { "scalar_text", DRX_BYTES(STRING_BYTES), NC_CHAR, 0, .parts = "string6" },
};
const int pair_count = sizeof pair_variables / sizeof pair_variables[0];

/* t begins as [0, 3) and becomes [-4, 8); y begins as [0, 9) and is trimmed to [2, 8); x is [3, 8). */
enum { T_LOWER = -4, T_UPPER = 8, Y_LOWER = 2, Y_UPPER = 8, X_LOWER = 3, X_UPPER = 8, WRITTEN = 10 /* of t */ };

static size_t length_of(const char *dim)
{
    if (*dim == 'c' || *dim == 's')
        return *dim == 'c' ? 2 : STRING_BYTES;
    return *dim == 't' ? T_UPPER - T_LOWER : *dim == 'y' ? Y_UPPER - Y_LOWER : X_UPPER - X_LOWER;
}

static const char *dim_of(const struct pair_variable *v, int k)
{
    return k < v->ndim ? v->dims[k] : v->parts;
}

static int64_t chunk_of(const char *dim)
{
    return *dim == 't' ? 5 : *dim == 'y' ? 4 : *dim == 'x' ? 3 : (int64_t)length_of(dim);
}

static bool is_own_string(const struct pair_variable *v)
{
    return v->note && strcmp(v->note, "drx.string") == 0;
}

/* What the elements read as: n of the type, one after the other; and what is stored. */
struct elements {
    size_t n;
    char stored[MOST * 16];
    char shown[MOST * 16];
};

/* ---- random elements ---- */

static double random_number(uint64_t *random)
{
    switch (random_below(random, 8)) {
    case 0:
        return (double)random_below(random, 300) - 20.5;
    case 1:
        return ldexp((double)random_below(random, 1 << 20) - (1 << 19), (int)random_below(random, 80) - 30);
    case 2:
        return random_below(random, 8) ? 0 : INFINITY;
    case 3:
        return random_below(random, 8) ? -0.0 : NAN;
    case 4:
        return random_below(random, 4) ? 1 : DBL_MAX;
    default:
        return (double)random_below(random, 200) - 100;
    }
}

/* An element of a string: bytes that end before or at `width`, of one letter or more. */
static void random_text(uint64_t *random, char *to, size_t width)
{
    const size_t n = (size_t)random_below(random, (int64_t)width + 1);

    memset(to, 0, width);
    for (size_t i = 0; i < n; i++)
        to[i] = (char)('a' + random_below(random, 26));
}

/* One code point of each length of UTF-8, in some order. */
static void random_points(uint64_t *random, uint32_t *to, char **shown)
{
    static const uint32_t points[] = { 'x', 0xe9, 0x20ac, 0x1f600 };
    static const char *const utf8[] = { "x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80" };
    const int n = (int)random_below(random, STRING_POINTS + 1);
    char text[4 * STRING_POINTS + 1] = "";

    memset(to, 0, STRING_POINTS * sizeof *to);
    for (int i = 0; i < n; i++) {
        const int64_t which = random_below(random, 4);

        to[i] = points[which];
        strcat(text, utf8[which]);
    }
    *shown = strdup(text);
}

static void random_element(const struct pair_variable *v, uint64_t *random, char *stored, char *shown)
{
    const size_t bytes = drx_type_size(v->type);
    const uint64_t bits = random_below(random, 3) ? random_next(random) : (uint64_t)random_below(random, 100);
    double number = random_number(random);
    float single;

    if (is_own_string(v) || DRX_IS_BYTES(v->type)) {
        random_text(random, stored, STRING_BYTES);
        if (v->parts)
            memcpy(shown, stored, STRING_BYTES);
        else
            *(char **)shown = strndup(stored, STRING_BYTES);
        return;
    }
    if (DRX_IS_UNICODE(v->type)) {
        random_points(random, (uint32_t *)(void *)stored, (char **)(void *)shown);
        return;
    }
    if (v->type == DRX_BOOL) {
        *stored = *shown = (char)(bits & 1);
        return;
    }
    if (v->type == DRX_FLOAT64) {
        memcpy(stored, &number, sizeof number);
    } else if (v->type == DRX_FLOAT32) {
        single = fabs(number) > (double)FLT_MAX && isfinite(number) ? 1 : (float)number;
        memcpy(stored, &single, sizeof single);
    } else if (v->type == DRX_FLOAT16) {
        single = (float)(random_below(random, 4000) - 2000) / 2;
        assert_ok(drx_convert(DRX_FLOAT32, &single, DRX_FLOAT16, stored, 1, DRX_EXACT));
        memcpy(shown, &single, sizeof single);
        return;
    } else if (v->nc == NC_CHAR) {
        *stored = (char)('A' + bits % 26);
    } else {
        memset(stored, 0, bytes);
        memcpy(stored, &bits, bytes < sizeof bits ? bytes : sizeof bits);
    }
    memcpy(shown, stored, bytes);
}

/* ---- the dataset ---- */

static const void *fill_of(const struct pair_variable *v)
{
    static const int64_t number = 77;
    static const float single = -99.5F;
    static const uint16_t half = 0xc580; /* -5.5 */

    if (!v->fill)
        return NULL;
    return v->type == DRX_FLOAT32 ? (const void *)&single : v->type == DRX_FLOAT16 ? (const void *)&half : &number;
}

static void add_variable(drx_dataset *ds, const struct pair_variable *v, drx_array **a)
{
    static const int64_t shapes[] = { 3, 9, 5 }, lowers[] = { 0, 0, X_LOWER };
    int64_t shape[4] = { 1 }, lower[4] = { 0 }, chunk[4] = { 1 };
    const char *dims[4];
    char own[40];
    drx_spec spec = { .ndim = v->ndim ? v->ndim : 1,
                      .type = v->type,
                      .shape = shape,
                      .lower = lower,
                      .chunk = chunk,
                      .dims = v->ndim ? dims : NULL,
                      .fill = fill_of(v),
                      .flags = v->flags,
                      .codec = v->codec,
                      .shuffle = v->shuffle };

    for (int k = 0; k < v->ndim; k++) {
        const int d = *v->dims[k] == 't' ? 0 : *v->dims[k] == 'y' ? 1 : 2;

        shape[k] = shapes[d];
        lower[k] = lowers[d];
        dims[k] = v->dims[k];
        chunk[k] = chunk_of(v->dims[k]);
    }
    if (is_own_string(v)) {
        (void)snprintf(own, sizeof own, "%s_strlen", v->name);
        dims[v->ndim] = own;
        shape[v->ndim] = chunk[v->ndim] = STRING_BYTES;
        spec.ndim = v->ndim + 1;
    }
    assert_ok(drx_dataset_add(ds, v->name, &spec, a));
    if (v->note)
        assert_ok(drx_attr_set_text(*a, v->note, "1"));
}

/* The elements that are written: all but the last indices of t. */
static void write_elements(drx_array *a, const struct pair_variable *v, uint64_t *random, struct elements *e)
{
    const size_t stored = is_own_string(v) ? STRING_BYTES : drx_type_size(v->type);
    const size_t shown = v->nc == NC_STRING ? sizeof(char *) : v->type == DRX_FLOAT16 ? 4 : stored;
    int64_t lo[4], count[4], index[4] = { 0 };
    size_t written = 0;

    e->n = 1;
    for (int k = 0; k < drx_ndim(a); k++) {
        lo[k] = drx_lower(a)[k];
        count[k] = drx_shape(a)[k];
        if (k < v->ndim)
            e->n *= (size_t)count[k];
        if (k < v->ndim && *v->dims[k] == 't')
            count[k] = WRITTEN;
    }
    for (size_t i = 0; i < e->n; i++) {
        bool is_written = true;
        int64_t rest = (int64_t)i;

        for (int k = v->ndim - 1; k >= 0; rest /= (int64_t)length_of(v->dims[k]), k--) {
            index[k] = rest % (int64_t)length_of(v->dims[k]);
            is_written = is_written && index[k] < count[k];
        }
        if (is_written) {
            random_element(v, random, e->stored + written++ * stored, e->shown + i * shown);
        } else if (v->nc == NC_STRING) {
            ((char **)(void *)e->shown)[i] = strdup("");
        } else if (v->type == DRX_FLOAT16) {
            ((float *)(void *)e->shown)[i] = v->fill ? -5.5F : 0;
        } else {
            memset(e->shown + i * shown, 0, shown);
            if (v->fill)
                memcpy(e->shown + i * shown, fill_of(v), shown);
        }
    }
    assert_ok(drx_write(a, lo, count, DRX_ROW_MAJOR, e->stored));
}

/* ---- attributes ---- */

/* clang-format off */
#define NUMBERS(X)                         \
    X(BYTE, INT8, schar, int8_t)           \
    X(UBYTE, UINT8, uchar, uint8_t)        \
    X(SHORT, INT16, short, int16_t)        \
    X(USHORT, UINT16, ushort, uint16_t)    \
    X(INT, INT32, int, int32_t)            \
    X(UINT, UINT32, uint, uint32_t)        \
    X(INT64, INT64, longlong, int64_t)     \
    X(UINT64, UINT64, ulonglong, uint64_t) \
    X(FLOAT, FLOAT32, float, float)        \
    X(DOUBLE, FLOAT64, double, double)
/* clang-format on */

/* Of the array, or of the dataset when there is none. */
static void put_attributes(drx_dataset *ds, drx_array *a, int nc, int var)
{
    static const char *const strings[] = { "one", "", "three" };
    static const char text[] = "degrees_north \xc2\xb0";

#define PUT(nctype, drxtype, name, ctype)                                                                  \
    {                                                                                                      \
        const ctype values[] = { (ctype)-1, 0, 100, (ctype)3000000000.0 };                                 \
        assert_ok(a ? drx_attr_set(a, "of_" #name, DRX_##drxtype, 4, values)                               \
                    : drx_dataset_attr_set(ds, DRX_DATASET, NULL, "of_" #name, DRX_##drxtype, 4, values)); \
        assert_nc(nc_put_att(nc, var, "of_" #name, NC_##nctype, 4, values));                               \
    }
    NUMBERS(PUT)
    assert_ok(a ? drx_attr_set_text(a, "units", text)
                : drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "units", text));
    assert_nc(nc_put_att_text(nc, var, "units", strlen(text), text));
    assert_ok(a ? drx_attr_set_text(a, "empty", "") : drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "empty", ""));
    assert_nc(nc_put_att_text(nc, var, "empty", 0, ""));
    assert_ok(a ? drx_attr_set_text(a, "names", "one\n\nthree")
                : drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "names", "one\n\nthree"));
    assert_ok(a ? drx_attr_set_text(a, "drx.strings", "3 names\n")
                : drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "drx.strings", "3 names\n"));
    assert_nc(nc_put_att_string(nc, var, "names", 3, (const char **)(const void *)strings));
    assert_ok(a ? drx_attr_set(a, "none", DRX_INT16, 0, NULL)
                : drx_dataset_attr_set(ds, DRX_DATASET, NULL, "none", DRX_INT16, 0, NULL));
    assert_nc(nc_put_att_short(nc, var, "none", NC_SHORT, 0, NULL));
    assert_ok(a ? drx_attr_set_text(a, "drx.hidden", "x")
                : drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "drx.hidden", "x"));
}

/* ---- the file ---- */

static int define_variable(int nc, const struct pair_variable *v)
{
    static const float half = -5.5F;
    size_t chunk[PAIR_MAX_NDIM];
    int dims[PAIR_MAX_NDIM], var;

    for (int k = 0; k < pair_ndim(v); k++) {
        assert_nc(nc_inq_dimid(nc, dim_of(v, k), &dims[k]));
        chunk[k] = (size_t)chunk_of(dim_of(v, k));
    }
    assert_nc(nc_def_var(nc, v->name, v->nc, pair_ndim(v), dims, &var));
    if (pair_ndim(v))
        assert_nc(nc_def_var_chunking(nc, var, NC_CHUNKED, chunk));
    if (v->codec != DRX_RAW && v->nc != NC_STRING)
        assert_nc(nc_def_var_deflate(nc, var, v->shuffle != DRX_SHUFFLE_NONE, 1, 5));
    if (v->fill)
        assert_nc(nc_def_var_fill(nc, var, NC_FILL, v->type == DRX_FLOAT16 ? &half : fill_of(v)));
    if (v->type == DRX_BOOL)
        assert_nc(nc_put_att_text(nc, var, "dtype", 4, "bool"));
    return var;
}

static void put_elements(int nc, int var, const struct pair_variable *v, struct elements *e)
{
    size_t start[PAIR_MAX_NDIM] = { 0 }, count[PAIR_MAX_NDIM] = { 1 };

    for (int k = 0; k < pair_ndim(v); k++)
        count[k] = length_of(dim_of(v, k));
    assert_nc(nc_put_vara(nc, var, start, count, e->shown));
    for (size_t i = 0; v->nc == NC_STRING && i < e->n; i++)
        free(((char **)(void *)e->shown)[i]);
}

void pair_make(const char *path, const char *file, uint64_t *random)
{
    static struct elements e;
    drx_array *arrays[40];
    drx_dataset *ds;
    int nc, dim;

    assert_ok(drx_dataset_create(path, &ds));
    for (int i = 0; i < pair_count; i++)
        add_variable(ds, &pair_variables[i], &arrays[i]);
    assert_ok(drx_dataset_commit(ds, "made"));
    assert_ok(drx_dataset_extend(ds, "t", T_UPPER - 3));
    assert_ok(drx_dataset_extend_before(ds, "t", -T_LOWER));
    assert_ok(drx_dataset_commit(ds, "grown"));
    assert_ok(drx_dataset_trim(ds, "y", Y_LOWER, 9 - Y_UPPER));
    assert_ok(drx_dataset_commit(ds, "trimmed"));

    assert_nc(nc_create(file, NC_NETCDF4 | NC_CLOBBER, &nc));
    assert_nc(nc_def_dim(nc, "t", NC_UNLIMITED, &dim));
    assert_nc(nc_def_dim(nc, "y", length_of("y"), &dim));
    assert_nc(nc_def_dim(nc, "x", length_of("x"), &dim));
    assert_nc(nc_def_dim(nc, "complex", 2, &dim));
    assert_nc(nc_def_dim(nc, "string6", STRING_BYTES, &dim));
    for (int i = 0; i < pair_count; i++) {
        const int var = define_variable(nc, &pair_variables[i]);

        assert_ok(drx_dataset_array(ds, pair_variables[i].name, &arrays[i]));
        if (i % 4 == 0)
            put_attributes(ds, arrays[i], nc, var);
        write_elements(arrays[i], &pair_variables[i], random, &e);
        put_elements(nc, var, &pair_variables[i], &e);
    }
    put_attributes(ds, NULL, nc, NC_GLOBAL);
    assert_ok(drx_dataset_commit(ds, "written"));
    assert_ok(drx_dataset_close(ds));
    assert_nc(nc_close(nc));
}
