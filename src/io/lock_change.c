/* The locks of a log: waiting for that of a change, which another process has. */
#include <sched.h>
#include <time.h>

#include "base/hooks.h"
#include "io/io.h"

enum { YIELDS = 8, FIRST_PAUSE_US = 20, LAST_PAUSE_US = 2000, LOOK_US = 100000 };

/* Seconds. */
static const double PATIENCE = 20;

struct waiting {
    int tries;
    int64_t pause_us;
    int64_t idle_us, unseen_us; /* since a file changed; and since we looked */
    uint64_t seen;
};

static void pause_for(int64_t us)
{
    const struct timespec time = { us / 1000000, us % 1000000 * 1000 };

    (void)nanosleep(&time, NULL);
}

/* Look for progress of the other process in the files' time stamps. */
static drx_status look_for_work(const drxi_io *log, drxi_stamp *stamp, void *of, struct waiting *w)
{
    uint64_t now = 0;
    const drx_status st = stamp(of, &now);

    if (st)
        return st;
    w->unseen_us = 0;
    if (now != w->seen)
        w->idle_us = 0;
    w->seen = now;
    if (w->idle_us < INT64_C(1000) * drxi_hooks.patience_ms)
        return DRX_OK;
    return drxi_fail(DRX_EBUSY, "%s: another process has begun to change it, and has done nothing for %lld s",
                     log->path, (long long)(w->idle_us / 1000000));
}

/* Changes take microseconds, unless they bring data. There is no queue: a waiter that tries at random moments gets
 * its turn. */
static drx_status wait_a_while(const drxi_io *log, drxi_stamp *stamp, void *of, struct waiting *w)
{
    if (w->tries++ < YIELDS) {
        (void)sched_yield();
        return DRX_OK;
    }
    pause_for(w->pause_us);
    w->idle_us += w->pause_us;
    w->unseen_us += w->pause_us;
    w->pause_us = drxi_min(w->pause_us * 3 / 2, LAST_PAUSE_US);
    return w->unseen_us < LOOK_US ? DRX_OK : look_for_work(log, stamp, of, w);
}

drx_status drxi_lock_change(drxi_io *log, drxi_stamp *stamp, void *of)
{
    struct waiting w = { .pause_us = FIRST_PAUSE_US };
    drx_status st = log->ops->lock(log, DRXI_LOCK_CHANGE);

    if (st != DRX_EBUSY)
        return st;
    while (st == DRX_EBUSY) {
        st = wait_a_while(log, stamp, of, &w);
        if (st)
            return st;
        st = log->ops->lock(log, DRXI_LOCK_CHANGE);
    }
    if (!st)
        drxi_report_clear(); /* which the tries have set */
    return st;
}

drx_status drxi_open_locked(const char *name, drx_status (*lock)(void *of), void *of, drxi_io **out)
{
    const double begun_at = drxi_now();

    do {
        bool named = false;
        drx_status st = drxi_files->open(name, DRXI_WRITE, out);

        if (!st)
            st = lock(of);
        if (!st)
            st = (*out)->ops->named(*out, &named);
        if (st || named)
            return st;
        (void)(*out)->ops->close(*out);
        *out = NULL;
    } while (drxi_now() - begun_at < PATIENCE);
    return drxi_fail(DRX_EBUSY, "%s: is being replaced again and again", name);
}

drx_status drxi_check_length(drxi_io *log, int64_t expected)
{
    int64_t bytes = 0;
    const drx_status st = log->ops->size(log, &bytes);

    if (st || bytes == expected)
        return st;
    return drxi_fail(
        DRX_EBUSY,
        "%s: %lld bytes long, expected %lld: another process writes to it, in spite of the lock; this handle "
        "only reads from now on",
        log->path, (long long)bytes, (long long)expected);
}
