/* Requests that helper threads carry out while the caller goes on.
 *
 * Invariants
 *   1. The requests of an array that are not done stand in a list, oldest first.
 *   2. One begins when no older one in the list touches an element of its box, unless
 *      both read: so they act as if done one after the other.
 *   3. A request leaves the list before it counts as done.
 *   4. When helpers may not use the file, a request is done before the call that asks for it returns. */
#include "array/array.h"
#include "base/work.h"

struct drxi_async {
    drx_request request;
    struct drxi_work work;
    struct drxi_async *next; /* in the list */
    drx_array *a;
    bool writing;
    drx_box box;
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], step[DRX_MAX_NDIM], stride[DRX_MAX_NDIM]; /* that it points to */
    void *buf;
    enum { HELD, STARTED, DONE } state;
    drx_status st;
    char *detail; /* of a failure, for the thread that waits */
};

/* Indices from the first to the last on an axis; nobody has checked the box. */
static uint64_t span(const struct drxi_async *r, int j)
{
    if (!r->box.step || r->count[j] < 1 || r->step[j] < 1)
        return (uint64_t)r->count[j];
    return (uint64_t)drxi_mul_saturated(r->count[j] - 1, r->step[j]) + 1;
}

static bool overlap(const struct drxi_async *x, const struct drxi_async *y)
{
    for (int j = 0; j < x->a->state.desc.ndim; j++) /* differences, which do not overflow */
        if ((x->lo[j] >= y->lo[j] && (uint64_t)x->lo[j] - (uint64_t)y->lo[j] >= span(y, j)) ||
            (y->lo[j] >= x->lo[j] && (uint64_t)y->lo[j] - (uint64_t)x->lo[j] >= span(x, j)))
            return false;
    return true;
}

/* Whether an older request has to be done first. */
static bool is_held(const struct drxi_async *r)
{
    for (const struct drxi_async *older = r->a->requests; older != r; older = older->next)
        if ((r->writing || older->writing) && overlap(r, older))
            return true;
    return false;
}

static void carry_out(struct drxi_async *r);

static void help(struct drxi_work *work)
{
    carry_out((struct drxi_async *)(void *)((char *)work - offsetof(struct drxi_async, work)));
}

/* Start what is no longer held; the lock is held. What no helper takes stays for the
 * one who waits. */
static void start_all(drx_array *a)
{
    for (struct drxi_async *r = a->data->callers_only ? NULL : a->requests; r; r = r->next)
        if (r->state == HELD && !is_held(r) && drxi_work_start(&r->work))
            r->state = STARTED;
}

static void carry_out(struct drxi_async *r)
{
    drx_array *a = r->a;
    struct drxi_async **link = &a->requests;

    r->st = r->writing ? drx_write_box(a, &r->box, r->buf) : drx_read_box(a, &r->box, r->buf);
    if (r->st)
        r->detail = drxi_strdup(drx_last_error());
    (void)pthread_mutex_lock(&a->requests_lock);
    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
    r->state = DONE;
    start_all(a);
    (void)pthread_cond_broadcast(&a->requests_done);
    (void)pthread_mutex_unlock(&a->requests_lock);
}

static void add(struct drxi_async *r)
{
    drx_array *a = r->a;
    struct drxi_async **link = &a->requests;

    (void)pthread_mutex_lock(&a->requests_lock);
    while (*link)
        link = &(*link)->next;
    *link = r;
    start_all(a);
    (void)pthread_mutex_unlock(&a->requests_lock);
}

/* Until it is done; what no helper has begun this thread does itself. */
static void finish(struct drxi_async *r)
{
    drx_array *a = r->a;
    bool mine;

    (void)pthread_mutex_lock(&a->requests_lock);
    for (;;) {
        mine = r->state == STARTED ? drxi_work_cancel(&r->work) : r->state == HELD && !is_held(r);
        if (mine || r->state == DONE)
            break;
        (void)pthread_cond_wait(&a->requests_done, &a->requests_lock);
    }
    if (mine)
        r->state = STARTED;
    (void)pthread_mutex_unlock(&a->requests_lock);
    if (mine)
        carry_out(r);
}

static drx_status test(drx_request *request, int *done)
{
    struct drxi_async *r = (struct drxi_async *)request;

    (void)pthread_mutex_lock(&r->a->requests_lock);
    start_all(r->a);
    *done = r->state == DONE;
    (void)pthread_mutex_unlock(&r->a->requests_lock);
    return DRX_OK;
}

static drx_status wait(drx_request *request)
{
    struct drxi_async *r = (struct drxi_async *)request;
    drx_status st;

    finish(r);
    st = r->st;
    if (st)
        drxi_report_set(r->detail ? r->detail : drx_strerror(st));
    drxi_free(r->detail);
    drxi_free(r);
    return st;
}

static const struct drxi_request_ops ops = {test, wait};

/* An own copy of what is there, NULL: nothing is. */
static const int64_t *keep(const drx_array *a, const int64_t *given, int64_t kept[])
{
    return given ? memcpy(kept, given, (size_t)a->state.desc.ndim * sizeof *kept) : NULL;
}

static drx_status ask(drx_array *a, bool writing, const drx_box *box, void *buf, drx_request **out)
{
    struct drxi_async *r;

    if (!out)
        return drxi_fail(DRX_EINVAL, "req is a null pointer");
    *out = NULL;
    if (!a)
        return drxi_no_array();
    if (!box || !box->lo || !box->count)
        return drxi_fail(DRX_EINVAL, "%s: the box, lo or count is a null pointer", a->label);
    r = drxi_calloc(1, sizeof *r);
    if (!r)
        return DRX_ENOMEM;
    r->request.ops = &ops;
    r->work.run = help;
    r->a = a;
    r->writing = writing;
    r->box = *box;
    r->box.lo = keep(a, box->lo, r->lo);
    r->box.count = keep(a, box->count, r->count);
    r->box.step = keep(a, box->step, r->step);
    r->box.stride = keep(a, box->stride, r->stride);
    r->buf = buf;
    add(r);
    if (a->data->callers_only)
        finish(r);
    *out = &r->request;
    return DRX_OK;
}

drx_status drx_read_async(drx_array *a, const drx_box *box, void *buf, drx_request **req)
{
    return ask(a, false, box, buf, req);
}

drx_status drx_write_async(drx_array *a, const drx_box *box, const void *buf, drx_request **req)
{
    return ask(a, true, box, (void *)(uintptr_t)buf, req); /* only read */
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
    (void)pthread_mutex_lock(&a->requests_lock);
    while (a->requests) {
        struct drxi_async *r = a->requests;

        (void)pthread_mutex_unlock(&a->requests_lock);
        finish(r);
        (void)pthread_mutex_lock(&a->requests_lock);
    }
    (void)pthread_mutex_unlock(&a->requests_lock);
}
