/* Numbers of IEEE 754 in 16 bits, by the bits of a double: every one of them is a double, too. */
#include "base/base.h"

enum { FEWER = 52 - 10 }; /* bits of the mantissa than a double has */

#define SIGN (UINT64_C(1) << 63)
#define INFINITE (UINT64_C(0x7ff) << 52)
#define OVERFLOWS UINT64_C(0x40effe0000000000) /* 65520, from which on numbers are rounded to infinity */
#define NORMAL UINT64_C(0x3f10000000000000)    /* 2^-14 */
#define STEP_OF_SMALL 0x1p28                   /* doubles from here on are 2^-24 apart, as the smallest numbers are */

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

double drxi_half_value(uint16_t half)
{
    const uint64_t sign = (uint64_t)(half & 0x8000) << 48, mantissa = half & 0x3ff;
    const unsigned exponent = half >> 10 & 0x1f;
    const double small = (double)mantissa * 0x1p-24;

    if (exponent == 0x1f)
        return of_bits(sign | INFINITE | mantissa << FEWER);
    if (exponent == 0)
        return sign ? -small : small;
    return of_bits(sign | (uint64_t)(exponent + 1023 - 15) << 52 | mantissa << FEWER);
}

uint16_t drxi_half_of(double x)
{
    const uint64_t bits = bits_of(x), size = bits & ~SIGN;
    const unsigned sign = (unsigned)(bits >> 48) & 0x8000;
    uint64_t rounded;

    if (size > INFINITE) /* a NaN stays one */
        return (uint16_t)(sign | 0x7e00 | (size >> FEWER & 0x3ff));
    if (size >= OVERFLOWS)
        return (uint16_t)(sign | 0x7c00);
    if (size < NORMAL)
        return (uint16_t)(sign | (bits_of(of_bits(size) + STEP_OF_SMALL) - bits_of(STEP_OF_SMALL)));
    rounded = size + ((UINT64_C(1) << (FEWER - 1)) - 1) + (size >> FEWER & 1); /* a tie goes to the even one */
    return (uint16_t)(sign | ((rounded >> FEWER) - ((uint64_t)(1023 - 15) << 10)));
}
