#include "shown.h"

#include <math.h>
#include <string.h>

/* The numbers of an attribute that stand for missing elements. The attribute may have more digits than these. */
static void add_missing(struct shown *how, const drx_array *a, const char *name)
{
    double number[MISSING_VALUES];
    const void *values;
    drx_type type;
    int64_t n;

    if (drx_attr_get(a, name, &type, &n, &values) != DRX_OK || !type_is_real(type))
        return;
    n = n < MISSING_VALUES - how->nmissing ? n : MISSING_VALUES - how->nmissing;
    if (drx_cf_unpack(&(drx_cf){ .type = type }, n, values, number) != DRX_OK)
        return;
    for (int64_t i = 0; i < n; i++) {
        const double stored = real_rounded(how->type, number[i]);

        if (!isnan(stored))
            how->missing[how->nmissing++] = stored;
    }
}

int show_as(struct shown *how, const drx_array *a, const char *path, bool raw)
{
    int is_date = 0;
    drx_status st;

    *how = (struct shown){ .type = drx_dtype(a), .fill = fill_of(a) };
    if (raw || !type_is_real(how->type))
        return DONE;
    st = drx_cf_describe(a, &how->cf);
    if (!st)
        st = drx_cf_is_date(&how->cf, &is_date);
    if (st)
        return failed("%s: %s; --raw prints what is stored", path, drx_last_error());
    how->decoded = is_date || how->cf.scale_factor != 0 || how->cf.add_offset != 0;
    add_missing(how, a, "_FillValue");
    add_missing(how, a, "missing_value");
    return DONE;
}

static bool is_missing(const struct shown *how, const char *element)
{
    double stored;

    if (how->fill && memcmp(element, how->fill, drx_type_size(how->type)) == 0)
        return true;
    if (how->nmissing == 0 || drx_cf_unpack(&(drx_cf){ .type = how->type }, 1, element, &stored) != DRX_OK)
        return false;
    for (int i = 0; i < how->nmissing; i++)
        if (stored == how->missing[i])
            return true;
    return false;
}

void shown_text(const struct shown *how, const char *element, char out[VALUE_TEXT_BYTES])
{
    char text[DRX_CF_TEXT_BYTES];
    double value;

    if (is_missing(how, element))
        memcpy(out, "_", 2);
    else if (how->decoded && drx_cf_unpack(&how->cf, 1, element, &value) == DRX_OK &&
             drx_cf_text(&how->cf, value, text) == DRX_OK)
        memcpy(out, text, strlen(text) + 1);
    else
        value_text(how->type, element, out);
}
