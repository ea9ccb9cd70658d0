/* Numbers by what they mean: packing, conversion, where new coordinates go. */
#include <math.h>

#include "drx_cf.h"
#include "testing.h"
#include "types/types.h"

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof(array)[0]))

static const drx_cf days_2001 = { .type = DRX_FLOAT64, .name = "time", .units = "days since 2001-01-01" };
static const drx_cf days_2002 = { .type = DRX_FLOAT64, .name = "time", .units = "days since 2002-01-01" };

static drx_cf with(drx_cf cf, drx_type type, const char *units, const char *calendar)
{
    cf.type = type;
    cf.units = units ? units : cf.units;
    cf.calendar = calendar;
    return cf;
}

/* ---- packing ----------------------------------------------------------------------------- */

TEST(packing_never_wraps)
{
    const int16_t fill = -32768;
    drx_cf cf = {
        .type = DRX_INT16, .name = "sst", .units = "K", .scale_factor = 0.01, .add_offset = 273.15, .fill = &fill
    };
    const double good[] = { 273.15, 300.004, NAN, 273.15 + 327.67 };
    double back[4], value;
    int16_t stored[4];

    assert_ok(drx_cf_pack(&cf, 4, good, stored));
    assert_int_equal(stored[0], 0);
    assert_int_equal(stored[1], 2685);
    assert_int_equal(stored[2], fill);
    assert_int_equal(stored[3], 32767);
    assert_ok(drx_cf_unpack(&cf, 4, stored, back));
    assert_true(fabs(back[1] - 300) < 1e-12 && isnan(back[2]));

    value = 273.15 + 327.68;
    assert_status(drx_cf_pack(&cf, 1, &value, stored), DRX_EMISMATCH);
    assert_detail("sst: index 0 is 600.83, which int16 cannot hold with this scale_factor and add_offset; it holds "
                  "-54.53 to 600.82");
    value = 273.15 - 327.68;
    assert_status(drx_cf_pack(&cf, 1, &value, stored), DRX_EMISMATCH);
    assert_detail("would be stored as the _FillValue");
    value = INFINITY;
    assert_status(drx_cf_pack(&cf, 1, &value, stored), DRX_EMISMATCH);
    cf.fill = NULL;
    value = NAN;
    assert_status(drx_cf_pack(&cf, 1, &value, stored), DRX_EMISMATCH);
    assert_detail("without a _FillValue its integer type has no missing values");
}

TEST(every_type_has_its_range)
{
    static const struct {
        drx_type type;
        double least, most, below, above;
    } of[] = {
        { DRX_INT8, -128, 127, -129, 128 },
        { DRX_UINT8, 0, 255, -1, 256 },
        { DRX_INT16, -32768, 32767, -32769, 32768 },
        { DRX_UINT16, 0, 65535, -1, 65536 },
        { DRX_INT32, -2147483648.0, 2147483647, -2147483649.0, 2147483648.0 },
        { DRX_UINT32, 0, 4294967295.0, -1, 4294967296.0 },
        { DRX_INT64, -9223372036854775808.0, 9223372036854774784.0, -9223372036854777856.0, 9223372036854775808.0 },
        { DRX_UINT64, 0, 18446744073709549568.0, -1, 18446744073709551616.0 },
        { DRX_FLOAT32, -3.4028234663852886e38, 3.4028234663852886e38, -3.5e38, 3.5e38 },
    };
    const double half = 0.5;

    for (int i = 0; i < COUNT(of); i++) {
        const drx_cf cf = { .type = of[i].type };
        _Alignas(8) char stored[16];
        double back[2];

        assert_ok(drx_cf_pack(&cf, 2, (const double[]){ of[i].least, of[i].most }, stored));
        assert_ok(drx_cf_unpack(&cf, 2, stored, back));
        assert_true(back[0] == of[i].least && back[1] == of[i].most);
        assert_status(drx_cf_pack(&cf, 1, &of[i].below, stored), DRX_EMISMATCH);
        assert_detail("cannot hold; it holds");
        assert_status(drx_cf_pack(&cf, 1, &of[i].above, stored), DRX_EMISMATCH);
        if (of[i].type != DRX_FLOAT32) {
            assert_status(drx_cf_pack(&cf, 1, &half, stored), DRX_EMISMATCH);
            assert_detail("not a whole number of its units");
        }
    }
}

/* ---- conversion ------------------------------------------------------------------------------ */

static void check_conversion(const char *from, const char *to, const char *calendar, double value, double expected)
{
    const drx_cf a = with(days_2001, DRX_FLOAT64, from, calendar), b = with(days_2001, DRX_FLOAT64, to, calendar);
    double out;

    assert_ok(drx_cf_convert(&a, &b, 1, &value, &out));
    if (out != expected)
        print_error("%g '%s' is %.17g '%s'\n", value, from, out, to);
    assert_true(out == expected);
}

TEST(units_are_converted)
{
    check_conversion("days since 2002-01-01", "days since 2001-01-01", NULL, 0.5, 365.5);
    check_conversion("days since 2001-01-01", "days since 2000-01-01", "noleap", 0.5, 365.5);
    check_conversion("days since 2001-01-01", "days since 2000-01-01", "360_day", 0.5, 360.5);
    check_conversion("days since 2001-01-01", "days since 2000-01-01", NULL, 0.5, 366.5);
    check_conversion("days since 2001-01-01", "hours since 2001-01-01", NULL, 1.0 / 3, 8);
    check_conversion("hours since 2001-01-01 06:00 -6:00", "hours since 2001-01-01", NULL, 0, 12);
    check_conversion("milliseconds since 1970-01-01", "days since 1970-01-01", NULL, 86400000.0 * 19000, 19000);
    check_conversion("months since 2000-01-01", "years since 2000-01-01", NULL, 18, 1.5);
    check_conversion("days since 0000-01-01", "days since 0001-01-01", NULL, 0, -366);
    check_conversion("hPa", "Pa", NULL, 1013.25, 101325);
    check_conversion("degC", "K", NULL, 0, 273.15);
    check_conversion("km", "m", NULL, 1.5, 1500);
    check_conversion("degrees_north", "degree_N", NULL, 12.25, 12.25);
    check_conversion("made-up unit", "made-up unit", NULL, 7, 7);
    check_conversion(" m ", "m", NULL, 7, 7);
}

static void refuse_match(drx_cf stored, drx_cf given, const char *says)
{
    assert_status(drx_cf_match(&stored, &given), DRX_EMISMATCH);
    assert_detail(says);
}

TEST(what_does_not_match_is_refused)
{
    drx_cf a = days_2001, b = days_2001;

    refuse_match(a, with(a, DRX_FLOAT64, NULL, "noleap"),
                 "the calendar is noleap, but that of the stored dates is standard");
    refuse_match(with(a, DRX_FLOAT64, NULL, "360_day"), with(a, DRX_FLOAT64, NULL, "366_day"),
                 "the calendar is all_leap, but that of the stored dates is 360_day");
    refuse_match(with(a, DRX_FLOAT64, NULL, "julian"), a,
                 "the calendar is standard, but that of the stored dates is julian");
    assert_ok(drx_cf_match(
        &a, &(drx_cf){ .type = DRX_INT32, .units = "hours since 1600-01-01", .calendar = "proleptic_gregorian" }));
    refuse_match(a, with(a, DRX_FLOAT64, "days since 1500-01-01", "proleptic_gregorian"),
                 "they differ before 1582-10-15");
    refuse_match(a, with(a, DRX_FLOAT64, "m", NULL), "the units 'days since 2001-01-01' are dates, but 'm' are not");
    a.units = NULL;
    refuse_match(a, b, "are dates, but numbers without units are not");
    refuse_match(with(a, DRX_INT8, "m", NULL), with(b, DRX_INT8, "K", NULL),
                 "the units 'K' cannot be converted to 'm'");
    refuse_match(with(a, DRX_INT8, "m", NULL), with(b, DRX_INT8, "sigma_level", NULL), "'sigma_level' are no units");
    b.units = NULL;
    b.name = "VWND";
    refuse_match(a, b, "the name is 'VWND', but 'time' is stored");
    a.units = b.units = "days since 14-JAN-1980";
    b.name = a.name;
    assert_ok(drx_cf_match(&a, &b));
    b.calendar = "noleap";
    assert_status(drx_cf_match(&a, &b), DRX_EINVAL);
    assert_detail("'14-JAN-1980' is no date");
    b = a;
    a.standard_name = "eastward_wind";
    assert_ok(drx_cf_match(&a, &b));
    b.standard_name = "northward_wind";
    refuse_match(a, b, "time: the standard_name is 'northward_wind', but 'eastward_wind' is stored");
    b.type = DRX_COMPLEX64;
    assert_status(drx_cf_match(&a, &b), DRX_EINVAL);
    b.type = DRX_INT8;
    b.reserved[0] = 1;
    assert_status(drx_cf_match(&a, &b), DRX_EINVAL);
}

/* Dates before 1582-10-15 are other days in these two calendars. */
TEST(a_gregorian_date_before_1582_is_refused)
{
    const drx_cf a = with(days_2001, DRX_FLOAT64, NULL, "standard"),
                 b = with(a, DRX_FLOAT64, NULL, "proleptic_gregorian");
    const drx_cf from_1582 = with(a, DRX_FLOAT64, "days since 1582-10-15", NULL);
    double first, out;

    assert_ok(drx_cf_convert(&from_1582, &a, 1, (const double[]){ 0 }, &first));
    assert_ok(drx_cf_convert(&b, &a, 1, &first, &out));
    assert_true(out == first);
    first -= 0.5;
    assert_status(drx_cf_convert(&b, &a, 1, &first, &out), DRX_EMISMATCH);
    assert_detail("index 0 is 1582-10-14T12:00 in the calendar proleptic_gregorian, another day");
}

/* Nanoseconds since 1970 take more bits than a double has. */
TEST(large_integers_are_exact)
{
    const drx_cf ns = with(days_2001, DRX_INT64, "nanoseconds since 1970-01-01", NULL);
    const drx_cf later = with(ns, DRX_INT64, "nanoseconds since 1970-01-01 00:00:00.000000001", NULL);
    const drx_cf since_2000 = with(ns, DRX_INT64, "nanoseconds since 2000-01-01", NULL);
    const int64_t stored[] = { 1700000000000000001, 1700000000000000002, 1700000000000000003 };
    int64_t out[3];
    drx_cf_alignment where;

    assert_ok(drx_cf_encode(&later, &ns, 3, stored, out));
    assert_int_equal(out[0], stored[1]);
    assert_int_equal(out[1], stored[2]);
    assert_ok(drx_cf_encode(&ns, &since_2000, 3, stored, out));
    assert_int_equal(out[2], stored[2] - 946684800000000000);
    assert_ok(drx_cf_align(&ns, 1, stored, &ns, 2, stored + 1, DRX_CF_REFUSE, NULL, out, &where));
    assert_int_equal(out[1], stored[2]);
}

/* ---- where new coordinates go ------------------------------------------------------------------ */

TEST(an_append_from_another_reference_date_is_encoded_again)
{
    const double have[] = { 0.5, 1.5, 364.5 }, more[] = { 0.5, 1.5 };
    int64_t index[2];
    double out[2];
    drx_cf_alignment where;

    assert_ok(drx_cf_align(&days_2001, 3, have, &days_2002, 2, more, DRX_CF_REFUSE, index, out, &where));
    assert_true(where.side == DRX_CF_AFTER && where.from == 0 && where.appended == 2);
    assert_true(out[0] == 365.5 && out[1] == 366.5);
    assert_true(index[0] == 3 && index[1] == 4);
}

TEST(overlaps_are_refused_skipped_or_replaced)
{
    const double have[] = { 363.5, 364.5, 365.5, 366.5 }, more[] = { 0.5, 1.5, 2.5 }, odd[] = { 0.75, 1.5, 2.5 };
    int64_t index[3];
    double out[3];
    drx_cf_alignment where;

    assert_status(drx_cf_align(&days_2001, 4, have, &days_2002, 3, more, DRX_CF_REFUSE, index, out, &where),
                  DRX_EMISMATCH);
    assert_detail("time: new index 0 is 2002-01-01T12:00, which is stored already at index 2 (2002-01-01T12:00); the "
                  "stored ones end at 2002-01-02T12:00");
    for (int k = DRX_CF_SKIP; k <= DRX_CF_REPLACE; k++) {
        assert_ok(drx_cf_align(&days_2001, 4, have, &days_2002, 3, more, (drx_cf_overlap)k, index, out, &where));
        assert_true(where.from == 2 && where.appended == 1);
        assert_true(index[0] == 2 && index[1] == 3 && index[2] == 4 && out[2] == 367.5);
        assert_status(drx_cf_align(&days_2001, 4, have, &days_2002, 3, odd, (drx_cf_overlap)k, index, out, &where),
                      DRX_EMISMATCH);
        assert_detail("new index 0 is 2002-01-01T18:00, but the stored ones go from 2001-12-30T12:00 to "
                      "2002-01-02T12:00, and none of them equals it; the nearest is 2002-01-01T12:00, index 2");
    }
    assert_ok(drx_cf_align(&days_2001, 4, have, &days_2001, 4, have, DRX_CF_SKIP, NULL, NULL, &where));
    assert_true(where.from == 4 && where.appended == 0);
}

/* What is new leads up to the first stored one, also when it falls, is packed, or overlaps it. */
TEST(coordinates_may_lead_up_to_the_first)
{
    const double have[] = { 0.5, 1.5, 2.5 }, more[] = { 363.5, 364.5, 365.5 }, beyond[] = { 364.5, 368.5 };
    const double north[] = { 60, 50, 40 }, pole[] = { 90, 80, 70 }, over[] = { 70, 60, 50 };
    const drx_cf lat = { .type = DRX_FLOAT64, .name = "lat" };
    const drx_cf packed = { .type = DRX_INT16, .name = "lat", .scale_factor = 10 };
    int64_t index[3];
    double out[3];
    int16_t tens[3];
    drx_cf_alignment where;

    assert_ok(drx_cf_align(&days_2002, 3, have, &days_2001, 2, more, DRX_CF_REFUSE, index, out, &where));
    assert_true(where.side == DRX_CF_BEFORE && where.from == 0 && where.appended == 2);
    assert_true(index[0] == -2 && index[1] == -1 && out[0] == -1.5 && out[1] == -0.5);
    assert_status(drx_cf_align(&days_2002, 3, have, &days_2001, 3, more, DRX_CF_REFUSE, index, out, &where),
                  DRX_EMISMATCH);
    assert_detail("time: new index 2 is 2002-01-01T12:00, which is stored already at index 0 (2002-01-01T12:00); the "
                  "stored ones begin at 2002-01-01T12:00");
    assert_ok(drx_cf_align(&days_2002, 3, have, &days_2001, 3, more, DRX_CF_SKIP, index, out, &where));
    assert_true(where.side == DRX_CF_BEFORE && where.from == 0 && where.appended == 2);
    assert_true(index[0] == -2 && index[1] == -1 && index[2] == 0);
    assert_status(drx_cf_align(&days_2002, 3, have, &days_2001, 2, beyond, DRX_CF_SKIP, NULL, NULL, &where),
                  DRX_EMISMATCH);
    assert_detail("time: new index 0 is 2001-12-31T12:00, before the first stored one, 2002-01-01T12:00, and new index "
                  "1 is 2002-01-04T12:00, after the last one");
    assert_ok(drx_cf_align(&lat, 3, north, &lat, 3, pole, DRX_CF_REFUSE, index, out, &where));
    assert_true(where.side == DRX_CF_BEFORE && where.appended == 3 && index[0] == -3);
    assert_ok(drx_cf_align(&lat, 3, north, &lat, 3, over, DRX_CF_REPLACE, index, out, &where));
    assert_true(where.side == DRX_CF_BEFORE && where.appended == 1 && index[0] == -1 && index[2] == 1);
    assert_ok(drx_cf_align(&packed, 2, (const int16_t[]){ 6, 5 }, &lat, 3, pole, DRX_CF_REFUSE, index, tens, &where));
    assert_true(where.side == DRX_CF_BEFORE && tens[0] == 9 && tens[2] == 7);
    assert_status(drx_cf_align(&packed, 2, (const int16_t[]){ 7, 6 }, &lat, 1, (const double[]){ 74 }, DRX_CF_REFUSE,
                               NULL, NULL, &where),
                  DRX_EMISMATCH);
}

static void refuse_order(int64_t m, const double have[], int64_t n, const double more[], const char *says)
{
    const drx_cf cf = { .type = DRX_FLOAT64, .name = "lev", .units = "hPa" };
    drx_cf_alignment where;

    assert_status(drx_cf_align(&cf, m, have, &cf, n, more, DRX_CF_REFUSE, NULL, NULL, &where), DRX_EMISMATCH);
    assert_detail(says);
}

TEST(coordinates_must_go_on)
{
    const double falling[] = { 1000, 850, 700, 500 }, rising[] = { 10, 20, 30 }, bad[] = { 1, 3, 2 },
                 twice[] = { 1, 2, 2 };
    const double missing[] = { 1, NAN };
    const drx_cf cf = { .type = DRX_FLOAT64, .units = "hPa" };
    const drx_cf unclear = { .type = DRX_FLOAT64, .units = "days since 14-JAN-1980" };
    const drx_cf pa = { .type = DRX_FLOAT32, .units = "Pa" };
    const float more[] = { 70000, 50000 };
    double out[2];
    drx_cf_alignment where;

    assert_ok(drx_cf_align(&cf, 2, falling, &pa, 2, more, DRX_CF_REFUSE, NULL, out, &where));
    assert_true(out[0] == 700 && out[1] == 500);
    assert_ok(drx_cf_align(&cf, 1, falling, &cf, 1, falling + 1, DRX_CF_REFUSE, NULL, out, &where));
    assert_ok(drx_cf_align(&cf, 0, NULL, &cf, 4, falling, DRX_CF_REFUSE, NULL, NULL, &where));
    assert_int_equal(where.appended, 4);
    assert_ok(drx_cf_align(&cf, 4, falling, &cf, 0, NULL, DRX_CF_REFUSE, NULL, NULL, &where));
    assert_ok(drx_cf_align(&unclear, 1, rising, &unclear, 2, rising + 1, DRX_CF_REFUSE, NULL, NULL, &where));
    refuse_order(2, falling, 3, rising,
                 "lev: new index 0 is 10 and index 1 is 20; coordinates must all rise or all fall");
    refuse_order(0, NULL, 3, bad, "lev: new index 1 is 3 and index 2 is 2; coordinates must all rise or all fall");
    refuse_order(0, NULL, 3, twice, "lev: new index 1 is 2 and index 2 is 2, which repeats it");
    refuse_order(3, twice, 1, falling, "lev: stored index 1 is 2 and index 2 is 2, which repeats it");
    refuse_order(1, rising, 2, missing, "lev: new index 1 is missing");
    refuse_order(3, rising, 1, (const double[]){ 11 }, "lev: new index 0 is 11, but the stored ones go from 10 to 30");
}

TEST(a_single_date_rises)
{
    drx_cf_alignment where;

    assert_ok(drx_cf_align(&days_2001, 1, (const double[]){ 31 }, &days_2001, 1, (const double[]){ 30 }, DRX_CF_REFUSE,
                           NULL, NULL, &where));
    assert_int_equal(where.side, DRX_CF_BEFORE);
    assert_ok(drx_cf_align(&days_2001, 1, (const double[]){ 31 }, &days_2001, 1, (const double[]){ 32 }, DRX_CF_REFUSE,
                           NULL, NULL, &where));
    assert_int_equal(where.side, DRX_CF_AFTER);
}

/* A float32 of days since 1800 resolves 11 minutes. */
TEST(dates_that_the_stored_type_cannot_tell_apart)
{
    const drx_cf coarse = with(days_2001, DRX_FLOAT32, "days since 1800-01-01", NULL);
    const drx_cf hours = with(days_2001, DRX_INT32, "hours since 2001-01-01", NULL);
    const drx_cf minutes = with(days_2001, DRX_INT32, "minutes since 2001-01-01", NULL);
    const float have[] = { 73415, 73415.5f };
    const int32_t more[] = { 1, 2, 3 };
    drx_cf_alignment where;

    assert_status(drx_cf_align(&coarse, 2, have, &minutes, 3, more, DRX_CF_REFUSE, NULL, NULL, &where), DRX_EMISMATCH);
    assert_status(drx_cf_align(&coarse, 0, NULL, &minutes, 3, more, DRX_CF_REFUSE, NULL, NULL, &where), DRX_EMISMATCH);
    assert_detail("which does not differ from what precedes it; the stored type or scale_factor is too coarse");
    assert_ok(drx_cf_align(&coarse, 0, NULL, &hours, 3, more, DRX_CF_REFUSE, NULL, NULL, &where));
    assert_status(
        drx_cf_align(&hours, 3, more, &days_2001, 1, (const double[]){ 0.2 }, DRX_CF_REFUSE, NULL, NULL, &where),
        DRX_EMISMATCH);
    assert_detail("time: index 0 is 2001-01-01T04:48, not a whole number of its units");
}

/* ---- comparing ------------------------------------------------------------------------------------ */

TEST(equal_beyond_rounding)
{
    const drx_cf single = { .type = DRX_FLOAT32, .name = "lat", .units = "degrees_north" };
    const drx_cf twice = { .type = DRX_FLOAT64, .name = "lat", .units = "degrees_north" };
    const drx_cf packed = { .type = DRX_INT16, .name = "lat", .units = "degrees_north", .scale_factor = 0.1 };
    const float have[] = { 0.1f, 0.2f, 0.3f, NAN };
    const double same[] = { 0.1, 0.2, 0.3, NAN }, other[] = { 0.1, 0.2, 0.3001, NAN };
    const int16_t tenths[] = { 1, 2, 3 };
    int64_t first = -1;

    assert_ok(drx_cf_compare(&single, have, &twice, same, 4, &first));
    assert_ok(drx_cf_compare(&packed, tenths, &twice, same, 3, &first));
    assert_int_equal(first, -1);
    assert_status(drx_cf_compare(&single, have, &twice, other, 4, &first), DRX_EMISMATCH);
    assert_detail("lat: index 2 is 0.3001, but 0.3 is stored");
    assert_int_equal(first, 2);
    assert_status(drx_cf_compare(&twice, same, &twice, other, 4, NULL), DRX_EMISMATCH);
}

/* ---- descriptions from attributes -------------------------------------------------------------------- */

TEST(attributes_describe)
{
    const drx_spec spec = { .ndim = 1, .type = DRX_INT16, .shape = (const int64_t[]){ 3 }, .fill = &(int16_t){ -1 } };
    const double scale = 0.5;
    const float offset = 20;
    const int16_t fill = -9;
    drx_array *a;
    drx_cf cf;

    assert_ok(drx_create(NULL, &spec, &a));
    assert_ok(drx_cf_describe(a, &cf));
    assert_true(cf.type == DRX_INT16 && !cf.units && !cf.name && cf.scale_factor == 0 &&
                *(const int16_t *)cf.fill == -1);
    assert_ok(drx_attr_set_text(a, "units", "K"));
    assert_ok(drx_attr_set_text(a, "calendar", "noleap"));
    assert_ok(drx_attr_set_text(a, "standard_name", "air_temperature"));
    assert_ok(drx_attr_set(a, "scale_factor", DRX_FLOAT64, 1, &scale));
    assert_ok(drx_attr_set(a, "add_offset", DRX_FLOAT32, 1, &offset));
    assert_ok(drx_attr_set(a, "_FillValue", DRX_INT16, 1, &fill));
    assert_ok(drx_cf_describe(a, &cf));
    assert_string_equal(cf.units, "K");
    assert_string_equal(cf.calendar, "noleap");
    assert_string_equal(cf.standard_name, "air_temperature");
    assert_true(cf.scale_factor == 0.5 && cf.add_offset == 20 && *(const int16_t *)cf.fill == -9);
    assert_ok(drx_attr_set(a, "units", DRX_FLOAT64, 1, &scale));
    assert_status(drx_cf_describe(a, &cf), DRX_EINVAL);
    assert_detail("the attribute units is not a text");
    assert_ok(drx_close(a));
}

/* An array in memory of that type, with _Unsigned and _FillValue. */
static drx_array *signed_by(drx_type type, const char *is_unsigned, const void *fill)
{
    const drx_spec spec = { .ndim = 1, .type = type, .shape = (const int64_t[]){ 1 } };
    drx_array *a;

    assert_ok(drx_create(NULL, &spec, &a));
    assert_ok(drx_attr_set_text(a, "_Unsigned", is_unsigned));
    assert_ok(drx_attr_set(a, "_FillValue", type, 1, fill));
    return a;
}

/* The bytes 1, 128 and 255 of each width mean other numbers, and the same as elements of the other type. */
TEST(numbers_are_read_as_of_the_other_sign)
{
    static const drx_type types[][2] = {
        { DRX_INT8, DRX_UINT8 }, { DRX_INT16, DRX_UINT16 }, { DRX_INT32, DRX_UINT32 }, { DRX_INT64, DRX_UINT64 }
    };
    static const char *const words[] = { "true", "false" };

    for (int k = 0; k < 8; k++) {
        const drx_type stored = types[k / 2][k % 2], other = types[k / 2][1 - k % 2];
        const size_t bytes = drx_type_size(stored);
        uint8_t elements[3][8] = { { 1 }, { 0 }, { 0 } }, out[3][8] = { { 0 } }, packed[24], again[24];
        drx_array *a;
        drx_cf cf, plain = { .type = other, .name = "u" };
        double values[3];
        const double top = ldexp(1, 8 * (int)bytes - 1);

        elements[1][bytes - 1] = 0x80;
        memset(elements[2], 0xff, bytes);
        for (int i = 0; i < 3; i++)
            memcpy(packed + (size_t)i * bytes, elements[i], bytes);
        drxi_swap(packed, 3 * bytes, stored);
        a = signed_by(stored, words[k % 2], elements[2]);
        assert_ok(drx_cf_describe(a, &cf));
        assert_int_equal(cf.type, other);
        assert_ok(drx_cf_unpack(&cf, 3, packed, values));
        assert_true(values[0] == 1 && values[1] == (k % 2 ? -top : top) && isnan(values[2]));
        assert_ok(drx_cf_pack(&cf, 3, values, out));
        assert_memory_equal(out, packed, 3 * bytes);
        assert_ok(drx_cf_encode(&cf, &plain, 2, packed, again));
        assert_memory_equal(again, packed, 2 * bytes);
        assert_ok(drx_cf_compare(&plain, packed, &cf, again, 2, NULL));
        plain.type = stored;
        assert_status(drx_cf_encode(&cf, &plain, 2, packed, again), DRX_EMISMATCH);
        assert_detail("u: index 1 is ");
        assert_status(drx_cf_compare(&plain, packed, &cf, packed, 2, NULL), DRX_EMISMATCH);
        assert_ok(drx_close(a));
    }
    assert_int_equal(drx_cf_type(DRX_INT16, "True"), DRX_UINT16);
    assert_int_equal(drx_cf_type(DRX_INT16, "false"), DRX_INT16);
    assert_int_equal(drx_cf_type(DRX_UINT16, "true"), DRX_UINT16);
    assert_int_equal(drx_cf_type(DRX_FLOAT32, "true"), DRX_FLOAT32);
    assert_int_equal(drx_cf_type(DRX_BOOL, "true"), DRX_BOOL);
    assert_int_equal(drx_cf_type(DRX_INT8, NULL), DRX_INT8);
}

/* _FillValue and missing_value of any type, both or one of them. */
TEST(numbers_that_stand_for_missing_ones)
{
    const drx_spec spec = { .ndim = 1, .type = DRX_FLOAT32, .shape = (const int64_t[]){ 1 } };
    const float elements[] = { 1, 0.7f, -9, -0.0f };
    const double seven = 0.7, other[] = { 1e300, -9 }, zero = 0;
    double values[4];
    float back[4];
    drx_array *a;
    drx_cf cf;

    assert_ok(drx_create(NULL, &spec, &a));
    assert_ok(drx_attr_set(a, "missing_value", DRX_FLOAT64, 1, &seven)); /* it has more digits than the elements */
    assert_ok(drx_cf_describe(a, &cf));
    assert_ok(drx_cf_unpack(&cf, 4, elements, values));
    assert_true(values[0] == 1 && isnan(values[1]) && values[2] == -9 && values[3] == 0);
    assert_ok(drx_cf_pack(&cf, 4, values, back));
    assert_memory_equal(back, elements, sizeof back);
    assert_ok(drx_attr_set(a, "missing_value", DRX_FLOAT64, 2, other));
    assert_ok(drx_attr_set(a, "_FillValue", DRX_FLOAT64, 1, &zero));
    assert_ok(drx_cf_describe(a, &cf));
    assert_ok(drx_cf_unpack(&cf, 4, elements, values));
    assert_true(values[0] == 1 && values[1] == 0.7f && isnan(values[2]) && isnan(values[3]));
    assert_ok(drx_cf_pack(&cf, 4, values, back)); /* as the _FillValue */
    assert_true(back[2] == 0 && back[3] == 0);
    assert_status(drx_cf_pack(&cf, 1, &other[1], back), DRX_EMISMATCH);
    assert_detail("would be stored as the _FillValue or a missing_value");
    assert_ok(drx_attr_set_text(a, "missing_value", "none"));
    assert_ok(drx_attr_set_text(a, "scale_factor", "2")); /* a text of one byte is not that byte */
    assert_status(drx_cf_describe(a, &cf), DRX_EINVAL);
    assert_detail("the attribute scale_factor is not one real number");
    assert_ok(drx_close(a));
}

/* Each allocation fails in turn. */
TEST(without_memory)
{
    const double have[] = { 0.5 }, more[] = { 0.5, 1.5 };
    drx_cf_alignment where = { 0 };
    drx_status st = DRX_ENOMEM;
    double out[2];

    for (long n = 1; st; n++) {
        drxi_fail_allocation = n;
        st = drx_cf_align(&days_2001, 1, have, &days_2002, 2, more, DRX_CF_REFUSE, NULL, out, &where);
        assert_true(st == DRX_ENOMEM || (st == DRX_OK && drxi_fail_allocation > 0));
        drxi_fail_allocation = 0;
    }
    assert_true(out[1] == 366.5 && where.appended == 2);
}

/* Nothing is printed, whatever UDUNITS thinks of the units. */
TEST(udunits_is_silent)
{
    const drx_cf bad = { .type = DRX_INT8, .units = "furlongs per (((" }, good = { .type = DRX_INT8, .units = "m" };
    FILE *kept = stderr;
    char *text = NULL;
    size_t bytes = 0;

    stderr = open_memstream(&text, &bytes);
    assert_status(drx_cf_match(&bad, &good), DRX_EMISMATCH);
    (void)fclose(stderr);
    stderr = kept;
    assert_int_equal(bytes, 0);
    free(text);
}
