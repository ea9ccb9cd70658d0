/* One-sided access to the elements of an array in the memory of a job, by boxes and by lists. */
#include "mp/memory/job.h"

drx_status drxi_job_check_there(const drxmp_array *m, const char *call)
{
    if (!m)
        return drxi_no_array();
    return m->job ? DRX_OK
                  : drxi_fail(DRX_EUNSUPPORTED, "%s: %s: it is in files, not in the memory of the job",
                              drxi_parts_of(m->a)->label, call);
}

/* Whether sums can be made: they need the lock of the rank that has the elements. */
static drx_status check_locks(const drxmp_array *m)
{
    return m->job->locks->cut_off
               ? drxi_fail(DRX_EUNSUPPORTED, "%s: no locks: DRXMP_ONESIDED was off, or MPI could make no windows",
                           drxi_parts_of(m->a)->label)
               : DRX_OK;
}

static drx_status move_checked(drxmp_array *m, enum drxi_access how, const void *alpha, const drx_box *box, void *buf,
                               struct drxi_begun *begun)
{
    const struct drxi_data *s = drxi_data_of(m->a);
    int64_t stride_bytes[DRX_MAX_NDIM];
    bool empty;
    drx_status st = how == DRXI_GET ? DRX_OK : drxi_check_writable(m->a);

    if (!st && how == DRXI_ADD)
        st = drxi_check_addable(m->job->type);
    if (!st && how == DRXI_ADD)
        st = check_locks(m);
    if (!st)
        st = drxi_check_box(m->a, s->lower, s->upper, box, buf, &empty, stride_bytes);
    if (st || empty)
        return st;
    return drxi_job_move(
        m, how, alpha ? alpha : drxi_one_of(m->job->type),
        &(struct drxi_box){ .lo = box->lo, .count = box->count, .step = box->step, .stride_bytes = stride_bytes }, buf,
        begun);
}

/* With `req`, begin it; without, do it. The requests of this rank that it must not overtake come first. Only a get
 * writes to the buffer. */
static drx_status move_job_box(drxmp_array *m, const char *call, enum drxi_access how, const void *alpha,
                               const drx_box *box, const void *buf, drx_request **req)
{
    const bool writing = how != DRXI_GET;
    struct drxi_one_sided *r = NULL;
    drx_status st = drxi_job_check_there(m, call);

    if (req)
        *req = NULL;
    if (!st && !box)
        st = drxi_fail(DRX_EINVAL, "%s: %s: the box is a null pointer", drxi_parts_of(m->a)->label, call);
    if (!st && req)
        st = drxi_one_sided_new(&m->job->outstanding, (size_t)m->job->item_bytes, &r);
    if (st)
        return st;
    st = drxi_enter(
        m->a, &(struct drxi_pending){ .writing = writing, .lo = box->lo, .count = box->count, .step = box->step });
    if (!st) {
        drxi_begun_before(&m->job->outstanding, writing, box);
        st = move_checked(m, how, alpha, box, (void *)(uintptr_t)buf, r ? &r->begun : NULL);
    }
    if (r) /* inside: until others can see that it is pending */
        st = drxi_one_sided_give(r, st, writing, drx_ndim(m->a), box, req);
    drxi_leave(m->a);
    return st;
}

drx_status drxi_job_access(drxmp_array *m, bool writing, const drx_box *box, void *buf)
{
    return move_job_box(m, "drxmp_read or drxmp_write", writing ? DRXI_PUT : DRXI_GET, NULL, box, buf, NULL);
}

drx_status drxmp_get(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, void *buf)
{
    const drx_box box = { .lo = lo, .count = count, .order = order };

    return move_job_box(m, "drxmp_get", DRXI_GET, NULL, &box, buf, NULL);
}

drx_status drxmp_put(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, const void *buf)
{
    const drx_box box = { .lo = lo, .count = count, .order = order };

    return move_job_box(m, "drxmp_put", DRXI_PUT, NULL, &box, buf, NULL);
}

drx_status drxmp_acc(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, const void *alpha,
                     const void *buf)
{
    const drx_box box = { .lo = lo, .count = count, .order = order };

    return move_job_box(m, "drxmp_acc", DRXI_ADD, alpha, &box, buf, NULL);
}

drx_status drxmp_get_box(drxmp_array *m, const drx_box *box, void *buf, drx_request **req)
{
    return move_job_box(m, "drxmp_get_box", DRXI_GET, NULL, box, buf, req);
}

drx_status drxmp_put_box(drxmp_array *m, const drx_box *box, const void *buf, drx_request **req)
{
    return move_job_box(m, "drxmp_put_box", DRXI_PUT, NULL, box, buf, req);
}

drx_status drxmp_acc_box(drxmp_array *m, const drx_box *box, const void *alpha, const void *buf, drx_request **req)
{
    return move_job_box(m, "drxmp_acc_box", DRXI_ADD, alpha, box, buf, req);
}

/* ---- elements ---- */

static drx_status enter_points(drxmp_array *m, bool writing, int64_t n, const int64_t indices[])
{
    struct drxi_pending p = { .writing = writing };
    struct drxi_turn turn;
    drx_status st;

    drxi_turn_of_points(&p, &turn, m->a, n, indices);
    st = drxi_enter(m->a, &p);
    if (!st)
        drxi_begun_before(&m->job->outstanding, writing, NULL);
    return st;
}

static drx_status check_job_indices(const drxmp_array *m, int64_t n, const int64_t indices[])
{
    const struct drxi_state *s = drxi_state_of(m->a);
    const int ndim = s->desc.ndim;

    for (int64_t i = 0; i < n; i++)
        for (int j = 0; j < ndim; j++)
            if (indices[i * ndim + j] < s->lower[j] || indices[i * ndim + j] >= s->upper[j])
                return drxi_fail(DRX_ERANGE, "%s: axis %d: element %lld: index %lld, the bounds are %lld and %lld",
                                 drxi_parts_of(m->a)->label, j, (long long)i, (long long)indices[i * ndim + j],
                                 (long long)s->lower[j], (long long)s->upper[j]);
    return DRX_OK;
}

static struct drxi_job_place index_place(const drxmp_array *m, const int64_t index[])
{
    const int64_t offset = drxi_offset_of(drxi_data_of(m->a), index);
    const int64_t address = offset / m->job->pitch_bytes;
    struct drxi_job_place p = drxi_job_find(m->job, address);

    p.offset += offset - address * m->job->pitch_bytes;
    return p;
}

static inline __attribute__((always_inline)) drx_status find(const void *of, const int64_t index[],
                                                             struct drxi_target *at)
{
    const drxmp_array *m = of;
    const struct drxi_job_place p = index_place(m, index);

    drxi_job_target(m->job, &p, at);
    return at->near ? drxi_job_touch(m->job, &p, m->job->item_bytes) : DRX_OK;
}

static drx_status move_list(drxmp_array *m, const char *call, bool writing, int64_t n, const int64_t indices[],
                            void *values)
{
    drx_status st = drxi_job_check_there(m, call);

    if (st)
        return st;
    if ((st = drxi_check_list(call, n, indices, values)))
        return st;
    st = enter_points(m, writing, n, indices);
    if (!st && writing)
        st = drxi_check_writable(m->a);
    if (!st)
        st = check_job_indices(m, n, indices);
    atomic_thread_fence(memory_order_acquire);
    if (!st)
        st = drxi_move_list(&(struct drxi_elements){ find, m, (size_t)m->job->item_bytes, drx_ndim(m->a) }, writing, n,
                            indices, values);
    atomic_thread_fence(memory_order_release);
    drxi_leave(m->a);
    return st;
}

drx_status drxmp_gather(drxmp_array *m, int64_t n, const int64_t indices[], void *values)
{
    return move_list(m, "drxmp_gather", false, n, indices, values);
}

drx_status drxmp_scatter(drxmp_array *m, int64_t n, const int64_t indices[], const void *values)
{
    return move_list(m, "drxmp_scatter", true, n, indices, (void *)(uintptr_t)values); /* only read */
}

static drx_status fetch_add(drxmp_array *m, const int64_t index[], int64_t by, int64_t *old)
{
    struct drxi_target at;
    drx_status st = drxi_check_writable(m->a), one;

    if (!st)
        st = check_locks(m);
    if (!st)
        st = check_job_indices(m, 1, index);
    if (st || (st = find(m, index, &at)) || (st = drxi_job_lock(m->job, at.rank)))
        return st;
    st = drxi_add_at(&at, m->job->type, (size_t)m->job->item_bytes, by, old);
    one = drxi_job_unlock(m->job, at.rank);
    return st ? st : one;
}

drx_status drxmp_fetch_add(drxmp_array *m, const int64_t index[], int64_t by, int64_t *old)
{
    int64_t before = 0;
    drx_status st = drxi_job_check_there(m, "drxmp_fetch_add");

    if (st)
        return st;
    if (!index)
        return drxi_fail(DRX_EINVAL, "drxmp_fetch_add: index is a null pointer");
    if ((st = drxi_check_integers("drxmp_fetch_add", m->job->type)))
        return st;
    st = enter_points(m, true, 1, index);
    if (!st)
        st = fetch_add(m, index, by, &before);
    drxi_leave(m->a);
    if (!st && old)
        *old = before;
    return st;
}

drx_status drxmp_holder(drxmp_array *m, const int64_t index[], int *rank)
{
    drx_status st = drxi_job_check_there(m, "drxmp_holder");

    if (st)
        return st;
    if (!index || !rank)
        return drxi_fail(DRX_EINVAL, "drxmp_holder: index or rank is a null pointer");
    (void)drxi_enter(m->a, NULL);
    st = check_job_indices(m, 1, index);
    if (!st)
        *rank = index_place(m, index).rank;
    drxi_leave(m->a);
    return st;
}
