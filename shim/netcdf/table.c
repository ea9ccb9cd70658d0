/* The tables of functions that netCDF-C calls, and those about dimensions, attributes and types. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write/write.h"

bool bridge_quiet;

int bridge_error(drx_status st)
{
    switch (st) {
    case DRX_OK:
        return NC_NOERR;
    case DRX_ENOENT:
        return ENOENT;
    case DRX_EACCES:
        return EACCES;
    case DRX_ENOMEM:
        return NC_ENOMEM;
    case DRX_EFORMAT:
        return NC_ENOTNC;
    default:
        if (!bridge_quiet)
            (void)fprintf(stderr, "libdrx-netcdf: %s\n", drx_last_error());
        return st == DRX_EINVAL || st == DRX_ERANGE || st == DRX_EOVERFLOW ? NC_EINVAL
               : st == DRX_ENOSPC                                          ? ENOSPC
               : st == DRX_EBUSY                                           ? EBUSY
               : st == DRX_EEXIST                                          ? NC_EEXIST
                                                                           : NC_EIO;
    }
}

/* ---- dimensions ---- */

/* The dimensions of a group, with those of the groups above it if `above`, or the unlimited ones alone. */
static int list_dims(const struct bridge_group *g, bool above, bool unlimited, int *ids)
{
    const struct bridge_file *f = g->file;
    int n = 0;

    for (int d = 0; d < f->ndims; d++) {
        int in = g->number;

        while (above && in >= 0 && in != f->dims[d].group)
            in = f->groups[in].parent;
        if (in != f->dims[d].group || (unlimited && !f->dims[d].unlimited))
            continue;
        if (ids)
            ids[n] = d;
        n++;
    }
    return n;
}

/* Variables may add dimensions to the root when they are opened. */
static int know_dims(const struct bridge_group *g, bool above)
{
    return above || g->number == 0 ? bridge_open_all(g->file) : NC_NOERR;
}

int bridge_inq_unlimdims(int ncid, int *n, int *ids)
{
    const struct bridge_group *g = bridge_group(ncid);
    const int count = g ? list_dims(g, false, true, ids) : 0;

    BRIDGE_GIVE(n, count);
    return g ? NC_NOERR : NC_EBADID;
}

/* The first one of the group, as netCDF-C 4.9 does. */
int bridge_inq_unlimdim(int ncid, int *id)
{
    const struct bridge_group *g = bridge_group(ncid);

    if (g && id)
        *id = -1;
    for (int d = g ? g->file->ndims - 1 : -1; id && d >= 0; d--)
        if (g->file->dims[d].group == g->number && g->file->dims[d].unlimited)
            *id = d;
    return g ? NC_NOERR : NC_EBADID;
}

int bridge_inq(int ncid, int *ndims, int *nvars, int *natts, int *unlimited)
{
    struct bridge_group *g = bridge_group(ncid);
    const struct bridge_attributes *all;
    int st = NC_NOERR;

    if (!g)
        return NC_EBADID;
    if (ndims) {
        st = know_dims(g, false);
        *ndims = list_dims(g, false, false, NULL);
    }
    BRIDGE_GIVE(nvars, g->nvars);
    if (!st && natts) {
        all = bridge_attributes(g, NC_GLOBAL, &st);
        *natts = all ? all->n : 0;
    }
    return st ? st : bridge_inq_unlimdim(ncid, unlimited);
}

/* A name is looked for in the group and in those above it; a path, which begins with a slash, leads from the root. */
static int find_dim(const struct bridge_group *g, const char *name)
{
    const struct bridge_file *f = g->file;
    const bool path = *name == '/';
    const char *last = path ? bridge_last(name) : name;
    int in = path ? bridge_find_group(f, 0, name, (size_t)(last - name)) : g->number, d = -1;

    for (; d < 0 && in >= 0; in = path ? -1 : f->groups[in].parent)
        d = bridge_find_dim(f, in, last);
    return d;
}

int bridge_inq_dimid(int ncid, const char *name, int *id)
{
    const struct bridge_group *g = bridge_group(ncid);
    char normal[NC_MAX_NAME + 1];
    int d, st = NC_NOERR;

    if (!g)
        return NC_EBADID;
    if (!name || (*name != '/' && strchr(name, '/')))
        return NC_EINVAL;
    d = find_dim(g, name);
    if (d < 0)
        st = know_dims(g, true);
    if (d < 0 && !st)
        d = find_dim(g, name);
    if (d < 0 && !st)
        d = find_dim(g, bridge_normal(name, normal));
    if (d >= 0 && id)
        *id = d;
    return st ? st : d < 0 ? NC_EBADDIM : NC_NOERR;
}

int bridge_inq_dim(int ncid, int id, char *name, size_t *length)
{
    const struct bridge_group *g = bridge_group(ncid);
    const struct bridge_file *f = g ? g->file : NULL;

    if (!f)
        return NC_EBADID;
    if (id < 0 || id >= f->ndims) /* a variable that nobody has asked about may add it */
        (void)know_dims(g, true);
    if (id < 0 || id >= f->ndims)
        return NC_EBADDIM;
    bridge_give_name(name, f->dims[id].name);
    BRIDGE_GIVE(length, f->dims[id].length);
    return NC_NOERR;
}

int bridge_inq_dimids(int ncid, int *n, int *ids, int parents)
{
    const struct bridge_group *g = bridge_group(ncid);
    const int st = g ? know_dims(g, parents) : NC_EBADID, count = st ? 0 : list_dims(g, parents, false, ids);

    BRIDGE_GIVE(n, count);
    return st;
}

/* ---- variables ---- */

int bridge_inq_varids(int ncid, int *n, int *ids)
{
    const struct bridge_group *g = bridge_group(ncid);

    for (int i = 0; g && ids && i < g->nvars; i++)
        ids[i] = i;
    if (g && n)
        *n = g->nvars;
    return g ? NC_NOERR : NC_EBADID;
}

int bridge_inq_varid(int ncid, const char *name, int *id)
{
    const struct bridge_group *g = bridge_group(ncid);
    char normal[NC_MAX_NAME + 1];
    int found = g && name ? bridge_find_variable(g, name) : -1;

    if (g && name && found < 0)
        found = bridge_find_variable(g, bridge_normal(name, normal));
    if (found >= 0 && id)
        *id = found;
    if (g && !name)
        return NC_EINVAL;
    return !g ? NC_EBADID : found < 0 ? NC_ENOTVAR : NC_NOERR;
}

/* ---- groups ---- */

int bridge_inq_grp_full_ncid(int ncid, const char *path, int *group)
{
    return path ? bridge_inq_ncid(ncid, path, group) : NC_EINVAL;
}

/* ---- attributes ---- */

static const struct bridge_attribute *attribute(int ncid, int varid, const char *name, int *st)
{
    struct bridge_group *g = bridge_group(ncid);
    const struct bridge_attributes *all = NULL;
    const struct bridge_attribute *found;
    char normal[NC_MAX_NAME + 1];

    *st = NC_EBADID;
    if (g)
        all = bridge_attributes(g, varid, st);
    if (all && !name)
        *st = NC_EBADNAME;
    if (!all || !name)
        return NULL;
    found = bridge_find(all, name);
    if (!found)
        found = bridge_find(all, bridge_normal(name, normal));
    *st = found ? NC_NOERR : NC_ENOTATT;
    return found;
}

int bridge_inq_att(int ncid, int varid, const char *name, nc_type *type, size_t *n)
{
    int st;
    const struct bridge_attribute *a = attribute(ncid, varid, name, &st);

    if (a && type)
        *type = a->type;
    if (a && n)
        *n = a->n;
    return st;
}

int bridge_inq_attid(int ncid, int varid, const char *name, int *id)
{
    int st;
    const struct bridge_attribute *a = attribute(ncid, varid, name, &st);

    if (a && id)
        *id = (int)(a - bridge_attributes(bridge_group(ncid), varid, &st)->list);
    return st;
}

int bridge_inq_attname(int ncid, int varid, int id, char *name)
{
    struct bridge_group *g = bridge_group(ncid);
    int st = NC_EBADID;
    const struct bridge_attributes *all = g ? bridge_attributes(g, varid, &st) : NULL;

    if (!all)
        return st;
    if (id < 0 || id >= all->n)
        return NC_ENOTATT;
    bridge_give_name(name, all->list[id].name);
    return NC_NOERR;
}

static int get_strings(const struct bridge_attribute *a, char **out)
{
    int st = NC_NOERR;

    for (size_t i = 0; i < a->n; i++) {
        out[i] = strdup(((char **)a->values)[i]);
        if (!out[i])
            st = NC_ENOMEM;
    }
    return st;
}

int bridge_get_att(int ncid, int varid, const char *name, void *out, nc_type type)
{
    int st;
    const struct bridge_attribute *a = attribute(ncid, varid, name, &st);

    if (!a)
        return st;
    type = bridge_memory_type(bridge_group(ncid)->file, a->type, type);
    if (a->n == 0)
        return NC_NOERR; /* of whatever type */
    if (a->type == NC_STRING && type == NC_STRING)
        return get_strings(a, out);
    if (a->type == type) {
        memcpy(out, a->values, a->n * bridge_type_bytes(bridge_group(ncid)->file, type));
        return NC_NOERR;
    }
    if (a->type == NC_CHAR || type == NC_CHAR)
        return NC_ECHAR;
    if (a->type > NC_UINT64 || type > NC_UINT64)
        return NC_EBADTYPE;
    return bridge_convert_in(bridge_group(ncid)->file, a->type, a->values, type, out, a->n);
}

/* ---- lists of any length, which no dataset has ---- */

int bridge_put_vlen_element(int ncid, int type, void *element, size_t n, const void *data)
{
    (void)ncid, (void)type, (void)element, (void)n, (void)data;
    return NC_ENOTNC4;
}

int bridge_get_vlen_element(int ncid, int type, const void *element, size_t *n, void *data)
{
    (void)ncid, (void)type, (void)element, (void)n, (void)data;
    return NC_ENOTNC4;
}

/* ---- what asks for nothing ---- */

int bridge_show_metadata(int ncid)
{
    (void)ncid;
    return NC_NOERR;
}

int bridge_set_var_chunk_cache(int ncid, int varid, size_t bytes, size_t n, float preemption)
{
    (void)ncid, (void)varid, (void)bytes, (void)n;
    return preemption < 0 || preemption > 1 ? NC_EINVAL : NC_NOERR;
}

int bridge_get_var_chunk_cache(int ncid, int varid, size_t *bytes, size_t *n, float *preemption)
{
    (void)ncid, (void)varid;
    BRIDGE_GIVE(bytes, 0);
    BRIDGE_GIVE(n, 0);
    BRIDGE_GIVE(preemption, 0);
    return NC_NOERR;
}

int bridge_inq_var_quantize(int ncid, int varid, int *mode, int *digits)
{
    (void)ncid, (void)varid;
    BRIDGE_GIVE(mode, NC_NOQUANTIZE);
    BRIDGE_GIVE(digits, 0);
    return NC_NOERR;
}

/* ---- the tables ---- */

#define ROW(call) .call = bridge_##call,
#define TABLE(format)                                                               \
    {                                                                               \
        .model = format, .dispatch_version = NC_DISPATCH_VERSION, BRIDGE_CALLS(ROW) \
    }

NC_Dispatch bridge_tables[2] = { TABLE(NC_FORMATX_UDF0), TABLE(NC_FORMATX_UDF1) };
