/* netCDF-4: all dimensions unlimited, so that the variable can grow. "Best": a chunk cache for the access at hand,
 * and no fill beneath what is written. */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"

struct variable {
    int file, id, ndim;
    int64_t extent[MAX_NDIM];
    int64_t slab; /* read this many indices of axis 0 at a time; 0: all */
};

static enum outcome told(int status)
{
    return status ? complain("netCDF: %s", nc_strerror(status)) : DONE;
}

static enum outcome close_variable(void *handle)
{
    struct variable *v = handle;
    const enum outcome outcome = told(nc_close(v->file));

    free(v);
    return outcome;
}

static struct variable *new_variable(const struct layout *layout)
{
    struct variable *v = calloc(1, sizeof *v);

    if (!v)
        return NULL;
    v->ndim = layout->ndim;
    memcpy(v->extent, layout->extent, sizeof v->extent);
    return v;
}

/* As HDF5's best, where that is better than the 16 MiB that are netCDF's default. */
static int set_cache(const struct variable *v, const struct layout *layout, enum access access)
{
    const size_t chunk = (size_t)box_elements(layout->ndim, layout->chunk) * sizeof(double);
    const size_t whole = (size_t)box_elements(layout->ndim, layout->extent) * sizeof(double);
    size_t bytes, slots;

    switch (access) {
    case PLANES:
    case ELEMENTS:
        bytes = 1;
        break;
    case BOXES:
    case STRIPS:
        bytes = whole + (whole >> 4);
        break;
    case GROWTH_ALL:
        if (layout->ndim != 2)
            return 0;
        bytes = (size_t)64 << 20;
        break;
    default:
        return 0;
    }
    slots = 100 * (bytes / chunk + 1) + 1;
    return nc_set_var_chunk_cache(v->file, v->id, bytes, slots > 1000003 ? 1000003 : slots, 1.0f);
}

static enum outcome create_netcdf(const struct peer *peer, const char *path, const struct layout *layout,
                                  enum access access, void **out)
{
    static const char *const names[MAX_NDIM] = { "x", "y", "z" };
    struct variable *v = new_variable(layout);
    size_t chunk[MAX_NDIM];
    char file[PATH_BYTES + 8];
    int dims[MAX_NDIM], status;

    (void)access;
    *out = v;
    if (!v)
        return complain("no memory");
    snprintf(file, sizeof file, "%s.nc", path);
    status = nc_create(file, NC_NETCDF4 | NC_NOCLOBBER, &v->file);
    if (status) {
        free(v);
        return told(status);
    }
    for (int j = 0; j < layout->ndim && !status; j++) {
        chunk[j] = (size_t)layout->chunk[j];
        status = nc_def_dim(v->file, names[j], NC_UNLIMITED, &dims[j]);
    }
    if (!status)
        status = nc_def_var(v->file, "a", NC_DOUBLE, layout->ndim, dims, &v->id);
    if (!status)
        status = nc_def_var_chunking(v->file, v->id, NC_CHUNKED, chunk);
    if (!status && peer->best)
        status = nc_def_var_fill(v->file, v->id, NC_NOFILL, NULL);
    if (!status && peer->best)
        status = set_cache(v, layout, GROWTH_ALL);
    if (!status)
        status = nc_enddef(v->file);
    if (!status)
        return DONE;
    (void)close_variable(v);
    return told(status);
}

static enum outcome open_netcdf(const struct peer *peer, const char *path, const struct layout *layout,
                                enum access access, void **out)
{
    struct variable *v = new_variable(layout);
    char file[PATH_BYTES + 8];
    int status;

    *out = v;
    if (!v)
        return complain("no memory");
    snprintf(file, sizeof file, "%s.nc", path);
    status = nc_open(file, NC_NOWRITE, &v->file);
    if (status) {
        free(v);
        return told(status);
    }
    status = nc_inq_varid(v->file, "a", &v->id);
    if (!status && peer->best)
        status = set_cache(v, layout, access);
    if (peer->best && access == WHOLE)
        v->slab = layout->chunk[0];
    if (!status)
        return DONE;
    (void)close_variable(v);
    return told(status);
}

/* A write after the end extends the variable. A step without elements writes one in the last corner, because netCDF-4
 * has no other way to extend. */
static enum outcome grow(void *handle, int axis, int64_t by, const double *slab)
{
    struct variable *v = handle;
    size_t lo[MAX_NDIM] = { 0 }, count[MAX_NDIM];
    const double none = 0;

    lo[axis] = (size_t)v->extent[axis];
    v->extent[axis] += by;
    for (int j = 0; j < v->ndim; j++)
        count[j] = j == axis ? (size_t)by : (size_t)v->extent[j];
    if (slab)
        return told(nc_put_vara_double(v->file, v->id, lo, count, slab));
    for (int j = 0; j < v->ndim; j++)
        lo[j] = (size_t)v->extent[j] - 1;
    return told(nc_put_var1_double(v->file, v->id, lo, &none));
}

static enum outcome read_netcdf(void *handle, const int64_t lo[], const int64_t count[], double *out)
{
    const struct variable *v = handle;
    const int64_t slab = v->slab ? v->slab : count[0];
    size_t at[MAX_NDIM], n[MAX_NDIM];
    enum outcome outcome = DONE;

    for (int j = 0; j < v->ndim; j++) {
        at[j] = (size_t)lo[j];
        n[j] = (size_t)count[j];
    }
    for (int64_t i = 0; i < count[0] && outcome == DONE; i += slab) {
        at[0] = (size_t)(lo[0] + i);
        n[0] = (size_t)(slab < count[0] - i ? slab : count[0] - i);
        outcome = told(nc_get_vara_double(v->file, v->id, at, n, out));
        out += (int64_t)n[0] * box_elements(v->ndim - 1, count + 1);
    }
    return outcome;
}

static enum outcome get(void *handle, const int64_t index[], double *out)
{
    const struct variable *v = handle;
    size_t at[MAX_NDIM];

    for (int j = 0; j < v->ndim; j++)
        at[j] = (size_t)index[j];
    return told(nc_get_var1_double(v->file, v->id, at, out));
}

static enum outcome version(void)
{
    const char *version = nc_inq_libvers();
    size_t cache, slots;
    float preemption;

    if (nc_get_chunk_cache(&cache, &slots, &preemption))
        return complain("nc_get_chunk_cache failed");
    answer_integer("netCDF_cache", (int64_t)cache);
    answer_text("netCDF", "%.*s", (int)strcspn(version, " "), version);
    return DONE;
}

static const char *const suffixes[] = { ".nc", NULL };

#define CALLS                                                                                                          \
    .suffixes = suffixes, .create = create_netcdf, .open = open_netcdf, .grow = grow, .read = read_netcdf, .get = get, \
    .close = close_variable

const struct peer peer_netcdf = { CALLS, .name = "netcdf", .files = "netcdf", .version = version };

const struct peer peer_netcdf_best = { CALLS, .name = "netcdf-best", .files = "netcdf-best", .best = true,
                                       .slab_rows = 32 };
