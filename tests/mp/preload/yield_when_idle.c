/* For programs on MPICH over UCX, loaded before its libraries: a process that waits yields, as Open MPI's do.
 *
 * MPICH polls without a pause. Of three ranks on two processors one then waits for the time slices of the others at
 * each message, and tests take ten times as long. What MPICH polls is this function of UCX, whose real one it calls. */
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

static unsigned (*real)(void *worker);

__attribute__((constructor)) static void find_real(void)
{
    *(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_progress"); /* NULL in programs without MPI, which do not call it */
}

unsigned ucp_worker_progress(void *worker)
{
    const unsigned events = real(worker);

    if (events == 0)
        (void)sched_yield();
    return events;
}
