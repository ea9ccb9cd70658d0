/* A variable of a netCDF file as a source, with its attributes and fill value. */
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/text_attribute.h"
#include "frame/cli.h"
#include "frame/text.h"
#include "nc.h"

static bool check_nc_type(struct source *s)
{
    const struct nc *nc = s->state;
    nc_type type;
    char name[NC_MAX_NAME + 1];
    int st = nc_inq_vartype(nc->group, nc->id, &type);

    if (!st)
        st = nc_inq_type(nc->group, type, name, NULL);
    if (st)
        return nc_failed(s, "read", st);
    s->type = type == NC_CHAR ? DRX_BYTES(1) : nc_element_type(type);
    if (s->type)
        return true;
    return !failed("%s: has type %s, not whole numbers, floats or characters", s->label, name);
}

/* Characters of more than one dimension are strings along the last one. */
static bool join_characters(struct source *s)
{
    struct nc *nc = s->state;
    const int64_t bytes = s->ndim > 1 ? s->shape[s->ndim - 1] : 1;

    if (!DRX_IS_BYTES(s->type) || s->ndim == 1)
        return true;
    if (bytes < 1 || bytes > DRX_MAX_STRING_BYTES)
        return !failed("%s: has strings of %lld characters, expected 1 to %d", s->label, (long long)bytes,
                       DRX_MAX_STRING_BYTES);
    s->type = DRX_BYTES((int)bytes);
    nc->joined = true;
    s->ndim--;
    free(s->dims[s->ndim]);
    s->dims[s->ndim] = NULL;
    s->grows &= ~((uint32_t)1 << s->ndim);
    return true;
}

bool nc_is_unlimited(int group, int dim)
{
    int ids[NC_MAX_DIMS], n = 0;

    do {
        if (nc_inq_unlimdims(group, &n, NULL) != NC_NOERR || n > NC_MAX_DIMS ||
            nc_inq_unlimdims(group, NULL, ids) != NC_NOERR)
            return false;
        for (int i = 0; i < n; i++)
            if (ids[i] == dim)
                return true;
    } while (nc_inq_grp_parent(group, &group) == NC_NOERR);
    return false;
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
        s->grows |= (uint32_t)nc_is_unlimited(nc->group, ids[j]) << j;
        s->dims[j] = utf8_of(name, strlen(name));
        if (!s->dims[j])
            st = NC_ENOMEM;
    }
    return st ? nc_failed(s, "read the dimensions", st) : true;
}

static int copy_nc_attributes(const struct source *s, drx_array *a, const char *path)
{
    const struct nc *nc = s->state;
    const bool known = DRX_IS_STRING(s->type) || source_notes_fill(s);
    struct keeping to = { .to.array = a, .label = s->label };

    return nc_copy_attributes(nc, &to, known ? H5_FILL_KNOWN : H5_FILL, path);
}

static bool open_variable(struct source *s)
{
    struct nc *nc = calloc(1, sizeof *nc);
    char name[NC_MAX_NAME + 1];
    int st;

    s->state = nc;
    if (!nc)
        return !out_of_memory(sizeof *nc);
    nc->h5 = H5_CLOSED;
    st = nc_open(s->file, NC_NOWRITE, &nc->root);
    if (st) {
        nc->root = -1;
        return !failed("%s: cannot open as netCDF: %s", s->file, nc_strerror(st));
    }
    if (!nc_find_variable(s) || !check_nc_type(s) || !read_dims(s) || !nc_is_whole(s) ||
        nc_inq_varname(nc->group, nc->id, name) != NC_NOERR || !nc_open_stored(s, name) || !nc_find_fill(s))
        return false;
    return join_characters(s);
}

static void close_variable(struct source *s)
{
    struct nc *nc = s->state;

    if (nc && nc->root >= 0) {
        nc_close_stored(nc);
        (void)nc_close(nc->root);
    }
    free(s->state);
}

const struct source_kind nc_source = { open_variable,      close_variable,     nc_read,
                                       copy_nc_attributes, nc_coordinate_name, nc_holds };
