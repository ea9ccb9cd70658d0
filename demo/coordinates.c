/* Coordinates: one-dimensional arrays named like the dimensions of the winds, and beside them. */
#include <stdlib.h>

#include "demo.h"

static void write_axis(const char *name, const double points[], int64_t n, const char *units)
{
    const int64_t none = 0;
    const drx_spec spec = {
        .ndim = 1,
        .type = DRX_FLOAT64,
        .shape = &none,
        .chunk = (int64_t[]){ 256 },
        .dims = &name,
        .flags = DRX_REPLACE,
    };
    drx_array *a;

    check(drx_create(name, &spec, &a), "create a coordinate");
    check(drx_append(a, 0, n, DRX_ROW_MAJOR, points), "append to a coordinate");
    check(drx_attr_set_text(a, "units", units), "set an attribute");
    check(drx_sync(a), "sync");
    check(drx_close(a), "close");
}

void write_coordinates(const struct source *s)
{
    double lat[LATS], lon[LONS];

    for (int i = 0; i < LATS; i++)
        lat[i] = 90 - 2.5 * i;
    for (int i = 0; i < LONS; i++)
        lon[i] = 20 + 2.5 * i;
    write_axis("time", s->hours, MONTHS, s->hours_since);
    write_axis("lat", lat, LATS, "degrees_north");
    write_axis("lon", lon, LONS, "degrees_east");
}
