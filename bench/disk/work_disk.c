/* Reads of a cube from the disk, and from memory after such a read; and an array larger than memory (the driver limits
 * that), which grows, is read in slabs along each axis, and by boxes. The first argument says whether the whole page
 * cache is dropped, or only the files. The clock runs from before the array is opened until after the last element is
 * read. Out of core it covers computing and comparing elements, since a library may work for later calls meanwhile. */
#include <drx_tools.h>
#include <fcntl.h>
#include <unistd.h>

#include "../serial/requests.h"

enum { MIB = 1 << 20, LARGE_SIZE = 512 };
enum { MEMORY = 256 * MIB, LEAST_MEMORY = 4 * MIB }; /* what drx is allowed to have for copies */

/* ---- memory ------------------------------------------------------------------ */

int64_t resident_bytes(void)
{
    return proc_bytes("/proc/self/status", "VmRSS");
}

int64_t peak_bytes(void)
{
    return proc_bytes("/proc/self/status", "VmHWM");
}

void allow_memory(int64_t size)
{
    const int64_t part = MEMORY / LARGE_SIZE * size / LARGE_SIZE * size / LARGE_SIZE * size;
    const int64_t bytes = part > LEAST_MEMORY ? part : LEAST_MEMORY;

    drx_set_memory((size_t)bytes);
    answer_integer("memory_bytes", bytes);
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

/* ---- out of core --------------------------------------------------------------- */

static enum outcome run_grow(const struct work *work, const struct job *job)
{
    const struct layout layout = array_layout("deep", job->size);
    const char *const path = path_of(job, "deep");
    struct grown grown;
    enum outcome outcome;
    int64_t before;
    double start;

    (void)work;
    allow_memory(job->size);
    remove_files(job->peer->suffixes, path);
    if (!buffer(SLAB, (size_t)slab_elements(&layout) * sizeof(double)))
        return FAILED;
    before = resident_bytes();
    start = now();
    outcome = grow_array(job->peer, path, &layout, !(job->peer->declines & ACCESS(GROWTH_ALL)), &grown);
    answer_number("fill_seconds", grown.fill_seconds);
    if (outcome == DONE)
        outcome = sync_files(job->peer->suffixes, path);
    answer_number("seconds", now() - start);
    answer_integer("peak_bytes", peak_bytes() - before);
    answer_integer("bytes", box_elements(3, layout.extent) * (int64_t)sizeof(double));
    return outcome;
}

/* ---- the table ------------------------------------------------------------------ */

#define STEP(name, access, ...) \
    {                           \
        name,                   \
        {                       \
            access, __VA_ARGS__ \
        }                       \
    }
#define READ(name, access, ...)                                            \
    {                                                                      \
        name, run_reading, access, 0, &(const struct reading)              \
        {                                                                  \
            "cube", true, .step = { STEP("seconds", access, __VA_ARGS__) } \
        }                                                                  \
    }
#define AFTER(name, cat)                                                        \
    {                                                                           \
        name, run_reading, WHOLE, 0, &(const struct reading)                    \
        {                                                                       \
            "cube", true, cat, .step = {                                        \
                STEP("seconds", WHOLE, .count = 1),                             \
                STEP("again_seconds", WHOLE, .count = 1),                       \
                STEP("elements_seconds", ELEMENTS, .count = 20000, .least = 20) \
            }                                                                   \
        }                                                                       \
    }
#define DEEP(name, all, access, ...)                                                         \
    {                                                                                        \
        name, run_reading, access, 0, &(const struct reading)                                \
        {                                                                                    \
            "deep", true, false, true, all, .step = { STEP("seconds", access, __VA_ARGS__) } \
        }                                                                                    \
    }

static const struct reading grown = {
    "grown",
    true,
    .step = { STEP("seconds", ELEMENTS, .count = 20000, .least = 20),
              STEP("many_seconds", ELEMENTS, .count = 200000, .least = 20),
              STEP("boxes_seconds", BOXES, .count = 1000, .least = 20, .edge = 16) },
};

const struct work disk_works[] = {
    AFTER("disk-whole", false),
    AFTER("disk-cat", true),
    READ("disk-fortran", FORTRAN, .count = 1),
    READ("disk-planes-0", PLANES, .axis = 0, .count = 8),
    READ("disk-planes-1", PLANES, .axis = 1, .count = 8),
    READ("disk-planes-2", LAST_PLANES, .axis = 2, .count = 8),
    READ("disk-elements", ELEMENTS, .count = 2000, .least = 20, .singly = true),
    READ("disk-points", ELEMENTS, .count = 2000, .least = 20, .list = true),
    READ("disk-boxes", BOXES, .count = 1000, .least = 20, .edge = 16),
    { "disk-grown", run_reading, ELEMENTS, 0, &grown },
    { "deep-grow", run_grow, GROWTH, 0, NULL },
    DEEP("deep-verify", true, SLABS, .axis = 0, .edge = EDGE),
    DEEP("deep-slabs-0", false, SLABS, .axis = 0, .edge = EDGE),
    DEEP("deep-slabs-1", false, SLABS, .axis = 1, .edge = EDGE),
    DEEP("deep-slabs-2", false, SLABS, .axis = 2, .edge = EDGE),
    DEEP("deep-boxes", false, LARGE_BOXES, .count = 500, .least = 10, .edge = 64),
    { "drop-deep", drop_array, GROWTH, 0, NULL },
    { 0 },
};
