/* Attributes of classic files, and the fill value. */
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "nc.h"

/* Copy one of a classic file, called `to` there. Returns netCDF's error; *st is the library's. */
static int copy_attribute(int root, int id, struct keeping *t, const char *from, const char *to, enum h5_fill fill,
                          drx_status *st)
{
    nc_type nctype;
    size_t n;
    int error = nc_inq_att(root, id, from, &nctype, &n);
    const bool text = nctype == NC_CHAR && !(fill == H5_FILL_BYTE && n == 1 && strcmp(to, "_FillValue") == 0);
    const drx_type type = nctype == NC_CHAR ? DRX_UINT8 : nc_element_type(nctype);
    void *values = error ? NULL : calloc(n + 1, drx_type_size(type));

    if (!error)
        error = values ? nc_get_att(root, id, from, values) : NC_ENOMEM;
    if (!error)
        *st = text ? keep_text(t, to, values, n) : keep_numbers(t, to, type, (int64_t)n, values);
    free(values);
    return error;
}

int nc_copy_attributes(int root, int id, struct keeping *t, enum h5_fill fill, const char *path)
{
    char name[NC_MAX_NAME + 1];
    drx_status st = DRX_OK;
    int n = 0, error;
    char *to;

    error = nc_inq_varnatts(root, id, &n);
    for (int i = 0; !error && !st && i < n; i++) {
        error = nc_inq_attname(root, id, i, name);
        if (error || (fill == H5_FILL_KNOWN && strcmp(name, "_FillValue") == 0))
            continue;
        to = utf8_of(name, strlen(name));
        if (!to)
            error = NC_ENOMEM;
        else if (can_keep(t, to))
            error = copy_attribute(root, id, t, name, to, fill, &st);
        free(to);
    }
    if (error)
        return failed("%s: cannot read the attributes: %s", t->label, nc_strerror(error));
    return exit_code(path, end_keeping(t, st));
}

static bool take_fill(struct source *s, const char *name)
{
    const struct nc *nc = s->state;
    nc_type nctype = NC_NAT;
    size_t n = 0;
    int st = nc_inq_att(nc->root, nc->id, name, &nctype, &n);
    const drx_type type = nctype == NC_CHAR && s->type == DRX_UINT8 ? DRX_UINT8 : nc_element_type(nctype);
    void *values;

    if (st || !type || n == 0)
        return st == NC_NOERR || st == NC_ENOTATT || nc_failed(s, "read the fill value", st);
    values = calloc(n, drx_type_size(type));
    st = values ? nc_get_att(nc->root, nc->id, name, values) : NC_ENOMEM;
    if (!st)
        source_take_fill(s, name, type, values, (int64_t)n);
    free(values);
    return st ? nc_failed(s, "read the fill value", st) : true;
}

bool nc_find_fill(struct source *s)
{
    static const char *const names[] = { "_FillValue", "missing_value" };
    bool good = true;

    for (int i = 0; good && i < 2 && !s->fill_name; i++)
        good = take_fill(s, names[i]);
    return good;
}
