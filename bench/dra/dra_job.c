#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* Do this with each file of the folder whose name begins so. */
static void for_each(const char *name, void act(const char *path, int how), int how)
{
    DIR *entries = bench_rank == 0 ? opendir(folder) : NULL;
    struct dirent *entry;
    char path[PATH_BYTES];

    while (entries && (entry = readdir(entries)))
        if (strncmp(entry->d_name, name, strlen(name)) == 0) {
            join_path(path, folder, entry->d_name);
            act(path, how);
        }
    if (entries)
        closedir(entries);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void settle(const char *path, int how)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)fsync(fd);
    if (how == DROPPED)
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
}

void settle_files(const char *name, enum settle how)
{
    for_each(name, settle, (int)how);
}

static void unlink_it(const char *path, int how)
{
    (void)how;
    (void)unlink(path);
}

void remove_all(const char *name)
{
    for_each(name, unlink_it, 0);
}
