/* Times since a date. A unit is a fraction of whole numbers of seconds, so that whole numbers stay whole. */
#include "cf/cf.h"

#include <ctype.h>
#include <math.h>
#include <strings.h>

enum { BILLION = 1000000000 };

static const drxi_cf_real most_seconds = (drxi_cf_real)DRXI_CF_MOST_YEAR * 360 * DRXI_DAY_SECONDS;

/* Where the units end and the date begins: the words that UDUNITS takes. False: there is none. */
static bool split(const char *text, size_t *length, const char **date)
{
    static const char *const words[] = { "since", "after", "from", "ref" };

    for (const char *at = text; *at; at++)
        for (int i = 0; i < 4 && at > text && isspace((unsigned char)at[-1]); i++) {
            const size_t n = strlen(words[i]);

            if (strncasecmp(at, words[i], n) == 0 && isspace((unsigned char)at[n])) {
                *length = (size_t)(at - text);
                *date = at + n;
                return true;
            }
        }
    return false;
}

/* seconds as num / den, of which UDUNITS gives the quotient. */
static void as_fraction(double seconds, drxi_cf_real *num, drxi_cf_real *den)
{
    drxi_cf_real power = 1;

    for (int digits = 0; digits < 10; digits++, power *= 10) {
        const double shifted = seconds * (double)power;

        if (shifted < 1e13 && rint(shifted) >= 1 && fabs(shifted - rint(shifted)) <= 1e-15 * shifted) {
            *num = rint(shifted);
            *den = power;
            return;
        }
    }
    *num = seconds;
    *den = 1;
}

static drx_status wrong_date(const drx_cf *cf, const char *date, const char *why)
{
    while (isspace((unsigned char)*date))
        date++;
    return drxi_fail(DRX_EINVAL, "%s: the units are '%s', but '%s' is no date of the calendar %s: %s",
                     drxi_cf_label(cf), cf->units, date, cf->calendar ? cf->calendar : "standard", why);
}

drx_status drxi_since_of(const drx_cf *cf, bool *is_date, struct drxi_since *out)
{
    struct drxi_date_text reference;
    const char *date, *why;
    size_t length;
    double seconds;
    drx_status st;

    *is_date = false;
    if (!cf->units || !split(cf->units, &length, &date))
        return DRX_OK;
    st = drxi_units_seconds(cf->units, length, &seconds);
    if (st || !(seconds > 0))
        return st;
    if (!drxi_calendar_named(cf->calendar, &out->calendar))
        return drxi_fail(DRX_EINVAL,
                         "%s: the calendar '%s' is none of standard, gregorian, proleptic_gregorian, julian, noleap, "
                         "365_day, all_leap, 366_day and 360_day",
                         drxi_cf_label(cf), cf->calendar);
    why = drxi_date_parse(date, out->calendar, &reference);
    if (why)
        return wrong_date(cf, date, why);
    as_fraction(seconds, &out->num, &out->den);
    out->reference = reference.from;
    *is_date = true;
    return DRX_OK;
}

drxi_cf_real drxi_since_value(const struct drxi_since *since, const struct drxi_instant *instant)
{
    const int64_t seconds = instant->second - since->reference.second;
    const int64_t nanoseconds = instant->nanosecond - since->reference.nanosecond;

    return seconds * since->den / since->num + nanoseconds * since->den / (since->num * BILLION);
}

bool drxi_since_instant(const struct drxi_since *since, drxi_cf_real value, double epsilon, struct drxi_instant *out)
{
    const drxi_cf_real seconds = value * since->num / since->den;
    const drxi_cf_real resolved = fabsl(seconds) * epsilon;
    int64_t step = 1; /* in nanoseconds */
    drxi_cf_real whole, part;
    int64_t nanoseconds;

    if (!(fabsl(seconds) < most_seconds))
        return false;
    while (step < BILLION && resolved * BILLION > step)
        step *= 1000;
    whole = floorl(seconds);
    part = seconds - whole + (drxi_cf_real)since->reference.nanosecond / BILLION;
    nanoseconds = (int64_t)rintl(part * BILLION / step) * step;
    out->second = since->reference.second + (int64_t)whole + nanoseconds / BILLION;
    out->nanosecond = (int32_t)(nanoseconds % BILLION);
    return fabsl((drxi_cf_real)out->second) < most_seconds;
}
