/* Arrays on a server, read by many threads at a time: each with handles of its own, and all through one. A server in
 * this process serves the files, and now and then fails: it cuts an answer short, ends a connection, or is busy. What
 * is read is what the array has. Also runs with ThreadSanitizer. */
#include "drx_tools.h"
#include "file_server.h"

#include <pthread.h>

enum { THREADS = 6, READS = 60, EXTENT = 90, TROUBLE = 25 };

static const char *url;
static int32_t truth[EXTENT][EXTENT];

/* ---- readers ---- */

struct reader {
    int number;
    uint64_t seed;
    pthread_t thread;
    drx_array *a; /* that all share; NULL: it opens its own */
    const char *name;
    int32_t buf[EXTENT * EXTENT];
};

static struct reader reader[THREADS];

/* cmocka's assertions end only the main thread's test, so threads use this one. */
static void must(bool good, const struct reader *r, const char *what)
{
    if (good)
        return;
    print_error("reader %d: %s: %s\n", r->number, what, drx_last_error());
    abort();
}

static void read_some(struct reader *r, drx_array *a)
{
    int64_t lo[2], count[2];

    for (int j = 0; j < 2; j++) {
        lo[j] = random_below(&r->seed, EXTENT);
        count[j] = 1 + random_below(&r->seed, EXTENT - lo[j]);
    }
    must(drx_read(a, lo, count, DRX_ROW_MAJOR, r->buf) == DRX_OK, r, "drx_read");
    for (int64_t i = 0; i < count[0]; i++)
        must(memcmp(r->buf + i * count[1], &truth[lo[0] + i][lo[1]], (size_t)count[1] * sizeof *r->buf) == 0, r,
             "what was read");
}

static drx_array *open_there(const struct reader *r)
{
    char path[100];
    drx_array *a = NULL;

    (void)snprintf(path, sizeof path, "%s/%s", url, r->name);
    must(drx_open(path, DRX_RDONLY, &a) == DRX_OK, r, "drx_open");
    return a;
}

static void *read_all(void *arg)
{
    struct reader *r = arg;
    drx_array *a = r->a ? r->a : open_there(r);

    for (int i = 0; i < READS; i++) {
        read_some(r, a);
        if (!r->a && i % 10 == 9)
            must(drx_refresh(a) == DRX_OK, r, "drx_refresh");
        if (!r->a && i % 20 == 19) {
            must(drx_close(a) == DRX_OK, r, "drx_close");
            a = open_there(r);
        }
    }
    if (!r->a)
        must(drx_close(a) == DRX_OK, r, "drx_close");
    return NULL;
}

static void make(const char *name, drx_codec codec, unsigned flags)
{
    static const int64_t shape[2] = { EXTENT, EXTENT }, chunk[2] = { 16, 7 }, lo[2] = { 0, 0 };
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .codec = codec, .flags = DRX_REPLACE | flags
    };
    drx_array *a;

    for (int i = 0; i < EXTENT; i++)
        for (int j = 0; j < EXTENT; j++)
            truth[i][j] = 1000 * i + j;
    assert_ok(drx_create(name, &spec, &a));
    assert_ok(drx_write(a, lo, shape, DRX_ROW_MAJOR, truth));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

static void read_by_all(const char *name, bool share)
{
    const char *text = getenv("DRX_SEED");
    const uint64_t seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
    drx_array *a;

    print_message("DRX_SEED=%llu\n", (unsigned long long)seed);
    for (int i = 0; i < THREADS; i++)
        reader[i] = (struct reader){ .number = i, .seed = seed * THREADS + (uint64_t)i, .name = name };
    a = share ? open_there(&reader[0]) : NULL;
    for (int i = 0; i < THREADS; i++) {
        reader[i].a = a;
        assert_int_equal(pthread_create(&reader[i].thread, NULL, read_all, &reader[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(reader[i].thread, NULL), 0);
    assert_ok(drx_close(a));
}

static void read_each_way(const char *name)
{
    url = file_server_start(".", false);
    file_server_trouble(0);
    read_by_all(name, false);
    read_by_all(name, true);
    file_server_trouble(TROUBLE);
    read_by_all(name, false);
    read_by_all(name, true);
}

TEST(raw)
{
    make("raw", DRX_RAW, 0);
    read_each_way("raw");
}

TEST(with_checksums)
{
    make("sums", DRX_RAW, DRX_CHECKSUM);
    read_each_way("sums");
}

TEST(compressed)
{
    make("packed", DRX_LZ4, 0);
    read_each_way("packed");
}

/* ---- boxes that come before they are asked for ---- */

enum { SLAB = 3, BOX = 9 };

static void read_there(struct reader *r, drx_array *a, const int64_t lo[2], const int64_t count[2])
{
    must(drx_read(a, lo, count, DRX_ROW_MAJOR, r->buf) == DRX_OK, r, "drx_read");
    for (int64_t i = 0; i < count[0]; i++)
        must(memcmp(r->buf + i * count[1], &truth[lo[0] + i][lo[1]], (size_t)count[1] * sizeof *r->buf) == 0, r,
             "what was read");
}

static void *walk_all(void *arg)
{
    struct reader *r = arg;
    drx_array *a = r->a ? r->a : open_there(r);

    for (int64_t i = 0; i < EXTENT; i += SLAB)
        read_there(r, a, (int64_t[]){ i, 0 }, (int64_t[]){ SLAB, EXTENT });
    for (int64_t i = 0; i < EXTENT; i += BOX)
        for (int64_t j = 0; j < EXTENT; j += BOX)
            read_there(r, a, (int64_t[]){ i, j }, (int64_t[]){ BOX, BOX });
    if (!r->a)
        must(drx_close(a) == DRX_OK, r, "drx_close");
    return NULL;
}

static void walk_by_all(const char *name, bool share)
{
    drx_array *a;

    for (int i = 0; i < THREADS; i++)
        reader[i] = (struct reader){ .number = i, .name = name };
    a = share ? open_there(&reader[0]) : NULL;
    for (int i = 0; i < THREADS; i++) {
        reader[i].a = a;
        assert_int_equal(pthread_create(&reader[i].thread, NULL, walk_all, &reader[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(reader[i].thread, NULL), 0);
    assert_ok(drx_close(a));
}

TEST(walks)
{
    static const struct {
        const char *name;
        drx_codec codec;
        unsigned flags;
    } kinds[] = { { "raw", DRX_RAW, 0 }, { "sums", DRX_RAW, DRX_CHECKSUM }, { "packed", DRX_LZ4, 0 } };

    url = file_server_start(".", false);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        make(kinds[i].name, kinds[i].codec, kinds[i].flags);
        for (int trouble = 0; trouble <= TROUBLE; trouble += TROUBLE) {
            file_server_trouble(trouble);
            walk_by_all(kinds[i].name, false);
            walk_by_all(kinds[i].name, true);
        }
    }
    file_server_trouble(0);
}

/* An array whose slabs are larger than a block. */
static int64_t walk_wide(size_t memory)
{
    enum { ROWS = 64, COLUMNS = 30000 };
    static const int64_t shape[2] = { ROWS, COLUMNS }, row[2] = { 1, COLUMNS };
    static int32_t values[COLUMNS];
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = row, .flags = DRX_REPLACE };
    drx_counters counters;
    char path[100];
    drx_array *a;

    assert_ok(drx_create("wide", &spec, &a));
    for (int64_t i = 0; i < ROWS; i++)
        assert_ok(drx_write(a, (int64_t[]){ i, 0 }, row, DRX_ROW_MAJOR, memset(values, (int)i, sizeof values)));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    drx_set_memory(memory);
    (void)snprintf(path, sizeof path, "%s/wide", url);
    assert_ok(drx_open(path, DRX_RDONLY, &a));
    for (int64_t i = 0; i < ROWS; i++) {
        assert_ok(drx_read(a, (int64_t[]){ i, 0 }, row, DRX_ROW_MAJOR, values));
        assert_int_equal(values[0], 0x01010101 * i);
        assert_memory_equal(values, values + 1, sizeof values - sizeof *values);
    }
    assert_ok(drx_count(a, &counters));
    assert_ok(drx_close(a));
    drx_set_memory(0);
    return counters.ahead_bytes;
}

/* Slabs come ahead unless that is off, or their memory is more than what may be used. */
TEST(bounds_of_a_walk)
{
    url = file_server_start(".", false);
    file_server_trouble(0);
    assert_int_equal(walk_wide(0), (64 - 3) * 120000);
    assert_in_range(walk_wide(8 << 20), (64 - 3 - 1) * 120000, (64 - 3) * 120000);
    assert_int_equal(walk_wide(800000), 0);
    drx_set_read_ahead(0);
    assert_int_equal(walk_wide(0), 0);
    drx_set_read_ahead(1);
}

/* The engine's thread ends with the process, the server's here. */
TEST(the_end)
{
    file_server_end();
}
