/* How a netCDF file compresses a variable. */
#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdlib.h>

#include "nc.h"

enum { DEFLATE = 1, SHUFFLE = 2 }; /* numbers of HDF5's filters */

/* Bytes of an element of the file, and of a chunk. */
static int measure(int group, int id, size_t *element, size_t *bytes)
{
    size_t chunk[NC_MAX_VAR_DIMS];
    int ndim, storage;
    nc_type type;
    int st = nc_inq_var(group, id, NULL, &type, &ndim, NULL, NULL);

    if (!st)
        st = nc_inq_type(group, type, NULL, element);
    if (!st)
        st = nc_inq_var_chunking(group, id, &storage, chunk);
    *bytes = st ? 0 : *element;
    for (int k = 0; !st && k < ndim; k++)
        *bytes *= chunk[k];
    return st;
}

/* The first parameters are what the filter would set: its revision, the version of the frame, and the sizes. */
static int compress_by_blosc(int group, int id, const struct deflate *d)
{
    unsigned params[BLOSC_PARAMS] = { 2, 2, 1, 0, d->params[4], d->params[5], d->params[6] };
    size_t element, bytes;
    int st = measure(group, id, &element, &bytes);

    if (st)
        return st;
    params[2] = (unsigned)element;
    params[3] = (unsigned)bytes;
    return nc_def_var_filter(group, id, BLOSC_FILTER, BLOSC_PARAMS, params);
}

static bool fits_blosc(int group, int id)
{
    size_t element, bytes;

    return measure(group, id, &element, &bytes) == NC_NOERR && bytes <= BLOSC_MOST_BYTES;
}

int nc_compress(int group, int id, struct deflate *d)
{
    d->blosc = d->blosc && d->level > 0 && fits_blosc(group, id) &&
               nc_inq_filter_avail(group, BLOSC_FILTER) == NC_NOERR && nc_use_own_blosc();
    if (d->level == 0)
        return NC_NOERR;
    return d->blosc ? compress_by_blosc(group, id, d) : nc_def_var_deflate(group, id, d->shuffle, 1, d->level);
}

static void take_filter(struct source *s, unsigned id)
{
    const struct nc *nc = s->state;
    unsigned *params;
    size_t n = 0;

    if (nc_inq_var_filter_info(nc->group, nc->id, id, &n, NULL) != NC_NOERR)
        return;
    params = calloc(n + 1, sizeof *params);
    if (params && nc_inq_var_filter_info(nc->group, nc->id, id, &n, params) == NC_NOERR)
        source_take_filter(s, id, n, params);
    free(params);
}

void nc_read_filters(struct source *s)
{
    const struct nc *nc = s->state;
    int shuffle = 0, deflate = 0, level = 0;
    unsigned *ids = NULL, parameter;
    size_t n = 0;

    if (nc_inq_var_deflate(nc->group, nc->id, &shuffle, &deflate, &level) != NC_NOERR)
        return;
    parameter = (unsigned)level;
    if (shuffle)
        source_take_filter(s, SHUFFLE, 0, NULL);
    if (deflate)
        source_take_filter(s, DEFLATE, 1, &parameter);
    if (nc_inq_var_filter_ids(nc->group, nc->id, &n, NULL) == NC_NOERR && n > 0)
        ids = calloc(n, sizeof *ids);
    if (ids && nc_inq_var_filter_ids(nc->group, nc->id, &n, ids) == NC_NOERR)
        for (size_t i = 0; i < n; i++)
            if (ids[i] != DEFLATE && ids[i] != SHUFFLE)
                take_filter(s, ids[i]);
    free(ids);
}
