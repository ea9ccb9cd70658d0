/* Helper threads of the process, started when there is work for them: one for each processor that the process may
 * use, less one for the caller. They call only this library and the operating system, and block signals.
 *
 * DRX_THREADS (an environment variable, read once) sets how many threads work on a request, including the caller's;
 * with 1, a request has no helpers. */
#pragma once

#include <pthread.h>

#include "base/base.h"

/* A lock of the process: a fork holds it, and before it those that were watched later. A child calls in_child, which
 * makes the lock again, or the lock is released there, too (NULL). */
struct drxi_forked {
    pthread_mutex_t *lock;
    void (*in_child)(void);
    atomic_bool watched;
    struct drxi_forked *older;
};
void drxi_watch_forks(struct drxi_forked *forked); /* from now on; again: nothing */

/* Start a thread that blocks signals, which are the program's. */
bool drxi_start_thread(pthread_t *thread, void *(*run)(void *arg), void *arg);

/* A piece of work. Embed it, and keep it until run has been called. */
struct drxi_work {
    void (*run)(struct drxi_work *work);
    struct drxi_work *next;
};

/* Let a helper call work->run; false when there is no helper. */
bool drxi_work_start(struct drxi_work *work);
/* The same for work that mostly waits for a server: more helpers than processors are of use. */
bool drxi_work_start_waiting(struct drxi_work *work);

/* Take back work that no helper has begun; false when one has. */
bool drxi_work_cancel(struct drxi_work *work);

/* How many threads may share a request. */
int drxi_work_threads(void);
void drxi_work_limit(int threads); /* for tests; 0: as DRX_THREADS and processors say */

/* The most threads at work: all helpers and one caller. */
int drxi_work_most_threads(void);

/* Call part(arg, i) for 0 <= i < n, on this thread and on helpers. Return the error of the smallest i that failed,
 * with its detail. Parts after an error may not be called. */
drx_status drxi_work_share(int64_t n, drx_status (*part)(void *arg, int64_t i), void *arg);
