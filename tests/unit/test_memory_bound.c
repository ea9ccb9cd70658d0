/* Reads and writes of boxes allocate no more than drx_set_memory allows. Linked with --wrap for malloc, free and
 * madvise. */
#include <malloc.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "array/array.h"
#include "base/hooks.h"
#include "base/work.h"
#include "drx_tools.h"
#include "io/flight.h"
#include "testing.h"

enum { N = 1024, SLACK_BYTES = 1 << 14, MARK = 0xa5 };

static atomic_long live, most;

void *__real_malloc(size_t bytes);
void __real_free(void *p);
void *__wrap_malloc(size_t bytes);
void __wrap_free(void *p);

void *__wrap_malloc(size_t bytes)
{
    void *p = __real_malloc(bytes);
    const long now = p ? atomic_fetch_add(&live, (long)malloc_usable_size(p)) + (long)malloc_usable_size(p) : 0;
    long known = atomic_load(&most);

    while (now > known && !atomic_compare_exchange_weak(&most, &known, now))
        ;
    return p;
}

void __wrap_free(void *p)
{
    if (p)
        (void)atomic_fetch_sub(&live, (long)malloc_usable_size(p));
    __real_free(p);
}

static atomic_int given_back;

int __wrap_madvise(void *at, size_t bytes, int advice);

/* Pages that are given back keep their bytes here, so that the test sees how many were used. */
int __wrap_madvise(void *at, size_t bytes, int advice)
{
    (void)at;
    (void)bytes;
    if (advice == MADV_DONTNEED)
        (void)atomic_fetch_add(&given_back, 1);
    return 0;
}

/* The most that was allocated at a time by what moves the whole array, turned, so that it goes through a stage. */
static long bytes_for_moving(size_t bound)
{
    static double square[N][N];
    const int64_t chunk[2] = { 128, 128 }, lo[2] = { 0, 0 }, count[2] = { N, N };
    const drx_spec spec = { .ndim = 2, .type = DRX_FLOAT64, .shape = count, .chunk = chunk, .flags = DRX_REPLACE };
    drx_array *a;
    long before;

    drxi_hooks.way = DRXI_STAGED;
    drx_set_memory(bound);
    assert_ok(drx_create("bound", &spec, &a));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            square[i][j] = i * N + j;
    before = atomic_load(&live);
    atomic_store(&most, before);
    assert_ok(drx_write(a, lo, count, DRX_COL_MAJOR, square));
    memset(square, 0, sizeof square);
    assert_ok(drx_read(a, lo, count, DRX_ROW_MAJOR, square));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            assert_true(square[i][j] == j * N + i);
    assert_ok(drx_close(a));
    drx_set_memory(0);
    return atomic_load(&most) - before;
}

/* How far the memory of the flight that the next request takes was written to, from its beginning. */
static long used_of_flight(bool mark)
{
    struct drxi_flight *f;
    uint8_t *memory;
    long used = DRXI_FLIGHT_BYTES;

    assert_ok(drxi_flight_open(&f, &memory));
    if (mark)
        memset(memory, MARK, DRXI_FLIGHT_BYTES);
    while (used > 0 && memory[used - 1] == MARK)
        used--;
    drxi_flight_close(f);
    return used;
}

TEST(reads_stay_within)
{
    const size_t bounds[] = { 0, 3 << 20, 1 << 20, 100000, 1 };

    for (int i = 0; i < (int)(sizeof bounds / sizeof bounds[0]); i++) {
        const long allowed = bounds[i] ? drxi_max((long)bounds[i], 1 << 14) : DRXI_FLIGHT_BYTES;

        (void)used_of_flight(true);
        atomic_store(&given_back, 0);
        (void)bytes_for_moving(bounds[i]);
        assert_int_equal(atomic_load(&given_back) > 0, bounds[i] > 0); /* an idle flight keeps no memory */
        assert_in_range(used_of_flight(false), allowed / 4, allowed);
    }
}

/* The same of reading a compressed array whose chunks do not get smaller. */
static long bytes_for_decoding(size_t bound)
{
    static double square[N][N], got[N][N];
    const int64_t chunk[2] = { 128, 128 }, lo[2] = { 0, 0 }, count[2] = { N, N };
    const drx_spec spec = {
        .ndim = 2, .type = DRX_FLOAT64, .shape = count, .chunk = chunk, .codec = DRX_LZ4, .flags = DRX_REPLACE
    };
    uint64_t random = 1;
    drx_array *a;
    long before;

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            square[i][j] = (double)(random_next(&random) >> 12);
    assert_ok(drx_create("decoded", &spec, &a));
    assert_ok(drx_write(a, lo, count, DRX_ROW_MAJOR, square));
    drx_set_memory(bound);
    before = atomic_load(&live);
    atomic_store(&most, before);
    assert_ok(drx_read(a, lo, count, DRX_COL_MAJOR, got));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            assert_true(got[j][i] == square[i][j]);
    drx_set_memory(0);
    before = atomic_load(&most) - before;
    assert_ok(drx_close(a));
    return before;
}

TEST(decoding_stays_within)
{
    const long least = 3 * 128 * 128 * (long)sizeof(double) + 16; /* what drx_set_memory says of one thread */

    for (int threads = 1; threads <= drxi_work_threads(); threads++)
        assert_in_range(bytes_for_decoding((size_t)(threads * least)), 1, threads * least + SLACK_BYTES);
    assert_in_range(bytes_for_decoding(1), 1, least + SLACK_BYTES);
    drxi_hooks.way = DRXI_ANY_WAY; /* nothing is fetched ahead from memory */
    assert_in_range(bytes_for_decoding(0), 1, drxi_work_most_threads() * least + SLACK_BYTES);
    drxi_hooks.way = DRXI_STAGED;
}

/* The same of lists, with reads far from each other. */
TEST(points_stay_within)
{
    enum { POINTS = 2000 };
    static int64_t at[POINTS][2];
    static double value[POINTS];
    drx_array *a;

    (void)bytes_for_moving(0);
    assert_ok(drx_open("bound", DRX_RDONLY, &a));
    for (int i = 0; i < POINTS; i++) {
        at[i][0] = (int64_t)i * 1009 % N;
        at[i][1] = (int64_t)i * 501 % N;
    }
    for (size_t limit = 1; limit < 128 << 20; limit *= 4) {
        (void)used_of_flight(true);
        drx_set_memory(limit);
        assert_ok(drx_read_points(a, POINTS, at[0], value));
        drx_set_memory(0);
        for (int i = 0; i < POINTS; i++)
            assert_true(value[i] == (double)(at[i][1] * N + at[i][0]));
        assert_in_range(used_of_flight(false), 1, drxi_max((int64_t)limit / 4, 1 << 17));
    }
    assert_ok(drx_close(a));
}

TEST(stays_within)
{
    const long least = (long)drxi_work_most_threads() << 14, some = 12 * least + 1;

    assert_in_range(bytes_for_moving(0), 1 << 20, INT64_MAX);
    assert_in_range(bytes_for_moving((size_t)some), 1, some + SLACK_BYTES);
    assert_in_range(bytes_for_moving(1), 1, least + SLACK_BYTES);
}
