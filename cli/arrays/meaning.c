#include "arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Equal, or other words for the same: "m/s" and "m s-1". */
static bool same_units(const drx_cf *stored, const drx_cf *given)
{
    const double zero_one[] = { 0, 1 };
    double out[] = { -1, -1 };

    if (!same_text(stored->calendar, given->calendar))
        return false;
    return same_text(stored->units, given->units) ||
           (drx_cf_convert(given, stored, 2, zero_one, out) == DRX_OK && out[0] == 0 && out[1] == 1);
}

double scale_of(const drx_cf *cf)
{
    return cf->scale_factor != 0 ? cf->scale_factor : 1;
}

/* NaN is missing with and without a fill value. */
static const void *fill_but_nan(const drx_cf *cf)
{
    return cf->fill && !is_nan(cf->fill_type, cf->fill) ? cf->fill : NULL;
}

/* Are the same numbers missing? One that only the array takes for missing would become so. */
static bool same_missing(const drx_cf *stored, const drx_cf *given)
{
    const void *have = fill_but_nan(stored), *more = fill_but_nan(given);

    if (DRX_IS_STRING(stored->type) && !more)
        have = NULL; /* a text is never encoded */
    if (!have != !more || stored->nmissing != given->nmissing)
        return false;
    if (have && (stored->fill_type != given->fill_type || memcmp(have, more, drx_type_size(given->fill_type)) != 0))
        return false;
    return given->nmissing == 0 ||
           (stored->missing_type == given->missing_type &&
            memcmp(stored->missing, given->missing, drx_type_size(given->missing_type) * (size_t)given->nmissing) == 0);
}

drx_status match_meaning(struct meaning *m)
{
    const drx_cf *stored = &m->stored, *given = &m->given;
    const drx_status st = drx_cf_match(stored, given);

    m->same = !st && stored->type == given->type && scale_of(stored) == scale_of(given) &&
              stored->add_offset == given->add_offset && same_missing(stored, given) && same_units(stored, given);
    return st;
}

bool holds_dates(const drx_cf *cf)
{
    int found = 0;

    return drx_cf_is_date(cf, &found) == DRX_OK && found;
}

const char *attribute_text(const drx_array *a, const char *name)
{
    const void *text;
    drx_type type;

    return drx_attr_get(a, name, &type, NULL, &text) == DRX_OK && type == DRX_UINT8 ? text : NULL;
}

void inherit_meaning(const drx_array *a, const char *name, drx_cf *cf)
{
    const char *bounds[] = { attribute_text(a, "bounds"), attribute_text(a, "climatology") };
    drx_cf of;

    if (cf->units || !((bounds[0] && strcmp(bounds[0], name) == 0) || (bounds[1] && strcmp(bounds[1], name) == 0)))
        return;
    if (drx_cf_describe(a, &of) == DRX_OK) {
        cf->units = of.units;
        cf->calendar = of.calendar;
    }
}

const char *overlap_hint(const struct aligned *c, drx_cf_overlap overlap)
{
    drx_cf_alignment place;

    if (overlap != DRX_CF_REFUSE ||
        drx_cf_align(c->stored, c->m, c->have, c->given, c->n, c->more, DRX_CF_SKIP, NULL, NULL, &place) != DRX_OK)
        return "";
    return "; --overlap skip leaves those that are stored, --overlap replace overwrites them";
}

/* ---- a part that was perhaps forgotten ----------------------------------------------------- */

/* Months differ by a tenth, and years less: a step is unlike others that are smaller or larger by half. */
static const double most_ratio = 1.5;

struct steps {
    double least, most; /* least > most: there are none */
};

static void add_steps(struct steps *s, const double values[], int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const double step = fabs(values[i] - values[i - 1]);

        s->least = fmin(s->least, step);
        s->most = fmax(s->most, step);
    }
}

/* Is it unlike all of them, if there are some? */
static bool is_unlike(double step, const struct steps *s)
{
    return s->least > s->most || step > most_ratio * s->most || most_ratio * step < s->least;
}

/* The unit of a step: dates are counted in the unit before "since". */
static int unit_of(const drx_cf *cf, const char **unit)
{
    const char *since = cf->units ? strstr(cf->units, " since ") : NULL;

    *unit = cf->units ? cf->units : "";
    return since ? (int)(since - cf->units) : (int)strlen(*unit);
}

static char *describe_meaning(const drx_cf *cf, const double ends[2], const struct steps *steps)
{
    char texts[2][DRX_CF_TEXT_BYTES], range[64], *text;
    const char *unit;
    const int n = unit_of(cf, &unit);

    for (int i = 0; i < 2; i++)
        if (drx_cf_text(cf, ends[i], texts[i]) != DRX_OK)
            return NULL;
    (void)snprintf(range, sizeof range, steps->least < steps->most ? "%g to %g" : "%g", steps->least, steps->most);
    return asprintf(&text,
                    "%s goes from %s to %s, a step of %g%s%.*s, but its other steps are %s%s%.*s; is a part missing?",
                    cf->name ? cf->name : "the coordinate", texts[0], texts[1], fabs(ends[1] - ends[0]), n ? " " : "",
                    n, unit, range, n ? " " : "", n, unit) < 0
               ? NULL
               : text;
}

char *gap_text(const drx_cf *cf, int64_t m, const void *stored, int64_t n, const void *added, bool before)
{
    double *have = calloc((size_t)m + 1, sizeof *have), *more = calloc((size_t)n + 1, sizeof *more);
    struct steps old = { INFINITY, -INFINITY }, new = old, all;
    double ends[2];
    char *text = NULL;

    if (have && more && m > 0 && n > 0 && drx_cf_unpack(cf, m, stored, have) == DRX_OK &&
        drx_cf_unpack(cf, n, added, more) == DRX_OK) {
        ends[0] = before ? more[n - 1] : have[m - 1];
        ends[1] = before ? have[0] : more[0];
        add_steps(&old, have, m);
        add_steps(&new, more, n);
        all = (struct steps){ fmin(old.least, new.least), fmax(old.most, new.most) };
        if (all.least <= all.most && is_unlike(fabs(ends[1] - ends[0]), &old) &&
            is_unlike(fabs(ends[1] - ends[0]), &new))
            text = describe_meaning(cf, ends, &all);
    }
    free(have);
    free(more);
    return text;
}
