/* Helper threads of the process, made when there is work for them: one for each
 * processor that the process may use, but for the caller's own. They make no calls
 * but into this library and to the operating system, and take no signals.
 *
 * DRX_THREADS (an environment variable, read once) sets the number of threads that
 * work on a request, the caller's among them; 1: no helpers for a single request. */
#ifndef DRXI_WORK_H
#define DRXI_WORK_H

#include "base/base.h"

/* A piece of work; embed it, and keep it until run has been called. */
struct drxi_work {
    void (*run)(struct drxi_work *work);
    struct drxi_work *next;
};

/* Let a helper call work->run; false when there is no helper to be had. */
DRXI_SHARED bool drxi_work_start(struct drxi_work *work);

/* Take back what no helper has begun; false when one has. */
DRXI_SHARED bool drxi_work_cancel(struct drxi_work *work);

/* How many threads may share a request. */
int drxi_work_threads(void);
void drxi_work_limit(int threads); /* for tests; 0: as DRX_THREADS and processors say */

/* How many there are at most, with one that makes calls. */
int drxi_work_most_threads(void);

/* Call part(arg, i) for 0 <= i < n, on this thread and on helpers; the first error,
 * in the order of i, is returned with its detail. Parts after an error may not be
 * called. */
drx_status drxi_work_share(int64_t n, drx_status (*part)(void *arg, int64_t i), void *arg);

#endif
