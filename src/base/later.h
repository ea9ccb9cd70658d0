/* A call that a helper thread makes while this one goes on. */
#ifndef DRXI_LATER_H
#define DRXI_LATER_H

#include <pthread.h>

#include "base/work.h"

struct drxi_later {
    struct drxi_work work;
    drx_status (*call)(void *arg);
    void *arg;
    bool begun; /* looked at by the waiting thread alone; the rest is under the lock */
    bool ended;
    drx_status st;
    char *detail; /* of a failure, for the thread that waits */
    pthread_mutex_t lock;
    pthread_cond_t at_end;
};

void drxi_later_init(struct drxi_later *later);
void drxi_later_destroy(struct drxi_later *later); /* nothing is begun */

/* Let a helper call call(arg); without one it is called now. Nothing may be begun. */
void drxi_later_begin(struct drxi_later *later, drx_status (*call)(void *arg), void *arg);

/* The same, by this thread: for what helpers may not do. */
void drxi_later_now(struct drxi_later *later, drx_status (*call)(void *arg), void *arg);

/* Wait for what was begun, if anything; its status, with its detail. What no helper has
 * come to yet is called by this thread. */
drx_status drxi_later_end(struct drxi_later *later);

#endif
