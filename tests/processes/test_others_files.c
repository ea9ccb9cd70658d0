/* A user who may only read another's files is not told by mincore what of them is in memory. A cold file is read by
 * calls nevertheless, many under way, and not page by page through the view. */
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "drx_tools.h"
#include "processes.h"

enum { N = 1024, CHUNK = 128, BYTES = 8 * N * N, NOBODY = 65534 };
enum { WHOLE, ELEMENTS, SMALL, KINDS };

static double square[N][N];

static void make_file(void)
{
    const int64_t shape[2] = { N, N }, chunk[2] = { CHUNK, CHUNK }, lo[2] = { 0 };
    const drx_spec spec = { .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk };
    drx_array *a;

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            square[i][j] = i * N + j;
    assert_ok(drx_create("a", &spec, &a));
    assert_ok(drx_write(a, lo, shape, DRX_ROW_MAJOR, square));
    assert_ok(drx_close(a));
}

/* Take the file out of the system's cache, as far as it lets that happen. Returns the share that is left. */
static double make_cold(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = BYTES / page;
    static unsigned char there[BYTES / 4096];
    const int fd = open("a.xta", O_RDONLY | O_CLOEXEC);
    void *map = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
    size_t left = 0;

    assert_true(map != MAP_FAILED);
    assert_int_equal(fsync(fd), 0);
    assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    assert_int_equal(mincore(map, BYTES, there), 0);
    for (size_t i = 0; i < pages; i++)
        left += there[i] & 1;
    (void)munmap(map, BYTES);
    (void)close(fd);
    return (double)left / (double)pages;
}

static void read_all(drx_array *a, drx_counters *counters)
{
    const int64_t lo[2] = { 0 }, count[2] = { N, N };

    memset(square, 0, sizeof square);
    assert_ok(drx_read(a, lo, count, DRX_ROW_MAJOR, square));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            assert_true(square[i][j] == i * N + j);
    assert_ok(drx_count(a, counters));
}

/* Small boxes and lists of elements find the file cold. */
static void read_small(drx_array *a)
{
    static double box[8 * 8], values[100];
    static int64_t at[100][2];
    const int64_t count[2] = { 8, 8 };
    drx_counters cold;

    for (int64_t k = 0; k < 20; k++) {
        const int64_t lo[2] = { k * 50, (k * 37 % 20) * 50 };

        assert_ok(drx_read(a, lo, count, DRX_ROW_MAJOR, box));
        for (int64_t i = 0; i < 64; i++)
            assert_true(box[i] == (double)((lo[0] + i / 8) * N + lo[1] + i % 8));
    }
    for (int64_t k = 0; k < 100; k++) {
        at[k][0] = k * 613 % N;
        at[k][1] = k * 389 % N;
    }
    assert_ok(drx_read_points(a, 100, at[0], values));
    for (int64_t k = 0; k < 100; k++)
        assert_true(values[k] == (double)(at[k][0] * N + at[k][1]));
    assert_ok(drx_count(a, &cold));
    assert_true(cold.reads >= 20 / 2);
    assert_true(cold.mapped_bytes < (int64_t)(sizeof box * 20 + sizeof values) / 2);
}

/* The first element finds the file cold, and so does all of it; then it is in memory. */
static void read_as_nobody(int kind)
{
    drx_counters cold, warm;
    drx_array *a;
    double value;

    assert_int_equal(setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY), 0);
    assert_int_not_equal(access("a.xta", W_OK), 0);
    assert_ok(drx_open("a", DRX_RDONLY, &a));
    if (kind == SMALL) {
        read_small(a);
        assert_ok(drx_close(a));
        return;
    }
    if (kind == ELEMENTS) {
        const int64_t index[2] = { 700, 300 };

        assert_ok(drx_get(a, index, &value));
        assert_true(value == 700 * N + 300);
        assert_ok(drx_count(a, &cold));
        assert_int_equal(cold.reads, 1);
    }
    read_all(a, &cold);
    assert_int_equal(cold.mapped_bytes, 0);
    assert_true(cold.concurrent > 1);
    read_all(a, &warm);
    assert_int_equal(warm.concurrent, cold.concurrent);
    assert_int_equal(warm.mapped_bytes, BYTES);
    assert_ok(drx_close(a));
}

TEST(reading)
{
    if (geteuid() != 0)
        skip(); /* only the superuser can become another user */
    make_file();
    for (int kind = 0; kind < KINDS; kind++) {
        pid_t child;

        if (make_cold() > 0.01)
            skip(); /* it is in memory for good */
        child = fork_idle();
        if (child == 0) {
            read_as_nobody(kind);
            _exit(0);
        }
        finish(child);
    }
}
