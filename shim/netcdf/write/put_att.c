/* Attributes. The list of the variable or group has them as the program gave them, and the dataset at once; or, of a
 * variable that is being defined, when it is made. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write.h"

/* Whose attributes: of a variable, or of the group if that is NULL. */
struct owner {
    struct bridge_file *f;
    struct bridge_variable *v;
    struct bridge_attributes *all;
    int part; /* of the dataset */
    const char *path;
};

static struct owner owner_of(struct bridge_file *f, struct bridge_variable *v)
{
    return (struct owner){ f, v, &v->attributes, DRX_VARIABLE, v->path };
}

static int find_owner(struct bridge_group *g, int varid, struct owner *o)
{
    int st;

    if (!bridge_attributes(g, varid, &st))
        return st;
    if (varid == NC_GLOBAL)
        *o = (struct owner){ g->file, NULL, &g->attributes, DRX_GROUP, g->path };
    else
        *o = owner_of(g->file, g->vars[varid]);
    return NC_NOERR;
}

static bool is_stored(const struct owner *o)
{
    return !o->v || !o->v->definition || !o->v->definition->pending;
}

/* ---- into the dataset ---- */

static drx_status refuse(const char *name, const char *why)
{
    char text[NC_MAX_NAME + 100];

    (void)snprintf(text, sizeof text, "attribute '%s': %s", name, why);
    return drx_fail(DRX_EINVAL, text);
}

/* Add n bytes in UTF-8; others are of Latin-1. */
static void add_utf8(FILE *out, const char *bytes, size_t n)
{
    const bool good = bridge_is_utf8(bytes, n);

    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)bytes[i];

        if (!good && c >= 0x80)
            (void)fputc(0xc0 | c >> 6, out);
        (void)fputc(!good && c >= 0x80 ? 0x80 | (c & 0x3f) : c, out);
    }
}

static drx_status store_text(const struct owner *o, const char *name, FILE *out, char **text)
{
    drx_status st = DRX_ENOMEM;

    if (out && fclose(out) == 0)
        st = BRIDGE_STORE(o->f, attr_set_text, o->part, o->path, name, *text);
    free(*text);
    return st;
}

/* The bytes up to NULs at the end. */
static size_t text_bytes(const struct bridge_attribute *a)
{
    size_t n = a->n;

    while (n > 0 && ((const char *)a->values)[n - 1] == '\0')
        n--;
    return n;
}

static bool has_nul(const struct bridge_attribute *a)
{
    const size_t n = text_bytes(a);

    return n > 0 && memchr(a->values, '\0', n);
}

/* As a text without the NULs at its end; with others it is numbers. */
static drx_status store_characters(const struct owner *o, const struct bridge_attribute *a)
{
    char *text = NULL;
    size_t room;
    FILE *out;

    if (has_nul(a))
        return BRIDGE_STORE(o->f, attr_set, o->part, o->path, a->name, DRX_UINT8, (int64_t)a->n, a->values);
    out = open_memstream(&text, &room);
    if (out)
        add_utf8(out, a->values, text_bytes(a));
    return store_text(o, a->name, out, &text);
}

/* With newlines between them, or U+001E where one of them has newlines. */
static drx_status store_strings(const struct owner *o, const struct bridge_attribute *a)
{
    char *const *strings = a->values;
    char separator = '\n', *text = NULL;
    size_t room;
    FILE *out;

    for (size_t i = 0; a->n > 1 && i < a->n; i++) {
        if (strchr(strings[i], 0x1e))
            return refuse(a->name, "U+001E in a list of strings cannot be stored");
        separator = strchr(strings[i], '\n') ? 0x1e : separator;
    }
    out = open_memstream(&text, &room);
    for (size_t i = 0; out && i < a->n; i++) {
        if (i)
            (void)fputc(separator, out);
        add_utf8(out, strings[i], strlen(strings[i]));
    }
    return store_text(o, a->name, out, &text);
}

/* Characters that no text alone can say. */
static bool is_odd(const struct bridge_attribute *a)
{
    return a->type == NC_CHAR && (text_bytes(a) < a->n || has_nul(a) || !bridge_is_utf8(a->values, a->n));
}

/* A note has a line for each attribute of a kind: how many there are, and the name. */
static drx_status note(const struct owner *o, const char *name, bool strings)
{
    char *text = NULL;
    size_t room;
    FILE *out = open_memstream(&text, &room);
    drx_status st = DRX_ENOMEM;

    for (int i = 0; out && i < o->all->n; i++) {
        const struct bridge_attribute *a = &o->all->list[i];

        if (strings ? a->type == NC_STRING : is_odd(a))
            (void)fprintf(out, "%zu%s %s\n", a->n, a->type == NC_CHAR && !bridge_is_utf8(a->values, a->n) ? "L" : "",
                          a->name);
    }
    if (out && fclose(out) == 0)
        st = *text ? BRIDGE_STORE(o->f, attr_set_text, o->part, o->path, name, text)
                   : BRIDGE_STORE(o->f, attr_delete, o->part, o->path, name);
    free(text);
    return st == DRX_ENOENT ? DRX_OK : st;
}

/* Which of all attributes are strings, and which are characters that their texts do not say, when one of them was `a`,
 * or is it now. */
static drx_status note_kind_of(const struct owner *o, const struct bridge_attribute *a)
{
    if (a->type == NC_STRING)
        return note(o, "drx.strings", true);
    return a->values && is_odd(a) ? note(o, "drx.characters", false) : DRX_OK;
}

static drx_status store_one(const struct owner *o, const struct bridge_attribute *a)
{
    if (a->type == NC_STRING)
        return store_strings(o, a);
    if (a->type == NC_CHAR && !(o->v && o->v->type == NC_CHAR && strcmp(a->name, "_FillValue") == 0))
        return store_characters(o, a);
    return BRIDGE_STORE(o->f, attr_set, o->part, o->path, a->name, bridge_element_type(o->f, a->type), (int64_t)a->n,
                        a->values);
}

int bridge_store_attributes(struct bridge_file *f, struct bridge_variable *v)
{
    const struct owner o = owner_of(f, v);
    drx_status st = DRX_OK;

    for (int i = 0; !st && i < o.all->n; i++) {
        st = store_one(&o, &o.all->list[i]);
        if (!st)
            st = note_kind_of(&o, &o.all->list[i]);
    }
    return bridge_error(st);
}

/* ---- put ---- */

/* As netCDF-4 counts the bytes of an attribute: a string, and an element of a user-defined type, has -1. */
static size_t counted_bytes(const struct bridge_file *f, nc_type type, size_t n)
{
    return n * (type >= NC_STRING ? SIZE_MAX : bridge_type_bytes(f, type));
}

static int check_mode(struct bridge_file *f, const struct bridge_attribute *old, nc_type type, size_t n)
{
    const bool grows = !old || counted_bytes(f, type, n) > counted_bytes(f, old->type, old->n);

    return grows ? bridge_begin_definition(f) : NC_NOERR;
}

static int check_types(const struct bridge_file *f, nc_type type, nc_type from)
{
    if (type == NC_NAT || from == NC_NAT)
        return NC_EBADTYPE;
    if (type != from && (type == NC_CHAR || from == NC_CHAR || type == NC_STRING || from == NC_STRING))
        return NC_ECHAR;
    if (f->classic && type > NC_DOUBLE)
        return NC_ESTRICTNC3;
    if (!bridge_type_bytes(f, type) || !bridge_type_bytes(f, from))
        return NC_EBADTYPID;
    return type != from && (type > NC_UINT64 || from > NC_UINT64) ? NC_EBADTYPE : NC_NOERR;
}

static int check_fill(const struct owner *o, nc_type type, size_t n)
{
    if (n != 1)
        return NC_EINVAL;
    if (is_stored(o) && (!o->v->definition || o->v->definition->settled))
        return NC_ELATEFILL;
    return type == o->v->type ? NC_NOERR : NC_EBADTYPE;
}

/* The values as the list keeps them. *st: NC_ERANGE, if that is all that is wrong. */
static void *converted(const struct bridge_file *f, nc_type type, size_t n, const void *values, nc_type from, int *st)
{
    char *const *strings = values, **list, *rest;
    size_t bytes = n * bridge_type_bytes(f, type);
    char *made;

    for (size_t i = 0; type == NC_STRING && i < n; i++)
        bytes += (strings[i] ? strlen(strings[i]) : 0) + 1;
    made = malloc(bytes + 1);
    *st = made ? NC_NOERR : NC_ENOMEM;
    if (!made)
        return NULL;
    made[bytes] = '\0';
    if (type == from && type != NC_STRING) {
        if (n > 0)
            memcpy(made, values, bytes);
    } else if (type != NC_STRING) {
        *st = bridge_convert_in(f, from, values, type, made, n);
    } else {
        list = (char **)(void *)made;
        rest = (char *)(list + n);
        for (size_t i = 0; i < n; i++) {
            list[i] = rest;
            rest = stpcpy(rest, strings[i] ? strings[i] : "") + 1;
        }
    }
    return made;
}

/* Room for one more at the end of the list. */
static struct bridge_attribute *add(struct bridge_attributes *all, const char *name)
{
    struct bridge_attribute *list = bridge_with_room(all->list, all->n, &all->room, sizeof *list);

    if (!list)
        return NULL;
    all->list = list;
    list[all->n] = (struct bridge_attribute){ .name = strdup(name) };
    return list[all->n].name ? &list[all->n++] : NULL;
}

/* The array has another fill already, but nobody has written to the variable: it is filled as with a default fill. */
static int fill_late(const struct owner *o)
{
    o->v->filled = 0;
    o->v->owes = !o->v->definition->no_fill && bridge_owes(o->f, o->v);
    return o->f->together ? bridge_fill_up_to(o->f, o->v, INT64_MAX) : NC_NOERR;
}

/* `made` belongs to the list afterwards. On an error all is as it was. */
static int set(const struct owner *o, const char *name, nc_type type, size_t n, void *made)
{
    struct bridge_attribute *a = bridge_find(o->all, name), old = { 0 };
    const bool is_new = !a;
    drx_status st = DRX_OK;

    if (!a)
        a = add(o->all, name);
    if (!a) {
        free(made);
        return NC_ENOMEM;
    }
    old = *a;
    a->type = type;
    a->n = n;
    a->values = made;
    if (is_stored(o)) {
        st = store_one(o, a);
        if (!st)
            st = note_kind_of(o, a);
        if (!st && !is_new)
            st = note_kind_of(o, &old);
    }
    if (st) {
        free(made);
        *a = old;
        if (is_new) {
            free(a->name);
            o->all->n--;
        }
        return bridge_error(st);
    }
    free(old.values);
    if (is_stored(o) && o->v && strcmp(name, "_FillValue") == 0)
        return fill_late(o);
    return NC_NOERR;
}

static int check_put(struct bridge_group *g, int varid, const char *name, size_t n, const void *values,
                     char normal[NC_MAX_NAME + 1], struct owner *o)
{
    int st = find_owner(g, varid, o);

    if (st)
        return st;
    if (n > INT_MAX)
        return NC_EINVAL;
    if (!name || strlen(name) > NC_MAX_NAME)
        return NC_EBADNAME;
    if (n > 0 && !values)
        return NC_EINVAL;
    if (!g->file->writable)
        return NC_EPERM;
    st = bridge_check_name(name, normal);
    return !st && bridge_is_reserved(normal, true) ? NC_ENAMEINUSE : st;
}

int bridge_put_att(int ncid, int varid, const char *name, nc_type type, size_t n, const void *values, nc_type from)
{
    struct bridge_group *g = bridge_group(ncid);
    char normal[NC_MAX_NAME + 1];
    struct owner o;
    void *made;
    int st, range;

    if (!g)
        return NC_EBADID;
    st = check_put(g, varid, name, n, values, normal, &o);
    if (!st)
        st = check_mode(g->file, bridge_find(o.all, normal), type, n);
    if (!st)
        st = bridge_close_type(g->file, type);
    if (!st)
        st = check_types(g->file, type, from);
    if (!st && o.v && strcmp(normal, "_FillValue") == 0)
        st = check_fill(&o, type, n);
    if (!st && is_stored(&o))
        st = bridge_store_types(g->file, type);
    if (st)
        return st;
    made = converted(g->file, type, n, values, from, &range);
    if (!made)
        return range;
    st = set(&o, normal, type, n, made);
    return st ? st : range;
}

/* ---- other changes ---- */

/* What the fill of the array says is there, whatever the attributes are. */
static bool is_lasting(const struct owner *o, const struct bridge_attribute *a)
{
    const struct bridge_file *f = o->f;

    return o->v && strcmp(a->name, "_FillValue") == 0 && o->v->type != NC_STRING && o->v->type != NC_CHAR &&
           bridge_has_fill(f, o->v, a) && memcmp(a->values, bridge_zeros, bridge_type_bytes(f, a->type)) != 0;
}

static int delete_stored(const struct owner *o, const struct bridge_attribute *a)
{
    const drx_status st = BRIDGE_STORE(o->f, attr_delete, o->part, o->path, a->name);

    return st == DRX_ENOENT ? NC_NOERR : bridge_error(st);
}

int bridge_del_att(int ncid, int varid, const char *name)
{
    struct bridge_attribute *a, gone;
    struct bridge_group *g;
    struct owner o;
    int st;

    if (!name)
        return NC_EINVAL;
    g = bridge_writable_group(ncid, &st);
    if (!g)
        return st;
    st = bridge_begin_definition(g->file);
    if (!st)
        st = find_owner(g, varid, &o);
    if (st)
        return st;
    a = bridge_find(o.all, name);
    if (!a)
        return NC_ENOTATT;
    if (is_stored(&o))
        st = is_lasting(&o, a) ? NC_ELATEFILL : delete_stored(&o, a);
    if (st)
        return st;
    gone = *a;
    o.all->n--;
    memmove(a, a + 1, (size_t)(o.all->n - (a - o.all->list)) * sizeof *a);
    if (is_stored(&o))
        st = bridge_error(note_kind_of(&o, &gone));
    bridge_free_attribute(&gone);
    return st;
}

/* It keeps its place in the list of this file, and has the last one in the dataset, as in a netCDF-4 file. */
static int rename_stored(const struct owner *o, struct bridge_attribute *a, const char *to)
{
    struct bridge_attribute renamed = *a;
    drx_status st;

    renamed.name = (char *)(uintptr_t)to;
    st = store_one(o, &renamed);
    return st ? bridge_error(st) : delete_stored(o, a);
}

int bridge_rename_att(int ncid, int varid, const char *name, const char *to)
{
    char normal[NC_MAX_NAME + 1], *copy;
    struct bridge_attribute *a;
    struct bridge_group *g;
    struct owner o;
    int st;

    if (!name || !to)
        return NC_EINVAL;
    if (strlen(to) > NC_MAX_NAME)
        return NC_EMAXNAME;
    g = bridge_writable_group(ncid, &st);
    if (!g)
        return st;
    st = bridge_check_name(to, normal);
    if (!st)
        st = find_owner(g, varid, &o);
    if (st)
        return st;
    a = bridge_find(o.all, name);
    if (bridge_find(o.all, normal))
        return NC_ENAMEINUSE;
    if (!a || bridge_is_reserved(normal, true))
        return a ? NC_ENAMEINUSE : NC_ENOTATT;
    if (!g->file->defining && g->file->classic && strlen(normal) > strlen(a->name))
        return NC_ENOTINDEFINE;
    copy = strdup(normal);
    st = !copy ? NC_ENOMEM : is_stored(&o) ? rename_stored(&o, a, normal) : NC_NOERR;
    if (st) {
        free(copy);
        return st;
    }
    free(a->name);
    a->name = copy;
    return is_stored(&o) ? bridge_error(note_kind_of(&o, a)) : NC_NOERR;
}

int bridge_note_unlimited(struct bridge_file *f)
{
    const char *separator = "";
    char *paths = NULL;
    size_t room;
    FILE *out = open_memstream(&paths, &room);
    int st = NC_ENOMEM;

    for (int d = 0; out && d < f->ndims; d++)
        if (f->dims[d].unlimited && f->dims[d].path) {
            (void)fprintf(out, "%s%s", separator, f->dims[d].path);
            separator = " ";
        }
    if (out && fclose(out) == 0)
        st =
            *paths ? bridge_error(BRIDGE_STORE(f, attr_set_text, DRX_DATASET, NULL, "drx.unlimited", paths)) : NC_NOERR;
    free(paths);
    return st;
}
