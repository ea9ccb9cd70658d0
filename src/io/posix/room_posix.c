/* How much memory this process has: that of the system, or what its control groups and its own limits allow. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/hooks.h"
#include "io/io.h"

/* The number in a file; `otherwise` when there is none. */
static int64_t number_in(const char *path, int64_t otherwise)
{
    FILE *file = fopen(path, "re");
    char text[32];
    int64_t n = otherwise;

    if (!file)
        return otherwise;
    if (fgets(text, sizeof text, file) && text[0] >= '0' && text[0] <= '9')
        n = strtoll(text, NULL, 10);
    (void)fclose(file);
    return n;
}

/* The least limit of the group and of those that it is in. `folder` ends in the path of the group, from `root` on. */
static int64_t least_limit(char *folder, size_t root, const char *name, int64_t least)
{
    for (;;) {
        char path[1200];
        char *slash;

        if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path)
            least = drxi_min(least, number_in(path, INT64_MAX));
        slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < root)
            return least;
        *slash = '\0';
    }
}

/* A line of /proc/self/cgroup: number:controllers:path, without controllers in version 2. */
static int64_t limit_of_line(char *line, int64_t least)
{
    static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/unified" };
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    bool second;

    if (!group)
        return least;
    second = group == controllers + 1;
    group[strcspn(group, "\n")] = '\0';
    *group++ = '\0';
    if (!second && !strstr(controllers, "memory"))
        return least;
    for (int i = second ? 0 : 1; i < 3; i += 2) { /* the mounts of that version */
        char folder[1100];

        if (snprintf(folder, sizeof folder, "%s%s", roots[i], group) < (int)sizeof folder)
            least = least_limit(folder, strlen(roots[i]), second ? "memory.max" : "memory.limit_in_bytes", least);
    }
    return least;
}

static int64_t limit_of_groups(void)
{
    FILE *groups = fopen("/proc/self/cgroup", "re");
    int64_t least = INT64_MAX;
    char line[1000];

    while (groups && fgets(line, sizeof line, groups))
        least = limit_of_line(line, least);
    if (groups)
        (void)fclose(groups);
    return drxi_max(least, 1);
}

/* RLIMIT_DATA, which does not count mapped files, is no reason not to map them. */
static int64_t limit_of_address_space(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < INT64_MAX ? (int64_t)limit.rlim_cur : INT64_MAX;
}

static struct {
    atomic_int_fast64_t room, limit; /* 0: not known yet */
} known;

static void find_memory_left(void)
{
    const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE), groups = limit_of_groups();
    const int64_t all = pages > 0 && page > 0 ? pages * page : INT64_MAX;
    const int64_t own = drxi_hooks.allowed_bytes ? drxi_hooks.allowed_bytes : limit_of_address_space();
    const int64_t least = drxi_max(drxi_min(groups, own), 1);

    atomic_store_explicit(&known.room, drxi_min(groups, all), memory_order_relaxed);
    atomic_store_explicit(&known.limit, least < all ? least : INT64_MAX, memory_order_relaxed);
}

static int64_t found(atomic_int_fast64_t *what)
{
    if (atomic_load_explicit(what, memory_order_relaxed) == 0)
        find_memory_left();
    return atomic_load_explicit(what, memory_order_relaxed);
}

int64_t drxi_room_for_files(void)
{
    return found(&known.room);
}

void drxi_keep_to_process(void)
{
    static const int share = 3; /* the library is allowed one part in this many of what the process is */

    if (atomic_load_explicit(&known.limit, memory_order_relaxed) == 0 && found(&known.limit) < INT64_MAX)
        drxi_default_memory((size_t)(found(&known.limit) / share));
}
