/* The memory of the machine: the page cache, what a process has, what is locked away. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench_disk.h"

enum { MIB = 1 << 20 };

int64_t resident_bytes(void)
{
    return proc_bytes("/proc/self/status", "VmRSS");
}

int64_t peak_bytes(void)
{
    return proc_bytes("/proc/self/status", "VmHWM");
}

enum outcome make_cold(const struct peer *peer, const char *path, bool all)
{
    enum outcome outcome = sync_files(peer->suffixes, path);

    if (outcome == DONE && all) {
        const int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);

        if (fd >= 0) { /* whether it helped, settle_cache finds out */
            (void)!write(fd, "3", 1);
            close(fd);
        }
    }
    return outcome == DONE ? settle_cache(peer->suffixes, path, true) : outcome;
}

enum outcome read_plainly(const struct peer *peer, const char *path)
{
    return settle_cache(peer->suffixes, path, false);
}

enum outcome inflate(const struct work *work, const struct job *job)
{
    const int64_t leave = job->argument[0] * MIB, available = proc_bytes("/proc/meminfo", "MemAvailable");
    const int64_t bytes = available - leave;
    void *balloon;

    (void)work;
    if (bytes <= 0)
        return complain("%" PRId64 " MiB are available, no more than is to be left", available / MIB);
    balloon = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (balloon == MAP_FAILED || mlock(balloon, (size_t)bytes) != 0)
        return complain("cannot lock %" PRId64 " MiB of memory: %s", bytes / MIB, strerror(errno));
    answer_integer("bytes", bytes);
    return DONE;
}
