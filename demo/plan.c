/* What is made of the record, and how it grows; alone or by many ranks. */
#include "demo.h"

static const int64_t made[3] = { MONTHS_A_YEAR, EQUATOR + 1, 120 };
static const int64_t chunk[3] = { 12, 19, 16 };
static const char *const dims[3] = { "time", "lat", "lon" };

const struct step steps[STEPS] = {
    { "1983 to 1989, month by month", 0, 1, 84 },
    { "the south: 2.5°S to 90°S", 1, 36, 1 },
    { "1990 to 1992, month by month", 0, 1, 36 },
    { "what was left out: 40°W to 17.5°E", 2, 24, 1 },
};

drx_spec plan_spec(const struct source *s)
{
    return (drx_spec){
        .ndim = 3,
        .type = DRX_FLOAT32,
        .shape = made,
        .chunk = chunk,
        .fill = &s->fill,
        .dims = dims,
        .flags = DRX_REPLACE,
    };
}

void plan_attributes(const struct source *s, struct attribute attributes[ATTRIBUTES])
{
    const struct attribute all[ATTRIBUTES] = {
        { "long_name", s->long_name },
        { "units", s->units },
        { "first_month", "1982-01" },
        { "grid", "from 90 N and 20 E to the south and the east, every 2.5 degrees" },
    };

    for (int i = 0; i < ATTRIBUTES; i++)
        attributes[i] = all[i];
}
