/* A call that a helper thread makes while this thread goes on. */
#pragma once

#include "base/work.h"

struct drxi_later {
    struct drxi_work work;
    drx_status (*call)(void *arg);
    void *arg;
    bool begun; /* read by the waiting thread alone; the lock guards the rest */
    bool ended;
    drx_status st;
    char *detail; /* of a failure, for the thread that waits */
    pthread_mutex_t lock;
    pthread_cond_t at_end;
};

void drxi_later_init(struct drxi_later *later);
void drxi_later_destroy(struct drxi_later *later); /* no call was begun */

/* Let a helper call call(arg), or make the call now when there is no helper. No call may be going on. */
void drxi_later_begin(struct drxi_later *later, drx_status (*call)(void *arg), void *arg);

/* Make the call on this thread, for what helpers may not do. */
void drxi_later_now(struct drxi_later *later, drx_status (*call)(void *arg), void *arg);

/* Wait for the call, if any; return its status with its detail. This thread makes a call that no helper has begun. */
drx_status drxi_later_end(struct drxi_later *later);
