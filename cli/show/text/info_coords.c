#include "info.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/coords.h"
#include "arrays/text_attribute.h"
#include "frame/text.h"
#include "frame/value.h"

enum { NAME = 16, SHOWN_UNITS = 80 };

static bool value_at(drx_array *a, int64_t index, char out[VALUE_TEXT_BYTES])
{
    _Alignas(VALUE_MAX_BYTES) unsigned char value[VALUE_MAX_BYTES];

    if (drx_get(a, &index, value))
        return false;
    value_text(drx_dtype(a), value, out);
    return true;
}

static void put_units(const drx_array *a)
{
    char *units = text_attribute(a, "units");
    size_t n = units ? strlen(units) : 0;

    if (n > SHOWN_UNITS)
        for (n = SHOWN_UNITS; n > 0 && ((unsigned char)units[n] & 0xc0) == 0x80;)
            n--; /* not within a character */
    if (n > 0)
        put("  %.*s", (int)n, units);
    free(units);
}

void put_coordinates(const drx_array *a, const char *path)
{
    char first[VALUE_TEXT_BYTES], last[VALUE_TEXT_BYTES];
    bool any = false;

    for (int j = 0; j < drx_ndim(a); j++) {
        const char *name = drx_dim_name(a, j);
        drx_array *coordinate = open_named_like(a, path, j);
        const int64_t n = coordinate ? drx_shape(coordinate)[0] : 0;

        if (n > 0 && value_at(coordinate, 0, first) && value_at(coordinate, n - 1, last)) {
            char *visible = visible_text(name, strlen(name));
            int hidden = 0; /* bytes that take no column */

            for (const char *c = visible; c && *c; c++)
                hidden += (*c & 0xc0) == 0x80;
            put("%s  %-*s  %s \u2026 %s", any ? "" : "coordinates\n", NAME + hidden, visible ? visible : "", first,
                last);
            free(visible);
            put_units(coordinate);
            if (n != drx_shape(a)[j])
                put("  (%" PRId64 " value%s for %" PRId64 " indices)", n, n == 1 ? "" : "s", drx_shape(a)[j]);
            put("\n");
            any = true;
        }
        (void)drx_close(coordinate);
    }
}
