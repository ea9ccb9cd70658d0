/* Collective and independent requests that touch the same elements take effect in the order in which they were
 * begun; between ranks, in the order of the collective calls, whatever the ranks' timing. Helper threads are slow
 * here. */
#include <semaphore.h>

#include "array/array.h"
#include "mp_testing.h"
#include "slow_helpers.h"

enum { ROWS = 24, COMMON = 20, OWN = 6, MOST = 16, ROOM = ROWS * (COMMON + OWN * MOST) };

static drxmp_array *m;
static int32_t model[ROWS][COMMON + OWN * MOST];
static int columns;
static uint64_t luck; /* random numbers, others on each rank */

static void doze(void)
{
    if (random_below(&luck, 4) == 0)
        (void)usleep((useconds_t)random_below(&luck, 3000));
}

static void create(const char *path, const char *backend, const char *io_ranks)
{
    const int64_t shape[2] = { ROWS, columns = COMMON + OWN * mp_ranks }, chunk[2] = { 7, 9 };

    assert_true(mp_ranks <= MOST);
    memset(model, 0, sizeof model);
    m = mp_create(path,
                  &(drx_spec){ .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE });
    assert_ok(mp_set(m, "drx_backend=%s%s", backend, io_ranks));
    luck = mp_stream + 1 + (uint64_t)mp_rank;
}

/* What write number `n` gives to an element, whatever the rank: where boxes of ranks overlap, it is one value. */
static int32_t value_of(int n, int64_t row, int64_t column)
{
    return (int32_t)(n * 10000 + row * 200 + column);
}

/* Give the elements of the box to the model, or those of the model to `buf`. */
static void in_model(const struct mp_box *b, int writing, int32_t *buf)
{
    for (int64_t i = 0; i < mp_box_size(b); i++) {
        const int64_t row = mp_row(b, i), column = mp_column(b, i);

        if (writing)
            model[row][column] = value_of(writing, row, column);
        if (buf)
            buf[i] = model[row][column];
    }
}

static size_t bytes_of(const struct mp_box *b)
{
    return (size_t)mp_box_size(b) * sizeof **model;
}

static void check_box(const struct mp_box *b, const int32_t *got)
{
    static int32_t expected[ROOM];

    in_model(b, 0, expected);
    assert_memory_equal(got, expected, bytes_of(b));
}

static void check_all(void)
{
    static int32_t buf[ROOM];
    const struct mp_box all = { { 0, 0 }, { ROWS, columns } };
    const drx_box box = mp_drx_box(&all);

    assert_ok(drxmp_read_box_all(m, &box, buf));
    check_box(&all, buf);
}

/* The box of a rank in call n: bands that move on, so that each rank meets the elements of others. */
static struct mp_box band(int n, int rank)
{
    return (struct mp_box){ { (3 * n + 5 * rank) % (ROWS - 8), n % 3 }, { 8, columns - 3 } };
}

enum { CHAIN = 4 };

static const char *const backends[] = { "posix", "mpiio" }, *const io_ranks[] = { "", ",drx_io_ranks=1" };

/* Writes, then a read of what other ranks wrote; `turned`: the last is waited for first. `blocking`: all but the first
 * write wait. */
static void chain(bool turned, bool blocking)
{
    static int32_t bufs[CHAIN + 1][ROOM], expected[ROOM];
    drx_request *req[CHAIN + 1] = { NULL };
    struct mp_box mine;

    for (int n = 0; n <= CHAIN; n++) {
        const bool reading = n == CHAIN || n == 1;
        drx_box box;

        for (int rank = 0; rank < mp_ranks && !reading; rank++) {
            const struct mp_box b = band(n % 2, rank);

            in_model(&b, n + 1, NULL);
        }
        mine = band(n % 2, (mp_rank + reading) % mp_ranks);
        in_model(&mine, 0, n == 1 ? expected : bufs[n]);
        memset(bufs[n], 0, reading ? sizeof bufs[n] : 0);
        box = mp_drx_box(&mine);
        doze();
        if (blocking && n > 0)
            assert_ok(reading ? drxmp_read_box_all(m, &box, bufs[n]) : drxmp_write_box_all(m, &box, bufs[n]));
        else
            assert_ok(reading ? drxmp_iread_all(m, &box, bufs[n], &req[n])
                              : drxmp_iwrite_all(m, &box, bufs[n], &req[n]));
    }
    for (int i = 0; i <= CHAIN; i++) {
        const int n = turned ? CHAIN - i : i;

        doze();
        if (req[n])
            assert_ok(drx_wait(req[n]));
    }
    mine = band(1, (mp_rank + 1) % mp_ranks);
    assert_memory_equal(bufs[1], expected, bytes_of(&mine));
    mine = band(0, (mp_rank + 1) % mp_ranks);
    check_box(&mine, bufs[CHAIN]);
    check_all();
    memset(bufs[0], 0, sizeof bufs[0]);
    assert_ok(drxmp_read(m, mine.lo, mine.count, DRX_ROW_MAJOR, bufs[0])); /* this rank alone */
    check_box(&mine, bufs[0]);
}

TEST_WITH(chains, be_slow, be_fast)
{
    for (int i = 0; i < 16; i++) {
        if (i % 4 == 0)
            create("chains", backends[i / 4 % 2], io_ranks[i / 8]);
        chain(i % 2, i % 4 / 2);
        if (i % 4 == 3)
            assert_ok(drxmp_close(m));
    }
}

/* A rank alone never waits for others. */
TEST_WITH(ranks_alone, be_slow, be_fast)
{
    static int32_t buf[ROOM], other[ROOM];
    const struct mp_box own = { { 0, COMMON + OWN * mp_rank }, { ROWS, OWN / 2 }, { 1, 2 } };
    const struct mp_box beside = { { 0, COMMON + OWN * mp_rank + 1 }, { ROWS, OWN / 2 }, { 1, 2 } };
    const drx_box box = mp_drx_box(&own), gap = mp_drx_box(&beside);
    drx_array *a;
    drx_request *req, *more;
    int32_t value = 77;
    int done = 0;

    create("alone", "posix", "");
    a = drxmp_serial(m);
    for (int i = 0; i < ROOM; i++)
        buf[i] = i;
    assert_ok(drxmp_iwrite_all(m, &box, buf, &req));
    assert_fails(drxmp_read(m, own.lo, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, other), DRX_EBUSY, "drx_wait");
    assert_status(drxmp_write(m, own.lo, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, other), DRX_EBUSY);
    assert_status(drx_get(a, own.lo, &value), DRX_EBUSY);
    assert_status(drx_put(a, own.lo, &value), DRX_EBUSY);
    assert_status(drx_read_async(a, &box, other, &more), DRX_EBUSY);
    assert_null(more);
    assert_ok(drx_write_box(a, &gap, other));
    assert_ok(drx_read_async(a, &gap, other, &more));
    assert_ok(drx_wait(more));
    while (!done)
        assert_ok(drx_test(req, &done));
    assert_ok(drx_read_box(a, &box, other)); /* over, and the caller knows */
    assert_memory_equal(other, buf, bytes_of(&own));
    assert_ok(drx_wait(req));

    assert_ok(drxmp_iread_all(m, &box, other, &req));
    assert_ok(drx_get(a, own.lo, &value)); /* both read */
    assert_status(drx_put(a, own.lo, &value), DRX_EBUSY);
    assert_ok(drx_wait(req));
    assert_memory_equal(other, buf, bytes_of(&own));

    assert_ok(drx_write_async(a, &box, other, &more)); /* the collective call waits for it */
    assert_ok(drxmp_write_box_all(m, &box, buf + 5));
    assert_ok(drx_wait(more));
    assert_ok(drx_write_async(a, &box, buf + 9, &more));
    assert_ok(drxmp_iread_all(m, &box, other, &req));
    assert_ok(drx_wait(req));
    assert_memory_equal(other, buf + 9, bytes_of(&own));
    assert_ok(drx_wait(more));
    assert_ok(drxmp_close(m));
}

/* Other calls while requests are pending that the ranks wait for: no rank is left waiting, and all get one error. */
TEST_WITH(unlike_calls, be_slow, be_fast)
{
    static int32_t buf[ROOM], other[ROOM];
    const struct mp_box all = { { 0, 0 }, { ROWS, COMMON } };
    const drx_box box = mp_drx_box(&all);

    create("unlike", "posix", "");
    for (int i = 0; i < 20; i++) {
        drx_request *req;
        drx_status st;

        assert_ok(drxmp_iwrite_all(m, &box, buf, &req));
        doze();
        st = i % mp_ranks == mp_rank ? drxmp_read_box_all(m, &box, other) : drxmp_sync(m);
        assert_status(st, mp_ranks > 1 ? DRX_EMISMATCH : DRX_OK);
        assert_ok(drx_wait(req));
        assert_status(drxmp_read_box_all(m, mp_rank == mp_ranks - 1 ? NULL : &box, other), DRX_EINVAL);
    }
    assert_ok(drxmp_close(m));
}

static sem_t let_go;

static void wait_for_call(void)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    assert_int_equal(sem_timedwait(&let_go, &until), 0);
    (void)sem_post(&let_go);
}

/* A blocking read, and another request, go on beside a request that a helper cannot finish. */
TEST_WITH(others_go_on, be_slow, be_fast)
{
    static int32_t bufs[3][ROOM];
    const struct mp_box own = { { 0, COMMON + OWN * mp_rank }, { ROWS, OWN } };
    const struct mp_box next = { { 0, 0 }, { ROWS, COMMON } };
    const drx_box box = mp_drx_box(&own), beside = mp_drx_box(&next);
    drx_request *req, *second;
    int done = 0;

    create("beside", "posix", "");
    assert_int_equal(sem_init(&let_go, 0, 0), 0);
    for (int writing = 0; writing < 2; writing++) {
        in_helper = wait_for_call;
        assert_ok(writing ? drxmp_iwrite_all(m, &box, bufs[0], &req) : drxmp_iread_all(m, &box, bufs[0], &req));
        assert_ok(drxmp_read_box_all(m, &beside, bufs[1]));
        if (!writing)
            assert_ok(drxmp_write_box_all(m, &beside, bufs[1]));
        assert_ok(drxmp_iread_all(m, &beside, bufs[2], &second));
        assert_ok(drx_test(second, &done)); /* it does not say so before the older one is over */
        assert_int_equal(sem_post(&let_go), 0);
        assert_ok(drx_wait(req));
        assert_ok(drx_wait(second));
        assert_int_equal(sem_trywait(&let_go), 0);
    }
    assert_int_equal(sem_destroy(&let_go), 0);
    assert_ok(drxmp_close(m));
}

enum { REQUESTS = 5, CALLS = 120 };

static struct {
    drx_request *req;
    bool writing, told;
    struct mp_box box;
    int32_t buf[ROOM], expected[ROOM];
} pending[2 * REQUESTS]; /* those behind REQUESTS: of this rank alone */

/* In the columns that all use, or in those of that rank. */
static struct mp_box random_box(uint64_t *from, int rank)
{
    const bool common = rank < 0 || random_below(from, 2);
    const int64_t first = common ? 0 : COMMON + OWN * rank, width = common ? COMMON : OWN;
    struct mp_box b;

    for (int j = 0; j < 2; j++) {
        const int64_t extent = j ? width : ROWS;

        b.lo[j] = random_below(from, extent);
        b.step[j] = 1 + random_below(from, 3);
        b.count[j] = 1 + random_below(from, (extent - b.lo[j] + b.step[j] - 1) / b.step[j]);
        b.lo[j] += j ? first : 0;
    }
    return b;
}

/* Whether an element is in both, tried out. */
static bool touch(const struct mp_box *x, const struct mp_box *y)
{
    for (int j = 0; j < 2; j++) {
        bool some = false;

        for (int64_t i = 0; i < x->count[j]; i++) {
            const int64_t k = x->lo[j] + i * x->step[j] - y->lo[j];

            some = some || (k >= 0 && k % y->step[j] == 0 && k / y->step[j] < y->count[j]);
        }
        if (!some)
            return false;
    }
    return true;
}

static void finish(int i)
{
    if (!pending[i].req)
        return;
    assert_ok(drx_wait(pending[i].req));
    pending[i].req = NULL;
    assert_memory_equal(pending[i].buf, pending[i].expected, bytes_of(&pending[i].box));
}

/* A collective call of all ranks, each with a box that all know; slot < 0: a blocking one. */
static void together(int n, int slot)
{
    static int32_t buf[ROOM], expected[ROOM];
    const bool writing = mp_below(2);
    int32_t *to = slot < 0 ? buf : pending[slot].buf, *wanted = slot < 0 ? expected : pending[slot].expected;
    struct mp_box mine = { { 0 }, { 0 } };
    drx_box box;

    for (int rank = 0; rank < mp_ranks; rank++) {
        const struct mp_box b = random_box(&mp_stream, rank);

        if (writing)
            in_model(&b, n, NULL);
        if (rank == mp_rank)
            mine = b;
    }
    in_model(&mine, 0, wanted);
    memcpy(to, wanted, writing ? bytes_of(&mine) : 0);
    box = mp_drx_box(&mine);
    if (slot < 0) {
        assert_ok(writing ? drxmp_write_box_all(m, &box, to) : drxmp_read_box_all(m, &box, to));
        assert_memory_equal(to, wanted, bytes_of(&mine));
        return;
    }
    pending[slot].box = mine;
    pending[slot].writing = writing;
    pending[slot].told = false;
    assert_ok(writing ? drxmp_iwrite_all(m, &box, to, &pending[slot].req)
                      : drxmp_iread_all(m, &box, to, &pending[slot].req));
}

/* A call of this rank alone, in its own columns. */
static void alone(int n)
{
    static int32_t buf[ROOM];
    const int slot = REQUESTS + (int)random_below(&luck, REQUESTS);
    const bool writing = random_below(&luck, 2), later = random_below(&luck, 2);
    const struct mp_box b = random_box(&luck, mp_rank);
    const drx_box box = mp_drx_box(&b);
    drx_array *a = drxmp_serial(m);
    drx_status expected = DRX_OK, st;
    int32_t *to = later ? pending[slot].buf : buf;

    if (b.lo[1] < COMMON)
        return;
    finish(slot);
    for (int i = 0; i < REQUESTS; i++)
        if (pending[i].req && !pending[i].told && (writing || pending[i].writing) && touch(&b, &pending[i].box))
            expected = DRX_EBUSY;
    if (writing && !expected)
        in_model(&b, n, NULL);
    in_model(&b, 0, pending[slot].expected);
    pending[slot].box = b;
    memcpy(to, pending[slot].expected, writing ? bytes_of(&b) : 0);
    if (later)
        st = writing ? drx_write_async(a, &box, to, &pending[slot].req)
                     : drx_read_async(a, &box, to, &pending[slot].req);
    else
        st = writing ? drx_write_box(a, &box, to) : drx_read_box(a, &box, to);
    assert_status(st, expected);
    if (!later && !st)
        assert_memory_equal(buf, pending[slot].expected, bytes_of(&b));
}

static void history(const char *backend, const char *io)
{
    create("history", backend, io);
    for (int n = 1; n <= CALLS; n++) {
        const int64_t what = mp_below(10), slot = mp_below(REQUESTS);
        const int tested = (int)random_below(&luck, REQUESTS);
        int done = 0;

        in_helper = random_below(&luck, 4) ? NULL : sleep_a_moment;
        doze();
        if (random_below(&luck, 2))
            alone(n);
        if (random_below(&luck, 3) == 0 && pending[tested].req) {
            assert_ok(drx_test(pending[tested].req, &done));
            pending[tested].told = pending[tested].told || done;
        }
        if (what < 5) {
            finish((int)slot);
            together(n, (int)slot);
        } else if (what < 7) {
            finish((int)slot);
        } else {
            together(n, -1);
        }
    }
    for (int i = 0; i < 2 * REQUESTS; i++)
        finish(i);
    assert_ok(drxmp_close(m));
}

/* Columns of a rank have one value for each write of its own: other ranks do not look at them. */
TEST_WITH(histories, be_slow, be_fast)
{
    for (int i = 0; i < 4; i++)
        history(backends[i % 2], io_ranks[i / 2]);
}
