/* What nobody writes reads as netCDF's default fill (or, of strings, as that of the variable). The array does not know
 * it, since a fill of its own says "missing", as _FillValue does. So the default fill is written, as late as can be.
 * A variable whose records are written one after the other never needs it. */
#include <stdlib.h>
#include <string.h>

#include "write.h"

/* A box of the variable with one element, again and again. */
static int write_fill(const struct bridge_file *f, struct bridge_variable *v, drx_box *box)
{
    const struct bridge_attribute *own = bridge_find(&v->attributes, "_FillValue");
    int64_t stride[DRX_MAX_NDIM] = { 0 };
    size_t width;
    char *text;
    int st;

    box->stride = stride;
    if (v->kind != BRIDGE_STRINGS)
        return bridge_error(bridge_store_write(v, box, own ? own->values : bridge_default_fill(f, v->type)));
    width = (size_t)drx_shape(v->array)[v->ndim];
    stride[v->ndim] = 1;
    text = calloc(width, 1);
    if (text)
        memcpy(text, *(char *const *)own->values, strnlen(*(char *const *)own->values, width));
    st = text ? bridge_error(bridge_store_write(v, box, text)) : NC_ENOMEM;
    free(text);
    return st;
}

/* Indices `from` to `to` of an axis, of the first `rows` of the first one, and all of the others; from 0 on. */
static int fill_slab(const struct bridge_file *f, struct bridge_variable *v, int axis, int64_t from, int64_t to,
                     int64_t rows)
{
    drx_array *a = v->array;
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    drx_box box = { .lo = lo, .count = count };
    const bool collective = v->collective;
    int st;

    for (int k = 0; k < drx_ndim(a); k++) {
        const bool along = k < v->ndim && k == axis; /* not of a scalar */

        lo[k] = drx_lower(a)[k] + (along ? from : 0);
        count[k] = along ? to - from : k == 0 && v->ndim > 0 ? rows : drx_shape(a)[k];
    }
#ifdef BRIDGE_MPI
    if (v->together) { /* each process its share of the longest axis */
        const MPI_Comm comm = drxmp_comm(v->together);
        int rank, size, longest = 0;
        int64_t n;

        (void)MPI_Comm_rank(comm, &rank);
        (void)MPI_Comm_size(comm, &size);
        for (int k = 1; k < drx_ndim(a); k++)
            longest = count[k] > count[longest] ? k : longest;
        n = count[longest];
        lo[longest] += n * rank / size;
        count[longest] = n * (rank + 1) / size - n * rank / size;
        v->collective = true;
    }
#endif
    st = write_fill(f, v, &box);
#ifdef BRIDGE_MPI
    if (v->together && !bridge_store_is_exchanged(v) && /* nobody writes elements before all are filled */
        MPI_Allreduce(MPI_IN_PLACE, &st, 1, MPI_INT, MPI_MIN, drxmp_comm(v->together)) != MPI_SUCCESS)
        st = NC_EMPI;
#endif
    v->collective = collective;
    return st;
}

static int64_t extent(const struct bridge_variable *v)
{
    return v->ndim ? drx_shape(v->array)[0] : 1;
}

int bridge_fill_up_to(struct bridge_file *f, struct bridge_variable *v, int64_t end)
{
    int st = NC_NOERR;

    if (end > extent(v))
        end = extent(v);
    if (!v->owes || end <= v->filled)
        return NC_NOERR;
    st = fill_slab(f, v, 0, v->filled, end, 0);
    if (!st)
        v->filled = end;
    return st;
}

int bridge_fill_all(struct bridge_file *f)
{
    int st = NC_NOERR;

    for (int i = 0; !st && i < f->nvars; i++)
        if (f->vars[i]->owes)
            st = bridge_fill_up_to(f, f->vars[i], INT64_MAX);
    return st;
}

/* An axis but the first one: what is filled has more to it. */
static int fill_more(const struct bridge_file *f, struct bridge_variable *v, int dim, int64_t from, int64_t to)
{
    int st = NC_NOERR;

    for (int k = 1; !st && k < v->ndim; k++)
        if (v->dims[k] == dim)
            st = fill_slab(f, v, k, from, to, v->filled);
    return st;
}

bool bridge_has_fill(const struct bridge_file *f, const struct bridge_variable *v, const struct bridge_attribute *fill)
{
    const size_t bytes = bridge_type_bytes(f, v->type);
    drx_spec spec;

    drx_describe(v->array, &spec);
    return v->type != NC_STRING && fill->type == v->type && fill->n == 1 && drx_type_size(spec.type) == bytes &&
           memcmp(fill->values, spec.fill ? spec.fill : bridge_zeros, bytes) == 0;
}

bool bridge_owes(const struct bridge_file *f, const struct bridge_variable *v)
{
    const struct bridge_attribute *own = bridge_find(&v->attributes, "_FillValue");

    if (v->kind == BRIDGE_STRINGS) /* "" is zeros */
        return own && own->type == NC_STRING && own->n == 1 && **(char *const *)own->values;
    if (v->kind == BRIDGE_CHARACTERS && !own)
        return false;
    return v->kind <= BRIDGE_CHARACTERS && v->kind != BRIDGE_COMPLEX &&
           drx_dtype(v->array) == bridge_element_type(f, v->type) && !(own && bridge_has_fill(f, v, own));
}

/* Variables of an earlier handle owe nothing of what they have. */
static int know_debts(struct bridge_file *f)
{
    int st = NC_NOERR;

    for (int g = 0; !st && g < f->ngroups; g++)
        for (int i = 0; !st && i < f->groups[g].nvars; i++) {
            struct bridge_variable *v = f->groups[g].vars[i];

            if (v->definition || v->owes)
                continue;
            if (!bridge_attributes(&f->groups[g], i, &st))
                continue;
            v->owes = bridge_owes(f, v);
            v->filled = extent(v);
        }
    return st;
}

int bridge_grow(struct bridge_file *f, int dim, size_t length)
{
    struct bridge_dim *d = &f->dims[dim];
    const size_t before = d->length;
    int st = f->owes_known ? NC_NOERR : know_debts(f);

    f->owes_known = f->owes_known || !st;
    if (!st)
        st = bridge_error(BRIDGE_STORE(f, extend, d->path, (int64_t)(length - before)));
    if (st)
        return st;
    d->length = length;
    for (int i = 0; !st && i < f->nvars; i++) {
        struct bridge_variable *v = f->vars[i];

        if (v->owes && v->filled > 0)
            st = fill_more(f, v, dim, (int64_t)before, (int64_t)length);
        if (!st && v->owes && f->together && !v->collective)
            st = bridge_fill_up_to(f, v, INT64_MAX);
    }
    return st;
}
