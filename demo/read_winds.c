/* Act 2: a reader compares every value with the original, in both orders. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"

static const int64_t origin[3];
static const int64_t whole[3] = { MONTHS, LATS, LONS };
static const int64_t elements = (int64_t)MONTHS * LATS * LONS;

/* Bits, so that nothing passes for equal that only compares equal. */
static bool same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void read_whole(const struct source *s, drx_array *a, drx_order order)
{
    float *buf = allocate(elements, sizeof *buf);
    const double start = now_us();
    int64_t equal = 0, at;
    double us;

    check(drx_read(a, origin, whole, order, buf), "read the array");
    us = now_us() - start;
    for (int64_t t = 0; t < MONTHS; t++)
        for (int64_t y = 0; y < LATS; y++)
            for (int64_t x = 0; x < LONS; x++) {
                at = order == DRX_ROW_MAJOR ? (t * LATS + y) * LONS + x : (x * LATS + y) * MONTHS + t;
                equal += same(buf[at], source_value(s, t, y, x));
            }
    show_reading(order == DRX_ROW_MAJOR ? "all, in C order: longitude fastest" : "all, in Fortran order: time fastest",
                 equal, elements, us);
    free(buf);
}

static void read_series(const struct source *s, drx_array *a, float series[MONTHS])
{
    const int64_t lo[3] = { 0, EQUATOR, PLACE }, count[3] = { MONTHS, 1, 1 };
    const double start = now_us();
    int64_t equal = 0;
    double us;

    check(drx_read(a, lo, count, DRX_ROW_MAJOR, series), "read a series");
    us = now_us() - start;
    for (int64_t t = 0; t < MONTHS; t++)
        equal += same(series[t], source_value(s, t, lo[1], lo[2]));
    show_reading("one place, all months: 0° 150°W", equal, MONTHS, us);
}

void read_back(const struct source *s, const char *path)
{
    float series[MONTHS];
    drx_array *a;

    check(drx_open(path, DRX_RDONLY, &a), "open the array");
    if (memcmp(drx_shape(a), whole, sizeof whole) != 0)
        fail("%s does not have the shape of the original", path);

    show_title("Where the chunks are");
    show_chunks(a);

    show_title("Every value is that of the original");
    show_reading_head();
    read_whole(s, a, DRX_ROW_MAJOR);
    read_whole(s, a, DRX_COL_MAJOR);
    read_series(s, a, series);
    check(drx_close(a), "close");

    show_title("Eleven years at one place: the equator, 150 degrees west");
    show_series(series);
}
