/* Memory or the file fails while a log is read. Then the store is what it was. Where going back fails, too, it is as of
 * a C, or as drxi_store_begin made it. The next reading reads all. */
#include "logs.h"
#include "testing.h"

/* ---- memory that is refused: from the n-th allocation on, all of it (linked with --wrap) ---- */

static long allowed = -1; /* allocations; -1: all */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static bool is_refused(void)
{
    if (allowed > 0)
        allowed--;
    return allowed == 0;
}

void *__wrap_malloc(size_t bytes)
{
    return is_refused() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return is_refused() ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return is_refused() ? NULL : __real_realloc(old, bytes);
}

/* ---- a file that fails: the n-th call, or that and all later ones ---- */

static struct {
    drxi_io *inner;
    long calls; /* until the one that fails; 0: it has failed */
    bool always;
} faulty;

static bool fails(void)
{
    if (faulty.calls == 0)
        return faulty.always;
    return --faulty.calls == 0;
}

static drx_status read_or_fail(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    (void)io;
    return fails() ? drxi_fail(DRX_EIO, "as told") : faulty.inner->ops->read(faulty.inner, buf, n, offset, got);
}

static drx_status size_or_fail(drxi_io *io, int64_t *bytes)
{
    (void)io;
    return fails() ? drxi_fail(DRX_EIO, "as told") : faulty.inner->ops->size(faulty.inner, bytes);
}

static drx_status extent_or_fail(drxi_io *io, int64_t offset, int64_t *begin, int64_t *stop)
{
    (void)io;
    return fails() ? drxi_fail(DRX_EIO, "as told") : faulty.inner->ops->extent(faulty.inner, offset, begin, stop);
}

static const struct drxi_io_ops faulty_ops = { .read = read_or_fail, .size = size_or_fail, .extent = extent_or_fail };
static drxi_io faulty_io = { .ops = &faulty_ops, .path = (char *)"faulty" };

/* ---- each failure of one reading ---- */

enum failure { ONE_ALLOCATION, ALL_ALLOCATIONS, ONE_CALL, ALL_CALLS, FAILURES };

/* A reading on from the k-th state of a log. */
struct reading {
    const struct log *log;
    drxi_io *whole, *begin; /* begin: what has k runs */
    const struct history *h;
    size_t k;
    struct got expected;
    long failed;
};

static void start(const struct reading *r, struct drxi_store *s)
{
    assert_ok(drxi_store_begin(s, r->begin, r->log->kind));
    if (r->k > 0)
        assert_ok(read_on(s, r->begin).st);
    assert_true(store_digest(s) == r->h->digest[r->k]);
}

/* Read on with the n-th failure of that kind; false if there was none. */
static bool read_failing(struct reading *r, struct drxi_store *s, enum failure failure, long n, drx_status *st)
{
    enum drxi_log_tail tail;
    bool failed;

    faulty.inner = r->whole;
    faulty.calls = failure >= ONE_CALL ? n : -1;
    faulty.always = failure == ALL_CALLS;
    if (failure == ONE_ALLOCATION)
        drxi_fail_allocation = n;
    if (failure == ALL_ALLOCATIONS)
        allowed = n;
    *st = drxi_store_read(s, &faulty_io, DRXI_ANY_COMMIT, r->k % 2, &tail);
    failed = failure == ONE_ALLOCATION    ? drxi_fail_allocation == 0
             : failure == ALL_ALLOCATIONS ? allowed == 0
                                          : faulty.calls == 0;
    drxi_fail_allocation = 0;
    allowed = -1;
    return failed;
}

static void require(const struct reading *r, bool holds, enum failure failure, long n, drx_status st)
{
    if (!holds)
        print_error("%s: after %zu runs, failure %ld of kind %d: status %d: %s\n", r->log->name, r->k, n, (int)failure,
                    (int)st, drx_last_error());
    assert_true(holds);
}

static bool is_some_state(const struct history *h, uint64_t digest)
{
    for (size_t k = 0; k <= h->n; k++)
        if (h->digest[k] == digest)
            return true;
    return false;
}

static bool fail_once(struct reading *r, enum failure failure, long n)
{
    /* In a log that is refused, one failure may hit the way back. */
    const bool once = (failure == ONE_ALLOCATION || failure == ONE_CALL) && !r->expected.st;
    struct drxi_store s;
    struct got got;
    drx_status st;

    start(r, &s);
    if (!read_failing(r, &s, failure, n, &st)) {
        require(r, st == r->expected.st && store_digest(&s) == r->expected.digest, failure, n, st);
        drxi_store_free(&s);
        return false;
    }
    require(r, st == (failure < ONE_CALL ? DRX_ENOMEM : DRX_EIO) || (!once && st), failure, n, st);
    require(r, find_fault(&s) == NULL, failure, n, st);
    if (once)
        require(r, store_digest(&s) == r->h->digest[r->k], failure, n, st);
    else
        require(r, is_some_state(r->h, store_digest(&s)), failure, n, st);
    got = read_on(&s, r->whole);
    require(r, got.st == r->expected.st && (got.st || got.tail == r->expected.tail), failure, n, got.st);
    require(r, got.digest == r->expected.digest || (got.st && !once), failure, n, got.st);
    drxi_store_free(&s);
    r->failed++;
    return true;
}

static void fail_reading(struct reading *r)
{
    struct drxi_store s;

    r->begin = log_file(r->log, r->h->end[r->k]);
    start(r, &s);
    r->expected = read_on(&s, r->whole);
    drxi_store_free(&s);
    for (int failure = 0; failure < FAILURES; failure++)
        for (long n = 1; fail_once(r, (enum failure)failure, n); n++)
            ;
    (void)r->begin->ops->close(r->begin);
}

/* From each state of a log on; of a log of verdicts, from the last one on that can be. */
static long fail_log(const struct log *log)
{
    struct history h = tell_history(log);
    struct reading r = { .log = log, .whole = log_file(log, log->n), .h = &h };

    for (r.k = strchr(log->name, ':') && h.n > 0 ? h.n - 1 : 0; r.k <= h.n; r.k++)
        fail_reading(&r);
    (void)r.whole->ops->close(r.whole);
    free_history(&h);
    return r.failed;
}

TEST(each_failure)
{
    size_t n;
    struct log *logs = load_logs(&n);
    long failed = 0;

    for (size_t i = 0; i < n; i++)
        failed += fail_log(&logs[i]);
    print_message("%zu logs, %ld failures\n", n, failed);
    assert_true(failed > 10000);
    free_logs(logs, n);
}
