/* Types of netCDF, values of those that it lacks, and messages of its library. */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>

#include "arrays/slabs.h"
#include "frame/cli.h"
#include "nc.h"

bool nc_failed(const struct source *s, const char *what, int error)
{
    return !failed("%s: cannot %s: %s", s->label, what, nc_strerror(error));
}

bool nc_refuses(int error)
{
    return error == NC_EBADNAME || error == NC_EMAXNAME || error == NC_ENAMEINUSE || error == NC_EBADTYPE ||
           error == NC_EINVAL || error == NC_EATTMETA;
}

/* Pairs of types. */
static const struct {
    int nc;
    drx_type type;
} types[] = {
    { NC_BYTE, DRX_INT8 },     { NC_SHORT, DRX_INT16 },    { NC_INT, DRX_INT32 },   { NC_INT64, DRX_INT64 },
    { NC_UBYTE, DRX_UINT8 },   { NC_USHORT, DRX_UINT16 },  { NC_UINT, DRX_UINT32 }, { NC_UINT64, DRX_UINT64 },
    { NC_FLOAT, DRX_FLOAT32 }, { NC_DOUBLE, DRX_FLOAT64 },
};

enum { TYPES = sizeof types / sizeof types[0] };

drx_type nc_element_type(int nc_type)
{
    for (int i = 0; i < TYPES; i++)
        if (types[i].nc == nc_type)
            return types[i].type;
    return (drx_type)0;
}

int nc_type_of(drx_type type)
{
    if (DRX_IS_BYTES(type))
        return NC_CHAR;
    for (int i = 0; i < TYPES; i++)
        if (types[i].type == type)
            return types[i].nc;
    return 0;
}

/* The dimension "string12" of 12 characters, or one with a number after that, where it has another extent. */
static int string_dim(int group, size_t bytes, int *dim)
{
    char name[NC_MAX_NAME + 1];
    size_t extent = 0;
    int st = NC_NOERR;

    for (int i = 1; !st; i++) {
        (void)snprintf(name, sizeof name, i == 1 ? "string%zu" : "string%zu_%d", bytes, i);
        st = nc_inq_dimid(group, name, dim);
        if (st)
            return nc_def_dim(group, name, bytes, dim);
        st = nc_inq_dimlen(group, *dim, &extent);
        if (!st && extent == bytes)
            return NC_NOERR;
    }
    return st;
}

int nc_define(int group, const char *name, drx_type type, int ndim, const int dims[], int *id)
{
    const drx_type held = nc_held_type(type);
    int all[DRX_MAX_NDIM + 1] = { 0 }, st = NC_NOERR;

    for (int k = 0; k < ndim; k++)
        all[k] = dims[k];
    if (DRX_IS_BYTES(type))
        st = string_dim(group, drx_type_size(type), &all[ndim++]);
    return st ? st : nc_def_var(group, name, nc_type_of(held), ndim, all, id);
}

drx_type nc_held_type(drx_type type)
{
    return type == DRX_FLOAT16 ? DRX_FLOAT32 : type == DRX_BOOL ? DRX_INT8 : type;
}

void nc_tell_type(const char *path, drx_type type)
{
    if (nc_held_type(type) != type)
        warn("%s: has type %s, which netCDF lacks; the file has %s%s", path, drx_type_name(type),
             drx_type_name(nc_held_type(type)), type == DRX_BOOL ? ", with the attribute dtype = \"bool\"" : "");
}

int nc_mark_bool(int group, int id, const drx_array *a)
{
    static const char name[] = "bool";

    if (drx_dtype(a) != DRX_BOOL || drx_attr_get(a, "dtype", NULL, NULL, NULL) == DRX_OK)
        return NC_NOERR;
    return nc_put_att_text(group, id, "dtype", sizeof name - 1, name);
}

/* n values as the type that netCDF has; NULL: out of memory. *made is to be freed. */
static const void *held_values(drx_type type, int64_t n, const void *values, void **made)
{
    const drx_type held = nc_held_type(type);

    *made = NULL;
    if (held == type)
        return values;
    *made = malloc((size_t)n * drx_type_size(held) + 1);
    if (*made)
        (void)drx_convert(type, values, held, *made, n, DRX_EXACT);
    return *made;
}

int nc_put_numbers(int group, int id, const char *name, drx_type type, int64_t n, const void *values)
{
    void *made;
    const void *held = held_values(type, n, values, &made);
    const int st =
        held || n == 0 ? nc_put_att(group, id, name, nc_type_of(nc_held_type(type)), (size_t)n, held) : NC_ENOMEM;

    free(made);
    return st;
}

int nc_put_fill(int group, int id, drx_type type, const void *fill)
{
    void *made;
    const void *held;
    int st;

    if (!fill || type == DRX_BOOL || DRX_IS_STRING(type))
        return nc_def_var_fill(group, id, NC_NOFILL, NULL);
    held = held_values(type, 1, fill, &made);
    st = held ? nc_def_var_fill(group, id, NC_FILL, held) : NC_ENOMEM;
    free(made);
    return st;
}

int nc_put_elements(int group, int id, int ndim, const int64_t at[], const int64_t count[], drx_type type,
                    const void *buf)
{
    size_t start[DRX_MAX_NDIM + 1], extent[DRX_MAX_NDIM + 1];
    void *made;
    const void *held = held_values(type, box_bytes(ndim, count, 1), buf, &made);
    int st = NC_ENOMEM;

    for (int k = 0; k < ndim; k++) {
        start[k] = (size_t)at[k];
        extent[k] = (size_t)count[k];
    }
    start[ndim] = 0;
    extent[ndim] = drx_type_size(type); /* of strings */
    if (held)
        st = nc_put_vara(group, id, start, extent, held);
    free(made);
    return st;
}
