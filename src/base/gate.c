/* A gate by slots (hazard slots) and an asymmetric fence. After Dice and Kogan, BRAVO: Biased Locking for Reader-Writer
 * Locks (USENIX ATC 2019), but each thread has a slot of its own.
 *
 * The problem. A read of one element is short, and programs make millions of them. With an ordinary lock each reader
 * changes a word that all share, and the processors pass its cache line around. Changes (a growth, a sync) are rare. So
 * the reader should write only memory of its own, and the rare side should pay for both.
 *
 * The slot. Each thread has one word, drxi_visit.gate, in a list of all threads. To enter, it
 *
 *     1. stores the gate in its slot,
 *     2. loads gate->shut; if that is false, it is inside,
 *
 * and to leave it stores NULL. A thread that closes the gate
 *
 *     A. stores true in gate->shut,
 *     B. loads all slots, and waits until none names this gate.
 *
 * Why it works. If the reader does 1 before the other's B, B sees it and waits. If not, A came before 2, so the reader
 * sees that the gate is shut, takes its entry back, and waits for the rwlock as with an ordinary lock. That needs 1 to
 * be visible before 2 loads, and A before B. Processors do reorder a store and a later load (the store waits in a
 * buffer), so each side needs a full fence between the two. The reader's fence would end the overlap of one read's
 * cache misses with those of the next.
 *
 * The asymmetric fence. membarrier(2) makes every thread of the process that is running execute a full fence now; a
 * thread that is not running passed one when it was scheduled. The closing thread calls it between A and B. Wherever a
 * reader is then, its store 1 is either before its fence, so that B sees it, or after, so that its load 2 sees A. The
 * reader itself needs only atomic_signal_fence, which keeps the compiler from exchanging 1 and 2 and costs nothing. A
 * thread that closes a gate and is alone in the list of visitors needs no fence. Where the system has no membarrier
 * (and under ThreadSanitizer, which does not know it), both sides use sequentially consistent stores and loads: the
 * same protocol, with the fence on both sides.
 *
 * What else there is. A thread has one slot, so a visit of a second gate inside a first takes the rwlock. A `stay` is a
 * long visit, which the thread that changes something waits for before it claims its turn; a `pin` goes on beside
 * changes, and only drxi_gate_clear waits for it. A thread that ends leaves the list (forget); a child of a fork is its
 * only thread (in_child). */
#include "base/gate.h"

#include "base/work.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { YIELDS = 100, NAP_NANOSECONDS = 50000 };

DRXI_NEAR_THREAD struct drxi_visit drxi_visit;

static struct {
    pthread_mutex_t lock;
    struct drxi_visit *first;
    pthread_key_t key;  /* its destructor runs when a thread ends */
    bool ready, fences; /* fences: membarrier works here */
} visits = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void forget_thread(void *arg)
{
    struct drxi_visit *v = arg;

    (void)pthread_mutex_lock(&visits.lock);
    *v->self = v->next;
    if (v->next)
        v->next->self = v->self;
    (void)pthread_mutex_unlock(&visits.lock);
    v->listed = v->quick = false;
    v->over = true;
}

/* After a fork, this is the only thread. */
static void renew_gate(void)
{
    visits.first = drxi_visit.listed ? &drxi_visit : NULL;
    drxi_visit.next = NULL;
    drxi_visit.self = &visits.first;
    (void)pthread_mutex_init(&visits.lock, NULL);
}

/* ThreadSanitizer knows atomics but not membarrier. */
static bool register_fences(void)
{
#if defined __SANITIZE_THREAD__
    return false;
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
    return false;
#endif
#endif
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static struct drxi_forked forked = { .lock = &visits.lock, .in_child = renew_gate };

/* With more than one thread this waits 10 ms for all processors. Most programs still have one when they load the
 * library. */
__attribute__((constructor)) static void register_early(void)
{
    visits.fences = register_fences();
}

static void prepare_fork(void)
{
    visits.ready = pthread_key_create(&visits.key, forget_thread) == 0;
    drxi_watch_forks(&forked);
}

/* The library may be unloaded before its threads end: then their destructors must not run. */
__attribute__((destructor)) static void unload(void)
{
    if (visits.ready)
        (void)pthread_key_delete(visits.key);
}

/* Put this thread into the list, but not while somebody waits for the threads in it. */
static bool join_gate(void)
{
    if (!visits.ready || drxi_visit.over || pthread_mutex_trylock(&visits.lock) != 0)
        return false;
    if (pthread_setspecific(visits.key, &drxi_visit) == 0) {
        drxi_visit.next = visits.first;
        drxi_visit.self = &visits.first;
        if (drxi_visit.next)
            drxi_visit.next->self = &drxi_visit.next;
        visits.first = &drxi_visit;
        drxi_visit.listed = true;
        drxi_visit.quick = visits.fences;
    }
    (void)pthread_mutex_unlock(&visits.lock);
    return drxi_visit.listed;
}

void drxi_gate_init(struct drxi_gate *gate)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_rwlockattr_t attr;

    (void)pthread_once(&once, prepare_fork); /* before another thread can enter or shut it */
    atomic_init(&gate->shut, false);
    gate->closed = false;
    atomic_init(&gate->stays, 0);
    atomic_init(&gate->pins, 0);
    (void)pthread_mutex_init(&gate->turn, NULL);
    (void)pthread_rwlockattr_init(&attr);
    (void)pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    (void)pthread_rwlock_init(&gate->lock, &attr);
    (void)pthread_rwlockattr_destroy(&attr);
}

void drxi_gate_destroy(struct drxi_gate *gate)
{
    (void)pthread_rwlock_destroy(&gate->lock);
    (void)pthread_mutex_destroy(&gate->turn);
}

void drxi_gate_enter(struct drxi_gate *gate)
{
    if ((drxi_visit.listed || join_gate()) && !atomic_load_explicit(&drxi_visit.gate, memory_order_relaxed)) {
        if (visits.fences) {
            atomic_store_explicit(&drxi_visit.gate, gate, memory_order_relaxed);
            atomic_signal_fence(memory_order_seq_cst);
        } else {
            atomic_store(&drxi_visit.gate, gate);
        }
        if (!atomic_load(&gate->shut))
            return;
        atomic_store_explicit(&drxi_visit.gate, NULL, memory_order_release);
    }
    (void)pthread_rwlock_rdlock(&gate->lock);
}

void drxi_gate_stay(struct drxi_gate *gate)
{
    (void)pthread_mutex_lock(&gate->turn);
    (void)atomic_fetch_add(&gate->stays, 1);
    (void)pthread_rwlock_rdlock(&gate->lock);
    (void)pthread_mutex_unlock(&gate->turn);
}

void drxi_gate_end_stay(struct drxi_gate *gate)
{
    (void)atomic_fetch_sub(&gate->stays, 1);
    (void)pthread_rwlock_unlock(&gate->lock);
}

void drxi_gate_leave(struct drxi_gate *gate)
{
    if (atomic_load_explicit(&drxi_visit.gate, memory_order_relaxed) == gate)
        atomic_store_explicit(&drxi_visit.gate, NULL, memory_order_release);
    else
        (void)pthread_rwlock_unlock(&gate->lock);
}

static bool is_visited(const struct drxi_gate *gate)
{
    const struct drxi_visit *v;

    (void)pthread_mutex_lock(&visits.lock);
    for (v = visits.first; v && atomic_load(&v->gate) != gate;)
        v = v->next;
    (void)pthread_mutex_unlock(&visits.lock);
    return v != NULL;
}

static bool is_pinned(const struct drxi_gate *gate)
{
    return atomic_load(&gate->pins) > 0;
}

/* A thread that joins later sees what was stored before, by the lock. */
static bool has_others(void)
{
    bool others;

    (void)pthread_mutex_lock(&visits.lock);
    others = visits.first && (visits.first != &drxi_visit || drxi_visit.next);
    (void)pthread_mutex_unlock(&visits.lock);
    return others;
}

static void fence_threads(void)
{
    if (visits.fences && has_others())
        (void)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

/* Wait for short visits awake, for long ones asleep; without the lock, which threads at other gates take, too. */
static void wait_while(bool (*holds)(const struct drxi_gate *gate), const struct drxi_gate *gate)
{
    const struct timespec nap = { 0, NAP_NANOSECONDS };

    for (int i = 0; holds(gate); i++)
        if (i < YIELDS)
            (void)sched_yield();
        else
            (void)nanosleep(&nap, NULL);
}

void drxi_gate_claim(struct drxi_gate *gate)
{
    (void)pthread_mutex_lock(&gate->turn);
    if (atomic_load(&gate->stays) > 0 && drxi_gate_close(gate))
        drxi_gate_reopen(gate);
}

bool drxi_gate_close(struct drxi_gate *gate)
{
    if (gate->closed)
        return false;
    (void)pthread_rwlock_wrlock(&gate->lock);
    atomic_store(&gate->shut, true);
    fence_threads();
    wait_while(is_visited, gate);
    gate->closed = true;
    return true;
}

static bool try_turn(struct drxi_gate *gate)
{
    if (pthread_mutex_trylock(&gate->turn) != 0)
        return false;
    if (atomic_load(&gate->stays) == 0 && pthread_rwlock_trywrlock(&gate->lock) == 0)
        return true;
    (void)pthread_mutex_unlock(&gate->turn);
    return false;
}

static bool is_anybody_somewhere(void)
{
    const struct drxi_visit *v;

    (void)pthread_mutex_lock(&visits.lock);
    for (v = visits.first; v && !atomic_load(&v->gate);)
        v = v->next;
    (void)pthread_mutex_unlock(&visits.lock);
    return v != NULL;
}

void drxi_gate_try_close(struct drxi_gate *const gate[], int64_t n, bool closed[])
{
    bool visited;

    for (int64_t i = 0; i < n; i++)
        if ((closed[i] = try_turn(gate[i]))) {
            gate[i]->closed = true;
            atomic_store(&gate[i]->shut, true);
        }
    fence_threads();
    visited = is_anybody_somewhere();
    for (int64_t i = 0; visited && i < n; i++)
        if (closed[i] && is_visited(gate[i])) {
            drxi_gate_open(gate[i]);
            closed[i] = false;
        }
}

void drxi_gate_reopen(struct drxi_gate *gate)
{
    gate->closed = false;
    atomic_store_explicit(&gate->shut, false, memory_order_release);
    (void)pthread_rwlock_unlock(&gate->lock);
}

void drxi_gate_clear(struct drxi_gate *gate)
{
    (void)drxi_gate_close(gate);
    wait_while(is_pinned, gate);
}

void drxi_gate_shut(struct drxi_gate *gate)
{
    drxi_gate_claim(gate);
    drxi_gate_clear(gate);
}

void drxi_gate_open(struct drxi_gate *gate)
{
    if (gate->closed)
        drxi_gate_reopen(gate);
    (void)pthread_mutex_unlock(&gate->turn);
}
