/* All that nc_inq_var and its like tell of a variable: also how it is stored. */
#include <stdlib.h>
#include <string.h>

#include "write/write.h"

enum { DEFLATE = 1, SHUFFLE = 2, FLETCHER32 = 3 }; /* filters of HDF5 */

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

static struct filter filter_of(const struct bridge_file *f, const struct bridge_variable *v)
{
    const struct bridge_filter *given = v->definition ? bridge_filter_of(v->definition, DEFLATE) : NULL;
    drx_spec spec;

    if (v->definition)
        return (struct filter){
            .id = given ? DEFLATE : 0,
            .shuffle = bridge_filter_of(v->definition, SHUFFLE) != NULL,
            .level = given ? (int)given->params[0] : 0,
        };
    drx_describe(v->array, &spec);
    if (spec.codec == DRX_RAW || v->ndim == 0 || v->type == NC_STRING)
        return (struct filter){ 0 };
    return (struct filter){
        .id = DEFLATE,
        .shuffle = spec.shuffle != DRX_SHUFFLE_NONE && bridge_type_bytes(f, v->type) > 1,
        .level = spec.level,
    };
}

/* As netCDF-4 tells it: a variable without _FillValue has the default fill. To the program that shows it
 * (drx_netcdf_show) it has none. */
static int inquire_fill(struct bridge_group *g, int varid, const struct bridge_variable *v, int *no_fill, void *fill)
{
    const struct bridge_attributes *all;
    const struct bridge_attribute *own;
    const void *value;
    bool none;
    int st;

    all = bridge_attributes(g, varid, &st);
    if (!all)
        return st;
    own = bridge_find(all, "_FillValue");
    own = own && own->type == v->type && own->n == 1 ? own : NULL;
    value = own ? own->values : bridge_default_fill(g->file, v->type);
    none = v->definition ? v->definition->no_fill : g->file->borrowed && !own && v->type != NC_STRING;
    if (no_fill)
        *no_fill = none;
    if (!fill || none)
        return NC_NOERR;
    if (v->type != NC_STRING)
        memcpy(fill, value, bridge_type_bytes(g->file, v->type));
    else
        *(char **)fill = strdup(*(char *const *)value);
    return v->type != NC_STRING || *(char **)fill ? NC_NOERR : NC_ENOMEM;
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
        *level = filter.level;
    if (contiguous)
        *contiguous = v->definition ? v->definition->storage : v->ndim == 0;
    for (int k = 0; chunk && k < v->ndim && !(contiguous && *contiguous); k++)
        chunk[k] = v->definition ? v->definition->chunk[k] : chunk_of(f, v, k);
    if (endian && v->definition)
        *endian = v->definition->endian;
    else if (endian)
        *endian = v->type != NC_CHAR && v->type < NC_STRING ? NC_ENDIAN_LITTLE : NC_ENDIAN_NATIVE;
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
        *fletcher32 = v->definition && bridge_filter_of(v->definition, FLETCHER32);
    if (!st && (no_fill || fill))
        st = inquire_fill(g, varid, v, no_fill, fill);
    one = filter_of(g->file, v);
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
    for (int i = 0; v->definition && ids && i < v->definition->nfilters; i++)
        ids[i] = v->definition->filters[i].id;
    if (v->definition && n)
        *n = (size_t)v->definition->nfilters;
    if (v->definition)
        return NC_NOERR;
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
    const struct bridge_filter *given = NULL;
    struct bridge_file *f;
    struct filter filter;
    int st;
    const struct bridge_variable *v = bridge_variable_of(ncid, varid, &f, &st);

    if (!v)
        return st;
    if (v->definition && !(given = bridge_filter_of(v->definition, id)))
        return NC_ENOFILTER;
    if (given && n)
        *n = given->n;
    if (given && params)
        memcpy(params, given->params, given->n * sizeof *params);
    if (given)
        return NC_NOERR;
    filter = filter_of(f, v);
    if (filter.id == 0 || (id != filter.id && !(id == SHUFFLE && filter.shuffle)))
        return NC_ENOFILTER;
    if (n)
        *n = 1;
    if (params)
        *params = id == SHUFFLE ? (unsigned)bridge_type_bytes(f, v->type) : (unsigned)filter.level;
    return NC_NOERR;
}
