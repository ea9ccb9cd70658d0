/* Attributes as netCDF has them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"

/* An attribute of an array, or of a group when there is no array. */
struct given {
    struct bridge_file *f;
    int number; /* of the group */
    const drx_array *array;
    const drx_dataset *ds;
    const char *group;
    const char *name;
    drx_type type;
    int64_t n;
    const void *values;
    int is_text;
};

static int count_of(const struct given *g)
{
    return g->array ? drx_attr_count(g->array) : drx_dataset_attr_count(g->ds, DRX_GROUP, g->group);
}

static bool get_number(struct given *g, int i)
{
    if ((g->array ? drx_attr_info(g->array, i, &g->name, NULL, NULL, &g->is_text)
                  : drx_dataset_attr_info(g->ds, DRX_GROUP, g->group, i, &g->name, NULL, NULL, &g->is_text)) != DRX_OK)
        return false;
    return (g->array
                ? drx_attr_get(g->array, g->name, &g->type, &g->n, &g->values)
                : drx_dataset_attr_get(g->ds, DRX_GROUP, g->group, g->name, &g->type, &g->n, &g->values)) == DRX_OK;
}

static bool get(struct given *g, const char *name)
{
    for (int i = 0; i < count_of(g); i++)
        if (get_number(g, i) && strcmp(g->name, name) == 0)
            return true;
    return false;
}

/* ---- one attribute ---- */

static bool copy_values(struct bridge_attribute *to, nc_type type, size_t n, size_t bytes, const void *values)
{
    to->type = type;
    to->n = n;
    to->values = malloc(bytes + 1);
    if (!to->values)
        return false;
    memcpy(to->values, values, bytes);
    ((char *)to->values)[bytes] = '\0';
    return true;
}

/* `count` strings in a text, with newlines between them, or U+001E where one of them has newlines. */
static bool copy_strings(struct bridge_attribute *to, const struct given *g, size_t count)
{
    const char *separator = strchr(g->values, 0x1e) ? "\x1e" : "\n";
    char **strings = malloc(count * sizeof *strings + (size_t)g->n + 1), *rest;

    to->type = NC_STRING;
    to->n = count;
    to->values = strings;
    if (!strings)
        return false;
    rest = (char *)(strings + count);
    memcpy(rest, g->values, (size_t)g->n);
    rest[g->n] = '\0';
    for (size_t i = 0; i < count; i++) {
        strings[i] = rest;
        if (count > 1)
            (void)strsep(&rest, separator);
        if (!rest)
            rest = strings[i] + strlen(strings[i]); /* fewer than noted */
    }
    return true;
}

/* What a note says of an attribute: the number in its line "NUMBER NAME"; -1: nothing, or more than `most`. *after:
 * what follows the number. */
static int64_t noted(const struct given *g, const char *name, long long most, char *after)
{
    struct given note = *g;
    const size_t n = strlen(g->name);

    if (!get(&note, name) || !note.is_text)
        return -1;
    for (const char *line = note.values, *end; *line; line = *end ? end + 1 : end) {
        const char *space = strchr(line, ' ');
        long long count;
        char *rest;

        end = line + strcspn(line, "\n");
        if (!space || space >= end || (size_t)(end - space - 1) != n || memcmp(space + 1, g->name, n) != 0)
            continue;
        count = *line >= '0' && *line <= '9' ? strtoll(line, &rest, 10) : -1;
        if (count < 0 || count > most)
            return -1;
        *after = *rest;
        return count;
    }
    return -1;
}

/* `count` characters, of which the text or the numbers leave out NULs at the end. */
static bool copy_characters(struct bridge_attribute *to, const struct given *g, size_t count, bool latin)
{
    const unsigned char *from = g->values, *end = from + g->n;
    char *bytes = calloc(count + 1, 1);

    to->type = NC_CHAR;
    to->n = count;
    to->values = bytes;
    for (size_t i = 0; bytes && i < count && from < end; i++) {
        const bool two = latin && g->is_text && (*from & 0xfe) == 0xc2 && from + 1 < end;

        bytes[i] = (char)(two ? (*from & 3) << 6 | (from[1] & 0x3f) : *from);
        from += two ? 2 : 1;
    }
    return bytes != NULL;
}

static nc_type type_of(const struct given *g)
{
    return bridge_type_in(g->f, g->number, g->type, "attribute", g->name);
}

/* Numbers of types that netCDF lacks as those that elements of the type become. */
static bool copy_numbers(struct bridge_attribute *to, const struct given *g)
{
    const nc_type type = type_of(g);
    const drx_type held = bridge_element_type(g->f, type);
    const size_t n = (size_t)g->n * (g->type == DRX_COMPLEX64 || g->type == DRX_COMPLEX128 ? 2 : 1);

    if (g->type == held || n != (size_t)g->n)
        return copy_values(to, type, n, n * drx_type_size(held), g->values);
    to->type = type;
    to->n = n;
    to->values = malloc(n * drx_type_size(held) + 1);
    return to->values && drx_convert(g->type, g->values, held, to->values, g->n, DRX_EXACT) == DRX_OK;
}

/* False: out of memory. */
static bool copy_given(struct bridge_attribute *to, const struct given *g)
{
    char after = '\0'; /* a text has no room for more separators than bytes */
    const int64_t strings = g->is_text ? noted(g, "drx.strings", g->n + 1, &after) : -1;
    const int64_t characters = g->type == DRX_UINT8 && strings < 0 ? noted(g, "drx.characters", INT_MAX, &after) : -1;

    to->name = strndup(g->name, NC_MAX_NAME);
    if (!to->name)
        return false;
    if (strings >= 0)
        return copy_strings(to, g, (size_t)strings);
    if (characters >= 0)
        return copy_characters(to, g, (size_t)characters, after == 'L');
    return g->is_text ? copy_values(to, NC_CHAR, (size_t)g->n, (size_t)g->n, g->values) : copy_numbers(to, g);
}

/* ---- _FillValue ---- */

/* The attribute `name` as one element of the array; false: it is none. */
static bool element_of(const drx_array *a, const char *name, void *element)
{
    struct given g = { .array = a };

    return get(&g, name) && g.n == 1 && !g.is_text && !DRX_IS_STRING(g.type) && !DRX_IS_STRING(drx_dtype(a)) &&
           drx_convert(g.type, g.values, drx_dtype(a), element, 1, DRX_EXACT) == DRX_OK;
}

/* As one element of the variable: the attribute, or else the fill of the array unless that is 0 or missing_value.
 * False: the variable has none. */
static bool fill_value(const struct bridge_variable *v, void *element)
{
    const size_t bytes = drx_type_size(drx_dtype(v->array));
    _Alignas(16) char missing[DRX_MAX_TYPE_BYTES];
    drx_spec spec;

    if (v->type == NC_STRING || v->parts || drx_dtype(v->array) == DRX_BOOL)
        return false;
    if (drx_attr_get(v->array, "_FillValue", NULL, NULL, NULL) == DRX_OK)
        return element_of(v->array, "_FillValue", element);
    drx_describe(v->array, &spec);
    if (!spec.fill || memcmp(spec.fill, bridge_zeros, bytes) == 0 ||
        (element_of(v->array, "missing_value", missing) && memcmp(missing, spec.fill, bytes) == 0))
        return false;
    memcpy(element, spec.fill, bytes);
    return true;
}

static bool copy_fill(struct bridge_attribute *to, struct given g, const struct bridge_variable *v, const void *element)
{
    bool good;

    g.name = "_FillValue";
    g.type = drx_dtype(v->array);
    g.n = 1;
    g.values = element;
    g.is_text = 0;
    good = copy_given(to, &g);
    to->type = v->type; /* NC_CHAR for characters */
    return good;
}

/* ---- all of an array or a group ---- */

bool bridge_is_reserved(const char *name, bool writing)
{
    static const char *const names[] = {
        "drx_form",    "drx_json",      "_Netcdf4Dimid",  "_Netcdf4Coordinates", "NAME",          "CLASS",
        "_nc3_strict", "_NCProperties", "DIMENSION_LIST", "DIMENSION_LABELS",    "REFERENCE_LIST"
    };
    static const char *const more[] = { "_ARRAY_DIMENSIONS", "_Codecs",      "_Format",
                                        "_IsNetcdf4",        "_NCZARR_ATTR", "_SuperblockVersion" };
    bool is = strncmp(name, "drx.", 4) == 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        is = is || strcmp(names[i], name) == 0;
    for (size_t i = 0; writing && i < sizeof more / sizeof more[0]; i++)
        is = is || strcmp(more[i], name) == 0;
    return is;
}

static bool is_left_out(const struct given *g, const struct bridge_variable *v)
{
    return bridge_is_reserved(g->name, false) || (!g->is_text && type_of(g) == NC_NAT) ||
           (v && v->kind == BRIDGE_STRINGS && strcmp(g->name, "_Encoding") == 0 &&
            bridge_has_note(v->array, "drx_form"));
}

/* _FillValue without an attribute comes first, where netCDF-4 files have it, then the mark of bools. */
static bool add_own(struct bridge_attributes *all, const struct given *g, const struct bridge_variable *v)
{
    _Alignas(16) char element[DRX_MAX_TYPE_BYTES];
    const struct given mark = {
        .array = v->array, .name = "dtype", .type = DRX_UINT8, .n = 4, .values = "bool", .is_text = 1
    };

    if (drx_attr_get(v->array, "_FillValue", NULL, NULL, NULL) != DRX_OK && fill_value(v, element) &&
        !copy_fill(&all->list[all->n++], *g, v, element))
        return false;
    return drx_dtype(v->array) != DRX_BOOL || drx_attr_get(v->array, "dtype", NULL, NULL, NULL) == DRX_OK ||
           copy_given(&all->list[all->n++], &mark);
}

static bool add_given(struct bridge_attributes *all, const struct given *g, const struct bridge_variable *v)
{
    struct bridge_attribute *to = &all->list[all->n];
    _Alignas(16) char element[DRX_MAX_TYPE_BYTES];

    if (is_left_out(g, v))
        return true;
    all->n++;
    if (v && v->type != NC_STRING && strcmp(g->name, "_FillValue") == 0 && fill_value(v, element))
        return copy_fill(to, *g, v, element);
    if (!copy_given(to, g))
        return false;
    if (v && v->type == NC_STRING && to->type == NC_CHAR && strcmp(g->name, "_FillValue") == 0) {
        free(to->values);
        return copy_strings(to, g, 1);
    }
    return true;
}

static int list_all(struct bridge_attributes *all, struct given g, const struct bridge_variable *v)
{
    bool good;

    all->room = count_of(&g) + 2; /* two more may be added */
    all->list = calloc((size_t)all->room, sizeof *all->list);
    good = all->list && (!v || add_own(all, &g, v));
    for (int i = 0; good && i < count_of(&g); i++)
        good = !get_number(&g, i) || add_given(all, &g, v);
    all->known = good;
    if (!good)
        bridge_free_attributes(all);
    return good ? NC_NOERR : NC_ENOMEM;
}

const struct bridge_attributes *bridge_attributes(struct bridge_group *g, int varid, int *st)
{
    struct bridge_file *f = g->file;
    struct bridge_variable *v = varid == NC_GLOBAL ? NULL : bridge_variable(g, varid, st);
    struct bridge_attributes *all = v ? &v->attributes : &g->attributes;

    if (varid != NC_GLOBAL && !v)
        return NULL;
    *st = NC_NOERR;
    (void)pthread_mutex_lock(&f->lock);
    if (!all->known && !v && !f->ds)
        all->known = true; /* arrays by themselves have no global ones */
    if (!all->known)
        *st = list_all(
            all,
            (struct given){ .f = f, .number = g->number, .array = v ? v->array : NULL, .ds = f->ds, .group = g->path },
            v);
    (void)pthread_mutex_unlock(&f->lock);
    return *st ? NULL : all;
}

struct bridge_attribute *bridge_find(const struct bridge_attributes *all, const char *name)
{
    for (int i = 0; i < all->n; i++)
        if (strcmp(all->list[i].name, name) == 0)
            return &all->list[i];
    return NULL;
}

void bridge_free_attribute(struct bridge_attribute *a)
{
    free(a->name);
    free(a->values);
}

void bridge_free_attributes(struct bridge_attributes *all)
{
    for (int i = 0; i < all->n; i++)
        bridge_free_attribute(&all->list[i]);
    free(all->list);
    *all = (struct bridge_attributes){ 0 };
}
