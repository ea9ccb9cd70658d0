#include "base/later.h"

void drxi_later_init(struct drxi_later *later)
{
    *later = (struct drxi_later){ .begun = false };
    (void)pthread_mutex_init(&later->lock, NULL);
    (void)pthread_cond_init(&later->at_end, NULL);
}

void drxi_later_destroy(struct drxi_later *later)
{
    (void)pthread_mutex_destroy(&later->lock);
    (void)pthread_cond_destroy(&later->at_end);
}

static void run_later(struct drxi_work *work)
{
    struct drxi_later *later = (struct drxi_later *)((char *)work - offsetof(struct drxi_later, work));
    const drx_status st = later->call(later->arg);
    char *detail = st ? drxi_strdup(drx_last_error()) : NULL;

    (void)pthread_mutex_lock(&later->lock);
    later->st = st;
    later->detail = detail;
    later->ended = true;
    (void)pthread_cond_signal(&later->at_end);
    (void)pthread_mutex_unlock(&later->lock);
}

static void prepare_later(struct drxi_later *later, drx_status (*call)(void *arg), void *arg)
{
    later->work.run = run_later;
    later->call = call;
    later->arg = arg;
    later->begun = true;
    later->ended = false;
}

void drxi_later_begin(struct drxi_later *later, drx_status (*call)(void *arg), void *arg)
{
    prepare_later(later, call, arg);
    if (!drxi_work_start(&later->work))
        run_later(&later->work);
}

void drxi_later_now(struct drxi_later *later, drx_status (*call)(void *arg), void *arg)
{
    prepare_later(later, call, arg);
    run_later(&later->work);
}

drx_status drxi_later_end(struct drxi_later *later)
{
    drx_status st;

    if (!later->begun)
        return DRX_OK;
    if (drxi_work_cancel(&later->work))
        run_later(&later->work);
    (void)pthread_mutex_lock(&later->lock);
    while (!later->ended)
        (void)pthread_cond_wait(&later->at_end, &later->lock);
    (void)pthread_mutex_unlock(&later->lock);
    st = later->st;
    if (st)
        drxi_report_set(later->detail ? later->detail : drx_strerror(later->st));
    drxi_free(later->detail);
    later->detail = NULL;
    later->begun = false;
    return st;
}
