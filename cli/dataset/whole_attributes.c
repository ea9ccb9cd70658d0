/* Copies attributes of a whole file, with their types: strings of netCDF are noted, since text here is characters. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/text.h"
#include "whole_file.h"

struct copy {
    const struct whole_file *f;
    const struct variable *v; /* NULL: global attributes */
    const struct owner *to;
    FILE *strings; /* lines of STRINGS_NOTE */
    int failed;    /* exit code of what was printed already */
};

static drx_status set_text(const struct owner *to, const char *name, const char *text)
{
    return to->array ? drx_attr_set_text(to->array, name, text) : drx_dataset_attr_set_text(to->ds, name, text);
}

static drx_status set_numbers(const struct owner *to, const char *name, drx_type type, int64_t n, const void *values)
{
    return to->array ? drx_attr_set(to->array, name, type, n, values)
                     : drx_dataset_attr_set(to->ds, name, type, n, values);
}

static int varid(const struct copy *c)
{
    return c->v ? c->v->nc.id : NC_GLOBAL;
}

static int refuse(struct copy *c, const char *name, const char *why)
{
    c->failed = failed("%s%s%s: attribute %s %s", c->f->path, c->v ? ":" : "", c->v ? c->v->name : "", name, why);
    return c->failed;
}

static int copy_strings(struct copy *c, const char *from, const char *to, size_t n, drx_status *st)
{
    char **strings = calloc(n + 1, sizeof *strings);
    char *text, *good, separator = '\n';
    int error = strings ? nc_get_att_string(c->f->id, varid(c), from, strings) : NC_ENOMEM;

    for (size_t i = 0; !error && n > 1 && i < n; i++) {
        if (strings[i] && strchr(strings[i], RECORD_END) && !c->failed)
            (void)refuse(c, to, "is a list of strings with U+001E in one, which a dataset cannot store");
        separator = strings[i] && strchr(strings[i], '\n') ? RECORD_END : separator;
    }
    if (!error && !c->failed) {
        text = join_strings(strings, n, separator);
        good = text ? utf8_of(text, strlen(text)) : NULL;
        *st = good ? set_text(c->to, to, good) : DRX_ENOMEM;
        free(good);
        free(text);
        (void)fprintf(c->strings, "%zu %s\n", n, to);
    }
    if (!error)
        (void)nc_free_string(n, strings);
    free(strings);
    return error;
}

/* Characters: UTF-8 or Latin-1. NULs at the end are dropped; others become ends of lines. */
static drx_status set_characters(const struct owner *to, const char *name, char *bytes, size_t n)
{
    char *text;
    drx_status st;

    while (n > 0 && bytes[n - 1] == '\0')
        n--;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] == '\0')
            bytes[i] = '\n';
    text = utf8_of(bytes, n);
    st = text ? set_text(to, name, text) : DRX_ENOMEM;
    free(text);
    return st;
}

/* The fill value of characters is a number here, as the elements are. */
static bool is_char_fill(const struct copy *c, const char *name, size_t n)
{
    return c->v && c->v->kind == CHARACTERS && n == 1 && strcmp(name, "_FillValue") == 0;
}

static int copy_attribute(struct copy *c, const char *from, const char *to, drx_status *st)
{
    nc_type nctype;
    drx_type type;
    size_t n;
    void *values;
    int error = nc_inq_att(c->f->id, varid(c), from, &nctype, &n);

    if (error)
        return error;
    if (nctype == NC_STRING)
        return copy_strings(c, from, to, n, st);
    type = nctype == NC_CHAR ? DRX_UINT8 : nc_element_type(nctype);
    if (!type) {
        (void)refuse(c, to, "has a type of the file's own, which a dataset cannot store; it stores numbers and text");
        return NC_NOERR;
    }
    values = calloc(n + 1, drx_type_size(type));
    error = values ? nc_get_att(c->f->id, varid(c), from, values) : NC_ENOMEM;
    if (!error && (nctype != NC_CHAR || is_char_fill(c, to, n)))
        *st = set_numbers(c->to, to, type, (int64_t)n, values);
    else if (!error)
        *st = set_characters(c->to, to, values, n);
    free(values);
    return error;
}

static int copy_all(struct copy *c, int n, drx_status *st)
{
    char name[NC_MAX_NAME + 1];
    int error = NC_NOERR;

    for (int i = 0; !error && !*st && !c->failed && i < n; i++) {
        char *to;

        error = nc_inq_attname(c->f->id, varid(c), i, name);
        to = error ? NULL : utf8_of(name, strlen(name));
        if (!error && !to)
            error = NC_ENOMEM;
        if (!error && strncmp(to, "drx.", 4) == 0)
            (void)refuse(c, to, "has a name of DRX's own; rename it");
        else if (!error)
            error = copy_attribute(c, name, to, st);
        free(to);
    }
    return error;
}

int copy_whole_attributes(const struct whole_file *f, const struct variable *v, const struct owner *to)
{
    struct copy c = { .f = f, .v = v, .to = to };
    char *strings = NULL;
    size_t bytes = 0;
    drx_status st = DRX_OK;
    int n = 0, error;

    c.strings = open_memstream(&strings, &bytes);
    if (!c.strings)
        return out_of_memory(BUFSIZ);
    error = nc_inq_varnatts(f->id, varid(&c), &n);
    if (!error)
        error = copy_all(&c, n, &st);
    if (!end_text(c.strings, &strings))
        return out_of_memory(BUFSIZ);
    if (!error && !st && strings[0])
        st = set_text(to, STRINGS_NOTE, strings);
    free(strings);
    if (c.failed)
        return c.failed;
    if (error)
        return whole_failed(f, v, "read the attributes", error);
    return exit_code(v ? v->source.label : f->path, st);
}
