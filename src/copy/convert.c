/* Conversion of element types. Some hundred elements at a time are loaded as the widest numbers of their kind, int64,
 * uint64 or double, which hold all of them exactly, and stored from there. So there is one loop for each type and kind,
 * not for each pair of types. */
#include "copy/copy.h"
#include "types/types.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 512 };

enum kind { WHOLE, NATURAL, REAL, KINDS };

union numbers {
    int64_t whole[BATCH];
    uint64_t natural[BATCH];
    double real[BATCH];
};

typedef void load_kernel(int64_t n, const uint8_t *in, size_t step, union numbers *out);

/* *stored is the first number that does not fit, or n; dst may be NULL. */
typedef void store_kernel(int64_t n, const union numbers *in, bool exact, uint8_t *dst, size_t step, int64_t *stored);

/* ---- loading ------------------------------------------------------------------------- */

#define LOAD(name, type, kind, value)                                                      \
    static void load_##name(int64_t n, const uint8_t *in, size_t step, union numbers *out) \
    {                                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                  \
            type x;                                                                        \
                                                                                           \
            memcpy(&x, in + (size_t)i * step, sizeof x);                                   \
            out->kind[i] = value;                                                          \
        }                                                                                  \
    }

LOAD(int8, int8_t, whole, x)
LOAD(int16, int16_t, whole, x)
LOAD(int32, int32_t, whole, x)
LOAD(int64, int64_t, whole, x)
LOAD(uint8, uint8_t, whole, x)
LOAD(uint16, uint16_t, whole, x)
LOAD(uint32, uint32_t, whole, x)
LOAD(uint64, uint64_t, natural, x)
LOAD(bool, uint8_t, whole, x != 0)
LOAD(float16, uint16_t, real, drxi_half_value(x))
LOAD(float32, float, real, (double)x)
LOAD(float64, double, real, x)

/* ---- storing ------------------------------------------------------------------------- */

/* v is the number, `kept` what is stored of it; `fits`: that is the same number. */
#define STORE(name, type, kind, from, wide, refused, keep, fits)                                                 \
    static void store_##name##_##kind(int64_t n, const union numbers *in, bool exact, uint8_t *dst, size_t step, \
                                      int64_t *stored)                                                           \
    {                                                                                                            \
        int64_t i = 0;                                                                                           \
                                                                                                                 \
        for (; i < n; i++) {                                                                                     \
            const from v = in->kind[i];                                                                          \
            wide kept = 0;                                                                                       \
            type x;                                                                                              \
                                                                                                                 \
            if (!(refused))                                                                                      \
                kept = keep;                                                                                     \
            if ((refused) || (exact && !(fits)))                                                                 \
                break;                                                                                           \
            x = (type)kept;                                                                                      \
            if (dst)                                                                                             \
                memcpy(dst + (size_t)i * step, &x, sizeof x);                                                    \
        }                                                                                                        \
        *stored = i;                                                                                             \
    }

static inline int64_t clamp_whole(int64_t v, int64_t least, int64_t most)
{
    return v < least ? least : v > most ? most : v;
}

static inline uint64_t clamp_natural(uint64_t v, uint64_t most)
{
    return v > most ? most : v;
}

/* `beyond` is one more than `most`, which a double holds. */
static inline int64_t whole_of(double v, int64_t least, int64_t most, double beyond)
{
    return v < (double)least ? least : v >= beyond ? most : (int64_t)v;
}

static inline uint64_t natural_of(double v, uint64_t most, double beyond)
{
    return v < 0 ? 0 : v >= beyond ? most : (uint64_t)v;
}

/* Equal as numbers, also where the integer as a double is another number. */
static inline bool is_integer(int64_t whole, double v)
{
    return v >= -0x1p63 && v < 0x1p63 && (int64_t)v == whole && (double)whole == v;
}

static inline bool is_natural(uint64_t natural, double v)
{
    return v >= 0 && v < 0x1p64 && (uint64_t)v == natural && (double)natural == v;
}

static inline bool is_real(double kept, double v)
{
    return kept == v || isnan(v);
}

/* No integer is the nearest to a NaN. */
#define STORE_SIGNED(name, type, least, most)                                                                  \
    STORE(name, type, whole, int64_t, int64_t, false, clamp_whole(v, least, most), kept == v)                  \
    STORE(name, type, natural, uint64_t, uint64_t, false, clamp_natural(v, most), kept == v)                   \
    STORE(name, type, real, double, int64_t, isnan(v), whole_of(rint(v), least, most, 2.0 * ((most) / 2 + 1)), \
          is_integer(kept, v))
#define STORE_UNSIGNED(name, type, most)                                                                        \
    STORE(name, type, whole, int64_t, int64_t, false, clamp_whole(v, 0, (most) > INT64_MAX ? INT64_MAX : most), \
          kept == v)                                                                                            \
    STORE(name, type, natural, uint64_t, uint64_t, false, clamp_natural(v, most), kept == v)                    \
    STORE(name, type, real, double, uint64_t, isnan(v), natural_of(rint(v), most, 2.0 * ((most) / 2 + 1)),      \
          is_natural(kept, v))

STORE_SIGNED(int8, int8_t, INT8_MIN, INT8_MAX)
STORE_SIGNED(int16, int16_t, INT16_MIN, INT16_MAX)
STORE_SIGNED(int32, int32_t, INT32_MIN, INT32_MAX)
STORE_SIGNED(int64, int64_t, INT64_MIN, INT64_MAX)
STORE_UNSIGNED(uint8, uint8_t, UINT8_MAX)
STORE_UNSIGNED(uint16, uint16_t, UINT16_MAX)
STORE_UNSIGNED(uint32, uint32_t, UINT32_MAX)
STORE_UNSIGNED(uint64, uint64_t, UINT64_MAX)

/* Any number but 0 is true. */
STORE(bool, uint8_t, whole, int64_t, int64_t, false, v != 0, kept == v)
STORE(bool, uint8_t, natural, uint64_t, uint64_t, false, v != 0, kept == v)
STORE(bool, uint8_t, real, double, int64_t, isnan(v), v != 0, is_integer(kept, v))

/* Straight from the integer, so that it is rounded once. */
#define STORE_REAL(name, type)                                                              \
    STORE(name, type, whole, int64_t, type, false, (type)v, is_integer(v, (double)kept))    \
    STORE(name, type, natural, uint64_t, type, false, (type)v, is_natural(v, (double)kept)) \
    STORE(name, type, real, double, type, false, (type)v, is_real((double)kept, v))

STORE_REAL(float32, float)
STORE_REAL(float64, double)

/* An integer that a double rounds is infinite as a float16. */
STORE(float16, uint16_t, whole, int64_t, uint16_t, false, drxi_half_of((double)v), is_integer(v, drxi_half_value(kept)))
STORE(float16, uint16_t, natural, uint64_t, uint16_t, false, drxi_half_of((double)v),
      is_natural(v, drxi_half_value(kept)))
STORE(float16, uint16_t, real, double, uint16_t, false, drxi_half_of(v), is_real(drxi_half_value(kept), v))

/* ---- one type to another ------------------------------------------------------------- */

static const struct {
    load_kernel *load;
    enum kind kind;
    store_kernel *store[KINDS];
} kernels[] = {
#define KERNELS(type, name, kind) \
    [type] = { load_##name, kind, { store_##name##_whole, store_##name##_natural, store_##name##_real } }
    KERNELS(DRX_INT8, int8, WHOLE),      KERNELS(DRX_INT16, int16, WHOLE),     KERNELS(DRX_INT32, int32, WHOLE),
    KERNELS(DRX_INT64, int64, WHOLE),    KERNELS(DRX_UINT8, uint8, WHOLE),     KERNELS(DRX_UINT16, uint16, WHOLE),
    KERNELS(DRX_UINT32, uint32, WHOLE),  KERNELS(DRX_UINT64, uint64, NATURAL), KERNELS(DRX_BOOL, bool, WHOLE),
    KERNELS(DRX_FLOAT16, float16, REAL), KERNELS(DRX_FLOAT32, float32, REAL),  KERNELS(DRX_FLOAT64, float64, REAL),
#undef KERNELS
};

static bool is_complex(drx_type type)
{
    return type == DRX_COMPLEX64 || type == DRX_COMPLEX128;
}

/* The type of a number, or of both parts of one. */
static drx_type complex_part(drx_type type)
{
    return type == DRX_COMPLEX64 ? DRX_FLOAT32 : type == DRX_COMPLEX128 ? DRX_FLOAT64 : type;
}

/* n real numbers, this many bytes apart. */
static int64_t convert_reals(drx_type from, const uint8_t *in, size_t in_step, drx_type to, uint8_t *out,
                             size_t out_step, int64_t n, bool exact)
{
    store_kernel *const store = kernels[to].store[kernels[from].kind];
    union numbers numbers;

    for (int64_t at = 0; at < n; at += BATCH) {
        const int64_t some = drxi_min(n - at, BATCH);
        int64_t stored;

        kernels[from].load(some, in + (size_t)at * in_step, in_step, &numbers);
        store(some, &numbers, exact, out ? out + (size_t)at * out_step : NULL, out_step, &stored);
        if (stored < some)
            return at + stored;
    }
    return n;
}

/* The first of n complex numbers that has an imaginary part, or n. */
static int64_t first_imaginary(drx_type part, const uint8_t *in, size_t step, int64_t n)
{
    union numbers numbers;

    for (int64_t at = 0; at < n; at += BATCH) {
        const int64_t some = drxi_min(n - at, BATCH);

        kernels[part].load(some, in + (size_t)at * step + drx_type_size(part), step, &numbers);
        for (int64_t i = 0; i < some; i++)
            if (numbers.real[i] != 0)
                return at + i;
    }
    return n;
}

/* One of the two parts of complex numbers, and zeros for that which they lack. */
static int64_t convert_complex(drx_type from, const uint8_t *in, size_t in_step, drx_type to, uint8_t *out,
                               size_t out_step, int64_t n, bool exact)
{
    const drx_type part[] = { complex_part(from), complex_part(to) };
    const size_t bytes[] = { drx_type_size(part[0]), drx_type_size(part[1]) };
    int64_t done;

    if (is_complex(from) && !is_complex(to))
        n = first_imaginary(part[0], in, in_step, n);
    done = convert_reals(part[0], in, in_step, part[1], out, out_step, n, exact);
    if (!is_complex(to))
        return done;
    if (is_complex(from))
        return convert_reals(part[0], in + bytes[0], in_step, part[1], out ? out + bytes[1] : NULL, out_step, done,
                             exact);
    for (int64_t i = 0; out && i < done; i++)
        memset(out + (size_t)i * out_step + bytes[1], 0, bytes[1]);
    return done;
}

/* ---- defined types ---------------------------------------------------------------------- */

/* What it is as a number, if it is an enum or a bitfield. */
static drx_type as_number(drx_type type)
{
    const drx_type_info *info = drx_type_describe(type);

    return info && info->base ? info->base : type;
}

static int64_t values_of(const drx_member *m)
{
    return drxi_times(1, m->rank, m->extents);
}

static const drx_member *find_field(const drx_type_info *info, const char *name)
{
    for (int i = 0; i < info->nmembers; i++)
        if (strcmp(info->members[i].name, name) == 0)
            return &info->members[i];
    return NULL;
}

static int64_t convert_steps(drx_type from, const uint8_t *in, size_t in_step, drx_type to, uint8_t *out,
                             size_t out_step, int64_t n, bool exact);

/* Field after field, each in all elements. */
static int64_t convert_fields(drx_type from, const uint8_t *in, size_t in_step, drx_type to, uint8_t *out,
                              size_t out_step, int64_t n, bool exact)
{
    const drx_type_info *x = drx_type_describe(from), *y = drx_type_describe(to);

    for (int64_t i = 0; out && i < n; i++)
        memset(out + (size_t)i * out_step, 0, y->bytes);
    for (int k = 0; k < y->nmembers; k++) {
        const drx_member *a = find_field(x, y->members[k].name), *b = &y->members[k];
        const size_t bytes[] = { drx_type_size(a->type), drx_type_size(b->type) };

        for (int64_t v = 0; v < values_of(b); v++)
            n = convert_steps(a->type, in + a->offset + (size_t)v * bytes[0], in_step, b->type,
                              out ? out + b->offset + (size_t)v * bytes[1] : NULL, out_step, n, exact);
    }
    return n;
}

/* n elements, this many bytes apart. The types can be converted. */
static int64_t convert_steps(drx_type from, const uint8_t *in, size_t in_step, drx_type to, uint8_t *out,
                             size_t out_step, int64_t n, bool exact)
{
    const size_t bytes = drx_type_size(to);

    if (drxi_same_types(from, to)) {
        for (int64_t i = 0; out && i < n; i++)
            drxi_copy_item(out + (size_t)i * out_step, in + (size_t)i * in_step, bytes);
        return n;
    }
    from = as_number(from);
    to = as_number(to);
    if (DRX_IS_DEFINED(from))
        return convert_fields(from, in, in_step, to, out, out_step, n, exact);
    if (is_complex(from) || is_complex(to))
        return convert_complex(from, in, in_step, to, out, out_step, n, exact);
    return convert_reals(from, in, in_step, to, out, out_step, n, exact);
}

int64_t drxi_convert(drx_type from, const void *in, drx_type to, void *out, int64_t n, drx_conversion how)
{
    if (from == to) {
        if (out && n > 0)
            memcpy(out, in, (size_t)n * drx_type_size(to));
        return n;
    }
    return convert_steps(from, in, drx_type_size(from), to, out, drx_type_size(to), n, how == DRX_EXACT);
}

/* ---- refusals ---------------------------------------------------------------------------- */

static bool is_compound(drx_type type)
{
    const drx_type_info *info = drx_type_describe(type);

    return info && info->type_class == DRX_COMPOUND;
}

static drx_status check_types(const char *label, drx_type from, drx_type to);

static drx_status check_field(const char *label, drx_type from, drx_type to, const drx_member *b)
{
    const drx_member *a = find_field(drx_type_describe(from), b->name);
    char inner[256];

    if (!a)
        return drxi_fail(DRX_EINVAL, "%s: no field '%s' in %s, for one of %s", label, b->name, drx_type_name(from),
                         drx_type_name(to));
    if (values_of(a) != values_of(b))
        return drxi_fail(DRX_EINVAL, "%s: field '%s' has %" PRId64 " values in %s, and %" PRId64 " in %s", label,
                         b->name, values_of(a), drx_type_name(from), values_of(b), drx_type_name(to));
    (void)snprintf(inner, sizeof inner, "%s: field '%s'", label, b->name);
    return check_types(inner, a->type, b->type);
}

/* An enum or bitfield is converted to numbers and from them, but not to others of its kind. */
static drx_status check_types(const char *label, drx_type from, drx_type to)
{
    const drx_type_info *info = drx_type_describe(to);
    drx_status st = DRX_OK;

    if (drxi_same_types(from, to))
        return DRX_OK;
    if (is_compound(from) && is_compound(to)) {
        for (int i = 0; !st && i < info->nmembers; i++)
            st = check_field(label, from, to, &info->members[i]);
        return st;
    }
    if ((DRX_IS_NUMBER(from) || DRX_IS_NUMBER(to)) && DRX_IS_NUMBER(as_number(from)) && DRX_IS_NUMBER(as_number(to)))
        return DRX_OK;
    return drxi_fail(DRX_EINVAL, "%s: no conversion between %s and %s", label, drx_type_name(from), drx_type_name(to));
}

drx_status drxi_check_conversion(const char *label, drx_type from, drx_type to, drx_conversion how)
{
    if (drx_type_size(from) == 0 || drx_type_size(to) == 0)
        return drxi_fail(DRX_EINVAL, "%s: there is no type %d to convert %s", label,
                         drx_type_size(from) ? (int)to : (int)from, drx_type_size(from) ? "to" : "from");
    if (from != to && (DRX_IS_STRING(from) || DRX_IS_STRING(to)))
        return drxi_fail(DRX_EINVAL, "%s: no conversion between %s and %s: strings have none to other types or lengths",
                         label, drx_type_name(from), drx_type_name(to));
    if (how != DRX_EXACT && how != DRX_NEAREST)
        return drxi_fail(DRX_EINVAL, "%s: conversion %d, expected DRX_EXACT or DRX_NEAREST", label, (int)how);
    return check_types(label, from, to);
}

enum { NUMBER_BYTES = 72 };

/* The digits that tell a number from others of its type: most need fewer than the largest number of them. */
static int digits_of(drx_type type, double x)
{
    const int few = type == DRX_FLOAT16 ? 3 : type == DRX_FLOAT32 ? 6 : 15;
    char text[NUMBER_BYTES];
    double back;

    (void)snprintf(text, sizeof text, "%.*g", few, x);
    back = strtod(text, NULL);
    back = type == DRX_FLOAT16 ? drxi_half_value(drxi_half_of(back)) : type == DRX_FLOAT32 ? (double)(float)back : back;
    return back == x ? few : few + 2 + (type == DRX_FLOAT32);
}

static void print_number(drx_type type, const void *element, char text[NUMBER_BYTES])
{
    const drx_type part = complex_part(type);
    union numbers re, im;

    kernels[part].load(1, element, 0, &re);
    if (is_complex(type)) {
        kernels[part].load(1, (const uint8_t *)element + drx_type_size(part), 0, &im);
        (void)snprintf(text, NUMBER_BYTES, "%.*g%+.*gj", digits_of(part, re.real[0]), re.real[0],
                       digits_of(part, im.real[0]), im.real[0]);
    } else if (kernels[part].kind == REAL) {
        (void)snprintf(text, NUMBER_BYTES, "%.*g", digits_of(part, re.real[0]), re.real[0]);
    } else if (kernels[part].kind == NATURAL) {
        (void)snprintf(text, NUMBER_BYTES, "%" PRIu64, re.natural[0]);
    } else {
        (void)snprintf(text, NUMBER_BYTES, "%" PRId64, re.whole[0]);
    }
}

/* The first value of a field that is refused. */
static drx_status fail_field(const char *label, const char *where, drx_type from, const uint8_t *element, drx_type to,
                             drx_conversion how)
{
    const drx_type_info *x = drx_type_describe(from), *y = drx_type_describe(to);
    char inner[1024];

    for (int k = 0; k < y->nmembers; k++) {
        const drx_member *a = find_field(x, y->members[k].name), *b = &y->members[k];

        for (int64_t v = 0; v < values_of(b); v++) {
            const uint8_t *value = element + a->offset + (size_t)v * drx_type_size(a->type);

            (void)snprintf(inner, sizeof inner, "field '%s' of %s", b->name, where);
            if (drxi_convert(a->type, value, b->type, NULL, 1, how) == 0)
                return drxi_fail_conversion(label, inner, a->type, value, b->type, how);
        }
    }
    return drxi_fail(DRX_EMISMATCH, "%s: %s has changed while it was looked at", label, where);
}

drx_status drxi_fail_conversion(const char *label, const char *where, drx_type from, const void *element, drx_type to,
                                drx_conversion how)
{
    char text[NUMBER_BYTES];
    bool imaginary;

    if (is_compound(from))
        return fail_field(label, where, from, element, to, how);
    from = as_number(from);
    imaginary =
        is_complex(from) && !is_complex(as_number(to)) && first_imaginary(complex_part(from), element, 0, 1) == 0;
    print_number(from, element, text);
    if (imaginary)
        return drxi_fail(DRX_EMISMATCH, "%s: %s is %s, and %s has no imaginary part", label, where, text,
                         drx_type_name(to));
    if (how == DRX_NEAREST)
        return drxi_fail(DRX_EMISMATCH, "%s: %s is %s, and no %s is the nearest to that", label, where, text,
                         drx_type_name(to));
    return drxi_fail(DRX_EMISMATCH, "%s: %s is %s, which %s does not hold", label, where, text, drx_type_name(to));
}
