/* One-sided access to the elements of an array in the memory of a job, by boxes and by lists. */
#include "copy/accumulate.h"
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

/* What a call does with a box. */
struct access {
    enum drxi_access how;
    const void *alpha; /* of an addition */
    const drx_box *box;
    void *buf; /* only a get writes there */
};

static drx_status move_checked(drxmp_array *m, const struct access *x, struct drxi_begun *begun)
{
    const struct drxi_data *s = drxi_data_of(m->a);
    int64_t stride_bytes[DRX_MAX_NDIM];
    bool empty;
    drx_status st = x->how == DRXI_GET ? DRX_OK : drxi_check_writable(m->a);

    if (!st && x->how == DRXI_ADD)
        st = drxi_check_addable(m->job->type);
    if (!st && x->how == DRXI_ADD)
        st = check_locks(m);
    if (!st)
        st = drxi_check_box(m->a, s->lower, s->upper, x->box, x->buf, &empty, stride_bytes);
    if (st || empty)
        return st;
    return drxi_job_move(
        m, x->how, x->alpha,
        &(struct drxi_box){
            .lo = x->box->lo, .count = x->box->count, .step = x->box->step, .stride_bytes = stride_bytes },
        x->buf, begun);
}

/* Enter, when the requests of this rank are over that this access must not overtake. */
static drx_status enter(drxmp_array *m, bool writing, const drx_box *box)
{
    const struct drxi_pending mine = { .writing = writing, .lo = box->lo, .count = box->count, .step = box->step };
    const drx_status st = drxi_enter(m->a, &mine);

    if (!st)
        drxi_begun_before(&m->job->outstanding, writing, box);
    return st;
}

static drx_status move_in_turn(drxmp_array *m, const struct access *x)
{
    drx_status st = enter(m, x->how != DRXI_GET, x->box);

    if (!st)
        st = move_checked(m, x, NULL);
    drxi_leave(m->a);
    return st;
}

static drx_status move(drxmp_array *m, enum drxi_access how, const void *alpha, const drx_box *box, void *buf)
{
    return move_in_turn(m, &(struct access){ .how = how, .alpha = alpha, .box = box, .buf = buf });
}

static drx_status begin(drxmp_array *m, const struct access *x, drx_request **req)
{
    struct drxi_one_sided *r;
    drx_status st = drxi_one_sided_new(&m->job->outstanding, (size_t)m->job->item_bytes, &r);

    if (st)
        return st;
    st = enter(m, x->how != DRXI_GET, x->box); /* until others can see that it is pending */
    if (!st)
        st = move_checked(m, x, &r->begun);
    st = drxi_one_sided_give(r, st, x->how != DRXI_GET, drx_ndim(m->a), x->box, req);
    drxi_leave(m->a);
    return st;
}

drx_status drxi_job_access(drxmp_array *m, bool writing, const drx_box *box, void *buf)
{
    return move(m, writing ? DRXI_PUT : DRXI_GET, NULL, box, buf);
}

drx_status drxmp_get(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, void *buf)
{
    const drx_status st = drxi_job_check_there(m, "drxmp_get");

    return st ? st : move(m, DRXI_GET, NULL, &(drx_box){ .lo = lo, .count = count, .order = order }, buf);
}

drx_status drxmp_put(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, const void *buf)
{
    const drx_status st = drxi_job_check_there(m, "drxmp_put");

    return st ? st
              : move(m, DRXI_PUT, NULL, &(drx_box){ .lo = lo, .count = count, .order = order },
                     (void *)(uintptr_t)buf); /* only read */
}

drx_status drxmp_acc(drxmp_array *m, const int64_t lo[], const int64_t count[], drx_order order, const void *alpha,
                     const void *buf)
{
    const drx_status st = drxi_job_check_there(m, "drxmp_acc");

    return st ? st
              : move(m, DRXI_ADD, alpha ? alpha : drxi_one_of(m->job->type),
                     &(drx_box){ .lo = lo, .count = count, .order = order }, (void *)(uintptr_t)buf); /* only read */
}

/* With `req`, begin it; without, do it. */
static drx_status move_box(drxmp_array *m, const char *call, const struct access *x, drx_request **req)
{
    drx_status st = drxi_job_check_there(m, call);

    if (req)
        *req = NULL;
    if (!st && !x->box)
        st = drxi_fail(DRX_EINVAL, "%s: %s: the box is a null pointer", drxi_parts_of(m->a)->label, call);
    if (st)
        return st;
    return req ? begin(m, x, req) : move_in_turn(m, x);
}

drx_status drxmp_get_box(drxmp_array *m, const drx_box *box, void *buf, drx_request **req)
{
    return move_box(m, "drxmp_get_box", &(struct access){ .how = DRXI_GET, .box = box, .buf = buf }, req);
}

drx_status drxmp_put_box(drxmp_array *m, const drx_box *box, const void *buf, drx_request **req)
{
    const struct access x = { .how = DRXI_PUT, .box = box, .buf = (void *)(uintptr_t)buf };

    return move_box(m, "drxmp_put_box", &x, req);
}

drx_status drxmp_acc_box(drxmp_array *m, const drx_box *box, const void *alpha, const void *buf, drx_request **req)
{
    const struct access x = { .how = DRXI_ADD,
                              .alpha = alpha || !m || !m->job ? alpha : drxi_one_of(m->job->type),
                              .box = box,
                              .buf = (void *)(uintptr_t)buf };

    return move_box(m, "drxmp_acc_box", &x, req);
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

static drx_status check_indices(const drxmp_array *m, int64_t n, const int64_t indices[])
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

static struct drxi_job_place place_of(const drxmp_array *m, const int64_t index[])
{
    const int64_t offset = drxi_offset_of(drxi_data_of(m->a), index);
    const int64_t address = offset / m->job->pitch_bytes;
    struct drxi_job_place p = drxi_job_find(m->job, address);

    p.offset += offset - address * m->job->pitch_bytes;
    return p;
}

/* Finishes every operation that it began, also after a failure. */
static drx_status move_elements(const drxmp_array *m, bool writing, int64_t n, const int64_t indices[], uint8_t *value)
{
    const struct drxi_job *job = m->job;
    const int ndim = drx_ndim(m->a);
    int64_t begun = 0;
    uint64_t pieces = 0;
    drx_status st = DRX_OK, one;

    for (int64_t i = 0; !st && i < n; i++, value += job->item_bytes) {
        const struct drxi_job_place p = place_of(m, indices + i * ndim);
        uint8_t *near = drxi_job_near(job, &p);

        if (near && (st = drxi_job_touch(job, &p, job->item_bytes)))
            break;
        if (near) {
            memcpy(writing ? near : value, writing ? value : near, (size_t)job->item_bytes);
            continue;
        }
        st = writing ? drxi_job_put(job, &p, value, job->item_bytes) : drxi_job_get(job, &p, value, job->item_bytes);
        pieces |= drxi_job_piece_bit(&p);
        if (++begun % DRXI_MOST_BEGUN == 0 && !st)
            st = drxi_job_finish(job, pieces);
    }
    one = drxi_job_finish(job, pieces);
    return st ? st : one;
}

static drx_status move_list(drxmp_array *m, const char *call, bool writing, int64_t n, const int64_t indices[],
                            void *values)
{
    drx_status st = drxi_job_check_there(m, call);

    if (st)
        return st;
    if (n < 0)
        return drxi_fail(DRX_EINVAL, "%s: n is %lld, expected 0 or more", call, (long long)n);
    if (n > 0 && (!indices || !values))
        return drxi_fail(DRX_EINVAL, "%s: indices or values is a null pointer", call);
    st = enter_points(m, writing, n, indices);
    if (!st && writing)
        st = drxi_check_writable(m->a);
    if (!st)
        st = check_indices(m, n, indices);
    atomic_thread_fence(memory_order_acquire);
    if (!st)
        st = move_elements(m, writing, n, indices, values);
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

/* With the lock of the rank that has the element. */
static drx_status add(const struct drxi_job *job, const struct drxi_job_place *p, int64_t by, int64_t *old)
{
    union drxi_integer v = { .u64 = 0 };
    uint8_t *near = drxi_job_near(job, p);
    drx_status st = near ? drxi_job_touch(job, p, job->item_bytes) : DRX_OK;

    if (st)
        return st;
    if (near) {
        if (job->far) /* see what a rank of another node added */
            drxi_job_fence(job);
        memcpy(&v, near, (size_t)job->item_bytes);
        *old = drxi_add_to(job->type, &v, by);
        memcpy(near, &v, (size_t)job->item_bytes);
        if (job->far)
            drxi_job_fence(job);
        return DRX_OK;
    }
    st = drxi_job_get(job, p, &v, job->item_bytes);
    if (!st)
        st = drxi_job_finish_at(job, p);
    if (st)
        return st;
    *old = drxi_add_to(job->type, &v, by);
    st = drxi_job_put(job, p, &v, job->item_bytes);
    return st ? st : drxi_job_finish_at(job, p);
}

static drx_status fetch_add(drxmp_array *m, const int64_t index[], int64_t by, int64_t *old)
{
    struct drxi_job_place p;
    drx_status st = drxi_check_writable(m->a), one;

    if (!st)
        st = check_locks(m);
    if (!st)
        st = check_indices(m, 1, index);
    if (st)
        return st;
    p = place_of(m, index);
    if ((st = drxi_lock(m->job->locks, p.rank)))
        return st;
    st = add(m->job, &p, by, old);
    one = drxi_unlock(m->job->locks, p.rank);
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
    if (m->job->type < DRX_INT8 || m->job->type > DRX_UINT64)
        return drxi_fail(DRX_EINVAL, "drxmp_fetch_add: elements of %s, expected integers", drx_type_name(m->job->type));
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
    st = check_indices(m, 1, index);
    if (!st)
        *rank = place_of(m, index).rank;
    drxi_leave(m->a);
    return st;
}
