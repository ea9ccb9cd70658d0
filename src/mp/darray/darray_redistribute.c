/* Copying elements from sections to sections, in as many rounds as there are ranks. In a round each rank sends to one
 * rank and receives from one, a piece at a time. Sender and receiver compute the same pieces. */
#include "mp/darray/darray.h"

enum { TAG = 2, PIECE_BYTES = 1 << 20 }; /* larger pieces do not stay in the caches */

drx_status drxi_flow_memory(struct drxi_flow *flow, const drxmp_darray *d)
{
    flow->comm = d->comm;
    flow->rank = d->rank;
    flow->ranks = d->ranks;
    flow->ndim = d->ndim;
    flow->item_bytes = d->item_bytes;
    flow->most = drxi_min(d->buffer_bytes / 2, PIECE_BYTES) / (int64_t)d->item_bytes;
    flow->out = drxi_malloc((size_t)flow->most * d->item_bytes);
    flow->in = drxi_malloc((size_t)flow->most * d->item_bytes);
    return flow->out && flow->in
               ? DRX_OK
               : drxi_fail(DRX_ENOMEM, "out of memory for pieces of %lld elements", (long long)flow->most);
}

void drxi_flow_free(struct drxi_flow *flow)
{
    drxi_free(flow->out);
    drxi_free(flow->in);
}

static void start_pieces(const struct drxi_flow *flow, struct drxi_pieces *p, int from, int to)
{
    drxi_pieces_start(p, flow->ndim, flow->from + (int64_t)from * flow->ndim, flow->to + (int64_t)to * flow->ndim,
                      flow->most);
}

static void keep_own(struct drxi_flow *flow)
{
    struct drxi_pieces p;

    start_pieces(flow, &p, flow->rank, flow->rank);
    while (drxi_pieces_next(&p))
        drxi_pieces_copy(&p, flow->item_bytes, flow->mem_to, flow->mem_from);
}

/* Send to one rank and receive from one. A failure does not stop it, because the others wait. */
static drx_status send_and_receive(struct drxi_flow *flow, int to, int from)
{
    const struct drxi_side out = { DRXI_SIDE_PACKED, flow->out, NULL }, in = { DRXI_SIDE_PACKED, flow->in, NULL };
    struct drxi_pieces sent, received;
    bool sends = true, receives = true;
    drx_status st = DRX_OK;

    start_pieces(flow, &sent, flow->rank, to);
    start_pieces(flow, &received, from, flow->rank);
    for (;;) {
        int out_bytes = 0, in_bytes = 0, code;

        sends = sends && drxi_pieces_next(&sent);
        receives = receives && drxi_pieces_next(&received);
        if (!sends && !receives)
            return st;
        if (sends) {
            out_bytes = (int)(drxi_pieces_count(&sent) * (int64_t)flow->item_bytes);
            drxi_pieces_copy(&sent, flow->item_bytes, out, flow->mem_from);
        }
        if (receives)
            in_bytes = (int)(drxi_pieces_count(&received) * (int64_t)flow->item_bytes);
        code = MPI_Sendrecv(flow->out, out_bytes, MPI_BYTE, sends ? to : MPI_PROC_NULL, TAG, flow->in, in_bytes,
                            MPI_BYTE, receives ? from : MPI_PROC_NULL, TAG, flow->comm, MPI_STATUS_IGNORE);
        if (!st)
            st = drxi_mpi(code, "moving a piece");
        if (receives && code == MPI_SUCCESS)
            drxi_pieces_copy(&received, flow->item_bytes, flow->mem_to, in);
    }
}

drx_status drxi_flow_run(struct drxi_flow *flow)
{
    drx_status st = DRX_OK, one;

    keep_own(flow);
    for (int k = 1; k < flow->ranks; k++) {
        one = send_and_receive(flow, (flow->rank + k) % flow->ranks, (flow->rank + flow->ranks - k) % flow->ranks);
        st = st ? st : one;
    }
    return st;
}

static drx_status check(const drxmp_darray *from, const drxmp_darray *to)
{
    drx_status st;
    int exports;

    if (!to)
        return drxi_fail(DRX_EINVAL, "the darray to redistribute to is a null pointer");
    if (from == to)
        return drxi_fail(DRX_EINVAL, "cannot redistribute a darray to itself");
    if ((st = drxi_darray_check_comm(to, from->comm)))
        return st;
    if (to->ndim != from->ndim || to->type != from->type)
        return drxi_fail(DRX_EINVAL, "the target has %d axes of %s, expected %d of %s", to->ndim,
                         drx_type_name(to->type), from->ndim, drx_type_name(from->type));
    for (int j = 0; j < from->ndim; j++)
        if (to->dims[j].size != from->dims[j].size)
            return drxi_fail(DRX_EINVAL, "axis %d: the target has size %lld, expected %lld", j,
                             (long long)to->dims[j].size, (long long)from->dims[j].size);
    exports = atomic_load(&to->exports);
    if (exports > 0)
        return drxi_fail(DRX_EBUSY, "%d exports of the section to redistribute to were not released", exports);
    return drxi_darray_check_writable(to);
}

static drx_status plan(const drxmp_darray *from, const drxmp_darray *to, struct drxi_flow *flow,
                       struct drxi_axis_set **sets)
{
    const size_t n = (size_t)from->ranks * (size_t)from->ndim;

    *sets = drxi_malloc(2 * n * sizeof **sets);
    if (!*sets)
        return drxi_fail(DRX_ENOMEM, "out of memory for the index sets of all ranks");
    drxi_darray_sets(from, true, *sets);
    drxi_darray_sets(to, false, *sets + n);
    flow->from = *sets;
    flow->to = *sets + n;
    flow->mem_from = (struct drxi_side){ DRXI_SIDE_A, from->mem, from->stride_bytes };
    flow->mem_to = (struct drxi_side){ DRXI_SIDE_B, to->mem, to->stride_bytes };
    return drxi_flow_memory(flow, from);
}

drx_status drxmp_darray_redistribute(drxmp_darray *from, drxmp_darray *to)
{
    struct drxi_flow flow = { 0 };
    struct drxi_axis_set *sets = NULL;
    struct drxi_call call;
    drx_status st;

    if (!from)
        return drxi_fail(DRX_EINVAL, "the darray to redistribute is a null pointer");
    drxi_call_start(&call, "drxmp_darray_redistribute");
    drxi_call_int(&call, "the darray", from->id);
    drxi_call_int(&call, "the darray to fill", to ? to->id : 0);
    st = check(from, to);
    if (!st)
        st = plan(from, to, &flow, &sets);
    st = drxi_darray_begin(from, st, &call);
    if (!st)
        st = drxi_agree(from->comm, drxi_flow_run(&flow), NULL);
    drxi_flow_free(&flow);
    drxi_free(sets);
    return st;
}
