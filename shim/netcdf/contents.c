/* The dimensions and variables of a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bridge.h"

/* ---- what Python and imports note (cli/arrays/arrays.h, python/drx/form.py) ---- */

bool bridge_has_note(const drx_array *a, const char *note)
{
    return drx_dtype(a) == DRX_UINT8 && drx_attr_get(a, note, NULL, NULL, NULL) == DRX_OK;
}

static bool says(const drx_array *a, const char *note, const char *text)
{
    const void *values;
    drx_type type;

    return bridge_has_note(a, note) && drx_attr_get(a, note, &type, NULL, &values) == DRX_OK && type == DRX_UINT8 &&
           strcmp(values, text) == 0;
}

/* Where other variables share the last axis, strings are shown as characters. */
static enum bridge_kind kind_of(const drx_array *a, bool has_own_axis)
{
    const bool text = says(a, "drx_form", "text");

    if (DRX_IS_STRING(drx_dtype(a)))
        return DRX_IS_BYTES(drx_dtype(a)) ? BRIDGE_BYTES : BRIDGE_UNICODE;
    if (bridge_has_note(a, "drx.string") || (text && bridge_has_note(a, "_Encoding")))
        return has_own_axis ? BRIDGE_STRINGS : BRIDGE_CHARACTERS;
    if (text || bridge_has_note(a, "drx.char"))
        return BRIDGE_CHARACTERS;
    return drx_dtype(a) == DRX_COMPLEX64 || drx_dtype(a) == DRX_COMPLEX128 ? BRIDGE_COMPLEX : BRIDGE_NUMBERS;
}

/* ---- lists ---- */

void *bridge_with_room(void *list, int n, int *room, size_t bytes)
{
    void *more = n < *room ? list : reallocarray(list, 2 * (size_t)n + 8, bytes);

    if (more && n >= *room)
        *room = 2 * n + 8;
    return more;
}

struct bridge_group *bridge_new_group(struct bridge_file *f, const char *path, size_t n, int parent)
{
    struct bridge_group *all = bridge_with_room(f->groups, f->ngroups, &f->groups_room, sizeof *all), *g;

    if (!all)
        return NULL;
    f->groups = all;
    g = &all[f->ngroups];
    *g = (struct bridge_group){ .file = f, .number = f->ngroups, .parent = parent, .path = strndup(path, n) };
    if (!g->path)
        return NULL;
    f->ngroups++;
    return g;
}

struct bridge_variable *bridge_new_variable(struct bridge_file *f, struct bridge_group *g, const char *path,
                                            const char *name)
{
    struct bridge_variable *v = calloc(1, sizeof *v);
    struct bridge_variable **all = bridge_with_room(f->vars, f->nvars, &f->vars_room, sizeof(void *));
    struct bridge_variable **own = bridge_with_room(g->vars, g->nvars, &g->vars_room, sizeof(void *));

    f->vars = all ? all : f->vars;
    g->vars = own ? own : g->vars;
    if (v && all && own) {
        v->path = path ? strdup(path) : NULL;
        v->name = strdup(name);
        if (v->name && (v->path || !path))
            return g->vars[g->nvars++] = f->vars[f->nvars++] = v;
        free(v->path);
        free(v->name);
    }
    free(v);
    return NULL;
}

/* Names of DRX may be longer than netCDF allows. netCDF takes a length of 0 for an unlimited dimension. */
int bridge_new_dim(struct bridge_file *f, int group, const char *path, const char *name, size_t length, bool unlimited)
{
    struct bridge_dim *all = bridge_with_room(f->dims, f->ndims, &f->dims_room, sizeof *all), *d;

    if (!all)
        return -1;
    f->dims = all;
    d = &all[f->ndims];
    *d = (struct bridge_dim){
        .name = strndup(name, NC_MAX_NAME),
        .path = path ? strdup(path) : NULL,
        .group = group,
        .length = length,
        .unlimited = unlimited || length == 0,
    };
    if (d->name && (d->path || !path))
        return f->ndims++;
    free(d->name);
    free(d->path);
    return -1;
}

static bool has_word(const char *words, const char *word)
{
    const size_t n = strlen(word);

    for (const char *at = words; at && (at = strstr(at, word)); at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

static bool is_noted(const drx_dataset *ds, const char *group, const char *name)
{
    const void *names;
    drx_type type;

    return drx_dataset_attr_get(ds, DRX_GROUP, group, "drx.unlimited", &type, NULL, &names) == DRX_OK &&
           type == DRX_UINT8 && has_word(names, name);
}

/* It grew, or an attribute of the dataset, or of its group, names it. */
static bool is_unlimited(const drx_dataset *ds, int d)
{
    const char *path = drx_dataset_dim(ds, d, NULL), *name = bridge_last(path);
    char *group = strndup(path, name > path ? (size_t)(name - path) - 1 : 0);
    const bool is = drx_dataset_dim_grew(ds, d) > 0 || is_noted(ds, "", path) || (group && is_noted(ds, group, name));

    free(group);
    return is;
}

static size_t extent_of(const drx_dataset *ds, int d)
{
    int64_t bound;

    (void)drx_dataset_dim(ds, d, &bound);
    return (size_t)(bound - drx_dataset_dim_lower(ds, d));
}

int bridge_find_dim(const struct bridge_file *f, int group, const char *name)
{
    for (int d = 0; d < f->ndims; d++)
        if (f->dims[d].group == group && strcmp(f->dims[d].name, name) == 0)
            return d;
    return -1;
}

int bridge_find_variable(const struct bridge_group *g, const char *name)
{
    for (int i = 0; i < g->nvars; i++)
        if (strcmp(g->vars[i]->name, name) == 0)
            return i;
    return -1;
}

/* The dimension `first` of the root, or one with a number after that, where there is one of another length; or, if it
 * is not `shared`, of any length. */
static int find_or_add_dim(struct bridge_file *f, const char *path, const char *first, size_t length, bool unlimited,
                           bool shared)
{
    char name[NC_MAX_NAME + 1];
    int d;

    (void)snprintf(name, sizeof name, "%s", first);
    for (int i = 2; (d = bridge_find_dim(f, 0, name)) >= 0 && !(shared && f->dims[d].length == length); i++)
        (void)snprintf(name, sizeof name, "%.240s_%d", first, i);
    return d >= 0 ? d : bridge_new_dim(f, 0, path, name, length, unlimited);
}

/* An open variable holds two or three files open. True: the process may open more files now. */
bool bridge_raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max)
        return false;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static int open_variable(struct bridge_file *f, struct bridge_variable *v)
{
    const bool pending = v->definition && v->definition->pending;
    drx_status st = v->array || pending ? DRX_OK : bridge_store_array(f, v, NULL);

    if (st || v->type)
        return bridge_error(st);
    v->kind = kind_of(v->array, v->has_own_axis);
    v->type = v->kind == BRIDGE_CHARACTERS || v->kind == BRIDGE_BYTES ? NC_CHAR
              : v->kind == BRIDGE_STRINGS || v->kind == BRIDGE_UNICODE
                  ? NC_STRING
                  : bridge_type_in(f, v->path ? bridge_group_above(f, v->path) : 0, drx_dtype(v->array), "variable",
                                   v->path ? v->path : v->name);
    return v->type ? NC_NOERR : NC_EBADTYPE;
}

/* Those whose elements have parts have one more dimension once the others are known: string12 or complex, of the
 * root. */
static int add_parts(struct bridge_file *f, struct bridge_variable *v)
{
    char name[32] = "complex";
    int bytes;

    if (v->parts || (v->kind != BRIDGE_BYTES && v->kind != BRIDGE_COMPLEX))
        return NC_NOERR;
    bytes = (int)drx_type_size(drx_dtype(v->array));
    v->parts = v->kind == BRIDGE_BYTES ? bytes : 2;
    if (v->kind == BRIDGE_BYTES)
        (void)snprintf(name, sizeof name, "string%d", bytes);
    v->dims[v->ndim] = find_or_add_dim(f, NULL, name, (size_t)v->parts, false, true);
    if (v->dims[v->ndim] < 0) {
        v->parts = 0;
        return NC_ENOMEM;
    }
    v->ndim++;
    return NC_NOERR;
}

/* May the last axis go through the bytes of strings? Those of imports are VARIABLE_strlen, those of Python
 * VARIABLE_bytes. */
static bool may_be_strings(const struct bridge_file *f, const struct bridge_variable *v, const int users[])
{
    const int last = v->ndim - 1;
    const size_t n = strlen(v->path);
    const char *path = last >= 0 ? drx_dataset_dim(f->ds, v->dims[last], NULL) : "";

    return last >= 0 && users[v->dims[last]] == 1 && strncmp(path, v->path, n) == 0 && path[n] == '_';
}

enum { HIDDEN = -1, SHOWN = -2 }; /* without a number yet; of a variable: as a coordinate from a group above */

struct listing {
    int *group; /* of each variable of the dataset, in the file */
    int *users; /* of each dimension: the number of variables that have it */
    int *ids;   /* of each dimension, in the file */
};

/* Is the variable shown: the one of the path, or all inside? */
static bool is_shown(const struct bridge_file *f, int i)
{
    const char *path = drx_dataset_name(f->ds, i);

    if (drx_dataset_ndim(f->ds, i) < 0) /* netCDF has no null dataspaces */
        return false;
    return f->only && f->only[f->root] ? strcmp(path, f->only) == 0 : bridge_is_inside(f, path);
}

/* The dimension of a coordinate variable; -1: it is none. */
static int dim_of_coordinate(const drx_dataset *ds, int i)
{
    const int d = drx_dataset_ndim(ds, i) == 1 ? drx_dataset_axis(ds, i, 0) : -1;

    return d >= 0 && strcmp(drx_dataset_dim(ds, d, NULL), drx_dataset_name(ds, i)) == 0 ? d : -1;
}

/* Variables, their dimensions, and the coordinates of these, which the root shows if they are from groups above. */
static int choose(struct bridge_file *f, struct listing *l)
{
    const int n = drx_dataset_count(f->ds);
    int d, st = NC_NOERR;

    for (d = 0; d < drx_dataset_dim_count(f->ds); d++)
        l->ids[d] = HIDDEN;
    for (int i = 0; i < n; i++) {
        const bool shown = is_shown(f, i);

        l->group[i] = shown ? bridge_group_above(f, drx_dataset_name(f->ds, i)) : HIDDEN;
        st = shown && l->group[i] < 0 ? NC_ENOMEM : st;
        for (int k = 0; k < drx_dataset_ndim(f->ds, i); k++) {
            d = drx_dataset_axis(f->ds, i, k);
            l->users[d]++;
            l->ids[d] = shown ? SHOWN : l->ids[d];
        }
    }
    for (d = 0; d < drx_dataset_dim_count(f->ds); d++)
        if (l->users[d] == 0 && !(f->only && f->only[f->root]) && bridge_is_inside(f, drx_dataset_dim(f->ds, d, NULL)))
            l->ids[d] = SHOWN;
    for (int i = 0; i < n; i++)
        if (l->group[i] == HIDDEN && (d = dim_of_coordinate(f->ds, i)) >= 0 && l->ids[d] == SHOWN)
            l->group[i] = bridge_is_inside(f, drx_dataset_name(f->ds, i)) ? 0 : SHOWN;
    return st;
}

/* v->dims holds dimensions of the dataset. */
static int add_variable(struct bridge_file *f, struct bridge_group *g, int i, const char *name)
{
    struct bridge_variable *v = bridge_new_variable(f, g, drx_dataset_name(f->ds, i), name);

    if (!v)
        return NC_ENOMEM;
    v->ndim = drx_dataset_ndim(f->ds, i);
    for (int k = 0; k < v->ndim; k++)
        v->dims[k] = drx_dataset_axis(f->ds, i, k);
    return NC_NOERR;
}

/* Those of the groups; or, `above`, coordinates from groups above, which are called like their dimension, and left out
 * if the name is taken. */
static int add_variables(struct bridge_file *f, const struct listing *l, bool above)
{
    int st = NC_NOERR;

    for (int i = 0; !st && i < drx_dataset_count(f->ds); i++) {
        struct bridge_group *g;
        const char *name;

        if (above ? l->group[i] != SHOWN : l->group[i] < 0)
            continue;
        g = &f->groups[above ? 0 : l->group[i]];
        name = above ? f->dims[l->ids[drx_dataset_axis(f->ds, i, 0)]].name : bridge_last(drx_dataset_name(f->ds, i));
        if (!above || (bridge_find_variable(g, name) < 0 && bridge_find_group(f, 0, name, strlen(name)) < 0))
            st = add_variable(f, g, i, name);
    }
    return st;
}

/* Those from groups above come last, into the root, with numbers after names that are taken. */
static int add_dims(struct bridge_file *f, int ids[])
{
    const int n = drx_dataset_dim_count(f->ds);
    int group, st = NC_NOERR;

    f->dims_room = n + drx_dataset_count(f->ds) + 1; /* variables may add one each, while others are read */
    f->dims = calloc((size_t)f->dims_room, sizeof *f->dims);
    for (int above = 0; f->dims && above < 2; above++)
        for (int d = 0; !st && d < n; d++) {
            const char *path = drx_dataset_dim(f->ds, d, NULL), *name = bridge_last(path);

            if (ids[d] != SHOWN || bridge_is_inside(f, path) != !above)
                continue;
            group = bridge_group_above(f, path);
            if (above)
                ids[d] = find_or_add_dim(f, path, name, extent_of(f->ds, d), is_unlimited(f->ds, d), false);
            else
                ids[d] =
                    group < 0 ? -1 : bridge_new_dim(f, group, path, name, extent_of(f->ds, d), is_unlimited(f->ds, d));
            st = ids[d] < 0 ? NC_ENOMEM : NC_NOERR;
        }
    return f->dims ? st : NC_ENOMEM;
}

/* v->dims become those of the file. */
static int settle_dims(struct bridge_file *f, const struct listing *l)
{
    int st = NC_NOERR;

    for (int i = 0; !st && i < f->nvars; i++) {
        struct bridge_variable *v = f->vars[i];

        v->has_own_axis = may_be_strings(f, v, l->users);
        if (v->has_own_axis)
            st = open_variable(f, v);
        if (v->kind == BRIDGE_STRINGS)
            l->ids[v->dims[--v->ndim]] = HIDDEN;
    }
    if (!st)
        st = add_dims(f, l->ids);
    if (!st)
        st = add_variables(f, l, true);
    for (int i = 0; !st && i < f->nvars; i++)
        for (int k = 0; k < f->vars[i]->ndim; k++)
            f->vars[i]->dims[k] = l->ids[f->vars[i]->dims[k]];
    return st;
}

static int list_dataset(struct bridge_file *f)
{
    const size_t n = (size_t)drx_dataset_count(f->ds) + 1, ndims = (size_t)drx_dataset_dim_count(f->ds) + 1;
    struct listing l = { malloc(n * sizeof(int)), calloc(ndims, sizeof(int)), malloc(ndims * sizeof(int)) };
    int st = l.group && l.users && l.ids ? choose(f, &l) : NC_ENOMEM;

    if (!st)
        st = add_variables(f, &l, false);
    if (!st)
        st = settle_dims(f, &l);
    free(l.group);
    free(l.users);
    free(l.ids);
    return st;
}

static bool grew(const drx_array *a, int axis)
{
    int64_t by;
    int grown;

    for (int64_t i = 0; i < drx_growth_count(a); i++)
        if (drx_growth(a, i, &grown, &by) == DRX_OK && grown == axis)
            return true;
    return false;
}

/* A dimension of arrays by themselves, of which those after the first are coordinates of its axes. */
static int dim_of(struct bridge_file *f, const struct bridge_variable *v, int axis)
{
    const char *own = v == f->vars[0] ? drx_dim_name(v->array, axis) : v->name;
    char name[16];

    (void)snprintf(name, sizeof name, "dim_%d", axis);
    return find_or_add_dim(f, NULL, own && *own ? own : name, (size_t)drx_shape(v->array)[axis], grew(v->array, axis),
                           true);
}

static int list_arrays(struct bridge_file *f)
{
    int st = NC_NOERR;

    f->dims_room = f->nvars * (DRX_MAX_NDIM + 1);
    f->dims = calloc((size_t)f->dims_room, sizeof *f->dims);
    for (int i = 0; f->dims && !st && i < f->nvars; i++) {
        struct bridge_variable *v = f->vars[i];

        v->has_own_axis = true;
        st = open_variable(f, v);
        v->ndim = drx_ndim(v->array) - (v->kind == BRIDGE_STRINGS);
        v->parts = 0;
        for (int k = 0; !st && k < v->ndim; k++) {
            v->dims[k] = dim_of(f, v, k);
            st = v->dims[k] < 0 ? NC_ENOMEM : NC_NOERR;
        }
    }
    return f->dims ? st : NC_ENOMEM;
}

int bridge_list(struct bridge_file *f)
{
    int st = f->ngroups ? NC_NOERR : bridge_list_groups(f); /* arrays lie in the root already */

    if (!st)
        st = bridge_list_types(f);
    return st ? st : f->ds ? list_dataset(f) : list_arrays(f);
}

static void free_dims(struct bridge_file *f)
{
    for (int d = 0; d < f->ndims; d++) {
        free(f->dims[d].name);
        free(f->dims[d].path);
    }
    free(f->dims);
    f->dims = NULL;
    f->ndims = f->dims_room = 0;
}

int bridge_list_again(struct bridge_file *f)
{
    if (f->ds) {
        bridge_release(f);
        return bridge_list(f);
    }
    free_dims(f);
    for (int i = 0; i < f->nvars; i++)
        bridge_free_attributes(&f->vars[i]->attributes);
    return list_arrays(f);
}

void bridge_release(struct bridge_file *f)
{
    for (int i = 0; i < f->nvars; i++) {
        struct bridge_variable *v = f->vars[i];

        bridge_free_attributes(&v->attributes);
        free(v->definition);
        free(v->path);
        free(v->name);
        if (!f->ds && !f->borrowed && !f->writable)
            (void)drx_close(v->array);
        free(v);
    }
    free_dims(f);
    bridge_free_types(f);
    for (int i = 0; i < f->ngroups; i++) {
        bridge_free_attributes(&f->groups[i].attributes);
        free(f->groups[i].path);
        free(f->groups[i].vars);
    }
    free(f->vars);
    free(f->groups);
    f->vars = NULL;
    f->groups = NULL;
    f->nvars = f->vars_room = f->ngroups = f->groups_room = 0;
}

/* ---- one variable ---- */

struct bridge_variable *bridge_variable(struct bridge_group *g, int varid, int *st)
{
    struct bridge_variable *v = varid >= 0 && varid < g->nvars ? g->vars[varid] : NULL;
    struct bridge_file *f = g->file;

    *st = v ? NC_NOERR : NC_ENOTVAR;
    if (!v)
        return NULL;
    (void)pthread_mutex_lock(&f->lock);
    *st = open_variable(f, v);
    if (!*st)
        *st = add_parts(f, v);
    (void)pthread_mutex_unlock(&f->lock);
    return *st ? NULL : v;
}

int bridge_open_all(struct bridge_file *f)
{
    int st = NC_NOERR;

    for (int g = 0; !st && g < f->ngroups; g++)
        for (int i = 0; !st && i < f->groups[g].nvars; i++)
            if (!bridge_variable(&f->groups[g], i, &st) && st == NC_EBADTYPE)
                st = NC_NOERR; /* told; the others are good */
    return st;
}
