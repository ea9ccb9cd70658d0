/* The cache of blocks before a file: what it gives is what the file has, it keeps to its bound, and a call that fails
 * leaves no old bytes in it. */
#include "base/hooks.h"
#include "counted_file.h"
#include "drx_tools.h"

TEST(second_read_makes_no_call)
{
    open_cached(0, 1 << 20, false);
    for (int i = 0; i < BYTES; i += 8)
        expect(i, 8);
    assert_int_equal(file->calls, (BYTES + 1023) / 1024);
    file->calls = 0;
    for (int i = 0; i < BYTES; i += 8) {
        expect(i, 8);
        assert_true(drxi_cache_get(cache, i, buf, 8));
    }
    expect(0, BYTES);
    assert_int_equal(file->calls, 0);
    assert_false(drxi_cache_get(cache, BYTES - 4, buf, 8));
    expect(BYTES - 4, 8); /* behind the end, the file is asked */
    assert_true(file->calls > 0);
    close_cached();
}

static void behind(void)
{
    const int64_t at = random_below(&seed, BYTES - 50);

    for (int i = 0; i < 50; i++)
        content[at + i] = (uint8_t)random_next(&seed);
    assert_ok(file->inner->ops->write(file->inner, content + at, 50, at));
    (void)atomic_fetch_add(&moment, 1);
}

/* Random calls, with sizes of blocks and bounds of all kinds, and limits of memory that change. */
TEST(as_the_file)
{
    for (int round = 0; round < 200; round++) {
        struct drxi_cache_counts c;

        near = random_below(&seed, 2);
        open_cached(4 + round % 8, INT64_C(40) << random_below(&seed, 12), round % 2);
        for (int call = 0; call < 200; call++) {
            const int64_t at = random_below(&seed, BYTES), most = BYTES - at;
            const int64_t n = 1 + random_below(&seed, random_below(&seed, 2) ? drxi_min(most, 40) : most);

            switch (random_below(&seed, 10)) {
            case 0:
                for (int64_t i = 0; i < n; i++)
                    content[at + i] = (uint8_t)random_next(&seed);
                assert_ok(cached->ops->write(cached, content + at, (size_t)n, at));
                break;
            case 1:
                memset(content + at, 0, (size_t)n);
                assert_ok(cached->ops->punch(cached, at, at + n));
                break;
            case 2:
                memset(content + at, 0, (size_t)most);
                assert_ok(cached->ops->resize(cached, at));
                assert_ok(cached->ops->resize(cached, BYTES));
                break;
            case 3:
                if (round % 2)
                    behind();
                break;
            case 4:
                drx_set_memory(random_below(&seed, 2) ? (size_t)random_below(&seed, 20000) : 0);
                break;
            case 5:
                drxi_cache_forget(cache, at, n);
                break;
            default:
                expect(at, n);
                break;
            }
            c = counts();
            assert_true(c.blocks <= c.most_blocks);
            assert_true(c.most_blocks << (4 + round % 8) <= INT64_C(40) << 11);
        }
        drx_set_memory(0);
        close_cached();
    }
    near = false;
}

/* Blocks of several runs come in by one read where they are close to each other. */
TEST(runs)
{
    const struct drxi_blocks runs[] = { { 0, 2 }, { 4, 5 }, { 100, 103 }, { 312, 313 } };
    struct drxi_brought brought;
    int64_t n;

    open_cached(4, 1 << 16, false);
    drxi_cache_enter(cache);
    assert_null(drxi_cache_at(cache, 0, &n));
    drxi_cache_leave(cache);
    assert_ok(drxi_cache_bring(cache, runs, 4, false, 100, &brought));
    assert_true(brought.all);
    assert_int_equal(brought.reads, 3);
    assert_int_equal(brought.bytes, 80 + 48 + 8);
    assert_int_equal(counts().blocks, 7);
    drxi_cache_enter(cache);
    for (int i = 0; i < BYTES; i++) {
        const int block = i / 16;
        const bool in = block < 2 || block == 4 || (block >= 100 && block < 103) || block == 312;
        const uint8_t *at = drxi_cache_at(cache, i, &n);

        assert_int_equal(at != NULL, in);
        if (in) {
            assert_int_equal(*at, content[i]);
            assert_int_equal(n, drxi_min(16 - i % 16, BYTES - i));
        }
    }
    assert_null(drxi_cache_at(cache, BYTES, &n));
    drxi_cache_leave(cache);
    close_cached();
}

/* Each call fails in turn, and each allocation. What a read gives is right all the same, and a write that fails leaves
 * no old bytes behind. */
static int read_and_write(void)
{
    int failed = 0;

    for (int i = 0; i < 10; i++) {
        const size_t n = near ? 8 : 40;
        size_t got;
        drx_status st = cached->ops->read(cached, buf, n, i * 50, &got);

        failed += st != DRX_OK;
        if (!st)
            assert_memory_equal(buf, content + (ptrdiff_t)i * 50, n);
        for (int j = 0; j < 30; j++)
            content[i * 60 + j] = (uint8_t)random_next(&seed);
        st = cached->ops->write(cached, content + (ptrdiff_t)i * 60, 30, i * 60);
        failed += st != DRX_OK;
        if (st) /* half of it is there */
            assert_ok(file->inner->ops->read(file->inner, content, BYTES, 0, &got));
    }
    return failed;
}

static void check_all(void)
{
    file->fails_at = drxi_fail_allocation = 0;
    expect(0, BYTES);
    for (int i = 0; i < 700; i += 8)
        expect(i, 8);
    close_cached();
}

/* Each call fails in turn, and each allocation, of a cache with lines of elements or without. */
static void fail_each(void)
{
    const int shift = near ? 9 : 5;
    bool more = true;

    for (long n = 1; more; n++) {
        int failed;

        open_cached(shift, 1 << 16, false);
        file->fails_at = n;
        failed = read_and_write();
        more = file->calls >= n;
        assert_int_equal(failed, more);
        check_all();
    }
    more = true;
    for (long n = 1; more; n++) {
        open_cached(shift, 1 << 16, false);
        drxi_fail_allocation = n;
        assert_int_equal(read_and_write(), 0);
        more = drxi_fail_allocation == 0;
        check_all();
        assert_true(n < 50);
    }
}

TEST(failures)
{
    for (int i = 0; i < 2; i++) {
        near = i;
        fail_each();
    }
    near = false;
}
