/* Types of netCDF, and messages of its library. */
#include <netcdf.h>

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

drx_type nc_held_type(drx_type type)
{
    const drx_type_info *info = drx_type_describe(type);

    if (info && info->type_class == DRX_BITFIELD)
        return info->base;
    return type == DRX_FLOAT16 ? DRX_FLOAT32 : type == DRX_BOOL ? DRX_INT8 : type;
}

void nc_tell_type(const char *path, drx_type type)
{
    if (nc_held_type(type) != type)
        warn("%s: has type %s, which netCDF lacks; the file has %s%s", path, drx_type_name(type),
             drx_type_name(nc_held_type(type)), type == DRX_BOOL ? ", with the attribute dtype = \"bool\"" : "");
}
