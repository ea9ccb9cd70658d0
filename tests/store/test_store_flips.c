/* Bits of a log that changed on the disk. The log ends with a SYNC. A changed bit
 *   in the head                        is an error
 *   behind it, before the log          has no effect
 *   in a record before the last SYNC   is DRXI_LOG_DAMAGED, and the store has the state of the last C before that
 *                                      record; without such a C it is DRX_EDAMAGED
 *   in the last SYNC                   is DRXI_LOG_TORN, and the state is that of the C before it: nothing else is lost
 * So none leaves the log clean with another state, or hides what was promised. */
#include "logs.h"
#include "testing.h"

struct flipped {
    const struct log *log;
    drxi_io *io;
    struct history history;
    struct place *places;
    size_t n, flips;
    uint64_t random;
    bool all; /* of the bits of a byte are tried, or one */
};

static struct flipped prepare(const struct log *log)
{
    struct flipped f = { .log = log, .io = log_file(log, log->n), .history = tell_history(log) };

    f.places = find_places(log, &f.n);
    assert_int_equal(f.places[f.n - 1].kind, DRXI_LOG_SYNC);
    assert_int_equal(f.places[f.n - 1].end, log->n);
    return f;
}

static void end(struct flipped *f)
{
    (void)f->io->ops->close(f->io);
    free_history(&f->history);
    free(f->places);
}

static struct got read_flipped(struct flipped *f, size_t at, int bit)
{
    const uint8_t byte = (uint8_t)(f->log->bytes[at] ^ 1 << bit);
    struct got got;

    assert_ok(f->io->ops->write(f->io, &byte, 1, (int64_t)at));
    got = read_new(f->io, f->log->kind);
    assert_ok(f->io->ops->write(f->io, f->log->bytes + at, 1, (int64_t)at));
    f->flips++;
    return got;
}

/* The bits of a byte that are tried, one after the other: false after the last one. *bit is -1 before the first one. */
static bool next_bit(struct flipped *f, int *bit)
{
    if (f->all)
        return ++*bit < 8;
    if (*bit >= 0)
        return false;
    *bit = (int)random_below(&f->random, 8);
    return true;
}

static void require(const struct flipped *f, bool holds, size_t at, int bit, struct got got)
{
    if (!holds)
        print_error("%s: bit %d of byte %zu: status %d, tail %d: %s\n", f->log->name, bit, at, (int)got.st,
                    (int)got.tail, drx_last_error());
    assert_true(holds);
}

static void flip_record(struct flipped *f, size_t which)
{
    const struct place *p = &f->places[which];
    const size_t k = runs_before(&f->history, p->begin);
    const enum drxi_log_tail tail = which == f->n - 1 ? DRXI_LOG_TORN : DRXI_LOG_DAMAGED;

    for (size_t at = p->begin; at < p->end; at++)
        for (int bit = -1; next_bit(f, &bit);) {
            const struct got got = read_flipped(f, at, bit);

            if (k == 0)
                require(f, got.st == DRX_EDAMAGED, at, bit, got);
            else
                require(f, got.st == DRX_OK && got.tail == tail && got.digest == f->history.digest[k], at, bit, got);
        }
}

/* The head, and what no CRC covers. */
static void flip_begin(struct flipped *f)
{
    const uint64_t digest = f->history.digest[f->history.n];

    for (size_t at = 0; at < DRXI_LOG_AT; at++)
        for (int bit = -1; next_bit(f, &bit);) {
            const struct got got = read_flipped(f, at, bit);

            if (at < DRXI_STORE_HEAD_BYTES)
                require(f, got.st == DRX_EFORMAT || got.st == DRX_EDAMAGED || got.st == DRX_EUNSUPPORTED, at, bit, got);
            else
                require(f, got.st == DRX_OK && got.tail == DRXI_LOG_CLEAN && got.digest == digest, at, bit, got);
        }
}

static bool is_among(const char *name, const char *const names[])
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static bool is_clean(const struct log *log)
{
    drxi_io *io = log_file(log, log->n);
    const struct got got = read_new(io, log->kind);

    (void)io->ops->close(io);
    return got.st == DRX_OK && got.tail == DRXI_LOG_CLEAN;
}

#ifdef __SANITIZE_ADDRESS__ /* ten times as slow */
static const char *const all[] = { "stripes", NULL };
#else
static const char *const all[] = { "promised", "late", "structured", "compacted_ds", "stripes", "skipped", NULL };
#endif

/* Logs of the vectors that are clean, with a SYNC at their end: all bits of some, one of each byte of the others. */
TEST(no_bit_changes_what_is_read)
{
    size_t n, flips = 0, tried = 0;
    struct log *logs = load_logs(&n);
    uint64_t seed = starting_seed(0);

    for (size_t i = 0; i < n; i++) {
        struct flipped f;

        if (!is_clean(&logs[i]))
            continue;
        promise(&logs[i]);
        f = prepare(&logs[i]);
        f.random = random_next(&seed);
        f.all = is_among(logs[i].name, all) || getenv("DRX_TORTURE");
        for (size_t k = 0; k < f.n; k++)
            flip_record(&f, k);
        if (tried++ % 32 == 0 || strcmp(logs[i].name, "promised") == 0)
            flip_begin(&f);
        flips += f.flips;
        end(&f);
    }
    print_message("%zu logs, %zu bits\n", tried, flips);
    assert_true(tried > 40 && flips > 20000);
    free_logs(logs, n);
}

/* A SYNC in the value of an attribute promises nothing: it has the CRC of another place. */
static const struct drxi_store no_store;

static void put_log_in_log(struct drxi_run *run)
{
    const int64_t bounds[2] = { 0, 3 };
    struct drxi_run inner = { .at = DRXI_LOG_AT, .sequence = 99, .crc = 1, .last = -1 };
    struct drxi_variable v = { .thing.number = 1, .ndim = 1, .type = 3, .item_bytes = 4, .align = 1 };

    v.dim[0] = 1;
    v.chunk[0] = 2;
    drxi_put_dimension(run, 1, 0, bounds, "x");
    drxi_put_variable(run, &v);
    drxi_run_count(run);
    drxi_put_sync(&inner);
    drxi_run_count(&inner);
    drxi_put_attribute(run, &no_store, DRXI_THE_STORE, 0,
                       &(struct drxi_attr_payload){ "a", 1, DRX_UINT8, false, inner.n, inner.bytes });
    drxi_run_free(&inner);
}

TEST(a_log_inside_a_log)
{
    struct log log = compose_log(DRXI_LONE_ARRAY, put_log_in_log);
    struct history h = tell_history(&log);
    size_t n;
    struct place *places = find_places(&log, &n);
    drxi_io *io;
    struct got got;

    assert_int_equal(h.n, 2);
    log.bytes[places[2].begin] ^= 1;
    io = log_file(&log, log.n);
    got = read_new(io, log.kind);
    assert_ok(got.st);
    assert_int_equal(got.tail, DRXI_LOG_TORN);
    assert_true(got.digest == h.digest[1]);
    (void)io->ops->close(io);
    free(places);
    free_history(&h);
    free(log.bytes);
}
