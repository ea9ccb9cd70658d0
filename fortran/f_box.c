/* Boxes of an array and where their elements are in memory. */
#include <stdlib.h>
#include <string.h>

#include "drxf.h"

static char nothing[16]; /* what an empty array points to */

void drxf_frame_of(const drx_array *a, struct drxf_frame *out)
{
    const size_t bytes = (size_t)drx_ndim(a) * sizeof *out->shape;

    out->a = a;
    out->ndim = drx_ndim(a);
    out->type = drx_dtype(a);
    memcpy(out->shape, drx_shape(a), bytes);
    memcpy(out->lower, drx_lower(a), bytes);
}

drx_status drxf_check_values(const struct drxf_frame *f, const CFI_cdesc_t *values, const char *name, bool as_bits)
{
    const drx_type type = f->type;
    char room[DRXF_MOST_NAME];
    const drx_status st = drxf_check_there(values, name);

    if (st || drxf_takes(type, values, as_bits))
        return st;
    if (drxf_takes(type, values, true))
        return drxf_fail_of(
            f->a, DRX_EMISMATCH,
            "its elements are %s, which Fortran lacks, and values is %s; give bits=.true. to move the bits",
            drx_type_name(type), drxf_declared_as(values, room));
    return drxf_fail_of(f->a, DRX_EMISMATCH, "its elements are %s, and values is %s; expected %s", drx_type_name(type),
                        drxf_declared_as(values, room), drxf_declared(type));
}

/* The counts of a box whose `start` is given, but no counts: the extents of values, and 1 for further axes. */
static drx_status count_as_values(const struct drxf_frame *f, const CFI_cdesc_t *values, int64_t count[])
{
    if (values->rank > f->ndim)
        return drxf_fail_of(f->a, DRX_EINVAL, "values has %d axes, the array %d; give count", (int)values->rank,
                            f->ndim);
    for (int j = 0; j < f->ndim; j++)
        count[j] = j < values->rank ? values->dim[j].extent : 1;
    return DRX_OK;
}

/* Where in `values` the elements of each axis are. Axes of one index do not count, in neither. */
static drx_status match(const struct drxf_frame *f, const CFI_cdesc_t *values, const int64_t count[], int64_t stride[])
{
    const int64_t len = (int64_t)values->elem_len;
    char box[DRXF_MOST_SHAPE], memory[DRXF_MOST_SHAPE];
    int k = 0;
    bool fits = true;

    for (int j = 0; j < f->ndim; j++) {
        stride[j] = 1;
        if (count[j] == 1)
            continue;
        while (k < values->rank && values->dim[k].extent == 1)
            k++;
        fits = fits && k < values->rank && values->dim[k].extent == count[j];
        if (!fits)
            break;
        if (values->dim[k].sm % len)
            return drxf_fail(DRX_EINVAL,
                             "elements of values are %lld bytes apart, expected a multiple of their %lld; give a copy",
                             (long long)values->dim[k].sm, (long long)len);
        stride[j] = values->dim[k++].sm / len;
    }
    while (k < values->rank && values->dim[k].extent == 1)
        k++;
    if (fits && k == values->rank)
        return DRX_OK;
    return drxf_fail_of(f->a, DRX_EMISMATCH, "values has the shape %s, expected %s", drxf_shape_of(values, memory),
                        drxf_shape_text(f->ndim, count, box));
}

static drx_status outside(const struct drxf_frame *f, int j, int64_t start, int64_t count, int64_t step)
{
    const char *name = f->a ? drx_dim_name(f->a, j) : NULL;
    const double last = (double)start + ((double)count - 1) * (double)step;

    return drxf_fail_of(f->a, DRX_ERANGE, "axis %d%s%s%s: indices %lld to %.0f, the array has 1 to %lld", j + 1,
                        name ? " (" : "", name ? name : "", name ? ")" : "", (long long)start, last,
                        (long long)f->shape[j]);
}

/* Fortran's first index is where the array has drx_lower. */
static drx_status place(const struct drxf_frame *f, const int64_t start[], struct drxf_box *out)
{
    for (int j = 0; j < f->ndim; j++) {
        const int64_t extent = f->shape[j];

        if (out->step[j] < 1)
            return drxf_fail_of(f->a, DRX_EINVAL, "stride(%d) is %lld, expected at least 1", j + 1,
                                (long long)out->step[j]);
        if (out->count[j] < 0)
            return drxf_fail_of(f->a, DRX_EINVAL, "count(%d) is %lld, expected at least 0", j + 1,
                                (long long)out->count[j]);
        if (start[j] < 1 || start[j] > extent + !out->count[j] ||
            (out->count[j] && out->count[j] - 1 > (extent - start[j]) / out->step[j]))
            return outside(f, j, start[j], out->count[j], out->step[j]);
        out->lo[j] = f->lower[j] + start[j] - 1;
    }
    return DRX_OK;
}

drx_status drxf_relate(const struct drxf_frame *f, const CFI_cdesc_t *values, const struct drxf_where *where,
                       struct drxf_box *out)
{
    static const char each[] = ", one for each axis";
    const int ndim = f->ndim;
    int64_t start[DRX_MAX_NDIM];
    drx_status st = drxf_check_values(f, values, "values", where->as_bits);

    out->memory = values->base_addr ? values->base_addr : nothing;
    for (int j = 0; j < ndim; j++) {
        start[j] = out->step[j] = 1;
        out->count[j] = f->shape[j];
    }
    if (!st && where->start)
        st = drxf_integers(where->start, "start", ndim, each, start);
    if (!st && where->stride)
        st = drxf_integers(where->stride, "stride", ndim, each, out->step);
    if (!st && where->count)
        st = drxf_integers(where->count, "count", ndim, each, out->count);
    else if (!st && (where->start || where->stride))
        st = count_as_values(f, values, out->count);
    if (!st)
        st = match(f, values, out->count, out->stride);
    if (!st)
        st = place(f, start, out);
    if (st)
        return st;
    out->box = (drx_box){ .lo = out->lo, .count = out->count, .stride = out->stride, .step = out->step };
    return DRX_OK;
}

drx_status drxf_index(const struct drxf_frame *f, const CFI_cdesc_t *index, const char *name, int64_t at[])
{
    drx_status st = drxf_integers(index, name, f->ndim, ", one for each axis", at);

    for (int j = 0; !st && j < f->ndim; j++) {
        if (at[j] < 1 || at[j] > f->shape[j])
            st = drxf_fail_of(f->a, DRX_ERANGE, "axis %d: index %lld, the array has 1 to %lld", j + 1, (long long)at[j],
                              (long long)f->shape[j]);
        else
            at[j] += f->lower[j] - 1;
    }
    return st;
}

drx_status drxf_axis(const drx_array *a, const CFI_cdesc_t *number, int *axis)
{
    int64_t given = 0;
    drx_status st = drxf_integer(number, "axis", &given);

    *axis = -1;
    if (!st && (given < 1 || given > drx_ndim(a)))
        st = drxf_fail_of(a, DRX_EINVAL, "axis %lld, expected 1 to %d", (long long)given, drx_ndim(a));
    if (!st)
        *axis = (int)given - 1;
    return st;
}

drx_status drxf_slab(const drx_array *a, const CFI_cdesc_t *values, int axis, int64_t *by)
{
    const int ndim = drx_ndim(a);
    const bool all = values->rank == ndim;
    int64_t shape[DRX_MAX_NDIM];
    char slab[DRXF_MOST_SHAPE], memory[DRXF_MOST_SHAPE];
    bool fits = all || values->rank == ndim - 1;

    memcpy(shape, drx_shape(a), (size_t)ndim * sizeof *shape);
    *by = shape[axis] = fits && all ? values->dim[axis].extent : 1;
    for (int j = 0; fits && j < ndim; j++)
        if (j != axis)
            fits = values->dim[all || j < axis ? j : j - 1].extent == shape[j];
    if (fits)
        return DRX_OK;
    return drxf_fail_of(a, DRX_EMISMATCH,
                        "values has the shape %s, expected that of a slab along axis %d: %s, of any extent there",
                        drxf_shape_of(values, memory), axis + 1, drxf_shape_text(ndim, shape, slab));
}

const void *drxf_in_one_piece(const CFI_cdesc_t *values, void **made)
{
    *made = NULL;
    if (!values->base_addr)
        return nothing;
    if (drxf_contiguous(values))
        return values->base_addr;
    *made = malloc((size_t)drxf_size(values) * values->elem_len);
    if (!*made) {
        (void)drxf_fail(DRX_ENOMEM, "no memory for a copy of values, whose elements are not in one piece");
        return NULL;
    }
    drxf_pack(values, *made);
    return *made;
}
