/* Opens a whole file: its dimensions, variables and types. */
#include "whole_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/slabs.h"
#include "files/child.h"
#include "formats/h5/h5.h"
#include "frame/text.h"

/* Does the root group have several variables of numbers with dimensions that are not coordinates, or one whose
 * dimensions have names? The library of netCDF does not read a variable whose axes have scales in part. */
static bool is_like_netcdf(int group)
{
    char name[NC_MAX_NAME + 1];
    int nvars = 0, ndim, dims[NC_MAX_VAR_DIMS], found = 0;
    nc_type type;

    if (nc_inq_nvars(group, &nvars) != NC_NOERR)
        return false;
    for (int id = 0; id < nvars; id++) {
        if (nc_inq_var(group, id, name, &type, &ndim, dims, NULL) != NC_NOERR || ndim == 0 ||
            nc_is_coordinate(group, id, name) || !nc_element_type(type))
            continue;
        found++;
        for (int j = 0; j < ndim; j++) {
            if (nc_inq_dimname(group, dims[j], name) != NC_NOERR)
                return false;
            found += strncmp(name, "phony_dim_", 10) != 0;
        }
    }
    return found > 1;
}

bool is_whole_file(const char *path)
{
    const bool like = h5_is_file(path) && !h5_is_netcdf(path);
    bool whole = h5_is_endless(path, false); /* which open_whole refuses */
    int id;

    if (like)
        remains->way_out = "; give SOURCE:VARIABLE to import one variable"; /* which another library reads */
    if (whole || nc_open(path, NC_NOWRITE, &id) != NC_NOERR)
        return whole;
    whole = !like || is_like_netcdf(id);
    (void)nc_close(id);
    return whole;
}

static int whole_failed(const struct whole_file *f, const char *what, int error)
{
    return failed("%s: cannot %s: %s", f->path, what, nc_strerror(error));
}

static bool refuse_groups(const struct whole_file *f)
{
    char name[NC_MAX_NAME + 1] = "";
    int n = 0;
    int *ids;

    if (nc_inq_grps(f->id, &n, NULL) != NC_NOERR || n == 0)
        return true;
    ids = calloc((size_t)n, sizeof *ids);
    if (ids && nc_inq_grps(f->id, NULL, ids) == NC_NOERR)
        (void)nc_inq_grpname(ids[0], name);
    free(ids);
    return !failed("%s: has the group '%s'; a dataset has no groups, so give SOURCE:VARIABLE to import one variable",
                   f->path, name);
}

/* The root group is the only one, so the numbers of its dimensions are 0, 1, ... */
static bool read_dimensions(struct whole_file *f)
{
    char name[NC_MAX_NAME + 1];
    size_t extent;
    int st = nc_inq_ndims(f->id, &f->ndims);

    f->dim = calloc((size_t)f->ndims + 1, sizeof *f->dim);
    if (!st && !f->dim)
        st = NC_ENOMEM;
    for (int i = 0; !st && i < f->ndims; i++) {
        st = nc_inq_dim(f->id, i, name, &extent);
        if (st)
            break;
        f->dim[i].extent = (int64_t)extent;
        f->dim[i].grows = f->dim[i].unlimited = nc_is_unlimited(f->id, i);
        f->dim[i].name = utf8_of(name, strlen(name));
        st = f->dim[i].name ? NC_NOERR : NC_ENOMEM;
    }
    return st ? !whole_failed(f, "read the dimensions", st) : true;
}

static bool take_kind(const struct whole_file *f, struct variable *v, nc_type type)
{
    static const char *const classes[] = { [NC_VLEN] = "sequences of any length",
                                           [NC_OPAQUE] = "opaque elements",
                                           [NC_ENUM] = "an enumeration",
                                           [NC_COMPOUND] = "compound elements" };
    char name[NC_MAX_NAME + 1] = "";
    int class = 0;

    v->kind = type == NC_CHAR ? CHARACTERS : type == NC_STRING ? STRINGS : NUMBERS;
    v->source.type = v->kind == NUMBERS ? nc_element_type(type) : DRX_UINT8;
    if (v->source.type)
        return true;
    (void)nc_inq_user_type(f->id, type, name, NULL, NULL, NULL, &class);
    return !failed("%s:%s: holds %s (type '%s'), which a dataset cannot store; it stores numbers and text", f->path,
                   v->name, class >= NC_VLEN && class <= NC_COMPOUND ? classes[class] : "elements", name);
}

/* Fill in the source of a variable: one axis for a scalar. */
static bool read_variable_shape(const struct whole_file *f, struct variable *v, const int ids[])
{
    struct source *s = &v->source;

    if (v->ndim > DRX_MAX_NDIM - (v->kind == STRINGS))
        return !failed("%s:%s: has %d dimensions; a dataset stores at most %d", f->path, v->name, v->ndim,
                       DRX_MAX_NDIM - (v->kind == STRINGS));
    for (int j = 0; j < DRX_MAX_NDIM; j++)
        s->chunk[j] = s->shape[j] = 1;
    s->ndim = v->ndim ? v->ndim : 1;
    for (int j = 0; j < v->ndim; j++) {
        if (ids[j] < 0 || ids[j] >= f->ndims)
            return !failed("%s: has no dimension of netCDF on axis %d; give SOURCE:VARIABLE to import one variable",
                           v->source.label, j);
        v->dim[j] = ids[j];
        f->dim[ids[j]].used = true;
        s->shape[j] = f->dim[ids[j]].extent;
    }
    return true;
}

static bool read_variable(const struct whole_file *f, struct variable *v, int id)
{
    char name[NC_MAX_NAME + 1];
    int ids[NC_MAX_VAR_DIMS];
    nc_type type;
    int st = nc_inq_var(f->id, id, name, &type, &v->ndim, ids, NULL);

    if (st && !find_in_h5(f, id, name, &type, &v->ndim, ids))
        return !whole_failed(f, "read the variables", st);
    v->name = utf8_of(name, strlen(name));
    v->nc = (struct nc){ .root = f->id, .group = f->id, .id = id, .h5 = H5_CLOSED };
    v->source.kind = &nc_source;
    v->source.state = &v->nc;
    v->source.file = strdup(f->path);
    if (!v->name || !v->source.file || asprintf(&v->source.label, "%s:%s", f->path, v->name) < 0)
        return !out_of_memory(NC_MAX_NAME);
    return take_kind(f, v, type) && read_variable_shape(f, v, ids) && nc_is_whole(&v->source) &&
           nc_open_stored(&v->source, name);
}

/* What one library cannot open the other one may. */
static int refuse_to_open(const char *path, int error)
{
    const bool other = h5_is_file(path) && !h5_is_netcdf(path);
    const hid_t file = other ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;

    h5_close(file);
    return failed("%s: cannot open as netCDF or HDF5: %s%s", path, nc_strerror(error),
                  file >= 0 ? "; HDF5's own library opens it, so give SOURCE:VARIABLE to import one variable" : "");
}

bool open_whole(struct whole_file *f, const char *path)
{
    char *unknown;
    bool good;
    int st;

    *f = (struct whole_file){ .path = path, .id = -1 };
    if (h5_is_endless(path, true))
        return false;
    unknown = find_unknown(path);
    st = nc_open(path, NC_NOWRITE, &f->id);
    if (st) {
        f->id = -1;
        free(unknown);
        return !refuse_to_open(path, st);
    }
    good = refuse_groups(f) && read_dimensions(f);
    st = good ? nc_inq_nvars(f->id, &f->nvars) : 0;
    f->var = calloc((size_t)f->nvars + 1, sizeof *f->var);
    if (st)
        good = !whole_failed(f, "read the variables", st);
    if (!f->var)
        good = !out_of_memory(f->nvars);
    if (good && f->nvars == 0)
        good = !failed("%s: has no variables%s%s", path, unknown ? " that a dataset can store; " : "",
                       unknown ? unknown : "");
    for (int i = 0; good && i < f->nvars; i++)
        good = read_variable(f, &f->var[i], i);
    if (good && unknown)
        good = !failed("%s:%s, which an import of the whole file cannot store; give SOURCE:VARIABLE to import one "
                       "variable",
                       path, unknown);
    free(unknown);
    if (!good)
        close_whole(f);
    return good;
}

int dim_of_file(const struct whole_file *f, const char *name)
{
    for (int i = 0; i < f->ndims; i++)
        if (strcmp(f->dim[i].name, name) == 0)
            return i;
    return -1;
}

int var_of_file(const struct whole_file *f, const char *name)
{
    for (int i = 0; i < f->nvars; i++)
        if (strcmp(f->var[i].name, name) == 0)
            return i;
    return -1;
}

int coordinate_of_file(const struct whole_file *f, const char *dim)
{
    const int i = var_of_file(f, dim);

    return i >= 0 && f->var[i].kind == NUMBERS && f->var[i].ndim == 1 && strcmp(f->dim[f->var[i].dim[0]].name, dim) == 0
               ? i
               : -1;
}

int copy_whole_attributes(const struct whole_file *f, const struct variable *v, const struct owner *to)
{
    struct nc global = { .group = f->id, .id = NC_GLOBAL, .h5 = H5_CLOSED };
    struct keeping t = { .to = *to, .label = v ? v->source.label : f->path, .noted = true };
    const enum h5_fill fill = v && v->kind == CHARACTERS ? H5_FILL_BYTE : H5_FILL;
    int status;

    if (!v && h5_is_file(f->path)) {
        global.h5.file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
        global.h5.dataset = H5Gopen2(global.h5.file, "/", H5P_DEFAULT);
    }
    status = nc_copy_attributes(v ? &v->nc : &global, &t, fill, t.label);
    h5_close_all(&global.h5);
    return status;
}

void close_whole(struct whole_file *f)
{
    for (int i = 0; f->var && i < f->nvars; i++) {
        if (f->var[i].source.state) /* it was reached */
            nc_close_stored(&f->var[i].nc);
        free(f->var[i].name);
        free(f->var[i].string_dim);
        free(f->var[i].source.file);
        free(f->var[i].source.label);
    }
    for (int i = 0; f->dim && i < f->ndims; i++)
        free(f->dim[i].name);
    free(f->var);
    free(f->dim);
    if (f->id >= 0)
        (void)nc_close(f->id);
    memset(f, 0, sizeof *f);
    f->id = -1;
}
