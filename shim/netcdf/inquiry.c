/* All that nc_inq_var and its like tell of a variable: also how it is stored. */
#include <stdlib.h>
#include <string.h>

#include "write/write.h"

/* Chunks as netCDF takes them: no longer than a dimension that does not grow. */
static size_t chunk_of(const struct bridge_file *f, const struct bridge_variable *v, int axis)
{
    const struct bridge_dim *d = &f->dims[v->dims[axis]];
    const size_t chunk = axis < v->ndim - (v->parts > 0) ? (size_t)drx_chunk(v->array)[axis] : d->length;

    return d->unlimited || d->length == 0 || chunk < d->length ? chunk : d->length;
}

/* As the program has defined the variable, or what comes nearest to the array. Compressed chunks of any codec are shown
 * as deflated, which every HDF5 knows: a program that copies a file copies its filters, and HDF5's filter of Blosc, as
 * netCDF-C 4.9 calls it, fails on what cannot be compressed. */
static struct bridge_definition definition_of(const struct bridge_file *f, const struct bridge_variable *v)
{
    const size_t bytes = bridge_type_bytes(f, v->type);
    struct bridge_definition d = { .storage = v->ndim ? NC_CHUNKED : NC_CONTIGUOUS };
    drx_spec spec;

    if (v->definition)
        return *v->definition;
    d.endian = v->type != NC_CHAR && v->type < NC_STRING ? NC_ENDIAN_LITTLE : NC_ENDIAN_NATIVE;
    for (int k = 0; k < v->ndim; k++)
        d.chunk[k] = chunk_of(f, v, k);
    drx_describe(v->array, &spec);
    if (spec.codec == DRX_RAW || v->ndim == 0 || v->type == NC_STRING)
        return d;
    if (spec.shuffle != DRX_SHUFFLE_NONE && bytes > 1)
        d.filters[d.nfilters++] = (struct bridge_filter){ .id = BRIDGE_SHUFFLE, .n = 1, .params = { (unsigned)bytes } };
    d.filters[d.nfilters++] =
        (struct bridge_filter){ .id = BRIDGE_DEFLATE, .n = 1, .params = { (unsigned)spec.level } };
    return d;
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
    BRIDGE_GIVE(no_fill, none);
    if (!fill || none)
        return NC_NOERR;
    if (v->type != NC_STRING)
        memcpy(fill, value, bridge_type_bytes(g->file, v->type));
    else
        *(char **)fill = strdup(*(char *const *)value);
    return v->type != NC_STRING || *(char **)fill ? NC_NOERR : NC_ENOMEM;
}

int bridge_inq_var_all(int ncid, int varid, char *name, nc_type *type, int *ndims, int *dims, int *natts, int *shuffle,
                       int *deflate, int *level, int *fletcher32, int *contiguous, size_t *chunk, int *no_fill,
                       void *fill, int *endian, unsigned *filter, size_t *nparams, unsigned *params)
{
    struct bridge_group *g = bridge_group(ncid);
    const struct bridge_attributes *all;
    const struct bridge_filter *deflated;
    struct bridge_definition d;
    struct bridge_variable *v;
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
    bridge_give_name(name, v->name);
    BRIDGE_GIVE(type, v->type);
    BRIDGE_GIVE(ndims, v->ndim);
    if (dims)
        memcpy(dims, v->dims, (size_t)v->ndim * sizeof *dims);
    if (natts) {
        all = bridge_attributes(g, varid, &st);
        *natts = all ? all->n : 0;
    }
    if (!st && (no_fill || fill))
        st = inquire_fill(g, varid, v, no_fill, fill);
    d = definition_of(g->file, v);
    deflated = bridge_filter_of(&d, BRIDGE_DEFLATE);
    BRIDGE_GIVE(shuffle, bridge_filter_of(&d, BRIDGE_SHUFFLE) != NULL);
    BRIDGE_GIVE(fletcher32, bridge_filter_of(&d, BRIDGE_FLETCHER32) != NULL);
    BRIDGE_GIVE(deflate, deflated != NULL);
    BRIDGE_GIVE(filter, deflated ? BRIDGE_DEFLATE : 0);
    BRIDGE_GIVE(nparams, deflated != NULL);
    BRIDGE_GIVE(level, deflated ? (int)deflated->params[0] : 0);
    if (params && deflated)
        *params = deflated->params[0];
    BRIDGE_GIVE(contiguous, d.storage);
    if (chunk && d.storage == NC_CHUNKED)
        memcpy(chunk, d.chunk, (size_t)v->ndim * sizeof *chunk);
    BRIDGE_GIVE(endian, d.endian);
    return st;
}

int bridge_inq_var_filter_ids(int ncid, int varid, size_t *n, unsigned *ids)
{
    struct bridge_definition d;
    struct bridge_file *f;
    int st;
    const struct bridge_variable *v = bridge_variable_of(ncid, varid, &f, &st);

    if (!v)
        return st;
    d = definition_of(f, v);
    for (int i = 0; ids && i < d.nfilters; i++)
        ids[i] = d.filters[i].id;
    BRIDGE_GIVE(n, (size_t)d.nfilters);
    return NC_NOERR;
}

int bridge_inq_var_filter_info(int ncid, int varid, unsigned id, size_t *n, unsigned *params)
{
    const struct bridge_filter *found;
    struct bridge_definition d;
    struct bridge_file *f;
    int st;
    const struct bridge_variable *v = bridge_variable_of(ncid, varid, &f, &st);

    if (!v)
        return st;
    d = definition_of(f, v);
    found = bridge_filter_of(&d, id);
    if (found && n)
        *n = found->n;
    if (found && params)
        memcpy(params, found->params, found->n * sizeof *params);
    return found ? NC_NOERR : NC_ENOFILTER;
}
