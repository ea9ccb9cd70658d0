#include "nc_variable.h"

#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "nc_find.h"
#include "text.h"

bool nc_failed(const struct nc_variable *v, const char *what, int error)
{
    if (v->name)
        (void)failed("%s:%s: cannot %s: %s", v->file, v->name, what, nc_strerror(error));
    else
        (void)failed("%s: cannot %s: %s", v->file, what, nc_strerror(error));
    return false;
}

drx_type nc_element_type(int nc_type)
{
    switch (nc_type) {
    case NC_BYTE:
        return DRX_INT8;
    case NC_SHORT:
        return DRX_INT16;
    case NC_INT:
        return DRX_INT32;
    case NC_INT64:
        return DRX_INT64;
    case NC_UBYTE:
        return DRX_UINT8;
    case NC_USHORT:
        return DRX_UINT16;
    case NC_UINT:
        return DRX_UINT32;
    case NC_UINT64:
        return DRX_UINT64;
    case NC_FLOAT:
        return DRX_FLOAT32;
    case NC_DOUBLE:
        return DRX_FLOAT64;
    default:
        return (drx_type)0;
    }
}

/* Split at the last colon before which there is the name of a file. */
static bool split_source(struct nc_variable *v, const char *source)
{
    char *colon;

    v->file = strdup(source);
    if (!v->file)
        return nc_failed(v, "open", NC_ENOMEM);
    if (access(source, F_OK) == 0)
        return true;
    for (colon = strrchr(v->file, ':'); colon; colon = strrchr(v->file, ':')) {
        *colon = '\0';
        if (access(v->file, F_OK) == 0) {
            v->name = strdup(source + (colon - v->file) + 1);
            return v->name ? true : nc_failed(v, "open", NC_ENOMEM);
        }
    }
    (void)failed("%s: no such file, expected a netCDF file, with :VARIABLE behind its name", source);
    return false;
}

static bool check_type(struct nc_variable *v)
{
    nc_type type;
    char name[NC_MAX_NAME + 1];
    int st = nc_inq_vartype(v->group, v->id, &type);

    if (!st)
        st = nc_inq_type(v->group, type, name, NULL);
    if (st)
        return nc_failed(v, "read", st);
    v->type = nc_element_type(type);
    if (v->type)
        return true;
    (void)failed("%s:%s: is of type %s, expected whole numbers or floats", v->file, v->name, name);
    return false;
}

static bool read_dims(struct nc_variable *v)
{
    char name[NC_MAX_NAME + 1];
    int ids[NC_MAX_VAR_DIMS];
    size_t extent;
    int st = nc_inq_varndims(v->group, v->id, &v->ndim);

    if (!st && (v->ndim < 1 || v->ndim > DRX_MAX_NDIM)) {
        (void)failed("%s:%s: has %d dimensions, expected 1 to %d", v->file, v->name, v->ndim, DRX_MAX_NDIM);
        return false;
    }
    if (!st)
        st = nc_inq_vardimid(v->group, v->id, ids);
    for (int j = 0; !st && j < v->ndim; j++) {
        st = nc_inq_dim(v->group, ids[j], name, &extent);
        if (st)
            break;
        v->shape[j] = (int64_t)extent;
        v->dims[j] = utf8_of(name, strlen(name));
        if (!v->dims[j])
            st = NC_ENOMEM;
    }
    return st ? nc_failed(v, "read the dimensions", st) : true;
}

bool nc_variable_open(struct nc_variable *v, const char *source)
{
    int st;
    bool good = false;

    memset(v, 0, sizeof *v);
    v->root = -1;
    if (split_source(v, source)) {
        st = nc_open(v->file, NC_NOWRITE, &v->root);
        if (st) {
            v->root = -1;
            (void)failed("%s: cannot open: %s, expected a netCDF file", v->file, nc_strerror(st));
        } else {
            good = nc_find_variable(v) && check_type(v) && read_dims(v) && nc_find_fill(v);
        }
    }
    if (!good)
        nc_variable_close(v);
    return good;
}

void nc_variable_close(struct nc_variable *v)
{
    if (v->root >= 0)
        (void)nc_close(v->root);
    for (int j = 0; j < DRX_MAX_NDIM; j++)
        free(v->dims[j]);
    free(v->file);
    free(v->name);
    memset(v, 0, sizeof *v);
    v->root = -1;
}

bool nc_variable_read(const struct nc_variable *v, const int64_t lo[], const int64_t count[], void *buf)
{
    size_t start[DRX_MAX_NDIM], extent[DRX_MAX_NDIM];
    int st;

    for (int j = 0; j < v->ndim; j++) {
        start[j] = (size_t)lo[j];
        extent[j] = (size_t)count[j];
    }
    st = nc_get_vara(v->group, v->id, start, extent, buf);
    return st ? nc_failed(v, "read", st) : true;
}
