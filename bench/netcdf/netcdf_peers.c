/* netCDF-C reads datasets through libdrx-netcdf, and files of netCDF-4; drx_read reads the datasets beside it. The
 * program is linked with libdrx-netcdf and libnetcdf, as any may be: it opens all of them by nc_open. */
#include <drx_dataset.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_netcdf.h"

static const char *const folder_suffixes[] = { "/*", NULL }, *const nc_suffixes[] = { ".nc", NULL };

/* ---- netCDF-C ---- */

struct nc_file {
    int id, variable;
};

static int ask_all(int id)
{
    int n, ndims, natts, dims[NC_MAX_VAR_DIMS], status = nc_inq_nvars(id, &n);
    char name[NC_MAX_NAME + 1];
    nc_type type;

    for (int v = 0; v < n && !status; v++)
        status = nc_inq_var(id, v, name, &type, &ndims, dims, &natts);
    return status;
}

static enum outcome open_nc(const char *path, bool ask, void **out)
{
    struct nc_file *f = calloc(1, sizeof *f);
    int status;

    *out = f;
    if (!f)
        return complain("no memory");
    status = nc_open(path, NC_NOWRITE, &f->id);
    if (status) {
        free(f);
        return of_netcdf(status);
    }
    if (ask)
        status = ask_all(f->id);
    if (status) {
        (void)nc_close(f->id);
        free(f);
    }
    return of_netcdf(status);
}

static enum outcome open_nc_file(const char *path, bool ask, void **out)
{
    char file[PATH_BYTES + 8];

    (void)snprintf(file, sizeof file, "%s.nc", path);
    return open_nc(file, ask, out);
}

static enum outcome take_nc(void *file)
{
    struct nc_file *f = file;
    nc_type type = NC_NAT;
    int status = nc_inq_varid(f->id, "wave", &f->variable);

    if (!status)
        status = nc_inq_vartype(f->id, f->variable, &type); /* opens it */
    return status ? of_netcdf(status) : type == NC_FLOAT ? DONE : complain("type %d, expected floats", type);
}

static enum outcome read_nc(void *file, const int64_t lo[], const int64_t count[], float *out)
{
    const struct nc_file *f = file;
    size_t at[NDIM], n[NDIM];

    for (int j = 0; j < NDIM; j++) {
        at[j] = (size_t)lo[j];
        n[j] = (size_t)count[j];
    }
    return of_netcdf(nc_get_vara_float(f->id, f->variable, at, n, out));
}

static enum outcome close_nc(void *file)
{
    struct nc_file *f = file;
    const int status = nc_close(f->id);

    free(f);
    return of_netcdf(status);
}

#define OF_NETCDF .take_variable = take_nc, .read = read_nc, .close = close_nc

const struct reader reader_bridge = { OF_NETCDF, .peer = { .name = "drx", .files = "drx", .suffixes = folder_suffixes },
                                      .build = build_drx, .build_many = build_many_drx, .open = open_nc };
const struct reader reader_default = { OF_NETCDF,
                                       .peer = { .name = "default", .files = "default", .suffixes = nc_suffixes },
                                       .own_chunks = true,
                                       .build = build_nc,
                                       .build_many = build_many_nc,
                                       .open = open_nc_file };
const struct reader reader_same = { OF_NETCDF, .peer = { .name = "same", .files = "same", .suffixes = nc_suffixes },
                                    .build = build_nc, .open = open_nc_file };

/* ---- drx_read ---- */

struct dataset {
    drx_dataset *ds;
    drx_array *a;
};

static enum outcome open_drx(const char *path, bool ask, void **out)
{
    struct dataset *d = calloc(1, sizeof *d);
    drx_status st;

    *out = d;
    if (!d)
        return complain("no memory");
    st = drx_dataset_open(path, DRX_RDONLY, DRX_LAST, &d->ds);
    for (int v = 0; !st && ask && v < drx_dataset_count(d->ds); v++)
        st = drx_dataset_array(d->ds, drx_dataset_name(d->ds, v), &d->a);
    if (st) {
        (void)of_drx(st);
        (void)drx_dataset_close(d->ds);
        free(d);
    }
    return st ? FAILED : DONE;
}

static enum outcome take_drx(void *file)
{
    struct dataset *d = file;

    return of_drx(drx_dataset_array(d->ds, "wave", &d->a));
}

static enum outcome read_drx(void *file, const int64_t lo[], const int64_t count[], float *out)
{
    const struct dataset *d = file;

    return of_drx(drx_read(d->a, lo, count, DRX_ROW_MAJOR, out));
}

static enum outcome close_drx(void *file)
{
    struct dataset *d = file;
    const enum outcome outcome = of_drx(drx_dataset_close(d->ds));

    free(d);
    return outcome;
}

const struct reader reader_drx = { .peer = { .name = "read", .files = "drx", .suffixes = folder_suffixes },
                                   .open = open_drx,
                                   .take_variable = take_drx,
                                   .read = read_drx,
                                   .close = close_drx };
