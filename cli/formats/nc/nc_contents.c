/* What a classic file of netCDF holds: its root alone. */
#include <netcdf.h>
#include <string.h>

#include "nc.h"

static bool cannot(const struct tree *t, const char *what, int error)
{
    return error == NC_NOERR || !failed("%s: cannot read the %s: %s", t->file, what, nc_strerror(error));
}

static bool add_dims(struct tree *t)
{
    int n = 0, record = -1, st = nc_inq_ndims(t->id, &n);
    char name[NC_MAX_NAME + 1];
    size_t extent;

    if (!st)
        st = nc_inq_unlimdim(t->id, &record);
    for (int i = 0; !st && i < n; i++) {
        struct tree_dim *d;

        st = nc_inq_dim(t->id, i, name, &extent);
        if (st)
            break;
        d = tree_add_dim(t, 0, name);
        if (!d)
            return false;
        d->extent = (int64_t)extent;
        d->unlimited = i == record;
        d->number = i;
    }
    return cannot(t, "dimensions", st);
}

static bool add_vars(struct tree *t)
{
    int n = 0, ids[NC_MAX_VAR_DIMS], st = nc_inq_nvars(t->id, &n);
    char name[NC_MAX_NAME + 1];

    for (int i = 0; !st && i < n; i++) {
        struct tree_var *v;
        nc_type type;
        int ndim;

        st = nc_inq_var(t->id, i, name, &type, &ndim, ids, NULL);
        if (st)
            break;
        v = tree_add_var(t, 0, name);
        if (!v)
            return false;
        v->number = i;
        v->chosen = type != NC_CHAR && ndim > 0;
        v->ndim = ndim <= DRX_MAX_NDIM ? ndim : 0;
        memcpy(v->dim, ids, (size_t)v->ndim * sizeof *ids);
        if (ndim > DRX_MAX_NDIM && asprintf(&v->why, "has %d dimensions, expected at most %d", ndim, DRX_MAX_NDIM) < 0)
            return !out_of_memory(BUFSIZ);
    }
    return cannot(t, "variables", st);
}

bool nc_read_tree(struct tree *t, const char *file)
{
    int st;

    *t = (struct tree){ .file = file };
    st = nc_open(file, NC_NOWRITE, &t->id);
    if (st) {
        t->id = 0;
        return !failed("%s: cannot open as netCDF or HDF5: %s", file, nc_strerror(st));
    }
    return tree_add_group(t, 0, "") && add_dims(t) && add_vars(t);
}
