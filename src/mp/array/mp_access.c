/* Reading and writing boxes, by one rank alone or by all together. */
#include "mp/mp.h"

static drx_status access_file(drxmp_array *m, bool writing, const drx_box *box, void *buf)
{
    return writing ? drx_write_box(m->a, box, buf) : drx_read_box(m->a, box, buf);
}

static drx_status move_in_file(drxmp_array *m, bool writing, const struct drxi_box *box, void *mem)
{
    return drxi_transfer(drxi_data_of(m->a), writing, box, mem);
}

/* What crashes or trims have left, the root restores durably before a growth uncovers it. */
static drx_status settle_access(drxmp_array *m, const struct drxi_step *step, bool doubt)
{
    drx_status st;

    (void)step;
    if (!drxi_data_of(m->a)->file->stored->epochs || m->ranks == 1)
        return DRX_OK;
    st = drxi_from_root(m->comm, DRX_OK, &doubt, sizeof doubt);
    return st || !doubt ? st : drxi_agree(m->comm, drxi_settle_payloads(m), NULL);
}

const struct drxi_mp_ways drxi_in_files = { access_file, move_in_file, settle_access };

drx_status drxmp_read(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, void *buf)
{
    return m ? m->ways->access(m, false, &(drx_box){ .lo = lo, .count = count, .order = order }, buf) : drxi_no_array();
}

drx_status drxmp_write(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, const void *buf)
{
    return m ? m->ways->access(m, true, &(drx_box){ .lo = lo, .count = count, .order = order },
                               (void *)(uintptr_t)buf) /* only read */
             : drxi_no_array();
}

/* Move the box of this rank in a collective call; a NULL box is an error. With `out`, only begin. */
static drx_status move_all(drxmp_array *m, const char *name, bool writing, const drx_box *given, void *buf,
                           drx_request **out)
{
    int64_t stride_bytes[DRX_MAX_NDIM];
    struct drxi_box box = { .stride_bytes = stride_bytes };
    struct drxi_call call;
    bool empty = true;
    drx_status st;

    if (!m)
        return drxi_no_array();
    drxi_call_start(&call, name);
    drxi_enter_box(m->a, writing, given);
    st = writing ? drxi_check_writable(m->a) : DRX_OK;
    if (!st)
        st = given ? drxi_check_box(m->a, drxi_data_of(m->a)->lower, drxi_data_of(m->a)->upper, given, buf, &empty,
                                    stride_bytes)
                   : drxi_fail(DRX_EINVAL, "%s: the box is a null pointer", drxi_parts_of(m->a)->label);
    if (!st && !empty) {
        box.lo = given->lo;
        box.count = given->count;
        box.step = given->step;
    }
    if (out)
        st = drxi_move_boxes_start(m, writing, &call, st, empty ? NULL : &box, buf, out);
    else
        st = drxi_move_boxes(m, writing, &call, st, empty ? NULL : &box, buf);
    drxi_leave(m->a);
    return st;
}

drx_status drxmp_read_box_all(drxmp_array *m, const drx_box *box, void *buf)
{
    return move_all(m, "drxmp_read_box_all", false, box, buf, NULL);
}

drx_status drxmp_write_box_all(drxmp_array *m, const drx_box *box, const void *buf)
{
    return move_all(m, "drxmp_write_box_all", true, box, (void *)(uintptr_t)buf, NULL); /* only read */
}

drx_status drxmp_read_all(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, void *buf)
{
    const drx_box box = { .lo = lo, .count = count, .order = order };

    return move_all(m, "drxmp_read_all", false, &box, buf, NULL);
}

drx_status drxmp_write_all(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, const void *buf)
{
    const drx_box box = { .lo = lo, .count = count, .order = order };

    return move_all(m, "drxmp_write_all", true, &box, (void *)(uintptr_t)buf, NULL); /* only read */
}

static drx_status begin_all(drxmp_array *m, const char *name, bool writing, const drx_box *box, void *buf,
                            drx_request **req)
{
    drx_request *none = NULL;

    if (!req) { /* the other ranks hear of it */
        if (!move_all(m, name, writing, NULL, buf, &none) && none)
            (void)drx_wait(none);
        return drxi_fail(DRX_EINVAL, "%s: req is a null pointer", name);
    }
    *req = NULL;
    return move_all(m, name, writing, box, buf, req);
}

drx_status drxmp_iread_all(drxmp_array *m, const drx_box *box, void *buf, drx_request **req)
{
    return begin_all(m, "drxmp_iread_all", false, box, buf, req);
}

drx_status drxmp_iwrite_all(drxmp_array *m, const drx_box *box, const void *buf, drx_request **req)
{
    return begin_all(m, "drxmp_iwrite_all", true, box, (void *)(uintptr_t)buf, req); /* only read */
}
