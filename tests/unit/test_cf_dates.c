/* Dates of the six calendars, as numbers and as text. */
#include <math.h>

#include "cf/cf.h"
#include "testing.h"

static drx_cf date_cf(const char *units, const char *calendar)
{
    return (drx_cf){ .type = DRX_FLOAT64, .name = "time", .units = units, .calendar = calendar };
}

/* ---- a model that counts days one by one, from rules written down again --------------------- */

static const char *const calendars[] = { "standard", "proleptic_gregorian", "julian", "noleap", "all_leap", "360_day" };

struct naive {
    int calendar;
    int64_t year;
    int month, day;
};

static bool is_leap(int calendar, int64_t year)
{
    const bool fourth = (year % 4 + 4) % 4 == 0, hundredth = year % 100 == 0, fourhundredth = year % 400 == 0;

    switch (calendar) {
    case 0:
        return year > 1582 ? fourth && (!hundredth || fourhundredth) : fourth;
    case 1:
        return fourth && (!hundredth || fourhundredth);
    case 2:
        return fourth;
    default:
        return calendar == 4;
    }
}

static int length_of_month(int calendar, int64_t year, int month)
{
    if (calendar == 5)
        return 30;
    if (month == 2)
        return is_leap(calendar, year) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

static void next_day(struct naive *d)
{
    if (d->calendar == 0 && d->year == 1582 && d->month == 10 && d->day == 4)
        d->day = 14;
    if (++d->day <= length_of_month(d->calendar, d->year, d->month))
        return;
    d->day = 1;
    if (++d->month <= 12)
        return;
    d->month = 1;
    d->year++;
}

/* All days from the year -801 to 2401 have consecutive numbers, and the numbers give the days back. */
TEST(days_are_counted_one_by_one)
{
    for (int c = 0; c < 6; c++) {
        struct naive d = { c, -801, 1, 1 };
        int64_t expected = 0, number, year;
        int month, day;

        for (; d.year < 2402; next_day(&d), expected++) {
            assert_true(drxi_day_number((enum drxi_calendar)c, d.year, d.month, d.day, &number));
            if (d.year == -801 && d.month == 1 && d.day == 1)
                expected = number;
            assert_int_equal(number, expected);
            drxi_day_of_number((enum drxi_calendar)c, number, &year, &month, &day);
            assert_true(year == d.year && month == d.month && day == d.day);
        }
    }
}

/* Random dates as values, against days counted one by one from a random reference date. */
TEST(random_dates_against_the_count)
{
    uint64_t seed = starting_seed(0);

    for (int k = 0; k < 300; k++) {
        const int c = (int)random_below(&seed, 6);
        struct naive d = { c, random_below(&seed, 2600) - 300, (int)random_below(&seed, 12) + 1, 1 };
        const int64_t days = random_below(&seed, 4000);
        const int hour = (int)random_below(&seed, 24), minute = (int)random_below(&seed, 60);
        char units[64], text[DRX_CF_TEXT_BYTES];
        drx_cf cf = date_cf(units, calendars[c]);
        double value, lo, hi;
        drx_cf_date date;

        (void)snprintf(units, sizeof units, "minutes since %lld-%d-%d %02d:%02d", (long long)d.year, d.month, d.day,
                       hour, minute);
        for (int64_t i = 0; i < days; i++)
            next_day(&d);
        value = (double)(days * 1440 + 7);
        assert_ok(drx_cf_to_date(&cf, value - hour * 60 - minute, &date));
        assert_true(date.year == d.year && date.month == d.month && date.day == d.day);
        assert_true(date.hour == 0 && date.minute == 7 && date.second == 0 && date.nanosecond == 0);
        assert_ok(drx_cf_from_date(&cf, &date, &lo));
        assert_true(lo == value - hour * 60 - minute);
        assert_ok(drx_cf_text(&cf, value, text));
        assert_ok(drx_cf_interval(&cf, text, &lo, &hi));
        assert_true(lo == value);
    }
}

/* ---- known dates ----------------------------------------------------------------------------- */

/* proleptic_gregorian: by Python's datetime. standard and julian: by the days that the calendars are known to be apart.
 * The others: years times their length, and the lengths of months. */
static const struct {
    const char *units, *calendar;
    double value;
    const char *text;
} known[] = {
    { "days since 1970-01-01", "proleptic_gregorian", 19000, "2022-01-08" },
    { "days since 1970-01-01", "proleptic_gregorian", -719162, "0001-01-01" },
    { "days since 0001-01-01", "proleptic_gregorian", 729179, "1997-06-05" },
    { "days since 1582-10-04", "proleptic_gregorian", 1, "1582-10-05" },
    { "hours since 1900-01-01 00:00:0.0", "proleptic_gregorian", 876576, "2000-01-01" },
    { "seconds since 1970-01-01", "proleptic_gregorian", 1e9, "2001-09-09T01:46:40" },
    { "days since 1582-10-04", "standard", 1, "1582-10-15" },
    { "days since 1582-10-15", NULL, -1, "1582-10-04" },
    { "days since 1-1-1", "gregorian", 577737, "1582-10-15" }, /* two days more than in the proleptic one */
    { "days since 0001-01-01", "Gregorian", 729181, "1997-06-05" },
    { "days since 1500-02-28", "standard", 1, "1500-02-29" },
    { "days since 1582-10-04", "julian", 1, "1582-10-05" },
    { "days since 1900-02-28", "julian", 1, "1900-02-29" },
    { "days since 0000-01-01", "standard", 365, "0000-12-31" }, /* year 0 is a leap year */
    { "days since 0000-01-01", "proleptic_gregorian", -1, "-0001-12-31" },
    { "days since -0004-02-28", "proleptic_gregorian", 1, "-0004-02-29" },
    { "days since -4-2-28", "julian", 366, "-0003-02-28" },
    { "days since 2000-02-28", "noleap", 1, "2000-03-01" },
    { "days since 2000-01-01", "365_day", 365 * 100 + 31 + 28, "2100-03-01" },
    { "days since 1999-02-28", "all_leap", 1, "1999-02-29" },
    { "days since 1999-01-01", "366_day", 366 * 10 - 1, "2008-12-31" },
    { "days since 1999-01-01", "360_day", 59, "1999-02-30" },
    { "days since 1999-01-01", "360_DAY", 360 * 1000 + 0.5, "2999-01-01T12:00" },
    { "months since 0000-01-01", "noleap", 0, "0000-01-01" },
    { "years since 2000-01-01", "standard", 1, "2000-12-31T05:48:45.9747" }, /* 365.242198781 days */
    { "common_years since 2001-01-01", "standard", 1, "2002-01-01" },
    { "weeks since 2001-01-01", "standard", 2, "2001-01-15" },
    { "hours since 0000-01-01 00:00:00", NULL, 366, "0000-01-16T06:00" }, /* the monthly climatology of COADS */
    { "days since 1800-01-01", NULL, 73000 + 1.0 / 3, "1999-11-14T08:00" },
    { "seconds since 2000-01-01", NULL, 0.25, "2000-01-01T00:00:00.25" },
    { "milliseconds since 2000-01-01", NULL, 1500, "2000-01-01T00:00:01.5" },
    { "microseconds since 2000-01-01", NULL, 1500, "2000-01-01T00:00:00.0015" },
    { "nanoseconds since 2000-01-01", NULL, 7, "2000-01-01T00:00:00.000000007" },
    { "days since 2000-1-1 6:30 -5:00", NULL, 0, "2000-01-01T11:30" },
    { "days since 2000-1-1 06:30 +05:30", NULL, 0, "2000-01-01T01:00" },
    { "days since 2000-01-01T06:30:15.5Z", NULL, 0, "2000-01-01T06:30:15.5" },
    { "days since 2000-01-01 06:30 UTC", NULL, 0, "2000-01-01T06:30" },
    { "days since 2000-01-01 00:00 -0930", NULL, 0, "2000-01-01T09:30" },
    { "days since 2000-01-01 00:00 +5", NULL, 0, "1999-12-31T19:00" },
    { "days after 2000", NULL, 0, "2000-01-01" },
    { "DAYS SINCE 2000-03", NULL, 0, "2000-03-01" },
    { "days since 12000-01-01", NULL, 1, "12000-01-02" },
};

TEST(known_dates)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const drx_cf cf = date_cf(known[i].units, known[i].calendar);
        char text[DRX_CF_TEXT_BYTES];
        double lo, hi;

        assert_ok(drx_cf_text(&cf, known[i].value, text));
        assert_string_equal(text, known[i].text);
        assert_ok(drx_cf_interval(&cf, text, &lo, &hi));
        assert_true(fabs(lo - known[i].value) <= 1e-5 * fabs(hi - lo) + 1e-8 * fabs(lo));
    }
}

/* A value beyond what a float32 resolves is rounded to the second, no further. */
TEST(text_knows_the_type)
{
    drx_cf cf = date_cf("days since 1800-01-01", NULL);
    char text[DRX_CF_TEXT_BYTES];

    cf.type = DRX_FLOAT32;
    assert_ok(drx_cf_text(&cf, (double)73000.5f, text));
    assert_string_equal(text, "1999-11-14T12:00");
    cf.units = "degrees_north";
    assert_ok(drx_cf_text(&cf, (double)0.1f, text));
    assert_string_equal(text, "0.1");
    cf.type = DRX_FLOAT64;
    assert_ok(drx_cf_text(&cf, 0.1 + 0.2, text));
    assert_string_equal(text, "0.30000000000000004");
    cf.type = DRX_INT16;
    cf.scale_factor = 0.01;
    assert_ok(drx_cf_text(&cf, 0.1 + 0.2, text));
    assert_string_equal(text, "0.3");
}

/* ---- intervals, for selections --------------------------------------------------------------- */

static void check_interval(const drx_cf *cf, const char *text, double lo, double hi)
{
    double have[2];

    assert_ok(drx_cf_interval(cf, text, &have[0], &have[1]));
    if (have[0] != lo || have[1] != hi)
        print_error("%s: %.17g to %.17g\n", text, have[0], have[1]);
    assert_true(have[0] == lo && have[1] == hi);
}

TEST(intervals)
{
    const drx_cf hours = date_cf("hours since 1997-01-01", NULL), days = date_cf("days since 1997-01-01", "360_day");
    const drx_cf old = date_cf("days since 1582-10-01", "standard");

    check_interval(&hours, "1997", 0, 8760);
    check_interval(&hours, "1997-12", 334 * 24, 365 * 24);
    check_interval(&hours, "1997-01-02", 24, 48);
    check_interval(&hours, "1997-01-02T03", 27, 28);
    check_interval(&hours, "1997-01-02 03:30", 27.5, 27.5 + 1.0 / 60);
    check_interval(&hours, "1997-01-02T03:30:36", 99036.0 / 3600, 99037.0 / 3600);
    check_interval(&hours, " 1997-01-02T03:30:36.50 ", 99036.5 / 3600, 99036.51 / 3600);
    check_interval(&hours, "1997-01-02T03Z", 27, 28);
    check_interval(&hours, "1997-01-02T03:00+01:00", 26, 26 + 1.0 / 60);
    check_interval(&days, "1998", 360, 720);
    check_interval(&days, "1997-02", 30, 60);
    check_interval(&old, "1582-10", 0, 21);
    check_interval(&old, "1582-10-04", 3, 4);
}

/* ---- what is refused --------------------------------------------------------------------------- */

static void refuse_interval(const char *units, const char *calendar, const char *text, const char *says)
{
    const drx_cf cf = date_cf(units, calendar);
    double lo, hi;

    assert_status(drx_cf_interval(&cf, text, &lo, &hi), DRX_EINVAL);
    assert_detail(says);
}

TEST(dates_that_do_not_exist)
{
    static const char units[] = "days since 2000-01-01";

    refuse_interval(units, "noleap", "2000-02-29", "'2000-02-29' is no date of the calendar noleap");
    refuse_interval(units, "standard", "1582-10-10", "the calendar has no such day");
    refuse_interval(units, "proleptic_gregorian", "1900-02-29", "the calendar has no such day");
    refuse_interval(units, "360_day", "2000-01-31", "the calendar has no such day");
    refuse_interval(units, NULL, "2000-13", "the calendar has no such day");
    refuse_interval(units, NULL, "2000-00-01", "the calendar has no such day");
    refuse_interval(units, NULL, "2000-01-01T24:00", "there is no such time of day");
    refuse_interval(units, NULL, "2000-01-01T12:00 CET", "its time zone is none of");
    refuse_interval(units, NULL, "2000-01 12:00", "its time of day");
    refuse_interval(units, NULL, "January 2000", "does not begin with year-month-day");
    refuse_interval(units, NULL, "", "does not begin with year-month-day");
    refuse_interval(units, NULL, "2000-01-01 -06:00", "something follows the date");
    refuse_interval(units, NULL, "1234567890-01-01", "does not begin with year-month-day");
    refuse_interval("days since yesterday", NULL, "2000", "'yesterday' is no date of the calendar standard");
    refuse_interval("days since 1582-10-10", NULL, "2000", "the calendar has no such day");
    refuse_interval(units, "chinese", "2000", "the calendar 'chinese' is none of");
}

TEST(values_that_are_no_dates)
{
    drx_cf cf = date_cf("days since 2000-01-01", NULL);
    char text[DRX_CF_TEXT_BYTES];
    drx_cf_date date = { 2000, 2, 30, 0, 0, 0, 0 };
    double lo, hi;
    int is_date;

    assert_status(drx_cf_to_date(&cf, NAN, &date), DRX_EMISMATCH);
    assert_status(drx_cf_to_date(&cf, 1e300, &date), DRX_EMISMATCH);
    assert_detail("is no date between the years -999999999 and 999999999");
    assert_ok(drx_cf_text(&cf, NAN, text));
    assert_string_equal(text, "nan");
    assert_status(drx_cf_from_date(&cf, &(drx_cf_date){ .year = 2000, .month = 2, .day = 30 }, &lo), DRX_EINVAL);
    cf.units = "m";
    assert_status(drx_cf_interval(&cf, "2000", &lo, &hi), DRX_EMISMATCH);
    assert_detail("time: its values are no dates: the units 'm' are no time since a date");
    assert_ok(drx_cf_is_date(&cf, &is_date));
    assert_false(is_date);
    cf.units = "days";
    assert_ok(drx_cf_is_date(&cf, &is_date));
    assert_false(is_date);
    cf.units = "days since 2000";
    assert_ok(drx_cf_is_date(&cf, &is_date));
    assert_true(is_date);
}
