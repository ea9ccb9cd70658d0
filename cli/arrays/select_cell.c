/* Selection by coordinates that vary along two axes: the nearest latitude and longitude. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "select_by.h"

static bool is_along_two(const struct frame *f, const drx_array *from)
{
    int axis[2] = { -1, -1 };

    for (int k = 0; from && k < 2 && drx_ndim(from) == 2 && type_is_real(drx_dtype(from)); k++)
        axis[k] = drx_dim_name(from, k) ? frame_axis(f, drx_dim_name(from, k)) : -1;
    if (axis[0] < 0 || axis[1] < 0 || axis[0] == axis[1])
        return false;
    for (int k = 0; k < 2; k++)
        if (drx_shape(from)[k] != (f->a ? drx_shape(f->a)[axis[k]] : frame_extent(f, axis[k])))
            return false;
    return true;
}

bool add_to_cell(const struct frame *f, struct cell *c, const char *name, const char *value)
{
    drx_array *from = f->a ? open_array_beside(f->a, f->path, name) : frame_member(f, name);

    if (c->n == 2 || !is_along_two(f, from)) {
        if (f->a)
            (void)drx_close(from);
        return false;
    }
    c->owned = f->a;
    c->from[c->n] = from;
    c->name[c->n] = strdup(name);
    c->value[c->n] = strdup(value);
    c->n++;
    return c->name[c->n - 1] && c->value[c->n - 1];
}

void release_cell(struct cell *c)
{
    for (int i = 0; i < c->n; i++) {
        free(c->name[i]);
        free(c->value[i]);
        if (c->owned)
            (void)drx_close(c->from[i]);
    }
}

struct point {
    double x, y, z;
};

static struct point on_sphere(double lat, double lon)
{
    const double degree = acos(-1) / 180;

    return (struct point){ cos(lat * degree) * cos(lon * degree), cos(lat * degree) * sin(lon * degree),
                           sin(lat * degree) };
}

/* Larger for what is further away; NaN where one of them is missing. */
static double apart(struct point a, struct point b)
{
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z);
}

/* Of a grid of n[0] by n[1]; -1: all are missing, or the place is further away than all elements beside the nearest. */
static int64_t nearest_cell(const double lat[], const double lon[], const int64_t n[2], struct point place)
{
    const double slack = 1e-12; /* of floats, some ten metres */
    double least = INFINITY, most = 0;
    struct point found;
    int64_t best = -1;

    for (int64_t i = 0; i < n[0] * n[1]; i++) {
        const double d = apart(on_sphere(lat[i], lon[i]), place);

        if (d < least) {
            least = d;
            best = i;
        }
    }
    if (best < 0)
        return best;
    found = on_sphere(lat[best], lon[best]);
    for (int64_t j = best / n[1] - 1; j <= best / n[1] + 1; j++)
        for (int64_t i = best % n[1] - 1; i <= best % n[1] + 1; i++)
            if (j >= 0 && j < n[0] && i >= 0 && i < n[1])
                most = fmax(most, apart(on_sphere(lat[j * n[1] + i], lon[j * n[1] + i]), found));
    return least <= most + slack ? best : -1;
}

int select_cell(const struct frame *f, const struct cell *cell, const bool given[], struct range of[])
{
    const char *const *name = (const char *const *)cell->name;
    const char *dims[2] = { drx_dim_name(cell->from[0], 0), drx_dim_name(cell->from[0], 1) };
    const int axis[2] = { frame_axis(f, dims[0]), frame_axis(f, dims[1]) };
    const int64_t n[2] = { frame_extent(f, axis[0]), frame_extent(f, axis[1]) };
    struct coordinate c[2] = { { .path = f->path, .name = name[0] }, { .path = f->path, .name = name[1] } };
    double value[2];
    int status = DONE, lat = 0;
    int64_t best;
    char *end;

    if (cell->n < 2)
        return failed("%s: %s varies along two axes, %s and %s; give a latitude and a longitude, as in [lat=47,lon=8]",
                      f->path, name[0], dims[0], dims[1]);
    if (strcmp(dims[0], drx_dim_name(cell->from[1], 0)) != 0 || strcmp(dims[1], drx_dim_name(cell->from[1], 1)) != 0)
        return failed("%s: %s and %s vary along other axes; give a latitude and a longitude of the same axes", f->path,
                      name[0], name[1]);
    if (given[axis[0]] || given[axis[1]])
        return misused("selection [%s] of %s selects on %s twice, by %s and by itself", f->text, f->path,
                       given[axis[0]] ? dims[0] : dims[1], name[0]);
    for (int k = 0; status == DONE && k < 2; k++) {
        value[k] = strtod(cell->value[k], &end);
        if (end == cell->value[k] || *end || !isfinite(value[k]))
            status =
                misused("%s=%s of %s is not a number; %s varies along two axes, so give one value, such as %s=47.3",
                        name[k], cell->value[k], f->path, name[k], name[k]);
        else
            status = read_values(&c[k], cell->from[k]);
    }
    if (status == DONE) {
        lat = is_longitude(&c[0]);
        if (is_longitude(&c[0]) == is_longitude(&c[1]))
            status = failed("%s: one of %s and %s must be a longitude, with units such as degrees_east; select by "
                            "indices",
                            f->path, name[0], name[1]);
    }
    if (status == DONE) {
        best = nearest_cell(c[lat].value, c[!lat].value, n, on_sphere(value[lat], value[!lat]));
        if (best < 0)
            status = failed("%s: %s=%s,%s=%s is outside of the grid of these coordinates", f->path, name[0],
                            cell->value[0], name[1], cell->value[1]);
        for (int k = 0; status == DONE && k < 2; k++)
            of[axis[k]] = (struct range){ k ? best % n[1] : best / n[1], 1, 1, true };
    }
    free(c[0].value);
    free(c[1].value);
    return status;
}
