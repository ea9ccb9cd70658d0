/* What happens while a block comes into the cache before a file, and threads: no old block is left in it. */
#include "counted_file.h"

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
