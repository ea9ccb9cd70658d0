/* With drx_set_memory, reads and copies of a file take no more memory than that and 32 MiB, mapped pages counted,
 * whether the file is in memory or comes from the disk. Without it, of the memory that a process is allowed a sixth
 * stays mapped. A process of its own runs each, and measures its peak of resident memory.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hooks.h"
#include "drx_tools.h"
#include "processes.h"

enum { SIDE = 256, BOX = 16, MIB = 1 << 20 };
enum { SLABS, BOXES, ELEMENTS, POINTS, SEVERAL, COPY, KINDS };
enum { TRIES = 20, ARRAYS = 12 };
#ifdef __SANITIZE_ADDRESS__
enum { KEEPS_FREED = true, BESIDES = 64 }; /* ASan does not give freed memory back, which counts then */
#else
enum { KEEPS_FREED = false, BESIDES = 32 }; /* MiB beside what drx_set_memory allows */
#endif

static long *peak_mib; /* of each kind; shared with the processes */
static size_t limit;
static int64_t allowed_bytes; /* to the process, if it is not 0 */
static int64_t *ahead_bytes;  /* shared, too */

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

static bool walk(drx_array *a, double *buf)
{
    const int64_t count[3] = { BOX, SIDE, SIDE };

    for (int64_t lo[3] = { 0, 0, 0 }; lo[0] < SIDE; lo[0] += BOX) {
        if (!did(drx_read(a, lo, count, DRX_ROW_MAJOR, buf)))
            return false;
        if (drxi_hooks.cache == DRXI_DIRECT) /* so that the next slab is fetched */
            (void)usleep(10000);
    }
    return true;
}

static bool read_slabs(drx_array *a, double *buf)
{
    drx_counters counters = { 0 };
    bool fine = true;

    for (int i = 0; fine && i < (drxi_hooks.cache == DRXI_DIRECT ? TRIES : 1) && counters.ahead_bytes == 0; i++)
        fine = walk(a, buf) && did(drx_count(a, &counters));
    *ahead_bytes = counters.ahead_bytes;
    return fine;
}

/* Of `n` requests; fewer where each comes from the disk. They still reach every chunk many times. */
static int requests(int n)
{
    return drxi_hooks.cache == DRXI_DIRECT ? n / 10 : n;
}

static bool read_boxes(drx_array *a, double *buf)
{
    const int64_t count[3] = { BOX, BOX, BOX };
    uint64_t random = 1;

    for (int i = 0; i < requests(20000); i++) {
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

    for (int i = 0; i < requests(50000); i++) {
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

/* The first slabs of several arrays, as the handles of one file are, in turn and all at once. */
static bool read_several(double *buf)
{
    const int64_t count[3] = { BOX, SIDE, SIDE };
    drx_array *a[ARRAYS];
    bool fine = true;

    for (int k = 0; k < ARRAYS; k++)
        if (!did(drx_open("mapped", DRX_RDONLY, &a[k])))
            return false;
    for (int i = 0; fine && i < 4 * ARRAYS; i++)
        fine = did(drx_read(a[i / 4], (int64_t[]){ i % 4 * BOX, 0, 0 }, count, DRX_ROW_MAJOR, buf));
    for (int i = 0; fine && i < 4 * ARRAYS; i++)
        fine = did(drx_read(a[i % ARRAYS], (int64_t[]){ i / ARRAYS * BOX, 0, 0 }, count, DRX_ROW_MAJOR, buf));
    for (int k = 0; k < ARRAYS; k++)
        fine = did(drx_close(a[k])) && fine;
    return fine;
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

    drxi_hooks.allowed_bytes = allowed_bytes;
    drx_set_memory(limit);
    if (!buf || !did(drx_open("mapped", DRX_RDONLY, &a)))
        return false;
    memset(buf, 1, (size_t)BOX * SIDE * SIDE * sizeof *buf);
    before = status_mib("VmHWM:");
    fine = kind == SLABS      ? read_slabs(a, buf)
           : kind == BOXES    ? read_boxes(a, buf)
           : kind == ELEMENTS ? get_elements(a, buf)
           : kind == POINTS   ? read_points(a, buf)
           : kind == SEVERAL  ? read_several(buf)
                              : copy(a);
    peak_mib[kind] = status_mib("VmHWM:") - before;
    free(buf);
    return fine && did(drx_close(a));
}

static void measure_all(size_t allowed)
{
    limit = allowed_bytes > 0 ? 0 : allowed;
    for (int kind = 0; kind < KINDS; kind++) {
        finish(start(measure, kind));
        print_message("kind %d: %ld MiB\n", kind, peak_mib[kind]);
        assert_in_range(peak_mib[kind], 0, allowed / MIB + BESIDES);
    }
}

/* Without a limit, all of the array becomes mapped, which shows that the measurement sees it. */
TEST(mapped)
{
    peak_mib = common(KINDS * sizeof *peak_mib);
    ahead_bytes = common(sizeof *ahead_bytes);
    finish(start(make, 0));
    drxi_hooks.way = DRXI_MAPPED;
    limit = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        finish(start(measure, kind));
        assert_in_range(peak_mib[kind], 100, 100000);
    }
    measure_all(16 * MIB);
}

TEST(touched)
{
    if (KEEPS_FREED)
        skip();
    drxi_hooks.way = DRXI_TOUCHED;
    measure_all(16 * MIB);
}

TEST(of_the_process)
{
    if (KEEPS_FREED)
        skip();
    drxi_hooks.way = DRXI_ANY_WAY;
    allowed_bytes = 384 * MIB;
    measure_all(384 / 6 * MIB);
    allowed_bytes = 0;
}

/* With slabs that are fetched ahead, which takes half of the limit. */
TEST(direct)
{
    const struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };

    if (KEEPS_FREED)
        skip();
    assert_int_equal(utimensat(AT_FDCWD, "mapped.xta", old, 0), 0);
    drxi_hooks.way = DRXI_STAGED;
    drxi_hooks.cache = DRXI_DIRECT;
    measure_all(16 * MIB);
    assert_int_equal(*ahead_bytes, 0);
    measure_all(32 * MIB);
    assert_true(*ahead_bytes > 0);
}
