/* A section of a GA, and the box of an array that it goes to or comes from. */
#include <string.h>

#include "ga_inside.h"

static drx_status take_section(const struct drxgai_call *call, struct drxgai_move *m)
{
    const struct drxgai_global *g = &m->g;

    for (int i = 0; i < g->ndim; i++) {
        m->glo[i] = call->glo ? call->glo[i] : 0;
        m->ghi[i] = call->ghi ? call->ghi[i] : g->dims[i] - 1;
        if (m->glo[i] < 0 || m->ghi[i] < m->glo[i] || m->ghi[i] >= g->dims[i])
            return drxgai_fail_of(g, DRX_ERANGE, "axis %d: section from %lld to %lld, the axis has %d to %lld",
                                  drxgai_axis(i, g->ndim, m->fortran), (long long)m->glo[i] + m->fortran,
                                  (long long)m->ghi[i] + m->fortran, m->fortran, (long long)g->dims[i] - !m->fortran);
    }
    return DRX_OK;
}

static drx_status take_axis(const int perm[], int j, bool used[], struct drxgai_move *m)
{
    const struct drxgai_global *g = &m->g;
    const int none = m->fortran ? g->ndim : -1; /* Fortran says 0 */
    const int trailing = g->ndim - m->ndim + j;
    const int i = perm ? perm[j] : trailing < 0 ? none : trailing;

    m->axis[j] = i == none ? -1 : i;
    if (i == none)
        return DRX_OK;
    if (i < 0 || i >= g->ndim)
        return drxgai_fail_of(g, DRX_EINVAL, "perm: %d for axis %d of the array, expected %d to %d, or %d for none",
                              drxgai_axis(i, g->ndim, m->fortran), drxgai_axis(j, m->ndim, m->fortran), m->fortran,
                              g->ndim - !m->fortran, m->fortran - 1);
    if (used[i])
        return drxgai_fail_of(g, DRX_EINVAL, "perm has %d twice", drxgai_axis(i, g->ndim, m->fortran));
    used[i] = true;
    return DRX_OK;
}

static drx_status take_axes(const int perm[], struct drxgai_move *m)
{
    const struct drxgai_global *g = &m->g;
    bool used[GA_MAX_DIM] = { false };
    drx_status st = DRX_OK;

    for (int j = 0; !st && j < m->ndim; j++)
        st = take_axis(perm, j, used, m);
    for (int i = 0; !st && i < g->ndim; i++)
        if (!used[i] && m->ghi[i] != m->glo[i])
            st = drxgai_fail_of(g, DRX_EMISMATCH,
                                "axis %d goes to no axis of the array, but the section has %lld indices there",
                                drxgai_axis(i, g->ndim, m->fortran), (long long)(m->ghi[i] - m->glo[i] + 1));
    return st;
}

static drx_status take_box(const int64_t lo[], struct drxgai_move *m)
{
    const int64_t *lower = drx_lower(m->a), *shape = drx_shape(m->a);

    for (int j = 0; j < m->ndim; j++) {
        const int i = m->axis[j];

        m->lo[j] = lo ? lo[j] : lower[j];
        m->count[j] = i < 0 ? 1 : m->ghi[i] - m->glo[i] + 1;
        if (m->lo[j] < lower[j] || m->lo[j] > lower[j] + (shape[j] - m->count[j]))
            return drxgai_fail_of(&m->g, DRX_ERANGE,
                                  "axis %d of the array: %lld indices from %lld on, the axis has %lld from %lld on",
                                  drxgai_axis(j, m->ndim, m->fortran), (long long)m->count[j],
                                  (long long)(m->fortran ? m->lo[j] - lower[j] + 1 : m->lo[j]), (long long)shape[j],
                                  (long long)(m->fortran ? 1 : lower[j]));
    }
    return DRX_OK;
}

drx_status drxgai_relate(const struct drxgai_call *call, drx_array *a, struct drxgai_move *m)
{
    drx_status st;

    memset(m, 0, sizeof *m);
    if (call->wrong)
        return call->wrong;
    if (!a)
        return shim_fail(DRX_EINVAL, "the array is a null pointer");
    st = drxgai_look(call->g_a, &m->g);
    if (st)
        return st;
    m->writing = call->writing;
    m->fortran = call->fortran;
    m->a = a;
    m->ndim = drx_ndim(a);
    if (drx_dtype(a) != m->g.type)
        return drxgai_fail_of(&m->g, DRX_EMISMATCH, "elements of type %s, the array has %s", drx_type_name(m->g.type),
                              drx_type_name(drx_dtype(a)));
    st = take_section(call, m);
    if (!st)
        st = take_axes(call->perm, m);
    if (!st)
        st = take_box(call->lo, m);
    return st;
}

static void point(struct drxgai_box *b)
{
    b->box = (drx_box){ .lo = b->lo, .count = b->count, .stride = b->stride };
}

void drxgai_box_of(const struct drxgai_move *m, const int64_t glo[], const int64_t ghi[], const int64_t gstride[],
                   struct drxgai_box *out)
{
    for (int j = 0; j < m->ndim; j++) {
        const int i = m->axis[j];

        out->lo[j] = m->lo[j] + (i < 0 ? 0 : glo[i] - m->glo[i]);
        out->count[j] = i < 0 ? 1 : ghi[i] - glo[i] + 1;
        out->stride[j] = i < 0 ? 1 : gstride[i];
    }
    point(out);
}

void drxgai_no_box(const struct drxgai_move *m, struct drxgai_box *out)
{
    for (int j = 0; j < m->ndim; j++) {
        out->lo[j] = m->lo[j];
        out->count[j] = 0;
        out->stride[j] = 1;
    }
    point(out);
}
