/* How a variable that is being defined is stored: fill, chunk, filters, byte order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write.h"

/* One that is not in the dataset yet; NULL: *st says why. */
static struct bridge_variable *pending(int ncid, int id, struct bridge_group **g, int *st)
{
    struct bridge_variable *v;

    *g = bridge_writable_group(ncid, st);
    v = *g ? bridge_variable(*g, id, st) : NULL;
    if (!v || (v->definition && v->definition->pending))
        return v;
    *st = NC_ELATEDEF;
    return NULL;
}

/* ---- filters ---- */

const struct bridge_filter *bridge_filter_of(const struct bridge_definition *d, unsigned id)
{
    for (int i = 0; i < d->nfilters; i++)
        if (d->filters[i].id == id)
            return &d->filters[i];
    return NULL;
}

int bridge_inq_filter_avail(int ncid, unsigned filter)
{
    static const unsigned known[] = { BRIDGE_DEFLATE, BRIDGE_SHUFFLE, BRIDGE_FLETCHER32,
                                      BRIDGE_BLOSC,   BRIDGE_LZ4,     BRIDGE_ZSTD };

    (void)ncid;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i] == filter)
            return NC_NOERR;
    return NC_ENOFILTER;
}

/* The checksum comes first and then the shuffle, as in netCDF-4; a filter that is there gets other parameters. */
static int set_filter(struct bridge_definition *d, unsigned id, size_t n, const unsigned *params)
{
    struct bridge_filter *f = NULL;
    int at = d->nfilters;

    for (int i = 0; i < d->nfilters; i++)
        if (d->filters[i].id == id)
            f = &d->filters[i];
    if (n > sizeof f->params / sizeof f->params[0] || (!f && d->nfilters == BRIDGE_MOST_FILTERS))
        return NC_EFILTER;
    if (!f) {
        if (id == BRIDGE_FLETCHER32 || id == BRIDGE_SHUFFLE)
            at = id == BRIDGE_SHUFFLE && d->nfilters > 0 && d->filters[0].id == BRIDGE_FLETCHER32;
        memmove(&d->filters[at + 1], &d->filters[at], (size_t)(d->nfilters - at) * sizeof *f);
        f = &d->filters[at];
        d->nfilters++;
    }
    *f = (struct bridge_filter){ .id = id, .n = n };
    if (n > 0)
        memcpy(f->params, params, n * sizeof *params);
    d->storage = NC_CHUNKED;
    return NC_NOERR;
}

static bool compresses(unsigned id)
{
    return id != BRIDGE_SHUFFLE && id != BRIDGE_FLETCHER32;
}

/* A dataset compresses once, by a codec of the library. */
static int check_filter(const struct bridge_definition *d, unsigned id, size_t n, const unsigned *params)
{
    if (id == BRIDGE_DEFLATE && n != 1)
        return NC_EFILTER;
    if (id == BRIDGE_DEFLATE && params[0] > 9)
        return NC_EINVAL;
    if (id == BRIDGE_BLOSC && (n < 7 || (params[6] != 1 && params[6] != 2 && params[6] != 4 && params[6] != 5)))
        return NC_EFILTER;
    for (int i = 0; compresses(id) && i < d->nfilters; i++)
        if (compresses(d->filters[i].id) && d->filters[i].id != id)
            return NC_EFILTER;
    return NC_NOERR;
}

int bridge_def_var_filter(int ncid, int id, unsigned filter, size_t n, const unsigned *params)
{
    struct bridge_group *g = bridge_group(ncid);
    struct bridge_variable *v;
    int st = NC_EBADID;

    v = g ? bridge_variable(g, id, &st) : NULL;
    if (!v)
        return st;
    if (!g->file->defining)
        return NC_EINDEFINE; /* netCDF-C's word for it */
    if (v->ndim == 0)
        return NC_EINVAL;
    if (!v->definition || !v->definition->pending)
        return NC_ELATEDEF;
    if (bridge_inq_filter_avail(ncid, filter)) {
        if (!bridge_quiet)
            (void)fprintf(stderr, "libdrx-netcdf: %s: no codec of DRX does what filter %u does\n", v->name, filter);
        return NC_ENOFILTER;
    }
    if (n > 0 && !params)
        return NC_EINVAL;
    st = check_filter(v->definition, filter, n, params);
    if (!st)
        st = set_filter(v->definition, filter, n, params);
    if (!st && g->file->together)
        v->collective = true;
    return st;
}

int bridge_def_var_deflate(int ncid, int id, int shuffle, int deflate, int level)
{
    const unsigned params[] = { (unsigned)level };
    struct bridge_group *g;
    int st;
    struct bridge_variable *v = pending(ncid, id, &g, &st);

    if (!v)
        return st;
    if (shuffle && (v->ndim == 0 || v->type == NC_STRING))
        return v->ndim == 0 ? NC_EINVAL : NC_EFILTER;
    if (shuffle)
        st = bridge_def_var_filter(ncid, id, BRIDGE_SHUFFLE, 0, NULL);
    if (!st && deflate && level && v->type == NC_STRING)
        st = NC_EFILTER;
    return !st && deflate && level ? bridge_def_var_filter(ncid, id, BRIDGE_DEFLATE, 1, params) : st;
}

int bridge_def_var_fletcher32(int ncid, int id, int checksum)
{
    struct bridge_group *g;
    int st;
    struct bridge_variable *v = pending(ncid, id, &g, &st);

    if (!v || !checksum)
        return st;
    if (v->ndim == 0 || v->type == NC_STRING)
        return v->ndim == 0 ? NC_EINVAL : NC_EFILTER;
    return bridge_def_var_filter(ncid, id, BRIDGE_FLETCHER32, 0, NULL);
}

/* ---- chunks ---- */

static int check_chunk(const struct bridge_file *f, const struct bridge_variable *v, const size_t *chunk)
{
    double bytes = (double)bridge_type_bytes(f, v->type);

    for (int k = 0; k < v->ndim; k++)
        bytes *= (double)chunk[k];
    if (bytes > (double)NC_MAX_UINT)
        return NC_EBADCHUNK;
    for (int k = 0; k < v->ndim; k++) {
        const struct bridge_dim *d = &f->dims[v->dims[k]];

        if (chunk[k] == 0 || (!d->unlimited && d->length > 0 && chunk[k] > d->length))
            return NC_EBADCHUNK;
    }
    return NC_NOERR;
}

static int check_storage(const struct bridge_file *f, const struct bridge_variable *v, int storage)
{
    double bytes = (double)bridge_type_bytes(f, v->type);

    if (storage == NC_CHUNKED)
        return v->ndim == 0 ? NC_EINVAL : NC_NOERR;
    if (v->definition->nfilters > 0)
        return NC_EINVAL;
    for (int k = 0; k < v->ndim; k++) {
        if (f->dims[v->dims[k]].unlimited)
            return NC_EINVAL;
        bytes *= (double)f->dims[v->dims[k]].length;
    }
    return storage == NC_COMPACT && bytes > 65536 ? NC_EVARSIZE : NC_NOERR;
}

int bridge_def_var_chunking(int ncid, int id, int storage, const size_t *chunk)
{
    struct bridge_group *g;
    int st;
    struct bridge_variable *v = pending(ncid, id, &g, &st);

    if (!v)
        return st;
    st = check_storage(g->file, v, storage);
    if (!st && storage == NC_CHUNKED && chunk)
        st = check_chunk(g->file, v, chunk);
    if (st || (storage != NC_CHUNKED && storage != NC_CONTIGUOUS && storage != NC_COMPACT))
        return st;
    v->definition->storage = storage;
    if (storage == NC_CHUNKED && chunk) {
        memcpy(v->definition->chunk, chunk, (size_t)v->ndim * sizeof *chunk);
    }
    return NC_NOERR;
}

/* ---- fill, byte order, rounding ---- */

int bridge_def_var_fill(int ncid, int id, int no_fill, const void *fill)
{
    struct bridge_group *g;
    int st;
    struct bridge_variable *v = pending(ncid, id, &g, &st);

    if (!v)
        return st;
    if (no_fill && v->type == NC_STRING)
        return NC_EINVAL;
    v->definition->no_fill = no_fill != 0;
    if (!fill && !no_fill)
        return NC_NOERR;
    st = bridge_del_att(ncid, id, "_FillValue");
    if (st && st != NC_ENOTATT)
        return st;
    return no_fill ? NC_NOERR : bridge_put_att(ncid, id, "_FillValue", v->type, 1, fill, v->type);
}

/* Elements are little-endian in any case, and this is what the program is told. */
int bridge_def_var_endian(int ncid, int id, int endian)
{
    struct bridge_group *g;
    int st;
    struct bridge_variable *v = pending(ncid, id, &g, &st);

    if (!v)
        return st;
    if (v->type == NC_CHAR || v->type >= NC_STRING)
        return NC_EINVAL;
    v->definition->endian = endian;
    return NC_NOERR;
}

int bridge_def_var_quantize(int ncid, int id, int mode, int digits)
{
    struct bridge_group *g;
    int st;
    struct bridge_variable *v = pending(ncid, id, &g, &st);

    (void)digits;
    if (!v || mode == NC_NOQUANTIZE)
        return st;
    if (!bridge_quiet)
        (void)fprintf(stderr, "libdrx-netcdf: %s: the library does not quantize; 'drx copy --bits' rounds\n", v->name);
    return NC_EINVAL;
}
