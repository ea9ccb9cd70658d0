/* All that nc_inq_var and its like tell of a variable: also how it is stored. */
#include <stdlib.h>
#include <string.h>

#include "bridge.h"

enum { DEFLATE = 1, SHUFFLE = 2, BLOSC = 32001, BLOSC_PARAMS = 7 }; /* filters of HDF5 */

/* How the chunks would be compressed in a netCDF-4 file. */
struct filter {
    unsigned id; /* 0: none */
    bool shuffle;
    int level;
    unsigned params[BLOSC_PARAMS];
    size_t n;
};

/* Chunks as netCDF takes them: no longer than a dimension that does not grow. */
static size_t chunk_of(const struct bridge_file *f, const struct bridge_variable *v, int axis)
{
    const struct bridge_dim *d = &f->dims[v->dims[axis]];
    const size_t chunk = (size_t)drx_chunk(v->array)[axis];

    return d->unlimited || d->length == 0 || chunk < d->length ? chunk : d->length;
}

static struct filter filter_of(const struct bridge_file *f, const struct bridge_variable *v)
{
    static const unsigned codecs[] = { [DRX_LZ4] = 1, [DRX_ZLIB] = 4, [DRX_ZSTD] = 5 }; /* Blosc's numbers */
    const unsigned element = (unsigned)bridge_type_bytes(v->type);
    struct filter filter = { 0 };
    unsigned bytes = element, shuffle;
    drx_spec spec;

    drx_describe(v->array, &spec);
    if (spec.codec == DRX_RAW || v->ndim == 0 || v->type == NC_STRING)
        return filter;
    for (int k = 0; k < v->ndim; k++)
        bytes *= (unsigned)chunk_of(f, v, k);
    shuffle = spec.shuffle == DRX_SHUFFLE_NONE ? 0 : spec.shuffle == DRX_SHUFFLE_BIT ? 2 : 1;
    filter.level = spec.level;
    if (spec.codec == DRX_ZLIB && shuffle < 2) {
        filter.id = DEFLATE;
        filter.shuffle = shuffle == 1;
        filter.n = 1;
        filter.params[0] = (unsigned)spec.level;
        return filter;
    }
    filter.id = BLOSC;
    filter.n = BLOSC_PARAMS;
    memcpy(filter.params,
           (unsigned[BLOSC_PARAMS]){ 2, 2, element, bytes, (unsigned)spec.level, shuffle, codecs[spec.codec] },
           sizeof filter.params);
    return filter;
}

/* *no_fill: without _FillValue; then `fill` is what elements read as that nobody wrote. */
static int inquire_fill(struct bridge_file *f, int varid, const struct bridge_variable *v, int *no_fill, void *fill)
{
    const struct bridge_attributes *all;
    const struct bridge_attribute *own;
    drx_spec spec;
    int st;

    all = bridge_attributes(f, varid, &st);
    if (!all)
        return st;
    own = bridge_find(all, "_FillValue");
    if (no_fill)
        *no_fill = !own && v->type != NC_STRING;
    if (!fill)
        return NC_NOERR;
    if (v->type == NC_STRING) {
        *(char **)fill = strdup(own && own->type == NC_STRING && own->n == 1 ? *(char **)own->values : "");
        return *(char **)fill ? NC_NOERR : NC_ENOMEM;
    }
    drx_describe(v->array, &spec);
    if (own && own->type == v->type && own->n == 1)
        memcpy(fill, own->values, bridge_type_bytes(v->type));
    else if (!spec.fill)
        memset(fill, 0, bridge_type_bytes(v->type));
    else
        (void)drx_convert(spec.type, spec.fill, bridge_element_type(v->type), fill, 1, DRX_EXACT);
    return NC_NOERR;
}

static int inquire_storage(const struct bridge_file *f, const struct bridge_variable *v, int *shuffle, int *deflate,
                           int *level, int *contiguous, size_t *chunk, int *endian)
{
    const struct filter filter = filter_of(f, v);

    if (shuffle)
        *shuffle = filter.shuffle;
    if (deflate)
        *deflate = filter.id == DEFLATE;
    if (level)
        *level = filter.id == DEFLATE ? filter.level : 0;
    if (contiguous)
        *contiguous = v->ndim == 0;
    for (int k = 0; chunk && k < v->ndim; k++)
        chunk[k] = chunk_of(f, v, k);
    if (endian)
        *endian = v->kind == BRIDGE_NUMBERS && v->type <= NC_UINT64 ? NC_ENDIAN_LITTLE : NC_ENDIAN_NATIVE;
    return NC_NOERR;
}

int bridge_inq_var_all(int ncid, int varid, char *name, nc_type *type, int *ndims, int *dims, int *natts, int *shuffle,
                       int *deflate, int *level, int *fletcher32, int *contiguous, size_t *chunk, int *no_fill,
                       void *fill, int *endian, unsigned *filter, size_t *nparams, unsigned *params)
{
    struct bridge_file *f = bridge_file(ncid);
    const struct bridge_attributes *all;
    struct bridge_variable *v;
    struct filter one;
    int st = NC_EBADID;

    if (f && varid == NC_GLOBAL) { /* all that it has are attributes */
        all = bridge_attributes(f, varid, &st);
        if (all && natts)
            *natts = all->n;
        return st;
    }
    v = f ? bridge_variable(f, varid, &st) : NULL;
    if (!v)
        return st;
    if (name)
        memcpy(name, v->name, strnlen(v->name, NC_MAX_NAME) + 1);
    if (type)
        *type = v->type;
    if (ndims)
        *ndims = v->ndim;
    if (dims)
        memcpy(dims, v->dims, (size_t)v->ndim * sizeof *dims);
    if (natts) {
        all = bridge_attributes(f, varid, &st);
        *natts = all ? all->n : 0;
    }
    if (fletcher32)
        *fletcher32 = 0;
    if (!st && (no_fill || fill))
        st = inquire_fill(f, varid, v, no_fill, fill);
    one = filter_of(f, v);
    if (filter)
        *filter = one.id;
    if (nparams)
        *nparams = one.n;
    if (params)
        memcpy(params, one.params, one.n * sizeof *params);
    return st ? st : inquire_storage(f, v, shuffle, deflate, level, contiguous, chunk, endian);
}

int bridge_inq_var_filter_ids(int ncid, int varid, size_t *n, unsigned *ids)
{
    struct bridge_file *f = bridge_file(ncid);
    struct bridge_variable *v;
    struct filter filter;
    int st = NC_EBADID;

    v = f ? bridge_variable(f, varid, &st) : NULL;
    if (!v)
        return st;
    filter = filter_of(f, v);
    if (ids && filter.shuffle)
        *ids++ = SHUFFLE;
    if (ids && filter.id)
        *ids = filter.id;
    if (n)
        *n = filter.shuffle + (filter.id != 0);
    return NC_NOERR;
}

int bridge_inq_var_filter_info(int ncid, int varid, unsigned id, size_t *n, unsigned *params)
{
    struct bridge_file *f = bridge_file(ncid);
    struct bridge_variable *v;
    struct filter filter;
    int st = NC_EBADID;

    v = f ? bridge_variable(f, varid, &st) : NULL;
    if (!v)
        return st;
    filter = filter_of(f, v);
    if (filter.shuffle && id == SHUFFLE) {
        filter.n = 1;
        filter.params[0] = (unsigned)bridge_type_bytes(v->type);
    } else if (filter.id == 0 || filter.id != id) {
        return NC_ENOFILTER;
    }
    if (n)
        *n = filter.n;
    if (params)
        memcpy(params, filter.params, filter.n * sizeof *params);
    return NC_NOERR;
}
