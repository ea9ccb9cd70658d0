/* Names, coordinates and chunks of what is exported. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "coords.h"
#include "export.h"
#include "h5.h"
#include "text.h"

enum { LEAST_CHUNK_BYTES = 64 << 10, NAME_BYTES = 255 };

/* ---- names --------------------------------------------------------------------------- */

static bool is_plain(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c >= 0x80;
}

/* The name as the kind of files takes it, to be freed: itself where it can. */
static char *mended(const char *name, const struct naming *naming)
{
    char *out = utf8_of(name, strlen(name));
    size_t n = out ? strlen(out) : 0;

    if (!out)
        return NULL;
    while (n > NAME_BYTES || (n > 0 && naming->strict && out[n - 1] == ' ')) {
        do
            n--;
        while (n > 0 && (out[n] & 0xc0) == 0x80); /* whole characters */
        out[n] = '\0';
    }
    for (size_t i = 0; i < n; i++)
        if (out[i] == '/' || (naming->strict && ((unsigned char)out[i] < 0x20 || out[i] == 0x7f)))
            out[i] = '_';
    if (naming->strict && n > 0 && !is_plain((unsigned char)out[0]))
        out[0] = '_';
    if (n > 0 && strcmp(out, ".") != 0)
        return out;
    free(out);
    return strdup("_");
}

/* Split a wished name into groups and name; false, printed, when it is not legal. */
static bool take_variable(struct export *e, const char *variable, const struct naming *naming)
{
    const char *at = variable + strspn(variable, "/");
    char *all = strdup(at), *rest = all, *part, *legal;
    bool good = all && *at;

    while (good && rest) {
        part = strsep(&rest, "/");
        legal = mended(part, naming);
        good = legal && strcmp(legal, part) == 0;
        free(legal);
    }
    free(all);
    if (!good) {
        (void)failed("'%s' cannot be the name of a variable, expected names with slashes between them%s", variable,
                     naming->strict ? ", each beginning with a letter, a digit or _" : "");
        return false;
    }
    e->main.name = strdup(strrchr(at, '/') ? strrchr(at, '/') + 1 : at);
    e->groups = strndup(at, strlen(at) - (e->main.name ? strlen(e->main.name) : 0));
    return e->main.name && e->groups;
}

static bool name_after_array(struct export *e, const char *path, const struct naming *naming)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

    e->main.name = mended(name, naming);
    e->groups = strdup("");
    if (!e->main.name || !e->groups)
        return false;
    if (strcmp(e->main.name, name) != 0)
        warn("%s: cannot be the name of a variable, called '%s' there", path, e->main.name);
    return true;
}

static int same_name(const struct export *e, int n, const char *name)
{
    for (int k = 0; k < n; k++)
        if (e->dims[k] && strcmp(e->dims[k], name) == 0)
            return k;
    return -1;
}

/* The name with "_2", "_3", ... behind it that none of the first n axes has. */
static char *another_name(const struct export *e, int n, const char *name)
{
    char *other;

    for (int i = 2;; i++) {
        if (asprintf(&other, "%.240s_%d", name, i) < 0)
            return NULL;
        if (same_name(e, n, other) < 0)
            return other;
        free(other);
    }
}

/* Name axis k of the file, which is `axis` of the array. */
static bool name_axis(struct export *e, int k, int axis, const struct naming *naming)
{
    const char *own = drx_dim_name(e->main.array, axis);
    const char *path = e->main.selection.path;
    char number[16];
    char *name;
    int same;

    if (!own && !naming->names_for_all)
        return true;
    (void)snprintf(number, sizeof number, "dim_%d", k);
    name = mended(own ? own : number, naming);
    if (name && own && strcmp(own, name) != 0)
        warn("%s: axis %d cannot be called '%s' there, called '%s'", path, axis, own, name);
    same = name ? same_name(e, k, name) : -1;
    if (same >= 0 && e->main.shape[same] != e->main.shape[k]) {
        char *other = another_name(e, k, name);

        if (own && other)
            warn("%s: two axes of different extents are called '%s', axis %d called '%s' there", path, name, axis,
                 other);
        free(name);
        name = other;
    }
    e->dims[k] = name;
    return name != NULL;
}

/* ---- chunks ----------------------------------------------------------------------------- */

/* Whole chunks of the array, more of them where they are very small. */
static void choose_chunk(struct part *p)
{
    const struct selection *s = &p->selection;
    const size_t element_bytes = drx_type_size(drx_dtype(p->array));
    int64_t chunk[DRX_MAX_NDIM], times;

    for (int j = 0; j < s->ndim; j++) {
        const int64_t step = s->step[j] < 0 ? -s->step[j] : s->step[j];
        const int64_t whole = (drx_chunk(p->array)[j] - 1) / step + 1, most = s->count[j] ? s->count[j] : 1;

        chunk[j] = whole < most ? whole : most;
    }
    for (int j = s->ndim - 1; j >= 0; j--) {
        const int64_t bytes = box_bytes(s->ndim, chunk, element_bytes);
        const int64_t most = s->count[j] ? (s->count[j] - 1) / chunk[j] + 1 : 1;

        times = bytes > 0 && bytes < LEAST_CHUNK_BYTES ? (LEAST_CHUNK_BYTES - 1) / bytes + 1 : 1;
        times = times < most ? times : most;
        chunk[j] = chunk[j] * times < s->count[j] || !s->count[j] ? chunk[j] * times : s->count[j];
    }
    (void)cut_box(&p->slabs, s->ndim, s->count, chunk, element_bytes, DRX_ROW_MAJOR);
    for (int j = 0; j < s->ndim; j++)
        if (p->slabs.block[j] > 0 && p->slabs.block[j] < chunk[j])
            chunk[j] = p->slabs.block[j];
    keep_axes(s, chunk, p->chunk);
    keep_axes(s, s->count, p->shape);
}

/* ---- coordinates -------------------------------------------------------------------------- */

/* Those of axis k of the file, which is `axis` of the array, if there are any. */
static bool find_coordinate(struct export *e, int k, int axis)
{
    struct part *c = &e->coords[k];
    const struct selection *s = &e->main.selection;
    struct selection *own = &c->selection;

    if (!drx_dim_name(e->main.array, axis) || same_name(e, k, e->dims[k]) >= 0)
        return true;
    c->array = open_coordinate(e->main.array, s->path, axis);
    if (!c->array)
        return true;
    if (strcmp(e->dims[k], e->main.name) == 0) {
        warn("%s: the variable is called like the axis '%s', whose coordinates are left out", s->path, e->dims[k]);
        (void)drx_close(c->array);
        c->array = NULL;
        return true;
    }
    own->path = path_beside(s->path, drx_dim_name(e->main.array, axis));
    own->ndim = c->ndim = 1;
    own->lo[0] = s->lo[axis];
    own->count[0] = s->count[axis];
    own->step[0] = s->step[axis];
    c->name = strdup(e->dims[k]);
    choose_chunk(c);
    return own->path && c->name;
}

/* ---- attributes ------------------------------------------------------------------------------ */

const void *fill_of(const drx_array *a)
{
    static const char zero[16];
    drx_spec spec;

    drx_describe(a, &spec);
    return spec.fill && memcmp(spec.fill, zero, drx_type_size(spec.type)) != 0 ? spec.fill : NULL;
}

bool leaves_out(const struct part *p, const char *attribute)
{
    const bool fill = strcmp(attribute, "_FillValue") == 0 && fill_of(p->array);

    if (fill)
        warn("%s: attribute _FillValue is left out, since the array has a fill value", p->selection.path);
    else if (h5_is_internal(attribute))
        warn("%s: attribute %s is left out, since such files keep their own records under that name", p->selection.path,
             attribute);
    else
        return false;
    return true;
}

/* ---- all together ------------------------------------------------------------------------------ */

int plan_export(struct export *e, drx_array *a, const struct selection *s, const char *variable,
                const struct naming *naming, bool coords)
{
    int axes[DRX_MAX_NDIM];
    bool good;

    e->main.array = a;
    e->main.selection = *s;
    e->main.ndim = kept_axes(s, axes);
    choose_chunk(&e->main);
    if (variable && !take_variable(e, variable, naming))
        return FAILED;
    good = variable || name_after_array(e, s->path, naming);
    for (int k = 0; good && k < e->main.ndim; k++)
        good = name_axis(e, k, axes[k], naming) && (!coords || find_coordinate(e, k, axes[k]));
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
