/* What a call does before it touches elements: it waits for requests in the list of async.c, and an append checks its
 * pieces. libdrxmp has this file, too. */
#include "array/access/access.h"

/* Wait for requests that touch an index of `axis` from `from` on, or, at the low end, below it. */
static drx_status wait_for(drx_array *a, struct drxi_pending p, int axis, enum drxi_end end, int64_t from)
{
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];

    for (int j = 0; j < DRX_MAX_NDIM; j++) {
        lo[j] = DRXI_LEAST_INDEX;
        count[j] = INT64_MAX;
    }
    if (end == DRXI_LOW)
        count[axis] = from - DRXI_LEAST_INDEX;
    else
        lo[axis] = from;
    p.lo = lo;
    p.count = count;
    return drxi_wait_turn(a, &p);
}

drx_status drxi_wait_to_grow(drx_array *a, int axis, enum drxi_end end)
{
    int64_t bound;

    if (!a)
        return drxi_no_array();
    if (!drxi_has_pending(a) || axis < 0 || axis >= a->data.ndim)
        return DRX_OK;
    drxi_gate_enter(&a->gate);
    bound = end == DRXI_LOW ? a->data.lower[axis] : a->data.upper[axis];
    drxi_gate_leave(&a->gate);
    return wait_for(a, (struct drxi_pending){ .writing = true }, axis, end, bound);
}

drx_status drxi_wait_for_all(drx_array *a, bool writing, bool collective)
{
    return wait_for(a, (struct drxi_pending){ .writing = writing, .collective = collective }, 0, DRXI_HIGH,
                    DRXI_LEAST_INDEX);
}

void drxi_box_around(const drx_array *a, int64_t n, const int64_t indices[], int64_t lo[], int64_t count[])
{
    const int ndim = a->data.ndim;

    for (int j = 0; j < ndim; j++) {
        int64_t last = indices[j];

        lo[j] = indices[j];
        for (int64_t i = 1; i < n; i++) {
            lo[j] = drxi_min(lo[j], indices[i * ndim + j]);
            last = drxi_max(last, indices[i * ndim + j]);
        }
        count[j] = lo[j] >= DRXI_LEAST_INDEX && last < INT64_MAX + drxi_min(lo[j], 0) ? last - lo[j] + 1 : 0;
    }
}

drx_status drxi_wait_turn_of_points(drx_array *a, bool writing, int64_t n, const int64_t indices[])
{
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];

    if (n == 0 || !drxi_has_pending(a))
        return DRX_OK;
    drxi_box_around(a, n, indices, lo, count);
    return drxi_wait_turn(a, &(struct drxi_pending){ .writing = writing, .lo = lo, .count = count });
}

drx_status drxi_check_piece(const drx_array *a, int64_t done, int64_t by, int64_t n)
{
    if (n >= 1 && n <= by - done)
        return DRX_OK;
    return drxi_fail(DRX_EINVAL, "%s: a piece of %lld indices from index %lld of the slab on, expected 1 to %lld",
                     drxi_parts_of(a)->label, (long long)n, (long long)done, (long long)(by - done));
}

drx_status drxi_refused_piece(const drx_array *a, int64_t done, int64_t by, drx_status st)
{
    if (st && !*drx_last_error())
        return drxi_fail(st, "%s: the append was given up by its caller, after %lld of %lld indices",
                         drxi_parts_of(a)->label, (long long)done, (long long)by);
    return st;
}
