/* The coordinate nearest to a value, against a search that looks at all of them. */
#include <math.h>

#include "drx_cf.h"
#include "testing.h"

enum { MOST = 60 };

static uint64_t seed;

static double distance(const drx_cf *cf, double a, double b)
{
    const double d = fabs(a - b);

    return cf->units && strcmp(cf->units, "degrees_east") == 0 ? fmin(fmod(d, 360), 360 - fmod(d, 360)) : d;
}

/* What plain looking finds; of two equally near the larger. */
static int64_t plain(const drx_cf *cf, int64_t n, const double values[], double value)
{
    int64_t best = 0;

    for (int64_t i = 1; i < n; i++) {
        const double better = distance(cf, values[best], value) - distance(cf, values[i], value);

        if (better > 0 || (better == 0 && values[i] > values[best]))
            best = i;
    }
    return best;
}

/* Steps are multiples of 1/4, so that all distances are exact. */
TEST(random_coordinates)
{
    seed = starting_seed(0);
    for (int round = 0; round < 3000; round++) {
        const bool circle = round % 3 == 0, falls = random_below(&seed, 2), even = random_below(&seed, 2);
        const drx_cf cf = { .type = DRX_FLOAT64, .name = "x", .units = circle ? "degrees_east" : "m" };
        const int64_t n = 1 + random_below(&seed, MOST), step = 1 + random_below(&seed, 16);
        double values[MOST], at = (double)(random_below(&seed, 2000) - 1000) / 4;

        for (int64_t i = 0; i < n; i++) {
            values[falls ? n - 1 - i : i] = at;
            at += (double)(even ? step : 1 + random_below(&seed, step)) / 4;
        }
        for (int k = 0; k < 20; k++) {
            const double value =
                circle && n * step > 4 * 360 ? values[0] : (double)(random_below(&seed, 8000) - 4000) / 8;
            const int64_t expected = plain(&cf, n, values, value);
            const double far = distance(&cf, values[expected], value);
            int64_t index = -1;

            assert_ok(drx_cf_nearest(&cf, n, values, value, -1, &index));
            assert_true(distance(&cf, values[index], value) == far);
            if (!circle) /* two that are equally near on a circle may be a turn apart */
                assert_int_equal(index, expected);
            assert_ok(drx_cf_nearest(&cf, n, values, value, far, &index));
            if (far > 0) {
                index = -7;
                assert_status(drx_cf_nearest(&cf, n, values, value, far * 0.99, &index), DRX_ERANGE);
                assert_detail("the tolerance is");
                assert_int_equal(index, -7);
            }
        }
    }
}

TEST(longitudes)
{
    static const char *const words[] = {
        "degrees_east", "degree_east", "degree_E", "degrees_E", "degreeE", "degreesE"
    };
    const float lon[] = { 0, 90, 180, 270 };
    drx_cf cf = { .type = DRX_FLOAT32, .name = "lon" };
    int64_t index;

    for (int i = 0; i < 6; i++) {
        cf.units = words[i];
        assert_ok(drx_cf_nearest(&cf, 4, lon, -95, 5, &index));
        assert_int_equal(index, 3);
        assert_ok(drx_cf_nearest(&cf, 4, lon, 359, 1, &index));
        assert_int_equal(index, 0);
        assert_ok(drx_cf_nearest(&cf, 4, lon, -540, 0, &index));
        assert_int_equal(index, 2);
    }
    cf.units = "degrees_north";
    assert_status(drx_cf_nearest(&cf, 4, lon, 359, 1, &index), DRX_ERANGE);
    assert_detail("lon: the nearest to 359 is 270, at index 3, which is 89 away; the tolerance is 1");
}

TEST(refusals)
{
    const double unordered[] = { 0, 1, 1, 2 }, turning[] = { 3, 2, 4 }, gap[] = { 0, NAN, 2 };
    const double z[] = { 1, 0 };
    drx_cf cf = { .type = DRX_FLOAT64, .name = "lat" };
    int64_t index = 5;

    assert_status(drx_cf_nearest(&cf, 4, unordered, 1, -1, &index), DRX_EMISMATCH);
    assert_detail("lat: index 2 is 1, after 1; the coordinates must all rise, or all fall");
    assert_status(drx_cf_nearest(&cf, 3, turning, 1, -1, &index), DRX_EMISMATCH);
    assert_detail("index 2 is 4, after 2");
    assert_status(drx_cf_nearest(&cf, 3, gap, 1, -1, &index), DRX_EMISMATCH);
    assert_detail("index 1 is missing");
    assert_status(drx_cf_nearest(&cf, 0, NULL, 1, -1, &index), DRX_ERANGE);
    assert_status(drx_cf_nearest(&cf, 1, NULL, 1, -1, &index), DRX_EINVAL);
    assert_status(drx_cf_nearest(&cf, 1, unordered, NAN, -1, &index), DRX_EINVAL);
    assert_status(drx_cf_nearest(&cf, 1, unordered, INFINITY, -1, &index), DRX_EINVAL);
    assert_status(drx_cf_nearest(&cf, 1, unordered, 1, -1, NULL), DRX_EINVAL);
    cf.type = DRX_COMPLEX64;
    assert_status(drx_cf_nearest(&cf, 1, z, 1, -1, &index), DRX_EINVAL);
    assert_int_equal(index, 5);
}

TEST(dates)
{
    static const char *const calendars[] = { NULL, "noleap", "360_day", "julian" };
    double days[800], value;
    int64_t index;

    for (int i = 0; i < 800; i++)
        days[i] = i;
    for (int c = 0; c < 4; c++) {
        const drx_cf cf = {
            .type = DRX_FLOAT64, .name = "time", .units = "days since 2000-01-01", .calendar = calendars[c]
        };
        static const int year[] = { 366, 365, 360, 366 };

        assert_ok(drx_cf_value(&cf, "2001-01-01T06", &value));
        assert_true(value == year[c] + 0.25);
        assert_ok(drx_cf_nearest(&cf, 800, days, value, 0.25, &index));
        assert_int_equal(index, year[c]);
        assert_status(drx_cf_nearest(&cf, 800, days, value, 0.2, &index), DRX_ERANGE);
        assert_detail("time: the nearest to 2001-01-01T06:00 is 2001-01-01");
    }
    assert_status(drx_cf_value(&(drx_cf){ .type = DRX_INT8, .units = "days since 2000-01-01", .calendar = "noleap" },
                               "2000-02-29", &value),
                  DRX_EINVAL);
    assert_status(drx_cf_value(&(drx_cf){ .type = DRX_INT8, .name = "x" }, "3 m", &value), DRX_EINVAL);
    assert_detail("x: '3 m' is not a number");
    assert_status(drx_cf_value(&(drx_cf){ .type = DRX_INT8 }, "", &value), DRX_EINVAL);
    assert_status(drx_cf_value(&(drx_cf){ .type = DRX_INT8 }, "nan", &value), DRX_EINVAL);
    assert_status(drx_cf_value(&(drx_cf){ .type = DRX_INT8 }, NULL, &value), DRX_EINVAL);
}

/* Packed coordinates that fall, in an array whose first index is not 0. */
TEST(arrays)
{
    const int64_t shape[] = { 181 }, lower[] = { -5 }, two[] = { 2, 2 };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT16, .shape = shape, .lower = lower };
    const double scale = 0.5;
    int16_t lat[181];
    drx_array *a, *b;
    int64_t index = 0;

    for (int i = 0; i < 181; i++)
        lat[i] = (int16_t)(2 * (90 - i));
    assert_ok(drx_create(NULL, &spec, &a));
    assert_ok(drx_write(a, lower, shape, DRX_ROW_MAJOR, lat));
    assert_ok(drx_attr_set(a, "scale_factor", DRX_FLOAT64, 1, &scale));
    assert_ok(drx_attr_set_text(a, "units", "degrees_north"));
    assert_ok(drx_cf_index(a, "47.3", 0.5, &index));
    assert_int_equal(index, 90 - 47 - 5);
    assert_ok(drx_cf_index(a, "47.5", 0.5, &index)); /* the larger of two */
    assert_int_equal(index, 90 - 48 - 5);
    assert_status(drx_cf_index(a, "95", 1, &index), DRX_ERANGE);
    assert_ok(drx_cf_index(a, "95", -1, &index));
    assert_int_equal(index, -5);
    assert_status(drx_cf_index(a, "1997-12-16", -1, &index), DRX_EINVAL);
    assert_status(drx_cf_index(a, NULL, -1, &index), DRX_EINVAL);
    assert_status(drx_cf_index(a, "1", -1, NULL), DRX_EINVAL);
    assert_status(drx_cf_index(NULL, "1", -1, &index), DRX_EINVAL);
    assert_ok(drx_create(NULL, &(drx_spec){ .ndim = 2, .type = DRX_INT16, .shape = two }, &b));
    assert_status(drx_cf_index(b, "1", -1, &index), DRX_EINVAL);
    assert_ok(drx_close(b));
    assert_ok(drx_close(a));
}
