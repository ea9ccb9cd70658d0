/* How a variable of a new netCDF file is compressed. */
#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdlib.h>

#include "nc.h"

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
