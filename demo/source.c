/* The originals, as the netCDF library reads them: UWND of monthly_navy_winds.cdf, and a relief of the Earth. */
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"

static void check_nc(int st, const char *file, const char *what)
{
    if (st)
        fail("%s: cannot read %s: %s", file, what, nc_strerror(st));
}

/* That the coordinate has `n` points from `first` on, `step` apart (0: not evenly). */
static void check_axis(int nc, const char *file, const char *name, size_t n, double first, double step)
{
    double *points = allocate((int64_t)n, sizeof *points);
    size_t length = 0;
    int dim, var;

    if (nc_inq_dimid(nc, name, &dim) == NC_NOERR)
        check_nc(nc_inq_dimlen(nc, dim, &length), file, name);
    if (length != n)
        fail("%s: has %zu points along %s, expected %zu", file, length, name, n);
    check_nc(nc_inq_varid(nc, name, &var), file, name);
    check_nc(nc_get_var_double(nc, var, points), file, name);
    for (size_t i = 0; i < (step > 0 ? n : 1); i++)
        if (points[i] != first + (double)i * step)
            fail("%s: %s[%zu] is %g, expected %g", file, name, i, points[i], first + (double)i * step);
    free(points);
}

static char *text_attribute(int nc, int var, const char *file, const char *name)
{
    char *text;
    size_t n = 0;

    check_nc(nc_inq_attlen(nc, var, name, &n), file, name);
    text = allocate((int64_t)n + 1, 1);
    check_nc(nc_get_att_text(nc, var, name, text), file, name);
    return text;
}

void load_source(struct source *s, const char *file)
{
    int nc, var;

    check_nc(nc_open(file, NC_NOWRITE, &nc), file, "it");
    check_axis(nc, file, "TIME", MONTHS, 17598, 0); /* hours since 1980-01-14 14:00 */
    check_axis(nc, file, "FNOCY", LATS, -90, 2.5);
    check_axis(nc, file, "FNOCX", LONS, 20, 2.5);
    check_nc(nc_inq_varid(nc, "TIME", &var), file, "TIME");
    s->hours = allocate(MONTHS, sizeof *s->hours);
    check_nc(nc_get_var_double(nc, var, s->hours), file, "TIME");
    s->hours_since = text_attribute(nc, var, file, "units");
    check_nc(nc_inq_varid(nc, "UWND", &var), file, "UWND");
    check_nc(nc_get_att_float(nc, var, "_FillValue", &s->fill), file, "_FillValue");
    s->units = text_attribute(nc, var, file, "units");
    s->long_name = text_attribute(nc, var, file, "long_name");
    s->wind = allocate(MONTHS * LATS * LONS, sizeof *s->wind);
    check_nc(nc_get_var_float(nc, var, s->wind), file, "UWND");
    check_nc(nc_close(nc), file, "it");
}

void free_source(struct source *s)
{
    free(s->wind);
    free(s->units);
    free(s->long_name);
    free(s->hours);
    free(s->hours_since);
}

float source_value(const struct source *s, int64_t month, int64_t lat, int64_t lon)
{
    return s->wind[(month * LATS + (LATS - 1 - lat)) * LONS + lon];
}

float *source_box(const struct source *s, const int64_t lo[3], const int64_t count[3])
{
    float *box = allocate(count[0] * count[1] * count[2], sizeof *box);
    float *next = box;

    for (int64_t t = lo[0]; t < lo[0] + count[0]; t++)
        for (int64_t y = lo[1]; y < lo[1] + count[1]; y++)
            for (int64_t x = lo[2]; x < lo[2] + count[2]; x++)
                *next++ = source_value(s, t, y, x);
    return box;
}

float *load_relief(const char *file, const int64_t shape[2])
{
    float *relief = allocate(shape[0] * shape[1], sizeof *relief);
    int nc, var;

    check_nc(nc_open(file, NC_NOWRITE, &nc), file, "it");
    check_nc(nc_inq_varid(nc, "ROSE", &var), file, "ROSE");
    check_nc(nc_get_vara_float(nc, var, (size_t[]){ 0, 0 }, (size_t[]){ (size_t)shape[0], (size_t)shape[1] }, relief),
             file, "ROSE");
    check_nc(nc_close(nc), file, "it");
    return relief;
}
