/* A lock that many threads enter for a moment each, and that one thread shuts now and then. */
#ifndef DRXI_GATE_H
#define DRXI_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/base.h"

struct drxi_gate {
    atomic_bool shut;
    pthread_rwlock_t lock; /* held by the thread that shuts the gate, and by those that arrive meanwhile */
};

void drxi_gate_init(struct drxi_gate *gate);
void drxi_gate_destroy(struct drxi_gate *gate);

/* Be inside together with others. Entering writes a word of the thread's own, without a fence: the reads of one
 * visit overlap with those of the next. */
DRXI_SHARED void drxi_gate_enter(struct drxi_gate *gate);
/* The same for a long visit: a thread that waits for this one does not delay threads that shut other gates. */
DRXI_SHARED void drxi_gate_stay(struct drxi_gate *gate);
DRXI_SHARED void drxi_gate_leave(struct drxi_gate *gate);

/* Be inside alone; shutting waits until all have left. */
DRXI_SHARED void drxi_gate_shut(struct drxi_gate *gate);
DRXI_SHARED void drxi_gate_open(struct drxi_gate *gate);

#endif
