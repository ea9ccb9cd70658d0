/* User-defined types. The members of one come one by one, until something has the type or define mode ends. The dataset
 * gets all types in their order when define mode ends, or when it gets an attribute. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write.h"

static int refuse(const char *type, const char *field, const char *why)
{
    if (!bridge_quiet)
        (void)fprintf(stderr, "libdrx-netcdf: type '%s'%s%s%s: %s\n", type, field ? ", field '" : "",
                      field ? field : "", field ? "'" : "", why);
    return NC_EBADTYPE;
}

/* ---- a new one ---- */

static int define(int ncid, const char *name, const drx_type_info *info, nc_type *type)
{
    struct bridge_group *g = bridge_group(ncid);
    char normal[NC_MAX_NAME + 1];
    struct bridge_type *t;
    int st = bridge_check_name(name, normal);

    if (st || !g)
        return st ? st : NC_EBADID;
    st = g->file->classic ? NC_ESTRICTNC3 : bridge_begin_definition(g->file);
    if (!st && info->type_class == DRX_ENUM && !info->base)
        st =
            info->bytes ? refuse(name, NULL, "the base of an enum is expected to be a type of integers") : NC_EBADTYPID;
    if (!st && info->bytes == 0)
        st = NC_EINVAL;
    if (!st && bridge_is_taken(g, normal))
        st = NC_ENAMEINUSE;
    if (st)
        return st;
    t = bridge_new_type(g->file, g->number, normal, (drx_type)0);
    if (!t)
        return NC_ENOMEM;
    t->open = *info;
    t->open.name = t->name;
    t->waits = true;
    BRIDGE_GIVE(type, NC_FIRSTUSERTYPEID + g->file->ntypes - 1);
    return NC_NOERR;
}

int bridge_def_compound(int ncid, size_t bytes, const char *name, nc_type *type)
{
    return define(ncid, name, &(drx_type_info){ .type_class = DRX_COMPOUND, .bytes = bytes }, type);
}

int bridge_def_opaque(int ncid, size_t bytes, const char *name, nc_type *type)
{
    return define(ncid, name, &(drx_type_info){ .type_class = DRX_OPAQUE, .bytes = bytes }, type);
}

int bridge_def_enum(int ncid, nc_type base, const char *name, nc_type *type)
{
    const bool integers =
        base == NC_BYTE || base == NC_SHORT || base == NC_INT || (base > NC_DOUBLE && base < NC_STRING);
    const drx_type_info info = { .type_class = DRX_ENUM,
                                 .base = integers ? bridge_element_type(NULL, base) : (drx_type)0,
                                 .bytes = base < NC_FIRSTUSERTYPEID ? bridge_type_bytes(NULL, base) : 0 };

    return define(ncid, name, &info, type);
}

int bridge_def_vlen(int ncid, const char *name, nc_type base, nc_type *type)
{
    int st;

    (void)base, (void)type;
    return bridge_writable_group(ncid, &st) ? refuse(name ? name : "", NULL, "a dataset has no lists of any length")
                                            : st;
}

/* ---- its members ---- */

/* The type that gets one more; NULL: *st says why not. */
static struct bridge_type *open_type(int ncid, nc_type type, int type_class, const char *name, char normal[], int *st)
{
    const struct bridge_group *g = bridge_group(ncid);
    struct bridge_type *t = g ? bridge_find_type(g->file, type) : NULL;

    *st = bridge_check_name(name, normal);
    if (!*st && !t)
        *st = !g ? NC_EBADID : type < NC_FIRSTUSERTYPEID ? NC_EBADTYPE : NC_EBADTYPID;
    else if (!*st)
        *st = bridge_info_of(t)->type_class != type_class ? NC_EBADTYPE : t->type ? NC_ETYPDEFINED : NC_NOERR;
    return *st ? NULL : t;
}

/* With copies of the name, the extents and the value, in one block. */
static int add_member(struct bridge_type *t, drx_member m)
{
    const size_t n = (size_t)t->open.nmembers, rank = (size_t)m.rank;
    drx_member *all = reallocarray(t->members, n + 1, sizeof *all);
    int64_t *kept = all ? malloc((rank + 1) * sizeof *kept + strlen(m.name) + 1) : NULL;

    t->open.members = t->members = all ? all : t->members;
    if (!kept)
        return NC_ENOMEM;
    for (size_t k = 0; k < rank; k++)
        kept[k] = m.extents[k];
    if (m.value)
        m.value = memcpy(&kept[rank], m.value, t->open.bytes);
    m.name = memcpy(&kept[rank + 1], m.name, strlen(m.name) + 1);
    m.extents = kept;
    all[n] = m;
    t->open.nmembers++;
    return NC_NOERR;
}

int bridge_insert_array_compound(int ncid, nc_type type, const char *name, size_t offset, nc_type field, int ndim,
                                 const int *sizes)
{
    char normal[NC_MAX_NAME + 1];
    int64_t extents[NC_MAX_VAR_DIMS];
    int st;
    struct bridge_type *t = open_type(ncid, type, DRX_COMPOUND, name, normal, &st);
    struct bridge_file *f = t ? bridge_group(ncid)->file : NULL;
    drx_member m = { .name = normal, .offset = offset, .rank = ndim, .extents = extents };

    if (!t)
        return st;
    if (ndim < 0 || ndim > NC_MAX_VAR_DIMS || (ndim > 0 && !sizes))
        return NC_EINVAL;
    for (int k = 0; k < ndim; k++)
        extents[k] = sizes[k];
    if (field == NC_STRING)
        return refuse(t->name, name, "a dataset has no strings of any length in compounds");
    if (bridge_find_type(f, field) == t)
        return NC_EBADTYPE;
    st = bridge_close_type(f, field);
    m.type = field == NC_CHAR ? DRX_BYTES(1) : bridge_element_type(f, field);
    return st ? st : m.type ? add_member(t, m) : NC_EBADTYPE;
}

int bridge_insert_compound(int ncid, nc_type type, const char *name, size_t offset, nc_type field)
{
    return bridge_insert_array_compound(ncid, type, name, offset, field, 0, NULL);
}

int bridge_insert_enum(int ncid, nc_type type, const char *name, const void *value)
{
    char normal[NC_MAX_NAME + 1];
    int st;
    struct bridge_type *t = open_type(ncid, type, DRX_ENUM, name, normal, &st);

    return !t ? st : value ? add_member(t, (drx_member){ .name = normal, .value = value }) : NC_EINVAL;
}

/* ---- into the dataset ---- */

int bridge_close_type(struct bridge_file *f, nc_type type)
{
    struct bridge_type *t = bridge_find_type(f, type);
    int st;

    if (!t || t->type)
        return NC_NOERR;
    if (t->open.nmembers == 0 && t->open.type_class != DRX_OPAQUE) {
        (void)refuse(t->name, NULL, "it has no members yet");
        return NC_EINVAL;
    }
    st = bridge_error(drx_type_define(&t->open, &t->type));
    if (!st)
        bridge_free_members(t);
    return st;
}

/* After those of its fields. */
static int store(struct bridge_file *f, int i)
{
    struct bridge_type *t = &f->types[i];
    int st = t->waits ? bridge_close_type(f, NC_FIRSTUSERTYPEID + i) : NC_NOERR;
    const drx_type_info *info = bridge_info_of(t);
    char *path;

    if (st || !t->waits)
        return st;
    for (int k = 0; !st && info->type_class == DRX_COMPOUND && k < info->nmembers; k++)
        for (int j = 0; !st && j < f->ntypes; j++)
            if (f->types[j].type == info->members[k].type)
                st = store(f, j);
    path = bridge_path_in(&f->groups[t->group], t->name);
    if (!st)
        st = path ? bridge_error(BRIDGE_STORE(f, add_type, path, t->type)) : NC_ENOMEM;
    free(path);
    t->waits = st != NC_NOERR;
    return st;
}

int bridge_store_types(struct bridge_file *f, nc_type last)
{
    int st = NC_NOERR;

    for (int i = 0; !st && i < f->ntypes && i <= last - NC_FIRSTUSERTYPEID; i++)
        st = store(f, i);
    return st;
}

void bridge_free_members(struct bridge_type *t)
{
    for (int i = 0; t->members && i < t->open.nmembers; i++)
        free((void *)(uintptr_t)t->members[i].extents);
    free(t->members);
    t->members = NULL;
}
