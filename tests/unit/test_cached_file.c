/* The cache of blocks before a file: what it gives is what the file has, it keeps to its bound, what is in use stays, and
 * nothing that went on meanwhile leaves an old block in it. */
#include <pthread.h>

#include "base/hooks.h"
#include "drx_tools.h"
#include "pool/cached_file.h"
#include "testing.h"

enum { BYTES = 5000 };

static uint8_t content[BYTES], buf[BYTES];
static atomic_uint_fast64_t moment;
static uint64_t seed;

/* ---- a file in memory whose calls are counted, fail, and let something happen ---- */

struct file {
    drxi_io io;
    pthread_mutex_t lock;
    drxi_io *inner;
    long calls, fails_at;
    void (*meanwhile)(void); /* once, after the bytes of a read were got */
    void (*before)(void);    /* once, before the bytes of a write are put */
};

/* Begin a call, with the lock. */
static drx_status count_call(struct file *f)
{
    (void)pthread_mutex_lock(&f->lock);
    return ++f->calls == f->fails_at ? drxi_fail(DRX_EIO, "failed") : DRX_OK;
}

static drx_status file_read(drxi_io *io, void *to, size_t n, int64_t offset, size_t *got)
{
    struct file *f = (struct file *)io;
    void (*meanwhile)(void) = f->meanwhile;
    drx_status st = count_call(f);

    *got = 0;
    if (!st)
        st = f->inner->ops->read(f->inner, to, n, offset, got);
    (void)pthread_mutex_unlock(&f->lock);
    if (meanwhile) {
        f->meanwhile = NULL;
        meanwhile();
    }
    return st;
}

static drx_status file_write(drxi_io *io, const void *from, size_t n, int64_t offset)
{
    struct file *f = (struct file *)io;
    void (*before)(void) = f->before;
    drx_status st, half;

    if (before) {
        f->before = NULL;
        before();
    }
    st = count_call(f);
    half = f->inner->ops->write(f->inner, from, st ? n / 2 : n, offset);

    (void)pthread_mutex_unlock(&f->lock);
    return st ? st : half;
}

static drx_status file_size(drxi_io *io, int64_t *bytes)
{
    return ((struct file *)io)->inner->ops->size(((struct file *)io)->inner, bytes);
}

static drx_status file_resize(drxi_io *io, int64_t bytes)
{
    struct file *f = (struct file *)io;
    drx_status st = count_call(f);

    st = st ? st : f->inner->ops->resize(f->inner, bytes);
    (void)pthread_mutex_unlock(&f->lock);
    return st;
}

static drx_status file_punch(drxi_io *io, int64_t begin, int64_t end)
{
    struct file *f = (struct file *)io;
    drx_status st = count_call(f);

    st = st ? st : f->inner->ops->punch(f->inner, begin, end);
    (void)pthread_mutex_unlock(&f->lock);
    return st;
}

static drx_status file_close(drxi_io *io)
{
    struct file *f = (struct file *)io;
    const drx_status st = f->inner->ops->close(f->inner);

    (void)pthread_mutex_destroy(&f->lock);
    free(f);
    return st;
}

static const struct drxi_io_ops file_ops = { .read = file_read,
                                             .write = file_write,
                                             .size = file_size,
                                             .resize = file_resize,
                                             .punch = file_punch,
                                             .close = file_close };

static char name[] = "file";
static struct file *file;
static bool near; /* of the caches that are opened from now on */
static drxi_io *cached;
static struct drxi_cache *cache;

static void open_cached(int block_shift, int64_t most_bytes, bool with_moment)
{
    const struct drxi_cache_spec spec = { block_shift, most_bytes, with_moment ? &moment : NULL, near };

    assert_non_null(file = calloc(1, sizeof *file));
    file->io.ops = &file_ops;
    file->io.path = name;
    (void)pthread_mutex_init(&file->lock, NULL);
    assert_ok(drxi_memory_open(&file->inner));
    for (int i = 0; i < BYTES; i++)
        content[i] = (uint8_t)random_next(&seed);
    assert_ok(file->inner->ops->write(file->inner, content, BYTES, 0));
    assert_ok(drxi_cached_open(&file->io, &spec, &cached));
    cache = drxi_cache_of(cached);
    assert_non_null(cache);
}

static void close_cached(void)
{
    assert_ok(cached->ops->close(cached));
}

static struct drxi_cache_counts counts(void)
{
    struct drxi_cache_counts c;

    drxi_cache_count(cache, &c);
    return c;
}

static void expect(int64_t offset, int64_t n)
{
    size_t got;

    assert_ok(cached->ops->read(cached, buf, (size_t)n, offset, &got));
    assert_int_equal(got, drxi_max(0, drxi_min(n, BYTES - offset)));
    assert_memory_equal(buf, content + offset, got);
}

/* ---- tests ---- */

TEST(second_read_makes_no_call)
{
    seed = starting_seed(1);
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

/* The first read of an element brings in its line, the second one in the block all of that. */
TEST(lines)
{
    near = true;
    open_cached(10, 1 << 20, false);
    expect(200, 8);
    assert_int_equal(file->calls, 1);
    assert_int_equal(counts().blocks, 0);
    expect(192, 64); /* the line */
    assert_int_equal(file->calls, 1);
    expect(1800, 8); /* of another block */
    assert_int_equal(file->calls, 2);
    expect(264, 8); /* of the first block */
    assert_int_equal(file->calls, 3);
    assert_int_equal(counts().blocks, 1);
    expect(0, 1024);
    assert_int_equal(file->calls, 3);
    expect(1800, 8);
    assert_int_equal(file->calls, 3);
    memset(content + 1800, 5, 8);
    assert_ok(cached->ops->write(cached, content + 1800, 8, 1800));
    expect(1800, 8);
    assert_int_equal(file->calls, 5); /* the write, and the read */
    expect(BYTES - 4, 4);
    assert_int_equal(file->calls, 6);
    expect(BYTES - 8, 8); /* the line ends with the file */
    assert_int_equal(file->calls, 6);
    for (int i = 0; i < BYTES; i += 8)
        expect(i, 8);
    assert_in_range(file->calls, 6 + 4, 6 + 2 * 5); /* at most two for each block */
    close_cached();
    near = false;
}

/* When there is no room for more lines, those that are read once more come in, and others pass by. */
TEST(many_lines)
{
    near = true;
    open_cached(7, 8 * 112 * 3, false); /* of 64 bytes each, and what is noted of them: three */
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < BYTES; i += 128)
            expect(i, 8);
    assert_true(counts().refused > 0 && counts().blocks <= counts().most_blocks);
    assert_true(file->calls >= 2 * BYTES / 128);
    close_cached();
    near = false;
}

/* What is in use stays while a scan passes, and the scan reads no more than it asked for. */
TEST(scans)
{
    long calls;

    open_cached(4, 100 * 60, false); /* some 100 blocks of 16 bytes */
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < 40; i++)
            expect(i * 16, 16);
    for (int i = 40; i < BYTES / 16; i++)
        expect(i * 16, 16);
    assert_true(counts().blocks == counts().most_blocks && counts().blocks < BYTES / 16);
    assert_true(counts().refused > 0);
    file->calls = 0;
    for (int i = 0; i < 40; i++)
        expect(i * 16, 16);
    assert_int_equal(file->calls, 0);
    for (int turn = 0; turn < 20; turn++) /* others come into use */
        for (int i = 200; i < 240; i++)
            expect(i * 16, 16);
    calls = file->calls;
    for (int i = 200; i < 240; i++)
        expect(i * 16, 16);
    assert_int_equal(file->calls, calls);
    assert_true(counts().evicted > 0);
    close_cached();
}

/* What is read again and again does not go to make room for what is read twice. */
TEST(hot)
{
    enum { HOT = 20 };
    long missed = 0;

    open_cached(4, 100 * 60, false);
    for (int turn = 0; turn < 10; turn++)
        for (int i = HOT; i < BYTES / 16; i++) {
            expect(i * 16, 16);
            expect(i * 16, 16);
            for (int k = 0; k < HOT; k++) {
                const long calls = file->calls;

                expect(k * 16, 16);
                missed += turn > 0 && file->calls > calls;
            }
        }
    assert_true(counts().evicted > 100);
    assert_int_equal(missed, 0);
    close_cached();
}

/* A loop through more than there is room for finds a part of it. */
TEST(loops)
{
    long calls;

    open_cached(4, 100 * 60, false);
    for (int turn = 0; turn < 10; turn++) {
        calls = file->calls;
        for (int i = 0; i < BYTES / 16; i++)
            expect(i * 16, 16);
    }
    assert_in_range(file->calls - calls, BYTES / 16 - counts().most_blocks, BYTES / 16 - counts().most_blocks / 3);
    close_cached();
}

static void write_meanwhile(void)
{
    memset(content + 100, 7, 50);
    assert_ok(cached->ops->write(cached, content + 100, 50, 100));
}

static void resize_meanwhile(void)
{
    memset(content + 120, 0, BYTES - 120);
    assert_ok(cached->ops->resize(cached, 120));
    assert_ok(cached->ops->resize(cached, BYTES));
}

static void write_elsewhere(void)
{
    memset(content + 100, 8, 50);
    assert_ok(file->inner->ops->write(file->inner, content + 100, 50, 100));
    (void)atomic_fetch_add(&moment, 1);
}

static void forget_meanwhile(void)
{
    drxi_cache_forget(cache, 100, 50);
}

/* Something happens between the read of a block and its coming in. */
TEST(meanwhile)
{
    static void (*const what[])(void) = { write_meanwhile, resize_meanwhile, write_elsewhere, forget_meanwhile };
    struct drxi_brought brought;

    for (size_t i = 0; i < 4; i++) { /* a line */
        near = true;
        open_cached(9, 1 << 16, true);
        near = false;
        file->meanwhile = what[i];
        assert_ok(cached->ops->read(cached, buf, 8, 130, &(size_t){ 0 }));
        assert_null(file->meanwhile);
        expect(130, 8);
        expect(0, BYTES);
        close_cached();
    }
    for (size_t i = 0; i < 8; i++) {
        size_t got;

        open_cached(4, 1 << 16, true);
        file->meanwhile = what[i / 2];
        if (i % 2) {
            assert_ok(drxi_cache_bring(cache, &(struct drxi_blocks){ 2, 12 }, 1, false, 0, &brought));
            assert_false(brought.all);
        } else {
            assert_ok(cached->ops->read(cached, buf, 60, 90, &got)); /* old or new */
        }
        assert_null(file->meanwhile);
        assert_int_equal(counts().blocks, 0);
        expect(90, 60);
        expect(0, BYTES);
        close_cached();
    }
}

static void read_before(void)
{
    size_t got;

    assert_ok(cached->ops->read(cached, buf, 30, 100, &got));
}

/* A block is read while a write to it is under way, before the file has the new bytes. */
TEST(before)
{
    open_cached(4, 1 << 16, true);
    file->before = read_before;
    write_meanwhile();
    assert_null(file->before);
    assert_int_equal(counts().blocks, 0);
    expect(100, 30);
    close_cached();
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

/* Each call fails in turn, and each allocation. What a read gives is right all the same, and a write that fails leaves no
 * old bytes behind. */
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

/* ---- threads ---- */

enum { THREADS = 4, TURNS = 3000, PART = BYTES / THREADS };

static const char *use_part(int me)
{
    uint64_t random = (uint64_t)me;
    uint8_t mine[PART], got_bytes[PART];
    size_t got;

    memset(mine, me, sizeof mine);
    if (cached->ops->write(cached, mine, PART, me * PART))
        return "write";
    for (int i = 0; i < TURNS; i++) {
        const int64_t at = random_below(&random, PART), n = 1 + random_below(&random, drxi_min(PART - at, 30));

        switch (random_below(&random, 8)) {
        case 0:
            memset(mine + at, (int)i, (size_t)n);
            if (cached->ops->write(cached, mine + at, (size_t)n, me * PART + at))
                return "write";
            break;
        case 1:
            (void)atomic_fetch_add(&moment, 1);
            break;
        case 2:
            if (cached->ops->read(cached, got_bytes, (size_t)n, random_below(&random, BYTES - n), &got))
                return "read of others";
            break;
        default:
            if (cached->ops->read(cached, got_bytes, (size_t)n, me * PART + at, &got) || got != (size_t)n)
                return "read";
            if (memcmp(got_bytes, mine + at, (size_t)n) != 0)
                return "it is not what this thread wrote last";
        }
    }
    return NULL;
}

struct user {
    pthread_t thread;
    int number;
    const char *wrong;
};

static void *use_it(void *arg)
{
    struct user *u = arg;

    u->wrong = use_part(u->number);
    return NULL;
}

/* Each thread reads its own writes at once. */
TEST(threads)
{
    for (int round = 0; round < 3; round++) {
        struct user user[THREADS];

        near = round == 2;
        open_cached(4 + round * 2, round == 2 ? 1 << 16 : 2000, round != 1);
        near = false;
        for (int i = 0; i < THREADS; i++) {
            user[i] = (struct user){ .number = i };
            assert_int_equal(pthread_create(&user[i].thread, NULL, use_it, &user[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(user[i].thread, NULL), 0);
            if (user[i].wrong)
                fail_msg("thread %d: %s", i, user[i].wrong);
        }
        close_cached();
    }
}
