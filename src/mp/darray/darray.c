/* Making and freeing distributed arrays. Each rank has the valid descriptions of all ranks, so later calls need not ask
 * which rank has what. */
#include "mp/darray/ghosts.h"

static drx_status check_plan(const struct drxi_darray_plan *plan)
{
    char why[512];

    if (plan->ndim < 0 || plan->ndim > DRX_MAX_NDIM)
        return drxi_fail(DRX_EINVAL, "ndim is %d, expected 0 to %d", plan->ndim, DRX_MAX_NDIM);
    if (drx_type_size(plan->type) == 0)
        return drxi_fail(DRX_EINVAL, "type %d is not one of drx_type", (int)plan->type);
    if (plan->order != DRX_ROW_MAJOR && plan->order != DRX_COL_MAJOR)
        return drxi_fail(DRX_EINVAL, "order %d, expected DRX_ROW_MAJOR or DRX_COL_MAJOR", (int)plan->order);
    if (!plan->dims)
        return drxi_fail(DRX_EINVAL, "dims is a null pointer");
    return drxi_dap_fail(dap_validate_dims(plan->ndim, plan->dims, NULL, why, sizeof why), why);
}

static void free_darray(drxmp_darray *d)
{
    if (!d)
        return;
    drxi_memory_free(d);
    drxi_ghosts_free(d->ghosts);
    drxi_spread_free(d);
    dap_release(&d->imported);
    drxi_free(d->dims);
    drxi_free(d->indices);
    drxi_free(d);
}

static drx_status new_darray(MPI_Comm own, const struct drxi_darray_plan *plan, drxmp_darray **out)
{
    drxmp_darray *d = drxi_calloc(1, sizeof *d);

    *out = d;
    if (!d)
        return drxi_fail(DRX_ENOMEM, "out of memory");
    d->comm = own;
    d->shared = d->sections = d->locks = MPI_WIN_NULL;
    (void)MPI_Comm_rank(own, &d->rank);
    (void)MPI_Comm_size(own, &d->ranks);
    d->ndim = plan->ndim;
    d->type = plan->type;
    d->order = plan->order;
    d->item_bytes = drx_type_size(plan->type);
    d->buffer_bytes = plan->buffer_bytes;
    d->dims = drxi_calloc((size_t)d->ranks * (size_t)d->ndim, sizeof *d->dims);
    return d->dims ? DRX_OK : drxi_fail(DRX_ENOMEM, "out of memory for the descriptions of all ranks");
}

/* Get a number for the darray and the settings from rank 0: its environment gives the size of the buffer, unless an
 * array gave it, and d->remote. */
static drx_status hear_from_root(drxmp_darray *d)
{
    static atomic_int_fast64_t last;
    struct drxi_settings settings;
    struct said {
        int64_t id, buffer_bytes;
        struct drxi_remote remote;
    } said = { .buffer_bytes = d->buffer_bytes };
    drx_status st = DRX_OK;

    if (d->rank == DRXI_ROOT) {
        said.id = (int64_t)atomic_fetch_add(&last, 1) + 1;
        if (d->buffer_bytes == 0 && !(st = drxi_settings_init(&settings, d->ranks)))
            said.buffer_bytes = settings.buffer_bytes;
        if (!st)
            st = drxi_settings_remote(&said.remote);
    }
    st = drxi_from_root(d->comm, st, &said, sizeof said);
    d->id = said.id;
    d->buffer_bytes = said.buffer_bytes;
    d->remote = said.remote;
    return st;
}

/* Make the memory in two steps, each with an agreement: all ranks plan, then all allocate. */
static drx_status make_memory(drxmp_darray *d, const struct drxi_darray_plan *plan, drx_status st,
                              const struct drxi_node *node)
{
    if (!st)
        st = drxi_memory_plan(d, plan, node);
    if ((st = drxi_agree(d->comm, st, NULL)))
        return st;
    return drxi_agree(d->comm, drxi_memory_make(d, plan, node), NULL);
}

static drx_status complete_darray(drxmp_darray *d, const struct drxi_darray_plan *plan)
{
    const struct drxi_node *node = NULL;
    drx_status st = hear_from_root(d);

    if (st)
        return st;
    if (plan->apart)
        d->remote.node_ranks = 1;
    st = drxi_gather_dims(d, plan->dims);
    if (d->ranks > 1 && !d->remote.off) {
        const drx_status one = drxi_node_find(plan->comm, d->comm, d->remote.node_ranks, &node);

        st = st ? st : one;
    }
    if (!st)
        st = drxi_spread_axes(d);
    st = make_memory(d, plan, st, node);
    if (st && d->ranks > 1)
        drxi_node_forget(plan->comm);
    return st;
}

drx_status drxi_darray_make(drx_status st, const struct drxi_darray_plan *plan, struct drxi_call *call,
                            drxmp_darray **out)
{
    drxmp_darray *d = NULL;
    MPI_Comm own;
    const drx_status failed = drxi_duplicate_comm(plan->comm, &own);

    if (failed)
        return failed;
    if (plan->imported && (st = drxi_agree(own, st, call))) { /* a rank that failed has no type to compare */
        (void)MPI_Comm_free(&own);
        return st;
    }
    if (!st)
        st = check_plan(plan);
    drxi_call_type(call, "type", plan->type);
    drxi_call_int(call, "ndim", plan->ndim);
    drxi_call_int(call, "order", plan->order);
    if (!st)
        st = new_darray(own, plan, &d);
    st = drxi_agree(own, st, call);
    if (!st)
        st = complete_darray(d, plan);
    if (st) {
        free_darray(d);
        (void)MPI_Comm_free(&own);
        return st;
    }
    *out = d;
    return DRX_OK;
}

drx_status drxmp_darray_create(MPI_Comm comm, drx_type type, int ndim, const struct dap_dim dims[], drx_order order,
                               drxmp_darray **out)
{
    const struct drxi_darray_plan plan = { .type = type, .order = order, .ndim = ndim, .dims = dims, .comm = comm };
    struct drxi_call call;
    drx_status st = DRX_OK;

    drxi_call_start(&call, "drxmp_darray_create");
    if (out)
        *out = NULL;
    else
        st = drxi_fail(DRX_EINVAL, "drxmp_darray_create: out is a null pointer");
    return drxi_darray_make(st, &plan, &call, out);
}

drx_status drxi_darray_begin(drxmp_darray *d, drx_status mine, const struct drxi_call *call)
{
    return d ? drxi_agree(d->comm, mine, call) : drxi_fail(DRX_EINVAL, "the darray is a null pointer");
}

drx_status drxi_darray_check_comm(const drxmp_darray *d, MPI_Comm comm)
{
    int result = MPI_UNEQUAL;
    drx_status st = drxi_check_running();

    if (!st)
        st = drxi_mpi(MPI_Comm_compare(d->comm, comm, &result), "comparing communicators");
    if (!st && result != MPI_IDENT && result != MPI_CONGRUENT)
        return drxi_fail(DRX_EINVAL, "the darray is spread over other ranks, or in another order");
    return st;
}

drx_status drxi_darray_check_writable(const drxmp_darray *d)
{
    return d->read_only ? drxi_fail(DRX_EACCES, "the section was imported for reading only") : DRX_OK;
}

static drx_status pending(int requests)
{
    return requests > 0 ? drxi_fail(DRX_EBUSY, "%d requests that move the section were not waited for", requests)
                        : DRX_OK;
}

drx_status drxi_darray_check_idle(const drxmp_darray *d, bool changing)
{
    return pending(atomic_load(&d->reads) + (changing ? atomic_load(&d->writes) : 0));
}

drx_status drxmp_darray_free(drxmp_darray *d)
{
    struct drxi_call call;
    MPI_Comm comm;
    int exports;
    drx_status st = DRX_OK;

    if (!d)
        return DRX_OK;
    drxi_call_start(&call, "drxmp_darray_free");
    drxi_call_int(&call, "the darray", d->id);
    exports = atomic_load(&d->exports);
    if (exports > 0)
        st = drxi_fail(DRX_EBUSY, "%d exports of the section were not released", exports);
    else
        st = pending(atomic_load(&d->outstanding.given) + atomic_load(&d->reads) + atomic_load(&d->writes));
    if ((st = drxi_darray_begin(d, st, &call)))
        return st;
    comm = d->comm;
    free_darray(d);
    return drxi_mpi(MPI_Comm_free(&comm), "freeing the communicator");
}

void *drxmp_darray_local(drxmp_darray *d)
{
    return d ? d->mem : NULL;
}

const struct dap_dim *drxmp_darray_dims(const drxmp_darray *d)
{
    return d ? drxi_darray_dim(d, d->rank, 0) : NULL;
}
