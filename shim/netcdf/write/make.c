/* Variables whose definition is complete go into the dataset, in the order in which they were defined. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drx_tools.h"
#include "write.h"

enum { STRING_CHUNK = 32 };

struct making {
    drx_spec spec;
    int64_t shape[DRX_MAX_NDIM], chunk[DRX_MAX_NDIM], lower[DRX_MAX_NDIM];
    const char *dims[DRX_MAX_NDIM];
    char *paths[DRX_MAX_NDIM]; /* what dims point to */
};

/* ---- the chunk ---- */

static void set_bounds(const struct bridge_file *f, const struct bridge_variable *v, struct making *m)
{
    drx_spec *spec = &m->spec;

    *spec = (drx_spec){ .ndim = v->ndim,
                        .type = v->type == NC_STRING ? DRX_UINT8 : bridge_element_type(f, v->type),
                        .shape = m->shape,
                        .lower = m->lower };
    for (int k = 0; k < v->ndim; k++) {
        const struct bridge_dim *d = &f->dims[v->dims[k]];
        const int found = drx_dataset_dim_find(f->ds, d->path);

        m->shape[k] = (int64_t)d->length;
        m->lower[k] = found < 0 ? 0 : drx_dataset_dim_lower(f->ds, found);
        spec->grows |= (uint32_t)d->unlimited << k;
    }
    if (v->type == NC_STRING || v->ndim == 0) {
        m->shape[spec->ndim] = 1;
        m->lower[spec->ndim++] = 0;
    }
}

/* Whoever appends has little at first: 64 KiB, or room for 9 to 16 indices of a dimension that grows. */
static void shorten(drx_spec *spec, int64_t chunk[])
{
    enum { FEW_BYTES = 1 << 16, FEW = 16 };
    int64_t bytes = (int64_t)drx_type_size(spec->type);
    int longest;

    for (int k = 0; k < spec->ndim; k++)
        bytes *= chunk[k];
    do {
        longest = -1;
        for (int k = 0; k < spec->ndim; k++)
            if (spec->grows >> k & 1 && chunk[k] > FEW && (longest < 0 || chunk[k] > chunk[longest]))
                longest = k;
        if (longest >= 0 && bytes > FEW_BYTES) {
            chunk[longest] /= 2;
            bytes /= 2;
        }
    } while (longest >= 0 && bytes > FEW_BYTES);
}

/* As the library chooses it: with room along dimensions that grow. */
int bridge_choose_chunk(const struct bridge_file *f, const struct bridge_variable *v, size_t chunk[])
{
    struct making m = { .shape = { 0 } };

    set_bounds(f, v, &m);
    if (v->type == NC_STRING) /* with room for longer ones */
        m.shape[m.spec.ndim - 1] = STRING_CHUNK;
    if (drx_choose_chunk(&m.spec, m.chunk))
        return bridge_error(DRX_EINVAL);
    shorten(&m.spec, m.chunk);
    for (int k = 0; k < v->ndim; k++)
        chunk[k] = (size_t)m.chunk[k];
    return NC_NOERR;
}

static void set_chunk(const struct bridge_variable *v, struct making *m)
{
    for (int k = 0; k < v->ndim; k++)
        m->chunk[k] = (int64_t)v->definition->chunk[k];
    if (v->type == NC_STRING)
        m->chunk[v->ndim] = STRING_CHUNK;
    m->spec.chunk = v->ndim > 0 || v->type == NC_STRING ? m->chunk : NULL;
}

/* ---- the codec ---- */

static drx_codec codec_of(unsigned compressor)
{
#define BY_COMPRESSOR(name, number, text, blosc, frame) [blosc] = DRX_##name,
    static const drx_codec codecs[] = { DRX_CODEC_LIST(BY_COMPRESSOR) };

    return codecs[compressor]; /* as check_filter of define_storage.c lets it pass */
}

/* The level of Blosc that comes nearest to one of zstd, which has 22. */
static int level_of_zstd(const struct bridge_filter *f)
{
    const int level = f->n > 0 && (int)f->params[0] > 0 ? (int)f->params[0] : 3;

    return level >= 17 ? 9 : (level + 1) / 2;
}

static void set_codec(const struct bridge_definition *d, drx_spec *spec)
{
    const struct bridge_filter *f;

    spec->shuffle = bridge_filter_of(d, BRIDGE_SHUFFLE) ? DRX_SHUFFLE_BYTE : DRX_SHUFFLE_NONE;
    if ((f = bridge_filter_of(d, BRIDGE_DEFLATE)) && f->params[0] > 0) {
        spec->codec = DRX_ZLIB;
        spec->level = (int)f->params[0];
    } else if ((f = bridge_filter_of(d, BRIDGE_ZSTD))) {
        spec->codec = DRX_ZSTD;
        spec->level = level_of_zstd(f);
    } else if (bridge_filter_of(d, BRIDGE_LZ4)) {
        spec->codec = DRX_LZ4;
    } else if ((f = bridge_filter_of(d, BRIDGE_BLOSC)) && f->params[4] > 0) {
        spec->codec = codec_of(f->params[6]);
        spec->level = f->params[4] <= 9 ? (int)f->params[4] : 9;
        spec->shuffle = f->params[5] < 3 ? (drx_shuffle)(DRX_SHUFFLE_NONE + f->params[5]) : DRX_SHUFFLE_BYTE;
    }
    if (spec->codec == DRX_RAW) /* compressed chunks have checksums of their own */
        spec->shuffle = DRX_SHUFFLE_AUTO;
    if (spec->codec == DRX_RAW && bridge_filter_of(d, BRIDGE_FLETCHER32))
        spec->flags |= DRX_CHECKSUM;
}

/* ---- names of dimensions ---- */

/* That through the bytes of strings: VARIABLE_strlen, or with a number after it. */
static char *string_dim(const struct bridge_file *f, const char *path)
{
    char *name;

    if (asprintf(&name, "%s_strlen", path) < 0)
        return NULL;
    for (int i = 2; name && drx_dataset_dim_find(f->ds, name) >= 0; i++) {
        free(name);
        if (asprintf(&name, "%s_strlen_%d", path, i) < 0)
            return NULL;
    }
    return name;
}

static bool set_dims(const struct bridge_file *f, const struct bridge_variable *v, struct making *m)
{
    bool good = true;

    for (int k = 0; good && k < v->ndim; k++) {
        const char *path = f->dims[v->dims[k]].path;

        good = asprintf(&m->paths[k], "/%s", path) >= 0;
        m->paths[k] = good ? m->paths[k] : NULL;
    }
    if (good && v->type == NC_STRING) {
        char *name = string_dim(f, v->path);

        good = name && asprintf(&m->paths[v->ndim], "/%s", name) >= 0;
        m->paths[v->ndim] = good ? m->paths[v->ndim] : NULL;
        free(name);
    }
    for (int k = 0; k < m->spec.ndim; k++)
        m->dims[k] = m->paths[k];
    m->spec.dims = v->ndim > 0 || v->type == NC_STRING ? m->dims : NULL;
    return good;
}

/* ---- one variable ---- */

static drx_status note_kind(struct bridge_file *f, const struct bridge_variable *v)
{
    if (v->type == NC_CHAR)
        return BRIDGE_STORE(f, attr_set_text, DRX_VARIABLE, v->path, "drx.char", "characters");
    return v->type == NC_STRING ? BRIDGE_STORE(f, attr_set_text, DRX_VARIABLE, v->path, "drx.string", "utf-8") : DRX_OK;
}

/* The bytes that the fill of strings takes; 1 or more. */
static int64_t longest_fill(const struct bridge_variable *v)
{
    const struct bridge_attribute *fill = bridge_find(&v->attributes, "_FillValue");
    const size_t n = fill && fill->type == NC_STRING ? strlen(*(char *const *)fill->values) : 0;

    return n > 1 ? (int64_t)n : 1;
}

static int make(struct bridge_file *f, struct bridge_variable *v)
{
    const struct bridge_attribute *fill = v->type == NC_STRING ? NULL : bridge_find(&v->attributes, "_FillValue");
    struct making m = { .shape = { 0 } };
    drx_status st = DRX_ENOMEM;
    int error;

    set_bounds(f, v, &m);
    if (v->type == NC_STRING)
        m.shape[v->ndim] = longest_fill(v);
    set_chunk(v, &m);
    set_codec(v->definition, &m.spec);
    m.spec.fill = fill ? fill->values : NULL;
    if (!v->definition->pending) /* it was made, but not its attributes */
        st = DRX_OK;
    else if (set_dims(f, v, &m))
        st = bridge_store_array(f, v, &m.spec);
    for (int k = 0; k < m.spec.ndim; k++)
        free(m.paths[k]);
    if (st)
        return bridge_error(st);
    v->definition->pending = false;
    v->has_own_axis = v->type == NC_STRING;
    error = bridge_error(note_kind(f, v));
    if (!error)
        error = bridge_store_attributes(f, v);
    v->owes = !v->definition->no_fill && bridge_owes(f, v);
    return !error && f->together ? bridge_fill_up_to(f, v, INT64_MAX) : error;
}

int bridge_make_variables(struct bridge_file *f)
{
    int st = bridge_store_types(f, INT_MAX);

    for (int i = f->nvars - f->npending; !st && i < f->nvars; i++) {
        st = make(f, f->vars[i]);
        f->npending -= !st;
    }
    return st;
}
