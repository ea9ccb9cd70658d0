/* With drx_set_memory, reads of a file in memory and copies of it keep few of its pages mapped. A process of its own
 * runs each, and measures its peak of resident memory. */
#include <unistd.h>

#include "base/hooks.h"
#include "drx_tools.h"
#include "processes.h"

enum { SIDE = 256, BOX = 16, MIB = 1 << 20 };
enum { SLABS, BOXES, ELEMENTS, POINTS, COPY, KINDS };

static long *peak_mib; /* of each kind; shared with the processes */
static size_t limit;

static long status_mib(const char *name)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long kib = -1;

    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, name, strlen(name)) == 0)
            kib = strtol(line + strlen(name), NULL, 10);
    if (status)
        (void)fclose(status);
    return kib / 1024;
}

static bool make(int ignored)
{
    const int64_t shape[3] = { SIDE, SIDE, SIDE }, chunk[3] = { 32, 32, 32 }, count[3] = { BOX, SIDE, SIDE };
    const drx_spec spec = { .ndim = 3, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };
    double *slab = calloc((size_t)BOX * SIDE * SIDE, sizeof *slab);
    drx_array *a;
    bool fine = slab && did(drx_create("mapped", &spec, &a));

    for (int64_t lo[3] = { 0, 0, 0 }; fine && lo[0] < SIDE; lo[0] += BOX)
        fine = did(drx_write(a, lo, count, DRX_ROW_MAJOR, slab));
    free(slab);
    return fine && did(drx_close(a));
}

static bool read_slabs(drx_array *a, double *buf)
{
    const int64_t count[3] = { BOX, SIDE, SIDE };

    for (int64_t lo[3] = { 0, 0, 0 }; lo[0] < SIDE; lo[0] += BOX)
        if (!did(drx_read(a, lo, count, DRX_ROW_MAJOR, buf)))
            return false;
    return true;
}

static bool read_boxes(drx_array *a, double *buf)
{
    const int64_t count[3] = { BOX, BOX, BOX };
    uint64_t random = 1;

    for (int i = 0; i < 20000; i++) {
        const int64_t lo[3] = { random_below(&random, SIDE - BOX), random_below(&random, SIDE - BOX),
                                random_below(&random, SIDE - BOX) };

        if (!did(drx_read(a, lo, count, DRX_ROW_MAJOR, buf)))
            return false;
    }
    return true;
}

static bool get_elements(drx_array *a, double *buf)
{
    uint64_t random = 1;

    for (int i = 0; i < 50000; i++) {
        const int64_t at[3] = { random_below(&random, SIDE), random_below(&random, SIDE), random_below(&random, SIDE) };

        if (!did(drx_get(a, at, buf)))
            return false;
    }
    return true;
}

static bool read_points(drx_array *a, double *buf)
{
    static int64_t at[1000][3];
    uint64_t random = 1;

    for (int i = 0; i < 50; i++) {
        for (int k = 0; k < 1000; k++)
            for (int j = 0; j < 3; j++)
                at[k][j] = random_below(&random, SIDE);
        if (!did(drx_read_points(a, 1000, at[0], buf)))
            return false;
    }
    return true;
}

static bool copy(drx_array *a)
{
    const int64_t chunk[3] = { 8, 64, 64 };
    const drx_copy_spec spec = { .chunk = chunk, .memory_bytes = 16 * MIB, .flags = DRX_REPLACE };

    return did(drx_copy(a, "copied", &spec, NULL));
}

static bool measure(int kind)
{
    double *buf = malloc((size_t)BOX * SIDE * SIDE * sizeof *buf);
    drx_array *a;
    bool fine;
    long before;

    drxi_hooks.way = DRXI_MAPPED;
    drx_set_memory(limit);
    if (!buf || !did(drx_open("mapped", DRX_RDONLY, &a)))
        return false;
    memset(buf, 1, (size_t)BOX * SIDE * SIDE * sizeof *buf);
    before = status_mib("VmHWM:");
    fine = kind == SLABS      ? read_slabs(a, buf)
           : kind == BOXES    ? read_boxes(a, buf)
           : kind == ELEMENTS ? get_elements(a, buf)
           : kind == POINTS   ? read_points(a, buf)
                              : copy(a);
    peak_mib[kind] = status_mib("VmHWM:") - before;
    free(buf);
    return fine && did(drx_close(a));
}

/* Without a limit, all of the array becomes mapped, which shows that the measurement sees it. */
TEST(within_the_limit)
{
    peak_mib = common(KINDS * sizeof *peak_mib);
    finish(start(make, 0));
    for (int kind = 0; kind < KINDS; kind++) {
        limit = 0;
        finish(start(measure, kind));
        assert_in_range(peak_mib[kind], 100, 100000);
        limit = 16 * MIB;
        finish(start(measure, kind));
        print_message("kind %d: %ld MiB\n", kind, peak_mib[kind]);
        assert_in_range(peak_mib[kind], 0, 16 + 32);
    }
}
