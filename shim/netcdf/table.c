/* The tables of functions that netCDF-C calls, and the open files. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"

enum { MOST_FILES = 1 << 16 };

static struct bridge_file *files[MOST_FILES];

struct bridge_group *bridge_group(int ncid)
{
    struct bridge_file *f = files[(unsigned)ncid >> BRIDGE_ID_SHIFT];
    const int number = ncid & ((1 << BRIDGE_ID_SHIFT) - 1);

    return f && number < f->ngroups && (number == 0 || f->groups[number].parent >= 0) ? &f->groups[number] : NULL;
}

struct bridge_variable *bridge_variable_of(int ncid, int varid, struct bridge_file **f, int *st)
{
    struct bridge_group *g = bridge_group(ncid);

    *f = g ? g->file : NULL;
    *st = NC_EBADID;
    return g ? bridge_variable(g, varid, st) : NULL;
}

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
        return st == DRX_EINVAL || st == DRX_ERANGE ? NC_EINVAL : NC_EIO;
    }
}

/* ---- open, close ---- */

static void release(int ncid, struct bridge_file *f)
{
    files[(unsigned)ncid >> BRIDGE_ID_SHIFT] = NULL;
    bridge_release(f);
    if (!f->borrowed)
        (void)drx_dataset_close(f->ds);
    free(f->only);
    (void)pthread_mutex_destroy(&f->lock);
    free(f);
}

static int close_file(int ncid, void *unused)
{
    struct bridge_group *g = bridge_group(ncid);

    (void)unused;
    if (!g || g->parent >= 0)
        return g ? NC_EBADGRPID : NC_EBADID;
    release(ncid, g->file);
    return NC_NOERR;
}

static int abort_file(int ncid)
{
    return close_file(ncid, NULL);
}

static int open_file(const char *path, int mode, int basepe, size_t *hint, void *parameters, const NC_Dispatch *table,
                     int ncid)
{
    struct bridge_file *f;
    int st;

    (void)basepe, (void)hint, (void)parameters, (void)table;
    if (mode & NC_WRITE)
        return NC_EPERM;
    f = calloc(1, sizeof *f);
    if (!f)
        return NC_ENOMEM;
    (void)pthread_mutex_init(&f->lock, NULL);
    files[(unsigned)ncid >> BRIDGE_ID_SHIFT] = f;
    st = bridge_open_place(path, f);
    if (!st)
        st = bridge_list(f);
    if (st)
        release(ncid, f);
    return st;
}

/* Show the newest commit. Groups and variables keep their numbers, since a dataset keeps their order; after one was
 * removed, those behind it move up. */
static int sync_file(int ncid)
{
    struct bridge_group *g = bridge_group(ncid);
    struct bridge_file *f = g ? g->file : NULL;
    drx_status st = DRX_OK;

    if (!f)
        return NC_EBADID;
    if (f->ds)
        st = drx_dataset_refresh(f->ds);
    for (int i = 0; !f->ds && !st && i < f->nvars; i++)
        st = drx_refresh(f->vars[i]->array);
    if (st)
        return bridge_error(st);
    return bridge_list_again(f);
}

/* ---- about the file ---- */

static int inq_format(int ncid, int *format)
{
    struct bridge_group *g = bridge_group(ncid);
    int groups, unlimited = 0, st = bridge_inq_grps(ncid, &groups, NULL);
    bool classic = !st && groups == 0 && g->parent < 0;

    if (classic)
        st = bridge_open_all(g->file);
    for (int d = 0; classic && d < g->file->ndims; d++)
        unlimited += g->file->dims[d].unlimited;
    for (int i = NC_GLOBAL; classic && !st && i < g->nvars; i++) {
        const struct bridge_attributes *all = bridge_attributes(g, i, &st);

        classic = i < 0 || bridge_is_classic(g->vars[i]->type);
        for (int k = 0; all && k < all->n; k++)
            classic = classic && bridge_is_classic(all->list[k].type);
    }
    if (!st && format)
        *format = classic && unlimited < 2 ? NC_FORMAT_NETCDF4_CLASSIC : NC_FORMAT_NETCDF4;
    return st;
}

static int extended(int format, int *out, int *mode)
{
    if (out)
        *out = format;
    if (mode)
        *mode = NC_NETCDF4;
    return NC_NOERR;
}

static int inq_format_0(int ncid, int *format, int *mode)
{
    (void)ncid;
    return extended(NC_FORMATX_UDF0, format, mode);
}

static int inq_format_1(int ncid, int *format, int *mode)
{
    (void)ncid;
    return extended(NC_FORMATX_UDF1, format, mode);
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

static int inq_unlimdims(int ncid, int *n, int *ids)
{
    const struct bridge_group *g = bridge_group(ncid);
    const int count = g ? list_dims(g, false, true, ids) : 0;

    if (n)
        *n = count;
    return g ? NC_NOERR : NC_EBADID;
}

/* The first one of the group, as netCDF-C 4.9 does. */
static int inq_unlimdim(int ncid, int *id)
{
    const struct bridge_group *g = bridge_group(ncid);

    if (g && id)
        *id = -1;
    for (int d = g ? g->file->ndims - 1 : -1; id && d >= 0; d--)
        if (g->file->dims[d].group == g->number && g->file->dims[d].unlimited)
            *id = d;
    return g ? NC_NOERR : NC_EBADID;
}

static int inq(int ncid, int *ndims, int *nvars, int *natts, int *unlimited)
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
    if (nvars)
        *nvars = g->nvars;
    if (!st && natts) {
        all = bridge_attributes(g, NC_GLOBAL, &st);
        *natts = all ? all->n : 0;
    }
    return st ? st : inq_unlimdim(ncid, unlimited);
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

static int inq_dimid(int ncid, const char *name, int *id)
{
    const struct bridge_group *g = bridge_group(ncid);
    int d, st = NC_NOERR;

    if (!g)
        return NC_EBADID;
    d = find_dim(g, name);
    if (d < 0)
        st = know_dims(g, true);
    if (d < 0 && !st)
        d = find_dim(g, name);
    if (d >= 0 && id)
        *id = d;
    return st ? st : d < 0 ? NC_EBADDIM : NC_NOERR;
}

static int inq_dim(int ncid, int id, char *name, size_t *length)
{
    const struct bridge_group *g = bridge_group(ncid);
    const struct bridge_file *f = g ? g->file : NULL;

    if (!f)
        return NC_EBADID;
    if (id < 0 || id >= f->ndims) /* a variable that nobody has asked about may add it */
        (void)know_dims(g, true);
    if (id < 0 || id >= f->ndims)
        return NC_EBADDIM;
    if (name)
        memcpy(name, f->dims[id].name, strnlen(f->dims[id].name, NC_MAX_NAME) + 1);
    if (length)
        *length = f->dims[id].length;
    return NC_NOERR;
}

static int inq_dimids(int ncid, int *n, int *ids, int parents)
{
    const struct bridge_group *g = bridge_group(ncid);
    const int st = g ? know_dims(g, parents) : NC_EBADID, count = st ? 0 : list_dims(g, parents, false, ids);

    if (n)
        *n = count;
    return st;
}

/* ---- variables ---- */

static int inq_varids(int ncid, int *n, int *ids)
{
    const struct bridge_group *g = bridge_group(ncid);

    for (int i = 0; g && ids && i < g->nvars; i++)
        ids[i] = i;
    if (g && n)
        *n = g->nvars;
    return g ? NC_NOERR : NC_EBADID;
}

static int inq_varid(int ncid, const char *name, int *id)
{
    const struct bridge_group *g = bridge_group(ncid);
    const int found = g ? bridge_find_variable(g, name) : -1;

    if (found >= 0 && id)
        *id = found;
    return !g ? NC_EBADID : found < 0 ? NC_ENOTVAR : NC_NOERR;
}

/* ---- attributes ---- */

static const struct bridge_attribute *attribute(int ncid, int varid, const char *name, int *st)
{
    struct bridge_group *g = bridge_group(ncid);
    const struct bridge_attributes *all = NULL;
    const struct bridge_attribute *found;

    *st = NC_EBADID;
    if (g)
        all = bridge_attributes(g, varid, st);
    if (!all)
        return NULL;
    found = bridge_find(all, name);
    *st = found ? NC_NOERR : NC_ENOTATT;
    return found;
}

static int inq_att(int ncid, int varid, const char *name, nc_type *type, size_t *n)
{
    int st;
    const struct bridge_attribute *a = attribute(ncid, varid, name, &st);

    if (a && type)
        *type = a->type;
    if (a && n)
        *n = a->n;
    return st;
}

static int inq_attid(int ncid, int varid, const char *name, int *id)
{
    int st;
    const struct bridge_attribute *a = attribute(ncid, varid, name, &st);

    if (a && id)
        *id = (int)(a - bridge_attributes(bridge_group(ncid), varid, &st)->list);
    return st;
}

static int inq_attname(int ncid, int varid, int id, char *name)
{
    struct bridge_group *g = bridge_group(ncid);
    int st = NC_EBADID;
    const struct bridge_attributes *all = g ? bridge_attributes(g, varid, &st) : NULL;

    if (!all)
        return st;
    if (id < 0 || id >= all->n)
        return NC_ENOTATT;
    if (name)
        memcpy(name, all->list[id].name, strnlen(all->list[id].name, NC_MAX_NAME) + 1);
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

static int get_att(int ncid, int varid, const char *name, void *out, nc_type type)
{
    int st;
    const struct bridge_attribute *a = attribute(ncid, varid, name, &st);

    if (!a)
        return st;
    if (type == NC_NAT)
        type = a->type;
    if (a->n == 0)
        return NC_NOERR; /* of whatever type */
    if (a->type == NC_STRING && type == NC_STRING)
        return get_strings(a, out);
    if (a->type == type) {
        memcpy(out, a->values, a->n * bridge_type_bytes(type));
        return NC_NOERR;
    }
    if (a->type == NC_CHAR || type == NC_CHAR)
        return NC_ECHAR;
    if (a->type > NC_UINT64 || type > NC_UINT64)
        return NC_EBADTYPE;
    return bridge_convert(a->type, a->values, type, out, a->n);
}

/* ---- types ---- */

static int inq_type(int ncid, nc_type type, char *name, size_t *bytes)
{
    (void)ncid;
    if (!bridge_type_name(type))
        return NC_EBADTYPE;
    if (name)
        memcpy(name, bridge_type_name(type), strlen(bridge_type_name(type)) + 1);
    if (bytes)
        *bytes = bridge_type_bytes(type);
    return NC_NOERR;
}

static int inq_type_equal(int ncid, nc_type type, int other, nc_type other_type, int *equal)
{
    (void)ncid, (void)other;
    if (equal)
        *equal = type == other_type;
    return NC_NOERR;
}

static int inq_typeid(int ncid, const char *name, nc_type *type)
{
    const nc_type found = bridge_type_named(name);

    (void)ncid;
    if (found && type)
        *type = found;
    return found ? NC_NOERR : NC_EBADTYPE;
}

/* No types of its own. */
static int inq_none(int ncid, int *n, int *ids)
{
    (void)ncid, (void)ids;
    if (n)
        *n = 0;
    return NC_NOERR;
}

/* ---- what asks for nothing ---- */

static int enough(int ncid)
{
    (void)ncid;
    return NC_NOERR;
}

static int var_par_access(int ncid, int varid, int how)
{
    (void)ncid, (void)varid, (void)how; /* each process reads by itself */
    return NC_NOERR;
}

static int set_cache(int ncid, int varid, size_t bytes, size_t n, float preemption)
{
    (void)ncid, (void)varid, (void)bytes, (void)n, (void)preemption;
    return NC_NOERR;
}

static int get_cache(int ncid, int varid, size_t *bytes, size_t *n, float *preemption)
{
    (void)ncid, (void)varid;
    if (bytes)
        *bytes = 0;
    if (n)
        *n = 0;
    if (preemption)
        *preemption = 0;
    return NC_NOERR;
}

static int inq_quantize(int ncid, int varid, int *mode, int *digits)
{
    (void)ncid, (void)varid;
    if (mode)
        *mode = NC_NOQUANTIZE;
    if (digits)
        *digits = 0;
    return NC_NOERR;
}

/* ---- the tables ---- */

#define TABLE(format, extended_format)                                                                                 \
    {                                                                                                                  \
        .model = format, .dispatch_version = NC_DISPATCH_VERSION, .open = open_file, .sync = sync_file,                \
        .abort = abort_file, .close = close_file, .inq_format = inq_format, .inq_format_extended = extended_format,    \
        .inq = inq, .inq_type = inq_type, .inq_dimid = inq_dimid, .inq_dim = inq_dim, .inq_unlimdim = inq_unlimdim,    \
        .inq_att = inq_att, .inq_attid = inq_attid, .inq_attname = inq_attname, .get_att = get_att,                    \
        .inq_varid = inq_varid, .get_vara = bridge_get_vara, .get_vars = bridge_get_vars, .get_varm = bridge_get_varm, \
        .inq_var_all = bridge_inq_var_all, .var_par_access = var_par_access, .show_metadata = enough,                  \
        .inq_unlimdims = inq_unlimdims, .inq_ncid = bridge_inq_ncid, .inq_grps = bridge_inq_grps,                      \
        .inq_grpname = bridge_inq_grpname, .inq_grpname_full = bridge_inq_grpname_full,                                \
        .inq_grp_parent = bridge_inq_grp_parent, .inq_grp_full_ncid = bridge_inq_ncid, .inq_varids = inq_varids,       \
        .inq_dimids = inq_dimids, .inq_typeids = inq_none, .inq_type_equal = inq_type_equal, .inq_typeid = inq_typeid, \
        .set_var_chunk_cache = set_cache, .get_var_chunk_cache = get_cache,                                            \
        .inq_var_filter_ids = bridge_inq_var_filter_ids, .inq_var_filter_info = bridge_inq_var_filter_info,            \
        .inq_var_quantize = inq_quantize                                                                               \
    }

NC_Dispatch bridge_tables[2] = { TABLE(NC_FORMATX_UDF0, inq_format_0), TABLE(NC_FORMATX_UDF1, inq_format_1) };

/* What refuses to write, and what reading has no use for, netCDF-C has itself. */
#define BY_NAME(member, name)                \
    {                                        \
        offsetof(NC_Dispatch, member), #name \
    }
static const struct {
    size_t offset;
    const char *name;
} of_netcdf[] = {
    BY_NAME(create, NC_RO_create),
    BY_NAME(redef, NC_RO_redef),
    BY_NAME(_enddef, NC_RO__enddef),
    BY_NAME(set_fill, NC_RO_set_fill),
    BY_NAME(def_dim, NC_RO_def_dim),
    BY_NAME(rename_dim, NC_RO_rename_dim),
    BY_NAME(rename_att, NC_RO_rename_att),
    BY_NAME(del_att, NC_RO_del_att),
    BY_NAME(put_att, NC_RO_put_att),
    BY_NAME(def_var, NC_RO_def_var),
    BY_NAME(rename_var, NC_RO_rename_var),
    BY_NAME(put_vara, NC_RO_put_vara),
    BY_NAME(put_vars, NCDEFAULT_put_vars),
    BY_NAME(put_varm, NCDEFAULT_put_varm),
    BY_NAME(def_var_fill, NC_RO_def_var_fill),
    BY_NAME(def_grp, NC_NOTNC4_def_grp),
    BY_NAME(rename_grp, NC_NOTNC4_rename_grp),
    BY_NAME(inq_user_type, NC_NOTNC4_inq_user_type),
    BY_NAME(inq_compound_field, NC_NOTNC4_inq_compound_field),
    BY_NAME(inq_compound_fieldindex, NC_NOTNC4_inq_compound_fieldindex),
    BY_NAME(def_compound, NC_NOTNC4_def_compound),
    BY_NAME(insert_compound, NC_NOTNC4_insert_compound),
    BY_NAME(insert_array_compound, NC_NOTNC4_insert_array_compound),
    BY_NAME(def_vlen, NC_NOTNC4_def_vlen),
    BY_NAME(put_vlen_element, NC_NOTNC4_put_vlen_element),
    BY_NAME(get_vlen_element, NC_NOTNC4_get_vlen_element),
    BY_NAME(def_enum, NC_NOTNC4_def_enum),
    BY_NAME(insert_enum, NC_NOTNC4_insert_enum),
    BY_NAME(inq_enum_member, NC_NOTNC4_inq_enum_member),
    BY_NAME(inq_enum_ident, NC_NOTNC4_inq_enum_ident),
    BY_NAME(def_opaque, NC_NOTNC4_def_opaque),
    BY_NAME(def_var_deflate, NC_NOTNC4_def_var_deflate),
    BY_NAME(def_var_fletcher32, NC_NOTNC4_def_var_fletcher32),
    BY_NAME(def_var_chunking, NC_NOTNC4_def_var_chunking),
    BY_NAME(def_var_endian, NC_NOTNC4_def_var_endian),
    BY_NAME(def_var_filter, NC_NOTNC4_def_var_filter),
    BY_NAME(def_var_quantize, NC_NOTNC4_def_var_quantize),
    BY_NAME(inq_filter_avail, NC_NOOP_inq_filter_avail),
};

void bridge_complete_tables(void *(*find)(void *with, const char *name), void *with)
{
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; i < sizeof of_netcdf / sizeof of_netcdf[0]; i++) {
            void *function = find(with, of_netcdf[i].name);

            memcpy((char *)&bridge_tables[t] + of_netcdf[i].offset, &function, sizeof function);
        }
}
