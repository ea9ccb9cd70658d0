/* Rounding to fewer bits: one element at a time against netCDF's arithmetic written plainly, and in copies. */
#include <math.h>
#include <string.h>

#include "drx_tools.h"
#include "testing.h"

static uint64_t seed = 1;

static uint64_t draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return seed ^ seed >> 29;
}

/* BitRound by arithmetic: scale so that the kept bits are an integer, and round it, away from zero when between. */
static double plain(double x, int bits)
{
    int exponent;
    const double m = frexp(x, &exponent); /* 0.5 <= |m| < 1 */

    return ldexp(round(ldexp(m, bits + 1)), exponent - bits - 1);
}

TEST(floats)
{
    for (int i = 0; i < 100000; i++) {
        const int bits = 1 + (int)(draw() % 22);
        const uint32_t pattern = (uint32_t)draw();
        float x, y;

        memcpy(&x, &pattern, sizeof x);
        if (!isnormal(x) || fabsf(x) > 1e38f)
            continue;
        y = x;
        assert_int_equal(drx_keep_bits(DRX_FLOAT32, bits, NULL, 1, &y, NULL), DRX_OK);
        assert_true(y == (float)plain(x, bits));
    }
}

TEST(doubles)
{
    for (int i = 0; i < 100000; i++) {
        const int bits = 1 + (int)(draw() % 51);
        const uint64_t pattern = draw();
        double x, y;

        memcpy(&x, &pattern, sizeof x);
        if (!isnormal(x) || fabs(x) > 1e300 || fabs(x) < 1e-300)
            continue;
        y = x;
        assert_int_equal(drx_keep_bits(DRX_FLOAT64, bits, NULL, 1, &y, NULL), DRX_OK);
        assert_true(y == plain(x, bits));
    }
}

TEST(no_numbers_stay)
{
    float x[] = { NAN, INFINITY, -INFINITY, 0, -0.0f, 3.4028235e38f };
    uint32_t all_ones = 0x7fffffff, after; /* a NaN that would turn into -0 */

    assert_int_equal(drx_keep_bits(DRX_FLOAT32, 3, NULL, 6, x, NULL), DRX_OK);
    assert_true(isnan(x[0]) && x[1] == INFINITY && x[2] == -INFINITY && x[3] == 0 && signbit(x[4]));
    assert_true(isfinite(x[5]) && x[5] > 3e38f);
    memcpy(x, &all_ones, sizeof all_ones);
    assert_int_equal(drx_keep_bits(DRX_FLOAT32, 3, NULL, 1, x, NULL), DRX_OK);
    memcpy(&after, x, sizeof after);
    assert_int_equal(after, all_ones);
}

TEST(what_it_tells)
{
    double x[] = { 1.0625, -17, 1e20, 0 };
    const double skip = 1e20;
    drx_rounding told = { 0 };

    assert_int_equal(drx_keep_bits(DRX_FLOAT64, 3, &skip, 4, x, &told), DRX_OK);
    assert_true(x[0] == 1.125 && x[1] == -18 && x[2] == 1e20 && x[3] == 0); /* both between two: away from zero */
    assert_true(told.largest == 1 && fabs(told.relative - 1 / 17.0) < 1e-15);
}

TEST(complex_numbers)
{
    double z[] = { 1.0625, -17, 1e20, 1.0625, 1e20, 1e20 };
    const double skip[] = { 1e20, 1e20 };

    assert_int_equal(drx_keep_bits(DRX_COMPLEX128, 3, skip, 3, z, NULL), DRX_OK);
    assert_true(z[0] == 1.125 && z[1] == -18 && z[2] != 1e20 && z[3] == 1.125 && z[4] == 1e20 && z[5] == 1e20);
}

TEST(refusals)
{
    float x = 1;

    assert_int_equal(drx_keep_bits(DRX_FLOAT32, 0, NULL, 1, &x, NULL), DRX_EINVAL);
    assert_int_equal(drx_keep_bits(DRX_FLOAT32, 24, NULL, 1, &x, NULL), DRX_EINVAL);
    assert_int_equal(drx_keep_bits(DRX_INT32, 3, NULL, 1, &x, NULL), DRX_EINVAL);
    assert_int_equal(drx_keep_bits((drx_type)77, 3, NULL, 1, &x, NULL), DRX_EINVAL);
    assert_int_equal(drx_keep_bits(DRX_FLOAT32, 3, NULL, 1, NULL, NULL), DRX_EINVAL);
    assert_int_equal(drx_keep_bits(DRX_FLOAT32, 3, NULL, -1, &x, NULL), DRX_EINVAL);
}

enum { EXTENT = 40, ELEMENTS = EXTENT * EXTENT };

/* A copy of an array whose indices begin at `first` is rounded but for its fill, whichever way it is made. */
static void copy_from(int64_t first)
{
    const int64_t lower[] = { first, 0 }, shape[] = { EXTENT, EXTENT }, chunk[] = { 7, 9 }, other[] = { 16, 4 };
    const float fill = -999.123f;
    const drx_spec spec = {
        .ndim = 2, .type = DRX_FLOAT32, .shape = shape, .chunk = chunk, .lower = lower, .fill = &fill
    };
    static float from[ELEMENTS], to[ELEMENTS];
    drx_rounding told = { 0 };
    const drx_copy_spec how = { .chunk = other, .keep_bits = 5, .rounding = &told, .memory_bytes = 1 << 20 };
    drx_array *a, *b;

    for (int i = 0; i < ELEMENTS; i++)
        from[i] = i % 7 == 0 ? fill : (float)(draw() % 100000) / 97;
    assert_ok(drx_create(NULL, &spec, &a));
    assert_ok(drx_write(a, lower, shape, DRX_ROW_MAJOR, from));
    assert_ok(drx_copy(a, NULL, &how, &b));
    assert_ok(drx_read(b, lower, shape, DRX_ROW_MAJOR, to));
    for (int i = 0; i < ELEMENTS; i++)
        assert_true(to[i] == (from[i] == fill || from[i] == 0 ? from[i] : (float)plain(from[i], 5)));
    assert_true(told.relative > 0 && told.relative <= ldexp(1, -6) && told.largest > 0);
    assert_ok(drx_close(b));
    assert_ok(drx_close(a));
}

/* A tie goes away from zero, and nothing becomes infinite. */
TEST(halves)
{
    drx_rounding told = { 0 };
    double from[] = { 1.2345, -1.2345, 65504, 0x1p-24, INFINITY, 1 + 0x1p-5, 0 }, to[7];
    const double expected[] = { 1.25, -1.25, 63488, 0, INFINITY, 1 + 0x1p-4, 0 };
    uint16_t half[7];

    assert_ok(drx_convert(DRX_FLOAT64, from, DRX_FLOAT16, half, 7, DRX_NEAREST));
    assert_int_equal(drx_keep_bits(DRX_FLOAT16, 4, NULL, 7, half, &told), DRX_OK);
    assert_ok(drx_convert(DRX_FLOAT16, half, DRX_FLOAT64, to, 7, DRX_EXACT));
    for (int i = 0; i < 7; i++)
        assert_true(to[i] == expected[i]);
    assert_true(told.largest == 2016);
    assert_int_equal(drx_keep_bits(DRX_FLOAT16, 11, NULL, 7, half, NULL), DRX_EINVAL);
    assert_non_null(strstr(drx_last_error(), "expected 1 to 10 for float16"));
    assert_int_equal(drx_keep_bits(DRX_BOOL, 1, NULL, 7, half, NULL), DRX_EINVAL);
}

TEST(copies)
{
    copy_from(0);
    copy_from(-3);
}

/* What a target has outside its bounds is fill, and stays so. */
TEST(copies_into_other_fill)
{
    const int64_t zero = 0, shape = 5, chunk = 4, grown = 8;
    const float fill = 0.1f, from[] = { 1, 2, 3, 4, 5.01f };
    drx_spec spec = { .ndim = 1, .type = DRX_FLOAT32, .shape = &shape, .chunk = &chunk };
    float to[8];
    drx_array *a, *b;

    assert_ok(drx_create(NULL, &spec, &a));
    assert_ok(drx_write(a, &zero, &shape, DRX_ROW_MAJOR, from));
    spec.fill = &fill;
    assert_ok(drx_create(NULL, &spec, &b));
    assert_ok(drx_copy_into(a, b, &(drx_copy_spec){ .keep_bits = 3 }));
    assert_ok(drx_extend(b, 0, grown - shape));
    assert_ok(drx_read(b, &zero, &grown, DRX_ROW_MAJOR, to));
    for (int i = 0; i < grown; i++)
        assert_true(to[i] == (i < shape ? (float)plain(from[i], 3) : fill));
    assert_ok(drx_close(b));
    assert_ok(drx_close(a));
}

/* Many more parts than there are chunks, where no plan shares them out. */
TEST(many_parts)
{
    const int64_t lower = -3, shape = 20, chunk = 4;
    const drx_spec spec = { .ndim = 1, .type = DRX_FLOAT32, .shape = &shape, .chunk = &chunk, .lower = &lower };
    float from[20], to[20];
    drx_array *a, *b;

    for (int i = 0; i < shape; i++)
        from[i] = (float)i;
    assert_ok(drx_create(NULL, &spec, &a));
    assert_ok(drx_create(NULL, &spec, &b));
    assert_ok(drx_write(a, &lower, &shape, DRX_ROW_MAJOR, from));
    for (int part = 0; part < 10; part++) /* the others have nothing to do */
        assert_ok(drx_copy_into(a, b, &(drx_copy_spec){ .part = part, .parts = 4000 }));
    assert_ok(drx_read(b, &lower, &shape, DRX_ROW_MAJOR, to));
    assert_memory_equal(to, from, sizeof from);
    assert_ok(drx_close(b));
    assert_ok(drx_close(a));
}

TEST(copies_that_cannot)
{
    const int64_t shape[] = { 3 };
    drx_spec spec = { .ndim = 1, .type = DRX_INT16, .shape = shape };
    drx_array *a, *b;

    assert_ok(drx_create(NULL, &spec, &a));
    assert_int_equal(drx_copy(a, NULL, &(drx_copy_spec){ .keep_bits = 5 }, &b), DRX_EINVAL);
    assert_non_null(strstr(drx_last_error(), "int16"));
    assert_ok(drx_close(a));
    spec.type = DRX_FLOAT32;
    assert_ok(drx_create(NULL, &spec, &a));
    assert_int_equal(drx_copy(a, NULL, &(drx_copy_spec){ .keep_bits = 24 }, &b), DRX_EINVAL);
    assert_ok(drx_close(a));
}
