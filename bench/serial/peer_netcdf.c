/* netCDF-4: all dimensions unlimited, so that the variable can grow. "Best": a chunk cache for the access at hand,
 * and no fill beneath what is written. */
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"

struct variable {
    int file, id, ndim;
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

/* What came of opening it. */
static enum outcome opened(struct variable *v, int status)
{
    if (!status)
        return DONE;
    (void)close_variable(v);
    return told(status);
}

/* As HDF5's best, where that is better than the 16 MiB that are netCDF's default. */
static int set_cache(const struct variable *v, const struct layout *layout, enum access access)
{
    const struct cache cache = best_cache(layout, access);

    return cache.bytes ? nc_set_var_chunk_cache(v->file, v->id, cache.bytes, cache.slots, 1.0f) : NC_NOERR;
}

static enum outcome create_netcdf(const struct peer *peer, const char *path, const struct layout *layout,
                                  enum access access, void **out)
{
    static const char *const names[MAX_NDIM] = { "x", "y", "z" };
    struct variable *v = new_handle(sizeof *v, out);
    size_t chunk[MAX_NDIM];
    int dims[MAX_NDIM], status;

    (void)access;
    if (!v)
        return FAILED;
    v->ndim = layout->ndim;
    status = nc_create(file_of(path, ".nc"), NC_NETCDF4 | NC_NOCLOBBER, &v->file);
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
    return opened(v, status ? status : nc_enddef(v->file));
}

static enum outcome open_netcdf(const struct peer *peer, const char *path, const struct layout *layout,
                                enum access access, void **out)
{
    struct variable *v = new_handle(sizeof *v, out);
    int status;

    if (!v)
        return FAILED;
    v->ndim = layout->ndim;
    status = nc_open(file_of(path, ".nc"), NC_NOWRITE, &v->file);
    if (!status)
        status = nc_inq_varid(v->file, "a", &v->id);
    if (!status && peer->best)
        status = set_cache(v, layout, access);
    return opened(v, status);
}

static enum outcome move(void *handle, bool writing, const int64_t lo[], const int64_t count[], double *elements)
{
    const struct variable *v = handle;
    size_t at[MAX_NDIM], n[MAX_NDIM];

    for (int j = 0; j < v->ndim; j++) {
        at[j] = (size_t)lo[j];
        n[j] = (size_t)count[j];
    }
    return told(writing ? nc_put_vara_double(v->file, v->id, at, n, elements)
                        : nc_get_vara_double(v->file, v->id, at, n, elements));
}

/* A write after the end extends the variable. A step without elements writes one in the last corner, because netCDF-4
 * has no other way to extend. */
static enum outcome grow(void *handle, const struct growth *growth)
{
    const int64_t *n = growth->layout.extent, last[MAX_NDIM] = { n[0] - 1, n[1] - 1, n[2] - 1 };
    const int64_t one[MAX_NDIM] = { 1, 1, 1 };
    double none = 0;

    return growth->slab ? move(handle, true, growth->lo, growth->count, (double *)growth->slab)
                        : move(handle, true, last, one, &none);
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

#define CALLS                                                                                                   \
    .suffixes = suffixes, .create = create_netcdf, .open = open_netcdf, .grow = grow, .move = move, .get = get, \
    .close = close_variable

const struct peer peer_netcdf = { CALLS, .name = "netcdf", .files = "netcdf", .version = version };

const struct peer peer_netcdf_best = { CALLS,        .name = "netcdf-best",     .files = "netcdf-best",
                                       .best = true, .by_slabs = ACCESS(WHOLE), .slab_rows = 32 };
