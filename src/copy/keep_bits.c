/* Rounds elements to fewer bits of their mantissas, as netCDF's BitRound does: half of the last kept bit is added to
 * the magnitude, and the bits below are cleared. So a tie goes away from zero. */
#include "copy/copy.h"

enum { HALF_BITS = 10, FLOAT_BITS = 23, DOUBLE_BITS = 52 }; /* stored mantissas */

static drx_type real_part(drx_type type)
{
    switch (type) {
    case DRX_FLOAT16:
        return DRX_FLOAT16;
    case DRX_FLOAT32:
    case DRX_COMPLEX64:
        return DRX_FLOAT32;
    case DRX_FLOAT64:
    case DRX_COMPLEX128:
        return DRX_FLOAT64;
    default:
        return (drx_type)0;
    }
}

int drxi_keep_bits_most(drx_type type)
{
    const drx_type part = real_part(type);

    return part == DRX_FLOAT16 ? HALF_BITS : part == DRX_FLOAT32 ? FLOAT_BITS : part == DRX_FLOAT64 ? DOUBLE_BITS : 0;
}

static void note_error(drx_rounding *told, double from, double to)
{
    const double error = from < to ? to - from : from - to;
    const double size = from < 0 ? -from : from;

    if (error > told->largest)
        told->largest = error;
    if (error > told->relative * size)
        told->relative = error / size;
}

/* What has all bits of the exponent set is no number, and stays; so does a number that would become infinite, but for
 * the bits below. */
static uint16_t round_half(uint16_t x, int dropped)
{
    const unsigned mask = ~0U << dropped, exponent = 0x1fU << HALF_BITS;
    const unsigned rounded = (x + (1U << (dropped - 1))) & mask;

    if ((x & exponent) == exponent)
        return x;
    return (uint16_t)((rounded & exponent) == exponent ? x & mask : rounded);
}

static uint32_t round_float(uint32_t x, int dropped)
{
    const uint32_t mask = ~UINT32_C(0) << dropped, exponent = UINT32_C(0xff) << FLOAT_BITS;
    const uint32_t rounded = (x + (UINT32_C(1) << (dropped - 1))) & mask;

    if ((x & exponent) == exponent)
        return x;
    return (rounded & exponent) == exponent ? x & mask : rounded;
}

static uint64_t round_double(uint64_t x, int dropped)
{
    const uint64_t mask = ~UINT64_C(0) << dropped, exponent = UINT64_C(0x7ff) << DOUBLE_BITS;
    const uint64_t rounded = (x + (UINT64_C(1) << (dropped - 1))) & mask;

    if ((x & exponent) == exponent)
        return x;
    return (rounded & exponent) == exponent ? x & mask : rounded;
}

static void keep_half(const struct drxi_keep *k, uint8_t *x)
{
    uint16_t before, after;

    memcpy(&before, x, sizeof before);
    after = round_half(before, HALF_BITS - k->bits);
    memcpy(x, &after, sizeof after);
    if (before != after)
        note_error(k->told, drxi_half_value(before), drxi_half_value(after));
}

static void keep_float(const struct drxi_keep *k, float *x)
{
    const float before = *x;
    uint32_t bits;

    memcpy(&bits, x, sizeof bits);
    bits = round_float(bits, FLOAT_BITS - k->bits);
    memcpy(x, &bits, sizeof bits);
    if (before != *x)
        note_error(k->told, before, *x);
}

static void keep_double(const struct drxi_keep *k, double *x)
{
    const double before = *x;
    uint64_t bits;

    memcpy(&bits, x, sizeof bits);
    bits = round_double(bits, DOUBLE_BITS - k->bits);
    memcpy(x, &bits, sizeof bits);
    if (before != *x)
        note_error(k->told, before, *x);
}

void drxi_keep_bits(const struct drxi_keep *k, int64_t n, void *elements)
{
    const drx_type of = real_part(k->type);
    const size_t bytes = drx_type_size(k->type), part = drx_type_size(of);
    uint8_t *element = elements;

    if (k->bits >= drxi_keep_bits_most(k->type))
        return;
    for (int64_t i = 0; i < n; i++, element += bytes) {
        if (k->skip && memcmp(element, k->skip, bytes) == 0)
            continue;
        for (size_t at = 0; at < bytes; at += part)
            if (of == DRX_FLOAT16)
                keep_half(k, element + at);
            else if (of == DRX_FLOAT32)
                keep_float(k, (float *)(void *)(element + at));
            else
                keep_double(k, (double *)(void *)(element + at));
    }
}

drx_status drxi_check_keep_bits(const char *label, drx_type type, int bits)
{
    const int most = drxi_keep_bits_most(type);

    if (most == 0)
        return drxi_fail(DRX_EINVAL, "%s: keep_bits rounds floating-point elements, and these are %s", label,
                         drx_type_name(type));
    if (bits < 1 || bits > most)
        return drxi_fail(DRX_EINVAL, "%s: keep_bits is %d, expected 1 to %d for %s", label, bits, most,
                         drx_type_name(type));
    return DRX_OK;
}

drx_status drx_keep_bits(drx_type type, int bits, const void *skip, int64_t n, void *elements, drx_rounding *told)
{
    drx_rounding unheard = { 0 };
    const struct drxi_keep k = { type, bits, skip, told ? told : &unheard };
    drx_status st;

    if (drx_type_size(type) == 0)
        return drxi_fail(DRX_EINVAL, "drx_keep_bits: there is no type %d", (int)type);
    st = drxi_check_keep_bits("drx_keep_bits", type, bits);
    if (!st && (n < 0 || (n > 0 && !elements)))
        st = drxi_fail(DRX_EINVAL, "drx_keep_bits: n is %lld, or elements a null pointer", (long long)n);
    if (!st)
        drxi_keep_bits(&k, n, elements);
    return st;
}
