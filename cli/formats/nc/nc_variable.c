#include "nc_variable.h"

#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "frame/cli.h"
#include "frame/text.h"

bool nc_failed(const struct source *s, const char *what, int error)
{
    return !failed("%s: cannot %s: %s", s->label, what, nc_strerror(error));
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

static bool check_type(struct source *s)
{
    const struct nc *nc = s->state;
    nc_type type;
    char name[NC_MAX_NAME + 1];
    int st = nc_inq_vartype(nc->group, nc->id, &type);

    if (!st)
        st = nc_inq_type(nc->group, type, name, NULL);
    if (st)
        return nc_failed(s, "read", st);
    s->type = nc_element_type(type);
    if (s->type)
        return true;
    return !failed("%s: has type %s, not whole numbers or floats", s->label, name);
}

static bool read_dims(struct source *s)
{
    const struct nc *nc = s->state;
    char name[NC_MAX_NAME + 1];
    int ids[NC_MAX_VAR_DIMS];
    size_t extent;
    int st = nc_inq_varndims(nc->group, nc->id, &s->ndim);

    if (!st && (s->ndim < 1 || s->ndim > DRX_MAX_NDIM))
        return !failed("%s: has %d dimensions, expected 1 to %d", s->label, s->ndim, DRX_MAX_NDIM);
    if (!st)
        st = nc_inq_vardimid(nc->group, nc->id, ids);
    for (int j = 0; !st && j < s->ndim; j++) {
        st = nc_inq_dim(nc->group, ids[j], name, &extent);
        if (st)
            break;
        s->shape[j] = (int64_t)extent;
        s->dims[j] = utf8_of(name, strlen(name));
        if (!s->dims[j])
            st = NC_ENOMEM;
    }
    return st ? nc_failed(s, "read the dimensions", st) : true;
}

static void read_chunk(struct source *s)
{
    const struct nc *nc = s->state;
    size_t chunk[DRX_MAX_NDIM];
    int storage;

    if (nc_inq_var_chunking(nc->group, nc->id, &storage, chunk) == NC_NOERR && storage == NC_CHUNKED)
        for (int j = 0; j < s->ndim; j++)
            s->chunk[j] = (int64_t)chunk[j];
}

static bool open_variable(struct source *s)
{
    struct nc *nc = calloc(1, sizeof *nc);
    int st;

    s->state = nc;
    if (!nc)
        return !out_of_memory(sizeof *nc);
    st = nc_open(s->file, NC_NOWRITE, &nc->root);
    if (st) {
        nc->root = -1;
        return !failed("%s: cannot open as netCDF: %s", s->file, nc_strerror(st));
    }
    if (!nc_find_variable(s) || !check_type(s) || !read_dims(s) || !nc_is_whole(s) || !nc_find_fill(s))
        return false;
    read_chunk(s);
    return true;
}

static void close_variable(struct source *s)
{
    const struct nc *nc = s->state;

    if (nc && nc->root >= 0)
        (void)nc_close(nc->root);
    free(s->state);
}

static bool read_box(struct source *s, const int64_t lo[], const int64_t count[], void *buf)
{
    const struct nc *nc = s->state;
    size_t start[DRX_MAX_NDIM], extent[DRX_MAX_NDIM];
    int st;

    for (int j = 0; j < s->ndim; j++) {
        start[j] = (size_t)lo[j];
        extent[j] = (size_t)count[j];
    }
    st = nc_get_vara(nc->group, nc->id, start, extent, buf);
    return st ? nc_failed(s, "read", st) : true;
}

const struct source_kind nc_source = { open_variable, close_variable, read_box, nc_copy_attributes,
                                       nc_coordinate_name };
