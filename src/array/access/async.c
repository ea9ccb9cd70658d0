/* Requests that helper threads carry out while the caller goes on, and the order of all that touches elements.
 *
 * Invariants
 *   1. The requests of an array that are not over stand in a list, oldest first.
 *   2. A request of this file begins when no older one in the list touches an element of its box, unless both read. A
 *      blocking call waits for such requests before it enters the gate, since they enter it, too.
 *   3. A request leaves the list before it counts as done.
 *   4. A thread that waits for a request carries out what no helper has begun, that request or those that hold it. So
 *      a wait ends without helpers, too.
 *   5. When helpers may not use the file, a request is done before the call that asks for it returns.
 *   6. Collective requests of libdrxmp stand in the list, but other ranks take part in them. Nothing here waits for
 *      one. */
#include "array/array.h"

struct drxi_async {
    struct drxi_pending pending; /* first */
    drx_request request;
    struct drxi_work work;
    drx_array *a;
    drx_box box;
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], step[DRX_MAX_NDIM], stride[DRX_MAX_NDIM]; /* of the box */
    void *buf;
    int ndim; /* of the array, when it was asked for */
    enum { HELD, STARTED, DONE } state;
    drx_status st;
    char *detail; /* of a failure, for the thread that waits */
};

/* The order; its lock is held. */

static struct drxi_pending *first_pending(drx_array *a)
{
    return atomic_load_explicit(&a->requests.first, memory_order_relaxed);
}

/* The indices first, first + step, ... last of an axis. */
struct indices {
    int64_t first, step, last;
};

/* Nobody has checked the box. One that cannot be right fails when it is carried out, and so touches nothing: false. */
static bool indices_of(const struct drxi_pending *p, int j, struct indices *out)
{
    const int64_t step = p->step ? p->step[j] : 1;
    int64_t length;

    if (p->lo[j] < DRXI_LEAST_INDEX || p->count[j] < 1 || step < 1)
        return false;
    length = drxi_mul_saturated(p->count[j] - 1, step);
    *out = (struct indices){ p->lo[j], step, INT64_MAX };
    if (p->count[j] < INT64_MAX) /* which is all from there on */
        (void)drxi_add(p->lo[j], length, &out->last);
    return true;
}

/* Whether an index is in both. The answer is yes where that would take long to tell. */
static bool indices_meet(struct indices x, struct indices y)
{
    const struct indices fine = x.step <= y.step ? x : y, coarse = x.step <= y.step ? y : x;
    const int64_t end = drxi_min(x.last, y.last);
    int64_t ahead = INT64_MAX, steps, at;

    (void)drxi_add(fine.first, -coarse.first, &ahead);
    steps = drxi_ceil_div(drxi_max(ahead, 0), coarse.step);
    if (!drxi_mul(steps, coarse.step, &at) || !drxi_add(at, coarse.first, &at))
        return false;
    for (int64_t tries = 1; at <= end; tries++) {
        if ((at - fine.first) % fine.step == 0 || tries == 1 << 16)
            return true;
        if (tries == fine.step || coarse.step > end - at)
            return false;
        at += coarse.step;
    }
    return false;
}

static bool overlap(int ndim, const struct drxi_pending *p, const struct drxi_pending *q)
{
    for (int j = 0; j < ndim; j++) {
        struct indices x, y;

        if (!indices_of(p, j, &x) || !indices_of(q, j, &y) || !indices_meet(x, y))
            return false;
    }
    return true;
}

/* The first in the list, up to `end`, that has to be over before p can begin; NULL: there is none. */
static struct drxi_pending *holder(drx_array *a, const struct drxi_pending *p, const struct drxi_pending *end)
{
    for (struct drxi_pending *older = first_pending(a); older && older != end; older = older->next)
        if ((p->writing || older->writing) && !(p->collective && older->collective) && overlap(a->data.ndim, p, older))
            return older;
    return NULL;
}

static void append_pending(drx_array *a, struct drxi_pending *p)
{
    struct drxi_pending *last = first_pending(a);

    p->next = NULL;
    p->number = ++a->requests.begun;
    while (last && last->next)
        last = last->next;
    if (last)
        last->next = p;
    else
        atomic_store_explicit(&a->requests.first, p, memory_order_release);
}

static void take_out(drx_array *a, struct drxi_pending *p)
{
    struct drxi_pending *before = first_pending(a);

    if (before == p) {
        atomic_store_explicit(&a->requests.first, p->next, memory_order_release);
        return;
    }
    while (before->next != p)
        before = before->next;
    before->next = p->next;
}

static struct drxi_async *async_of(struct drxi_pending *p)
{
    return (struct drxi_async *)p;
}

static void carry_out(struct drxi_async *r);

static void help(struct drxi_work *work)
{
    carry_out((struct drxi_async *)(void *)((char *)work - offsetof(struct drxi_async, work)));
}

static bool start_request(struct drxi_async *r)
{
    return r->a->data.file->io->cost.trips ? drxi_work_start_waiting(&r->work) : drxi_work_start(&r->work);
}

/* Start what nothing holds any more; the lock is held. What no helper takes is left to a thread that waits. */
static void start_all(drx_array *a)
{
    for (struct drxi_pending *p = a->data.file->io->callers_only ? NULL : first_pending(a); p; p = p->next)
        if (!p->collective && async_of(p)->state == HELD && !holder(a, p, p) && start_request(async_of(p)))
            async_of(p)->state = STARTED;
}

static void carry_out(struct drxi_async *r)
{
    drx_array *a = r->a;

    r->st =
        r->pending.writing ? drxi_write_now(a, r->ndim, &r->box, r->buf) : drxi_read_now(a, r->ndim, &r->box, r->buf);
    if (r->st)
        r->detail = drxi_strdup(drx_last_error());
    (void)pthread_mutex_lock(&a->requests.lock);
    take_out(a, &r->pending);
    r->state = DONE;
    start_all(a);
    (void)pthread_cond_broadcast(&a->requests.done);
    (void)pthread_mutex_unlock(&a->requests.lock);
}

/* The lock is held, and let go meanwhile: carry out r, or what holds it, or wait until some request is done. */
static void bring_on(struct drxi_async *r)
{
    drx_array *a = r->a;
    struct drxi_pending *older;
    bool mine;

    while (r->state == HELD && (older = holder(a, &r->pending, &r->pending)))
        r = async_of(older);
    mine = r->state == HELD || drxi_work_cancel(&r->work);
    if (!mine) {
        (void)pthread_cond_wait(&a->requests.done, &a->requests.lock);
        return;
    }
    r->state = STARTED;
    (void)pthread_mutex_unlock(&a->requests.lock);
    carry_out(r);
    (void)pthread_mutex_lock(&a->requests.lock);
}

static void finish_request(struct drxi_async *r)
{
    drx_array *a = r->a;

    (void)pthread_mutex_lock(&a->requests.lock);
    while (r->state != DONE)
        bring_on(r);
    (void)pthread_mutex_unlock(&a->requests.lock);
}

static drx_status busy(const drx_array *a)
{
    return drxi_fail(DRX_EBUSY, "%s: the box meets that of a collective request; call drx_wait for it first",
                     a->parts.label);
}

/* The lock is held: wait until nothing holds p but what began after this. */
static drx_status wait_turn(drx_array *a, const struct drxi_pending *p)
{
    const uint64_t last = a->requests.begun;
    struct drxi_pending *older;

    while ((older = holder(a, p, NULL)) && older->number <= last) {
        if (older->collective)
            return busy(a);
        bring_on(async_of(older));
    }
    return DRX_OK;
}

drx_status drxi_wait_turn_slowly(drx_array *a, const struct drxi_pending *p)
{
    drx_status st;

    (void)pthread_mutex_lock(&a->requests.lock);
    st = wait_turn(a, p);
    (void)pthread_mutex_unlock(&a->requests.lock);
    return st;
}

void drxi_pending_begin(drx_array *a, struct drxi_pending *p)
{
    p->collective = true;
    (void)pthread_mutex_lock(&a->requests.lock);
    append_pending(a, p);
    (void)pthread_mutex_unlock(&a->requests.lock);
}

void drxi_pending_end(drx_array *a, struct drxi_pending *p)
{
    (void)pthread_mutex_lock(&a->requests.lock);
    take_out(a, p);
    (void)pthread_mutex_unlock(&a->requests.lock);
}

static struct drxi_async *async_of_request(drx_request *request)
{
    return (struct drxi_async *)(void *)((char *)request - offsetof(struct drxi_async, request));
}

static drx_status test_request(drx_request *request, int *done)
{
    struct drxi_async *r = async_of_request(request);

    (void)pthread_mutex_lock(&r->a->requests.lock);
    start_all(r->a);
    *done = r->state == DONE;
    (void)pthread_mutex_unlock(&r->a->requests.lock);
    return DRX_OK;
}

static drx_status wait_request(drx_request *request)
{
    struct drxi_async *r = async_of_request(request);
    drx_status st;

    finish_request(r);
    st = r->st;
    if (st)
        drxi_report_set(r->detail ? r->detail : drx_strerror(st));
    drxi_free(r->detail);
    drxi_free(r);
    return st;
}

static const struct drxi_request_ops ops = { test_request, wait_request };

/* An own copy of what is there, NULL: nothing is. */
static const int64_t *keep_vector(int ndim, const int64_t *given, int64_t kept[])
{
    return given ? memcpy(kept, given, (size_t)ndim * sizeof *kept) : NULL;
}

/* Put it into the list; DRX_EBUSY where it would have to wait for other ranks. */
static drx_status add_pending(struct drxi_async *r)
{
    drx_array *a = r->a;
    drx_status st = DRX_OK;

    (void)pthread_mutex_lock(&a->requests.lock);
    for (const struct drxi_pending *p = first_pending(a); p && !st; p = p->next)
        if (p->collective && (p->writing || r->pending.writing) && overlap(a->data.ndim, p, &r->pending))
            st = busy(a);
    if (!st) {
        append_pending(a, &r->pending);
        start_all(a);
    }
    (void)pthread_mutex_unlock(&a->requests.lock);
    return st;
}

static drx_status ask_request(drx_array *a, bool writing, const drx_box *box, void *buf, drx_request **out)
{
    struct drxi_async *r;
    drx_status st;

    if (!out)
        return drxi_fail(DRX_EINVAL, "req is a null pointer");
    *out = NULL;
    if (!a)
        return drxi_no_array();
    if (!box || !box->lo || !box->count)
        return drxi_fail(DRX_EINVAL, "%s: the box, lo or count is a null pointer", a->parts.label);
    r = drxi_calloc(1, sizeof *r);
    if (!r)
        return DRX_ENOMEM;
    r->request.ops = &ops;
    r->work.run = help;
    r->a = a;
    drxi_gate_enter(&a->gate);
    r->ndim = a->data.ndim;
    drxi_gate_leave(&a->gate);
    r->box = *box;
    r->box.lo = keep_vector(r->ndim, box->lo, r->lo);
    r->box.count = keep_vector(r->ndim, box->count, r->count);
    r->box.step = keep_vector(r->ndim, box->step, r->step);
    r->box.stride = keep_vector(r->ndim, box->stride, r->stride);
    r->buf = buf;
    r->pending =
        (struct drxi_pending){ .writing = writing, .lo = r->box.lo, .count = r->box.count, .step = r->box.step };
    if ((st = add_pending(r))) {
        drxi_free(r);
        return st;
    }
    if (a->data.file->io->callers_only)
        finish_request(r);
    *out = &r->request;
    return DRX_OK;
}

drx_status drx_read_async(drx_array *a, const drx_box *box, void *buf, drx_request **req)
{
    return ask_request(a, false, box, buf, req);
}

drx_status drx_write_async(drx_array *a, const drx_box *box, const void *buf, drx_request **req)
{
    return ask_request(a, true, box, (void *)(uintptr_t)buf, req); /* only read */
}

drx_status drx_test(drx_request *req, int *done)
{
    return req && done ? req->ops->test(req, done) : drxi_fail(DRX_EINVAL, "req or done is a null pointer");
}

drx_status drx_wait(drx_request *req)
{
    return req ? req->ops->wait(req) : drxi_fail(DRX_EINVAL, "the request is a null pointer");
}

void drxi_finish_requests(drx_array *a)
{
    struct drxi_pending *p;

    (void)pthread_mutex_lock(&a->requests.lock);
    do {
        for (p = first_pending(a); p && p->collective;)
            p = p->next;
        if (p)
            bring_on(async_of(p));
    } while (p);
    (void)pthread_mutex_unlock(&a->requests.lock);
}
