/* The datasets and files that are read: the same elements in each. */
#include <drx_dataset.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_netcdf.h"

enum { SMALL = 4 }; /* the edge of each of many variables */

const int64_t grid_chunk[NDIM] = { SLAB_STEPS, 64, 64 };
const char *const grid_dims[NDIM] = { "time", "lat", "lon" };

enum outcome of_netcdf(int status)
{
    return status ? complain("netCDF: %s", nc_strerror(status)) : DONE;
}

/* A wave that moves, and some noise, so that it can be compressed. */
float grid_value(int64_t t, int64_t y, int64_t x)
{
    const uint64_t wave = (uint64_t)(7 * t + 13 * y + 3 * x) % 4096;

    return (float)(wave + mix((uint64_t)t << 42 ^ (uint64_t)y << 21 ^ (uint64_t)x) % 32) / 16;
}

void fill_grid(const int64_t lo[], const int64_t count[], float *out)
{
    for (int64_t t = lo[0]; t < lo[0] + count[0]; t++)
        for (int64_t y = lo[1]; y < lo[1] + count[1]; y++)
            for (int64_t x = lo[2]; x < lo[2] + count[2]; x++)
                *out++ = grid_value(t, y, x);
}

enum outcome check_grid(const int64_t lo[], const int64_t count[], const float *out)
{
    const int64_t n = box_elements(NDIM, count);

    for (uint64_t s = 0; s < 4096; s++) {
        const int64_t p = s == 0 ? n - 1 : (int64_t)(mix(s) % (uint64_t)n);
        const int64_t x = p % count[2], y = p / count[2] % count[1], t = p / count[2] / count[1];

        if (out[p] != grid_value(lo[0] + t, lo[1] + y, lo[2] + x))
            return complain("element %lld of a box is wrong", (long long)p);
    }
    return DONE;
}

/* Give `store` one slab of time after the other. */
static enum outcome
each_slab(const int64_t extent[],
          enum outcome (*store)(void *with, const int64_t lo[], const int64_t count[], const float *slab), void *with)
{
    const int64_t count[NDIM] = { SLAB_STEPS, extent[1], extent[2] };
    float *slab = buffer(SLAB, (size_t)box_elements(NDIM, count) * sizeof *slab);
    enum outcome outcome = slab ? DONE : FAILED;

    for (int64_t t = 0; t < extent[0] && outcome == DONE; t += SLAB_STEPS) {
        const int64_t lo[NDIM] = { t, 0, 0 };

        fill_grid(lo, count, slab);
        outcome = store(with, lo, count, slab);
    }
    return outcome;
}

/* ---- DRX ---- */

static enum outcome add_variable(drx_dataset *ds, const char *name, int ndim, const char *const dims[],
                                 const int64_t shape[], const int64_t chunk[], drx_type type, enum stored stored,
                                 drx_array **out)
{
    const drx_spec spec = { .ndim = ndim,
                            .type = type,
                            .shape = shape,
                            .chunk = chunk,
                            .dims = dims,
                            .codec = stored == PACKED ? DRX_ZLIB : DRX_RAW,
                            .level = stored == PACKED ? LEVEL : 0 };
    enum outcome outcome = of_drx(drx_dataset_add(ds, name, &spec, out));

    if (outcome == DONE)
        outcome = of_drx(drx_attr_set_text(*out, "units", "m s-1"));
    return outcome == DONE ? of_drx(drx_attr_set_text(*out, "long_name", "a wave that moves")) : outcome;
}

struct growing {
    drx_dataset *ds;
    drx_array *grid, *time;
};

static enum outcome store_drx(void *with, const int64_t lo[], const int64_t count[], const float *slab)
{
    struct growing *g = with;
    double times[SLAB_STEPS];
    enum outcome outcome = of_drx(drx_dataset_extend(g->ds, grid_dims[0], count[0]));

    for (int i = 0; i < SLAB_STEPS; i++)
        times[i] = (double)(lo[0] + i);
    if (outcome == DONE)
        outcome = of_drx(drx_write(g->time, lo, count, DRX_ROW_MAJOR, times));
    return outcome == DONE ? of_drx(drx_write(g->grid, lo, count, DRX_ROW_MAJOR, slab)) : outcome;
}

static enum outcome finish(drx_dataset *ds, enum outcome outcome)
{
    if (outcome == DONE)
        outcome = of_drx(drx_dataset_commit(ds, "built"));
    if (drx_dataset_close(ds) && outcome == DONE)
        outcome = of_drx(-1);
    return outcome;
}

enum outcome build_drx(const struct reader *reader, const char *path, const int64_t extent[], enum stored stored)
{
    const int64_t start[NDIM] = { 0, extent[1], extent[2] }, steps = 4096;
    struct growing g = { 0 };
    enum outcome outcome = of_drx(drx_dataset_create(path, &g.ds));

    (void)reader;
    if (outcome != DONE)
        return outcome;
    outcome = add_variable(g.ds, "time", 1, grid_dims, start, &steps, DRX_FLOAT64, RAW, &g.time);
    if (outcome == DONE)
        outcome = add_variable(g.ds, "wave", NDIM, grid_dims, start, grid_chunk, DRX_FLOAT32, stored, &g.grid);
    if (outcome == DONE)
        outcome = each_slab(extent, store_drx, &g);
    return finish(g.ds, outcome);
}

enum outcome build_many_drx(const struct reader *reader, const char *path, int variables, int commits)
{
    static const char *const steady[NDIM] = { "level", "lat", "lon" };
    const int64_t shape[NDIM] = { SMALL, SMALL, SMALL };
    drx_dataset *ds;
    drx_array *a;
    enum outcome outcome = of_drx(drx_dataset_create(path, &ds));

    (void)reader;
    if (outcome != DONE)
        return outcome;
    for (int v = 0; v < variables && outcome == DONE; v++) {
        char name[32];

        (void)snprintf(name, sizeof name, "v%d", v);
        outcome = add_variable(ds, name, NDIM, v == 0 ? grid_dims : steady, shape, shape, DRX_FLOAT32, RAW, &a);
    }
    outcome = finish(ds, outcome);
    if (outcome == DONE) /* a handle that has opened few arrays commits faster */
        outcome = of_drx(drx_dataset_open(path, DRX_RDWR, DRX_LAST, &ds));
    if (outcome != DONE)
        return outcome;
    for (int c = 2; c <= commits && outcome == DONE; c++) {
        outcome = of_drx(drx_dataset_extend(ds, grid_dims[0], 1));
        if (outcome == DONE && c < commits)
            outcome = of_drx(drx_dataset_commit(ds, "another hour"));
    }
    return finish(ds, outcome);
}

/* ---- netCDF-4 ---- */

struct nc_growing {
    int file, grid, time;
};

static int define(int file, const char *name, nc_type type, int ndim, const int dims[], int *id)
{
    int status = nc_def_var(file, name, type, ndim, dims, id);

    if (!status)
        status = nc_put_att_text(file, *id, "units", 5, "m s-1");
    return status ? status : nc_put_att_text(file, *id, "long_name", 17, "a wave that moves");
}

static enum outcome store_nc(void *with, const int64_t lo[], const int64_t count[], const float *slab)
{
    const struct nc_growing *g = with;
    size_t at[NDIM], n[NDIM];
    double times[SLAB_STEPS];
    int status;

    for (int j = 0; j < NDIM; j++) {
        at[j] = (size_t)lo[j];
        n[j] = (size_t)count[j];
    }
    for (int i = 0; i < SLAB_STEPS; i++)
        times[i] = (double)(lo[0] + i);
    status = nc_put_vara_double(g->file, g->time, at, n, times);
    return of_netcdf(status ? status : nc_put_vara_float(g->file, g->grid, at, n, slab));
}

enum outcome build_nc(const struct reader *reader, const char *path, const int64_t extent[], enum stored stored)
{
    const size_t chunk[NDIM] = { (size_t)grid_chunk[0], (size_t)grid_chunk[1], (size_t)grid_chunk[2] };
    struct nc_growing g;
    char file[PATH_BYTES + 8];
    int dims[NDIM], status, closed;
    enum outcome outcome;

    (void)snprintf(file, sizeof file, "%s.nc", path);
    status = nc_create(file, NC_NETCDF4 | NC_NOCLOBBER, &g.file);
    if (status)
        return of_netcdf(status);
    for (int j = 0; j < NDIM && !status; j++)
        status = nc_def_dim(g.file, grid_dims[j], j == 0 ? NC_UNLIMITED : (size_t)extent[j], &dims[j]);
    if (!status)
        status = define(g.file, "time", NC_DOUBLE, 1, dims, &g.time);
    if (!status)
        status = define(g.file, "wave", NC_FLOAT, NDIM, dims, &g.grid);
    if (!status && !reader->own_chunks)
        status = nc_def_var_chunking(g.file, g.grid, NC_CHUNKED, chunk);
    if (!status && stored == PACKED)
        status = nc_def_var_deflate(g.file, g.grid, 1, 1, LEVEL);
    outcome = status ? of_netcdf(status) : each_slab(extent, store_nc, &g);
    closed = nc_close(g.file);
    return outcome == DONE ? of_netcdf(closed) : outcome;
}

enum outcome build_many_nc(const struct reader *reader, const char *path, int variables, int commits)
{
    static const char *const names[NDIM + 1] = { "time", "lat", "lon", "level" };
    char file[PATH_BYTES + 8], name[32];
    int ncid, dims[NDIM + 1], id, status, closed;

    (void)reader, (void)commits;
    (void)snprintf(file, sizeof file, "%s.nc", path);
    status = nc_create(file, NC_NETCDF4 | NC_NOCLOBBER, &ncid);
    if (status)
        return of_netcdf(status);
    for (int j = 0; j <= NDIM && !status; j++)
        status = nc_def_dim(ncid, names[j], j == 0 ? NC_UNLIMITED : SMALL, &dims[j]);
    for (int v = 0; v < variables && !status; v++) {
        const int of[NDIM] = { v == 0 ? dims[0] : dims[3], dims[1], dims[2] };

        (void)snprintf(name, sizeof name, "v%d", v);
        status = define(ncid, name, NC_FLOAT, NDIM, of, &id);
    }
    closed = nc_close(ncid);
    return of_netcdf(status ? status : closed);
}
