/* What the files of this room share: calendars, dates, times since a date, units, packing. */
#pragma once

#include "base/base.h"
#include "drx_cf.h"

/* A value while it is converted. It holds every int64 and uint64 exactly, or cf_pack.c is not compiled. */
typedef long double drxi_cf_real;

/* ---- calendars: days of a calendar, counted in whole numbers ------------------------ */

enum drxi_calendar { DRXI_STANDARD, DRXI_PROLEPTIC, DRXI_JULIAN, DRXI_NOLEAP, DRXI_ALL_LEAP, DRXI_360_DAY };
enum { DRXI_CF_MOST_YEAR = 999999999, DRXI_DAY_SECONDS = 86400 };

/* Its name as CF writes it. */
const char *drxi_calendar_name(enum drxi_calendar calendar);
/* False: there is no such calendar. NULL is the standard one. */
bool drxi_calendar_named(const char *name, enum drxi_calendar *calendar);

/* The number of a day. Days of standard, proleptic_gregorian and julian are counted from the same day. False: the
 * calendar has no such day. */
bool drxi_day_number(enum drxi_calendar calendar, int64_t year, int month, int day, int64_t *number);
void drxi_day_of_number(enum drxi_calendar calendar, int64_t number, int64_t *year, int *month, int *day);

/* The day number from which on the calendars standard and proleptic_gregorian are one: 1582-10-15. */
int64_t drxi_first_gregorian_day(void);

/* ---- dates as text, and instants --------------------------------------------------- */

/* A moment: seconds since the start of day 0 of a calendar, UTC; 0 <= nanosecond < 10^9. */
struct drxi_instant {
    int64_t second;
    int32_t nanosecond;
};

/* A date as text, and where the interval ends that it names. */
struct drxi_date_text {
    struct drxi_instant from, to;
    bool has_clock;
};

/* Read a date, and a time of day and a zone if they follow. NULL, or what is wrong with the text. */
const char *drxi_date_parse(const char *text, enum drxi_calendar calendar, struct drxi_date_text *out);

/* NULL, or what is wrong with the date: a text that stays. */
const char *drxi_instant_of(enum drxi_calendar calendar, const drx_cf_date *date, struct drxi_instant *out);
void drxi_date_of(enum drxi_calendar calendar, const struct drxi_instant *instant, drx_cf_date *date);
void drxi_date_print(const drx_cf_date *date, char text[]); /* DRX_CF_TEXT_BYTES */

/* ---- times since a date ----------------------------------------------------------------- */

/* A unit is num / den seconds. */
struct drxi_since {
    enum drxi_calendar calendar;
    drxi_cf_real num, den;
    struct drxi_instant reference;
};

/* *is_date: are the units a time since a date? Then set *out. Units without "since" are none. */
drx_status drxi_since_of(const drx_cf *cf, bool *is_date, struct drxi_since *out);

drxi_cf_real drxi_since_value(const struct drxi_since *since, const struct drxi_instant *instant);

/* The instant, rounded to what a number that is so large resolves: `epsilon` is that of its type, relative. False: it
 * is beyond the years. */
bool drxi_since_instant(const struct drxi_since *since, drxi_cf_real value, double epsilon, struct drxi_instant *out);

/* ---- units, by UDUNITS ------------------------------------------------------------------- */

/* *seconds of one unit of time; 0: `units` are not a time. The status of a failure has its detail. */
drx_status drxi_units_seconds(const char *units, size_t length, double *seconds);

/* Convert `n` values, which may be 0. *slope is how fast converted values grow near 0, for what rounding amounts to. */
drx_status drxi_units_convert(const drx_cf *from, const drx_cf *to, int64_t n, drxi_cf_real values[], double *slope);

/* ---- descriptions, packing, conversion ------------------------------------------------------ */

/* How messages call it: its name, its standard name or "the coordinate". */
const char *drxi_cf_label(const drx_cf *cf);
/* A value as messages say it: a date, or a number in its units. Returns `text`. */
const char *drxi_cf_say(const drx_cf *cf, drxi_cf_real value, char text[DRX_CF_TEXT_BYTES]);
drx_status drxi_cf_check(const drx_cf *cf);
static inline bool drxi_cf_is_packed(const drx_cf *cf)
{
    return (cf->scale_factor != 0 && cf->scale_factor != 1) || cf->add_offset != 0;
}
static inline bool drxi_cf_is_float(const drx_cf *cf)
{
    return cf->type == DRX_FLOAT16 || cf->type == DRX_FLOAT32 || cf->type == DRX_FLOAT64;
}

/* How far apart its numbers are, relative to them; of an integer type as of doubles. */
static inline double drxi_cf_epsilon(const drx_cf *cf)
{
    return cf->type == DRX_FLOAT16 ? 0x1p-10 : cf->type == DRX_FLOAT32 ? 0x1p-23 : 0x1p-52;
}

/* How far a stored number may be from the value `value` that it stands for. */
drxi_cf_real drxi_cf_rounding(const drx_cf *cf, drxi_cf_real value);

drxi_cf_real drxi_cf_unpack_one(const drx_cf *cf, const void *stored, int64_t i);
/* slack: how far from a whole number a value may be that an integer type holds unpacked. */
drx_status drxi_cf_pack_one(const drx_cf *cf, drxi_cf_real value, drxi_cf_real slack, int64_t i, void *stored);

/* How values of one description become values of another. */
struct drxi_conversion {
    const drx_cf *from, *to;
    bool is_date, is_same, gregorian_only;
    struct drxi_since from_date, to_date;
    double slope; /* of what is not a date */
};
drx_status drxi_conversion_begin(const drx_cf *from, const drx_cf *to, struct drxi_conversion *c);
/* Convert `n` values; messages count them from index `first`. */
drx_status drxi_conversion_run(const struct drxi_conversion *c, int64_t first, int64_t n, drxi_cf_real values[]);
/* How far rounding of `value` of c->from moves the converted one. */
drxi_cf_real drxi_conversion_rounding(const struct drxi_conversion *c, drxi_cf_real value);

/* ---- cf_names.c: coordinates that are strings ---- */

/* Whether one of them, or both, are strings; then these do what drx_cf_match and so on say. The pointers are valid. */
bool drxi_cf_has_names(const drx_cf *stored, const drx_cf *given);
drx_status drxi_names_match(const drx_cf *stored, const drx_cf *given);
drx_status drxi_names_encode(const drx_cf *from, const drx_cf *to, int64_t n, const void *stored, void *out);
drx_status drxi_names_compare(const drx_cf *stored, const void *have, const drx_cf *given, const void *more, int64_t n,
                              int64_t *first);
drx_status drxi_names_align(const drx_cf *stored, int64_t m, const void *have, const drx_cf *given, int64_t n,
                            const void *more, drx_cf_overlap overlap, int64_t index[], void *encoded,
                            drx_cf_alignment *out);
