/* The types of complex numbers, which are compounds for netCDF. */
#include <string.h>

#include "bridge.h"

/* ---- netCDF-C's own lists ----
 * NC4_inq_type_fixed_size, by which netCDF-C 4.9 releases elements, looks for a compound in the list of types that files of
 * netCDF-4 have, and crashes without one. So a file whose complex numbers somebody asks about gets a list, by functions of
 * netCDF-C that libraries of formats may call. */

static union {
    void *address[5];
    struct {
        int (*check_id)(int ncid, void **nc);
        int (*add_file)(void *nc, const char *path, int mode);
        int (*find)(int ncid, void **nc, void **group, void **file);
        int (*add_type)(void *group, size_t bytes, const char *name, void **type);
        int (*delete_file)(void *file);
    } call;
} lists;

void bridge_find_types(void *(*find)(void *with, const char *name), void *with)
{
    static const char *const names[] = { "NC_check_id", "nc4_nc4f_list_add", "nc4_find_nc_grp_h5", "nc4_type_list_add",
                                         "nc4_nc4f_list_del" };

    for (int i = 0; i < 5; i++) {
        lists.address[i] = find(with, names[i]);
        if (!lists.address[i])
            lists.address[0] = NULL; /* this netCDF-C has no such lists */
    }
}

static int add_types(int ncid, struct bridge_file *f)
{
    void *nc, *group, *type;
    int st = lists.call.check_id(ncid, &nc);

    if (!st)
        st = lists.call.add_file(nc, "", NC_NETCDF4);
    if (!st)
        st = lists.call.find(ncid, NULL, &group, &f->types);
    for (nc_type t = BRIDGE_COMPLEX64; !st && t <= BRIDGE_COMPLEX128; t++)
        st = lists.call.add_type(group, bridge_type_bytes(t), bridge_type_name(t), &type);
    return st;
}

static int tell_netcdf(int ncid)
{
    struct bridge_file *f = bridge_file(ncid);
    int st = NC_NOERR;

    if (!f || !lists.address[0])
        return NC_NOERR;
    (void)pthread_mutex_lock(&f->lock);
    if (!f->types)
        st = add_types(ncid, f);
    (void)pthread_mutex_unlock(&f->lock);
    return st;
}

void bridge_forget_types(struct bridge_file *f)
{
    if (f->types)
        (void)lists.call.delete_file(f->types);
}

/* ---- inquiries ---- */

static bool is_compound(nc_type type)
{
    return type == BRIDGE_COMPLEX64 || type == BRIDGE_COMPLEX128;
}

static nc_type part_of(nc_type compound)
{
    return compound == BRIDGE_COMPLEX64 ? NC_FLOAT : NC_DOUBLE;
}

int bridge_inq_user_type(int ncid, nc_type type, char *name, size_t *bytes, nc_type *base, size_t *nfields, int *class)
{
    if (!is_compound(type))
        return NC_EBADTYPE;
    if (tell_netcdf(ncid) != NC_NOERR)
        return NC_ENOMEM;
    if (base)
        *base = NC_NAT;
    if (nfields)
        *nfields = 2;
    if (class)
        *class = NC_COMPOUND;
    if (name)
        memcpy(name, bridge_type_name(type), strlen(bridge_type_name(type)) + 1);
    if (bytes)
        *bytes = bridge_type_bytes(type);
    return NC_NOERR;
}

int bridge_inq_compound_field(int ncid, nc_type type, int field, char *name, size_t *offset, nc_type *of, int *ndims,
                              int *dims)
{
    (void)ncid, (void)dims;
    if (!is_compound(type))
        return NC_EBADTYPE;
    if (field < 0 || field > 1)
        return NC_EBADFIELD;
    if (name)
        memcpy(name, field ? "i" : "r", 2);
    if (offset)
        *offset = field ? bridge_type_bytes(part_of(type)) : 0;
    if (of)
        *of = part_of(type);
    if (ndims)
        *ndims = 0;
    return NC_NOERR;
}

int bridge_inq_compound_fieldindex(int ncid, nc_type type, const char *name, int *field)
{
    (void)ncid;
    if (!is_compound(type))
        return NC_EBADTYPE;
    if (strcmp(name, "r") != 0 && strcmp(name, "i") != 0)
        return NC_EBADFIELD;
    if (field)
        *field = *name == 'i';
    return NC_NOERR;
}
