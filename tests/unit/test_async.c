/* Asynchronous requests: many at a time, in order where they touch the same elements, beside the caller. Also
 * requests that fail, and requests that nobody waits for. */
#include <sys/wait.h>
#include <unistd.h>

#include "base/work.h"
#include "drx_tools.h"
#include "testing.h"

enum { N = 96, REQUESTS = 64, ROUNDS = 40 };

static drx_array *make(const char *path)
{
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT32, .shape = (int64_t[]){ N, N }, .chunk = (int64_t[]){ 16, 40 }, .flags = DRX_REPLACE
    };
    drx_array *a;

    assert_ok(drx_create(path, &spec, &a));
    return a;
}

struct box {
    int64_t lo[2], count[2], step[2];
    int64_t stride[2]; /* in memory: as in the array, or turned */
};

static struct box random_box(uint64_t *seed)
{
    struct box b;

    for (int j = 0; j < 2; j++) {
        b.lo[j] = random_below(seed, N);
        b.step[j] = 1 + random_below(seed, 3);
        b.count[j] = 1 + random_below(seed, (N - b.lo[j] + b.step[j] - 1) / b.step[j]);
    }
    b.stride[0] = b.count[1];
    b.stride[1] = 1;
    if (random_below(seed, 2)) {
        b.stride[0] = 1;
        b.stride[1] = b.count[0];
    }
    return b;
}

static void begin(drx_array *a, bool writing, const struct box *b, void *buf, drx_request **req)
{
    if (b->step[0] == 1 && b->step[1] == 1) {
        const drx_order order = b->stride[1] == 1 ? DRX_ROW_MAJOR : DRX_COL_MAJOR;

        assert_ok(writing ? drx_write_async(a, &(drx_box){ .lo = b->lo, .count = b->count, .order = order }, buf, req)
                          : drx_read_async(a, &(drx_box){ .lo = b->lo, .count = b->count, .order = order }, buf, req));
        return;
    }
    assert_ok(
        writing ? drx_write_async(a, &(drx_box){ .lo = b->lo, .count = b->count, .step = b->step, .stride = b->stride },
                                  buf, req)
                : drx_read_async(a, &(drx_box){ .lo = b->lo, .count = b->count, .step = b->step, .stride = b->stride },
                                 buf, req));
}

/* What a plain array would hold after the requests in their order is what each read
 * of them gave, and the array holds in the end. */
TEST(in_order)
{
    static int32_t plain[N][N], whole[N][N], bufs[REQUESTS][N * N], expected[REQUESTS][N * N];
    uint64_t seed = 11;
    drx_array *a = make("order");

    for (int round = 0; round < ROUNDS; round++) {
        drx_request *req[REQUESTS];
        struct box box[REQUESTS];
        bool writing[REQUESTS];

        for (int i = 0; i < REQUESTS; i++) {
            const struct box b = box[i] = random_box(&seed);

            writing[i] = random_below(&seed, 2);
            for (int64_t y = 0; y < b.count[0]; y++)
                for (int64_t x = 0; x < b.count[1]; x++) {
                    int32_t *cell = &plain[b.lo[0] + y * b.step[0]][b.lo[1] + x * b.step[1]];
                    const int64_t at = y * b.stride[0] + x * b.stride[1];

                    if (writing[i])
                        *cell = bufs[i][at] = (int32_t)random_next(&seed);
                    expected[i][at] = *cell;
                }
            begin(a, writing[i], &b, bufs[i], &req[i]);
        }
        for (int k = 0; k < REQUESTS; k++) { /* waited for in another order */
            const int i = (k * 37 + round) % REQUESTS;
            int done = 0;

            if (k % 3 == 0)
                assert_ok(drx_test(req[i], &done));
            assert_ok(drx_wait(req[i]));
            assert_memory_equal(bufs[i], expected[i], (size_t)(box[i].count[0] * box[i].count[1]) * 4);
        }
        assert_ok(drx_read(a, (int64_t[]){ 0, 0 }, (int64_t[]){ N, N }, DRX_ROW_MAJOR, whole));
        assert_memory_equal(whole, plain, sizeof plain);
    }
    assert_ok(drx_close(a));
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
    int status;
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
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
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
