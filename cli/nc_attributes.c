/* Attributes of a netCDF variable, and the fill value among them. */
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "nc_variable.h"
#include "text.h"

/* The values of an attribute of a numeric type, to be freed. */
static int read_values(const struct nc_variable *v, const char *name, drx_type type, size_t n, void **values)
{
    int st;

    *values = calloc(n ? n : 1, drx_type_size(type));
    if (!*values)
        return NC_ENOMEM;
    st = nc_get_att(v->group, v->id, name, *values);
    if (st)
        free(*values);
    return st;
}

/* ---- the fill value ------------------------------------------------------------ */

/* The same number as a value of another type; false when there is none. */
static bool convert(drx_type from, const void *value, drx_type to, void *out)
{
    char text[VALUE_TEXT_BYTES];
    double wide;

    if (from == to) {
        memcpy(out, value, drx_type_size(to));
        return true;
    }
    if (from == DRX_FLOAT32) { /* its shortest text is another double */
        wide = real_part(from, value, 0);
        value_text(DRX_FLOAT64, &wide, text);
    } else {
        value_text(from, value, text);
    }
    return value_of_text(to, text, out) == NULL;
}

bool nc_find_fill(struct nc_variable *v)
{
    static const char *const names[] = { "_FillValue", "missing_value" };
    void *values;
    nc_type nctype;
    drx_type type;
    size_t n;
    int st;

    for (int i = 0; i < 2 && !v->fill_name; i++) {
        st = nc_inq_att(v->group, v->id, names[i], &nctype, &n);
        if (st == NC_ENOTATT)
            continue;
        type = st ? (drx_type)0 : nc_element_type(nctype);
        if (!st && (!type || n == 0))
            continue;
        if (!st)
            st = read_values(v, names[i], type, n, &values);
        if (st)
            return nc_failed(v, "read the fill value", st);
        if (convert(type, values, v->type, v->fill))
            v->fill_name = names[i];
        else
            warn("%s:%s: %s is no value of type %s, not taken as fill value", v->file, v->name, names[i],
                 drx_type_name(v->type));
        free(values);
    }
    return true;
}

/* ---- copying --------------------------------------------------------------------- */

/* Set the text attribute `name` to n bytes, which may be Latin-1, NULs at the end
 * (which some programs write) left out, and lines for NULs between strings. */
static drx_status set_text(drx_array *a, const char *name, char *bytes, size_t n)
{
    drx_status st = DRX_ENOMEM;
    char *text;

    while (n > 0 && bytes[n - 1] == '\0')
        n--;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] == '\0')
            bytes[i] = '\n';
    text = utf8_of(bytes, n);
    if (text)
        st = drx_attr_set_text(a, name, text);
    free(text);
    return st;
}

/* The strings joined by newlines, to be freed. */
static char *join(char *const strings[], size_t n)
{
    size_t bytes = 1;
    char *joined, *at;

    for (size_t i = 0; i < n; i++)
        bytes += strings[i] ? strlen(strings[i]) + 1 : 1;
    joined = calloc(bytes, 1);
    at = joined;
    for (size_t i = 0; joined && i < n; i++) {
        if (i)
            *at++ = '\n';
        if (strings[i])
            at = stpcpy(at, strings[i]);
    }
    return joined;
}

static int copy_strings(const struct nc_variable *v, drx_array *a, const char *from, const char *to, size_t n,
                        drx_status *st)
{
    char **strings = calloc(n ? n : 1, sizeof *strings);
    char *text;
    int error;

    if (!strings)
        return NC_ENOMEM;
    error = nc_get_att_string(v->group, v->id, from, strings);
    if (!error) {
        text = join(strings, n);
        if (text)
            *st = set_text(a, to, text, strlen(text));
        else
            error = NC_ENOMEM;
        free(text);
        (void)nc_free_string(n, strings);
    }
    free(strings);
    return error;
}

/* Copy the attribute `from`, called `to` there. Returns netCDF's error; *st is
 * the library's. */
static int copy_attribute(const struct nc_variable *v, drx_array *a, const char *from, const char *to, drx_status *st)
{
    nc_type nctype;
    drx_type type;
    size_t n;
    void *values;
    int error = nc_inq_att(v->group, v->id, from, &nctype, &n);

    if (error)
        return error;
    if (nctype == NC_STRING)
        return copy_strings(v, a, from, to, n, st);
    type = nctype == NC_CHAR ? DRX_UINT8 : nc_element_type(nctype);
    if (!type) {
        warn("%s:%s: attribute %s is of a type that cannot be kept, left out", v->file, v->name, to);
        return NC_NOERR;
    }
    error = read_values(v, from, type, n, &values);
    if (error)
        return error;
    *st = nctype == NC_CHAR ? set_text(a, to, values, n) : drx_attr_set(a, to, type, (int64_t)n, values);
    free(values);
    return NC_NOERR;
}

int nc_copy_attributes(const struct nc_variable *v, drx_array *a, const char *path)
{
    char name[NC_MAX_NAME + 1];
    char *to;
    drx_status st = DRX_OK;
    int n = 0;
    int error = nc_inq_varnatts(v->group, v->id, &n);

    for (int i = 0; !error && !st && i < n; i++) {
        error = nc_inq_attname(v->group, v->id, i, name);
        if (error || (v->fill_name && strcmp(name, "_FillValue") == 0 && strcmp(v->fill_name, name) == 0))
            continue;
        to = utf8_of(name, strlen(name));
        error = to ? copy_attribute(v, a, name, to, &st) : NC_ENOMEM;
        free(to);
    }
    if (error) {
        (void)nc_failed(v, "read the attributes", error);
        return FAILED;
    }
    return st ? failed_drx(path, st) : DONE;
}
