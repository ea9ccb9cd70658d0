/* What is missing between regular coordinates: steps of one size, or of a number of months. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gather.h"

/* Coordinates as numbers: elements, of which integers are exact and packed ones have steps of one size, too; or, if
 * `months`, the months of dates, counted from year 0 on, which have the rest of the date in common. */
struct numbered {
    const drx_cf *cf;
    bool months, exact;
    drx_cf_date rest;
    union number {
        uint64_t whole; /* if `exact`: the bits of an int64 or a uint64 */
        double real;
    } * of;           /* the lower indices, then those after the gap */
    int64_t n, first; /* first: this many are before the gap */
};

static bool take_month(struct numbered *x, int64_t i, const void *element)
{
    drx_cf_date date;
    double value;

    if (drx_cf_unpack(x->cf, 1, element, &value) != DRX_OK || drx_cf_to_date(x->cf, value, &date) != DRX_OK)
        return false;
    if (i == 0)
        x->rest = date;
    x->of[i].whole = (uint64_t)(date.year * 12 + date.month - 1);
    return date.day == x->rest.day && date.hour == x->rest.hour && date.minute == x->rest.minute &&
           date.second == x->rest.second && date.nanosecond == x->rest.nanosecond;
}

static bool take_number(struct numbered *x, int64_t i, const void *element)
{
    if (x->months)
        return take_month(x, i, element);
    if (x->exact)
        x->of[i].whole = (uint64_t)whole_value(x->cf->type, element);
    else
        x->of[i].real = real_part(x->cf->type, element, 0);
    return true;
}

/* From one number to another. Whole ones are less than 2^63 apart, or their steps have another sign and do not fit. */
static double apart(const struct numbered *x, int64_t from, int64_t to)
{
    return x->exact ? (double)(int64_t)(x->of[to].whole - x->of[from].whole) : x->of[to].real - x->of[from].real;
}

/* Whether this many steps lead from one number to another, beyond rounding. */
static bool leads(const struct numbered *x, int64_t from, int64_t to, int64_t steps, union number step)
{
    const double epsilon = x->cf->type == DRX_FLOAT64 ? 9e-16 : 1.2e-7;

    return x->exact ? x->of[to].whole == x->of[from].whole + (uint64_t)steps * step.whole
                    : fabs(apart(x, from, to) - (double)steps * step.real) <=
                          2 * epsilon * fmax(fabs(x->of[0].real), fabs(x->of[x->n - 1].real));
}

/* How many are missing, if both parts go on in steps of one size; -1: they do not. */
static int64_t count_missing(const struct numbered *x)
{
    const int64_t begin = x->first > 1 ? 0 : x->first, last = (x->first > 1 ? x->first : x->n) - 1;
    const double mean = last > begin ? apart(x, begin, last) / (double)(last - begin) : 0;
    const double steps = mean != 0 ? round(apart(x, x->first - 1, x->first) / mean) : 0;
    union number step = { .real = mean };

    if (x->exact && last > begin)
        step.whole = x->of[begin + 1].whole - x->of[begin].whole;
    for (int64_t i = 0; i < x->n; i++) {
        const int64_t from = i < x->first ? 0 : x->first;

        if (!leads(x, from, i, i - from, step))
            return -1;
    }
    return steps > 0 && steps < 0x1p52 && leads(x, x->first - 1, x->first, (int64_t)steps, step) ? (int64_t)steps - 1
                                                                                                 : -1;
}

/* The element after this many that are missing, of `count`. */
static drx_status missing_element(const struct numbered *x, int64_t i, int64_t count, void *out)
{
    const int64_t last = x->first - 1, gap = (int64_t)(x->of[last + 1].whole - x->of[last].whole);
    const int64_t whole = (int64_t)(x->of[last].whole + (uint64_t)(gap / (count + 1) * (i + 1)));
    const drx_type type = x->cf->type, wide = !x->exact ? DRX_FLOAT64 : type == DRX_UINT64 ? DRX_UINT64 : DRX_INT64;
    drx_cf_date date = x->rest;
    double real;
    drx_status st;

    if (!x->months) {
        real = real_rounded(type, x->of[last].real + apart(x, last, last + 1) * (double)(i + 1) / (double)(count + 1));
        return convert_value(wide, x->exact ? (const void *)&whole : &real, type, out) ? DRX_OK : DRX_EMISMATCH;
    }
    date.year = whole >= 0 ? whole / 12 : (whole - 11) / 12;
    date.month = (int)(whole - date.year * 12) + 1;
    st = drx_cf_from_date(x->cf, &date, &real);
    return st ? st : drx_cf_pack(x->cf, 1, &real, out);
}

int fill_gap(const char *label, const drx_cf *cf, int64_t n, const void *stored, int64_t m, const void *added,
             bool before, void **between, int64_t *count)
{
    struct numbered x = { .cf = cf, .n = n + m, .first = before ? m : n };
    const char *const parts[] = { before ? added : stored, before ? stored : added };
    const size_t bytes = drx_type_size(cf->type);
    drx_status st = DRX_OK;

    *count = -1;
    x.of = calloc((size_t)x.n + 1, sizeof *x.of);
    for (int kind = 0; x.of && kind < 2 && *count < 0; kind++) {
        bool good = true;

        x.months = kind == 1;
        x.exact = x.months || type_is_whole(cf->type);
        for (int64_t i = 0; good && i < x.n; i++)
            good = take_number(&x, i,
                               i < x.first ? parts[0] + (size_t)i * bytes : parts[1] + (size_t)(i - x.first) * bytes);
        *count = good ? count_missing(&x) : -1;
    }
    *between = calloc((size_t)(*count > 0 ? *count : 0) + 1, bytes);
    for (int64_t i = 0; *between && !st && i < *count; i++)
        st = missing_element(&x, i, *count, (char *)*between + (size_t)i * bytes);
    free(x.of);
    if (!x.of || !*between)
        return out_of_memory((x.n + *count) * (int64_t)bytes);
    if (*count < 0)
        return failed("%s: what is missing is not known, since the coordinates do not go on in steps of one size or of "
                      "whole months; remove --leave-gaps",
                      label);
    return exit_code(label, st);
}
