/* A lock that many threads enter for a moment each, and that one thread shuts now and then. */
#ifndef DRXI_GATE_H
#define DRXI_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"

struct drxi_gate {
    atomic_bool shut;
    pthread_rwlock_t lock; /* held by the thread that shuts the gate, and by those that arrive meanwhile */
};

void drxi_gate_init(struct drxi_gate *gate);
void drxi_gate_destroy(struct drxi_gate *gate);

/* The slot of a thread. */
struct drxi_visit {
    _Atomic(const struct drxi_gate *) gate; /* where it is inside; NULL: nowhere that the slot says */
    bool quick;                             /* it is in the list, and membarrier works here */
    bool listed, over;                      /* over: the thread has ended */
    struct drxi_visit *next, **self;
};

/* Be inside together with others. Entering writes a word of the thread's own, without a fence: the reads of one
 * visit overlap with those of the next. */
DRXI_SHARED void drxi_gate_enter(struct drxi_gate *gate);
/* The same for a long visit: a thread that waits for this one does not delay threads that shut other gates. */
DRXI_SHARED void drxi_gate_stay(struct drxi_gate *gate);
DRXI_SHARED void drxi_gate_leave(struct drxi_gate *gate);

/* The same two inside libdrx, without a call. */
extern DRXI_NEAR_THREAD struct drxi_visit drxi_visit;
static inline void drxi_gate_step_in(struct drxi_gate *gate)
{
    if (drxi_visit.quick && !atomic_load_explicit(&drxi_visit.gate, memory_order_relaxed)) {
        atomic_store_explicit(&drxi_visit.gate, gate, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        if (!atomic_load_explicit(&gate->shut, memory_order_acquire))
            return;
        atomic_store_explicit(&drxi_visit.gate, NULL, memory_order_release);
    }
    drxi_gate_enter(gate);
}
static inline void drxi_gate_step_out(struct drxi_gate *gate)
{
    if (atomic_load_explicit(&drxi_visit.gate, memory_order_relaxed) == gate)
        atomic_store_explicit(&drxi_visit.gate, NULL, memory_order_release);
    else
        drxi_gate_leave(gate);
}

/* Be inside alone; shutting waits until all have left. */
DRXI_SHARED void drxi_gate_shut(struct drxi_gate *gate);
DRXI_SHARED void drxi_gate_open(struct drxi_gate *gate);

#endif
