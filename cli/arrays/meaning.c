#include <string.h>

#include "meaning.h"

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

static double scale_of(const drx_cf *cf)
{
    return cf->scale_factor != 0 ? cf->scale_factor : 1;
}

/* Without a fill, no given number is missing. */
static bool same_fill(const drx_cf *stored, const drx_cf *given)
{
    return !given->fill || (stored->fill && memcmp(stored->fill, given->fill, drx_type_size(stored->type)) == 0);
}

drx_status match_meaning(struct meaning *m)
{
    const drx_cf *stored = &m->stored, *given = &m->given;
    const drx_status st = drx_cf_match(stored, given);

    m->same = !st && stored->type == given->type && scale_of(stored) == scale_of(given) &&
              stored->add_offset == given->add_offset && same_fill(stored, given) && same_units(stored, given);
    return st;
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
