/* The dimensions and variables of a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bridge.h"

/* ---- what Python and imports note (cli/arrays/text_attribute.h, python/drx/form.py) ---- */

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

/* Names of DRX may be longer than netCDF allows. netCDF takes a length of 0 for an unlimited dimension. */
static int add_dim(struct bridge_file *f, const char *name, size_t length, bool unlimited)
{
    struct bridge_dim *d = &f->dims[f->ndims];

    *d = (struct bridge_dim){
        .name = strndup(name, NC_MAX_NAME),
        .length = length,
        .unlimited = unlimited || length == 0,
    };
    return d->name ? f->ndims++ : -1;
}

static bool has_word(const char *words, const char *word)
{
    const size_t n = strlen(word);

    for (const char *at = words; at && (at = strstr(at, word)); at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

static bool is_unlimited(const drx_dataset *ds, int d)
{
    const void *names;
    drx_type type;

    return drx_dataset_dim_grew(ds, d) > 0 ||
           (drx_dataset_attr_get(ds, DRX_DATASET, NULL, "drx.unlimited", &type, NULL, &names) == DRX_OK &&
            type == DRX_UINT8 && has_word(names, drx_dataset_dim(ds, d, NULL)));
}

static size_t extent_of(const drx_dataset *ds, int d)
{
    int64_t bound;

    (void)drx_dataset_dim(ds, d, &bound);
    return (size_t)(bound - drx_dataset_dim_lower(ds, d));
}

/* Is the member shown: all are, or the one of the path and the coordinates of its dimensions? */
static bool is_shown(const struct bridge_file *f, int member)
{
    const char *name = drx_dataset_name(f->ds, member);
    int main;

    if (!f->only || strcmp(name, f->only) == 0)
        return true;
    main = drx_dataset_find(f->ds, f->only);
    if (drx_dataset_ndim(f->ds, member) != 1)
        return false;
    for (int k = 0; main >= 0 && k < drx_dataset_ndim(f->ds, main); k++)
        if (drx_dataset_axis(f->ds, main, k) == drx_dataset_axis(f->ds, member, 0))
            return strcmp(drx_dataset_dim(f->ds, drx_dataset_axis(f->ds, member, 0), NULL), name) == 0;
    return false;
}

int bridge_find_dim(const struct bridge_file *f, const char *name)
{
    for (int d = 0; d < f->ndims; d++)
        if (strcmp(f->dims[d].name, name) == 0)
            return d;
    return -1;
}

/* The dimension `first` of that length, or one with a number after that, where it has another length. */
static int find_or_add_dim(struct bridge_file *f, const char *first, size_t length, bool unlimited)
{
    char name[NC_MAX_NAME + 1];
    int d;

    (void)snprintf(name, sizeof name, "%s", first);
    for (int i = 2; (d = bridge_find_dim(f, name)) >= 0 && f->dims[d].length != length; i++)
        (void)snprintf(name, sizeof name, "%.240s_%d", first, i);
    return d >= 0 ? d : add_dim(f, name, length, unlimited);
}

/* An open variable holds two or three files open. True: the process may open more files now. */
static bool raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max)
        return false;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static int open_variable(struct bridge_file *f, struct bridge_variable *v)
{
    drx_status st = v->array ? DRX_OK : drx_dataset_array(f->ds, v->name, &v->array);

    if (st == DRX_EIO && raise_limit())
        st = drx_dataset_array(f->ds, v->name, &v->array);
    if (st || v->type)
        return bridge_error(st);
    v->kind = kind_of(v->array, v->has_own_axis);
    v->type = v->kind == BRIDGE_CHARACTERS || v->kind == BRIDGE_BYTES  ? NC_CHAR
              : v->kind == BRIDGE_STRINGS || v->kind == BRIDGE_UNICODE ? NC_STRING
                                                                       : bridge_type_of(drx_dtype(v->array));
    return v->type ? NC_NOERR : NC_EBADTYPE;
}

/* Those whose elements have parts have one more dimension once the others are known: string12, or complex. */
static int add_parts(struct bridge_file *f, struct bridge_variable *v)
{
    const int bytes = (int)drx_type_size(drx_dtype(v->array));
    char name[32] = "complex";

    if (v->parts || (v->kind != BRIDGE_BYTES && v->kind != BRIDGE_COMPLEX))
        return NC_NOERR;
    v->parts = v->kind == BRIDGE_BYTES ? bytes : 2;
    if (v->kind == BRIDGE_BYTES)
        (void)snprintf(name, sizeof name, "string%d", bytes);
    v->dims[v->ndim] = find_or_add_dim(f, name, (size_t)v->parts, false);
    if (v->dims[v->ndim] < 0) {
        v->parts = 0;
        return NC_ENOMEM;
    }
    v->ndim++;
    return NC_NOERR;
}

/* May the last axis go through the bytes of strings? Those of imports are VARIABLE_strlen, those of Python VARIABLE_bytes. */
static bool may_be_strings(const struct bridge_file *f, const struct bridge_variable *v, const int users[])
{
    const int last = v->ndim - 1;
    const size_t n = strlen(v->name);
    const char *name = last >= 0 ? drx_dataset_dim(f->ds, v->dims[last], NULL) : "";

    return last >= 0 && users[v->dims[last]] == 1 && strncmp(name, v->name, n) == 0 && name[n] == '_';
}

/* v->dims holds dimensions of the dataset, and becomes those of the file. */
static int settle_dims(struct bridge_file *f, const int users[])
{
    const int n = drx_dataset_dim_count(f->ds);
    int *ids = malloc(((size_t)n + 1) * sizeof *ids), st = ids ? NC_NOERR : NC_ENOMEM;

    for (int d = 0; ids && d < n; d++)
        ids[d] = -1;
    for (int i = 0; !st && i < f->nvars; i++) {
        struct bridge_variable *v = &f->vars[i];

        v->has_own_axis = may_be_strings(f, v, users);
        if (v->has_own_axis) {
            st = open_variable(f, v);
            v->ndim -= v->kind == BRIDGE_STRINGS;
        }
        for (int k = 0; k < v->ndim; k++)
            ids[v->dims[k]] = 0;
    }
    for (int d = 0; !st && d < n; d++)
        if (ids[d] == 0) {
            ids[d] = add_dim(f, drx_dataset_dim(f->ds, d, NULL), extent_of(f->ds, d), is_unlimited(f->ds, d));
            st = ids[d] < 0 ? NC_ENOMEM : NC_NOERR;
        }
    for (int i = 0; !st && i < f->nvars; i++)
        for (int k = 0; k < f->vars[i].ndim; k++)
            f->vars[i].dims[k] = ids[f->vars[i].dims[k]];
    free(ids);
    return st;
}

static int list_dataset(struct bridge_file *f)
{
    const int n = drx_dataset_count(f->ds), ndims = drx_dataset_dim_count(f->ds);
    int *users = calloc((size_t)ndims + 1, sizeof *users), st = NC_NOERR;

    f->vars = calloc((size_t)n + 1, sizeof *f->vars);
    f->dims = calloc((size_t)ndims + (size_t)n + 1, sizeof *f->dims);
    if (!users || !f->vars || !f->dims)
        st = NC_ENOMEM;
    for (int i = 0; !st && i < n; i++) {
        struct bridge_variable *v = &f->vars[f->nvars];

        for (int k = 0; k < drx_dataset_ndim(f->ds, i); k++)
            users[drx_dataset_axis(f->ds, i, k)]++;
        if (!is_shown(f, i))
            continue;
        v->name = strdup(drx_dataset_name(f->ds, i));
        v->ndim = drx_dataset_ndim(f->ds, i);
        for (int k = 0; k < v->ndim; k++)
            v->dims[k] = drx_dataset_axis(f->ds, i, k);
        f->nvars++;
        st = v->name ? NC_NOERR : NC_ENOMEM;
    }
    if (!st)
        st = settle_dims(f, users);
    free(users);
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
    const char *own = v == f->vars ? drx_dim_name(v->array, axis) : v->name;
    char name[16];

    (void)snprintf(name, sizeof name, "dim_%d", axis);
    return find_or_add_dim(f, own && *own ? own : name, (size_t)drx_shape(v->array)[axis], grew(v->array, axis));
}

static int list_arrays(struct bridge_file *f)
{
    int st = NC_NOERR;

    f->dims = calloc((size_t)f->nvars * (DRX_MAX_NDIM + 1), sizeof *f->dims);
    for (int i = 0; f->dims && !st && i < f->nvars; i++) {
        struct bridge_variable *v = &f->vars[i];

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
    return f->ds ? list_dataset(f) : list_arrays(f);
}

int bridge_list_again(struct bridge_file *f)
{
    if (f->ds) {
        bridge_release(f);
        return list_dataset(f);
    }
    for (int d = 0; d < f->ndims; d++)
        free(f->dims[d].name);
    free(f->dims);
    f->ndims = 0;
    for (int i = 0; i < f->nvars; i++)
        bridge_free_attributes(&f->vars[i].attributes);
    return list_arrays(f);
}

void bridge_release(struct bridge_file *f)
{
    for (int i = 0; i < f->nvars; i++) {
        bridge_free_attributes(&f->vars[i].attributes);
        free(f->vars[i].name);
        if (!f->ds && !f->borrowed)
            (void)drx_close(f->vars[i].array);
    }
    for (int d = 0; d < f->ndims; d++)
        free(f->dims[d].name);
    bridge_free_attributes(&f->global);
    free(f->vars);
    free(f->dims);
    f->vars = NULL;
    f->dims = NULL;
    f->nvars = f->ndims = 0;
}

/* ---- one variable ---- */

struct bridge_variable *bridge_variable(struct bridge_file *f, int varid, int *st)
{
    struct bridge_variable *v = varid >= 0 && varid < f->nvars ? &f->vars[varid] : NULL;

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

    for (int i = 0; !st && i < f->nvars; i++)
        (void)bridge_variable(f, i, &st);
    return st;
}
