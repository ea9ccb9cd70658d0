/* All that nc_inq_var and its like tell of a variable: also how it is stored. */
#include <stdlib.h>
#include <string.h>

#include "bridge.h"

enum { DEFLATE = 1, SHUFFLE = 2 }; /* filters of HDF5 */

/* How the chunks would be compressed in a netCDF-4 file: those of any codec by deflate, which every HDF5 has. A program
 * that copies a file copies its filters, and HDF5's filter of Blosc, as netCDF-C 4.9 calls it, fails on what cannot be
 * compressed. */
struct filter {
    unsigned id; /* 0: none */
    bool shuffle;
    int level;
};

/* Chunks as netCDF takes them: no longer than a dimension that does not grow. */
static size_t chunk_of(const struct bridge_file *f, const struct bridge_variable *v, int axis)
{
    const struct bridge_dim *d = &f->dims[v->dims[axis]];
    const size_t chunk = axis < v->ndim - (v->parts > 0) ? (size_t)drx_chunk(v->array)[axis] : d->length;

    return d->unlimited || d->length == 0 || chunk < d->length ? chunk : d->length;
}

static struct filter filter_of(const struct bridge_variable *v)
{
    drx_spec spec;

    drx_describe(v->array, &spec);
    if (spec.codec == DRX_RAW || v->ndim == 0 || v->type == NC_STRING)
        return (struct filter){ 0 };
    return (struct filter){
        .id = DEFLATE,
        .shuffle = spec.shuffle != DRX_SHUFFLE_NONE && bridge_type_bytes(v->type) > 1,
        .level = spec.level,
    };
}

/* *no_fill: without _FillValue; then `fill` is what elements read as that nobody wrote. */
static int inquire_fill(struct bridge_group *g, int varid, const struct bridge_variable *v, int *no_fill, void *fill)
{
    const struct bridge_attributes *all;
    const struct bridge_attribute *own;
    drx_spec spec;
    int st;

    all = bridge_attributes(g, varid, &st);
    if (!all)
        return st;
    own = bridge_find(all, "_FillValue");
    own = own && own->type == v->type && own->n == 1 ? own : NULL;
    if (no_fill)
        *no_fill = !own && v->type != NC_STRING;
    if (!fill)
        return NC_NOERR;
    if (v->type == NC_STRING) {
        *(char **)fill = strdup(own ? *(char **)own->values : "");
        return *(char **)fill ? NC_NOERR : NC_ENOMEM;
    }
    drx_describe(v->array, &spec);
    if (own)
        memcpy(fill, own->values, bridge_type_bytes(v->type));
    else if (!spec.fill || v->parts)
        memset(fill, 0, bridge_type_bytes(v->type));
    else
        (void)drx_convert(spec.type, spec.fill, bridge_element_type(v->type), fill, 1, DRX_EXACT);
    return NC_NOERR;
}

static int inquire_storage(const struct bridge_file *f, const struct bridge_variable *v, int *shuffle, int *deflate,
                           int *level, int *contiguous, size_t *chunk, int *endian)
{
    const struct filter filter = filter_of(v);

    if (shuffle)
        *shuffle = filter.shuffle;
    if (deflate)
        *deflate = filter.id == DEFLATE;
    if (level)
        *level = filter.level;
    if (contiguous)
        *contiguous = v->ndim == 0;
    for (int k = 0; chunk && k < v->ndim; k++)
        chunk[k] = chunk_of(f, v, k);
    if (endian)
        *endian = v->type != NC_CHAR && v->type != NC_STRING ? NC_ENDIAN_LITTLE : NC_ENDIAN_NATIVE;
    return NC_NOERR;
}

int bridge_inq_var_all(int ncid, int varid, char *name, nc_type *type, int *ndims, int *dims, int *natts, int *shuffle,
                       int *deflate, int *level, int *fletcher32, int *contiguous, size_t *chunk, int *no_fill,
                       void *fill, int *endian, unsigned *filter, size_t *nparams, unsigned *params)
{
    struct bridge_group *g = bridge_group(ncid);
    const struct bridge_attributes *all;
    struct bridge_variable *v;
    struct filter one;
    int st = NC_EBADID;

    if (g && varid == NC_GLOBAL) { /* all that it has are attributes */
        all = bridge_attributes(g, varid, &st);
        if (all && natts)
            *natts = all->n;
        return st;
    }
    v = g ? bridge_variable(g, varid, &st) : NULL;
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
        all = bridge_attributes(g, varid, &st);
        *natts = all ? all->n : 0;
    }
    if (fletcher32)
        *fletcher32 = 0;
    if (!st && (no_fill || fill))
        st = inquire_fill(g, varid, v, no_fill, fill);
    one = filter_of(v);
    if (filter)
        *filter = one.id;
    if (nparams)
        *nparams = one.id != 0;
    if (params && one.id)
        *params = (unsigned)one.level;
    return st ? st : inquire_storage(g->file, v, shuffle, deflate, level, contiguous, chunk, endian);
}

int bridge_inq_var_filter_ids(int ncid, int varid, size_t *n, unsigned *ids)
{
    struct bridge_file *f;
    struct filter filter;
    int st;
    const struct bridge_variable *v = bridge_variable_of(ncid, varid, &f, &st);

    if (!v)
        return st;
    filter = filter_of(v);
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
    struct bridge_file *f;
    struct filter filter;
    int st;
    const struct bridge_variable *v = bridge_variable_of(ncid, varid, &f, &st);

    if (!v)
        return st;
    filter = filter_of(v);
    if (filter.id == 0 || (id != filter.id && !(id == SHUFFLE && filter.shuffle)))
        return NC_ENOFILTER;
    if (n)
        *n = 1;
    if (params)
        *params = id == SHUFFLE ? (unsigned)bridge_type_bytes(v->type) : (unsigned)filter.level;
    return NC_NOERR;
}
