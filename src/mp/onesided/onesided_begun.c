/* One-sided access that does not wait. Where loads and stores reach, the call does all; what needs RMA goes on until
 * drx_wait, until drx_test asks for it, or until another call of this rank touches the same elements. */
#include "mp/onesided/onesided.h"

/* Of all lists, which are short and rarely touched. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct drxi_one_sided *first_begun(const struct drxi_outstanding *of)
{
    return atomic_load_explicit(&of->first, memory_order_relaxed);
}

/* The lock is held. */
static void append_begun(struct drxi_one_sided *r)
{
    struct drxi_one_sided *last = first_begun(r->of);

    while (last && last->next)
        last = last->next;
    if (last)
        last->next = r;
    else
        atomic_store_explicit(&r->of->first, r, memory_order_release);
    r->listed = true;
}

static void complete_begun(struct drxi_one_sided *r)
{
    struct drxi_one_sided *before = first_begun(r->of);

    if (!r->listed)
        return;
    r->st = drxi_begun_finish(&r->begun);
    if (r->st)
        r->detail = drxi_strdup(drx_last_error());
    if (before == r) {
        atomic_store_explicit(&r->of->first, r->next, memory_order_release);
    } else {
        while (before->next != r)
            before = before->next;
        before->next = r->next;
    }
    r->listed = false;
}

/* Whether the boxes around both meet. What is no valid box touches nothing. */
static bool meets_box(const struct drxi_one_sided *r, const drx_box *box)
{
    for (int j = 0; box && box->lo && box->count && j < r->ndim; j++) {
        const int64_t span = drxi_mul_saturated(drxi_max(box->count[j], 1) - 1, box->step ? box->step[j] : 1);
        int64_t last = INT64_MAX;

        (void)drxi_add(box->lo[j], span, &last);
        if (last < r->lo[j] || box->lo[j] > r->last[j])
            return false;
    }
    return true;
}

void drxi_begun_before_slowly(struct drxi_outstanding *of, bool writing, const drx_box *box)
{
    (void)pthread_mutex_lock(&lock);
    for (struct drxi_one_sided *r = first_begun(of), *next; r; r = next) {
        next = r->next;
        if ((writing || r->writing) && meets_box(r, box))
            complete_begun(r);
    }
    (void)pthread_mutex_unlock(&lock);
}

static void complete_one(struct drxi_one_sided *r)
{
    (void)pthread_mutex_lock(&lock);
    complete_begun(r);
    (void)pthread_mutex_unlock(&lock);
}

static drx_status test_one_sided(drx_request *request, int *done)
{
    complete_one((struct drxi_one_sided *)request);
    *done = 1;
    return DRX_OK;
}

static drx_status wait_one_sided(drx_request *request)
{
    struct drxi_one_sided *r = (struct drxi_one_sided *)request;
    drx_status st;

    complete_one(r);
    st = r->st;
    if (st)
        drxi_report_set(r->detail ? r->detail : "");
    (void)atomic_fetch_sub(&r->of->given, 1);
    drxi_free(r->detail);
    drxi_free(r);
    return st;
}

static const struct drxi_request_ops ops = { test_one_sided, wait_one_sided };

drx_status drxi_one_sided_new(struct drxi_outstanding *of, size_t item_bytes, struct drxi_one_sided **out)
{
    struct drxi_one_sided *r = drxi_calloc(1, sizeof *r);

    *out = r;
    if (!r)
        return drxi_fail(DRX_ENOMEM, "out of memory for a request");
    r->request.ops = &ops;
    r->of = of;
    r->begun.item_bytes = item_bytes;
    return DRX_OK;
}

/* List it if something goes on. */
drx_status drxi_one_sided_give(struct drxi_one_sided *r, drx_status st, bool writing, int ndim, const drx_box *box,
                               drx_request **req)
{
    if (st) {
        (void)drxi_begun_finish(&r->begun);
        drxi_free(r);
        return st;
    }
    r->writing = writing;
    r->ndim = ndim;
    for (int j = 0; r->begun.first && j < ndim; j++) {
        r->lo[j] = box->lo[j];
        r->last[j] = box->lo[j] + (box->count[j] - 1) * (box->step ? box->step[j] : 1);
    }
    if (r->begun.first) {
        (void)pthread_mutex_lock(&lock);
        append_begun(r);
        (void)pthread_mutex_unlock(&lock);
    }
    (void)atomic_fetch_add(&r->of->given, 1);
    *req = &r->request;
    return DRX_OK;
}
