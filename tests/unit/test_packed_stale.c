/* Readers of a compressed array that have not refreshed since another handle synced it. What was promised meanwhile is
 * damaged when it is not there, and no older elements stand in for it. */
#include "array/replica.h"
#include "bytes.h"
#include "drx_dataset.h"
#include "drx_tools.h"

enum { N = 64, HALF = 32 };

static const char path[] = "stale";
static const int64_t first[] = { 0 }, all[] = { N };

static drx_array *make(void)
{
    drx_array *a;

    assert_ok(drx_create(
        path,
        &(drx_spec){ .ndim = 1, .type = DRX_INT32, .shape = all, .chunk = all, .codec = DRX_LZ4, .flags = DRX_REPLACE },
        &a));
    return a;
}

static void number(int32_t values[N], int version)
{
    for (int i = 0; i < N; i++)
        values[i] = version * 1000 + i;
}

/* A payload of its own behind the others, and the other half of the entry: the second for an odd version. */
static void write_version(drx_array *a, int version, bool sync)
{
    int32_t values[N];

    number(values, version);
    assert_ok(drx_write(a, first, all, DRX_ROW_MAJOR, values));
    if (sync)
        assert_ok(drx_sync(a));
}

static drx_array *open_as(int mode)
{
    drx_array *a;

    assert_ok(drx_open(path, mode, &a));
    return a;
}

/* The handle of another rank than the first, which knows the log from that one. */
static drx_array *open_replica(void)
{
    drx_array *root = open_as(DRX_RDONLY), *r;
    uint8_t *bytes;
    int64_t n;

    assert_ok(drxi_read_log(root, 0, &bytes, &n));
    assert_ok(drxi_open_replica(path, false, NULL, bytes, n, &r));
    drxi_free(bytes);
    assert_ok(drx_close(root));
    return r;
}

/* A reader that read the log before versions 2 and on were written. */
enum { READER, REPLICA, SHARING, READERS };

static drx_array *open_reader(int kind)
{
    return kind == READER ? open_as(DRX_RDONLY) : kind == REPLICA ? open_replica() : open_as(DRX_SHARED);
}

static void close_reader(int kind, drx_array *a)
{
    if (kind == REPLICA)
        drxi_set_parallel(a, false);
    assert_ok(drx_close(a));
}

static void expect_version(drx_array *a, int version)
{
    int32_t values[N], expected[N];

    number(expected, version);
    assert_ok(drx_read(a, first, all, DRX_ROW_MAJOR, values));
    assert_memory_equal(values, expected, sizeof values);
    assert_ok(drx_read(a, (int64_t[]){ 9 }, (int64_t[]){ 3 }, DRX_ROW_MAJOR, values));
    assert_memory_equal(values, expected + 9, 3 * sizeof *values);
    assert_ok(drx_get(a, (int64_t[]){ 7 }, values));
    assert_int_equal(values[0], expected[7]);
}

static void expect_failure(drx_array *a, drx_status st)
{
    int32_t values[N];

    for (int again = 0; again < 2; again++) {
        assert_status(drx_read(a, (int64_t[]){ 9 }, (int64_t[]){ 3 }, DRX_ROW_MAJOR, values), st);
        assert_detail("chunk 0");
        assert_status(drx_get(a, (int64_t[]){ 7 }, values), st);
        assert_status(drx_read(a, first, all, DRX_ROW_MAJOR, values), st);
        assert_detail("chunk 0");
    }
}

/* Whether the half lost its end, as a power cut leaves it, or the payload is wrong. */
static void damage(bool half, int version, int64_t payloads_before)
{
    if (half)
        put_bytes("stale.xct", version % 2 * HALF + 16, &(uint64_t){ 0 }, 8);
    else
        flip("stale.xtz", payloads_before + 20, 1);
}

/* The writer's handle, with a reader that knows versions 0 and 1, and all that was written since. */
static drx_array *write_beside(int kind, bool sync, bool compact, int64_t *payloads_before, drx_array **reader)
{
    drx_array *writer = make();

    if (kind == SHARING) {
        assert_ok(drx_close(writer));
        writer = open_as(DRX_SHARED);
    }
    write_version(writer, 0, true);
    write_version(writer, 1, true);
    *reader = open_reader(kind);
    if (compact && kind != SHARING) {
        for (int i = 0; i < 9; i++)
            assert_ok(drx_attr_set_text(writer, "title", i % 2 ? "odd" : "even"));
        assert_ok(drx_compact(writer));
    }
    *payloads_before = length_of("stale.xtz");
    write_version(writer, 2, sync);
    return writer;
}

TEST(a_reader_that_is_behind_tells_damage)
{
    for (int i = 0; i < READERS * 4; i++) {
        const int kind = i / 4;
        int64_t payloads;
        drx_array *reader, *writer = write_beside(kind, true, i % 4 / 2, &payloads, &reader);

        damage(i % 2, 2, payloads);
        expect_failure(reader, i % 2 ? DRX_EDAMAGED : DRX_ECHECKSUM);
        close_reader(kind, reader);
        (void)drx_close(writer);
    }
}

TEST(what_nobody_promised_yields)
{
    for (int i = 0; i < READERS * 2; i++) {
        const int kind = i / 2;
        int64_t payloads;
        drx_array *reader, *writer = write_beside(kind, false, false, &payloads, &reader);

        damage(i % 2, 2, payloads);
        expect_version(reader, 1);
        close_reader(kind, reader);
        (void)drx_close(writer);
    }
}

/* One half is torn and was not promised; the other was, since the reader last read the log. */
TEST(a_promised_half_behind_a_torn_one)
{
    for (int i = 0; i < READERS * 2; i++) {
        const int kind = i / 2;
        int64_t payloads;
        drx_array *reader, *writer = write_beside(kind, true, false, &payloads, &reader);

        write_version(writer, 3, false);
        damage(true, 3, payloads);
        if (i % 2) {
            damage(false, 2, payloads);
            expect_failure(reader, DRX_ECHECKSUM);
        } else {
            expect_version(reader, 2);
        }
        close_reader(kind, reader);
        (void)drx_close(writer);
    }
}

/* What a writer of a dataset has not committed yields, also when another file has the name of the log: it is not looked
 * into. */
TEST(a_variable_whose_log_was_replaced)
{
    const char *const dims[] = { "x" };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT32, .shape = all, .chunk = all, .dims = dims, .codec = DRX_LZ4 };
    int32_t values[N], found[N];
    drx_dataset *writer, *reader;
    drx_array *a;

    assert_ok(drx_dataset_create("d", &writer));
    assert_ok(drx_dataset_add(writer, "v", &spec, &a));
    write_version(a, 1, false);
    assert_ok(drx_dataset_commit(writer, ""));
    write_version(a, 2, false);
    assert_ok(drx_dataset_open("d", DRX_RDONLY, DRX_LAST, &reader));
    assert_ok(drx_dataset_array(reader, "v", &a));
    put_byte("d/v.xtz", length_of("d/v.xtz") - 1, 0x5a);
    assert_int_equal(unlink("d/dataset.xds"), 0);
    store_bytes("d/dataset.xds", (struct bytes){ .n = 0 });
    assert_ok(drx_read(a, first, all, DRX_ROW_MAJOR, found));
    number(values, 1);
    assert_memory_equal(found, values, sizeof values);
    assert_ok(drx_dataset_close(reader));
    (void)drx_dataset_close(writer);
}

/* That of a compaction is looked into: what it promises is damaged when it is not there, and older elements do not
 * stand in for it; what came after it yields to what it promises. */
TEST(a_variable_whose_log_was_compacted)
{
    const char *const dims[] = { "x" };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT32, .shape = all, .chunk = all, .dims = dims, .codec = DRX_LZ4 };

    for (int i = 0; i < 6; i++) {
        drx_dataset *writer, *reader;
        drx_array *a, *b;

        assert_ok(drx_dataset_create("e", &writer));
        assert_ok(drx_dataset_add(writer, "v", &spec, &a));
        write_version(a, 1, false);
        assert_ok(drx_dataset_commit(writer, ""));
        assert_ok(drx_dataset_open("e", DRX_RDONLY, DRX_LAST, &reader));
        assert_ok(drx_dataset_array(reader, "v", &b));
        assert_ok(drx_dataset_attr_set_text(writer, DRX_DATASET, NULL, "title", "again"));
        assert_ok(drx_dataset_commit(writer, ""));
        write_version(a, 2, false);
        assert_ok(i % 2 ? drx_dataset_forget(writer, 2) : drx_dataset_compact(writer));
        if (i >= 2)
            write_version(a, 3, false);
        if (i >= 4)
            assert_ok(drx_dataset_commit(writer, ""));
        flip("e/v.xtz", length_of("e/v.xtz") - 1, 1);
        if (i / 2 == 1)
            expect_version(b, 2);
        else
            expect_failure(b, DRX_ECHECKSUM);
        assert_ok(drx_dataset_close(reader));
        (void)drx_dataset_close(writer);
        assert_int_equal(system("rm -r e"), 0);
    }
}
