#include "draw.h"

#include <math.h>
#include <string.h>

enum { DAY = 86400 };

static const double earliest = -1e13, latest = 1e13; /* seconds; numbers beyond are not shown as dates */

/* A moment is a number of this description. */
static drx_cf moments(const struct time_unit *t)
{
    return (drx_cf){ .type = DRX_FLOAT64, .units = "seconds since 2000-01-01", .calendar = t->calendar };
}

bool find_time_unit(struct time_unit *t, const drx_cf *cf)
{
    const char *calendar = cf->calendar ? cf->calendar : "standard";
    const drx_cf to = moments(t);
    drx_cf from = { .type = DRX_FLOAT64, .units = cf->units, .calendar = t->calendar };
    double at[2] = { 0, 1 };
    int is_date = 0;

    memset(t, 0, sizeof *t);
    if (!cf->units || strlen(calendar) >= CALENDAR_BYTES || drx_cf_is_date(cf, &is_date) || !is_date)
        return false;
    (void)snprintf(t->calendar, sizeof t->calendar, "%s", calendar);
    if (drx_cf_convert(&from, &to, 2, at, at))
        return false;
    t->base = at[0];
    t->seconds = at[1] - at[0];
    return t->seconds > 0;
}

/* The day of a moment; without a time of day. */
static drx_cf_date day_at(const struct time_unit *t, double moment)
{
    const drx_cf cf = moments(t);
    drx_cf_date d = { 0 };

    (void)drx_cf_to_date(&cf, floor(moment / DAY) * DAY, &d);
    return d;
}

static double moment_of(const struct time_unit *t, int64_t year, int month, int day)
{
    const drx_cf cf = moments(t);
    const drx_cf_date d = { .year = year, .month = month, .day = day };
    double moment = 0;

    (void)drx_cf_from_date(&cf, &d, &moment);
    return moment;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

enum step_unit { YEARS, MONTHS, DAYS, SECONDS };

static void moment_text(const struct time_unit *t, double moment, enum step_unit unit, double step,
                        char out[TICK_TEXT_BYTES])
{
    const double rounded = floor(moment + 0.5);
    const drx_cf_date d = day_at(t, rounded);
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
    double moment = t->base + value * t->seconds, second;

    if (!worth_a_date(moment)) {
        number_text(value, 0, out);
        return;
    }
    if (t->seconds > 27.0 * DAY) /* parts of a day mean nothing in months of 30.44 days */
        moment = floor(moment / DAY + 0.5) * DAY;
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
    drx_cf_date d = day_at(t, moment);
    int64_t n;

    if (s->unit == SECONDS)
        return ceil(moment / s->step - 1e-9) * s->step;
    if (floor(moment / DAY) * DAY < moment)
        d = day_at(t, moment + DAY);
    if (s->unit == DAYS) {
        const int step = (int)s->step;
        const int day = 1 + (d.day - 1 + step - 1) / step * step;

        if (day == 1 || day + step / 2 <= 30)
            return ceil(moment / DAY) * DAY + (day - d.day) * (double)DAY;
        d.day = 2; /* the next is the first of a month */
    }
    n = d.year * 12 + d.month - 1 + (d.day > 1);
    if (s->unit != DAYS) {
        const int64_t step = (int64_t)s->step * (s->unit == YEARS ? 12 : 1);

        n = -floor_div(-n, step) * step;
    }
    return moment_of(t, floor_div(n, 12), (int)(n - floor_div(n, 12) * 12) + 1, 1);
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
