/* The references to the chunks of an array. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "refs.h"

enum { INDEX_TEXT_BYTES = 24, MOST_OPEN_BYTES = 256 << 20 };

int check_for_refs(const struct zarr_variable *v)
{
    const int64_t *lower = drx_lower(v->a), *chunk = drx_chunk(v->a);
    char axis[AXIS_TEXT_BYTES];
    int j = 0;

    if (DRX_IS_DEFINED(drx_dtype(v->a)))
        return failed("%s: has elements of %s, which Zarr has not", v->path, drx_type_name(drx_dtype(v->a)));
    if (!begins_inside_chunk(v) || is_inline(v))
        return DONE;
    while (lower[j] % chunk[j] == 0)
        j++;
    return failed("%s: %s begins at index %" PRId64 ", inside a chunk of %" PRId64
                  ", but chunks of Zarr begin with index 0; `drx copy %s NEW --from-zero` makes %s that can be "
                  "referred to, and drx.zarr_store of Python cuts new chunks",
                  v->path, axis_text(v->a, j, axis), lower[j], chunk[j], v->dataset ? v->dataset : v->path,
                  v->dataset ? "a dataset" : "an array");
}

/* ---- URLs ---- */

/* The end of a URL: in those of HTTP most characters are written as %20. */
static void put_in_url(FILE *out, const char *name, bool escaped)
{
    for (; *name; name++) {
        const unsigned char c = (unsigned char)*name;
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-._~/", c) != NULL;

        (void)fprintf(out, plain || !escaped ? "%c" : "%%%02X", c);
    }
}

/* What follows the folder in the path of a file: of a dataset, its groups, too. */
static const char *place_in(const char *folder, const char *file)
{
    const size_t n = folder ? strlen(folder) : 0;

    return n && strncmp(file, folder, n) == 0 && file[n] == '/' ? file + n + 1 : base_name(file);
}

/* The URL of a file, to be freed. fsspec takes the path of a local one as it is. */
static char *url_of(const char *file, const char *folder, const char *base)
{
    char resolved[PATH_MAX], *text = NULL;
    size_t n;
    FILE *out;

    if (!base && drx_is_url(file))
        return strdup(file);
    if (!base && !realpath(file, resolved))
        return NULL;
    out = open_memstream(&text, &n);
    if (!out)
        return NULL;
    if (base) {
        for (n = strlen(base); n > 0 && base[n - 1] == '/'; n--)
            continue;
        if (n > 0 && base[n - 1] == ':') /* "file:///", the whole machine */
            n = strlen(base) - 1;
        (void)fprintf(out, "%.*s/", (int)n, base);
        put_in_url(out, place_in(folder, file), strncmp(base, "http://", 7) == 0 || strncmp(base, "https://", 8) == 0);
    } else {
        (void)fprintf(out, "file://%s", resolved);
    }
    return end_text(out, &text);
}

/* The insides of the URLs of the files of an array. */
struct urls {
    char *of[2 + DRX_MAX_STRIPES];
};

static const char *url(struct urls *urls, const struct zarr_variable *v, int file, const char *base)
{
    const char *path = drx_file(v->a, file);
    char *text;

    if (urls->of[file])
        return urls->of[file];
    text = url_of(path, v->dataset, base);
    urls->of[file] = text ? json_inside(text) : NULL;
    free(text);
    if (!text)
        (void)failed_errno(path, "find its absolute path");
    else if (!urls->of[file])
        (void)failed("%s: its path is not UTF-8, which a URL has to be; give --url", path);
    return urls->of[file];
}

/* ---- chunks ---- */

struct grid {
    const struct zarr_variable *v;
    const char *base;
    int64_t first[DRX_MAX_NDIM], count[DRX_MAX_NDIM], at[DRX_MAX_NDIM]; /* in chunks; at: from 0 on */
    struct urls urls;
    char *prefix; /* of the keys, as inside of a string */
    char *empty;  /* a frame */
    int64_t open_bytes;
};

static const char *key_of(const struct grid *g, char *key)
{
    char *to = stpcpy(key, g->prefix);

    if (g->v->ndim == 0)
        (void)snprintf(to, INDEX_TEXT_BYTES, "0");
    for (int j = 0; j < g->v->ndim; j++)
        to += snprintf(to, INDEX_TEXT_BYTES, j ? ".%" PRId64 : "%" PRId64, g->at[j]);
    return key;
}

static int put_empty(struct refs_file *f, struct grid *g, const char *key)
{
    static const char zero[VALUE_MAX_BYTES];
    drx_spec spec;
    int64_t n;

    if (!g->empty) {
        drx_describe(g->v->a, &spec);
        n = (int64_t)drx_type_size(spec.type);
        for (int j = 0; j < spec.ndim; j++)
            n *= spec.chunk[j];
        if (!has_constant_frame(spec.type, spec.fill ? spec.fill : zero))
            return failed(
                "%s: has chunks that nobody has written, and a fill of type %s, which a reference has no room "
                "for; write the chunks, or give elements of at most 255 bytes",
                g->v->path, drx_type_name(spec.type));
        g->empty = constant_frame(spec.type, spec.fill ? spec.fill : zero, n);
    }
    if (!g->empty)
        return out_of_memory(64);
    put_inline_ref(f, key, g->empty);
    return DONE;
}

/* The one element of a scalar, where a raw chunk has more. */
static void narrow(const drx_array *a, drx_place *place)
{
    const int64_t chunk = drx_chunk(a)[0], item = (int64_t)drx_type_size(drx_dtype(a));

    if (chunk == 1)
        return;
    place->offset += (drx_lower(a)[0] % chunk + chunk) % chunk * item;
    place->bytes = item;
}

/* The elements of a chunk that is open, as a frame: growth closes it, and then another chunk may lie in its place. */
static int put_open(struct refs_file *f, struct grid *g, const int64_t index[], const char *key)
{
    const struct zarr_variable *v = g->v;
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], stride[DRX_MAX_NDIM], n = 1, first = 0;
    drx_spec spec;
    size_t item;
    char *elements, *text = NULL;
    drx_status st = DRX_ENOMEM;

    drx_describe(v->a, &spec);
    item = drx_type_size(spec.type);
    for (int k = 0; k < spec.ndim; k++) {
        const int j = spec.chunk_order == DRX_ROW_MAJOR ? spec.ndim - 1 - k : k;
        const int64_t begin = index[j] * spec.chunk[j], lower = drx_lower(v->a)[j], upper = lower + spec.shape[j];

        lo[j] = begin > lower ? begin : lower;
        count[j] = (begin + spec.chunk[j] < upper ? begin + spec.chunk[j] : upper) - lo[j];
        stride[j] = n;
        first += (lo[j] - begin) * n;
        n *= spec.chunk[j];
    }
    g->open_bytes += n * (int64_t)item;
    if (g->open_bytes > MOST_OPEN_BYTES)
        return failed("%s: has more than %d MiB of chunks that are open, which the references would have to hold; "
                      "`drx compact %s` compresses them",
                      v->path, MOST_OPEN_BYTES >> 20, v->dataset ? v->dataset : v->path);
    elements = malloc((size_t)n * item);
    for (int64_t i = 0; elements && i < n; i++)
        if (spec.fill)
            memcpy(elements + (size_t)i * item, spec.fill, item);
        else
            memset(elements + (size_t)i * item, 0, item);
    if (elements)
        st = drx_read_box(v->a, &(drx_box){ .lo = lo, .count = count, .stride = stride },
                          elements + (size_t)first * item);
    if (!st)
        text = stored_elements(spec.type, elements, n, true);
    free(elements);
    if (st && st != DRX_ENOMEM)
        return failed_drx(v->path, st);
    if (!text)
        return out_of_memory(n * (int64_t)item);
    put_inline_ref(f, key, text);
    free(text);
    return f->status;
}

static int put_chunk(struct refs_file *f, struct grid *g, char *key)
{
    const struct zarr_variable *v = g->v;
    int64_t index[DRX_MAX_NDIM];
    const char *where;
    drx_place place;
    drx_status st;

    for (int j = 0; j < drx_ndim(v->a); j++)
        index[j] = g->first[j] + g->at[j];
    st = drx_chunk_place(v->a, index, &place);
    if (st)
        return failed_drx(v->path, st);
    if (place.file < 0)
        return put_empty(f, g, key_of(g, key));
    if (place.is_open)
        return put_open(f, g, index, key_of(g, key));
    if (place.lacking_bytes > 0)
        return failed("%s: ends before the chunk at offset %" PRId64
                      ", whose elements are the fill; drx check --repair lengthens it",
                      drx_file(v->a, place.file), place.offset);
    where = url(&g->urls, v, place.file, g->base);
    if (!where)
        return FAILED;
    if (v->ndim == 0)
        narrow(v->a, &place);
    put_chunk_ref(f, key_of(g, key), where, place.offset, place.bytes);
    return f->status;
}

/* The next chunk, the last axis fastest; false: that was the last one. */
static bool next(struct grid *g)
{
    for (int j = drx_ndim(g->v->a) - 1; j >= 0; j--) {
        if (++g->at[j] < g->count[j])
            return true;
        g->at[j] = 0;
    }
    return false;
}

/* False: there are no chunks. */
static bool lay_out(struct grid *g)
{
    const drx_array *a = g->v->a;
    const int64_t *lower = drx_lower(a), *shape = drx_shape(a), *chunk = drx_chunk(a);

    for (int j = 0; j < drx_ndim(a); j++) {
        if (shape[j] == 0)
            return false;
        g->first[j] = lower[j] / chunk[j] - (lower[j] % chunk[j] < 0);
        g->count[j] = (shape[j] - 1) / chunk[j] + 1;
        g->at[j] = 0;
    }
    return true;
}

/* All elements as one chunk, in C order. */
static int put_elements(struct refs_file *f, const struct zarr_variable *v, const char *key)
{
    const size_t item = drx_type_size(drx_dtype(v->a));
    const int64_t bytes = box_bytes(drx_ndim(v->a), drx_shape(v->a), item);
    char *elements = malloc(bytes > 0 ? (size_t)bytes : 1), *text = NULL;
    drx_status st;

    if (!elements)
        return out_of_memory(bytes);
    st = drx_read(v->a, drx_lower(v->a), drx_shape(v->a), DRX_ROW_MAJOR, elements);
    if (!st)
        text = stored_elements(drx_dtype(v->a), elements, bytes / (int64_t)item, false);
    free(elements);
    if (st)
        return failed_drx(v->path, st);
    if (!text)
        return out_of_memory(bytes);
    put_inline_ref(f, key, text);
    free(text);
    return DONE;
}

int put_chunk_refs(struct refs_file *f, const struct zarr_variable *v, const char *base)
{
    struct grid g = { .v = v, .base = base };
    char *name = json_inside(v->name), *key;
    int status = DONE;

    if (!name)
        return out_of_memory((int64_t)strlen(v->name));
    key = malloc(strlen(name) + 2 + DRX_MAX_NDIM * INDEX_TEXT_BYTES);
    if (key && asprintf(&g.prefix, "%s/", name) < 0)
        g.prefix = NULL;
    if (!key || !g.prefix)
        status = out_of_memory((int64_t)strlen(name));
    if (status == DONE && lay_out(&g)) {
        if (is_inline(v))
            status = put_elements(f, v, key_of(&g, key));
        else
            do
                status = put_chunk(f, &g, key);
            while (status == DONE && next(&g));
    }
    for (int k = 0; k < 2 + DRX_MAX_STRIPES; k++)
        free(g.urls.of[k]);
    free(g.prefix);
    free(g.empty);
    free(key);
    free(name);
    return status;
}
