/* User-defined types: enums, compounds and opaque bytes. Those with a name lie in the group of their path.
 * Others, and those of groups that are not shown, get a name in the root when something has them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write/write.h"

struct bridge_type *bridge_find_type(const struct bridge_file *f, nc_type type)
{
    const int i = type - NC_FIRSTUSERTYPEID;

    return i >= 0 && i < f->ntypes ? &f->types[i] : NULL;
}

drx_type bridge_user_type(const struct bridge_file *f, nc_type type)
{
    const struct bridge_type *t = bridge_find_type(f, type);

    return t ? t->type : (drx_type)0;
}

const drx_type_info *bridge_info_of(const struct bridge_type *t)
{
    return t->type ? drx_type_describe(t->type) : &t->open;
}

/* An enum, a compound or opaque bytes, as netCDF tells them apart; 0: another type. */
static int class_of(const drx_type_info *info)
{
    static const int classes[] = {
        [DRX_ENUM] = NC_ENUM, [DRX_COMPOUND] = NC_COMPOUND, [DRX_OPAQUE] = NC_OPAQUE, [DRX_BITFIELD] = 0
    };

    return info ? classes[info->type_class] : 0;
}

nc_type bridge_memory_type(const struct bridge_file *f, nc_type of, nc_type wanted)
{
    const drx_type_info *own = drx_type_describe(bridge_user_type(f, of));

    return wanted == NC_NAT || (own && own->type_class == DRX_ENUM && bridge_type_of(own->base) == wanted) ? of
                                                                                                           : wanted;
}

/* ---- what netCDF cannot say ---- */

static const char *obstacle(drx_type type)
{
    const drx_type_info *info = drx_type_describe(type);
    const char *why = NULL;

    for (int i = 0; !why && info && i < info->nmembers; i++) {
        const drx_member *m = &info->members[i];

        if (strlen(m->name) > NC_MAX_NAME)
            return "a name of more bytes than netCDF takes";
        if (info->type_class == DRX_COMPOUND)
            why = m->type == DRX_FLOAT16       ? "a field of float16"
                  : DRX_IS_UNICODE(m->type)    ? "a field of Unicode strings"
                  : m->rank >= NC_MAX_VAR_DIMS ? "a field of too many axes"
                                               : obstacle(m->type);
        for (int k = 0; !why && k < m->rank; k++)
            why = m->extents[k] > INT_MAX ? "an extent of more than 31 bits" : NULL;
    }
    return why;
}

/* ---- the list ---- */

/* The type of that name in a group, or in any if that is -1. */
static nc_type find_in(const struct bridge_file *f, int group, const char *name)
{
    for (int i = 0; i < f->ntypes; i++)
        if ((group < 0 || f->types[i].group == group) && strcmp(f->types[i].name, name) == 0)
            return NC_FIRSTUSERTYPEID + i;
    return NC_NAT;
}

bool bridge_is_taken(const struct bridge_group *g, const char *name)
{
    return find_in(g->file, g->number, name) || bridge_find_variable(g, name) >= 0 ||
           bridge_find_group(g->file, g->number, name, strlen(name)) >= 0;
}

struct bridge_type *bridge_new_type(struct bridge_file *f, int group, const char *name, drx_type type)
{
    struct bridge_type *all = reallocarray(f->types, (size_t)f->ntypes + 1, sizeof *all);

    if (!all)
        return NULL;
    f->types = all;
    all[f->ntypes] = (struct bridge_type){ .type = type, .name = strdup(name), .group = group };
    return all[f->ntypes].name ? &all[f->ntypes++] : NULL;
}

static nc_type field_type(struct bridge_file *f, int group, drx_type type);

/* After those of its fields. `name` NULL: one that is made up. -1: out of memory. */
static int add(struct bridge_file *f, int group, const char *name, drx_type type)
{
    const drx_type_info *info = drx_type_describe(type);
    char made[NC_MAX_NAME + 1];

    for (int i = 0; info->type_class == DRX_COMPOUND && i < info->nmembers; i++)
        if (field_type(f, group, info->members[i].type) == NC_NAT)
            return -1;
    (void)snprintf(made, sizeof made, "%s", name ? name : *info->name ? info->name : "type_1");
    for (int i = 1 + !!*info->name; !name && bridge_is_taken(&f->groups[0], made); i++)
        (void)snprintf(made, sizeof made, "%.240s_%d", *info->name ? info->name : "type", i);
    return bridge_new_type(f, group, made, type) ? f->ntypes - 1 : -1;
}

/* The nearest one that is described so: of the group, of one above it, or of any. */
static nc_type number_of(struct bridge_file *f, int group, drx_type type)
{
    int found = -1;

    for (; found < 0 && group >= 0; group = f->groups[group].parent)
        for (int i = f->ntypes - 1; i >= 0; i--)
            if (f->types[i].group == group && f->types[i].type == type)
                found = i;
    for (int i = 0; found < 0 && i < f->ntypes; i++)
        if (f->types[i].type == type)
            found = i;
    if (found < 0)
        found = add(f, 0, NULL, type);
    return found < 0 ? NC_NAT : NC_FIRSTUSERTYPEID + found;
}

/* In fields, complex numbers are compounds, and truth values enums, as h5py writes them. */
static nc_type field_type(struct bridge_file *f, int group, drx_type type)
{
    static const int8_t truth[2] = { 0, 1 };
    const bool is_bool = type == DRX_BOOL;
    const drx_type part = is_bool ? DRX_INT8 : type == DRX_COMPLEX64 ? DRX_FLOAT32 : DRX_FLOAT64;
    const drx_member members[2] = {
        { .name = is_bool ? "FALSE" : "r", .type = part, .value = truth },
        { .name = is_bool ? "TRUE" : "i", .type = part, .value = truth + 1, .offset = drx_type_size(part) }
    };
    const drx_type_info info = { .type_class = is_bool ? DRX_ENUM : DRX_COMPOUND,
                                 .name = drx_type_name(type),
                                 .bytes = drx_type_size(type),
                                 .base = part,
                                 .nmembers = 2,
                                 .members = members };

    if (DRX_IS_BYTES(type))
        return NC_CHAR;
    if ((is_bool || type == DRX_COMPLEX64 || type == DRX_COMPLEX128) && drx_type_define(&info, &type))
        return NC_NAT;
    return class_of(drx_type_describe(type)) ? number_of(f, group, type) : bridge_type_of(type);
}

nc_type bridge_type_in(struct bridge_file *f, int group, drx_type type, const char *what, const char *name)
{
    const char *why = obstacle(type);

    if (why && (!bridge_quiet || *what == 'a')) /* a program that uses drx_netcdf_show does not see the attribute */
        (void)fprintf(stderr, "libdrx-netcdf: %s '%s' has a type that netCDF lacks, with %s\n", what, name, why);
    return why ? NC_NAT : class_of(drx_type_describe(type)) ? number_of(f, group, type) : bridge_type_of(type);
}

int bridge_list_types(struct bridge_file *f)
{
    const int n = f->ds ? drx_dataset_type_count(f->ds) : 0;
    int st = NC_NOERR;

    f->more_types = !f->ds;
    for (int i = 0; !st && i < n; i++) {
        drx_type type;
        const char *path = drx_dataset_type(f->ds, i, &type);

        if (!class_of(drx_type_describe(type)) || obstacle(type))
            continue;
        if (*path && bridge_is_inside(f, path))
            st = add(f, bridge_group_above(f, path), bridge_last(path), type) < 0 ? NC_ENOMEM : NC_NOERR;
        else
            f->more_types = true;
    }
    return st;
}

void bridge_free_types(struct bridge_file *f)
{
    for (int i = 0; i < f->ntypes; i++) {
        bridge_free_members(&f->types[i]);
        free(f->types[i].name);
    }
    free(f->types);
    f->types = NULL;
    f->ntypes = 0;
}

/* Those without names are known once everything has been looked at. */
static void find_more(struct bridge_file *f)
{
    int st;

    for (int g = 0; f->more_types && g < f->ngroups; g++)
        for (int i = NC_GLOBAL; i < f->groups[g].nvars; i++)
            (void)bridge_attributes(&f->groups[g], i, &st);
    f->more_types = false;
}

/* ---- inquiries ---- */

/* What a type of the class is; NULL: *st says why. */
static const drx_type_info *describe(int ncid, nc_type type, int type_class, int *st)
{
    const struct bridge_group *g = bridge_group(ncid);
    const struct bridge_type *t = g ? bridge_find_type(g->file, type) : NULL;
    const drx_type_info *info = t ? bridge_info_of(t) : NULL;
    const bool is = info && (!type_class || class_of(info) == type_class);

    *st = !g ? NC_EBADID : is ? NC_NOERR : NC_EBADTYPE;
    return is ? info : NULL;
}

void bridge_give_name(char *to, const char *name)
{
    if (to)
        (void)snprintf(to, NC_MAX_NAME + 1, "%s", name);
}

int bridge_inq_type(int ncid, nc_type type, char *name, size_t *bytes)
{
    if (!bridge_type_name(type))
        return bridge_inq_user_type(ncid, type, name, bytes, NULL, NULL, NULL);
    bridge_give_name(name, bridge_type_name(type));
    BRIDGE_GIVE(bytes, bridge_type_bytes(NULL, type));
    return NC_NOERR;
}

int bridge_inq_user_type(int ncid, nc_type type, char *name, size_t *bytes, nc_type *base, size_t *n, int *type_class)
{
    int st;
    const drx_type_info *info = describe(ncid, type, 0, &st);

    if (!info)
        return st;
    bridge_give_name(name, bridge_find_type(bridge_group(ncid)->file, type)->name);
    BRIDGE_GIVE(bytes, info->bytes);
    BRIDGE_GIVE(base, info->type_class == DRX_ENUM ? bridge_type_of(info->base) : NC_NAT);
    BRIDGE_GIVE(n, (size_t)info->nmembers);
    BRIDGE_GIVE(type_class, class_of(info));
    return NC_NOERR;
}

int bridge_inq_typeids(int ncid, int *n, int *ids)
{
    const struct bridge_group *g = bridge_group(ncid);
    int count = 0;

    if (!g)
        return NC_EBADID;
    if (g->number == 0)
        find_more(g->file);
    for (int i = 0; i < g->file->ntypes; i++)
        if (g->file->types[i].group == g->number) {
            if (ids)
                ids[count] = NC_FIRSTUSERTYPEID + i;
            count++;
        }
    BRIDGE_GIVE(n, count);
    return NC_NOERR;
}

/* A name is looked for in the group, in those above it, and then in all; a path leads from the root. */
int bridge_inq_typeid(int ncid, const char *name, nc_type *type)
{
    const struct bridge_group *g = bridge_group(ncid);
    const char *last = bridge_last(name);
    nc_type found = bridge_type_named(name);
    int in;

    if (!g)
        return NC_EBADID;
    if (last > name && *name != '/')
        return NC_EINVAL;
    find_more(g->file);
    in = last > name ? bridge_find_group(g->file, 0, name, (size_t)(last - name)) : g->number;
    for (; !found && in >= 0; in = last > name ? -1 : g->file->groups[in].parent)
        found = find_in(g->file, in, last);
    if (!found && last == name)
        found = find_in(g->file, -1, name);
    if (found && type)
        *type = found;
    return found ? NC_NOERR : NC_EBADTYPE;
}

static drx_type unnamed(drx_type type)
{
    drx_type_info info = *drx_type_describe(type);

    info.name = NULL;
    return drx_type_define(&info, &type) ? (drx_type)0 : type;
}

/* However they are called. No user-defined type of a file of another format is the same. */
int bridge_inq_type_equal(int ncid, nc_type type, int other, nc_type other_type, int *equal)
{
    const struct bridge_group *g = bridge_group(ncid), *h = bridge_group(other);
    const drx_type a = g ? bridge_user_type(g->file, type) : (drx_type)0;
    const drx_type b = h ? bridge_user_type(h->file, other_type) : (drx_type)0;

    BRIDGE_GIVE(equal, a && b ? a == b || unnamed(a) == unnamed(b) : !a && !b && type == other_type);
    return NC_NOERR;
}

int bridge_inq_compound_field(int ncid, nc_type type, int i, char *name, size_t *offset, nc_type *field, int *ndim,
                              int *sizes)
{
    int st;
    const drx_type_info *info = describe(ncid, type, NC_COMPOUND, &st);
    struct bridge_file *f = info ? bridge_group(ncid)->file : NULL;
    const drx_member *m;
    bool text; /* of more than one byte: one more axis goes through them */

    if (!info)
        return st;
    if (i < 0 || i >= info->nmembers)
        return NC_EBADFIELD;
    m = &info->members[i];
    text = DRX_IS_BYTES(m->type) && drx_type_size(m->type) > 1;
    bridge_give_name(name, m->name);
    BRIDGE_GIVE(offset, m->offset);
    BRIDGE_GIVE(field, field_type(f, bridge_find_type(f, type)->group, m->type));
    BRIDGE_GIVE(ndim, m->rank + text);
    for (int k = 0; sizes && k < m->rank; k++)
        sizes[k] = (int)m->extents[k];
    if (sizes && text)
        sizes[m->rank] = (int)drx_type_size(m->type);
    return NC_NOERR;
}

int bridge_inq_compound_fieldindex(int ncid, nc_type type, const char *name, int *i)
{
    int st;
    const drx_type_info *info = describe(ncid, type, NC_COMPOUND, &st);

    for (int k = 0; info && k < info->nmembers; k++)
        if (strcmp(info->members[k].name, name) == 0) {
            BRIDGE_GIVE(i, k);
            return NC_NOERR;
        }
    return info ? NC_EBADFIELD : st;
}

int bridge_inq_enum_member(int ncid, nc_type type, int i, char *name, void *value)
{
    int st;
    const drx_type_info *info = describe(ncid, type, NC_ENUM, &st);

    if (!info || i < 0 || i >= info->nmembers)
        return info ? NC_EINVAL : st;
    bridge_give_name(name, info->members[i].name);
    if (value)
        memcpy(value, info->members[i].value, info->bytes);
    return NC_NOERR;
}

int bridge_inq_enum_ident(int ncid, nc_type type, long long value, char *name)
{
    int st;
    const drx_type_info *info = describe(ncid, type, NC_ENUM, &st);
    int64_t own = 0;

    for (int i = 0; info && i < info->nmembers; i++) {
        (void)bridge_convert(bridge_type_of(info->base), info->members[i].value, NC_INT64, &own, 1);
        if (own == value) {
            bridge_give_name(name, info->members[i].name);
            return NC_NOERR;
        }
    }
    return info ? NC_EINVAL : st;
}
