/* Calendars as CF has them: a day is a year, month and day, or a whole number. */
#include "cf/cf.h"

#include <strings.h>

enum { DAYS_400_YEARS = 146097, DAYS_4_YEARS = 1461, EPOCH = 719468 }; /* EPOCH: 1970-01-01 since 0000-03-01 */
enum { JULIAN_AHEAD = 2 }; /* 0000-03-01 of the Julian calendar is 0000-02-28 */

static const struct {
    const char *name;
    enum drxi_calendar calendar;
} names[] = {
    { "standard", DRXI_STANDARD }, { "gregorian", DRXI_STANDARD }, { "proleptic_gregorian", DRXI_PROLEPTIC },
    { "julian", DRXI_JULIAN },     { "noleap", DRXI_NOLEAP },      { "365_day", DRXI_NOLEAP },
    { "all_leap", DRXI_ALL_LEAP }, { "366_day", DRXI_ALL_LEAP },   { "360_day", DRXI_360_DAY },
};

enum { NAMES = sizeof names / sizeof names[0] };

const char *drxi_calendar_name(enum drxi_calendar calendar)
{
    int i = 0;

    while (names[i].calendar != calendar)
        i++;
    return names[i].name;
}

bool drxi_calendar_named(const char *name, enum drxi_calendar *calendar)
{
    *calendar = DRXI_STANDARD;
    for (int i = 0; name && i < NAMES; i++)
        if (strcasecmp(name, names[i].name) == 0) {
            *calendar = names[i].calendar;
            return true;
        }
    return !name;
}

/* Days before a month of a year that begins in March, so that a leap day ends it; `month` counts from March. */
static int64_t days_before(int month)
{
    return (153 * month + 2) / 5;
}

static int64_t real_day(bool gregorian, int64_t year, int month, int day)
{
    const int64_t y = month <= 2 ? year - 1 : year, span = gregorian ? 400 : 4;
    const int64_t cycle = drxi_floor_div(y, span), in_cycle = y - cycle * span;
    const int64_t of_year = days_before(month > 2 ? month - 3 : month + 9) + day - 1;

    if (gregorian)
        return cycle * DAYS_400_YEARS + in_cycle * 365 + in_cycle / 4 - in_cycle / 100 + of_year - EPOCH;
    return cycle * DAYS_4_YEARS + in_cycle * 365 + of_year - EPOCH - JULIAN_AHEAD;
}

static void real_date(bool gregorian, int64_t number, int64_t *year, int *month, int *day)
{
    const int64_t days = gregorian ? DAYS_400_YEARS : DAYS_4_YEARS, span = gregorian ? 400 : 4;
    const int64_t shifted = number + EPOCH + (gregorian ? 0 : JULIAN_AHEAD);
    const int64_t cycle = drxi_floor_div(shifted, days), in_cycle = shifted - cycle * days;
    const int64_t leap_days = in_cycle / (DAYS_4_YEARS - 1) - (gregorian ? in_cycle / 36524 - in_cycle / 146096 : 0);
    const int64_t y = (in_cycle - leap_days) / 365;
    const int64_t of_year = in_cycle - (365 * y + y / 4 - (gregorian ? y / 100 : 0));
    const int m = (int)((5 * of_year + 2) / 153);

    *day = (int)(of_year - days_before(m) + 1);
    *month = m < 10 ? m + 3 : m - 9;
    *year = cycle * span + y + (*month <= 2);
}

int64_t drxi_first_gregorian_day(void)
{
    return real_day(true, 1582, 10, 15);
}

/* Years of one length. */
static int days_of_month(enum drxi_calendar calendar, int month)
{
    static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

    return calendar == DRXI_360_DAY ? 30 : days[month - 1] + (calendar == DRXI_ALL_LEAP && month == 2);
}

static int days_of_year(enum drxi_calendar calendar)
{
    return calendar == DRXI_360_DAY ? 360 : calendar == DRXI_ALL_LEAP ? 366 : 365;
}

static bool has_one_length(enum drxi_calendar calendar)
{
    return calendar >= DRXI_NOLEAP;
}

static int64_t count_days(enum drxi_calendar calendar, int64_t year, int month, int day)
{
    if (has_one_length(calendar)) {
        int64_t number = year * days_of_year(calendar) + day - 1;

        for (int m = 1; m < month; m++)
            number += days_of_month(calendar, m);
        return number;
    }
    if (calendar == DRXI_STANDARD) {
        const int64_t number = real_day(true, year, month, day);

        return number >= drxi_first_gregorian_day() ? number : real_day(false, year, month, day);
    }
    return real_day(calendar == DRXI_PROLEPTIC, year, month, day);
}

bool drxi_day_number(enum drxi_calendar calendar, int64_t year, int month, int day, int64_t *number)
{
    int64_t y;
    int m, d;

    if (year < -DRXI_CF_MOST_YEAR || year > DRXI_CF_MOST_YEAR || month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    *number = count_days(calendar, year, month, day);
    drxi_day_of_number(calendar, *number, &y, &m, &d);
    return y == year && m == month && d == day; /* or it is a day that the calendar leaves out */
}

void drxi_day_of_number(enum drxi_calendar calendar, int64_t number, int64_t *year, int *month, int *day)
{
    int64_t left;

    if (!has_one_length(calendar)) {
        const bool gregorian =
            calendar == DRXI_PROLEPTIC || (calendar == DRXI_STANDARD && number >= drxi_first_gregorian_day());

        real_date(gregorian, number, year, month, day);
        return;
    }
    *year = drxi_floor_div(number, days_of_year(calendar));
    left = number - *year * days_of_year(calendar);
    for (*month = 1; left >= days_of_month(calendar, *month); (*month)++)
        left -= days_of_month(calendar, *month);
    *day = (int)left + 1;
}
