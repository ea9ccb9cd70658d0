/* Checksums: their states, and how files that are damaged, cut or written beside are met. That each way of writing
 * leaves the right ones, and that each way of reading finds damage, tests/model tells. */
#include <pthread.h>
#include <unistd.h>

#include "array/array.h"
#include "base/hooks.h"
#include "bytes.h"
#include "data/sums.h"
#include "drx_tools.h"
#include "format/crc.h"
#include "processes.h"

#define assert_whole(path) assert_ok(drx_check(path, NULL, NULL, NULL, NULL))
#define assert_damaged() assert_status(drx_check("x", NULL, NULL, NULL, NULL), DRX_EDAMAGED)

/* Computes it bit by bit. */
static uint32_t plain_crc(const uint8_t *p, size_t n)
{
    uint32_t crc = 0xffffffff;

    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

enum { ROWS = 40, COLUMNS = 50, CHUNK_ROWS = 8, CHUNK_COLUMNS = 9, N = ROWS * COLUMNS, CHUNKS = 5 * 6 };
enum { CHUNK_BYTES = CHUNK_ROWS * CHUNK_COLUMNS * 8, PITCH = 1024 };

static void put_entry(int64_t chunk, uint32_t state, uint32_t crc)
{
    uint8_t entry[8];

    drxi_put32(entry, state);
    drxi_put32(entry + 4, crc);
    put_bytes("x.xcs", 8 * chunk, entry, sizeof entry);
}

/* Each entry of x.xcs is right and has `state` in its low 8 bits (0 accepts 1 and 3), or was never written. Returns how
 * many were written. */
static int64_t check_entries(int64_t chunks, int state)
{
    const struct bytes data = load("x.xta"), sums = load("x.xcs");
    int64_t written = 0;

    assert_int_equal(sums.n, 8 * chunks);
    assert_int_equal(data.n, PITCH * chunks);
    for (int64_t q = 0; q < chunks; q++) {
        const uint32_t entry[2] = { drxi_get32(sums.p + 8 * q), drxi_get32(sums.p + 8 * q + 4) };

        if (entry[0] == 0) {
            assert_int_equal(entry[1], 0);
            continue;
        }
        written++;
        if (state)
            assert_int_equal(entry[0] & 0xff, state);
        assert_true((entry[0] & 0xff) == 1 || (entry[0] & 0xff) == 3);
        assert_int_equal(entry[1], plain_crc(data.p + q * PITCH, (size_t)CHUNK_BYTES));
    }
    return written;
}

static int64_t values[N], got[N];
static const int64_t zero[2], whole[2] = { ROWS, COLUMNS };

static drx_status read_whole(drx_array *a)
{
    return drx_read(a, zero, whole, DRX_ROW_MAJOR, got);
}

static const drx_spec checked = { .ndim = 2,
                                  .type = DRX_INT64,
                                  .shape = whole,
                                  .chunk = (const int64_t[2]){ CHUNK_ROWS, CHUNK_COLUMNS },
                                  .flags = DRX_REPLACE | DRX_CHECKSUM };

static drx_array *make(unsigned flags, int64_t fill)
{
    drx_spec spec = checked;
    drx_array *a;

    spec.fill = &fill;
    spec.align = PITCH;
    spec.flags |= flags;
    assert_ok(drx_create("x", &spec, &a));
    return a;
}

static void sync_and_close(drx_array *a)
{
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

static drx_array *make_written(void)
{
    drx_array *a = make(0, 0);

    for (int i = 0; i < N; i++)
        values[i] = 1000 + i * 7919;
    assert_ok(drx_write(a, zero, whole, DRX_ROW_MAJOR, values));
    return a;
}

TEST(change_of_crc)
{
    uint64_t random = 7;
    uint8_t text[300], other[300];

    for (int i = 0; i < 2000; i++) {
        const int64_t n = 1 + random_below(&random, sizeof text), from = random_below(&random, n);
        const int64_t count = random_below(&random, n - from) + 1;
        uint32_t crc;

        for (int64_t k = 0; k < n; k++)
            text[k] = other[k] = (uint8_t)random_next(&random);
        for (int64_t k = from; k < from + count; k++)
            other[k] = (uint8_t)random_next(&random);
        crc = drxi_crc32c(0, text, (size_t)n);
        assert_int_equal(crc, plain_crc(text, (size_t)n));
        crc ^= drxi_crc32c_change(
            drxi_crc32c(0, text + from, (size_t)count) ^ drxi_crc32c(0, other + from, (size_t)count), n - from - count);
        assert_int_equal(crc, plain_crc(other, (size_t)n));
        memset(text, 0, (size_t)n);
        assert_int_equal(drxi_crc32c_zeros(n), plain_crc(text, (size_t)n));
    }
}

TEST(states)
{
    drx_array *a = make(0, 0);
    const int64_t index[2] = { 39, 49 }, value = 5;

    assert_int_equal(check_entries(CHUNKS, 0), 0);
    assert_ok(drx_put(a, index, &value));
    assert_ok(drx_sync(a));
    assert_int_equal(check_entries(CHUNKS, 1), 1);
    assert_ok(drx_write(a, zero, whole, DRX_COL_MAJOR, values));
    assert_int_equal(check_entries(CHUNKS, 3), CHUNKS);
    assert_ok(drx_sync(a));
    assert_int_equal(check_entries(CHUNKS, 1), CHUNKS);
    assert_ok(drx_put(a, index, &value));
    assert_ok(drx_close(a));                            /* does not sync */
    assert_int_equal(check_entries(CHUNKS, 3), CHUNKS); /* all of the page */
    assert_ok(drx_open("x", DRX_RDWR, &a));
    assert_string_equal(drx_last_error(), "");
    assert_ok(drx_extend(a, 0, 1));
    sync_and_close(a);
    assert_int_equal(check_entries(CHUNKS + 6, 1), CHUNKS);
    assert_whole("x");
}

static void assert_well_and_close(drx_array *a)
{
    memset(got, 0, sizeof got);
    assert_ok(read_whole(a));
    assert_memory_equal(got, values, sizeof got);
    assert_ok(drx_close(a));
}

/* A write to another part of a damaged chunk does not make its checksum match. */
TEST(not_blessed)
{
    const int64_t lo[2] = { 8, 9 }, count[2] = { 3, 4 }, all[2] = { 8, 9 };
    drx_array *a = make_written();

    assert_ok(drx_sync(a));
    flip("x.xta", 7 * PITCH + CHUNK_BYTES - 1, 0x10); /* in the chunk of lo */
    assert_status(drx_read(a, lo, all, DRX_ROW_MAJOR, got), DRX_ECHECKSUM);
    assert_ok(drx_write(a, lo, count, DRX_COL_MAJOR, values));
    assert_ok(drx_put(a, lo, values));
    assert_status(drx_read(a, lo, all, DRX_ROW_MAJOR, got), DRX_ECHECKSUM);
    assert_ok(drx_sync(a));
    assert_status(drx_read(a, lo, all, DRX_ROW_MAJOR, got), DRX_ECHECKSUM);
    assert_ok(drx_write(a, lo, all, DRX_COL_MAJOR, values));
    assert_ok(drx_read(a, lo, all, DRX_ROW_MAJOR, got));
    assert_ok(drx_close(a));
}

TEST(damaged_entries)
{
    static const uint32_t bad[][2] = {
        { 0, 1 }, { 4, 0 }, { 0x101, 5 }, { 2, 0 }, { 3, 0 }, { 0xff, 9 }, { 0x500, 0 }
    };
    const int64_t part[2] = { ROWS, CHUNK_COLUMNS - 1 };
    drx_array *a = make_written();
    int64_t made;

    sync_and_close(a);
    const struct bytes before = load("x.xcs");

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put_entry(3, bad[i][0], bad[i][1]);
        assert_ok(drx_open("x", DRX_RDONLY, &a));
        assert_status(read_whole(a), DRX_EDAMAGED);
        assert_detail("the entry of chunk 3");
        assert_ok(drx_read(a, zero, part, DRX_ROW_MAJOR, got));
        assert_ok(drx_close(a));
        assert_damaged();
    }
    assert_ok(drx_open("x", DRX_RDWR, &a));
    flip("x.xta", 5 * PITCH, 0x10);
    assert_ok(drxi_sums_rebuild(&a->data, a->path, &made)); /* and no other */
    assert_int_equal(made, 1);
    assert_status(read_whole(a), DRX_ECHECKSUM);
    flip("x.xta", 5 * PITCH, 0x10);
    assert_ok(read_whole(a));
    assert_ok(drx_close(a));
    assert_bytes("x.xcs", before);
    assert_int_equal(truncate("x.xcs", 8 * 20), 0);
    assert_status(drx_open("x", DRX_RDWR, &a), DRX_EDAMAGED);
    assert_detail("x.xcs: damaged: 160 bytes long");
    assert_ok(drx_open("x", DRX_RDONLY, &a));
    assert_detail("x.xcs: damaged: 160 bytes long");
    assert_status(read_whole(a), DRX_EDAMAGED);
    assert_ok(drx_close(a));
    assert_damaged();
    assert_int_equal(unlink("x.xcs"), 0);
    assert_status(drx_open("x", DRX_RDONLY, &a), DRX_ENOENT);
    assert_detail("x.xcs: missing");
    assert_detail("drx check --repair x");
    assert_damaged();
}

TEST(power_cut)
{
    const int64_t lo[2] = { 0, 0 }, count[2] = { 4, 4 };
    drx_array *a = make_written();

    assert_ok(drx_sync(a));
    assert_ok(drx_write(a, lo, count, DRX_ROW_MAJOR, values + 100)); /* no entry is valid now */
    assert_ok(drx_close(a));
    flip("x.xta", 0, 0x10);              /* half of the write */
    flip("x.xta", 20 * PITCH + 3, 0x10); /* nobody can tell this from it */
    drxi_hooks.other_boot = 4711;
    assert_whole("x");
    assert_ok(drx_open("x", DRX_RDONLY, &a));
    assert_ok(read_whole(a)); /* no error */
    assert_ok(drx_close(a));
    assert_ok(drx_open("x", DRX_RDWR, &a));
    assert_detail("2 chunks had been written to");
    check_entries(CHUNKS, 3);
    sync_and_close(a);
    assert_int_equal(check_entries(CHUNKS, 1), CHUNKS);
    drxi_hooks.other_boot = 0;
    flip("x.xta", 0, 0x10); /* valid on any boot */
    assert_damaged();
}

TEST(in_flight)
{
    drx_array *a = make_written();

    assert_ok(drx_close(a));
    put_entry(4, 2 | drxi_boot_tag() << 8, 12345);
    assert_ok(drx_open("x", DRX_RDONLY, &a));
    assert_well_and_close(a);
    assert_whole("x");
    assert_ok(drx_open("x", DRX_RDWR, &a));
    assert_detail("1 chunk had been written to");
    assert_ok(drx_close(a));
    assert_int_equal(check_entries(CHUNKS, 3), CHUNKS);
}

/* Each thread has its own columns, and shares all chunks with the others. */
static drx_array *shared;

static void *write_columns(void *arg)
{
    const int64_t me = (intptr_t)arg;
    int64_t column[ROWS];

    for (int round = 0; round < 40; round++)
        for (int64_t j = me; j < COLUMNS; j += 4) {
            const int64_t lo[2] = { 0, j }, count[2] = { ROWS, 1 };

            for (int i = 0; i < ROWS; i++)
                column[i] = round * 1000 + i * COLUMNS + j;
            if (drx_write(shared, lo, count, DRX_ROW_MAJOR, column))
                return shared; /* failed */
        }
    return NULL;
}

TEST(threads)
{
    pthread_t thread[4];

    shared = make(0, 0);
    for (intptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, write_columns, (void *)i), 0);
    for (int i = 0; i < 30; i++)
        assert_ok(drx_read(shared, zero, whole, DRX_ROW_MAJOR, got)); /* no false alarm */
    for (int i = 0; i < 4; i++) {
        void *failure;

        assert_int_equal(pthread_join(thread[i], &failure), 0);
        assert_null(failure);
    }
    assert_ok(drx_read(shared, zero, whole, DRX_ROW_MAJOR, got));
    for (int i = 0; i < N; i++)
        assert_int_equal(got[i], 39 * 1000 + i);
    assert_ok(drx_close(shared));
    assert_int_equal(check_entries(CHUNKS, 0), CHUNKS);
}

#ifndef __SANITIZE_THREAD__ /* which knows no fork */
static bool write_without_end(int ignored)
{
    uint64_t random = 3;
    drx_array *a;

    if (drx_open("x", DRX_RDWR, &a))
        return false;
    for (;;) {
        const int64_t lo[2] = { random_below(&random, ROWS), random_below(&random, COLUMNS) };
        const int64_t count[2] = { 1 + random_below(&random, ROWS - lo[0]),
                                   1 + random_below(&random, COLUMNS - lo[1]) };

        for (int i = 0; i < N; i++)
            values[i] = (int64_t)random_next(&random);
        if (drx_write(a, lo, count, DRX_COL_MAJOR, values) || (random % 16 == 0 && drx_sync(a)))
            return false;
    }
}

/* A reader beside a writer never sees a chunk that does not match. After the writer is killed, the next one finds or
 * computes the right checksums. */
TEST(killed_writers)
{
    drx_array *a = make_written();
    uint64_t random = 17;

    assert_ok(drx_close(a));
    for (int round = 0; round < 12; round++) {
        const pid_t child = start(write_without_end, 0);

        assert_ok(drx_open("x", DRX_RDONLY, &a));
        drxi_hooks.way = DRXI_STAGED + round % 3;
        for (int64_t i = 0, n = 20 + random_below(&random, 60); i < n; i++) {
            assert_ok(drx_read(a, zero, whole, i % 2 ? DRX_ROW_MAJOR : DRX_COL_MAJOR, got));
            if (i % 16 == 0)
                nanosleep(&(struct timespec){ 0, 1 + random_below(&random, 3000000) }, NULL);
        }
        end(child);
        assert_ok(read_whole(a));
        assert_ok(drx_close(a));
        assert_whole("x");
        assert_ok(drx_open("x", DRX_RDWR, &a));
        assert_ok(drx_close(a));
        check_entries(CHUNKS, 0);
    }
    drxi_hooks.way = DRXI_ANY_WAY;
}
#endif

TEST(refused)
{
    drx_spec spec = checked;
    drx_array *a;

    spec.flags = DRX_CHECKSUM;
    assert_status(drx_create(NULL, &spec, &a), DRX_EINVAL);
    assert_detail("DRX_CHECKSUM");
}

TEST(copies)
{
    const int64_t chunk[2] = { 7, 11 };
    drx_array *a = make_written(), *b;
    drx_copy_spec spec = { .chunk = chunk, .flags = DRX_CHECKSUM | DRX_REPLACE };
    drx_spec described;

    assert_ok(drx_copy(a, "c", &spec, &b));
    drx_describe(b, &described);
    assert_true(described.flags & DRX_CHECKSUM);
    assert_well_and_close(b);
    assert_whole("c");
    spec.flags = DRX_REPLACE;
    assert_ok(drx_copy(a, "c", &spec, &b));
    drx_describe(b, &described);
    assert_false(described.flags & DRX_CHECKSUM);
    assert_ok(drx_close(b));
    flip("x.xta", 17 * PITCH + 100, 0x10);
    assert_status(drx_copy(a, "c", &spec, &b), DRX_ECHECKSUM);
    assert_ok(drx_close(a));
}

TEST(rebuilt)
{
    drx_array *a = make_written();
    enum drxi_tail tail;
    int64_t made;

    assert_ok(drx_close(a));
    assert_int_equal(unlink("x.xcs"), 0);
    assert_ok(drxi_array_new("x", &a));
    a->parts.writable = true;
    assert_ok(drxi_open_pair(a, &tail));
    assert_null(a->data.file->sums);
    assert_ok(drxi_sums_rebuild(&a->data, a->path, &made));
    assert_int_equal(made, CHUNKS);
    assert_ok(drxi_array_free(a));
    assert_int_equal(check_entries(CHUNKS, 1), CHUNKS);
    assert_ok(drx_open("x", DRX_RDWR, &a));
    assert_well_and_close(a);
}
