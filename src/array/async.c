/* Requests that helper threads carry out while the caller goes on.
 *
 * Invariants
 *   1. The requests of an array that are not done stand in a list, oldest first.
 *   2. One begins when no older one in the list touches an element of its box, unless
 *      both read: so they act as if done one after the other.
 *   3. A request leaves the list before it counts as done. */
#include "array/array.h"
#include "base/work.h"

struct drx_request {
    struct drxi_work work;
    struct drx_request *next; /* in the list */
    drx_array *a;
    bool writing;
    drx_order order;
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    void *buf;
    enum { HELD, STARTED, DONE } state;
    drx_status st;
    char *detail; /* of a failure, for the thread that waits */
};

static bool overlap(const struct drx_request *x, const struct drx_request *y)
{
    for (int j = 0; j < x->a->state.desc.ndim; j++) /* differences, since nobody has checked the boxes */
        if ((x->lo[j] >= y->lo[j] && (uint64_t)x->lo[j] - (uint64_t)y->lo[j] >= (uint64_t)y->count[j]) ||
            (y->lo[j] >= x->lo[j] && (uint64_t)y->lo[j] - (uint64_t)x->lo[j] >= (uint64_t)x->count[j]))
            return false;
    return true;
}

/* Whether an older request has to be done first. */
static bool is_held(const struct drx_request *r)
{
    for (const struct drx_request *older = r->a->requests; older != r; older = older->next)
        if ((r->writing || older->writing) && overlap(r, older))
            return true;
    return false;
}

static void carry_out(struct drx_request *r);

static void help(struct drxi_work *work)
{
    carry_out((struct drx_request *)work);
}

/* Start what is no longer held; the lock is held. What no helper takes stays for the
 * one who waits. */
static void start_all(drx_array *a)
{
    for (struct drx_request *r = a->requests; r; r = r->next)
        if (r->state == HELD && !is_held(r) && drxi_work_start(&r->work))
            r->state = STARTED;
}

static void carry_out(struct drx_request *r)
{
    drx_array *a = r->a;
    drx_request **link = &a->requests;

    r->st = r->writing ? drx_write(a, r->lo, r->count, r->order, r->buf)
                       : drx_read(a, r->lo, r->count, r->order, r->buf);
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

static void add(struct drx_request *r)
{
    drx_array *a = r->a;
    drx_request **link = &a->requests;

    (void)pthread_mutex_lock(&a->requests_lock);
    while (*link)
        link = &(*link)->next;
    *link = r;
    start_all(a);
    (void)pthread_mutex_unlock(&a->requests_lock);
}

static drx_status ask(drx_array *a, bool writing, const int64_t lo[], const int64_t count[], drx_order order, void *buf,
                      drx_request **out)
{
    struct drx_request *r;

    if (!out)
        return drxi_fail(DRX_EINVAL, "req is a null pointer");
    *out = NULL;
    if (!a)
        return drxi_no_array();
    if (!lo || !count)
        return drxi_fail(DRX_EINVAL, "%s: lo or count is a null pointer", a->label);
    r = drxi_calloc(1, sizeof *r);
    if (!r)
        return DRX_ENOMEM;
    r->work.run = help;
    r->a = a;
    r->writing = writing;
    r->order = order;
    r->buf = buf;
    memcpy(r->lo, lo, (size_t)a->state.desc.ndim * sizeof *lo);
    memcpy(r->count, count, (size_t)a->state.desc.ndim * sizeof *count);
    add(r);
    *out = r;
    return DRX_OK;
}

drx_status drx_read_async(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, void *buf,
                          drx_request **req)
{
    return ask(a, false, lo, count, order, buf, req);
}

drx_status drx_write_async(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, const void *buf,
                           drx_request **req)
{
    return ask(a, true, lo, count, order, (void *)(uintptr_t)buf, req); /* only read */
}

drx_status drx_test(drx_request *req, int *done)
{
    if (!req || !done)
        return drxi_fail(DRX_EINVAL, "req or done is a null pointer");
    (void)pthread_mutex_lock(&req->a->requests_lock);
    start_all(req->a);
    *done = req->state == DONE;
    (void)pthread_mutex_unlock(&req->a->requests_lock);
    return DRX_OK;
}

/* Until it is done; what no helper has begun this thread does itself. */
static void finish(struct drx_request *r)
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

drx_status drx_wait(drx_request *req)
{
    drx_status st;

    if (!req)
        return drxi_fail(DRX_EINVAL, "the request is a null pointer");
    finish(req);
    st = req->st;
    if (st)
        drxi_report_set(req->detail ? req->detail : drx_strerror(st));
    drxi_free(req->detail);
    drxi_free(req);
    return st;
}

void drxi_finish_requests(drx_array *a)
{
    (void)pthread_mutex_lock(&a->requests_lock);
    while (a->requests) {
        struct drx_request *r = a->requests;

        (void)pthread_mutex_unlock(&a->requests_lock);
        finish(r);
        (void)pthread_mutex_lock(&a->requests_lock);
    }
    (void)pthread_mutex_unlock(&a->requests_lock);
}
