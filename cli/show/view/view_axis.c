/* Axes of a picture: coordinates, directions, names. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arrays/select_by.h"
#include "view.h"

enum { MOST_COORDINATES = 4096 };

/* Read the coordinates of the cells, or of every stride-th one, along axis k of theirs, from s->lo on. */
static int read_coordinates(struct axis *x, drx_array *coordinates, struct selection *s, int k)
{
    struct elements e;
    int status;

    x->stride = (x->count - 1) / MOST_COORDINATES + 1;
    x->n = (x->count - 1) / x->stride + 1;
    s->ndim = drx_ndim(coordinates);
    s->count[k] = x->n;
    s->step[k] = x->n > 1 ? x->step * x->stride : 1;
    x->coordinate = calloc((size_t)x->n, sizeof *x->coordinate);
    status = x->coordinate ? describe_elements(&e, coordinates, s->path, PART_RE)
                           : out_of_memory(x->n * (int64_t)sizeof *x->coordinate);
    return status == DONE ? read_numbers(coordinates, &e, s, x->coordinate) : status;
}

static bool all_finite(const struct axis *x)
{
    for (int64_t i = 0; i < x->n; i++)
        if (!isfinite(x->coordinate[i]))
            return false;
    return true;
}

static bool all_whole(const struct axis *x)
{
    for (int64_t i = 0; i < x->n; i++)
        if (floor(x->coordinate[i]) != x->coordinate[i])
            return false;
    return true;
}

static bool grows(const struct axis *x, double sign)
{
    for (int64_t i = 1; i < x->n; i++)
        if (!(sign * x->coordinate[i] > sign * x->coordinate[i - 1]))
            return false;
    return true;
}

/* Are the steps equal, apart from rounding to single precision? */
static bool is_even(const struct axis *x)
{
    const double *c = x->coordinate;
    const double step = (c[x->n - 1] - c[0]) / (double)(x->n - 1);
    const double slack = 0.002 * fabs(step) + 4 * (double)FLT_EPSILON * fmax(fabs(c[0]), fabs(c[x->n - 1]));

    if (slack > 0.1 * fabs(step))
        return false;
    for (int64_t i = 0; i < x->n; i++)
        if (fabs(c[i] - (c[0] + step * (double)i)) > slack)
            return false;
    return true;
}

static enum spacing spacing_of(const struct axis *x)
{
    if (x->n < 2)
        return UNORDERED;
    if (!isfinite(x->coordinate[x->n - 1] - x->coordinate[0]) || (!grows(x, 1) && !grows(x, -1)))
        return UNORDERED;
    return is_even(x) ? EVEN : ORDERED;
}

static bool begins(const char *text, const char *with)
{
    return text && strncasecmp(text, with, strlen(with)) == 0;
}

char *unit_of(const drx_array *a)
{
    char *unit = text_attribute(a, "units");

    if (unit && strcmp(unit, "1") == 0) {
        free(unit);
        return NULL;
    }
    return unit;
}

/* degrees_north, degree_N, ... */
static bool is_degrees(const char *unit, const char *letter, const char *word)
{
    if (!begins(unit, "degree"))
        return false;
    unit += strlen("degree");
    unit += *unit == 's';
    unit += *unit == '_';
    return strcasecmp(unit, letter) == 0 || strcasecmp(unit, word) == 0;
}

static enum quantity quantity_of(struct axis *x, const drx_array *coordinates)
{
    drx_cf cf;

    if (!x->unit)
        return PLAIN;
    if (is_degrees(x->unit, "N", "north"))
        return LATITUDE;
    if (is_degrees(x->unit, "E", "east"))
        return LONGITUDE;
    return drx_cf_describe(coordinates, &cf) == DRX_OK && find_time_unit(&x->time, &cf) ? TIME : PLAIN;
}

/* Does the text name a depth or a pressure? */
static bool names_depth(const char *text)
{
    return begins(text, "depth") || begins(text, "ocean_sigma") || (text && strstr(text, "pressure"));
}

static bool is_pressure(const char *unit)
{
    static const char *const units[] = { "Pa",  "hPa",  "kPa",  "pascal",  "hectopascal", "mb",
                                         "bar", "mbar", "dbar", "decibar", "millibar",    "atm" };
    size_t n = unit ? strlen(unit) : 0;

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (n > 0 && (strcmp(unit, units[i]) == 0 ||
                      (strlen(units[i]) == n - 1 && unit[n - 1] == 's' && strncmp(unit, units[i], n - 1) == 0)))
            return true;
    return false;
}

/* Do the values grow downwards: as `positive` says, or depths and pressures do without it? */
static bool is_downward(const struct axis *x, const drx_array *coordinates)
{
    char *positive = text_attribute(coordinates, "positive");
    char *standard = text_attribute(coordinates, "standard_name");
    bool down = is_pressure(x->unit) || names_depth(standard) || (!standard && names_depth(x->name));

    if (positive && strcasecmp(positive, "down") == 0)
        down = true;
    else if (positive && strcasecmp(positive, "up") == 0)
        down = false;
    free(positive);
    free(standard);
    return down;
}

/* Does cell 0 come last? Coordinates grow to the right and upwards, as on maps; depths grow downwards. Without
 * coordinates, cells are in the order of a table. */
static bool find_direction(const struct axis *x, const drx_array *coordinates, bool upright)
{
    if (x->n < 2 || x->spacing == UNORDERED)
        return false;
    return (x->coordinate[x->n - 1] < x->coordinate[0]) != (upright && !is_downward(x, coordinates));
}

static char *axis_name(const drx_array *a, int j)
{
    const char *name = drx_dim_name(a, j);
    char *text;

    if (name && name[0])
        return visible_text(name, strlen(name));
    return asprintf(&text, "axis %d", j) < 0 ? NULL : text;
}

char *axis_words(const struct axis *x)
{
    const bool told = x->quantity != PLAIN || !x->unit;
    char *text;

    return asprintf(&text, told ? "%s" : "%s (%s)", x->name, told ? "" : x->unit) < 0 ? NULL : text;
}

int make_axis(struct axis *x, drx_array *a, const struct selection *s, int j, bool upright)
{
    struct selection along = { .lo = { s->lo[j] } };
    drx_array *coordinates;
    char *beside;
    int status;

    memset(x, 0, sizeof *x);
    x->count = s->count[j];
    x->first = s->lo[j];
    x->step = s->step[j];
    x->name = axis_name(a, j);
    if (!x->name)
        return out_of_memory(0);
    coordinates = open_coordinate(a, s->path, j);
    if (!coordinates)
        return DONE;
    beside = path_beside(s->path, x->name);
    along.path = beside ? beside : x->name;
    status = read_coordinates(x, coordinates, &along, 0);
    free(beside);
    if (status == DONE && all_finite(x)) {
        x->unit = unit_of(coordinates);
        x->quantity = quantity_of(x, coordinates);
        x->spacing = spacing_of(x);
        x->whole = type_is_whole(drx_dtype(coordinates)) && all_whole(x);
        x->backwards = find_direction(x, coordinates, upright);
    } else {
        free(x->coordinate);
        x->coordinate = NULL;
    }
    return close_array(coordinates, x->name, status);
}

/* Does cell 0 come last, by coordinates of which some may be missing? Longitudes go round. */
static bool is_turned(struct axis *line, const drx_array *coordinates, bool upright)
{
    double *c = line->coordinate;
    int64_t n = 0;

    for (int64_t i = 0; i < line->n; i++)
        if (isfinite(c[i])) {
            c[n] = n > 0 && !upright ? c[n - 1] + remainder(c[i] - c[n - 1], 360) : c[i];
            n++;
        }
    line->n = n;
    line->spacing = spacing_of(line);
    return find_direction(line, coordinates, upright);
}

int turn_axes(struct axis axis[2], drx_array *a, const struct selection *s, const int axes[2])
{
    const struct frame f = { .path = s->path, .a = a, .n = drx_ndim(a) };
    char *names = text_attribute(a, "coordinates"), *rest = names, *name;
    int status = DONE;

    while (status == DONE && (name = strsep(&rest, " "))) {
        struct cell cell = { 0 };
        drx_array *from = add_to_cell(&f, &cell, name, "") ? cell.from[0] : NULL;
        char *unit = from ? unit_of(from) : NULL;
        const int i = is_degrees(unit, "N", "north") ? 0 : is_degrees(unit, "E", "east") ? 1 : -1;
        const int k = i >= 0 && frame_axis(&f, drx_dim_name(from, 1)) == axes[i];

        if (i >= 0 && !axis[i].coordinate && frame_axis(&f, drx_dim_name(from, k)) == axes[i] &&
            frame_axis(&f, drx_dim_name(from, !k)) == axes[!i]) {
            const int across = axes[!i];
            struct axis line = axis[i];
            struct selection along = { .path = name, .count = { 1, 1 }, .step = { 1, 1 } };

            along.lo[k] = s->lo[axes[i]];
            along.lo[!k] = s->lo[across] + s->count[across] / 2 * s->step[across];
            status = read_coordinates(&line, from, &along, k);
            axis[i].backwards = status == DONE && is_turned(&line, from, i == 0);
            free(line.coordinate);
        }
        free(unit);
        release_cell(&cell);
    }
    free(names);
    return status;
}

void free_axis(struct axis *x)
{
    free(x->name);
    free(x->unit);
    free(x->coordinate);
    memset(x, 0, sizeof *x);
}

static bool is_ordered(const struct axis *x)
{
    return x->spacing == EVEN || x->spacing == ORDERED;
}

/* From the low end of the first cell to the high end of the last one, in units. */
static double extent_of(const struct axis *x)
{
    double low, high;

    axis_bounds(x, &low, &high);
    return high - low;
}

double natural_ratio(const struct axis *down, const struct axis *right, double frame_ratio)
{
    const double cells = (double)right->count / (double)down->count;
    double ratio;

    if (is_ordered(down) && is_ordered(right) && down->unit && right->unit &&
        ((begins(down->unit, "degree") && begins(right->unit, "degree")) || strcmp(down->unit, right->unit) == 0)) {
        ratio = extent_of(right) / extent_of(down);
        return ratio > frame_ratio / 7 && ratio < frame_ratio * 7 ? ratio : 0;
    }
    return cells > frame_ratio / 2 && cells < frame_ratio * 2 ? cells : 0;
}
