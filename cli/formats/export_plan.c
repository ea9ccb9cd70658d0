/* Names, coordinates and chunks of an exported file. */
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "export.h"
#include "files/paths.h"
#include "frame/cli.h"
#include "source.h"

enum { LEAST_CHUNK_BYTES = 64 << 10, NAME_BYTES = 255 };

static bool is_plain(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c >= 0x80;
}

char *legal_name(const char *name, bool netcdf)
{
    char *out = utf8_of(name, strlen(name));
    size_t n = out ? strlen(out) : 0;

    if (!out)
        return NULL;
    while (n > NAME_BYTES || (n > 0 && netcdf && out[n - 1] == ' ')) {
        n = whole_characters(out, n - 1);
        out[n] = '\0';
    }
    for (size_t i = 0; i < n; i++)
        if (out[i] == '/' || (netcdf && ((unsigned char)out[i] < 0x20 || out[i] == 0x7f)))
            out[i] = '_';
    if (netcdf && n > 0 && !is_plain((unsigned char)out[0]))
        out[0] = '_';
    if (n > 0 && strcmp(out, ".") != 0)
        return out;
    free(out);
    return strdup("_");
}

/* Split the given name into groups and name; false after printing: it is not legal. */
static bool take_variable(struct export *e, const char *variable, bool netcdf)
{
    const char *at = variable + strspn(variable, "/");
    char *all = strdup(at), *rest = all, *part, *legal;
    bool good = all && *at;

    while (good && rest) {
        part = strsep(&rest, "/");
        legal = legal_name(part, netcdf);
        good = legal && strcmp(legal, part) == 0;
        free(legal);
    }
    free(all);
    if (!good) {
        return !failed("'%s' cannot be the name of a variable; give names separated by slashes%s", variable,
                       netcdf ? ", each beginning with a letter, a digit or _" : "");
    }
    e->main.name = strdup(base_name(at));
    e->groups = strndup(at, strlen(at) - (e->main.name ? strlen(e->main.name) : 0));
    return e->main.name && e->groups;
}

static bool name_after_array(struct export *e, const char *path, bool netcdf)
{
    e->main.name = legal_name(base_name(path), netcdf);
    e->groups = strdup("");
    if (!e->main.name || !e->groups)
        return false;
    if (strcmp(e->main.name, base_name(path)) != 0)
        warn("%s: cannot be the name of a variable; the file calls it '%s'", path, e->main.name);
    return true;
}

bool same_axis(const struct export *e, int i, int k)
{
    const struct selection *s = &e->main.selection;
    const int a = e->axes[i], b = e->axes[k];

    return e->dims[i] && e->dims[k] && strcmp(e->dims[i], e->dims[k]) == 0 && s->lo[a] == s->lo[b] &&
           s->count[a] == s->count[b] && s->step[a] == s->step[b];
}

void choose_chunk(struct part *p, size_t element_bytes, bool own)
{
    const struct selection *s = &p->selection;
    int64_t chunk[DRX_MAX_NDIM], some[DRX_MAX_NDIM], times;
    int axes[DRX_MAX_NDIM];

    own = own || p->deflate.source;
    for (int j = 0; j < s->ndim; j++) {
        const int64_t step = s->step[j] < 0 ? -s->step[j] : s->step[j];
        const int64_t whole = (drx_chunk(p->array)[j] - 1) / step + 1, most = s->count[j] ? s->count[j] : 1;

        chunk[j] = whole < most ? whole : most;
    }
    for (int j = s->ndim - 1; j >= 0 && !own; j--) {
        const int64_t bytes = box_bytes(s->ndim, chunk, element_bytes);
        const int64_t most = s->count[j] ? (s->count[j] - 1) / chunk[j] + 1 : 1;

        times = bytes > 0 && bytes < LEAST_CHUNK_BYTES ? (LEAST_CHUNK_BYTES - 1) / bytes + 1 : 1;
        times = times < most ? times : most;
        chunk[j] = chunk[j] * times < s->count[j] || !s->count[j] ? chunk[j] * times : s->count[j];
    }
    for (int j = 0; j < s->ndim; j++)
        some[j] = s->count[j] ? s->count[j] : 1;
    (void)cut_box(&p->slabs, s->ndim, some, chunk, element_bytes, DRX_ROW_MAJOR);
    for (int j = 0; j < s->ndim; j++)
        if (!own && p->slabs.block[j] > 0 && p->slabs.block[j] < chunk[j])
            chunk[j] = p->slabs.block[j];
    keep_axes(s, chunk, p->chunk);
    keep_axes(s, s->count, p->shape);
    p->ndim = kept_axes(s, axes);
}

/* Why the file cannot name the coordinates of axis k like the axis, or NULL. netCDF gives its axes other names where it
 * must. */
static const char *why_not(const struct export *e, int k, bool netcdf)
{
    char *legal = legal_name(e->dims[k], false);
    const bool is_legal = legal && strcmp(legal, e->dims[k]) == 0;

    free(legal);
    if (!is_legal && !netcdf)
        return "cannot have that name";
    if (strcmp(e->dims[k], e->main.name) == 0)
        return "would have the name of the variable";
    for (int i = 0; i < k && !netcdf; i++)
        if (e->coords[i].array && strcmp(e->coords[i].name, e->dims[k]) == 0)
            return "would have the name of those of another axis";
    return NULL;
}

/* Warn of coordinates that did not grow with the array. */
static void warn_of_other_extent(const struct export *e, int axis)
{
    const char *path = e->main.selection.path;
    drx_array *other = open_named_like(e->main.array, path, axis);

    if (other && drx_shape(other)[0] != drx_shape(e->main.array)[axis])
        warn("%s: the coordinates '%s' have %lld values for %lld indices and are left out", path,
             drx_dim_name(e->main.array, axis), (long long)drx_shape(other)[0],
             (long long)drx_shape(e->main.array)[axis]);
    (void)drx_close(other);
}

static bool find_coordinate(struct export *e, int k, bool netcdf)
{
    struct part *c = &e->coords[k];
    const struct selection *s = &e->main.selection;
    const int axis = e->axes[k];
    const char *wrong;

    for (int i = 0; i < k; i++)
        if (same_axis(e, i, k))
            return true;
    c->array = e->dims[k] ? open_labels(e->main.array, s->path, axis) : NULL;
    if (!c->array)
        warn_of_other_extent(e, axis);
    if (!c->array)
        return true;
    wrong = why_not(e, k, netcdf);
    if (wrong) {
        warn("%s: the coordinates '%s' %s there and are left out", s->path, e->dims[k], wrong);
        (void)drx_close(c->array);
        c->array = NULL;
        return true;
    }
    c->selection.path = path_beside(s->path, drx_dim_name(e->main.array, axis));
    c->selection.ndim = 1;
    c->selection.lo[0] = s->lo[axis];
    c->selection.count[0] = s->count[axis];
    c->selection.step[0] = s->step[axis];
    c->name = strdup(e->dims[k]);
    if (!e->deflate.given) /* which is about the elements */
        c->deflate = deflate_for(c->array, &e->deflate, c->selection.path);
    if (!netcdf)
        choose_chunk(c, drx_type_size(drx_dtype(c->array)), false);
    return c->selection.path && c->name;
}

bool is_internal_attribute(const char *attribute)
{
    static const char *const names[] = {
        /* HDF5's */ "CLASS",
        "NAME",
        "DIMENSION_LIST",
        "REFERENCE_LIST",
        "DIMENSION_LABELS",
        /* drx's */ "drx.type",
        /* netCDF's */ "_Netcdf4Dimid",
        "_Netcdf4Coordinates",
        "_nc3_strict",
        "_NCProperties",
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], attribute) == 0)
            return true;
    return false;
}

/* Does the attribute say what the fill value says, of whatever type? */
static bool repeats_fill(const struct part *p, const char *attribute)
{
    _Alignas(VALUE_ALIGN_BYTES) unsigned char own[VALUE_MAX_BYTES];
    char text[VALUE_TEXT_BYTES], fill[VALUE_TEXT_BYTES];
    const drx_type to = drx_dtype(p->array);
    const void *value;
    drx_type type;
    int64_t n;

    if (drx_attr_get(p->array, attribute, &type, &n, &value) != DRX_OK || n != 1 ||
        !convert_value(type, value, to, own))
        return false;
    value_text(to, own, text);
    value_text(to, fill_of(p->array), fill);
    return strcmp(text, fill) == 0;
}

/* Records that say how another file was put together tell nothing about the array. */
static bool is_of_another_file(const char *attribute)
{
    return strncmp(attribute, "drx.", 4) == 0 ||
           (is_internal_attribute(attribute) && (attribute[0] == '_' || strstr(attribute, "_LIST")));
}

bool leaves_out(const struct part *p, const char *attribute)
{
    const bool fill = strcmp(attribute, "_FillValue") == 0 && fill_of(p->array);

    if ((fill && repeats_fill(p, attribute)) || is_of_another_file(attribute))
        return true;
    if (fill)
        warn("%s: attribute _FillValue is left out, because the array has a fill value", p->selection.path);
    else if (is_internal_attribute(attribute))
        warn("%s: attribute %s is left out, because such files keep their own records under that name",
             p->selection.path, attribute);
    else
        return false;
    return true;
}

#define COMPRESSOR(name, number, text, compressor, ...) [number] = (compressor),

/* False after telling which filter is not used. */
static bool can_write(const drx_source *source, const char *label)
{
    for (struct stored_filter f = { 0 }; next_filter(source, &f);) {
        const bool exact = filter_of(f.id)->exact; /* another one may change elements once more */
        unsigned config = 0;

        if (H5Zfilter_avail((H5Z_filter_t)f.id) > 0)
            (void)H5Zget_filter_info((H5Z_filter_t)f.id, &config);
        if (exact && config & H5Z_FILTER_CONFIG_ENCODE_ENABLED)
            continue;
        warn("%s: filter %u (%s) of the file that it comes from %s: it is written without the filters of that", label,
             f.id, filter_of(f.id)->name, exact ? "cannot be encoded here" : "may change values");
        return false;
    }
    return true;
}

static bool is_stored_alike(const drx_source *source, const struct codec *codec)
{
    const struct codec is = codec_of_filters(source);

    return is.codec == codec->codec &&
           (is.codec == DRX_RAW || (is.level ? is.level : 5) == (codec->level ? codec->level : 5));
}

size_t filter_params(const struct stored_filter *f, const unsigned **params)
{
    const size_t first = f->id == BITSHUFFLE_FILTER && f->n > 3 ? 3 : 0; /* after what the filter puts before */

    *params = f->params + first;
    return f->id == SZIP_FILTER && f->n > 2 ? 2 : f->n - first;
}

bool is_filled(const drx_array *a, const char *when)
{
    const void *text;
    int64_t n;

    return drx_attr_get(a, FILL_TIME_NOTE, NULL, &n, &text) == DRX_OK && (size_t)n == strlen(when) &&
           memcmp(text, when, (size_t)n) == 0;
}

void choose_deflate(struct deflate *d, const struct codec *codec, const drx_source *source, const char *label)
{
    static const unsigned compressors[] = { DRX_CODEC_LIST(COMPRESSOR) };
    const bool blosc = d->blosc || codec->codec != DRX_ZLIB; /* which is HDF5's deflate */

    if (d->given)
        return;
    if (!d->blosc && source && source->nwords > 0 && is_stored_alike(source, codec) && can_write(source, label)) {
        *d = (struct deflate){ .given = true, .source = source };
        return;
    }
    *d = (struct deflate){ .given = true, .shuffle = codec->shuffle != DRX_SHUFFLE_NONE };
    if (codec->codec == DRX_RAW)
        return;
    d->blosc = blosc;
    d->level = codec->level ? codec->level : 5;
    d->params[4] = (unsigned)d->level; /* those before it are the filter's */
    d->params[5] = codec->shuffle ? (unsigned)codec->shuffle - DRX_SHUFFLE_NONE : 1;
    d->params[6] = compressors[codec->codec];
}

void tell_of_blosc(const char *name, const struct deflate *d, bool *told)
{
    if (!d->blosc || d->level == 0 || *told)
        return;
    *told = true;
    warn("%s: is compressed by Blosc; readers need HDF5's filter %d, as in Debian's hdf5-filter-plugin-blosc-serial; "
         "--deflate N writes what all can read",
         name, BLOSC_FILTER);
}

void tell_of_export(const char *name, const struct export *e)
{
    bool told = false;

    for (int k = -1; k < e->main.ndim; k++) {
        const struct part *p = k < 0 ? &e->main : &e->coords[k];

        if (p->array)
            tell_of_blosc(name, &p->deflate, &told);
    }
}

struct deflate deflate_for(const drx_array *a, const struct deflate *wanted, const char *label)
{
    const struct codec codec = codec_of(a);
    struct deflate d = *wanted;
    drx_spec spec;

    drx_describe(a, &spec);
    choose_deflate(&d, &codec, spec.source, label);
    return d;
}

int plan_export(struct export *e, drx_array *a, const struct selection *s, const char *variable, bool netcdf,
                bool coords)
{
    bool good;

    e->main.array = a;
    e->main.selection = *s;
    e->main.ndim = kept_axes(s, e->axes);
    e->main.deflate = deflate_for(a, &e->deflate, s->path);
    if (!netcdf)
        choose_chunk(&e->main, drx_type_size(drx_dtype(a)), e->own_chunks);
    if (variable && !take_variable(e, variable, netcdf))
        return FAILED;
    good = variable || name_after_array(e, s->path, netcdf);
    for (int k = 0; good && k < e->main.ndim; k++) {
        const char *own = drx_dim_name(a, e->axes[k]);

        e->dims[k] = own ? strdup(own) : NULL;
        good = (!own || e->dims[k]) && (!coords || find_coordinate(e, k, netcdf));
    }
    return good ? DONE : out_of_memory(NAME_BYTES);
}

void release_export(struct export *e)
{
    for (int k = 0; k < DRX_MAX_NDIM; k++) {
        (void)drx_close(e->coords[k].array);
        free(e->coords[k].selection.path);
        free(e->coords[k].name);
        free(e->dims[k]);
    }
    free(e->main.name);
    free(e->groups);
}
