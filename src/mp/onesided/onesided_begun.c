/* One-sided access that does not wait. Where loads and stores reach, the call does all; what needs RMA goes on until
 * drx_wait, until drx_test asks for it, or until another call of this rank touches the same elements. */
#include "mp/onesided/onesided.h"

struct drxi_one_sided {
    drx_request request; /* first */
    struct drxi_one_sided *next;
    drxmp_darray *d;
    bool writing, listed;
    int64_t lo[DRX_MAX_NDIM], last[DRX_MAX_NDIM];
    struct drxi_begun begun;
    drx_status st;
    char *detail;
};

/* Of all lists, which are short and rarely touched. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct drxi_one_sided *first_of(const drxmp_darray *d)
{
    return atomic_load_explicit(&d->begun, memory_order_relaxed);
}

/* The lock is held. */
static void append(struct drxi_one_sided *r)
{
    struct drxi_one_sided *last = first_of(r->d);

    while (last && last->next)
        last = last->next;
    if (last)
        last->next = r;
    else
        atomic_store_explicit(&r->d->begun, r, memory_order_release);
    r->listed = true;
}

static void complete(struct drxi_one_sided *r)
{
    struct drxi_one_sided *before = first_of(r->d);

    if (!r->listed)
        return;
    r->st = drxi_begun_finish(&r->begun);
    if (r->st)
        r->detail = drxi_strdup(drx_last_error());
    if (before == r) {
        atomic_store_explicit(&r->d->begun, r->next, memory_order_release);
    } else {
        while (before->next != r)
            before = before->next;
        before->next = r->next;
    }
    r->listed = false;
}

/* Whether the boxes around both meet. What is no valid box touches nothing. */
static bool meet(const struct drxi_one_sided *r, const drx_box *box)
{
    for (int j = 0; box && box->lo && box->count && j < r->d->ndim; j++) {
        const int64_t span = drxi_mul_saturated(drxi_max(box->count[j], 1) - 1, box->step ? box->step[j] : 1);
        int64_t last = INT64_MAX;

        (void)drxi_add(box->lo[j], span, &last);
        if (last < r->lo[j] || box->lo[j] > r->last[j])
            return false;
    }
    return true;
}

void drxi_begun_before_slowly(drxmp_darray *d, bool writing, const drx_box *box)
{
    (void)pthread_mutex_lock(&lock);
    for (struct drxi_one_sided *r = first_of(d), *next; r; r = next) {
        next = r->next;
        if ((writing || r->writing) && meet(r, box))
            complete(r);
    }
    (void)pthread_mutex_unlock(&lock);
}

static void complete_one(struct drxi_one_sided *r)
{
    (void)pthread_mutex_lock(&lock);
    complete(r);
    (void)pthread_mutex_unlock(&lock);
}

static drx_status test(drx_request *request, int *done)
{
    complete_one((struct drxi_one_sided *)request);
    *done = 1;
    return DRX_OK;
}

static drx_status wait(drx_request *request)
{
    struct drxi_one_sided *r = (struct drxi_one_sided *)request;
    drx_status st;

    complete_one(r);
    st = r->st;
    if (st)
        drxi_report_set(r->detail ? r->detail : "");
    (void)atomic_fetch_sub(&r->d->requests, 1);
    drxi_free(r->detail);
    drxi_free(r);
    return st;
}

static const struct drxi_request_ops ops = { test, wait };

/* Give the request to the caller; list it if something goes on. */
static drx_status give(struct drxi_one_sided *r, const drx_box *box, drx_request **req)
{
    for (int j = 0; r->begun.first && j < r->d->ndim; j++) {
        r->lo[j] = box->lo[j];
        r->last[j] = box->lo[j] + (box->count[j] - 1) * (box->step ? box->step[j] : 1);
    }
    if (r->begun.first) {
        (void)pthread_mutex_lock(&lock);
        append(r);
        (void)pthread_mutex_unlock(&lock);
    }
    (void)atomic_fetch_add(&r->d->requests, 1);
    *req = &r->request;
    return DRX_OK;
}

static drx_status begin(drxmp_darray *d, const drx_box *box, enum drxi_access access, const void *alpha,
                        const void *buf, drx_request **req)
{
    struct drxi_one_sided *r = drxi_calloc(1, sizeof *r);
    drx_status st;

    if (!r)
        return drxi_fail(DRX_ENOMEM, "out of memory for a request");
    r->request.ops = &ops;
    r->d = d;
    r->writing = access != DRXI_GET;
    r->begun = (struct drxi_begun){ .win = d->sections, .item_bytes = d->item_bytes };
    st = drxi_move_box(d, box, access, alpha, buf, &r->begun);
    if (!st)
        return give(r, box, req);
    (void)drxi_begun_finish(&r->begun);
    drxi_free(r);
    return st;
}

/* With `req`, begin it; without, do it. */
static drx_status move(drxmp_darray *d, const drx_box *box, enum drxi_access access, const void *alpha, const void *buf,
                       drx_request **req)
{
    if (req)
        *req = NULL;
    if (!d || !box)
        return drxi_fail(DRX_EINVAL, "the darray or the box is a null pointer");
    if (box->flags != 0 || !drxi_is_zero(box->reserved, sizeof box->reserved))
        return drxi_fail(DRX_EINVAL, "flags or reserved fields of drx_box are not zero");
    drxi_begun_before(d, access != DRXI_GET, box);
    return req ? begin(d, box, access, alpha, buf, req) : drxi_move_box(d, box, access, alpha, buf, NULL);
}

drx_status drxmp_darray_get_box(drxmp_darray *d, const drx_box *box, void *buf, drx_request **req)
{
    atomic_thread_fence(memory_order_acquire);
    return move(d, box, DRXI_GET, NULL, buf, req);
}

drx_status drxmp_darray_put_box(drxmp_darray *d, const drx_box *box, const void *buf, drx_request **req)
{
    const drx_status st = move(d, box, DRXI_PUT, NULL, buf, req);

    atomic_thread_fence(memory_order_release);
    return st;
}

drx_status drxmp_darray_acc_box(drxmp_darray *d, const drx_box *box, const void *alpha, const void *buf,
                                drx_request **req)
{
    return move(d, box, DRXI_ADD, d && !alpha ? drxi_one_of(d->type) : alpha, buf, req);
}
