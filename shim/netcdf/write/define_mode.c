/* Define mode, and what is defined in it. Errors come in the order of netCDF-C. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write.h"

struct bridge_group *bridge_writable_group(int ncid, int *st)
{
    struct bridge_group *g = bridge_group(ncid);

    *st = !g ? NC_EBADID : g->file->writable ? NC_NOERR : NC_EPERM;
    return *st ? NULL : g;
}

/* ---- define mode ---- */

int bridge_begin_definition(struct bridge_file *f)
{
    if (!f->writable)
        return NC_EPERM;
    if (!f->defining && f->classic)
        return NC_ENOTINDEFINE;
    if (!f->defining)
        f->defining = f->again = true;
    return NC_NOERR;
}

int bridge_end_definition(struct bridge_file *f)
{
    if (f->defining && f->classic)
        return NC_EINDEFINE;
    f->defining = false;
    f->again = true;
    return bridge_make_variables(f);
}

int bridge_redef(int ncid)
{
    struct bridge_group *g = bridge_group(ncid);
    struct bridge_file *f = g ? g->file : NULL;

    if (!f)
        return NC_EBADID;
    if (f->defining)
        return f->classic ? NC_EINDEFINE : NC_NOERR;
    if (!f->writable)
        return NC_EPERM;
    f->defining = f->again = true;
    return NC_NOERR;
}

int bridge__enddef(int ncid, size_t header, size_t align, size_t space, size_t records)
{
    struct bridge_group *g = bridge_group(ncid);
    struct bridge_file *f = g ? g->file : NULL;

    (void)header, (void)align, (void)space, (void)records;
    if (!f || !f->defining)
        return f ? NC_ENOTINDEFINE : NC_EBADID;
    f->defining = false;
    f->again = true;
    for (int i = 0; i < g->nvars; i++)
        if (g->vars[i]->definition)
            g->vars[i]->definition->settled = true;
    return bridge_make_variables(f);
}

int bridge_set_fill(int ncid, int mode, int *old)
{
    int st;
    struct bridge_group *g = bridge_writable_group(ncid, &st);

    if (!g)
        return st;
    if (mode != NC_FILL && mode != NC_NOFILL)
        return NC_EINVAL;
    BRIDGE_GIVE(old, g->file->fill_mode);
    g->file->fill_mode = mode;
    return NC_NOERR;
}

/* ---- dimensions ---- */

/* A string's bytes may have taken a name in the dataset. */
int bridge_error_of_name(drx_status st)
{
    return st == DRX_EEXIST ? NC_ENAMEINUSE : bridge_error(st);
}

static int check_dim(const struct bridge_group *g, const char *name, size_t length, char normal[])
{
    const struct bridge_file *f = g->file;
    int st;

    for (int d = 0; f->classic && length == NC_UNLIMITED && d < f->ndims; d++)
        if (f->dims[d].group == g->number && f->dims[d].unlimited)
            return NC_EUNLIMIT;
    if (f->classic && !f->defining)
        return NC_ENOTINDEFINE;
    st = bridge_check_name(name, normal);
    if (st)
        return st;
    if (length > INT64_MAX || (f->classic && length > UINT_MAX))
        return NC_EDIMSIZE;
    return bridge_find_dim(f, g->number, normal) >= 0 ? NC_ENAMEINUSE : NC_NOERR;
}

int bridge_def_dim(int ncid, const char *name, size_t length, int *id)
{
    char normal[NC_MAX_NAME + 1], *path;
    int st, d = -1;
    struct bridge_group *g = bridge_writable_group(ncid, &st);

    if (!g)
        return st;
    st = check_dim(g, name, length, normal);
    if (!st)
        st = bridge_open_all(g->file); /* which may add dimensions */
    if (!st)
        st = bridge_begin_definition(g->file);
    if (st)
        return st;
    path = bridge_path_in(g, normal);
    st = path ? bridge_error_of_name(BRIDGE_STORE(g->file, add_dim, path, 0, (int64_t)length)) : NC_ENOMEM;
    if (!st)
        d = bridge_new_dim(g->file, g->number, path, normal, length, length == NC_UNLIMITED);
    free(path);
    if (!st && d < 0)
        st = NC_ENOMEM;
    if (!st && length == NC_UNLIMITED)
        st = bridge_note_unlimited(g->file);
    if (!st && id)
        *id = d;
    return st;
}

/* ---- groups ---- */

int bridge_def_grp(int ncid, const char *name, int *id)
{
    struct bridge_group *g = bridge_group(ncid);
    struct bridge_file *f;
    char normal[NC_MAX_NAME + 1], *path;
    int st, number = 0;

    if (!g)
        return NC_EBADID;
    f = g->file;
    st = bridge_check_name(name, normal);
    if (!st && bridge_is_taken(g, normal))
        st = NC_ENAMEINUSE;
    if (!st)
        st = f->classic ? NC_ESTRICTNC3 : bridge_begin_definition(f);
    if (!st && f->ngroups >= 1 << BRIDGE_ID_SHIFT)
        st = NC_EINVAL;
    if (st)
        return st;
    path = bridge_path_in(g, normal);
    st = path ? bridge_error_of_name(BRIDGE_STORE(f, add_group, path)) : NC_ENOMEM;
    if (!st && !(g = bridge_new_group(f, path, strlen(path), g->number)))
        st = NC_ENOMEM;
    if (!st) {
        g->attributes.known = true;
        number = g->number;
    }
    free(path);
    if (!st && id)
        *id = bridge_ncid_of(ncid, number);
    return st;
}

/* ---- variables ---- */

/* Is the dimension of the group, or of one above it? */
static bool is_seen(const struct bridge_file *f, int group, int dim)
{
    while (group >= 0 && group != f->dims[dim].group)
        group = f->groups[group].parent;
    return group >= 0;
}

static int check_dims(const struct bridge_group *g, int ndim, const int dims[])
{
    if (ndim > 0 && !dims)
        return NC_EINVAL;
    for (int k = 0; k < ndim; k++) {
        if (dims[k] < 0 || dims[k] >= g->file->ndims)
            return NC_EBADDIM;
        if (is_seen(g->file, g->number, dims[k]))
            continue;
        if (!bridge_quiet)
            (void)fprintf(stderr, "libdrx-netcdf: the dimension '%s' is of a group that is not above the variable\n",
                          g->file->dims[dims[k]].name);
        return NC_EBADDIM;
    }
    return NC_NOERR;
}

static int check_type(const struct bridge_file *f, nc_type type)
{
    if (type == NC_NAT)
        return NC_EBADTYPE;
    return f->classic && type > NC_DOUBLE ? NC_ESTRICTNC3 : NC_NOERR;
}

static int check_variable(struct bridge_group *g, const char *name, nc_type type, int ndim, const int dims[],
                          char normal[])
{
    int st = ndim > DRX_MAX_NDIM ? NC_EMAXDIMS : bridge_begin_definition(g->file);

    if (!st)
        st = bridge_check_name(name, normal);
    if (!st && type != NC_NAT && ndim < 0)
        st = NC_EINVAL;
    if (!st)
        st = check_type(g->file, type);
    if (!st && bridge_is_taken(g, normal))
        st = NC_ENAMEINUSE;
    if (!st)
        st = check_dims(g, ndim, dims);
    if (!st)
        st = bridge_close_type(g->file, type);
    if (!st && bridge_type_bytes(g->file, type) == 0)
        st = NC_EBADTYPE;
    return !st && type == NC_STRING && ndim == DRX_MAX_NDIM ? NC_EMAXDIMS : st;
}

/* A dimension of parts that the dataset does not have becomes one of it. */
static int need_dims(struct bridge_file *f, int ndim, const int dims[])
{
    int st = NC_NOERR;

    for (int k = 0; !st && k < ndim; k++) {
        struct bridge_dim *d = &f->dims[dims[k]];

        if (d->path)
            continue;
        st = bridge_error_of_name(BRIDGE_STORE(f, add_dim, d->name, 0, (int64_t)d->length));
        if (!st && !(d->path = strdup(d->name)))
            st = NC_ENOMEM;
    }
    return st;
}

static int add_variable(struct bridge_group *g, const char *name, nc_type type, int ndim, const int dims[])
{
    struct bridge_definition *d = calloc(1, sizeof *d);
    char *path = bridge_path_in(g, name);
    struct bridge_variable *v = d && path ? bridge_new_variable(g->file, g, path, name) : NULL;
    int st;

    free(path);
    if (!v) {
        free(d);
        return NC_ENOMEM;
    }
    v->definition = d;
    v->type = type;
    v->kind = type == NC_CHAR ? BRIDGE_CHARACTERS : type == NC_STRING ? BRIDGE_STRINGS : BRIDGE_NUMBERS;
    v->ndim = ndim;
    v->attributes.known = true;
    d->pending = true;
    d->storage = NC_CONTIGUOUS;
    d->no_fill = type != NC_STRING && g->file->fill_mode == NC_NOFILL;
    for (int k = 0; k < ndim; k++) {
        v->dims[k] = dims[k];
        if (g->file->dims[dims[k]].unlimited)
            d->storage = NC_CHUNKED;
    }
    st = bridge_choose_chunk(g->file, v, d->chunk);
    g->file->npending++;
    return st;
}

int bridge_def_var(int ncid, const char *name, nc_type type, int ndim, const int dims[], int *id)
{
    struct bridge_group *g = bridge_group(ncid);
    char normal[NC_MAX_NAME + 1];
    int st;

    if (!g)
        return NC_EBADID;
    st = check_variable(g, name, type, ndim, dims, normal);
    if (!st)
        st = need_dims(g->file, ndim, dims);
    if (!st)
        st = add_variable(g, normal, type, ndim, dims);
    if (!st && id)
        *id = g->nvars - 1;
    return st;
}
