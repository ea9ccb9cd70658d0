/* Boxes of each rank: read and written by its own calls on the data file. */
#include "mp/mp.h"

drx_status drxmp_read(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, void *buf)
{
    return m ? drx_read(m->a, lo, count, order, buf) : drxi_no_array();
}

drx_status drxmp_write(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, const void *buf)
{
    return m ? drx_write(m->a, lo, count, order, buf) : drxi_no_array();
}

drx_status drxmp_read_strided(drxmp_array *m, const int64_t lo[], const int64_t count[], const int64_t step[],
                              const int64_t stride[], void *buf)
{
    return m ? drx_read_box(m->a, &(drx_box){ .lo = lo, .count = count, .step = step, .stride = stride }, buf) : drxi_no_array();
}

drx_status drxmp_write_strided(drxmp_array *m, const int64_t lo[], const int64_t count[], const int64_t step[],
                               const int64_t stride[], const void *buf)
{
    return m ? drx_write_box(m->a, &(drx_box){ .lo = lo, .count = count, .step = step, .stride = stride }, buf) : drxi_no_array();
}

/* ---- together --------------------------------------------------------------------------------- */

/* A call with the box of this rank; `out`: begun only. */
static drx_status move_all(drxmp_array *m, const char *name, bool writing, const drx_box *wanted, void *buf,
                           drx_request **out)
{
    int64_t stride_bytes[DRX_MAX_NDIM];
    const struct drxi_box box = {
        .lo = wanted->lo, .count = wanted->count, .step = wanted->step, .stride_bytes = stride_bytes
    };
    struct drxi_call call;
    bool empty = true;
    drx_status st;

    if (!m)
        return drxi_no_array();
    drxi_call_start(&call, name);
    drxi_gate_enter(&m->a->gate);
    st = writing ? drxi_check_writable(m->a) : DRX_OK;
    if (!st)
        st = drxi_check_box(m->a, m->a->state.shape, wanted, buf, &empty, stride_bytes);
    if (!st && m->a->pool)
        st = drxi_pool_flush(m->a->pool);
    if (out)
        st = drxi_move_boxes_start(m, writing, &call, st, empty ? NULL : &box, buf, out);
    else
        st = drxi_move_boxes(m, writing, &call, st, empty ? NULL : &box, buf);
    drxi_gate_leave(&m->a->gate);
    return st;
}

drx_status drxmp_read_all(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, void *buf)
{
    const drx_box wanted = { .lo = lo, .count = count, .order = order };

    return move_all(m, "drxmp_read_all", false, &wanted, buf, NULL);
}

drx_status drxmp_write_all(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, const void *buf)
{
    const drx_box wanted = { .lo = lo, .count = count, .order = order };

    return move_all(m, "drxmp_write_all", true, &wanted, (void *)(uintptr_t)buf, NULL); /* only read */
}

drx_status drxmp_read_strided_all(drxmp_array *m, const int64_t lo[], const int64_t count[], const int64_t step[],
                                  const int64_t stride[], void *buf)
{
    const drx_box wanted = { .lo = lo, .count = count, .step = step, .stride = stride };

    return move_all(m, "drxmp_read_strided_all", false, &wanted, buf, NULL);
}

drx_status drxmp_write_strided_all(drxmp_array *m, const int64_t lo[], const int64_t count[], const int64_t step[],
                                   const int64_t stride[], const void *buf)
{
    const drx_box wanted = { .lo = lo, .count = count, .step = step, .stride = stride };

    return move_all(m, "drxmp_write_strided_all", true, &wanted, (void *)(uintptr_t)buf, NULL); /* only read */
}

/* ---- begun, and waited for later ---------------------------------------------------------------- */

drx_status drxmp_iread_all(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, void *buf,
                           drx_request **req)
{
    const drx_box wanted = { .lo = lo, .count = count, .order = order };

    if (!req)
        return drxi_fail(DRX_EINVAL, "req is a null pointer");
    *req = NULL;
    return move_all(m, "drxmp_iread_all", false, &wanted, buf, req);
}

drx_status drxmp_iwrite_all(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, const void *buf,
                            drx_request **req)
{
    const drx_box wanted = { .lo = lo, .count = count, .order = order };

    if (!req)
        return drxi_fail(DRX_EINVAL, "req is a null pointer");
    *req = NULL;
    return move_all(m, "drxmp_iwrite_all", true, &wanted, (void *)(uintptr_t)buf, req); /* only read */
}
