/* Requests that touch the same elements take effect in the order in which they were begun, blocking calls included.
 * Helper threads are slow here: an order that depends on luck shows. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/work.h"
#include "drx_tools.h"
#include "slow_helpers.h"

enum { N = 48, ROOM = 4 * N * N };

static drx_array *a;
static int32_t model[2 * N][2 * N];
static int64_t shape[2];

static void create(const char *path)
{
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT32, .shape = (int64_t[]){ N, N }, .chunk = (int64_t[]){ 16, 20 }, .flags = DRX_REPLACE
    };

    memset(model, 0, sizeof model);
    shape[0] = shape[1] = N;
    assert_ok(drx_create(path, &spec, &a));
}

static void check_and_close(void)
{
    static int32_t whole[2 * N * 2 * N];

    assert_ok(drx_read(a, (int64_t[]){ 0, 0 }, shape, DRX_ROW_MAJOR, whole));
    for (int64_t y = 0; y < shape[0]; y++)
        assert_memory_equal(whole + y * shape[1], model[y], (size_t)shape[1] * 4);
    assert_ok(drx_close(a));
}

struct box {
    int64_t lo[2], count[2], step[2];
};

static drx_box of(const struct box *b)
{
    return (drx_box){ .lo = b->lo, .count = b->count, .step = b->step };
}

/* Give the model and `buf` new values, or `buf` those of the model. */
static void in_model(bool writing, const struct box *b, int32_t *buf, uint64_t *seed)
{
    for (int64_t i = 0; i < b->count[0] * b->count[1]; i++) {
        int32_t *cell = &model[b->lo[0] + i / b->count[1] * b->step[0]][b->lo[1] + i % b->count[1] * b->step[1]];

        if (writing)
            *cell = (int32_t)random_next(seed);
        buf[i] = *cell;
    }
}

/* Pairs: a request that is pending, then a call. */

static const struct box middle = { { 5, 7 }, { 30, 30 }, { 1, 1 } }, dotted = { { 0, 1 }, { 12, 15 }, { 3, 3 } };
static int32_t first[ROOM], second[ROOM], expected[ROOM];
static uint64_t seed = 3;

static void write_box(void)
{
    const drx_box box = of(&dotted);

    in_model(true, &dotted, second, &seed);
    assert_ok(drx_write_box(a, &box, second));
}

static void write_rows(void)
{
    const struct box b = { { 10, 0 }, { 2, N }, { 1, 1 } };

    in_model(true, &b, second, &seed);
    assert_ok(drx_write(a, b.lo, b.count, DRX_ROW_MAJOR, second));
}

static void read_box(void)
{
    const drx_box box = of(&dotted);

    in_model(false, &dotted, expected, NULL);
    assert_ok(drx_read_box(a, &box, second));
    assert_memory_equal(second, expected, (size_t)(dotted.count[0] * dotted.count[1]) * 4);
}

static void get(void)
{
    int32_t value;

    for (int64_t i = 0; i < N; i++) {
        assert_ok(drx_get(a, (int64_t[]){ i, i }, &value));
        assert_int_equal(value, model[i][i]);
    }
}

static void put(void)
{
    for (int64_t i = 0; i < N; i++) {
        model[i][i] = (int32_t)random_next(&seed);
        assert_ok(drx_put(a, (int64_t[]){ i, i }, &model[i][i]));
    }
}

static int64_t diagonal[N][2];
static int32_t points[N];

static void read_points(void)
{
    for (int64_t i = 0; i < N; i++)
        diagonal[i][0] = diagonal[i][1] = N - 1 - i;
    assert_ok(drx_read_points(a, N, diagonal[0], points));
    for (int64_t i = 0; i < N; i++)
        assert_int_equal(points[i], model[N - 1 - i][N - 1 - i]);
}

static void write_points(void)
{
    for (int64_t i = 0; i < N; i++) {
        diagonal[i][0] = diagonal[i][1] = i;
        points[i] = model[i][i] = (int32_t)random_next(&seed);
    }
    assert_ok(drx_write_points(a, N, diagonal[0], points));
}

static void *in_other_thread(void *call)
{
    makes_calls = true;
    ((void (*const *)(void))call)[0]();
    return NULL;
}

static void by_thread(void (*call)(void))
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, in_other_thread, &call), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void write_by_thread(void)
{
    by_thread(write_box);
}

static void read_by_thread(void)
{
    by_thread(read_box);
}

static void copy(void)
{
    static int32_t whole[N * N];
    const drx_copy_spec spec = { .chunk = (int64_t[]){ 48, 5 } };
    drx_array *out;

    assert_ok(drx_copy(a, NULL, &spec, &out));
    assert_ok(drx_read(out, (int64_t[]){ 0, 0 }, shape, DRX_ROW_MAJOR, whole));
    for (int64_t y = 0; y < N; y++)
        assert_memory_equal(whole + y * N, model[y], N * 4);
    assert_ok(drx_close(out));
}

TEST_WITH(calls_follow_requests, be_slow, be_fast)
{
    static void (*const calls[])(void) = {
        write_box, write_rows, read_box, get, put, write_points, read_points, write_by_thread, read_by_thread, copy,
    };

    create("calls_follow_requests");
    for (size_t i = 0; i < 2 * sizeof calls / sizeof *calls; i++) {
        const bool writing = i % 2;
        const drx_box box = of(&middle);
        drx_request *req;

        in_model(writing, &middle, first, &seed);
        memcpy(expected, first, sizeof first);
        assert_ok(writing ? drx_write_async(a, &box, first, &req) : drx_read_async(a, &box, second + ROOM / 2, &req));
        calls[i / 2]();
        assert_ok(drx_wait(req));
        if (!writing)
            assert_memory_equal(second + ROOM / 2, first, (size_t)(middle.count[0] * middle.count[1]) * 4);
    }
    check_and_close();
}

/* A request beyond the bounds fails, though a growth follows before a helper comes to it. */
TEST_WITH(growth_follows_requests, be_slow, be_fast)
{
    static int32_t row[2 * N];
    const struct box b = { { 0, 0 }, { N + 1, 1 }, { 1, 1 } };
    int64_t lo[2], count[2];

    create("growth_follows_requests");
    for (int call = 0; call < 3; call++) {
        struct box beyond = b;
        drx_request *held, *req;
        drx_box box;

        beyond.count[0] = shape[0] + 1;
        box = of(&beyond);
        assert_ok(drx_write_async(a, &(drx_box){ .lo = (int64_t[]){ 0, 0 }, .count = shape }, first, &held));
        for (int64_t i = 0; i < shape[0] * shape[1]; i++)
            model[i / shape[1]][i % shape[1]] = first[i];
        assert_ok(drx_write_async(a, &box, second, &req)); /* held by the one before */
        if (call == 0)
            assert_ok(drx_extend(a, 0, 1));
        else if (call == 1)
            assert_ok(drx_append(a, 0, 1, DRX_ROW_MAJOR, row));
        else
            assert_ok(drx_reserve(a, 0, 1, lo, count));
        shape[0]++;
        assert_ok(drx_wait(held));
        assert_status(drx_wait(req), DRX_ERANGE);
    }
    assert_ok(drx_extend(a, 1, 2)); /* no request is left that this could wait for */
    shape[1] += 2;
    check_and_close();
}

static struct box random_box(void)
{
    struct box b;

    for (int j = 0; j < 2; j++) {
        b.lo[j] = random_below(&seed, shape[j]);
        b.step[j] = 1 + random_below(&seed, 3);
        b.count[j] = 1 + random_below(&seed, (shape[j] - b.lo[j] + b.step[j] - 1) / b.step[j]);
    }
    return b;
}

enum { REQUESTS = 32, CALLS = 2500 };

static struct {
    drx_request *req;
    int32_t buf[ROOM], expected[ROOM];
    size_t bytes;
} pending[REQUESTS];

static void finish(int i)
{
    if (!pending[i].req)
        return;
    assert_ok(drx_wait(pending[i].req));
    pending[i].req = NULL;
    assert_memory_equal(pending[i].buf, pending[i].expected, pending[i].bytes);
}

static void begin_one(int i)
{
    const bool writing = random_below(&seed, 2);
    const struct box b = random_box();
    const drx_box box = of(&b);

    finish(i);
    in_model(writing, &b, pending[i].expected, &seed);
    pending[i].bytes = (size_t)(b.count[0] * b.count[1]) * 4;
    if (writing)
        memcpy(pending[i].buf, pending[i].expected, pending[i].bytes);
    assert_ok(writing ? drx_write_async(a, &box, pending[i].buf, &pending[i].req)
                      : drx_read_async(a, &box, pending[i].buf, &pending[i].req));
}

static void call_one(void)
{
    const struct box b = random_box();
    const drx_box box = of(&b);
    const size_t bytes = (size_t)(b.count[0] * b.count[1]) * 4;
    int32_t value = (int32_t)random_next(&seed), *cell = &model[b.lo[0]][b.lo[1]];

    switch (random_below(&seed, 4)) {
    case 0:
        in_model(true, &b, second, &seed);
        assert_ok(drx_write_box(a, &box, second));
        break;
    case 1:
        in_model(false, &b, expected, NULL);
        assert_ok(drx_read_box(a, &box, second));
        assert_memory_equal(second, expected, bytes);
        break;
    case 2:
        *cell = value;
        assert_ok(drx_put(a, b.lo, &value));
        break;
    default:
        assert_ok(drx_get(a, b.lo, &value));
        assert_int_equal(value, *cell);
    }
}

TEST_WITH(histories, be_slow, be_fast)
{
    seed = getenv("DRX_SEED") ? strtoull(getenv("DRX_SEED"), NULL, 10) : (uint64_t)time(NULL);
    print_message("DRX_SEED=%llu\n", (unsigned long long)seed);
    create("histories");
    for (int k = 0; k < CALLS; k++) {
        const int64_t what = random_below(&seed, 100);

        in_helper = random_below(&seed, 8) ? NULL : sleep_a_moment;
        if (what < 45)
            begin_one((int)random_below(&seed, REQUESTS));
        else if (what < 60)
            finish((int)random_below(&seed, REQUESTS));
        else if (what < 98)
            call_one();
        else if (shape[what - 98] < 2 * N)
            assert_ok(drx_extend(a, (int)what - 98, 1)), shape[what - 98]++;
    }
    for (int i = 0; i < REQUESTS; i++)
        finish(i);
    check_and_close();
}

static sem_t met;
static atomic_int inside, entered;

static void wait_for_call(void)
{
    struct timespec until;

    entered = 1;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    if (sem_timedwait(&met, &until) == 0)
        (void)sem_post(&met);
    else
        inside = -1000;
}

static void wait_for_each_other(void)
{
    if (atomic_fetch_add(&inside, 1) == 1)
        (void)sem_post(&met);
    wait_for_call();
}

/* Begin a request, and see that a helper has it; the caller could take it back before. */
static drx_request *held_up(bool writing, const drx_box *box, int32_t *buf)
{
    drx_request *req;

    entered = 0;
    assert_ok(writing ? drx_write_async(a, box, buf, &req) : drx_read_async(a, box, buf, &req));
    for (int i = 0; i < 60000 && !entered; i++)
        (void)usleep(1000);
    assert_true(entered);
    return req;
}

/* Calls do not wait for requests beside them, or for reads when they read; nor do requests for each other. */
TEST_WITH(others_go_on, be_slow, be_fast)
{
    static int32_t rows[3][8 * N];
    const int64_t count[2] = { 8, N }, at[3][2] = { { 0, 0 }, { 16, 0 }, { 32, 0 } };
    const int64_t half[2] = { 8, N / 2 }, step[2] = { 1, 2 };
    const drx_box odd = { .lo = (int64_t[]){ 40, 1 }, .count = half, .step = step };
    const drx_box even = { .lo = (int64_t[]){ 40, 0 }, .count = half, .step = step };
    drx_request *req[2];

    create("others_go_on");
    assert_int_equal(sem_init(&met, 0, 0), 0);
    in_helper = wait_for_call;
    req[0] = held_up(true, &(drx_box){ .lo = at[0], .count = count }, rows[0]);
    assert_ok(drx_write(a, at[1], count, DRX_ROW_MAJOR, rows[1]));
    assert_ok(drx_read(a, at[1], count, DRX_ROW_MAJOR, rows[2]));
    assert_int_equal(sem_post(&met), 0);
    assert_ok(drx_wait(req[0]));

    assert_int_equal(sem_trywait(&met), 0);
    req[0] = held_up(false, &(drx_box){ .lo = at[0], .count = count }, rows[0]);
    assert_ok(drx_read(a, at[0], count, DRX_ROW_MAJOR, rows[1]));
    assert_int_equal(sem_post(&met), 0);
    assert_ok(drx_wait(req[0]));

    assert_int_equal(sem_trywait(&met), 0);
    req[0] = held_up(true, &odd, rows[0]);
    assert_ok(drx_write_box(a, &even, rows[1]));
    assert_int_equal(sem_post(&met), 0);
    assert_ok(drx_wait(req[0]));

    assert_int_equal(sem_trywait(&met), 0);
    in_helper = drxi_work_most_threads() > 2 ? wait_for_each_other : NULL;
    for (int i = 0; i < 2; i++)
        assert_ok(drx_write_async(a, &(drx_box){ .lo = at[i], .count = count }, rows[i], &req[i]));
    for (int i = 0; in_helper && i < 60000 && inside < 2; i++)
        (void)usleep(1000); /* or this thread would do one of them */
    for (int i = 0; i < 2; i++)
        assert_ok(drx_wait(req[i]));
    assert_true(inside >= 0);
    assert_int_equal(sem_destroy(&met), 0);
    check_and_close();
}

static int64_t process_bytes(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld", &pages), 1);
    (void)fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

/* Where no helper can be made, who waits for the last request does those before it. */
TEST_WITH(without_helpers, be_slow, be_fast)
{
    int status;
    pid_t child;

    skip_if_emulated();
    create("without_helpers");
    child = fork();
    if (child == 0) {
        const rlim_t most = (rlim_t)process_bytes() + (16 << 20);
        const drx_box box = of(&middle);
        drx_request *req[3];
        pthread_attr_t attr;

        (void)alarm(60);
        memset(second, 1, sizeof second);
        if (pthread_attr_init(&attr) != 0 || pthread_attr_setstacksize(&attr, 64 << 20) != 0 ||
            pthread_setattr_default_np(&attr) != 0 || setrlimit(RLIMIT_AS, &(struct rlimit){ most, most }) != 0)
            _exit(1);
        if (drx_write_async(a, &box, first, &req[0]) || drx_write_async(a, &box, second, &req[1]) ||
            drx_read_async(a, &box, expected, &req[2]))
            _exit(2);
        if (drx_wait(req[2]) || memcmp(expected, second, 30 * 30 * 4) != 0 || drx_wait(req[0]) || drx_wait(req[1]))
            _exit(3);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_ok(drx_close(a));
}
