/* A thread that makes MPI progress, for MPI libraries where operations on a rank's window wait until that rank makes a
 * call. It probes for messages and receives none. It does not probe on MPI_COMM_SELF, where MPICH makes no progress.
 * Between probes it sleeps, so that it uses almost no processor time. */
#include <time.h>

#include "mp/darray/sections.h"

enum { SLEEP_NS = 50000 };

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int64_t wanted; /* number of users; the gate protects it and `thread` */
static pthread_t thread;
static atomic_bool stop;

static void *look_on(void *unused)
{
    const struct timespec wait = { 0, SLEEP_NS };
    int there;

    (void)unused;
    while (!atomic_load_explicit(&stop, memory_order_acquire)) {
        (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        (void)nanosleep(&wait, NULL);
    }
    return NULL;
}

static drx_status check_threads(void)
{
    int level = MPI_THREAD_SINGLE;

    (void)MPI_Query_thread(&level);
    return level >= MPI_THREAD_MULTIPLE
               ? DRX_OK
               : drxi_fail(DRX_EUNSUPPORTED, "a thread for progress needs MPI_Init_thread with MPI_THREAD_MULTIPLE");
}

drx_status drxi_progress_want(void)
{
    drx_status st = check_threads();

    if (st)
        return st;
    (void)pthread_mutex_lock(&gate);
    if (wanted == 0) {
        atomic_store(&stop, false);
        if (pthread_create(&thread, NULL, look_on, NULL))
            st = drxi_fail(DRX_ENOMEM, "cannot start a thread for progress");
    }
    wanted += !st;
    (void)pthread_mutex_unlock(&gate);
    return st;
}

void drxi_progress_leave(void)
{
    (void)pthread_mutex_lock(&gate);
    if (--wanted == 0) {
        atomic_store_explicit(&stop, true, memory_order_release);
        (void)pthread_join(thread, NULL);
    }
    (void)pthread_mutex_unlock(&gate);
}

drx_status drxmp_darray_progress(drxmp_darray *d, int on)
{
    drx_status st = DRX_OK;

    if (!d)
        return drxi_fail(DRX_EINVAL, "the darray is a null pointer");
    if (d->sections == MPI_WIN_NULL || d->progressing == (on != 0))
        return DRX_OK;
    if (on)
        st = drxi_progress_want();
    else
        drxi_progress_leave();
    if (!st)
        d->progressing = on != 0;
    return st;
}
