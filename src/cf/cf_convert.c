/* Values of one description as values of another. */
#include "cf/cf.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

enum { BILLION = 1000000000, BATCH = 1024 };

static const char *calendar_text(const struct drxi_since *since)
{
    return drxi_calendar_name(since->calendar);
}

static bool is_gregorian(const struct drxi_since *since)
{
    return since->calendar == DRXI_STANDARD || since->calendar == DRXI_PROLEPTIC;
}

static bool is_from_1582(const struct drxi_instant *instant)
{
    return instant->second >= drxi_first_gregorian_day() * DRXI_DAY_SECONDS;
}

static drx_status match_calendars(struct drxi_conversion *c)
{
    const struct drxi_since *from = &c->from_date, *to = &c->to_date;

    c->gregorian_only = from->calendar != to->calendar;
    if (!c->gregorian_only)
        return DRX_OK;
    if (!is_gregorian(from) || !is_gregorian(to))
        return drxi_fail(
            DRX_EMISMATCH,
            "%s: the calendar is %s, but that of the stored dates is %s; dates are not moved between calendars: "
            "give a file in the calendar %s, for example by convert_calendar of xarray",
            drxi_cf_label(c->to), calendar_text(from), calendar_text(to), calendar_text(to));
    if (!is_from_1582(&from->reference) || !is_from_1582(&to->reference))
        return drxi_fail(DRX_EMISMATCH,
                         "%s: the calendar is %s, but that of the stored dates is %s, and they differ before "
                         "1582-10-15, where one of '%s' and '%s' begins",
                         drxi_cf_label(c->to), calendar_text(from), calendar_text(to), c->from->units, c->to->units);
    return DRX_OK;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static drx_status match_dates(struct drxi_conversion *c, bool from_date, bool to_date)
{
    const drx_cf *date = from_date ? c->from : c->to, *other = from_date ? c->to : c->from;

    if (from_date && to_date)
        return match_calendars(c);
    return drxi_fail(DRX_EMISMATCH, "%s: the units '%s' are dates, but %s%s%s are not", drxi_cf_label(c->to),
                     date->units, other->units ? "'" : "numbers without units", other->units ? other->units : "",
                     other->units ? "'" : "");
}

drx_status drxi_conversion_begin(const drx_cf *from, const drx_cf *to, struct drxi_conversion *c)
{
    bool from_date, to_date;
    drx_status st;

    memset(c, 0, sizeof *c);
    c->from = from;
    c->to = to;
    c->slope = 1;
    st = drxi_since_of(from, &from_date, &c->from_date);
    if (!st)
        st = drxi_since_of(to, &to_date, &c->to_date);
    if (st == DRX_EINVAL && same_text(from->units, to->units) && same_text(from->calendar, to->calendar)) {
        c->is_same = true; /* whatever it is */
        return DRX_OK;
    }
    if (st)
        return st;
    c->is_date = from_date || to_date;
    c->is_same = same_text(from->units, to->units) || (!c->is_date && (!from->units || !to->units));
    if (c->is_date) {
        c->is_same = c->is_same && c->from_date.calendar == c->to_date.calendar;
        return match_dates(c, from_date, to_date);
    }
    return c->is_same ? DRX_OK : drxi_units_convert(from, to, 0, NULL, &c->slope);
}

/* What lies between the reference dates is whole seconds and nanoseconds, and units are fractions, so a value that can
 * be exact is. */
static drxi_cf_real convert_date(const struct drxi_conversion *c, drxi_cf_real value)
{
    const struct drxi_since *from = &c->from_date, *to = &c->to_date;
    const drxi_cf_real offset = drxi_since_value(to, &from->reference);

    if (from->num == to->num && from->den == to->den)
        return value + offset;
    return value * from->num * to->den / (from->den * to->num) + offset;
}

static drx_status check_gregorian(const struct drxi_conversion *c, drxi_cf_real value, int64_t i)
{
    struct drxi_instant instant;
    char text[DRX_CF_TEXT_BYTES];

    if (isnan(value) || (drxi_since_instant(&c->from_date, value, DBL_EPSILON, &instant) && is_from_1582(&instant)))
        return DRX_OK;
    (void)drx_cf_text(c->from, (double)value, text);
    return drxi_fail(DRX_EMISMATCH,
                     "%s: index %" PRId64
                     " is %s in the calendar %s, another day than in the stored %s; these calendars "
                     "agree from 1582-10-15 on",
                     drxi_cf_label(c->to), i, text, calendar_text(&c->from_date), calendar_text(&c->to_date));
}

drx_status drxi_conversion_run(const struct drxi_conversion *c, int64_t first, int64_t n, drxi_cf_real values[])
{
    drx_status st = DRX_OK;
    double slope;

    if (c->is_same)
        return DRX_OK;
    if (!c->is_date)
        return drxi_units_convert(c->from, c->to, n, values, &slope);
    for (int64_t i = 0; !st && i < n; i++) {
        if (c->gregorian_only)
            st = check_gregorian(c, values[i], first + i);
        values[i] = convert_date(c, values[i]);
    }
    return st;
}

drxi_cf_real drxi_conversion_rounding(const struct drxi_conversion *c, drxi_cf_real value)
{
    const struct drxi_since *from = &c->from_date, *to = &c->to_date;

    if (c->is_date)
        return drxi_cf_rounding(c->from, value) * from->num * to->den / (from->den * to->num);
    return c->slope * (drxi_cf_rounding(c->from, value) + (c->is_same ? 0 : 4 * DBL_EPSILON * fabsl(value)));
}

drx_status drx_cf_convert(const drx_cf *from, const drx_cf *to, int64_t n, const double values[], double out[])
{
    struct drxi_conversion c;
    drxi_cf_real batch[BATCH];
    drx_status st = drxi_cf_check(from);

    if (!st)
        st = drxi_cf_check(to);
    if (!st)
        st = drxi_conversion_begin(from, to, &c);
    for (int64_t at = 0; !st && at < n; at += BATCH) {
        const int64_t left = drxi_min(BATCH, n - at);

        for (int64_t i = 0; i < left; i++)
            batch[i] = values[at + i];
        st = drxi_conversion_run(&c, at, left, batch);
        for (int64_t i = 0; !st && i < left; i++)
            out[at + i] = (double)batch[i];
    }
    return st;
}

static drx_status encode_batch(const struct drxi_conversion *c, int64_t first, int64_t n, const void *stored, void *out)
{
    drxi_cf_real values[BATCH];
    double slack[BATCH];
    drx_status st;

    for (int64_t i = 0; i < n; i++) {
        values[i] = drxi_cf_unpack_one(c->from, stored, first + i);
        slack[i] = (double)drxi_conversion_rounding(c, values[i]);
    }
    st = drxi_conversion_run(c, first, n, values);
    for (int64_t i = 0; !st && i < n; i++)
        st = drxi_cf_pack_one(c->to, values[i], slack[i] + drxi_cf_rounding(c->to, values[i]), first + i, out);
    return st;
}

drx_status drx_cf_encode(const drx_cf *from, const drx_cf *to, int64_t n, const void *stored, void *out)
{
    struct drxi_conversion c;
    drx_status st = DRX_OK;

    if (drxi_cf_has_names(to, from)) {
        st = drxi_names_match(to, from);
        return st ? st : drxi_names_encode(from, to, n, stored, out);
    }
    st = drxi_cf_check(from);
    if (!st)
        st = drxi_cf_check(to);
    if (!st)
        st = drxi_conversion_begin(from, to, &c);
    for (int64_t at = 0; !st && at < n; at += BATCH)
        st = encode_batch(&c, at, drxi_min(BATCH, n - at), stored, out);
    return st;
}
