/* How a variable of a new netCDF file is stored: its chunks, and how they are compressed. */
#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdlib.h>
#include <string.h>

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

/* Let the filter of Blosc have level, shuffle and codec of params[]. False: it does not take such chunks, or is not
 * there. */
static bool put_blosc(int group, int id, unsigned params[BLOSC_PARAMS])
{
    size_t element, bytes;

    if (measure(group, id, &element, &bytes) != NC_NOERR || bytes > BLOSC_MOST_BYTES ||
        nc_inq_filter_avail(group, BLOSC_FILTER) != NC_NOERR || !nc_use_own_blosc())
        return false;
    params[0] = params[1] = 2; /* what the filter would set: its revision, the version of the frame, and the sizes */
    params[2] = (unsigned)element;
    params[3] = (unsigned)bytes;
    return nc_def_var_filter(group, id, BLOSC_FILTER, BLOSC_PARAMS, params) == NC_NOERR;
}

/* A filter of the source. netCDF puts shuffle first. */
static int put_filter(int group, int id, const struct stored_filter *f, int64_t elements)
{
    const unsigned *params;
    const size_t n = filter_params(f, &params);
    unsigned blosc[BLOSC_PARAMS] = { 0, 0, 0, 0, 5, 1, 0 };
    int shuffle = 0, deflate, level, st;

    switch (f->id) {
    case SHUFFLE_FILTER:
        return nc_def_var_deflate(group, id, 1, 0, 0);
    case DEFLATE_FILTER:
        st = nc_inq_var_deflate(group, id, &shuffle, &deflate, &level);
        return st ? st : nc_def_var_deflate(group, id, shuffle, 1, n > 0 ? (int)params[0] : 6);
    case FLETCHER32_FILTER:
        return nc_def_var_fletcher32(group, id, NC_FLETCHER32);
    case BLOSC_FILTER:
        memcpy(blosc, params, (n < BLOSC_PARAMS ? n : BLOSC_PARAMS) * sizeof *blosc);
        return put_blosc(group, id, blosc) ? NC_NOERR : NC_EFILTER;
    default: /* szip wants one block */
        return f->id == SZIP_FILTER && (n < 2 || elements < params[1]) ? NC_NOERR
                                                                       : nc_def_var_filter(group, id, f->id, n, params);
    }
}

/* Sets d->blosc to whether that is used. */
static int compress(int group, int id, struct part *p)
{
    struct deflate *d = &p->deflate;
    int st = NC_NOERR;

    for (struct stored_filter f = { 0 }; !st && d->source && next_filter(d->source, &f);)
        if (f.id == LZF_FILTER) /* it fails for chunks that it does not make smaller */
            warn("%s: the filter LZF is left out: netCDF lets no chunk be stored as it is", p->selection.path);
        else
            st = put_filter(group, id, &f, box_bytes(p->ndim, p->chunk, 1));
    if (d->source || d->level == 0)
        return st;
    d->blosc = d->blosc && put_blosc(group, id, d->params);
    return d->blosc ? NC_NOERR : nc_def_var_deflate(group, id, d->shuffle, 1, d->level);
}

/* In the byte order of the source, and without fill values where it wrote none. */
static int store_as_source(int group, int id, const drx_array *a)
{
    drx_spec spec;
    nc_type type;
    int st = nc_inq_vartype(group, id, &type);

    drx_describe(a, &spec);
    if (!st && spec.source && spec.source->byte_order == DRX_BIG_ENDIAN && type > NC_CHAR && type < NC_STRING &&
        type != NC_UBYTE)
        st = nc_def_var_endian(group, id, NC_ENDIAN_BIG);
    if (!st && spec.source && type != NC_STRING)
        st = nc_def_var_fill(group, id, is_filled(a, "never") ? NC_NOFILL : NC_FILL, NULL);
    return st;
}

int nc_set_storage(int group, int id, int parts, struct part *p)
{
    size_t chunk[DRX_MAX_NDIM + 1];
    int st = store_as_source(group, id, p->array);

    if (st || p->ndim == 0) {
        p->deflate.blosc = false;
        return st;
    }
    for (int k = 0; k < p->ndim; k++)
        chunk[k] = (size_t)p->chunk[k];
    chunk[p->ndim] = (size_t)parts;
    st = nc_def_var_chunking(group, id, NC_CHUNKED, chunk);
    return st ? st : compress(group, id, p);
}
