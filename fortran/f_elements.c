/* Elements: boxes, slabs, single ones and lists. */
#include <stdlib.h>

#include "drxf.h"

/* What the call is for, and what its elements lie in. */
static drx_status find(int64_t id, int how, struct drxf_target *t, struct drxf_frame *f)
{
    const bool any = how <= DRXF_MOVE_WRITE, darray = how >= DRXF_MOVE_DARRAY_GET;
    const drx_status st = drxf_any(id, t);

    if (st)
        return st;
    if (darray == !!t->a || t->ds || !(any || t->kind->move))
        return drxf_other(t->kind, any      ? "an array"
                                   : darray ? "a distributed array"
                                            : "an array of drxmp_open or drxmp_create");
    drxf_frame_at(t, f);
    return DRX_OK;
}

DRX_API drx_status drxf_move(int64_t id, int how, const CFI_cdesc_t *values, const CFI_cdesc_t *start,
                             const CFI_cdesc_t *count, const CFI_cdesc_t *stride, int bits)
{
    const struct drxf_where where = { .start = start, .count = count, .stride = stride, .as_bits = bits };
    const bool together = how == DRXF_MOVE_READ_ALL || how == DRXF_MOVE_WRITE_ALL;
    struct drxf_target t;
    struct drxf_frame f;
    struct drxf_kept wrong;
    struct drxf_box b;
    drx_status st = find(id, how, &t, &f);

    if (st)
        return st;
    st = drxf_relate(&f, values, &where, &b);
    if (st && !together)
        return st;
    if (how == DRXF_MOVE_READ)
        return drx_read_box(t.a, &b.box, b.memory);
    if (how == DRXF_MOVE_WRITE)
        return drx_write_box(t.a, &b.box, b.memory);
    drxf_keep(&wrong, st);
    return t.kind->move(t.it, how, &wrong, &b);
}

DRX_API drx_status drxf_fetch_add(int64_t id, int how, const CFI_cdesc_t *index, const CFI_cdesc_t *add, int64_t *old)
{
    struct drxf_target t;
    struct drxf_frame f;
    int64_t at[DRX_MAX_NDIM], by = 0;
    drx_status st = find(id, how, &t, &f);

    if (!st)
        st = drxf_index(&f, index, "index", at);
    if (!st)
        st = drxf_integer(add, "add", &by);
    return st ? st : t.kind->fetch_add(t.it, at, by, old);
}

/* The part of this process, in the array as it will be. */
static drx_status part(struct drxf_frame f, bool before, int axis, const CFI_cdesc_t *by, const CFI_cdesc_t *values,
                       const struct drxf_where *where, int64_t *n, struct drxf_box *b)
{
    drx_status st = drxf_integer(by, "by", n);

    if (!st && (*n < 0 || *n > INT64_MAX / 4))
        st = drxf_fail_of(f.a, DRX_EINVAL, "by is %lld, expected the indices that are new, at least 0", (long long)*n);
    if (st)
        return st;
    f.shape[axis] += *n;
    if (before)
        f.lower[axis] -= *n;
    return drxf_relate(&f, values, where, b);
}

/* A slab, whose extents say by how much the array grows; with `by`, each process gives a part of it. */
DRX_API drx_status drxf_append(int64_t id, int before, const CFI_cdesc_t *axis, const CFI_cdesc_t *values, int bits,
                               const CFI_cdesc_t *by, const CFI_cdesc_t *start, const CFI_cdesc_t *count)
{
    const struct drxf_where where = { .start = start, .count = count, .as_bits = bits };
    struct drxf_target t;
    struct drxf_frame f;
    struct drxf_kept wrong;
    struct drxf_box b;
    const void *slab = NULL;
    void *made = NULL;
    int64_t n = 0;
    int at;
    drx_status st = find(id, by ? DRXF_MOVE_WRITE_ALL : DRXF_MOVE_WRITE, &t, &f);

    if (st)
        return st;
    if (!by && t.kind->together)
        return drxf_fail_of(t.a, DRX_EINVAL,
                            "many processes have it open: expected drxmp_append_all or drxmp_prepend_all");
    st = drxf_axis(t.a, axis, &at);
    if (!st && by)
        st = part(f, before, at, by, values, &where, &n, &b);
    if (!st && !by)
        st = drxf_check_values(&f, values, "values", bits);
    if (!st && !by)
        st = drxf_slab(t.a, values, at, &n);
    if (!st) {
        slab = drxf_in_one_piece(values, &made);
        st = slab ? DRX_OK : DRX_ENOMEM;
    }
    drxf_keep(&wrong, st);
    if (by)
        st = t.kind->append(t.it, before, at, n, &wrong, &b, slab);
    else if (!st)
        st = (before ? drx_prepend : drx_append)(t.a, at, n, DRX_COL_MAJOR, slab);
    free(made);
    return st;
}

/* One element. */
DRX_API drx_status drxf_element(int64_t id, int how, const CFI_cdesc_t *index, const CFI_cdesc_t *value, int bits)
{
    struct drxf_target t;
    struct drxf_frame f;
    int64_t at[DRX_MAX_NDIM];
    drx_status st = find(id, how, &t, &f);

    if (!st)
        st = drxf_check_values(&f, value, "value", bits);
    if (!st && drxf_size(value) != 1)
        st = drxf_fail(DRX_EINVAL, "value has %lld elements, expected one", (long long)drxf_size(value));
    if (!st)
        st = drxf_index(&f, index, "index", at);
    if (st)
        return st;
    return how == DRXF_MOVE_WRITE ? drx_put(t.a, at, value->base_addr) : drx_get(t.a, at, value->base_addr);
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

DRX_API drx_status drxf_points(int64_t id, int how, const CFI_cdesc_t *indices, const CFI_cdesc_t *values, int bits)
{
    const int64_t n = drxf_size(values);
    struct drxf_target t;
    struct drxf_frame f;
    const void *piece = NULL;
    void *made = NULL;
    int64_t *at = NULL;
    drx_status st = find(id, how, &t, &f);

    if (!st)
        st = drxf_check_values(&f, values, "values", bits);
    if (!st)
        st = list(&f, indices, n, &at);
    if (!st && n) {
        piece = drxf_in_one_piece(values, &made);
        st = piece ? DRX_OK : DRX_ENOMEM;
    }
    if (!st && n)
        st = how == DRXF_MOVE_WRITE ? drx_write_points(t.a, n, at, piece)
                                    : drx_read_points(t.a, n, at, made ? made : values->base_addr);
    if (!st && made && how == DRXF_MOVE_READ)
        drxf_unpack(values, made);
    free(made);
    free(at);
    return st;
}
