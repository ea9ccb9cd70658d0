/* A lock that many hold at once, each for a moment, and one alone only now and then. */
#ifndef DRXI_GATE_H
#define DRXI_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/base.h"

struct drxi_gate {
    atomic_bool shut;
    pthread_rwlock_t lock; /* of who shuts the gate, and of those who come meanwhile */
};

void drxi_gate_init(struct drxi_gate *gate);
void drxi_gate_destroy(struct drxi_gate *gate);

/* To be inside with others. To enter writes a word of the thread's own, and no fence:
 * what a thread reads in one visit overlaps with what it reads in the next. */
DRXI_SHARED void drxi_gate_enter(struct drxi_gate *gate);
/* The same for long: who waits for this one does not hold up those who shut other gates, as he does else. */
DRXI_SHARED void drxi_gate_stay(struct drxi_gate *gate);
DRXI_SHARED void drxi_gate_leave(struct drxi_gate *gate);

/* To be inside alone; waits until all have left. */
DRXI_SHARED void drxi_gate_shut(struct drxi_gate *gate);
DRXI_SHARED void drxi_gate_open(struct drxi_gate *gate);

#endif
