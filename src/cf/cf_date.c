/* Dates as text and as instants. */
#include "cf/cf.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

enum { BILLION = 1000000000, YEAR_DIGITS = 9 };

/* What is read of a date; parts that are missing stay at their first value. */
struct reading {
    const char *at;
    drx_cf_date date;
    int parts;       /* 1: year, 2: month, 3: day, 4: hour, 5: minute, 6: second, 7: a fraction of it */
    int64_t step_ns; /* of a fraction */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Between `least` and `most` digits. */
static bool take_number(struct reading *r, int least, int most, int64_t *out)
{
    int n = 0;

    for (*out = 0; n < most && is_digit(r->at[0]); n++)
        *out = *out * 10 + (*r->at++ - '0');
    return n >= least && !is_digit(r->at[0]);
}

static bool take_field(struct reading *r, int *out)
{
    int64_t number;

    if (!take_number(r, 1, 2, &number))
        return false;
    *out = (int)number;
    r->parts++;
    return true;
}

static void skip_spaces(struct reading *r)
{
    while (r->at[0] == ' ' || r->at[0] == '\t' || r->at[0] == '\n')
        r->at++;
}

static bool take_day(struct reading *r)
{
    const bool negative = r->at[0] == '-';

    r->at += negative || r->at[0] == '+';
    if (!take_number(r, 1, YEAR_DIGITS, &r->date.year))
        return false;
    if (negative)
        r->date.year = -r->date.year;
    r->parts = 1;
    while (r->parts < 3 && r->at[0] == '-') {
        r->at++;
        if (!take_field(r, r->parts == 1 ? &r->date.month : &r->date.day))
            return false;
    }
    return true;
}

/* Digits beyond the nanosecond are read and dropped. */
static bool take_fraction(struct reading *r)
{
    int64_t number = 0, step = BILLION;

    if (!is_digit(r->at[0]))
        return r->parts == 6; /* "15:00:00." is what some write */
    for (; is_digit(r->at[0]); r->at++)
        if (step > 1) {
            step /= 10;
            number += step * (r->at[0] - '0');
        }
    r->date.nanosecond = (int)number;
    r->step_ns = step;
    r->parts = 7;
    return true;
}

static bool take_clock(struct reading *r)
{
    r->parts = 3;
    if (!take_field(r, &r->date.hour))
        return false;
    while (r->parts < 6 && r->at[0] == ':') {
        r->at++;
        if (!take_field(r, r->parts == 4 ? &r->date.minute : &r->date.second))
            return false;
    }
    if (r->parts == 6 && r->at[0] == '.') {
        r->at++;
        return take_fraction(r);
    }
    return true;
}

/* Seconds that local time is ahead of UTC. */
static bool take_zone(struct reading *r, int64_t *ahead)
{
    static const char *const utc[] = { "UTC", "GMT", "Z" };
    int64_t sign, hours = 0, minutes = 0;
    const char *begin;

    *ahead = 0;
    for (int i = 0; i < 3; i++)
        if (strncasecmp(r->at, utc[i], strlen(utc[i])) == 0) {
            r->at += strlen(utc[i]);
            return true;
        }
    if (r->at[0] != '+' && r->at[0] != '-')
        return r->at[0] == '\0';
    sign = *r->at++ == '-' ? -1 : 1;
    begin = r->at;
    if (!take_number(r, 1, 4, &hours))
        return false;
    if (r->at - begin > 2) {
        minutes = hours % 100;
        hours /= 100;
    } else if (r->at[0] == ':') {
        r->at++;
        if (!take_number(r, 2, 2, &minutes))
            return false;
    }
    *ahead = sign * (hours * 3600 + minutes * 60);
    return hours < 24 && minutes < 60;
}

/* Move on by what the last part that was given counts. */
static void next_date(struct reading *r)
{
    r->date.month += r->parts == 2;
    if (r->parts == 1 || r->date.month > 12) {
        r->date.year++;
        r->date.month = 1;
    }
}

static struct drxi_instant later(struct drxi_instant instant, int64_t seconds, int64_t nanoseconds)
{
    const int64_t sum = instant.nanosecond + nanoseconds;

    return (struct drxi_instant){ instant.second + seconds + sum / BILLION, (int32_t)(sum % BILLION) };
}

const char *drxi_instant_of(enum drxi_calendar calendar, const drx_cf_date *date, struct drxi_instant *out)
{
    int64_t day;

    if (date->hour < 0 || date->hour > 23 || date->minute < 0 || date->minute > 59 || date->second < 0 ||
        date->second > 59 || date->nanosecond < 0 || date->nanosecond >= BILLION)
        return "there is no such time of day";
    if (!drxi_day_number(calendar, date->year, date->month, date->day, &day))
        return "the calendar has no such day";
    out->second = day * DRXI_DAY_SECONDS + date->hour * 3600 + date->minute * 60 + date->second;
    out->nanosecond = date->nanosecond;
    return NULL;
}

/* The end of the interval that begins at out->from. */
static const char *find_end(struct reading *r, enum drxi_calendar calendar, struct drxi_date_text *out)
{
    static const int seconds[] = { [3] = DRXI_DAY_SECONDS, [4] = 3600, [5] = 60, [6] = 1, [7] = 0 };

    if (r->parts >= 3) {
        out->to = later(out->from, seconds[r->parts], r->parts == 7 ? r->step_ns : 0);
        return NULL;
    }
    next_date(r);
    return drxi_instant_of(calendar, &r->date, &out->to);
}

const char *drxi_date_parse(const char *text, enum drxi_calendar calendar, struct drxi_date_text *out)
{
    struct reading r = { .at = text, .date = { .month = 1, .day = 1 } };
    int64_t ahead = 0;
    const char *wrong;

    skip_spaces(&r);
    if (!take_day(&r))
        return "it does not begin with year-month-day";
    if (r.at[0] == 'T' || r.at[0] == 't')
        r.at++;
    else
        skip_spaces(&r);
    out->has_clock = is_digit(r.at[0]);
    if (out->has_clock && (r.parts < 3 || !take_clock(&r)))
        return "its time of day is not hour:minute:second";
    skip_spaces(&r);
    if (out->has_clock && !take_zone(&r, &ahead))
        return "its time zone is none of Z, UTC, GMT, +HH:MM and -HH:MM";
    skip_spaces(&r);
    if (r.at[0])
        return "something follows the date that is no time of day";
    wrong = drxi_instant_of(calendar, &r.date, &out->from);
    if (!wrong)
        wrong = find_end(&r, calendar, out);
    out->from.second -= ahead;
    out->to.second -= ahead;
    return wrong;
}

void drxi_date_of(enum drxi_calendar calendar, const struct drxi_instant *instant, drx_cf_date *date)
{
    const int64_t day = instant->second / DRXI_DAY_SECONDS - (instant->second % DRXI_DAY_SECONDS < 0);
    const int left = (int)(instant->second - day * DRXI_DAY_SECONDS);

    drxi_day_of_number(calendar, day, &date->year, &date->month, &date->day);
    date->hour = left / 3600;
    date->minute = left / 60 % 60;
    date->second = left % 60;
    date->nanosecond = instant->nanosecond;
}

void drxi_date_print(const drx_cf_date *date, char text[])
{
    int n = snprintf(text, DRX_CF_TEXT_BYTES, "%s%04" PRId64 "-%02d-%02d", date->year < 0 ? "-" : "",
                     date->year < 0 ? -date->year : date->year, date->month, date->day);

    if (!date->hour && !date->minute && !date->second && !date->nanosecond)
        return;
    n += snprintf(text + n, (size_t)(DRX_CF_TEXT_BYTES - n), "T%02d:%02d", date->hour, date->minute);
    if (!date->second && !date->nanosecond)
        return;
    n += snprintf(text + n, (size_t)(DRX_CF_TEXT_BYTES - n), ":%02d", date->second);
    if (!date->nanosecond)
        return;
    n += snprintf(text + n, (size_t)(DRX_CF_TEXT_BYTES - n), ".%09d", date->nanosecond);
    while (text[n - 1] == '0')
        text[--n] = '\0';
}
