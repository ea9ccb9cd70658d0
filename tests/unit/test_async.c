/* Asynchronous requests beside the caller, those that fail, and those after a fork. Their order: test_order.c. */
#include <unistd.h>

#include "base/work.h"
#include "drx_tools.h"
#include "processes.h"
#include "testing.h"

enum { N = 96 };

static drx_array *make(const char *path)
{
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT32, .shape = (int64_t[]){ N, N }, .chunk = (int64_t[]){ 16, 40 }, .flags = DRX_REPLACE
    };
    drx_array *a;

    assert_ok(drx_create(path, &spec, &a));
    return a;
}

/* Alone with its chunks, a write takes each in one piece; what is beside it stays. */
TEST(alone)
{
    static int32_t plain[N][N], whole[N][N], columns[2][N];
    const int64_t all[2] = { N, N }, lo[2] = { 0, 37 }, count[2] = { N, 2 }, turned[2] = { 1, N };
    drx_counters before, after;
    drx_request *req;
    uint64_t seed = 5;
    drx_array *a = make("alone");

    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            plain[y][x] = (int32_t)random_next(&seed);
    assert_ok(drx_write(a, (int64_t[]){ 0, 0 }, all, DRX_ROW_MAJOR, plain));
    for (int y = 0; y < N; y++)
        for (int x = 0; x < 2; x++)
            plain[y][37 + x] = columns[x][y] = (int32_t)random_next(&seed);
    assert_ok(drx_count(a, &before));
    assert_ok(drx_write_async(a, &(drx_box){ .lo = lo, .count = count, .stride = turned, .flags = DRX_ALONE }, columns,
                              &req));
    assert_ok(drx_wait(req));
    assert_ok(drx_count(a, &after));
    assert_int_equal(after.writes - before.writes, N / 16);
    assert_ok(drx_read(a, (int64_t[]){ 0, 0 }, all, DRX_ROW_MAJOR, whole));
    assert_memory_equal(whole, plain, sizeof plain);
    assert_ok(drx_close(a));
}

/* A request goes on while the caller does something else. */
TEST(beside_the_caller)
{
    static int32_t buf[N * N];
    drx_array *a = make("beside");
    drx_request *req;
    int done = 0;

    assert_ok(drx_read_async(a, &(drx_box){ .lo = (int64_t[]){ 0, 0 }, .count = (int64_t[]){ N, N } }, buf, &req));
    for (int i = 0; !done && i < 10000; i++) {
        assert_ok(drx_test(req, &done));
        (void)usleep(1000);
    }
    assert_true(done);
    assert_ok(drx_wait(req));
    assert_ok(drx_close(a));
}

TEST(failures)
{
    static int32_t buf[N];
    const int64_t lo[2] = { N - 1, 0 }, count[2] = { 1, N }, past[2] = { N, 0 };
    drx_request *good, *bad, *other;
    drx_array *a = make("failures");

    assert_ok(drx_write_async(a, &(drx_box){ .lo = lo, .count = count }, buf, &good));
    assert_ok(drx_write_async(a, &(drx_box){ .lo = past, .count = count }, buf, &bad));
    assert_ok(drx_read_async(a, &(drx_box){ .lo = (int64_t[]){ INT64_MAX, 0 }, .count = (int64_t[]){ INT64_MAX, 1 } },
                             buf, &other));
    assert_ok(drx_wait(good));
    assert_status(drx_wait(other), DRX_ERANGE);
    assert_status(drx_wait(bad), DRX_ERANGE);
    assert_detail("axis 0: 1 from index 96");
    assert_status(drx_read_async(a, &(drx_box){ .lo = NULL, .count = count }, buf, &bad), DRX_EINVAL);
    assert_null(bad);
    assert_status(drx_read_async(NULL, &(drx_box){ .lo = lo, .count = count }, buf, &bad), DRX_EINVAL);
    assert_status(drx_read_async(a, &(drx_box){ .lo = lo, .count = count }, buf, NULL), DRX_EINVAL);
    assert_ok(drx_close(a));
}

/* A child has no helpers of its parent's; it gets its own. */
TEST(after_fork)
{
    static int32_t buf[N * N];
    drx_array *a;
    drx_request *req;
    pid_t child;

    skip_if_emulated();
    a = make("fork");
    assert_ok(drx_write_async(a, &(drx_box){ .lo = (int64_t[]){ 0, 0 }, .count = (int64_t[]){ N, N } }, buf, &req));
    assert_ok(drx_wait(req));
    assert_ok(drx_close(a));
    child = fork();
    if (child == 0) {
        alarm(60);
        if (drx_open("fork", DRX_RDONLY, &a) ||
            drx_read_async(a, &(drx_box){ .lo = (int64_t[]){ 0, 0 }, .count = (int64_t[]){ N, N } }, buf, &req) ||
            drx_wait(req))
            _exit(1);
        _exit(0);
    }
    finish(child);
}

struct parts {
    int done[1000];
    int64_t bad;
};

static drx_status do_part(void *arg, int64_t i)
{
    struct parts *p = arg;

    p->done[i]++;
    return i >= p->bad ? drxi_fail(DRX_EIO, "part %lld", (long long)i) : DRX_OK;
}

TEST(shared_parts)
{
    for (int threads = 1; threads <= 8; threads++) {
        struct parts p = { .bad = 1000 };

        drxi_work_limit(threads);
        assert_ok(drxi_work_share(1000, do_part, &p));
        for (int i = 0; i < 1000; i++)
            assert_int_equal(p.done[i], 1);
        p.bad = 500;
        assert_status(drxi_work_share(1000, do_part, &p), DRX_EIO);
        assert_detail("part 500"); /* the first, though others may have failed before it */
        assert_ok(drxi_work_share(0, do_part, &p));
    }
    drxi_work_limit(0);
}
