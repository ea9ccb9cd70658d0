#include <netcdf.h>
#include <string.h>

#include "nc_attribute.h"

int nc_type_of(drx_type type)
{
    switch (type) {
    case DRX_INT8:
        return NC_BYTE;
    case DRX_INT16:
        return NC_SHORT;
    case DRX_INT32:
        return NC_INT;
    case DRX_INT64:
        return NC_INT64;
    case DRX_UINT8:
        return NC_UBYTE;
    case DRX_UINT16:
        return NC_USHORT;
    case DRX_UINT32:
        return NC_UINT;
    case DRX_UINT64:
        return NC_UINT64;
    case DRX_FLOAT32:
        return NC_FLOAT;
    case DRX_FLOAT64:
        return NC_DOUBLE;
    default:
        return 0;
    }
}

static bool is_ascii(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] >= 0x80)
            return false;
    return true;
}

/* Characters, which all programs read, where they are enough; else a string, which is
 * UTF-8. */
static int put_text(int group, int id, const char *name, const char *text, size_t n)
{
    if (is_ascii(text, n))
        return nc_put_att_text(group, id, name, n, text);
    return nc_put_att_string(group, id, name, 1, &text);
}

/* Is the error one of the attribute itself, not of the file? */
static bool refuses(int error)
{
    return error == NC_EBADNAME || error == NC_EMAXNAME || error == NC_ENAMEINUSE || error == NC_EBADTYPE ||
           error == NC_EINVAL || error == NC_EATTMETA;
}

/* netCDF notices only when it has made half of it. */
static bool is_bad_fill(const drx_array *a, const char *name, drx_type type, int64_t n, int is_text)
{
    return strcmp(name, "_FillValue") == 0 && (is_text || type != drx_dtype(a) || n != 1);
}

int nc_put_attributes(int group, int id, const struct part *p)
{
    const drx_array *a = p->array;
    const char *name;
    const void *values;
    drx_type type;
    int64_t n;
    int is_text;
    int st = NC_NOERR;

    for (int i = 0; !st && i < drx_attr_count(a); i++) {
        if (drx_attr_info(a, i, &name, NULL, NULL, &is_text) || drx_attr_get(a, name, &type, &n, &values))
            continue;
        if (leaves_out(p, name))
            continue;
        if (is_bad_fill(a, name, type, n, is_text))
            st = NC_EBADTYPE;
        else if (is_text)
            st = put_text(group, id, name, values, (size_t)n);
        else if (nc_type_of(type))
            st = nc_put_att(group, id, name, nc_type_of(type), (size_t)n, values);
        else
            st = NC_EBADTYPE;
        if (refuses(st)) {
            warn("%s: attribute '%s' is left out: %s", p->selection.path, name, nc_strerror(st));
            st = NC_NOERR;
        }
    }
    return st;
}
