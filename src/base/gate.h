/* A lock that many threads enter for a moment each, and that one thread at a time closes to change something. It may
 * prepare the change before it does, while the others go on. */
#pragma once

#include <pthread.h>

#include "base/base.h"

struct drxi_gate {
    atomic_bool shut;
    bool closed;           /* by the thread whose turn it is */
    atomic_int stays;      /* long visits */
    atomic_int pins;       /* visits that go on beside changes */
    pthread_mutex_t turn;  /* of the thread that changes something */
    pthread_rwlock_t lock; /* held by it while it is closed, and by those that arrive meanwhile */
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
void drxi_gate_enter(struct drxi_gate *gate);
/* The same for a long visit, which begins when no change is under way: no change begins until drxi_gate_end_stay. */
void drxi_gate_stay(struct drxi_gate *gate);
void drxi_gate_end_stay(struct drxi_gate *gate);
void drxi_gate_leave(struct drxi_gate *gate);

/* The same two, mostly without a call. */
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

/* A thread inside goes on with what no change of the others touches, and leaves: only drxi_gate_clear waits for its
 * unpin. */
static inline void drxi_gate_pin(struct drxi_gate *gate)
{
    (void)atomic_fetch_add(&gate->pins, 1);
}
static inline void drxi_gate_unpin(struct drxi_gate *gate)
{
    (void)atomic_fetch_sub(&gate->pins, 1);
}

/* Wait for the turn to change something, and for long visits. Threads go on to enter the gate. */
void drxi_gate_claim(struct drxi_gate *gate);
/* With the turn: be inside alone, but for pinned visits; waits until the others have left. False: it was closed
 * already. */
bool drxi_gate_close(struct drxi_gate *gate);
void drxi_gate_reopen(struct drxi_gate *gate); /* keeps the turn */
/* Take the turns of those of n gates where nobody stays, waits or is inside, and close these, without waiting:
 * closed[i]. drxi_gate_open opens each. */
void drxi_gate_try_close(struct drxi_gate *const gate[], int64_t n, bool closed[]);
/* The same without pinned visits. */
void drxi_gate_clear(struct drxi_gate *gate);
/* Claim and clear; and give back the turn, open. */
void drxi_gate_shut(struct drxi_gate *gate);
void drxi_gate_open(struct drxi_gate *gate);
