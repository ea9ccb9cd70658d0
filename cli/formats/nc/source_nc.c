/* A variable of a netCDF file as a source, with its attributes and fill value. */
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/text_attribute.h"
#include "frame/cli.h"
#include "frame/text.h"
#include "nc.h"

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

/* Is the dimension unlimited, of the group or of one that it is in? */
static bool is_unlimited_dim(int group, int dim)
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
        s->grows |= (uint32_t)is_unlimited_dim(nc->group, ids[j]) << j;
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

    if (nc_inq_var_chunking(nc->group, nc->id, &storage, chunk) == NC_NOERR && storage == NC_CHUNKED) {
        s->chunked = true;
        for (int j = 0; j < s->ndim; j++)
            s->chunk[j] = (int64_t)chunk[j];
    }
}

/* The values of an attribute of a numeric type, to be freed. */
static int read_values(const struct source *s, const char *name, drx_type type, size_t n, void **values)
{
    const struct nc *nc = s->state;
    int st;

    *values = calloc(n ? n : 1, drx_type_size(type));
    if (!*values)
        return NC_ENOMEM;
    st = nc_get_att(nc->group, nc->id, name, *values);
    if (st)
        free(*values);
    return st;
}

/* Take the fill value from _FillValue, or else missing_value. */
static bool find_fill(struct source *s)
{
    const struct nc *nc = s->state;
    static const char *const names[] = { "_FillValue", "missing_value" };
    void *values;
    nc_type nctype;
    drx_type type;
    size_t n;
    int st;

    for (int i = 0; i < 2 && !s->fill_name; i++) {
        st = nc_inq_att(nc->group, nc->id, names[i], &nctype, &n);
        if (st == NC_ENOTATT)
            continue;
        type = st ? (drx_type)0 : nc_element_type(nctype);
        if (!st && (!type || n == 0))
            continue;
        if (!st)
            st = read_values(s, names[i], type, n, &values);
        if (st)
            return nc_failed(s, "read the fill value", st);
        source_take_fill(s, names[i], type, values, (int64_t)n);
        free(values);
    }
    return true;
}

static int copy_strings(const struct source *s, drx_array *a, const char *from, const char *to, size_t n,
                        drx_status *st)
{
    const struct nc *nc = s->state;
    char **strings = calloc(n ? n : 1, sizeof *strings);
    int error;

    if (!strings)
        return NC_ENOMEM;
    error = nc_get_att_string(nc->group, nc->id, from, strings);
    if (!error) {
        if (n > 1)
            warn_of_lines(s->label, to, (int64_t)n);
        *st = set_lines_attribute(a, to, strings, n);
        (void)nc_free_string(n, strings);
    }
    free(strings);
    return error;
}

/* Copy the attribute `from`, called `to` there. Returns netCDF's error; *st is the library's. */
static int copy_attribute(const struct source *s, drx_array *a, const char *from, const char *to, drx_status *st)
{
    const struct nc *nc = s->state;
    nc_type nctype;
    drx_type type;
    size_t n;
    void *values;
    int error = nc_inq_att(nc->group, nc->id, from, &nctype, &n);

    if (error)
        return error;
    if (nctype == NC_STRING)
        return copy_strings(s, a, from, to, n, st);
    type = nctype == NC_CHAR ? DRX_UINT8 : nc_element_type(nctype);
    if (!type) {
        warn("%s: attribute %s has a type that cannot be kept and is left out", s->label, to);
        return NC_NOERR;
    }
    error = read_values(s, from, type, n, &values);
    if (error)
        return error;
    *st = nctype == NC_CHAR ? set_text_attribute(a, to, values, n) : drx_attr_set(a, to, type, (int64_t)n, values);
    free(values);
    return NC_NOERR;
}

static int copy_attributes(const struct source *s, drx_array *a, const char *path)
{
    const struct nc *nc = s->state;
    char name[NC_MAX_NAME + 1];
    char *to;
    drx_status st = DRX_OK;
    int n = 0;
    int error = nc_inq_varnatts(nc->group, nc->id, &n);

    for (int i = 0; !error && !st && i < n; i++) {
        error = nc_inq_attname(nc->group, nc->id, i, name);
        if (error || (strcmp(name, "_FillValue") == 0 && (DRX_IS_STRING(s->type) || source_notes_fill(s))))
            continue; /* the array has it as its fill, or it is that of a single character */
        to = utf8_of(name, strlen(name));
        error = to ? copy_attribute(s, a, name, to, &st) : NC_ENOMEM;
        free(to);
    }
    if (error) {
        (void)nc_failed(s, "read the attributes", error);
        return FAILED;
    }
    return exit_code(path, st);
}

static bool open_variable(struct source *s)
{
    struct nc *nc = calloc(1, sizeof *nc);
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
    if (!nc_find_variable(s) || !check_type(s) || !read_dims(s) || !nc_is_whole(s) || !nc_open_stored(s) ||
        !find_fill(s))
        return false;
    read_chunk(s);
    if (!join_characters(s))
        return false;
    nc_read_filters(s);
    return true;
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

const struct source_kind nc_source = { open_variable,   close_variable,     nc_read,
                                       copy_attributes, nc_coordinate_name, nc_holds };
