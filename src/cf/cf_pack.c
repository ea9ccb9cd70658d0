/* Values as elements, and elements as values: scale_factor, add_offset, the fill, and the range of a type. */
#include "cf/cf.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { MOST_HALF = 65504 };
_Static_assert(LDBL_MANT_DIG >= 64, "a long double holds every int64 and uint64");

static const double whole_slack = 1e-9;

static double scale_of(const drx_cf *cf)
{
    return cf->scale_factor != 0 ? cf->scale_factor : 1;
}

/* Where the n low bytes of a number are, in the order of this machine. */
static void *low_bytes(uint64_t *bits, size_t n)
{
    return (uint8_t *)bits + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : sizeof *bits - n);
}

/* The element as a number, without scale and offset. */
static drxi_cf_real number_of(drx_type type, const void *element)
{
    const size_t bytes = drx_type_size(type);
    const unsigned unused = 64 - 8 * (unsigned)bytes;
    uint64_t bits = 0;
    union {
        float single;
        double twice;
    } real;

    memcpy(low_bytes(&bits, bytes), element, bytes);
    memcpy(&real, element, bytes);
    if (type == DRX_FLOAT16)
        return drxi_half_value((uint16_t)bits);
    if (type == DRX_FLOAT32)
        return real.single;
    if (type == DRX_FLOAT64)
        return real.twice;
    if (type == DRX_BOOL)
        return bits != 0;
    return type <= DRX_INT64 ? (drxi_cf_real)((int64_t)(bits << unused) >> unused) : (drxi_cf_real)bits;
}

/* Has the type such a large number? Sets the least and the greatest finite one. */
static bool is_in_range(const drx_cf *cf, drxi_cf_real number, drxi_cf_real *least, drxi_cf_real *most)
{
    const drx_type type = cf->type;
    const int bits = type == DRX_BOOL ? 1 : 8 * (int)drx_type_size(type);
    const bool is_signed = type <= DRX_INT64;

    if (drxi_cf_is_float(cf)) {
        *most = type == DRX_FLOAT16 ? MOST_HALF : type == DRX_FLOAT32 ? FLT_MAX : DBL_MAX;
        *least = -*most;
        return !isfinite(number) || fabsl(number) <= *most;
    }
    *most = ldexpl(1, bits - is_signed) - 1;
    *least = is_signed ? -*most - 1 : 0;
    return number >= *least && number <= *most;
}

/* Make an element of a number that is in the range of the type, and whole for integers. */
static void put_number(const drx_cf *cf, drxi_cf_real number, void *element)
{
    const drx_type type = cf->type;

    if (drxi_cf_is_float(cf)) {
        const uint16_t half = drxi_half_of((double)number);
        const float single = (float)number;
        const double twice = (double)number;

        memcpy(element,
               type == DRX_FLOAT16   ? (const void *)&half
               : type == DRX_FLOAT32 ? (const void *)&single
                                     : (const void *)&twice,
               drx_type_size(type));
    } else {
        uint64_t bits = number < 0 ? (uint64_t)(int64_t)number : (uint64_t)number;

        memcpy(element, low_bytes(&bits, drx_type_size(type)), drx_type_size(type));
    }
}

/* What stands for missing elements: _FillValue, and from k = 1 on the numbers of missing_value. NULL: there is none. */
static const void *mark_at(const drx_cf *cf, int32_t k, drx_type *type)
{
    *type = k > 0 ? cf->missing_type : cf->fill_type ? cf->fill_type : cf->type;
    return k == 0 ? cf->fill : (const char *)cf->missing + (size_t)(k - 1) * drx_type_size(*type);
}

/* Make an element of it. False: there is none, or the type does not have it. */
static bool put_mark(const drx_cf *cf, int32_t k, void *element)
{
    drx_type type;
    const void *mark = mark_at(cf, k, &type);
    drxi_cf_real number, least, most;

    if (!mark)
        return false;
    if (type == cf->type) {
        memcpy(element, mark, drx_type_size(type));
        return true;
    }
    number = number_of(type, mark);
    if (!is_in_range(cf, number, &least, &most) || (!drxi_cf_is_float(cf) && number != rintl(number)))
        return false;
    put_number(cf, number, element);
    return true;
}

static bool is_missing(const drx_cf *cf, drxi_cf_real number)
{
    for (int32_t k = 0; k <= cf->nmissing; k++) {
        drx_type type;
        const void *mark = mark_at(cf, k, &type);
        double element;

        if (mark && type != cf->type)
            mark = put_mark(cf, k, &element) ? &element : NULL;
        if (mark && number_of(cf->type, mark) == number)
            return true;
    }
    return false;
}

drxi_cf_real drxi_cf_unpack_one(const drx_cf *cf, const void *stored, int64_t i)
{
    const drxi_cf_real number = number_of(cf->type, (const char *)stored + (size_t)i * drx_type_size(cf->type));

    if (is_missing(cf, number))
        return NAN;
    return drxi_cf_is_packed(cf) ? number * scale_of(cf) + cf->add_offset : number;
}

drxi_cf_real drxi_cf_rounding(const drx_cf *cf, drxi_cf_real value)
{
    const bool packed = drxi_cf_is_packed(cf);
    const double epsilon = cf->type == DRX_FLOAT64 || !drxi_cf_is_float(cf) ? 4 * DBL_EPSILON : drxi_cf_epsilon(cf);

    if (!packed && !drxi_cf_is_float(cf))
        return fabsl(value) * LDBL_EPSILON;
    return (fabsl(value) + fabs(cf->add_offset)) * epsilon +
           (packed && !drxi_cf_is_float(cf) ? fabs(scale_of(cf)) / 2 : 0);
}

/* ---- packing ------------------------------------------------------------------------- */

static drx_status refuse_packing(const drx_cf *cf, drxi_cf_real value, int64_t i, const char *why)
{
    char text[DRX_CF_TEXT_BYTES];

    return drxi_fail(DRX_EMISMATCH, "%s: index %" PRId64 " is %s, %s", drxi_cf_label(cf), i,
                     drxi_cf_say(cf, value, text), why);
}

static drx_status too_large(const drx_cf *cf, drxi_cf_real value, int64_t i, drxi_cf_real least, drxi_cf_real most)
{
    const drxi_cf_real ends[] = { least * scale_of(cf) + cf->add_offset, most * scale_of(cf) + cf->add_offset };
    const bool falls = ends[0] > ends[1];
    char why[256];

    (void)snprintf(why, sizeof why, "which %s cannot hold%s; it holds %.15Lg to %.15Lg", drx_type_name(cf->type),
                   drxi_cf_is_packed(cf) ? " with this scale_factor and add_offset" : "", ends[falls], ends[!falls]);
    return refuse_packing(cf, value, i, why);
}

static drx_status pack_number(const drx_cf *cf, drxi_cf_real value, drxi_cf_real slack, int64_t i, void *element)
{
    const drxi_cf_real exact = drxi_cf_is_packed(cf) ? (value - cf->add_offset) / scale_of(cf) : value;
    const drxi_cf_real number = drxi_cf_is_float(cf) ? exact : rintl(exact);
    drxi_cf_real least, most;

    if (!is_in_range(cf, number, &least, &most))
        return too_large(cf, value, i, least, most);
    if (!drxi_cf_is_float(cf) && !drxi_cf_is_packed(cf) && fabsl(exact - number) > slack + whole_slack)
        return refuse_packing(
            cf, value, i,
            "not a whole number of its units, which an integer type needs; what begins with finer units, or "
            "with a floating-point type, can hold it");
    put_number(cf, number, element);
    return DRX_OK;
}

drx_status drxi_cf_pack_one(const drx_cf *cf, drxi_cf_real value, drxi_cf_real slack, int64_t i, void *stored)
{
    char *element = (char *)stored + (size_t)i * drx_type_size(cf->type);
    drx_status st;

    if (isnan(value)) {
        for (int32_t k = 0; k <= cf->nmissing; k++)
            if (put_mark(cf, k, element))
                return DRX_OK;
        if (!drxi_cf_is_float(cf))
            return refuse_packing(cf, value, i, "and without a _FillValue its integer type has no missing values");
        put_number(cf, NAN, element);
        return DRX_OK;
    }
    st = pack_number(cf, value, slack, i, element);
    if (!st && is_missing(cf, number_of(cf->type, element)))
        st = refuse_packing(cf, value, i, "which would be stored as the _FillValue or a missing_value, so as missing");
    return st;
}

drx_status drx_cf_unpack(const drx_cf *cf, int64_t n, const void *stored, double values[])
{
    const drx_status st = drxi_cf_check(cf);

    for (int64_t i = 0; !st && i < n; i++)
        values[i] = (double)drxi_cf_unpack_one(cf, stored, i);
    return st;
}

drx_status drx_cf_pack(const drx_cf *cf, int64_t n, const double values[], void *stored)
{
    drx_status st = drxi_cf_check(cf);

    for (int64_t i = 0; !st && i < n; i++)
        st = drxi_cf_pack_one(cf, values[i], 4 * DBL_EPSILON * fabs(values[i]), i, stored);
    return st;
}
