#include "source.h"

#include <stdlib.h>
#include <string.h>

enum { AXIS_NAME_BYTES = 200 };

bool source_set_name(struct source *s, const char *name)
{
    free(s->name);
    free(s->label);
    s->label = NULL;
    s->name = strdup(name);
    if (s->name && asprintf(&s->label, "%s:%s", s->file, name) >= 0)
        return true;
    s->label = NULL;
    return !out_of_memory((int64_t)strlen(name));
}

bool source_choose(struct source *s, source_list *list, const char *what)
{
    char *names = NULL;
    size_t bytes;
    FILE *out = open_memstream(&names, &bytes);
    bool good;
    int n = 0;

    if (!out)
        return !out_of_memory(BUFSIZ);
    good = list(s, out, &n);
    if (!end_text(out, &names))
        return !out_of_memory(BUFSIZ);
    if (good && s->name)
        good = !failed("%s: no %s '%s'%s%s", s->file, what, s->name, names[0] ? "; give one of " : "", names);
    else if (good && n == 0)
        good = !failed("%s: has no %s of numbers with dimensions, except coordinates; give SOURCE:NAME", s->file, what);
    else if (good && n > 1)
        good = !failed("%s: has %d %ss; give SOURCE:NAME with one of %s", s->file, n, what, names);
    else if (good)
        good = source_set_name(s, names);
    free(names);
    return good;
}

void source_take_fill(struct source *s, const char *name, drx_type type, const void *values, int64_t n)
{
    if (type == s->type && drx_type_size(type) <= VALUE_MAX_BYTES) {
        memcpy(s->fill, values, drx_type_size(type));
    } else if (!convert_value(type, values, s->type, s->fill)) {
        warn("%s: %s is not a value of type %s and is ignored as fill value", s->label, name, drx_type_name(s->type));
        return;
    }
    if (n > 1)
        warn("%s: %s has %lld values; the first is the fill value", s->label, name, (long long)n);
    s->fill_name = name;
}

bool source_notes_fill(const struct source *s)
{
    static const char zero[VALUE_MAX_BYTES];

    return s->fill_name && strcmp(s->fill_name, "_FillValue") == 0 &&
           (s->has_own_fill || memcmp(s->fill, zero, drx_type_size(s->type)) != 0);
}

void source_set_chunk(const struct source *s, drx_spec *spec, int64_t chunk[])
{
    if (s->same_chunk)
        memcpy(chunk, s->chunk, sizeof s->chunk);
    spec->chunk = s->chunked ? s->chunk : NULL;
    spec->chunk = !s->same_chunk && drx_choose_chunk(spec, chunk) ? NULL : chunk; /* what is wrong, drx_create says */
}

/* An array has room for a short fill of strings alone. */
static void drop_long_fill(struct source *s)
{
    char text[STRING_UTF8_BYTES];
    size_t n = 0;

    if (!s->fill_name || !DRX_IS_STRING(s->type) ||
        (utf8_of_string(s->type, s->fill, text, &n) && n <= DRX_MAX_STRING_FILL_BYTES))
        return;
    warn("%s: %s is a string of more than %d bytes and is ignored as fill value", s->label, s->fill_name,
         DRX_MAX_STRING_FILL_BYTES);
    s->fill_name = NULL;
    memset(s->fill, 0, sizeof s->fill);
}

/* The name of a dimension as an array may have it, to be freed: without slashes, no dot in front, and not too long. */
static char *legal_dim(const char *name)
{
    size_t n = strlen(name);
    char *legal;

    for (n = n > AXIS_NAME_BYTES ? AXIS_NAME_BYTES : n; ((unsigned char)name[n] & 0xC0) == 0x80;)
        n--; /* no part of a character */
    legal = strndup(name, n);
    for (char *at = legal; at && *at; at++)
        if (*at == '/' || (*at == '.' && at == legal))
            *at = '_';
    return legal;
}

static bool settle_dims(struct source *s)
{
    for (int j = 0; j < s->ndim; j++) {
        char *legal = s->dims[j] ? legal_dim(s->dims[j]) : NULL;

        if (s->dims[j] && !legal)
            return !out_of_memory(AXIS_NAME_BYTES);
        if (s->dims[j] && strcmp(legal, s->dims[j]) != 0)
            warn("%s: the dimension '%s' is read as '%s': no axis can have that name", s->label, s->dims[j], legal);
        free(s->dims[j]);
        s->dims[j] = legal;
    }
    return true;
}

bool source_open_kind(struct source *s)
{
    for (int j = 0; j < DRX_MAX_NDIM; j++)
        s->chunk[j] = 1;
    if (s->kind->open(s) && settle_dims(s)) {
        drop_long_fill(s);
        return true;
    }
    source_close(s);
    return false;
}

bool source_open_other(struct source *s, const struct source *of, const char *name)
{
    memset(s, 0, sizeof *s);
    s->kind = of->kind;
    s->beside = of;
    s->file = strdup(of->file);
    if (s->file && source_set_name(s, name))
        return source_open_kind(s);
    source_close(s);
    return false;
}

void source_close(struct source *s)
{
    if (s->kind)
        s->kind->close(s);
    for (int j = 0; j < DRX_MAX_NDIM; j++)
        free(s->dims[j]);
    free(s->filters);
    free(s->file);
    free(s->name);
    free(s->label);
    memset(s, 0, sizeof *s);
}

bool source_read(struct source *s, const int64_t lo[], const int64_t count[], void *buf)
{
    const size_t bytes = drx_type_size(s->type);
    char *at = buf;

    if (!s->kind->read(s, lo, count, buf))
        return false;
    for (int64_t i = s->has_own_fill ? box_bytes(s->ndim, count, 1) : 0; i > 0; i--, at += bytes)
        if (memcmp(at, s->own_fill, bytes) == 0)
            memcpy(at, s->fill, bytes);
    return !s->rounding || round_elements(s->rounding, s->label, s->type, s->fill_name ? s->fill : NULL,
                                          box_bytes(s->ndim, count, 1), buf) == DONE;
}

void source_set_fill(struct source *s, const void *fill)
{
    const size_t bytes = drx_type_size(s->type);

    s->has_own_fill = s->fill_name && memcmp(s->fill, fill, bytes) != 0;
    memcpy(s->own_fill, s->fill, bytes);
    memcpy(s->fill, fill, bytes);
    if (!s->fill_name)
        s->fill_name = "--fill";
}

drx_array *describe_source(struct source *s, drx_cf *cf)
{
    static const int64_t none = 0;
    const drx_spec spec = { .ndim = 1, .type = s->type, .shape = &none, .fill = s->fill_name ? s->fill : NULL };
    drx_array *keeper;
    drx_status st = drx_create(NULL, &spec, &keeper);

    if (st) {
        (void)failed_drx(s->label, st);
        return NULL;
    }
    if (s->kind->copy_attributes(s, keeper, s->label) == DONE) {
        st = drx_cf_describe(keeper, cf);
        if (!st)
            return keeper;
        (void)failed_drx(s->label, st);
    }
    (void)drx_close(keeper);
    return NULL;
}
