/* How a variable of a new netCDF file is stored: its chunks, and how they are compressed. */
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

/* Sets d->blosc to whether that is used: not for chunks that it does not take. */
static int compress(int group, int id, struct deflate *d)
{
    /* the first ones are what the filter would set: its revision, the version of the frame, and the sizes */
    unsigned params[BLOSC_PARAMS] = { 2, 2, 1, 0, d->params[4], d->params[5], d->params[6] };
    size_t element, bytes;

    if (d->level == 0)
        return NC_NOERR;
    d->blosc = d->blosc && measure(group, id, &element, &bytes) == NC_NOERR && bytes <= BLOSC_MOST_BYTES &&
               nc_inq_filter_avail(group, BLOSC_FILTER) == NC_NOERR && nc_use_own_blosc();
    if (!d->blosc)
        return nc_def_var_deflate(group, id, d->shuffle, 1, d->level);
    params[2] = (unsigned)element;
    params[3] = (unsigned)bytes;
    return nc_def_var_filter(group, id, BLOSC_FILTER, BLOSC_PARAMS, params);
}

int nc_set_storage(int group, int id, int parts, struct part *p)
{
    size_t chunk[DRX_MAX_NDIM + 1];
    int st;

    if (p->ndim == 0) {
        p->deflate.blosc = false;
        return NC_NOERR;
    }
    for (int k = 0; k < p->ndim; k++)
        chunk[k] = (size_t)p->chunk[k];
    chunk[p->ndim] = (size_t)parts;
    st = nc_def_var_chunking(group, id, NC_CHUNKED, chunk);
    return st ? st : compress(group, id, &p->deflate);
}
