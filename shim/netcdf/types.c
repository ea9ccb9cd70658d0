/* Types of netCDF for those of DRX, and conversions between numbers. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bridge.h"

/* X(type of netCDF, its name, type of DRX, type of C) */
/* clang-format off */
#define INTEGERS(X)                       \
    X(BYTE, "byte", INT8, int8_t)         \
    X(UBYTE, "ubyte", UINT8, uint8_t)     \
    X(SHORT, "short", INT16, int16_t)     \
    X(USHORT, "ushort", UINT16, uint16_t) \
    X(INT, "int", INT32, int32_t)         \
    X(UINT, "uint", UINT32, uint32_t)     \
    X(INT64, "int64", INT64, int64_t)     \
    X(UINT64, "uint64", UINT64, uint64_t)
/* clang-format on */
/* clang-format off */
#define FLOATS(X)                        \
    X(FLOAT, "float", FLOAT32, float)    \
    X(DOUBLE, "double", FLOAT64, double)
/* clang-format on */

#define DEFAULT_FILL(nc, name, drx, c)       \
    case NC_##nc: {                          \
        static const c value = NC_FILL_##nc; \
        fill = &value;                       \
        break;                               \
    }
#define ROW(nc, name, drx, c) { NC_##nc, DRX_##drx, sizeof(c), name },
static const struct row {
    nc_type nc;
    drx_type drx;
    size_t bytes;
    const char *name;
} rows[] = {
    INTEGERS(ROW) FLOATS(ROW){ NC_CHAR, DRX_UINT8, 1, "char" },
    { NC_STRING, (drx_type)0, sizeof(char *), "string" },
};

char bridge_zeros[DRX_MAX_TYPE_BYTES];

enum { ROWS = sizeof rows / sizeof rows[0], BLOCK = 1024 };

static const struct row *row_of(nc_type type)
{
    static const struct row none = { 0 };

    for (int i = 0; i < ROWS; i++)
        if (rows[i].nc == type)
            return &rows[i];
    return &none;
}

nc_type bridge_type_of(drx_type type)
{
    if (DRX_IS_DEFINED(type)) /* bits */
        type = drx_type_describe(type)->type_class == DRX_BITFIELD ? drx_type_describe(type)->base : (drx_type)0;
    if (DRX_IS_STRING(type))
        return NC_STRING;
    if (type == DRX_BOOL)
        return NC_BYTE;
    if (type == DRX_FLOAT16 || type == DRX_COMPLEX64)
        return NC_FLOAT;
    if (type == DRX_COMPLEX128)
        return NC_DOUBLE;
    for (int i = 0; i < ROWS; i++)
        if (rows[i].drx == type)
            return rows[i].nc;
    return NC_NAT;
}

drx_type bridge_element_type(const struct bridge_file *f, nc_type type)
{
    return type >= NC_FIRSTUSERTYPEID ? bridge_user_type(f, type) : row_of(type)->drx;
}

size_t bridge_type_bytes(const struct bridge_file *f, nc_type type)
{
    const struct bridge_type *own = type >= NC_FIRSTUSERTYPEID ? bridge_find_type(f, type) : NULL;

    return own ? bridge_info_of(own)->bytes : row_of(type)->bytes;
}

const char *bridge_type_name(nc_type type)
{
    return row_of(type)->name;
}

nc_type bridge_type_named(const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].nc;
    return NC_NAT;
}

const void *bridge_default_fill(const struct bridge_file *f, nc_type type)
{
    static const char character = NC_FILL_CHAR;
    static const char *const string = "";
    const drx_type_info *own = drx_type_describe(bridge_user_type(f, type));
    const void *fill = own ? bridge_zeros : (const void *)&string;

    switch (own && own->type_class == DRX_ENUM ? bridge_type_of(own->base) : type) {
        INTEGERS(DEFAULT_FILL)
        FLOATS(DEFAULT_FILL)
    case NC_CHAR:
        fill = &character;
    }
    return fill;
}

bool bridge_is_classic(nc_type type)
{
    return type >= NC_BYTE && type <= NC_DOUBLE;
}

/* n numbers as the widest of their kind; true: as doubles. */
#define TO_WIDE(nc, name, drx, c)         \
    case NC_##nc:                         \
        for (size_t i = 0; i < n; i++)    \
            wide[i] = ((const c *)in)[i]; \
        break;

static void widen_integers(nc_type from, const void *in, int64_t wide[], size_t n)
{
    switch (from) {
        INTEGERS(TO_WIDE) /* NC_UINT64 with the bits that it has */
    }
}

static void widen_floats(nc_type from, const void *in, double wide[], size_t n)
{
    switch (from) {
        FLOATS(TO_WIDE)
    }
}

/* Back to a narrower type; true: it cannot hold one of them. What is too large loses its highest bits. */
#define FROM_INTEGER(nc, name, drx, c)                                                         \
    case NC_##nc:                                                                              \
        for (size_t i = 0; i < n; i++) {                                                       \
            const c v = (c)wide[i];                                                            \
            bad |= (int64_t)v != wide[i] || (wide[i] < 0 && is_unsigned != (to == NC_UINT64)); \
            ((c *)out)[i] = v;                                                                 \
        }                                                                                      \
        break;
#define FROM_INTEGER_TO_FLOAT(nc, name, drx, c)                              \
    case NC_##nc:                                                            \
        for (size_t i = 0; i < n; i++)                                       \
            ((c *)out)[i] = is_unsigned ? (c)(uint64_t)wide[i] : (c)wide[i]; \
        break;

static bool narrow_integers(const int64_t wide[], bool is_unsigned, nc_type to, void *out, size_t n)
{
    bool bad = false;

    switch (to) {
        INTEGERS(FROM_INTEGER)
        FLOATS(FROM_INTEGER_TO_FLOAT)
    }
    return bad;
}

/* Towards zero. What is too large loses its highest bits; what no integer holds becomes 0. */
#define FROM_FLOAT(nc, name, drx, c)                                                              \
    case NC_##nc:                                                                                 \
        for (size_t i = 0; i < n; i++) {                                                          \
            const bool fits = wide[i] >= least && wide[i] <= beyond - 1 && wide[i] < beyond;      \
            bad |= !fits && !isnan(wide[i]);                                                      \
            ((c *)out)[i] = fits ? (c)wide[i] : fabs(wide[i]) < 0x1p63 ? (c)(int64_t)wide[i] : 0; \
        }                                                                                         \
        break;

static bool floats_to_integers(const double wide[], nc_type to, void *out, size_t n)
{
    const bool is_signed = to == NC_BYTE || to == NC_SHORT || to == NC_INT || to == NC_INT64;
    const double beyond = ldexp(1, 8 * (int)row_of(to)->bytes - is_signed), least = is_signed ? -beyond : 0;
    bool bad = false;

    switch (to) {
        INTEGERS(FROM_FLOAT)
    }
    return bad;
}

static bool narrow_floats(const double wide[], nc_type to, void *out, size_t n)
{
    bool bad = false;

    if (to == NC_DOUBLE) {
        memcpy(out, wide, n * sizeof *wide);
        return false;
    }
    if (to != NC_FLOAT)
        return floats_to_integers(wide, to, out, n);
    for (size_t i = 0; i < n; i++) {
        bad |= fabs(wide[i]) > (double)FLT_MAX;
        ((float *)out)[i] = (float)wide[i];
    }
    return bad;
}

int bridge_convert_in(const struct bridge_file *f, nc_type from, const void *in, nc_type to, void *out, size_t n)
{
    const bool bytes = (from == NC_BYTE && to == NC_UBYTE) || (from == NC_UBYTE && to == NC_BYTE);
    const int st = bridge_convert(from, in, to, out, n);

    return f->classic && bytes ? NC_NOERR : st;
}

int bridge_convert(nc_type from, const void *in, nc_type to, void *out, size_t n)
{
    const size_t from_bytes = row_of(from)->bytes, to_bytes = row_of(to)->bytes;
    int64_t integers[BLOCK];
    double floats[BLOCK];
    bool bad = false;

    for (size_t done = 0, some; done < n; done += some) {
        const void *here = (const char *)in + done * from_bytes;
        void *there = (char *)out + done * to_bytes;

        some = n - done < BLOCK ? n - done : BLOCK;
        if (from == NC_FLOAT || from == NC_DOUBLE) {
            widen_floats(from, here, floats, some);
            bad |= narrow_floats(floats, to, there, some);
        } else {
            widen_integers(from, here, integers, some);
            bad |= narrow_integers(integers, from == NC_UINT64, to, there, some);
        }
    }
    return bad ? NC_ERANGE : NC_NOERR;
}
