/* Reading on: a store that follows a growing log says the same as one that is read from the begin. */
#include "logs.h"
#include "testing.h"

static void require(const struct log *log, bool holds, size_t n, struct got got)
{
    if (!holds)
        print_error("%s: %zu bytes of it: status %d, tail %d: %s\n", log->name, n, (int)got.st, (int)got.tail,
                    drx_last_error());
    assert_true(holds);
}

/* Read on where the file has n bytes. A new store has nothing of a refused log, but this one keeps what it was. */
static void follow(const struct log *log, struct drxi_store *s, drxi_io *io, size_t n)
{
    const uint64_t before = store_digest(s);
    struct got fresh, got;

    set_file(io, log->bytes, n);
    fresh = read_new(io, log->kind);
    for (int times = 0; times < 2; times++) {
        got = read_on(s, io);
        require(log, got.st == fresh.st && (got.st || got.tail == fresh.tail), n, got);
        require(log, got.digest == (fresh.st ? before : fresh.digest), n, got);
    }
}

/* Of two logs that begin alike, one follows the other: what the first one had behind its last C was cut off. */
static void follow_to(const struct log *log, const struct log *next, size_t cuts, uint64_t *random)
{
    struct drxi_store s;
    drxi_io *io = log_file(log, DRXI_LOG_AT);

    assert_ok(drxi_store_begin(&s, io, log->kind));
    for (size_t i = 0, n = DRXI_LOG_AT; i < cuts && n < log->n; i++) {
        n += (size_t)random_below(random, (int64_t)(2 * (log->n - DRXI_LOG_AT) / cuts) + 2);
        follow(log, &s, io, n < log->n ? n : log->n);
    }
    follow(log, &s, io, log->n);
    if (next)
        follow(next, &s, io, next->n);
    drxi_store_free(&s);
    (void)io->ops->close(io);
}

TEST(run_by_run)
{
    size_t n;
    struct log *logs = load_logs(&n);

    for (size_t i = 0; i < n; i++) {
        const struct log *log = &logs[i];
        struct history h = tell_history(log);
        drxi_io *io = log_file(log, DRXI_LOG_AT);
        struct drxi_store s;

        assert_ok(drxi_store_begin(&s, io, log->kind));
        for (size_t k = 1; k <= h.n; k++) {
            struct got got;

            set_file(io, log->bytes, h.end[k]);
            got = read_on(&s, io);
            require(log, got.st == DRX_OK && got.tail == DRXI_LOG_CLEAN && got.digest == h.digest[k], h.end[k], got);
        }
        follow(log, &s, io, log->n);
        require(log, store_digest(&s) == h.digest[h.n], log->n, (struct got){ .st = DRX_OK });
        drxi_store_free(&s);
        (void)io->ops->close(io);
        free_history(&h);
    }
    free_logs(logs, n);
}

/* At any byte, also within records and open transactions. A log of verdicts then goes on as another one: the writer cut
 * off what could not be. */
TEST(byte_by_byte)
{
    size_t n;
    struct log *logs = load_logs(&n);
    uint64_t random = starting_seed(0);
    size_t others = 0;

    for (size_t i = 0; i < n; i++) {
        struct history h = tell_history(&logs[i]);
        const struct log *next = i + 1 < n && logs[i + 1].n > h.end[h.n] ? &logs[i + 1] : NULL;

        if (next && memcmp(logs[i].bytes, next->bytes, h.end[h.n]) != 0) /* it goes on where the other one ended */
            next = NULL;
        others += next != NULL;
        follow_to(&logs[i], next, 8, &random);
        free_history(&h);
    }
    print_message("%zu logs, of which %zu went on as others\n", n, others);
    assert_true(others > 20);
    free_logs(logs, n);
}

/* As of each commit, then on from there; a commit that is not there changes nothing. */
static size_t read_commits(const struct log *log)
{
    drxi_io *io = log_file(log, log->n), *part = log_file(log, DRXI_LOG_AT);
    enum drxi_log_tail tail;
    struct drxi_store all, s;
    int64_t next = 0;

    assert_ok(drxi_store_begin(&all, io, log->kind));
    (void)read_on(&all, io);
    for (int64_t i = 0; i < all.commits; i++) {
        const struct drxi_commit *c = &all.commit[i];
        uint64_t digest;

        next = c->number + 1;
        assert_ok(drxi_store_begin(&s, io, log->kind));
        assert_ok(drxi_store_read(&s, io, c->number, i % 2, &tail));
        assert_int_equal(tail, DRXI_LOG_CLEAN);
        digest = store_digest(&s);
        set_file(part, log->bytes, (size_t)c->end);
        assert_true(digest == read_new(part, log->kind).digest);
        if (c->number > 0)
            assert_status(drxi_store_read(&s, io, c->number - 1, false, &tail), DRX_ERANGE);
        assert_status(drxi_store_read(&s, io, all.next_commit, false, &tail), DRX_ERANGE);
        assert_true(store_digest(&s) == digest);
        assert_ok(read_on(&s, io).st);
        assert_true(store_digest(&s) == store_digest(&all));
        drxi_store_free(&s);
    }
    assert_int_equal(next, all.next_commit);
    drxi_store_free(&all);
    (void)io->ops->close(io);
    (void)part->ops->close(part);
    return (size_t)next;
}

TEST(commits)
{
    size_t n, commits = 0;
    struct log *logs = load_logs(&n);

    for (size_t i = 0; i < n; i++)
        if (logs[i].kind == DRXI_DATASET && !strchr(logs[i].name, ':')) {
            drxi_io *io = log_file(&logs[i], logs[i].n);
            const struct got got = read_new(io, logs[i].kind);

            (void)io->ops->close(io);
            commits += got.st || got.tail == DRXI_LOG_DAMAGED ? 0 : read_commits(&logs[i]);
        }
    print_message("%zu commits\n", commits);
    assert_true(commits > 20);
    free_logs(logs, n);
}
