/* Elements: boxes, slabs, single ones and lists. */
#include <stdlib.h>

#include "drxf_calls.h"

DRX_API drx_status drxf_read(int64_t id, const CFI_cdesc_t *values, const CFI_cdesc_t *start, const CFI_cdesc_t *count,
                             const CFI_cdesc_t *stride, int bits)
{
    const struct drxf_where where = { .start = start, .count = count, .stride = stride, .as_bits = bits };
    const struct drxf_kind *kind;
    struct drxf_frame f;
    struct drxf_box b;
    drx_array *a;
    void *it;
    drx_status st = drxf_an_array(id, &it, &kind, &a);

    if (st)
        return st;
    drxf_frame_of(a, &f);
    st = drxf_relate(&f, values, &where, &b);
    return st ? st : drx_read_box(a, &b.box, b.memory);
}

DRX_API drx_status drxf_write(int64_t id, const CFI_cdesc_t *values, const CFI_cdesc_t *start, const CFI_cdesc_t *count,
                              const CFI_cdesc_t *stride, int bits)
{
    const struct drxf_where where = { .start = start, .count = count, .stride = stride, .as_bits = bits };
    const struct drxf_kind *kind;
    struct drxf_frame f;
    struct drxf_box b;
    drx_array *a;
    void *it;
    drx_status st = drxf_an_array(id, &it, &kind, &a);

    if (st)
        return st;
    drxf_frame_of(a, &f);
    st = drxf_relate(&f, values, &where, &b);
    return st ? st : drx_write_box(a, &b.box, b.memory);
}

/* A slab, whose extents say by how much the array grows. */
DRX_API drx_status drxf_append(int64_t id, int before, const CFI_cdesc_t *axis, const CFI_cdesc_t *values, int bits)
{
    const struct drxf_kind *kind;
    struct drxf_frame f;
    const void *slab;
    void *it, *made = NULL;
    drx_array *a;
    int64_t by;
    int at;
    drx_status st = drxf_an_array(id, &it, &kind, &a);

    if (!st && kind->together)
        st = drxf_fail_of(a, DRX_EINVAL, "many processes have it open: expected drxmp_append_all or drxmp_prepend_all");
    if (!st)
        st = drxf_axis(a, axis, &at);
    if (!st)
        st = drxf_check_there(values, "values");
    if (st)
        return st;
    drxf_frame_of(a, &f);
    st = drxf_check_type(&f, values, bits);
    if (!st)
        st = drxf_slab(a, values, at, &by);
    if (st)
        return st;
    slab = drxf_in_one_piece(values, &made);
    if (!slab)
        return DRX_ENOMEM;
    st = before ? drx_prepend(a, at, by, DRX_COL_MAJOR, slab) : drx_append(a, at, by, DRX_COL_MAJOR, slab);
    free(made);
    return st;
}

/* The index of one element, checked, as the array has it. */
static drx_status element(const drx_array *a, const CFI_cdesc_t *index, const CFI_cdesc_t *value, bool bits,
                          int64_t at[])
{
    struct drxf_frame f;
    drx_status st = drxf_check_there(value, "value");

    drxf_frame_of(a, &f);
    if (!st && drxf_size(value) != 1)
        st = drxf_fail(DRX_EINVAL, "value has %lld elements, expected one", (long long)drxf_size(value));
    if (!st)
        st = drxf_check_type(&f, value, bits);
    return st ? st : drxf_index(&f, index, "index", at);
}

DRX_API drx_status drxf_get(int64_t id, const CFI_cdesc_t *index, const CFI_cdesc_t *value, int bits)
{
    const struct drxf_kind *kind;
    int64_t at[DRX_MAX_NDIM];
    drx_array *a;
    void *it;
    drx_status st = drxf_an_array(id, &it, &kind, &a);

    if (!st)
        st = element(a, index, value, bits, at);
    return st ? st : drx_get(a, at, value->base_addr);
}

DRX_API drx_status drxf_put(int64_t id, const CFI_cdesc_t *index, const CFI_cdesc_t *value, int bits)
{
    const struct drxf_kind *kind;
    int64_t at[DRX_MAX_NDIM];
    drx_array *a;
    void *it;
    drx_status st = drxf_an_array(id, &it, &kind, &a);

    if (!st)
        st = element(a, index, value, bits, at);
    return st ? st : drx_put(a, at, value->base_addr);
}

/* The indices of a list, (axes, n), as the array has them: memory for drx_read_points, to be freed. */
static drx_status list(const struct drxf_frame *f, const CFI_cdesc_t *indices, int64_t n, int64_t **out)
{
    const bool one = f->ndim == 1 && indices->rank == 1;
    CFI_CDESC_T(1) room;
    CFI_cdesc_t *column = (CFI_cdesc_t *)&room;
    char shape[DRXF_MOST_SHAPE];
    struct drxf_kept wrong;
    drx_status st = drxf_check_there(indices, "indices");

    *out = NULL;
    if (st)
        return st;
    if (one ? indices->dim[0].extent != n
            : indices->rank != 2 || indices->dim[0].extent != f->ndim || indices->dim[1].extent != n)
        return drxf_fail_of(f->a, DRX_EINVAL,
                            "indices has the shape %s, expected (%d,%lld): a column for each of the values",
                            drxf_shape_of(indices, shape), f->ndim, (long long)n);
    *out = malloc((size_t)(n ? n * f->ndim : 1) * sizeof **out);
    if (!*out)
        return drxf_fail(DRX_ENOMEM, "no memory for a list of %lld elements", (long long)n);
    *column = *indices; /* its first axis alone, at each place in turn */
    column->rank = one ? 0 : 1;
    column->dim[0] = indices->dim[0];
    for (int64_t i = 0; i < n; i++) {
        column->base_addr = (char *)indices->base_addr + i * indices->dim[one ? 0 : 1].sm;
        drxf_keep(&wrong, drxf_index(f, column, "indices", *out + i * f->ndim));
        if (!wrong.st)
            continue;
        free(*out);
        *out = NULL;
        return drxf_fail(wrong.st, "element %lld of the list: %.900s", (long long)i + 1, wrong.detail);
    }
    return DRX_OK;
}

DRX_API drx_status drxf_points(int64_t id, int writing, const CFI_cdesc_t *indices, const CFI_cdesc_t *values, int bits)
{
    const struct drxf_kind *kind;
    struct drxf_frame f;
    void *it, *packed = NULL, *memory = values->base_addr;
    int64_t n = drxf_size(values), *at = NULL;
    drx_array *a;
    drx_status st = drxf_an_array(id, &it, &kind, &a);

    if (!st)
        st = drxf_check_there(values, "values");
    if (st)
        return st;
    drxf_frame_of(a, &f);
    st = drxf_check_type(&f, values, bits);
    if (!st)
        st = list(&f, indices, n, &at);
    if (!st && !drxf_contiguous(values)) {
        memory = packed = malloc((size_t)n * values->elem_len);
        if (!packed)
            st = drxf_fail(DRX_ENOMEM, "no memory for a list of %lld elements", (long long)n);
    }
    if (!st && writing && packed)
        drxf_pack(values, packed);
    if (!st && n)
        st = writing ? drx_write_points(a, n, at, memory) : drx_read_points(a, n, at, memory);
    if (!st && !writing && packed)
        drxf_unpack(values, packed);
    free(packed);
    free(at);
    return st;
}
