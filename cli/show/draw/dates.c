#include "dates.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DAY = 86400 };

static const double earliest = -1e13, latest = 1e13; /* seconds; numbers beyond are not shown as dates */

struct date {
    int64_t year;
    int month, day;
};

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* Days since 1970-01-01. Years begin in March here, so the leap day is the last. */
static int64_t day_number(struct date d, bool julian)
{
    const int64_t year = d.year - (d.month < 3), month = (d.month + 9) % 12;
    const int64_t leaps = floor_div(year, 4) - (julian ? 2 : floor_div(year, 100) - floor_div(year, 400));

    return 365 * year + leaps + (153 * month + 2) / 5 + d.day - 1 - 719468;
}

static struct date date_of(int64_t number, bool julian)
{
    int64_t year = floor_div(number + 719468, 366), day;
    struct date d;

    for (;; year++) { /* the first guess is a few years early at most */
        const int64_t left = number - day_number((struct date){ year + 1, 3, 1 }, julian);
        const int64_t far = left / 366;

        if (left < 0)
            break;
        year += far > 0 ? far - 1 : 0;
    }
    while (number < day_number((struct date){ year, 3, 1 }, julian))
        year--;
    day = number - day_number((struct date){ year, 3, 1 }, julian);
    d.month = (int)((5 * day + 2) / 153);
    d.day = (int)(day - (153 * d.month + 2) / 5 + 1);
    d.month = d.month < 10 ? d.month + 3 : d.month - 9;
    d.year = year + (d.month < 3);
    return d;
}

static const struct date reform = { 1582, 10, 15 };

static bool is_before_reform(struct date d)
{
    return d.year < reform.year ||
           (d.year == reform.year && (d.month < reform.month || (d.month == reform.month && d.day < reform.day)));
}

static double moment_of(const struct time_unit *t, struct date d)
{
    return (double)day_number(d, t->mixed && is_before_reform(d)) * DAY;
}

static struct date date_at(const struct time_unit *t, double moment)
{
    const int64_t day = (int64_t)floor(moment / DAY);

    return date_of(day, t->mixed && day < day_number(reform, false));
}

static double seconds_in(const char *unit, size_t n)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {
        // clang-format off
        { "millisecond", 1e-3 }, { "msec", 1e-3 }, { "second", 1 }, { "sec", 1 }, { "s", 1 }, { "minute", 60 },
        { "min", 60 }, { "hour", 3600 }, { "hr", 3600 }, { "h", 3600 }, { "day", DAY }, { "d", DAY },
        { "week", 7.0 * DAY },
        // clang-format on
    };

    if (n > 1 && (unit[n - 1] == 's' || unit[n - 1] == 'S'))
        n--;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strlen(units[i].name) == n && strncasecmp(units[i].name, unit, n) == 0)
            return units[i].seconds;
    return 0;
}

static bool known_calendar(const char *calendar, bool *mixed)
{
    *mixed = !calendar || strcasecmp(calendar, "standard") == 0 || strcasecmp(calendar, "gregorian") == 0;
    return *mixed || strcasecmp(calendar, "proleptic_gregorian") == 0;
}

bool parse_time_unit(struct time_unit *t, const char *units, const char *calendar)
{
    const size_t n = strcspn(units, " ");
    const char *since = units + n + strspn(units + n, " ");
    long long year;
    int month = 1, day = 1, hour = 0, minute = 0, parts, used = 0;
    double second = 0, zone = 0;

    memset(t, 0, sizeof *t);
    if (!known_calendar(calendar, &t->mixed) || strncasecmp(since, "since ", 6) != 0)
        return false;
    if (sscanf(since + 6, "%lld-%d-%d%n", &year, &month, &day, &used) < 3 || month < 1 || month > 12 || day < 1 ||
        day > 31 || year < -100000 || year > 100000)
        return false;
    since += 6 + used;
    since += strspn(since, " Tt");
    parts = sscanf(since, "%d:%d:%lf", &hour, &minute, &second);
    if (parts > 0) {
        int zone_hour, zone_minute = 0;

        since += strcspn(since, " +-Zz");
        since += strspn(since, " ");
        parts = sscanf(since, "%d:%d", &zone_hour, &zone_minute);
        if (parts == 1 && abs(zone_hour) >= 100) { /* +0530 */
            zone_minute = abs(zone_hour) % 100;
            zone_hour /= 100;
        }
        if (parts > 0)
            zone = zone_hour * 3600.0 + (since[0] == '-' ? -60.0 : 60.0) * zone_minute;
    }
    t->base = moment_of(t, (struct date){ year, month, day }) + hour * 3600.0 + minute * 60.0 + second - zone;
    t->seconds = seconds_in(units, n);
    return t->seconds > 0;
}

enum step_unit { YEARS, MONTHS, DAYS, SECONDS };

static void moment_text(const struct time_unit *t, double moment, enum step_unit unit, double step,
                        char out[TICK_TEXT_BYTES])
{
    const double rounded = floor(moment + 0.5);
    const struct date d = date_at(t, rounded);
    const int second = (int)(rounded - floor(rounded / DAY) * DAY);
    int n = snprintf(out, TICK_TEXT_BYTES, "%04lld", (long long)d.year);

    if (unit >= MONTHS)
        n += snprintf(out + n, TICK_TEXT_BYTES - (size_t)n, "-%02d", d.month);
    if (unit >= DAYS)
        n += snprintf(out + n, TICK_TEXT_BYTES - (size_t)n, "-%02d", d.day);
    if (unit == SECONDS)
        n += snprintf(out + n, TICK_TEXT_BYTES - (size_t)n, " %02d:%02d", second / 3600, second / 60 % 60);
    if (unit == SECONDS && step < 60)
        (void)snprintf(out + n, TICK_TEXT_BYTES - (size_t)n, ":%02d", second % 60);
}

static bool worth_a_date(double moment)
{
    return moment > earliest && moment < latest;
}

void date_text(const struct time_unit *t, double value, char out[TICK_TEXT_BYTES])
{
    const double moment = t->base + value * t->seconds;
    double second;

    if (!worth_a_date(moment)) {
        number_text(value, 0, out);
        return;
    }
    second = fmod(floor(moment + 0.5), DAY);
    moment_text(t, moment, second == 0 ? DAYS : SECONDS, fmod(second, 60) == 0 ? 60 : 1, out);
}

struct date_step {
    enum step_unit unit;
    double step;    /* of these units */
    double seconds; /* about */
};

static struct date_step find_step(double span, int most)
{
    static const struct date_step steps[] = {
        { SECONDS, 1, 1 },         { SECONDS, 5, 5 },         { SECONDS, 15, 15 },        { SECONDS, 30, 30 },
        { SECONDS, 60, 60 },       { SECONDS, 300, 300 },     { SECONDS, 900, 900 },      { SECONDS, 1800, 1800 },
        { SECONDS, 3600, 3600 },   { SECONDS, 10800, 10800 }, { SECONDS, 21600, 21600 },  { SECONDS, 43200, 43200 },
        { DAYS, 1, DAY },          { DAYS, 2, 2.0 * DAY },    { DAYS, 5, 5.0 * DAY },     { DAYS, 10, 10.0 * DAY },
        { MONTHS, 1, 29.0 * DAY }, { MONTHS, 3, 91.0 * DAY }, { MONTHS, 6, 182.0 * DAY },
    };
    const double year = 365.2425 * DAY;
    double years;

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (span / steps[i].seconds + 1 <= most)
            return steps[i];
    years = round_step(span / year, most);
    years = years < 1 ? 1 : years;
    return (struct date_step){ YEARS, years, years * year };
}

/* The first tick at or after the moment. */
static double next_tick(const struct time_unit *t, const struct date_step *s, double moment)
{
    struct date d = date_at(t, moment);
    int64_t n;

    if (s->unit == SECONDS)
        return ceil(moment / s->step - 1e-9) * s->step;
    if (moment_of(t, d) < moment)
        d = date_at(t, moment_of(t, d) + 1.5 * DAY);
    if (s->unit == DAYS) {
        const int step = (int)s->step;
        const int day = 1 + (d.day - 1 + step - 1) / step * step;

        if (day == 1 || day + step / 2 <= 30)
            return moment_of(t, (struct date){ d.year, d.month, d.day }) + (day - d.day) * (double)DAY;
        d.day = 2; /* the next is the first of a month */
    }
    n = d.year * 12 + d.month - 1 + (d.day > 1);
    if (s->unit != DAYS) {
        const int64_t step = (int64_t)s->step * (s->unit == YEARS ? 12 : 1);

        n = -floor_div(-n, step) * step;
    }
    return moment_of(t, (struct date){ floor_div(n, 12), (int)(n - floor_div(n, 12) * 12) + 1, 1 });
}

void date_ticks(const struct time_unit *t, double low, double high, int most, struct ticks *out)
{
    const double from = t->base + low * t->seconds, to = t->base + high * t->seconds;
    struct date_step step;
    double moment = from;

    if (!worth_a_date(from) || !worth_a_date(to)) {
        round_ticks(low, high, most, false, out);
        return;
    }
    out->n = 0;
    if (most > MOST_TICKS)
        most = MOST_TICKS;
    step = find_step(to - from, most);
    for (moment = next_tick(t, &step, from); moment <= to && out->n < most;
         moment = next_tick(t, &step, moment + step.seconds / 4)) {
        struct tick *tick = &out->tick[out->n++];

        tick->value = (moment - t->base) / t->seconds;
        moment_text(t, moment, step.unit, step.step, tick->text);
    }
}
