/* A log that was cut anywhere: what is left of it counts up to its last C. */
#include "logs.h"
#include "testing.h"

/* Where a cut at `n` bytes leaves the log, of which the first n bytes are there. */
static enum drxi_log_tail tail_at(const struct place *places, size_t records, const struct history *h, size_t n)
{
    if (h->end[runs_before(h, n)] == n)
        return DRXI_LOG_CLEAN;
    for (size_t i = 0; i < records; i++)
        if (places[i].end == n)
            return DRXI_LOG_OPEN;
    return DRXI_LOG_TORN;
}

static void require(const struct log *log, bool holds, size_t n, struct got got)
{
    if (!holds)
        print_error("%s: %zu bytes of it: status %d, tail %d: %s\n", log->name, n, (int)got.st, (int)got.tail,
                    drx_last_error());
    assert_true(holds);
}

/* From the last byte on: each time the file loses one more. Of a log of verdicts the last run and the rest are cut. */
static void cut_records(const struct log *log, drxi_io *io, size_t most)
{
    struct history h = tell_history(log);
    size_t records;
    struct place *places = find_places(log, &records);
    const size_t least = strchr(log->name, ':') && h.n > 0 ? h.end[h.n - 1] : DRXI_LOG_AT;

    for (size_t n = most; n >= least; n--) {
        const size_t k = runs_before(&h, n);
        struct got got;

        assert_ok(io->ops->resize(io, (int64_t)n));
        got = read_new(io, log->kind);
        if (k == 0)
            require(log, got.st == DRX_EDAMAGED && got.digest == h.digest[0], n, got);
        else
            require(log, got.st == DRX_OK && got.digest == h.digest[k] && got.tail == tail_at(places, records, &h, n),
                    n, got);
    }
    free(places);
    free_history(&h);
}

static void cut_head(const struct log *log, drxi_io *io)
{
    for (size_t n = DRXI_LOG_AT; n-- > 0;) {
        struct got got;

        assert_ok(io->ops->resize(io, (int64_t)n));
        got = read_new(io, log->kind);
        require(log, got.st == (n < 8 ? DRX_EFORMAT : DRX_EDAMAGED), n, got);
    }
}

/* The part of a log in which all can be: with the whole, for most. */
static size_t good_bytes(const struct log *log, drxi_io *io)
{
    struct drxi_store s;
    struct got got;
    size_t n = log->n;

    assert_ok(drxi_store_begin(&s, io, log->kind));
    got = read_on(&s, io);
    if (got.st)
        n = 0;
    else if (got.tail == DRXI_LOG_DAMAGED)
        n = (size_t)s.end.end;
    drxi_store_free(&s);
    return n;
}

TEST(cut_at_each_byte)
{
    size_t n, tried = 0;
    struct log *logs = load_logs(&n);

    for (size_t i = 0; i < n; i++) {
        drxi_io *io = log_file(&logs[i], logs[i].n);
        const size_t most = good_bytes(&logs[i], io);

        if (most > 0) {
            cut_records(&logs[i], io, most);
            if (tried++ < 2)
                cut_head(&logs[i], io);
        }
        (void)io->ops->close(io);
    }
    print_message("%zu logs\n", tried);
    assert_true(tried > 60);
    free_logs(logs, n);
}

/* Of a log with damage: it is damage as long as a SYNC follows it. */
TEST(cut_damage)
{
    static const char *const names[] = { "damage", "damage_open" };
    size_t n, tried = 0;
    struct log *logs = load_logs(&n);

    for (size_t i = 0; i < 2 * n; i++) {
        const struct log *log = &logs[i / 2];
        drxi_io *io;
        bool damaged = false;

        if (strcmp(log->name, names[i % 2]) != 0)
            continue;
        io = log_file(log, log->n);
        for (size_t m = log->n; m >= DRXI_LOG_AT; m--) {
            struct got got;

            assert_ok(io->ops->resize(io, (int64_t)m));
            got = read_new(io, log->kind);
            require(log, m < log->n || got.tail == DRXI_LOG_DAMAGED, m, got);
            damaged = got.st == DRX_OK && got.tail == DRXI_LOG_DAMAGED;
            require(log, !damaged || m > log->n - 8 - DRXI_LOG_SYNC_BYTES, m, got);
        }
        (void)io->ops->close(io);
        tried++;
    }
    assert_int_equal(tried, 2);
    free_logs(logs, n);
}

/* ---- records of another log, which begins alike ---- */

static int64_t first_growth;
static int earlier; /* so much lower is the sequence number of the SYNC than that of its place */

static void put_two_growths(struct drxi_run *run)
{
    struct drxi_variable v = { .thing.number = 1, .ndim = 1, .type = 3, .item_bytes = 4, .align = 1 };

    v.dim[0] = 1;
    v.chunk[0] = 2;
    drxi_put_dimension(run, 1, 0, (const int64_t[]){ 0, 3 }, "x");
    drxi_put_variable(run, &v);
    drxi_run_count(run);
    drxi_put_grow(run, 1, first_growth, 3 + first_growth);
    drxi_run_count(run);
    drxi_put_grow(run, 1, 6 - first_growth, 9);
    drxi_run_count(run);
    run->sequence -= (uint64_t)earlier;
    drxi_put_sync(run);
}

/* A log whose records from the byte `at` on are those of another one; what is read has the state after k runs. */
static void splice(size_t at, size_t k, enum drxi_log_tail expected)
{
    struct log log, other;
    struct history h;
    drxi_io *io;
    struct got got;

    first_growth = 1;
    log = compose_log(DRXI_LONE_ARRAY, put_two_growths);
    first_growth = 2;
    other = compose_log(DRXI_LONE_ARRAY, put_two_growths);
    assert_int_equal(log.n, other.n);
    h = tell_history(&log);
    memcpy(log.bytes + at, other.bytes + at, log.n - at);
    io = log_file(&log, log.n);
    got = read_new(io, log.kind);
    require(&log, got.st == DRX_OK && got.tail == expected && got.digest == h.digest[k], at, got);
    (void)io->ops->close(io);
    free_history(&h);
    free(log.bytes);
    free(other.bytes);
}

/* Behind a record of one log, those of another one are not next in the chain, whatever their CRCs and numbers; but a
 * SYNC of theirs, with a larger number, is a promise. */
TEST(spliced)
{
    enum { SYNC_AT = DRXI_LOG_AT + 56 + 80 + 40 + 40, SECOND_GROWTH_AT = SYNC_AT - 40 };

    splice(SECOND_GROWTH_AT, 2, DRXI_LOG_DAMAGED);
    splice(SYNC_AT, 3, DRXI_LOG_DAMAGED);
    earlier = 1;
    splice(SECOND_GROWTH_AT, 2, DRXI_LOG_DAMAGED);
    splice(SYNC_AT, 3, DRXI_LOG_TORN);
    earlier = 2;
    splice(SECOND_GROWTH_AT, 2, DRXI_LOG_TORN);
}
