#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "dra_job.h"

static pthread_t watcher;
static bool watched;
static atomic_bool unwatched;
static int64_t first_bytes;
static _Atomic int64_t peak_bytes;

static void *watch(void *unused)
{
    const struct timespec a_while = { 0, 1000000 };

    while (!unwatched) {
        const int64_t bytes = proc_bytes("/proc/self/status", "RssAnon");

        if (bytes > peak_bytes)
            peak_bytes = bytes;
        (void)nanosleep(&a_while, NULL);
    }
    return unused;
}

void start_watching(void)
{
    unwatched = false;
    first_bytes = proc_bytes("/proc/self/status", "RssAnon");
    peak_bytes = first_bytes;
    watched = pthread_create(&watcher, NULL, watch, NULL) == 0;
}

void stop_watching(void)
{
    int64_t bytes;

    if (!watched)
        return;
    unwatched = true;
    (void)pthread_join(watcher, NULL);
    watched = false;
    bytes = peak_bytes - first_bytes;
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    answer_integer("memory_bytes", bytes);
}

static const char *const all_that_begin_so[] = { "*", NULL };

/* The first rank does it for all. */
void settle_files(const char *name, enum settle how)
{
    const char *const path = path_in(folder, name);

    if (bench_rank == 0)
        (void)(how == DROPPED ? settle_cache(all_that_begin_so, path, true) : sync_files(all_that_begin_so, path));
    wait_for_all();
}

void remove_all(const char *name)
{
    if (bench_rank == 0)
        remove_files(all_that_begin_so, path_in(folder, name));
    wait_for_all();
}
