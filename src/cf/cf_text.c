/* Values as dates and as text. */
#include "cf/cf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static drx_status find_since(const drx_cf *cf, struct drxi_since *since)
{
    bool is_date;
    drx_status st = drxi_cf_check(cf);

    if (!st)
        st = drxi_since_of(cf, &is_date, since);
    if (!st && !is_date)
        st = drxi_fail(DRX_EMISMATCH, "%s: its values are no dates: the units %s%s%s are no time since a date",
                       drxi_cf_label(cf), cf->units ? "'" : "", cf->units ? cf->units : "(none)", cf->units ? "'" : "");
    return st;
}

drx_status drx_cf_to_date(const drx_cf *cf, double value, drx_cf_date *date)
{
    struct drxi_since since;
    struct drxi_instant instant;
    const drx_status st = find_since(cf, &since);

    if (st)
        return st;
    if (!drxi_since_instant(&since, value, drxi_cf_epsilon(cf), &instant))
        return drxi_fail(DRX_EMISMATCH, "%s: %.17g '%s' is no date between the years -%d and %d", drxi_cf_label(cf),
                         value, cf->units, DRXI_CF_MOST_YEAR, DRXI_CF_MOST_YEAR);
    drxi_date_of(since.calendar, &instant, date);
    return DRX_OK;
}

drx_status drx_cf_from_date(const drx_cf *cf, const drx_cf_date *date, double *value)
{
    struct drxi_since since;
    struct drxi_instant instant;
    const drx_status st = find_since(cf, &since);
    const char *why;

    if (st)
        return st;
    why = drxi_instant_of(since.calendar, date, &instant);
    if (why)
        return drxi_fail(DRX_EINVAL, "%s: %lld-%02d-%02d %02d:%02d:%02d is no date of the calendar %s: %s",
                         drxi_cf_label(cf), (long long)date->year, date->month, date->day, date->hour, date->minute,
                         date->second, drxi_calendar_name(since.calendar), why);
    *value = (double)drxi_since_value(&since, &instant);
    return DRX_OK;
}

/* Does a shorter number still mean the value? */
static bool is_enough(const drx_cf *cf, double value, double shorter)
{
    if (drxi_cf_is_packed(cf))
        return fabs(value - shorter) <= 1e-3 * fabs(cf->scale_factor != 0 ? cf->scale_factor : 1);
    if (cf->type == DRX_FLOAT16)
        return drxi_half_of(value) == drxi_half_of(shorter);
    return cf->type == DRX_FLOAT32 ? (float)value == (float)shorter : value == shorter;
}

static void print_number(const drx_cf *cf, double value, char text[])
{
    int digits = 0;

    if (value == rint(value) && fabs(value) < 1e15)
        (void)snprintf(text, DRX_CF_TEXT_BYTES, "%.0f", value);
    else
        do
            (void)snprintf(text, DRX_CF_TEXT_BYTES, "%.*g", ++digits, value);
        while (digits < 17 && !is_enough(cf, value, strtod(text, NULL)));
}

drx_status drx_cf_text(const drx_cf *cf, double value, char text[])
{
    struct drxi_since since;
    struct drxi_instant instant;
    drx_cf_date date;
    bool is_date;
    drx_status st = drxi_cf_check(cf);

    if (!st)
        st = drxi_since_of(cf, &is_date, &since);
    if (st)
        return st;
    if (is_date && drxi_since_instant(&since, value, drxi_cf_epsilon(cf), &instant)) {
        drxi_date_of(since.calendar, &instant, &date);
        drxi_date_print(&date, text);
    } else {
        print_number(cf, value, text);
    }
    return DRX_OK;
}

const char *drxi_cf_say(const drx_cf *cf, drxi_cf_real value, char text[DRX_CF_TEXT_BYTES])
{
    if (drx_cf_text(cf, (double)value, text) != DRX_OK)
        (void)snprintf(text, DRX_CF_TEXT_BYTES, "%.17g", (double)value);
    return text;
}

drx_status drx_cf_interval(const drx_cf *cf, const char *text, double *lo, double *hi)
{
    struct drxi_since since;
    struct drxi_date_text dates;
    const drx_status st = find_since(cf, &since);
    const char *why;

    if (st)
        return st;
    why = drxi_date_parse(text, since.calendar, &dates);
    if (why)
        return drxi_fail(DRX_EINVAL, "%s: '%s' is no date of the calendar %s: %s; give one such as 1997-12-16T12:30",
                         drxi_cf_label(cf), text, drxi_calendar_name(since.calendar), why);
    *lo = (double)drxi_since_value(&since, &dates.from);
    *hi = (double)drxi_since_value(&since, &dates.to);
    return DRX_OK;
}
