/* Conversion of elements against a plain model, which computes in long double: it holds every int64, uint64 and double
 * exactly. */
#include <math.h>

#include "base/base.h"
#include "drx_tools.h"
#include "testing.h"

enum { MOST = 1700, HALVES = 31744, INFINITE_HALF = 0x7c00 };

static const drx_type types[] = { DRX_INT8,      DRX_INT16,      DRX_INT32,   DRX_INT64,   DRX_UINT8,
                                  DRX_UINT16,    DRX_UINT32,     DRX_UINT64,  DRX_FLOAT32, DRX_FLOAT64,
                                  DRX_COMPLEX64, DRX_COMPLEX128, DRX_FLOAT16, DRX_BOOL };
enum { TYPES = sizeof types / sizeof *types };

static uint64_t seed;

struct number {
    long double part[2];
};

static bool is_complex(drx_type type)
{
    return type == DRX_COMPLEX64 || type == DRX_COMPLEX128;
}

static bool is_float(drx_type type)
{
    return type >= DRX_FLOAT32 && type <= DRX_FLOAT16;
}

static drx_type part_of(drx_type type)
{
    return type == DRX_COMPLEX64 ? DRX_FLOAT32 : type == DRX_COMPLEX128 ? DRX_FLOAT64 : type;
}

/* ---- the model ------------------------------------------------------------------------ */

static long double half_value(unsigned half)
{
    const unsigned exponent = half >> 10 & 31, mantissa = half & 1023;
    const long double size = exponent == 31 ? (mantissa ? NAN : INFINITY)
                             : exponent     ? ldexpl(1024 + mantissa, (int)exponent - 25)
                                            : ldexpl(mantissa, -24);

    return half & 0x8000 ? -size : size;
}

/* The nearest of all halves, by looking between which two of them the number is. */
static unsigned nearest_half(long double x)
{
    const unsigned sign = signbit(x) ? 0x8000 : 0;
    const long double size = fabsl(x);
    unsigned low = 0, high = HALVES;

    if (isnan(x))
        return INFINITE_HALF + 1;
    while (high - low > 1) { /* half_value(low) <= size; the number after the last one would be 65536 */
        const unsigned middle = (low + high) / 2;

        if (half_value(middle) <= size)
            low = middle;
        else
            high = middle;
    }
    if (high == HALVES)
        return sign | (size < 65520 ? low : INFINITE_HALF);
    if (half_value(high) - size < size - half_value(low) ||
        (half_value(high) - size == size - half_value(low) && low % 2 == 1))
        low = high;
    return sign | low;
}

static struct number number_of(drx_type type, const void *element)
{
    struct number x = { { 0, 0 } };
    float f[2];
    double d[2];
    uint16_t half;

    if (type == DRX_FLOAT16) {
        memcpy(&half, element, sizeof half);
        x.part[0] = half_value(half);
    } else if (part_of(type) == DRX_FLOAT32) {
        memcpy(f, element, drx_type_size(type));
        x.part[0] = f[0];
        x.part[1] = is_complex(type) ? f[1] : 0;
    } else if (part_of(type) == DRX_FLOAT64) {
        memcpy(d, element, drx_type_size(type));
        x.part[0] = d[0];
        x.part[1] = is_complex(type) ? d[1] : 0;
    } else {
        const size_t bytes = drx_type_size(type);
        uint64_t bits = 0;

        memcpy((uint8_t *)&bits + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 8 - bytes), element, bytes);
        if (type == DRX_BOOL)
            x.part[0] = bits != 0;
        else if (type <= DRX_INT64)
            x.part[0] = (int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes);
        else
            x.part[0] = bits;
    }
    return x;
}

/* A real number as an element; false: it does not fit. */
static bool store_part(long double x, drx_type type, bool exact, uint8_t *out)
{
    const int bits = (int)drx_type_size(type) * 8;
    const long double over = ldexpl(1, bits - (type <= DRX_INT64)), least = type <= DRX_INT64 ? -over : 0;
    const long double whole = rintl(x);
    const float f = (float)x;
    const double d = (double)x;
    const uint16_t half = (uint16_t)nearest_half(x);
    uint64_t kept;

    switch (type) {
    case DRX_FLOAT16:
        memcpy(out, &half, sizeof half);
        return !exact || isnan(x) || half_value(half) == x;
    case DRX_FLOAT32:
        memcpy(out, &f, sizeof f);
        return !exact || isnan(x) || f == x;
    case DRX_FLOAT64:
        memcpy(out, &d, sizeof d);
        return !exact || isnan(x) || d == x;
    case DRX_BOOL:
        *out = x != 0;
        return !isnan(x) && (!exact || x == 0 || x == 1);
    default:
        break;
    }
    if (isnan(x) || (exact && (whole != x || x < least || x >= over)))
        return false;
    if (whole < least)
        kept = type <= DRX_INT64 ? (uint64_t)1 << (bits - 1) : 0;
    else if (whole >= over)
        kept = type <= DRX_INT64 ? ((uint64_t)1 << (bits - 1)) - 1 : UINT64_MAX;
    else
        kept = whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole;
    memcpy(out, (uint8_t *)&kept + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 8 - bits / 8), (size_t)bits / 8);
    return true;
}

static bool store(const struct number *x, drx_type type, bool exact, uint8_t *out)
{
    const size_t bytes = drx_type_size(part_of(type));

    if (!is_complex(type))
        return x->part[1] == 0 && store_part(x->part[0], type, exact, out);
    return store_part(x->part[0], part_of(type), exact, out) &&
           store_part(x->part[1], part_of(type), exact, out + bytes);
}

/* Equal bits, or both NaN. */
static bool same(drx_type type, const uint8_t *a, const uint8_t *b)
{
    const struct number x = number_of(type, a), y = number_of(type, b);

    if (memcmp(a, b, drx_type_size(type)) == 0)
        return true;
    for (int i = 0; i < 2; i++)
        if (!(isnan(x.part[i]) && isnan(y.part[i])) &&
            (x.part[i] != y.part[i] || signbit(x.part[i]) != signbit(y.part[i])))
            return false;
    return is_float(type);
}

/* ---- elements -------------------------------------------------------------------------- */

static const double edges[] = {
    0.0,
    -0.0,
    0.5,
    -0.5,
    1,
    -1,
    1.5,
    2.5,
    -2.5,
    3.5,
    126.5,
    127,
    127.5,
    128,
    -128,
    -128.5,
    -129,
    254.5,
    255,
    255.5,
    256,
    32767,
    32767.5,
    32768,
    -32768,
    -32769,
    65535,
    65535.5,
    65536,
    65504,
    65519.9,
    65520,
    65521,
    -65520,
    0x1p-24,
    0x1p-25,
    0x1.8p-25,
    0x1.8p-24,
    0x1p-14,
    0x1.ffcp-15,
    0x1.ffep-15,
    2147483647,
    2147483647.5,
    2147483648.0,
    -2147483648.0,
    -2147483649.0,
    4294967295.0,
    4294967295.5,
    4294967296.0,
    0x1p24,
    0x1.000002p24,
    0x1.000001p24,
    0x1p53,
    0x1p53 + 2,
    -0x1p53,
    0x1p62,
    0x1p63,
    -0x1p63,
    -0x1.0000000000001p63,
    0x1.fffffffffffffp62,
    0x1p64,
    0x1.fffffffffffffp63,
    1e300,
    -1e300,
    3.4028234e38,
    3.4028236e38,
    0x1.ffffffp127,
    1e-300,
    1e-40,
    1e-46,
    5e-324,
    INFINITY,
    -INFINITY,
    NAN,
    1024.5,
    1025.5,
    2049,
    2051,
    0.1,
    273.15,
};
static const int64_t wholes[] = {
    0,
    1,
    2,
    127,
    128,
    255,
    256,
    32767,
    32768,
    65504,
    65519,
    65520,
    65535,
    65536,
    2047,
    2049,
    2051,
    16777216,
    16777217,
    16777219,
    2147483647,
    2147483648,
    4294967295,
    4294967296,
    1L << 53,
    (1L << 53) + 1,
    (1L << 53) + 3,
    1L << 62,
    INT64_MAX,
    INT64_MAX - 1,
    -1,
    -128,
    -129,
    -32768,
    -32769,
    -2147483648,
    -2147483649,
    INT64_MIN,
    INT64_MIN + 1,
    -((1L << 53) + 1),
    INT64_MAX - 512,
    INT64_MAX - 511,
};
enum { EDGES = sizeof edges / sizeof *edges, WHOLES = sizeof wholes / sizeof *wholes };

/* An edge, a small number, or random bits. */
static void make_element(drx_type type, uint8_t *out)
{
    const drx_type part = part_of(type);
    const size_t bytes = drx_type_size(part);
    uint64_t bits;

    if (is_complex(type)) {
        make_element(part, out);
        make_element(part, out + bytes);
        if (random_below(&seed, 2))
            memset(out + bytes, 0, bytes);
        return;
    }
    switch (random_below(&seed, 4)) {
    case 0:
        bits = random_next(&seed);
        memcpy(out, &bits, bytes);
        if (type == DRX_BOOL && random_below(&seed, 4))
            *out &= 1;
        return;
    case 1:
        (void)store_part((long double)random_below(&seed, 400) - 130, type, false, out);
        return;
    case 2: /* of integers the bits, so that also large unsigned ones come */
        bits = (uint64_t)wholes[random_below(&seed, WHOLES)];
        if (!is_float(type) && type != DRX_BOOL)
            memcpy(out, (uint8_t *)&bits + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 8 - bytes), bytes);
        else
            (void)store_part((long double)(int64_t)bits, type, false, out);
        return;
    default:
        if (!store_part(edges[random_below(&seed, EDGES)], type, false, out))
            memset(out, 0, bytes);
    }
}

static uint8_t in[16 * MOST], out[16 * MOST];

/* How many elements convert before the first that does not; compares those that were converted. */
static int64_t compare(drx_type from, drx_type to, drx_conversion how, int64_t n)
{
    const size_t item[] = { drx_type_size(from), drx_type_size(to) };
    int64_t i;

    for (i = 0; i < n; i++) {
        const struct number x = number_of(from, in + (size_t)i * item[0]);
        uint8_t expected[16];

        if (!store(&x, to, how == DRX_EXACT, expected))
            return i;
        if (from == DRX_BOOL && to == DRX_BOOL)
            expected[0] = in[i]; /* no conversion */
        if (!same(to, expected, out + (size_t)i * item[1])) {
            print_error("%s %.21Lg%+.21Lgj to %s: %.21Lg\n", drx_type_name(from), x.part[0], x.part[1],
                        drx_type_name(to), number_of(to, out + (size_t)i * item[1]).part[0]);
            return -1;
        }
    }
    return n;
}

static void check(drx_type from, drx_type to, drx_conversion how, int64_t n)
{
    const drx_status st = drx_convert(from, in, to, out, n, how);
    const int64_t good = from == to ? n : compare(from, to, how, n);
    char where[64];

    if ((st == DRX_OK) != (good == n))
        print_error("%s to %s, how %d, element %lld of %lld\n", drx_type_name(from), drx_type_name(to), (int)how,
                    (long long)good, (long long)n);
    assert_true(good >= 0);
    assert_status(st, good == n ? DRX_OK : DRX_EMISMATCH);
    if (from == to)
        assert_memory_equal(in, out, (size_t)n * drx_type_size(to));
    if (st) {
        (void)snprintf(where, sizeof where, "element %lld is ", (long long)good);
        assert_detail(where);
        assert_detail(drx_type_name(to));
    }
}

/* ---- the tests ------------------------------------------------------------------------- */

TEST(every_edge)
{
    seed = starting_seed(0);
    for (int f = 0; f < TYPES; f++)
        for (int t = 0; t < TYPES; t++)
            for (int how = DRX_EXACT; how <= DRX_NEAREST; how++) {
                for (int i = 0; i < EDGES; i++) {
                    memset(in, 0, 16);
                    if (store_part(edges[i], part_of(types[f]), false, in))
                        check(types[f], types[t], how, 1);
                }
                for (int i = 0; i < WHOLES; i++) {
                    const uint64_t bits = (uint64_t)wholes[i];

                    memset(in, 0, 16);
                    if (is_float(types[f]) || types[f] == DRX_BOOL)
                        (void)store_part((long double)wholes[i], part_of(types[f]), false, in);
                    else
                        memcpy(in, &bits, drx_type_size(types[f])); /* the low bytes, on most machines */
                    check(types[f], types[t], how, 1);
                }
            }
}

TEST(lists)
{
    seed = starting_seed(0);
    for (int f = 0; f < TYPES; f++)
        for (int t = 0; t < TYPES; t++)
            for (int round = 0; round < 8; round++) {
                const drx_conversion how = round % 2 ? DRX_EXACT : DRX_NEAREST;
                const int64_t n = random_below(&seed, round < 4 ? 9 : MOST) + 1;
                const size_t item = drx_type_size(types[f]);

                for (int64_t i = 0; i < n; i++) {
                    uint8_t stored[16];
                    struct number x;

                    do { /* few of them do not fit, so that long lists convert, too */
                        make_element(types[f], in + (size_t)i * item);
                        x = number_of(types[f], in + (size_t)i * item);
                    } while (random_below(&seed, 2000) > 0 && !store(&x, types[t], how == DRX_EXACT, stored));
                }
                check(types[f], types[t], how, n);
            }
}

/* Every half is a double and a float; and of the numbers between them the nearest one is taken. */
TEST(every_half)
{
    for (unsigned half = 0; half < 65536; half++) {
        const uint16_t given = (uint16_t)half;
        double d, between;
        float f;
        uint16_t back;

        assert_ok(drx_convert(DRX_FLOAT16, &given, DRX_FLOAT64, &d, 1, DRX_EXACT));
        assert_ok(drx_convert(DRX_FLOAT16, &given, DRX_FLOAT32, &f, 1, DRX_EXACT));
        assert_true(isnan(d) ? isnan(f) && isnan(half_value(half)) : d == half_value(half) && f == half_value(half));
        assert_ok(drx_convert(DRX_FLOAT64, &d, DRX_FLOAT16, &back, 1, DRX_EXACT));
        assert_true(isnan(d) ? isnan(half_value(back)) : back == half);
        if (!isfinite(d))
            continue;
        for (int k = -4; k <= 4; k++) {
            between = nextafter(d + k * ldexp(1, ilogb(d == 0 ? 1 : d) - 13), k < 0 ? -INFINITY : INFINITY);
            assert_ok(drx_convert(DRX_FLOAT64, &between, DRX_FLOAT16, &back, 1, DRX_NEAREST));
            assert_int_equal(back, nearest_half(between));
        }
    }
}

TEST(refusals)
{
    const double nan = NAN, z[2] = { 1, 2 };
    const float large = 3e38f;
    const uint8_t two = 2;
    uint8_t byte = 9;
    double d;
    uint16_t half;

    assert_status(drx_convert(DRX_FLOAT64, &nan, DRX_INT8, &byte, 1, DRX_NEAREST), DRX_EMISMATCH);
    assert_detail("drx_convert: element 0 is nan, and no int8 is the nearest to that");
    assert_status(drx_convert(DRX_FLOAT64, &nan, DRX_BOOL, &byte, 1, DRX_NEAREST), DRX_EMISMATCH);
    assert_status(drx_convert(DRX_COMPLEX128, z, DRX_FLOAT64, &d, 1, DRX_NEAREST), DRX_EMISMATCH);
    assert_detail("element 0 is 1+2j, and float64 has no imaginary part");
    assert_status(drx_convert(DRX_FLOAT32, &large, DRX_FLOAT16, &half, 1, DRX_EXACT), DRX_EMISMATCH);
    assert_detail("is 3e+38, which float16 does not hold");
    assert_ok(drx_convert(DRX_FLOAT32, &large, DRX_FLOAT16, &half, 1, DRX_NEAREST));
    assert_int_equal(half, INFINITE_HALF);
    assert_ok(drx_convert(DRX_BOOL, &two, DRX_UINT8, &byte, 1, DRX_EXACT)); /* any byte but 0 is true */
    assert_int_equal(byte, 1);
    assert_status(drx_convert((drx_type)15, &two, DRX_UINT8, &byte, 1, DRX_EXACT), DRX_EINVAL);
    assert_detail("there is no type 15 to convert from");
    assert_status(drx_convert(DRX_UINT8, &two, (drx_type)0, &byte, 1, DRX_EXACT), DRX_EINVAL);
    assert_status(drx_convert(DRX_UINT8, &two, DRX_INT8, &byte, 1, (drx_conversion)2), DRX_EINVAL);
    assert_status(drx_convert(DRX_UINT8, NULL, DRX_INT8, &byte, 1, DRX_EXACT), DRX_EINVAL);
    assert_status(drx_convert(DRX_UINT8, &two, DRX_INT8, &byte, -1, DRX_EXACT), DRX_EINVAL);
    assert_ok(drx_convert(DRX_UINT8, NULL, DRX_INT8, NULL, 0, DRX_EXACT));
}
