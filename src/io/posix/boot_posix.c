/* A tag for this boot of this machine. What an earlier boot wrote and did not sync may be lost in part. libdrxmp has
 * this file, too. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/random.h>
#include <unistd.h>

#include "io/io.h"

enum { TAG_BITS = 24, MOST = (1 << TAG_BITS) - 2 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint32_t tag;

/* Get the system's name of this boot, or, if it has none, a number of this process. With that number, nothing that
 * other processes left unsynced counts as written by this boot. */
static size_t name_boot(uint8_t name[], size_t room)
{
    const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;

    if (fd >= 0) {
        do
            n = read(fd, name, room);
        while (n < 0 && errno == EINTR);
        (void)close(fd);
    }
    if (n <= 0)
        n = getrandom(name, room, 0);
    return n > 0 ? (size_t)n : 0;
}

static void find_boot(void)
{
    uint8_t name[64];
    const size_t n = name_boot(name, sizeof name);
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ name[i]) * 0x100000001b3u;
    tag = (uint32_t)(1 + (hash ^ hash >> 32) % MOST);
}

uint32_t drxi_boot_tag(void)
{
    (void)pthread_once(&once, find_boot);
    return tag;
}
