/* The coordinate nearest to a value. */
#include "cf/cf.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const double circle = 360;

struct search {
    const drx_cf *cf;
    int64_t n;
    const void *stored;
    bool falls;
};

/* The best so far. */
struct best {
    int64_t index;
    drxi_cf_real distance;
};

static drxi_cf_real coordinate(const struct search *s, int64_t i)
{
    return drxi_cf_unpack_one(s->cf, s->stored, i);
}

/* Whether the units are those of a longitude: degrees_east and the other words for it that CF knows. */
static bool is_longitude(const drx_cf *cf)
{
    static const char *const words[] = {
        "degrees_east", "degree_east", "degree_E", "degrees_E", "degreeE", "degreesE"
    };

    for (size_t i = 0; cf->units && i < sizeof words / sizeof *words; i++)
        if (strcmp(cf->units, words[i]) == 0)
            return true;
    return false;
}

/* The coordinates rise, or fall, strictly. */
static drx_status check_order(struct search *s)
{
    char before[DRX_CF_TEXT_BYTES], after[DRX_CF_TEXT_BYTES];
    drxi_cf_real last = 0;

    s->falls = s->n > 1 && coordinate(s, 1) < coordinate(s, 0);
    for (int64_t i = 0; i < s->n; i++) {
        const drxi_cf_real value = coordinate(s, i);

        if (isnan(value))
            return drxi_fail(DRX_EMISMATCH, "%s: index %" PRId64 " is missing; only coordinates have a nearest one",
                             drxi_cf_label(s->cf), i);
        if (i > 0 && !(s->falls ? value < last : value > last))
            return drxi_fail(
                DRX_EMISMATCH, "%s: index %" PRId64 " is %s, after %s; the coordinates must all rise, or all fall",
                drxi_cf_label(s->cf), i, drxi_cf_say(s->cf, value, after), drxi_cf_say(s->cf, last, before));
        last = value;
    }
    return DRX_OK;
}

/* Of two equally near, the one of the larger value, as pandas has it. */
static void try_index(const struct search *s, int64_t i, drxi_cf_real value, struct best *best)
{
    const drxi_cf_real distance = i < 0 || i >= s->n ? INFINITY : fabsl(coordinate(s, i) - value);

    if (distance < best->distance ||
        (distance == best->distance && isfinite(distance) && coordinate(s, i) > coordinate(s, best->index)))
        *best = (struct best){ i, distance };
}

/* By bisection: the first coordinate that is not before the value, and the one before that. */
static void try_value(const struct search *s, drxi_cf_real value, struct best *best)
{
    int64_t low = 0, high = s->n;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const drxi_cf_real there = coordinate(s, middle);

        if (s->falls ? there > value : there < value)
            low = middle + 1;
        else
            high = middle;
    }
    try_index(s, low - 1, value, best);
    try_index(s, low, value, best);
}

/* A longitude means the same after turns of the circle: try it in the circle that the coordinates begin in, and on both
 * sides of that, after the value as it is. */
static struct best find_nearest(const struct search *s, double value)
{
    struct best best = { 0, INFINITY };
    drxi_cf_real turned;

    try_value(s, value, &best);
    if (!is_longitude(s->cf))
        return best;
    turned = value + circle * floorl((coordinate(s, 0) - value) / circle);
    for (int turn = -1; turn <= 2; turn++)
        try_value(s, turned + turn * circle, &best);
    return best;
}

static drx_status check_arguments(const drx_cf *cf, int64_t n, const void *stored, double value, const int64_t *index)
{
    drx_status st = drxi_cf_check(cf);

    if (st)
        return st;
    if (n < 0 || (n > 0 && !stored) || !index)
        return drxi_fail(DRX_EINVAL, "%s: a negative number of coordinates, or a null pointer", drxi_cf_label(cf));
    if (!isfinite(value))
        return drxi_fail(DRX_EINVAL, "%s: nothing is nearest to %g, expected a finite value", drxi_cf_label(cf), value);
    return n > 0 ? DRX_OK : drxi_fail(DRX_ERANGE, "%s: there are no coordinates", drxi_cf_label(cf));
}

drx_status drx_cf_nearest(const drx_cf *cf, int64_t n, const void *stored, double value, double tolerance,
                          int64_t *index)
{
    struct search s = { .cf = cf, .n = n, .stored = stored };
    char wanted[DRX_CF_TEXT_BYTES], nearest[DRX_CF_TEXT_BYTES];
    struct best best;
    drx_status st = check_arguments(cf, n, stored, value, index);

    if (!st)
        st = check_order(&s);
    if (st)
        return st;
    best = find_nearest(&s, value);
    if (tolerance >= 0 && best.distance > tolerance + drxi_cf_rounding(cf, coordinate(&s, best.index)))
        return drxi_fail(
            DRX_ERANGE, "%s: the nearest to %s is %s, at index %" PRId64 ", which is %.9Lg away; the tolerance is %.9g",
            drxi_cf_label(cf), drxi_cf_say(cf, value, wanted), drxi_cf_say(cf, coordinate(&s, best.index), nearest),
            best.index, best.distance, tolerance);
    *index = best.index;
    return DRX_OK;
}

drx_status drx_cf_value(const drx_cf *cf, const char *text, double *value)
{
    int is_date = 0;
    char *end;
    double lo, hi;
    drx_status st = drx_cf_is_date(cf, &is_date);

    if (!st && (!text || !value))
        st = drxi_fail(DRX_EINVAL, "%s: the text or the value is a null pointer", drxi_cf_label(cf));
    if (!st && is_date)
        st = drx_cf_interval(cf, text, &lo, &hi);
    if (!st && !is_date) {
        lo = strtod(text, &end);
        if (end == text || *end || !isfinite(lo))
            st = drxi_fail(DRX_EINVAL, "%s: '%s' is not a number", drxi_cf_label(cf), text);
    }
    if (!st)
        *value = lo;
    return st;
}

drx_status drx_cf_index(drx_array *coordinates, const char *text, double tolerance, int64_t *index)
{
    int64_t n, found;
    double value;
    void *stored;
    drx_cf cf;
    drx_status st = drx_cf_describe(coordinates, &cf);

    if (!st && (drx_ndim(coordinates) != 1 || !index))
        st = drxi_fail(DRX_EINVAL, "coordinates of %d axes, or a null pointer, expected 1", drx_ndim(coordinates));
    if (!st)
        st = drx_cf_value(&cf, text, &value);
    if (st)
        return st;
    n = drx_shape(coordinates)[0];
    stored = drxi_calloc((size_t)drxi_max(n, 1), drx_type_size(cf.type));
    if (!stored)
        return drxi_fail(DRX_ENOMEM, "no memory for %" PRId64 " coordinates", n);
    st = drx_read(coordinates, drx_lower(coordinates), &n, DRX_ROW_MAJOR, stored);
    if (!st)
        st = drx_cf_nearest(&cf, n, stored, value, tolerance, &found);
    if (!st)
        *index = drx_lower(coordinates)[0] + found;
    drxi_free(stored);
    return st;
}
