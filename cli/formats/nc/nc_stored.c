/* The elements of a variable. Those of a file of HDF5 come from HDF5's own library: it says which boxes are stored, why
 * a read fails, and netCDF-C 4.9.0 misplaces elements where other axes than the first are stored only in part. */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/slabs.h"
#include "nc.h"

/* The path of the variable in HDF5, to be freed. Another one may be the dimension of that name. */
static char *nc_path(const struct nc *nc, const char *name, hid_t file)
{
    char *prefix = nc_group_prefix(nc->group), *path = NULL;

    if (prefix && asprintf(&path, "%s_nc4_non_coord_%s", prefix, name) >= 0 &&
        H5Lexists(file, path, H5P_DEFAULT) <= 0) {
        free(path);
        if (asprintf(&path, "%s%s", prefix, name) < 0)
            path = NULL;
    }
    free(prefix);
    return path;
}

static bool has_strings(const struct nc *nc)
{
    return nc->h5.dataset >= 0 && H5Tis_variable_str(nc->h5.memory_type) > 0;
}

/* Read the last element, if the file does not have it. */
static bool read_fill(struct source *s)
{
    struct nc *nc = s->state;
    hsize_t extent[H5S_MAX_RANK];
    size_t last[DRX_MAX_NDIM];
    bool beyond = false, none = false;
    int st = NC_NOERR;

    for (int j = H5Sget_simple_extent_dims(nc->h5.space, extent, NULL) - 1; j >= 0; j--) {
        last[j] = (size_t)s->shape[j] - 1;
        beyond = beyond || extent[j] < (hsize_t)s->shape[j];
        none = none || s->shape[j] == 0;
    }
    if (beyond && !none)
        st = nc_get_var1(nc->group, nc->id, last, &nc->fill);
    return st ? nc_failed(s, "read the fill value", st) : true;
}

bool nc_open_stored(struct source *s, const char *name)
{
    struct nc *nc = s->state;
    struct h5 *h5 = &nc->h5;
    hid_t type = -1;
    char *path;

    if (!h5_is_file(s->file))
        return true;
    h5->file = H5Fopen(s->file, H5F_ACC_RDONLY, H5P_DEFAULT);
    path = h5->file >= 0 ? nc_path(nc, name, h5->file) : NULL;
    h5->dataset = path ? H5Dopen2(h5->file, path, H5P_DEFAULT) : -1;
    free(path);
    if (h5->dataset >= 0)
        type = H5Dget_type(h5->dataset);
    if (type < 0)
        return !h5_failed(s->label, "open");
    h5->memory_type = H5Tget_class(type) == H5T_STRING ? H5Tcopy(type) : h5_memory_type(s->type, type);
    h5_close(type);
    if (!h5_open_space(h5, s->label) || !read_fill(s))
        return false;
    h5_read_chunks(s, h5);
    return true;
}

void nc_close_stored(struct nc *nc)
{
    if (has_strings(nc))
        free(nc->fill.string);
    h5_close_all(&nc->h5);
}

static bool read_stored(struct source *s, int ndim, const int64_t lo[], const int64_t count[], void *buf)
{
    const struct nc *nc = s->state;
    const char *fill = has_strings(nc) ? nc->fill.string : NULL;
    char **strings = buf;

    if (!h5_read(&nc->h5, ndim, lo, count, has_strings(nc) ? NULL : &nc->fill, buf))
        return !source_lacks_filter(s) && !h5_read_failed(&nc->h5, s->label);
    for (int64_t i = fill ? box_bytes(ndim, count, 1) : 0; i-- > 0;)
        if (!strings[i])
            strings[i] = strdup(fill);
    return true;
}

bool nc_read(struct source *s, const int64_t lo[], const int64_t count[], void *buf)
{
    const struct nc *nc = s->state;
    const int ndim = s->ndim + nc->joined;
    int64_t from[DRX_MAX_NDIM + 1] = { 0 }, extents[DRX_MAX_NDIM + 1];
    size_t start[DRX_MAX_NDIM + 1], extent[DRX_MAX_NDIM + 1];
    int st;

    memcpy(from, lo, (size_t)s->ndim * sizeof *from);
    memcpy(extents, count, (size_t)s->ndim * sizeof *extents);
    extents[s->ndim] = (int64_t)drx_type_size(s->type); /* of strings */
    if (nc->h5.dataset >= 0)
        return read_stored(s, ndim, from, extents, buf);
    for (int j = 0; j < ndim; j++) {
        start[j] = (size_t)from[j];
        extent[j] = (size_t)extents[j];
    }
    st = nc_get_vara(nc->group, nc->id, start, extent, buf);
    return st ? nc_failed(s, "read", st) : true;
}

bool nc_holds(const struct source *s, const int64_t lo[], const int64_t count[])
{
    const struct nc *nc = s->state;

    return nc->h5.dataset < 0 || h5_holds(&nc->h5, s->ndim, lo, count);
}
