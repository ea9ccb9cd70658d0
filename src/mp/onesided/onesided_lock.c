/* A lock for each rank; its holder may add to that rank's elements. The holder keeps it while it adds a whole box, so
 * waiting threads yield the processor. */
#include <sched.h>
#include <time.h>

#include "mp/onesided/onesided.h"

enum { SPINS = 128, LONGEST_NS = 100000 };

static inline void pause_a_little(int64_t tries)
{
    if (tries % SPINS == SPINS - 1)
        (void)sched_yield();
#if defined __x86_64__ || defined __i386__
    else
        __builtin_ia32_pause();
#endif
}

/* Taking the lock shows everything stored before its release. Waiting threads only load, so the cache line stays with
 * the holder. */
static void lock_near(atomic_uint *lock)
{
    for (int64_t tries = 0; atomic_exchange_explicit(lock, 1, memory_order_acquire) != 0;)
        while (atomic_load_explicit(lock, memory_order_relaxed) != 0)
            pause_a_little(tries++);
}

static void unlock_near(atomic_uint *lock)
{
    atomic_store_explicit(lock, 0, memory_order_release);
}

static drx_status swap_word(const drxmp_darray *d, int rank, int64_t value, int64_t *old)
{
    drx_status st = drxi_mpi(MPI_Fetch_and_op(&value, old, MPI_INT64_T, rank, 0, MPI_REPLACE, d->locks), "locking");

    return st ? st : drxi_mpi(MPI_Win_flush(rank, d->locks), "locking");
}

static drx_status lock_far(const drxmp_darray *d, int rank)
{
    struct timespec wait = { 0, 1000 };
    int64_t held = 1;
    drx_status st = swap_word(d, rank, 1, &held);

    while (!st && held) {
        if (wait.tv_nsec <= 4000)
            (void)sched_yield();
        else
            (void)nanosleep(&wait, NULL);
        wait.tv_nsec = drxi_min(2 * wait.tv_nsec, LONGEST_NS);
        st = swap_word(d, rank, 1, &held);
    }
    if (!st && d->reach[rank].mem)
        drxi_memory_order(d);
    return st;
}

static drx_status unlock_far(const drxmp_darray *d, int rank)
{
    int64_t held;

    if (d->reach[rank].mem)
        drxi_memory_order(d);
    return swap_word(d, rank, 0, &held);
}

drx_status drxi_lock(const drxmp_darray *d, int rank)
{
    if (!d->reach[rank].lock)
        return lock_far(d, rank);
    lock_near(d->reach[rank].lock);
    return DRX_OK;
}

drx_status drxi_unlock(const drxmp_darray *d, int rank)
{
    if (!d->reach[rank].lock)
        return unlock_far(d, rank);
    unlock_near(d->reach[rank].lock);
    return DRX_OK;
}
