/* The pool finds what was put, writes it when it is flushed, keeps adjacent bytes that others wrote, and stays
 * within its bound. */
#include "pool/pool.h"
#include "testing.h"

enum { ITEMS = 40000 };

static drxi_io *file_of(const int32_t *values)
{
    drxi_io *io;

    assert_ok(drxi_memory_open(&io));
    assert_ok(io->ops->write(io, values, ITEMS * sizeof *values, 0));
    return io;
}

static void check_file(drxi_io *io, const int32_t *expected)
{
    static int32_t back[ITEMS];
    size_t got;

    assert_ok(io->ops->read(io, back, sizeof back, 0, &got));
    assert_int_equal(got, sizeof back);
    assert_memory_equal(back, expected, sizeof back);
}

/* Random puts through pools of several sizes, while others write around them. */
TEST(random_puts)
{
    static const size_t bounds[] = { 0, 20000, 100000, 4 << 20 };
    static int32_t expected[ITEMS];
    uint64_t seed = 11;

    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        drxi_io *io;
        drxi_pool *pool;

        memset(expected, 0, sizeof expected);
        io = file_of(expected);
        assert_ok(drxi_pool_new(io, 4, bounds[b], &pool));
        for (int i = 0; i < 20000; i++) {
            const int64_t at = random_below(&seed, 3) ? random_below(&seed, ITEMS / 2) * 2 : (i * 2) % ITEMS;
            const int32_t value = (int32_t)random_next(&seed);
            const int32_t beside = (int32_t)random_next(&seed);
            int32_t got = 0;
            bool taken;

            assert_ok(drxi_pool_put(pool, at * 4, &value, &taken));
            assert_int_equal(taken, bounds[b] > 0);
            if (!taken)
                assert_ok(io->ops->write(io, &value, 4, at * 4));
            else
                assert_true(drxi_pool_get(pool, at * 4, &got) && got == value);
            assert_false(drxi_pool_get(pool, (at + 1) * 4, &got));   /* never put */
            assert_ok(io->ops->write(io, &beside, 4, (at + 1) * 4)); /* another's */
            expected[at] = value;
            expected[at + 1] = beside;
        }
        if (b % 2)
            assert_ok(drxi_pool_bound(pool, 0)); /* flushes */
        else
            assert_ok(drxi_pool_flush(pool));
        check_file(io, expected);
        drxi_pool_free(pool);
        assert_ok(io->ops->close(io));
    }
}

/* A write that fails loses nothing: it stays dirty. */
static long writes_left;
static const struct drxi_io_ops *real_ops;

static drx_status failing_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    return writes_left-- > 0 ? real_ops->write(io, buf, n, offset) : drxi_fail(DRX_ENOSPC, "no space");
}

TEST(failing_flush)
{
    static int32_t expected[ITEMS];
    struct drxi_io_ops ops;
    drxi_io *io;
    drxi_pool *pool;
    bool taken;

    memset(expected, 0, sizeof expected);
    io = file_of(expected);
    assert_ok(drxi_pool_new(io, 4, 1 << 20, &pool));
    for (int32_t i = 0; i < ITEMS; i += 500) {
        expected[i] = i + 1;
        assert_ok(drxi_pool_put(pool, i * 4, &expected[i], &taken));
    }
    real_ops = io->ops;
    ops = *io->ops;
    ops.write = failing_write;
    io->ops = &ops;
    for (long n = 0; n < 8; n++) {
        writes_left = n;
        assert_status(drxi_pool_flush(pool), DRX_ENOSPC);
    }
    io->ops = real_ops;
    assert_ok(drxi_pool_flush(pool));
    check_file(io, expected);
    drxi_pool_free(pool);
    assert_ok(io->ops->close(io));
}
