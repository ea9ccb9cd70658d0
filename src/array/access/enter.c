/* Whose turn it is to touch elements, and being inside meanwhile. */
#include "array/access/access.h"

drx_status drxi_enter(drx_array *a, const struct drxi_pending *p)
{
    const drx_status st = p ? drxi_wait_turn(a, p) : DRX_OK;

    drxi_gate_step_in(&a->gate);
    return st;
}

void drxi_leave(drx_array *a)
{
    drxi_gate_step_out(&a->gate);
}

drx_status drxi_shut_out(drx_array *a, drx_status (*call)(drx_array *a, void *with), void *with)
{
    drx_status st;

    drxi_gate_shut(&a->gate);
    st = call(a, with);
    drxi_gate_open(&a->gate);
    return st;
}

drx_status drxi_wait_turn_of_points(drx_array *a, bool writing, int64_t n, const int64_t indices[])
{
    struct drxi_pending p = { .writing = writing };
    struct drxi_turn t;

    drxi_turn_of_points(&p, &t, a, n, indices);
    return drxi_wait_turn(a, &p);
}

drx_status drxi_wait_to_grow(drx_array *a, int axis, enum drxi_end end)
{
    struct drxi_pending p = { .writing = true };
    struct drxi_turn t;

    if (!drxi_has_pending(a) || axis < 0 || axis >= a->data.ndim)
        return DRX_OK;
    drxi_turn_of_all(&p, &t);
    drxi_gate_enter(&a->gate);
    if (end == DRXI_LOW)
        t.count[axis] = a->data.lower[axis] - DRXI_LEAST_INDEX;
    else
        t.lo[axis] = a->data.upper[axis];
    drxi_gate_leave(&a->gate);
    return drxi_wait_turn(a, &p);
}

drx_status drxi_wait_for_all(drx_array *a, bool writing, bool collective)
{
    struct drxi_pending p = { .writing = writing, .collective = collective };
    struct drxi_turn t;

    drxi_turn_of_all(&p, &t);
    return drxi_wait_turn(a, &p);
}
