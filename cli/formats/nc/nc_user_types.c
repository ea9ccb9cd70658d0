/* User-defined types, from one netCDF file to another. */
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "nc.h"

int nc_list_types(struct nc_types *t, int in, int out)
{
    int n = 0, *ids, st = nc_inq_typeids(in, &n, NULL);

    ids = st ? NULL : malloc(((size_t)n + 1) * sizeof *ids);
    if (!ids)
        return st ? st : NC_ENOMEM;
    st = nc_inq_typeids(in, NULL, ids);
    for (int i = 0; !st && i < n; i++) {
        const int place = ids[i] - NC_FIRSTUSERTYPEID;
        struct nc_type_there *list = place < t->n ? t->list : realloc(t->list, ((size_t)place + 1) * sizeof *list);

        if (!list)
            st = NC_ENOMEM;
        for (t->list = list ? list : t->list; list && t->n <= place; t->n++)
            list[t->n] = (struct nc_type_there){ .in = in, .out = out };
        if (list)
            list[place] = (struct nc_type_there){ .in = in, .out = out };
    }
    free(ids);
    return st;
}

int nc_type_there(const struct nc_types *t, int type)
{
    return type < NC_FIRSTUSERTYPEID ? type : t->list[type - NC_FIRSTUSERTYPEID].type;
}

static int define_enum(const struct nc_type_there *own, int from, int base, size_t n, const char *name, int *type)
{
    int st = nc_def_enum(own->out, base, name, type);

    for (int i = 0; !st && i < (int)n; i++) {
        char member[NC_MAX_NAME + 1];
        int64_t value;

        st = nc_inq_enum_member(own->in, from, i, member, &value);
        if (!st)
            st = nc_insert_enum(own->out, *type, member, &value);
    }
    return st;
}

static int define_compound(const struct nc_types *t, const struct nc_type_there *own, int from, size_t bytes, size_t n,
                           const char *name, int *type)
{
    int st = nc_def_compound(own->out, bytes, name, type);

    for (int i = 0; !st && i < (int)n; i++) {
        char field[NC_MAX_NAME + 1];
        int of, ndim, sizes[NC_MAX_VAR_DIMS];
        size_t offset;

        st = nc_inq_compound_field(own->in, from, i, field, &offset, &of, &ndim, sizes);
        if (!st && ndim == 0)
            st = nc_insert_compound(own->out, *type, field, offset, nc_type_there(t, of));
        else if (!st)
            st = nc_insert_array_compound(own->out, *type, field, offset, nc_type_there(t, of), ndim, sizes);
    }
    return st;
}

int nc_define_types(struct nc_types *t)
{
    int st = NC_NOERR;

    for (int i = 0; !st && i < t->n; i++) {
        struct nc_type_there *own = &t->list[i];
        const int from = NC_FIRSTUSERTYPEID + i;
        char given[NC_MAX_NAME + 1], *name;
        size_t bytes, n;
        int base, of_class;

        st = nc_inq_user_type(own->in, from, given, &bytes, &base, &n, &of_class);
        if (st)
            break;
        name = legal_name(given, true);
        if (!name)
            st = NC_ENOMEM;
        else if (of_class == NC_ENUM)
            st = define_enum(own, from, base, n, name, &own->type);
        else if (of_class == NC_COMPOUND)
            st = define_compound(t, own, from, bytes, n, name, &own->type);
        else
            st = nc_def_opaque(own->out, bytes, name, &own->type);
        if (st)
            warn("type '%s': %s", given, nc_strerror(st));
        free(name);
    }
    return st;
}

int nc_copy_typed(const struct nc_types *t, int in, int from, const char *name, int out, int to)
{
    size_t n = 0, bytes = 0;
    int type, st = nc_inq_att(in, from, name, &type, &n);
    void *values;

    if (!st)
        st = nc_inq_type(in, type, NULL, &bytes);
    if (st)
        return st;
    values = malloc(n * bytes + 1);
    st = values ? nc_get_att(in, from, name, values) : NC_ENOMEM;
    if (!st)
        st = nc_put_att(out, to, name, nc_type_there(t, type), n, values);
    free(values);
    return st;
}
