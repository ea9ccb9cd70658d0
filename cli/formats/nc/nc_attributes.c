/* Attributes of a netCDF variable, and the fill value among them. */
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/text_attribute.h"
#include "frame/cli.h"
#include "frame/text.h"
#include "nc_variable.h"

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

/* ---- the fill value ------------------------------------------------------------ */

bool nc_find_fill(struct source *s)
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

/* ---- copying --------------------------------------------------------------------- */

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
        *st = set_lines_attribute(a, to, strings, n);
        (void)nc_free_string(n, strings);
    }
    free(strings);
    return error;
}

/* Copy the attribute `from`, called `to` there. Returns netCDF's error; *st is
 * the library's. */
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

int nc_copy_attributes(const struct source *s, drx_array *a, const char *path)
{
    const struct nc *nc = s->state;
    char name[NC_MAX_NAME + 1];
    char *to;
    drx_status st = DRX_OK;
    int n = 0;
    int error = nc_inq_varnatts(nc->group, nc->id, &n);

    for (int i = 0; !error && !st && i < n; i++) {
        error = nc_inq_attname(nc->group, nc->id, i, name);
        if (error || (s->fill_name && strcmp(name, "_FillValue") == 0 && strcmp(s->fill_name, name) == 0))
            continue;
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
