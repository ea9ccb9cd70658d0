/* drx_cf.h - coordinates and other numbers by what they mean, after the CF conventions.
 *
 * Two files may store the same dates, latitudes or temperatures as other numbers: in other units, from another
 * reference date, packed. The calls here decode numbers, compare what they mean, and encode them again as another array
 * stores them. They refuse what does not mean the same. UDUNITS-2 knows the units; the arithmetic of dates is this
 * library's.
 *
 * Dates
 *   - Units of time since a date ("days since 2001-01-01 06:00 -5:00") make numbers dates. The reference date is year,
 *     year-month or year-month-day, then perhaps a time of day, then perhaps a time zone: Z, UTC, GMT, or how far local
 *     time is ahead of UTC, as hours, hours:minutes or HHMM with a sign. Dates that come out are in UTC.
 *   - The calendars are standard or gregorian (Julian up to 1582-10-04, then Gregorian from 1582-10-15 on),
 *     proleptic_gregorian, julian, noleap or 365_day, all_leap or 366_day, and 360_day; capitals do not matter. Without
 *     a calendar it is standard.
 *   - Every calendar has a year 0, before year 1, and negative years before it. (UDUNITS calls the year before year 1
 *     of the standard calendar -1.) Years go to 999999999 on both sides.
 *   - A month is a twelfth of a year, and a year 365.242198781 days, as UDUNITS has them.
 *   - Seconds are counted in whole numbers, so a date is as exact as the double that holds it. There are no leap
 *     seconds.
 *
 * Values
 *   - "Value" is an unpacked number in the units of its description: stored * scale_factor + add_offset. NaN is a
 *     missing value; it is stored as `fill`, or without one as the first of `missing`.
 *   - valid_min, valid_max and valid_range do not make a value missing, as in xarray.
 *   - Complex types are refused.
 *
 * Failures: DRX_EINVAL for a description or text that cannot be understood, DRX_EMISMATCH for numbers or descriptions
 * that do not fit together; the detail names both. DRX_EUNSUPPORTED: the database of UDUNITS cannot be read; the
 * environment variable UDUNITS2_XML_PATH can say where it is.
 * Threads: any number of threads may make these calls. Those that need UDUNITS, which is not safe with threads, wait
 * for each other; a program that also calls UDUNITS itself must do so while no other thread makes these calls. No call
 * prints: messages of UDUNITS are off meanwhile.
 */
#ifndef DRX_CF_H
#define DRX_CF_H

#include <drx.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what numbers mean --------------------------------------------------------- */

typedef struct drx_cf { /* zero-initialise, then set what is known */
    drx_type type;      /* as which elements are read (drx_cf_type) */
    drx_type fill_type; /* of `fill`; 0: type */
    const char *name;   /* of the variable, compared and for messages; NULL: unknown */
    const char *standard_name;
    const char *units;    /* NULL: unknown */
    const char *calendar; /* NULL: standard, for dates */
    double scale_factor;  /* 0: 1 */
    double add_offset;
    const void *fill;    /* a number that stands for a missing value (_FillValue); NULL: none does */
    const void *missing; /* other numbers that do (missing_value), of missing_type */
    int32_t nmissing;    /* how many */
    drx_type missing_type;
    uint64_t reserved[2]; /* zero */
} drx_cf;

/* The type as which elements of type `stored` are read. `is_unsigned` is the attribute _Unsigned of the NetCDF Users'
 * Guide, or NULL: "true" makes a signed integer type the unsigned one of its size, "false" an unsigned one the signed
 * one. The _FillValue and missing_value of the stored type are read so, too. */
DRX_API drx_type drx_cf_type(drx_type stored, const char *is_unsigned);

/* Fill *cf from the attributes units, calendar, standard_name, scale_factor, add_offset, _Unsigned, missing_value and
 * _FillValue of `a`; without the last one, from its fill value unless that is zero. The name is NULL. The pointers
 * belong to `a`, as those of other inquiries. Errors: DRX_EINVAL (an attribute is of an impossible kind). */
DRX_API drx_status drx_cf_describe(const drx_array *a, drx_cf *cf);

/* Whether values are dates: the units are a time since a date. Strings are none. Errors: DRX_EINVAL (also: such
 * units, or a calendar, that cannot be understood). */
DRX_API drx_status drx_cf_is_date(const drx_cf *cf, int *is_date);

/* Whether numbers of `given` can become numbers of `stored`: equal names and standard names, units that convert into
 * each other, one calendar. What one of them does not say is not compared, except that dates go with dates only. Units
 * that nobody understands match equal ones. Calendars are one when their names mean the same; standard and
 * proleptic_gregorian also when both reference dates are 1582-10-15 or later, and drx_cf_convert then checks the
 * values. Errors: DRX_EMISMATCH, DRX_EINVAL. */
DRX_API drx_status drx_cf_match(const drx_cf *stored, const drx_cf *given);

/* ---- packing and units ----------------------------------------------------------- */

/* `n` values from stored elements of cf->type. int64 and uint64 beyond 2^53 are rounded. */
DRX_API drx_status drx_cf_unpack(const drx_cf *cf, int64_t n, const void *stored, double values[]);

/* Store `n` values as elements of cf->type. With scale_factor or add_offset, an integer type takes the nearest number;
 * without them, values must be whole to within 1e-9. A value that the type cannot hold is refused, with its index and
 * the range; so is one that would become the fill, and NaN when there is no fill (except for floating-point types,
 * which then hold NaN). Nothing wraps. After a failure `stored` is undefined. Errors: DRX_EMISMATCH. */
DRX_API drx_status drx_cf_pack(const drx_cf *cf, int64_t n, const double values[], void *stored);

/* `n` values in the units, or in the units, reference date and calendar, of `to`, from values in those of `from`, which
 * may be the same memory. Errors: as drx_cf_match, but names are not compared; DRX_EMISMATCH also for a date that is
 * the same in one of the calendars standard and proleptic_gregorian only. */
DRX_API drx_status drx_cf_convert(const drx_cf *from, const drx_cf *to, int64_t n, const double values[], double out[]);

/* `n` elements of to->type that mean what the elements of from->type do: unpack, convert, and pack. `out` may be
 * `stored` when the types have one size. Integers are exact, also those of 64 bits, unless UDUNITS converts them.
 * Rounding in the type of `from` does not count as a part of a whole number. Errors: as drx_cf_match without names, and
 * drx_cf_pack. */
DRX_API drx_status drx_cf_encode(const drx_cf *from, const drx_cf *to, int64_t n, const void *stored, void *out);

/* ---- dates --------------------------------------------------------------------------- */

typedef struct drx_cf_date {
    int64_t year;
    int month, day;           /* from 1 */
    int hour, minute, second; /* UTC */
    int nanosecond;
} drx_cf_date;

enum { DRX_CF_TEXT_BYTES = 48 }; /* enough for the text of a date or value, and its NUL */

/* The date that a value means, rounded to the nanosecond, microsecond, millisecond or second that the value, as a
 * number of cf->type, still resolves. Errors: DRX_EMISMATCH (not dates; NaN; beyond the years), DRX_EINVAL. */
DRX_API drx_status drx_cf_to_date(const drx_cf *cf, double value, drx_cf_date *date);

/* The value of a date. Errors: DRX_EMISMATCH (not dates), DRX_EINVAL (the calendar has no such date). */
DRX_API drx_status drx_cf_from_date(const drx_cf *cf, const drx_cf_date *date, double *value);

/* A value for people: dates as "1997-12-16", "1997-12-16T12:00", "1997-12-16T12:00:30.5", as short as they can be
 * without losing a part; other values as the shortest decimal number that cf->type tells from its neighbours. Values
 * that are no dates of their calendar (NaN) come as numbers, too. `text` has room for DRX_CF_TEXT_BYTES. */
DRX_API drx_status drx_cf_text(const drx_cf *cf, double value, char text[]);

/* The values lo <= value < hi that a text names: "1997" a year, "1997-12" a month, "1997-12-16" a day, and after a T or
 * a space "12" an hour, "12:30" a minute, "12:30:15" a second, and with n decimals 10^-n of it, n up to 9. A time zone
 * may follow a time of day. Errors: DRX_EINVAL (no date of the calendar), DRX_EMISMATCH (values are not dates). */
DRX_API drx_status drx_cf_interval(const drx_cf *cf, const char *text, double *lo, double *hi);

/* ---- the nearest coordinate --------------------------------------------------------------- */

/* The value that a text names: a number; of dates the beginning of what drx_cf_interval takes, in the calendar of cf.
 * Errors: DRX_EINVAL. */
DRX_API drx_status drx_cf_value(const drx_cf *cf, const char *text, double *value);

/* The index of the nearest of `n` coordinates to a value.
 *
 *   stored     elements of cf->type, which all rise, or all fall, strictly; the steps may differ
 *   value      in the units of cf
 *   tolerance  how far away the nearest one may be, in these units, rounding apart; negative: any distance
 *   index      0 is the first of them
 *
 * Of two that are equally near it is the one of the larger value. Where the units are degrees_east, or another word
 * that CF has for them, values that differ by 360 are one: -30 is near 330, and 359.9 near 0.
 * Errors: DRX_ERANGE (none is so near, or there are none), DRX_EMISMATCH (the coordinates are not in order, or one is
 * missing; the detail names the index), DRX_EINVAL (also a value that is not finite). */
DRX_API drx_status drx_cf_nearest(const drx_cf *cf, int64_t n, const void *stored, double value, double tolerance,
                                  int64_t *index);

/* The same with an array of one axis that holds the coordinates, and with a text: "47.3", or "1997-12-16T12". *index is
 * an index of the array, whose first one is drx_lower. Errors: also those of drx_read. */
DRX_API drx_status drx_cf_index(drx_array *coordinates, const char *text, double tolerance, int64_t *index);

/* ---- appending and comparing ------------------------------------------------------------ */

/* What to do with coordinates that are stored already: refuse them, drop the new ones, or let them take the place of
 * those that are stored. */
typedef enum { DRX_CF_REFUSE, DRX_CF_SKIP, DRX_CF_REPLACE } drx_cf_overlap;

/* Where new coordinates belong: after the last stored one, or before the first one. */
typedef enum { DRX_CF_AFTER, DRX_CF_BEFORE } drx_cf_side;

typedef struct drx_cf_alignment { /* filled by drx_cf_align */
    drx_cf_side side;
    int64_t from;     /* first new index that is added: 0 when they go before the first stored one */
    int64_t appended; /* those that are added, from there on; all others are stored already */
    uint64_t reserved[4];
} drx_cf_alignment;

/* Decide where new coordinates go, and encode them as the stored ones.
 *
 *   stored, m, have  description, number and elements of the stored coordinate
 *   given, n, more   of the one to append; its elements are of given->type
 *   overlap          what to do with coordinates that are stored already
 *   index            n indices, or NULL. New index i goes to index[i], where 0 is the first stored one: to m and on
 *                    after the last one, to -out->appended and on before the first one, or to the equal stored one,
 *                    which DRX_CF_SKIP leaves as it is
 *   encoded          n elements of stored->type, or NULL
 *
 * The descriptions must match (drx_cf_match). Both coordinates must rise, or both fall, strictly, also after they were
 * encoded. New ones must go on from the last stored one, or lead up to the first one, in the direction of the stored
 * ones. With fewer than two stored ones that is the direction of the new ones; a single date rises, and any other
 * single value goes after a single one. With SKIP and REPLACE some of them may be stored already, each equal to a
 * stored one: the first ones of those that go after, the last ones of those that go before.
 *
 * Equal means: no further apart than rounding explains. That is 1.2e-7 of the value for each float32, 9e-16 for each
 * float64 and where UDUNITS converts, and half a step of scale_factor for each packed integer. Integers are exact: one
 * that a stored floating-point type would round is refused.
 * Errors: DRX_EMISMATCH, with the two values, as dates or numbers, and their indices; DRX_EINVAL, DRX_ENOMEM. */
DRX_API drx_status drx_cf_align(const drx_cf *stored, int64_t m, const void *have, const drx_cf *given, int64_t n,
                                const void *more, drx_cf_overlap overlap, int64_t index[], void *encoded,
                                drx_cf_alignment *out);

/* Compare `n` elements that should mean the same, such as the latitudes of two files. *first (may be NULL) is the first
 * index where they differ beyond rounding, as in drx_cf_align; two missing values are equal. Errors: DRX_EMISMATCH,
 * with that index and both values, or as drx_cf_match. */
DRX_API drx_status drx_cf_compare(const drx_cf *stored, const void *have, const drx_cf *given, const void *more,
                                  int64_t n, int64_t *first);

#ifdef __cplusplus
}
#endif

#endif
