/* The winds again, from the middle outwards: years before and after, latitudes to both poles, longitudes both ways. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"

enum { GROWTHS = 6 };

static const struct outward {
    const char *what;
    int axis;
    bool before;
    int64_t by;
} growths[GROWTHS] = {
    { "1988 to 1992", 0, false, 60 },
    { "1982 to 1986, before it", 0, true, 60 },
    { "latitudes to the north pole", 1, true, 24 },
    { "latitudes to the south pole", 1, false, 24 },
    { "longitudes to the west", 2, true, 48 },
    { "longitudes to the east", 2, false, 48 },
};

static void make(const struct source *s, const char *path)
{
    static const int64_t lower[3] = { 60, 24, 48 }, shape[3] = { MONTHS_A_YEAR, LATS - 48, LONS - 96 };
    drx_spec spec = plan_spec(s);
    float *box = source_box(s, lower, shape);
    drx_array *a;

    spec.lower = lower; /* the indices of the original */
    spec.shape = shape;
    check(drx_create(path, &spec, &a), "create the array");
    check(drx_write(a, lower, shape, DRX_ROW_MAJOR, box), "write");
    check(drx_close(a), "close");
    free(box);
}

/* One run of a program that adds what was missing at an end of an axis. */
static void grow_at(const struct source *s, const char *path, const struct outward *g)
{
    int64_t lo[3], count[3];
    float *slab;
    drx_array *a;

    check(drx_open(path, DRX_RDWR, &a), "open the array");
    memcpy(lo, drx_lower(a), sizeof lo);
    memcpy(count, drx_shape(a), sizeof count);
    lo[g->axis] += g->before ? -g->by : count[g->axis];
    count[g->axis] = g->by;
    slab = source_box(s, lo, count);
    check(g->before ? drx_prepend(a, g->axis, g->by, DRX_ROW_MAJOR, slab)
                    : drx_append(a, g->axis, g->by, DRX_ROW_MAJOR, slab),
          "grow the array");
    column(g->what, 30);
    for (int j = 0; j < 3; j++)
        printf("%s%lld..%lld", j ? " × " : "", (long long)drx_lower(a)[j],
               (long long)(drx_lower(a)[j] + drx_shape(a)[j] - 1));
    printf("\n");
    check(drx_close(a), "close");
    free(slab);
}

static void compare_with(const struct source *s, const char *path)
{
    static const int64_t origin[3], whole[3] = { MONTHS, LATS, LONS };
    const size_t bytes = (size_t)MONTHS * LATS * LONS * sizeof(float);
    float *expected = source_box(s, origin, whole), *got = allocate((int64_t)bytes, 1);
    drx_array *a;

    check(drx_open(path, DRX_RDONLY, &a), "open the array");
    if (memcmp(drx_lower(a), origin, sizeof origin) != 0 || memcmp(drx_shape(a), whole, sizeof whole) != 0)
        fail("%s: has other bounds than the original", path);
    check(drx_read(a, origin, whole, DRX_ROW_MAJOR, got), "read");
    if (memcmp(expected, got, bytes) != 0)
        fail("%s: differs from the original", path);
    check(drx_close(a), "close");
    free(expected);
    free(got);
    printf("\nAll %s numbers are those of the original.\n", grouped((int64_t)MONTHS * LATS * LONS).s);
}

void grow_outwards(const struct source *s, const char *path)
{
    printf("It is made of the year 1987 and the middle of the Pacific. Its bounds after each growth, which are the\n"
           "indices of the original:\n\n");
    make(s, path);
    for (int i = 0; i < GROWTHS; i++)
        grow_at(s, path, &growths[i]);
    compare_with(s, path);
}
