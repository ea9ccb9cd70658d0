/* Chunks, growths, and numbers of records at their limits. */
#include "logs.h"
#include "testing.h"

static struct got read_composed(enum drxi_store_kind kind, void (*put)(struct drxi_run *run), uint64_t *sequence)
{
    struct log log = compose_log(kind, put);
    drxi_io *io = log_file(&log, log.n);
    struct drxi_store s;
    struct got got;

    assert_ok(drxi_store_begin(&s, io, kind));
    got = read_on(&s, io);
    if (sequence)
        *sequence = s.end.sequence;
    drxi_store_free(&s);
    (void)io->ops->close(io);
    free(log.bytes);
    return got;
}

/* A variable of bytes, of dimensions 1 to ndim, whose chunks have such extents. */
static void put_variable(struct drxi_run *run, int ndim, int64_t chunk)
{
    struct drxi_variable v = { .thing.number = 1, .ndim = ndim, .type = 5, .item_bytes = 1, .align = 1 };

    for (int j = 0; j < ndim; j++) {
        v.dim[j] = (uint16_t)(j + 1);
        v.chunk[j] = chunk;
    }
    drxi_put_variable(run, &v);
}

static void put_dimension(struct drxi_run *run, uint16_t number, int64_t lower, int64_t upper)
{
    drxi_put_dimension(run, number, 0, (const int64_t[]){ lower, upper }, "");
}

/* ---- what a variable is made with ---- */

static void put_2_63_chunks(struct drxi_run *run)
{
    put_dimension(run, 1, 0, INT64_MAX);
    put_variable(run, 1, 1);
}

static void put_2_80_chunks_of_none(struct drxi_run *run)
{
    put_dimension(run, 1, 0, INT64_C(1) << 40);
    put_dimension(run, 2, 5, 5);
    put_dimension(run, 3, 0, INT64_C(1) << 40);
    put_variable(run, 3, 1);
}

static void put_2_60_chunks(struct drxi_run *run)
{
    put_dimension(run, 1, -1, INT64_C(1) << 59);
    put_dimension(run, 2, 5, 5);
    put_variable(run, 2, 1);
}

TEST(made)
{
    assert_int_equal(read_composed(DRXI_LONE_ARRAY, put_2_63_chunks, NULL).st, DRX_EDAMAGED);
    assert_detail("more chunks");
    assert_int_equal(read_composed(DRXI_LONE_ARRAY, put_2_80_chunks_of_none, NULL).st, DRX_EDAMAGED);
    assert_int_equal(read_composed(DRXI_LONE_ARRAY, put_2_60_chunks, NULL).st, DRX_OK);
}

static void put_far_from_0(struct drxi_run *run)
{
    put_dimension(run, 1, INT64_C(1) << 61, (INT64_C(1) << 61) + 10);
    put_dimension(run, 2, 0, 100);
    put_variable(run, 2, 1);
}

/* The format allows what maps in memory cannot have: their sums have 64 bits. That is no damage. */
TEST(far_from_0)
{
    struct log log = compose_log(DRXI_LONE_ARRAY, put_far_from_0);
    drxi_io *io = log_file(&log, log.n);
    struct drxi_state map;
    struct drxi_store s;
    int64_t step;

    assert_ok(drxi_store_begin(&s, io, log.kind));
    assert_ok(read_on(&s, io).st);
    assert_status(drxi_store_map(&s, drxi_store_variable(&s, 1), &map, &step), DRX_EOVERFLOW);
    drxi_state_free(&map);
    drxi_store_free(&s);
    (void)io->ops->close(io);
    free(log.bytes);
}

/* ---- growth ---- */

static int growths;
static bool downwards;

/* Chunks of 3 * 2^57 bytes, of which there may be 21. Each growth, of 2^58, makes two: a trim left none before it. */
static void put_trimmed_growths(struct drxi_run *run)
{
    const int64_t unit = INT64_C(1) << 57, from = downwards ? 4 * unit : 2 * unit, to = downwards ? 2 * unit : 4 * unit;

    put_dimension(run, 1, from, from);
    put_variable(run, 1, 3 * unit);
    for (int i = 0; i < growths; i++) {
        drxi_run_count(run);
        drxi_put_grow(run, 1, to - from, to);
        drxi_run_count(run);
        drxi_put_trim(run, 1, from, from);
    }
}

/* As many growths, inside one chunk: no chunk is made. */
static void put_small_growths(struct drxi_run *run)
{
    put_dimension(run, 1, 0, 1);
    put_variable(run, 1, INT64_C(1) << 60);
    for (int i = 0; i < growths; i++) {
        drxi_run_count(run);
        drxi_put_grow(run, 1, 1, 2 + i);
    }
}

/* The run that led beyond does not count, nor do those behind it. */
TEST(grown)
{
    uint64_t sequence;
    struct got got;

    for (int i = 0; i < 2; i++) {
        downwards = i == 1;
        growths = 10;
        got = read_composed(DRXI_LONE_ARRAY, put_trimmed_growths, &sequence);
        assert_true(got.st == DRX_OK && got.tail == DRXI_LOG_CLEAN && sequence == 22);
        growths = 14;
        got = read_composed(DRXI_LONE_ARRAY, put_trimmed_growths, &sequence);
        assert_true(got.st == DRX_OK && got.tail == DRXI_LOG_DAMAGED);
        assert_int_equal(sequence, 22);
        assert_detail("record 23");
    }
    growths = 100;
    got = read_composed(DRXI_LONE_ARRAY, put_small_growths, &sequence);
    assert_true(got.st == DRX_OK && got.tail == DRXI_LOG_CLEAN && sequence == 102);
}

/* Also where the store has followed the log up to there. */
TEST(grown_since)
{
    struct log log;
    struct history h;
    struct drxi_store s;
    drxi_io *io;

    growths = 14;
    log = compose_log(DRXI_LONE_ARRAY, put_trimmed_growths);
    h = tell_history(&log);
    io = log_file(&log, log.n);
    assert_int_equal(h.n, 21);
    assert_ok(drxi_store_begin(&s, io, log.kind));
    for (size_t k = 1; k <= h.n; k++) {
        set_file(io, log.bytes, h.end[k]);
        assert_true(read_on(&s, io).digest == h.digest[k]);
    }
    set_file(io, log.bytes, log.n);
    for (int times = 0; times < 2; times++) {
        const struct got got = read_on(&s, io);

        assert_true(got.st == DRX_OK && got.tail == DRXI_LOG_DAMAGED && got.digest == h.digest[h.n]);
    }
    drxi_store_free(&s);
    (void)io->ops->close(io);
    free_history(&h);
    free(log.bytes);
}

/* ---- numbers ---- */

static uint64_t first_sequence;
static int64_t first_commit;

static void put_base(struct drxi_run *run)
{
    static const struct drxi_store empty;

    run->sequence = first_sequence - 1;
    drxi_put_base(run, &empty, first_commit);
    for (int i = 0; i < 3; i++) {
        drxi_run_count(run);
        drxi_put_commit(run, first_commit < INT64_MAX ? first_commit + i : INT64_MAX, 0, "");
    }
}

static int64_t left_out;

static void put_gap(struct drxi_run *run)
{
    put_dimension(run, 1, 0, 1);
    put_variable(run, 1, 1);
    drxi_run_count(run);
    run->sequence = (uint64_t)((int64_t)run->sequence + left_out);
    drxi_put_grow(run, 1, 1, 2);
}

/* A record with another sequence number than the next is not next in the chain. */
TEST(gap)
{
    for (left_out = -2; left_out <= 2; left_out++) {
        uint64_t sequence;
        const struct got got = read_composed(DRXI_LONE_ARRAY, put_gap, &sequence);

        assert_true(got.st == DRX_OK && got.tail == (left_out ? DRXI_LOG_TORN : DRXI_LOG_CLEAN));
        assert_int_equal(sequence, left_out ? 2 : 3);
    }
}

/* The largest numbers have no next ones. */
TEST(largest)
{
    uint64_t sequence;
    struct got got;

    first_sequence = UINT64_MAX - 3;
    got = read_composed(DRXI_DATASET, put_base, &sequence);
    assert_true(got.st == DRX_OK && got.tail == DRXI_LOG_CLEAN && sequence == UINT64_MAX);
    first_sequence = UINT64_MAX - 2;
    got = read_composed(DRXI_DATASET, put_base, &sequence);
    assert_true(got.st == DRX_OK && got.tail == DRXI_LOG_TORN && sequence == UINT64_MAX);
    first_sequence = 7;
    first_commit = INT64_MAX;
    got = read_composed(DRXI_DATASET, put_base, &sequence);
    assert_true(got.st == DRX_OK && got.tail == DRXI_LOG_DAMAGED && sequence == 8);
    first_commit = INT64_MIN;
    got = read_composed(DRXI_DATASET, put_base, &sequence);
    assert_true(got.st == DRX_OK && got.tail == DRXI_LOG_CLEAN && sequence == 10);
}
