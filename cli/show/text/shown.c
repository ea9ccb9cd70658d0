#include "shown.h"

#include <math.h>
#include <string.h>

int show_as(struct shown *how, const drx_array *a, const char *path, bool raw)
{
    int is_date = 0;
    drx_status st;

    *how = (struct shown){ .real = !raw && type_is_real(drx_dtype(a)), .fill = fill_of(a), .cf.type = drx_dtype(a) };
    if (!how->real)
        return DONE;
    st = drx_cf_describe(a, &how->cf);
    if (!st)
        st = drx_cf_is_date(&how->cf, &is_date);
    if (st)
        return failed("%s: %s; --raw prints what is stored", path, drx_last_error());
    how->decoded = is_date || how->cf.scale_factor != 0 || how->cf.add_offset != 0;
    return DONE;
}

/* A number that is not NaN, but means it. */
static bool is_missing(const struct shown *how, const char *element, double value)
{
    if (how->fill && memcmp(element, how->fill, drx_type_size(how->cf.type)) == 0)
        return true;
    return isnan(value) && (type_is_whole(how->cf.type) || !isnan(real_part(how->cf.type, element, 0)));
}

void shown_text(const struct shown *how, const char *element, char out[VALUE_TEXT_BYTES])
{
    char text[DRX_CF_TEXT_BYTES];
    double value = 0;

    if (how->real)
        (void)drx_cf_unpack(&how->cf, 1, element, &value);
    if (is_missing(how, element, value))
        memcpy(out, "_", 2);
    else if (how->decoded && drx_cf_text(&how->cf, value, text) == DRX_OK)
        memcpy(out, text, strlen(text) + 1);
    else
        value_text(how->cf.type, element, out);
}
