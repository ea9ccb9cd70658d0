/* drx_check reports each thing that can be wrong with the files, and how serious it is. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "drx_tools.h"
#include "file_faults.h"
#include "findings.h"
#include "lone/lone.h"
#include "repair/check.h"

static int progress, stop_at;

static int go_on(void *user, int64_t done, int64_t total)
{
    assert_true(done >= 0 && done <= total);
    return ++progress == stop_at;
}

static drx_status check_until(int call)
{
    memset(&found, 0, sizeof found);
    progress = 0;
    stop_at = call;
    return drx_check("a", note, NULL, go_on, NULL);
}

/* An array of 5 x 7 in chunks of 2 x 3, padded to 32 bytes, synced; 12 chunks. */
static drx_array *make_open(drx_order order, int32_t fill)
{
    const int64_t shape[2] = { 5, 4 }, chunk[2] = { 2, 3 };
    const char *const dims[2] = { "y", "x" };
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = shape,
                            .chunk = chunk,
                            .fill = &fill,
                            .dims = dims,
                            .chunk_order = order,
                            .align = 32,
                            .flags = DRX_REPLACE };
    int32_t buf[35];
    drx_array *a;

    for (int i = 0; i < 35; i++)
        buf[i] = i + 1;
    assert_ok(drx_create("a", &spec, &a));
    assert_ok(drx_extend(a, 1, 3));
    assert_ok(drx_write(a, (int64_t[]){ 0, 0 }, drx_shape(a), DRX_ROW_MAJOR, buf));
    assert_ok(drx_attr_set_text(a, "title", "to be checked"));
    assert_ok(drx_sync(a));
    return a;
}

static void make(void)
{
    assert_ok(drx_close(make_open(DRX_ROW_MAJOR, 0)));
}

TEST(good_arrays)
{
    for (int order = 0; order < 2; order++)
        for (int fill = 0; fill < 2; fill++) {
            assert_ok(drx_close(make_open((drx_order)order, fill)));
            assert_ok(check_until(0));
            assert_found(0, 0, 0, "");
            assert_true(progress > 0);
        }
    assert_ok(drx_check("a", NULL, NULL, NULL, NULL));
    assert_string_equal(drx_last_error(), "");
}

TEST(halves)
{
    assert_status(check("nothing"), DRX_ENOENT);
    assert_found(0, 0, 0, "");
    assert_detail("nothing.xmd");
    assert_status(check(""), DRX_EINVAL);
    assert_status(check(NULL), DRX_EINVAL);
    make();
    assert_int_equal(rename("a.xta", "b.xta"), 0);
    assert_status(check("a"), DRX_ENOENT);
    assert_found(0, 0, 1, "a.xta: missing");
    assert_status(check("b"), DRX_ENOENT);
    assert_found(0, 0, 1, "b.xta: is there without its b.xmd");
    assert_int_equal(rename("b.xta", "a.xta"), 0);
}

TEST(heads)
{
    make();
    flip("a.xmd", 40, 1); /* of the creation id */
    assert_status(check("a"), DRX_EDAMAGED);
    assert_found(0, 0, 1, "a.xmd: the head (bytes 0 to 512) does not match its checksum");
    put_byte("a.xmd", 0, 'x');
    assert_status(check("a"), DRX_EFORMAT);
    assert_found(0, 0, 1, "not the metadata");
    make();
    assert_int_equal(truncate("a.xmd", 4111), 0);
    assert_status(check("a"), DRX_EDAMAGED);
    assert_found(0, 0, 1, "a.xmd: ends at byte 4111");
}

/* Where record `number` begins. */
static int64_t begin_of(uint64_t number)
{
    static struct bytes log;
    size_t at = DRXI_LOG_AT;

    log = load("a.xmd");
    while (at < log.n && drxi_get64(log.p + at + 16) < number)
        at += drxi_get32(log.p + at + 8);
    assert_true(at < log.n);
    return (int64_t)at;
}

__attribute__((format(printf, 1, 2))) static const char *with_offset(const char *format, ...)
{
    static char text[256];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return text;
}

/* Records: two dimensions, the variable, a growth, an attribute, a SYNC. */
TEST(tails_of_the_log)
{
    int64_t end;

    make();
    end = length_of("a.xmd");
    put_byte("a.xmd", end + 10, 1);
    assert_ok(check("a"));
    assert_found(0, 1, 0,
                 with_offset("a.xmd: the last 11 bytes, from offset %lld on, are not whole records", (long long)end));
    assert_int_equal(truncate("a.xmd", end - 3), 0); /* a promise that is not whole */
    assert_ok(check("a"));
    assert_found(1, 1, 0, "never synced");
    flip("a.xmd", begin_of(4) + 24, 1); /* nothing promises the growth: its chunks are residue */
    assert_ok(check("a"));
    assert_found(1, 5, 0, "dropped when it is next opened for writing, with the 1 whole record in them, which no sync");
    flip("a.xmd", begin_of(2) + 24, 1);
    assert_status(check("a"), DRX_EDAMAGED);
    assert_found(0, 0, 1, "a.xmd: nothing of it counts");
}

/* What was promised: the check says where it is, and what a repair would lose. */
TEST(damaged_logs)
{
    int64_t at;
    drx_array *a = make_open(DRX_ROW_MAJOR, 0);

    assert_ok(drx_extend(a, 0, 2));
    assert_ok(drx_extend_before(a, 1, 3));
    assert_ok(drx_attr_set_text(a, "history", "longer"));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    at = begin_of(5); /* an attribute */
    flip("a.xmd", at + 30, 1);
    assert_status(check("a"), DRX_EDAMAGED);
    assert_found(3, 0, 1,
                 with_offset("a.xmd: the record at offset %lld is damaged, and what follows was prom", (long long)at));
    assert_told(with_offset("a.xmd: a repair cuts it at offset %lld, after record 4, and loses "
                            "what came later: records 5 to 10, of which 5 can be read: 2 "
                            "growths, 1 attribute\n",
                            (long long)at));
    assert_told("a.xmd: axis 0 then ends at index 5; record 7 had it at 7\n");
    assert_told("a.xmd: axis 1 then begins at index 0; record 8 had it at -3\n");
    assert_detail("a: damaged: 1 error");
    flip("a.xmd", begin_of(5) + 30, 1);
    flip("a.xmd", begin_of(7) + 30, 1);
    assert_status(check("a"), DRX_EDAMAGED);
    assert_found(2, 0, 1, "after record 6, and loses what came later: records 7 to 10, of which 3 can be read: 1 gr");
    make();
    flip("a.xmd", begin_of(2), 0x80);
    assert_status(check("a"), DRX_EDAMAGED);
    assert_found(0, 0, 1, "a.xmd: nothing of it counts");
}

/* A trim that is lost: by its record, or by the word that tells readers of it. */
TEST(trims_that_are_lost)
{
    for (int lost = 0; lost < 2; lost++) {
        drx_array *a = make_open(DRX_ROW_MAJOR, 0);

        assert_ok(drx_attr_set_text(a, "history", "longer"));
        assert_ok(drx_trim(a, 0, 0, 1));
        assert_ok(drx_sync(a));
        if (lost)
            assert_ok(drxi_live_set_trims(a->log.io, 8));
        assert_ok(drx_close(a));
        flip("a.xmd", begin_of(lost ? 8 : 7) + 30, 1);
        assert_status(check("a"), DRX_EDAMAGED);
        assert_found(lost ? 2 : 3, 0, 1, "a.xmd: a trim is lost: the indices that it took away come back");
    }
}

/* A record that is whole, and cannot be: the attribute that it deletes is not there. A SYNC follows. */
TEST(a_record_that_cannot_be)
{
    drx_array *a = make_open(DRX_ROW_MAJOR, 0);
    struct drxi_run run = drxi_run_at(&drxi_lone_store(&a->log)->end);

    drxi_put_attribute_delete(&run, DRXI_A_VARIABLE, 1, "nothing");
    drxi_run_count(&run);
    drxi_put_sync(&run);
    drxi_run_count(&run);
    assert_ok(run.failed);
    put_bytes("a.xmd", run.at, run.bytes, (size_t)run.n);
    drxi_run_free(&run);
    assert_ok(drx_close(a));
    assert_status(check("a"), DRX_EDAMAGED);
    assert_found(1, 0, 1, "a.xmd: record 7 at offset");
    assert_told("after record 6, and loses what came later: records 7 to 8, of which 2 can be "
                "read: 1 deletion of an attribute");
}

/* A transaction that is open: a growth, which is as that of an append, and more; or no growth. */
TEST(open_transactions)
{
    for (int grows = 0; grows < 2; grows++) {
        drx_array *a = make_open(DRX_ROW_MAJOR, 0);
        struct drxi_run run = drxi_run_at(&drxi_lone_store(&a->log)->end);

        if (grows)
            drxi_put_grow(&run, 1, 2, 7);
        drxi_put_rename(&run, DRXI_A_DIMENSION, 1, "z");
        drxi_put_rename(&run, DRXI_A_DIMENSION, 2, "t");
        assert_ok(run.failed);
        put_bytes("a.xmd", run.at, run.bytes, (size_t)run.n);
        put_byte("a.xmd", run.at + run.n, 1);
        assert_ok(check("a"));
        assert_found(3 + grows, 0, 0, "of the writer that has it open");
        assert_ok(drx_close(a));
        assert_ok(check("a"));
        assert_found(0, 2 + grows, 0, "a.xmd: the last 1 bytes");
        assert_told(with_offset(grows ? "a.xmd: records 7 to 9, from offset %lld on, belong to "
                                        "a change that was not completed: dropped when"
                                      : "a.xmd: records 7 to 8, from offset %lld on",
                                (long long)run.at));
        if (grows)
            assert_told("record 7: an append to axis 0 by 2 was not completed");
        assert_ok(drx_open("a", DRX_RDWR, &a)); /* mends it */
        assert_ok(drx_close(a));
        assert_ok(check("a"));
        assert_found(0, 0, 0, "");
        assert_int_equal(length_of("a.xmd"), run.at);
        drxi_run_free(&run);
    }
}

TEST(ends_of_the_log)
{
    const struct drxi_growth growth = { 1, DRXI_HIGH, 2, 9 };
    drx_array *a = make_open(DRX_ROW_MAJOR, 0);

    assert_ok(drx_extend(a, 0, 1)); /* into cells that are there */
    assert_ok(drx_close(a));
    assert_ok(check("a"));
    assert_found(1, 0, 0, "changed since its last sync");
    assert_ok(drx_open("a", DRX_RDWR, &a));
    assert_ok(drxi_log_append_growth(&a->log, DRXI_INTENT, &growth));
    assert_ok(check("a"));
    assert_found(2, 0, 0, "an append to axis 1 by 2 is going on");
    assert_told("open for writing elsewhere");
    assert_ok(drx_close(a));
    assert_ok(check("a"));
    assert_found(0, 1, 0, "an append to axis 1 by 2 was not completed");
    assert_ok(drx_open("a", DRX_RDWR, &a)); /* mends it */
    assert_ok(drx_sync(a));
    assert_ok(drx_dim_rename(a, 1, "y"));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    assert_ok(check("a"));
    assert_found(1, 0, 0, "axes 0 and 1 have the same name, y");
}

TEST(lengths)
{
    drx_array *a = make_open(DRX_ROW_MAJOR, 0);
    const int64_t promised = length_of("a.xta");

    assert_ok(drx_extend(a, 0, 2));
    assert_ok(drx_close(a));
    assert_int_equal(truncate("a.xta", promised + 1), 0);
    assert_ok(check("a"));
    assert_found(1, 1, 0, "is next opened for writing");
    assert_int_equal(truncate("a.xta", promised - 1), 0);
    assert_status(check("a"), DRX_EDAMAGED);
    assert_found(2, 0, 1, "a.xta: damaged:");
    assert_told("missing: chunks 8 to 8, within indices");
    make();
    assert_int_equal(truncate("a.xta", promised + 5), 0);
    assert_ok(check("a"));
    assert_found(0, 1, 0, "a.xta: 5 bytes after its last chunk");
}

/* Each byte of the data in turn: an element is anything, a cell outside is the fill,
 * padding is zero. */
TEST(bytes_of_the_data)
{
    int inside = 0, outside = 0, padding = 0;

    for (int order = 0; order < 2; order++) {
        drx_array *a = make_open((drx_order)order, order);
        const int64_t bytes = length_of("a.xta");

        assert_ok(drx_close(a));
        assert_int_equal(bytes, 9 * 32);
        for (int64_t i = 0; i < bytes; i++) {
            char where[64];
            uint8_t old;
            const int fd = open("a.xta", O_RDONLY);
            drx_status st;

            assert_int_equal(pread(fd, &old, 1, i), 1);
            assert_int_equal(close(fd), 0);
            put_byte("a.xta", i, old ^ 0x40);
            st = check("a");
            put_byte("a.xta", i, old);
            inside += !st && !found.n[DRX_WARNING];
            outside += !st && found.n[DRX_WARNING];
            padding += st == DRX_EDAMAGED;
            (void)snprintf(where, sizeof where, "chunk %d: offset %d: ", (int)(i / 32), (int)(i / 4 * 4));
            if (i % 32 >= 24)
                (void)snprintf(where, sizeof where, "chunk %d: offset %d: the padding", (int)(i / 32), (int)i);
            if (st || found.n[DRX_WARNING])
                assert_found(0, !st, st ? 1 : 0, where);
        }
    }
    assert_int_equal(inside, 2 * 35 * 4);
    assert_int_equal(padding, 2 * 9 * 8);
    assert_int_equal(outside, 2 * (9 * 6 - 35) * 4);
}

/* What a trim leaves in a chunk that it cuts through is in order. */
TEST(cells_that_were_trimmed)
{
    drx_array *a = make_open(DRX_ROW_MAJOR, 0);

    assert_ok(drx_trim(a, 1, 1, 0));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    assert_ok(check("a"));
    assert_found(1, 0, 0, "3 chunks hold other than the fill outside the bounds");
}

/* Which axis a cell is outside of, in both orders. */
TEST(axes_of_cells)
{
    for (int order = 0; order < 2; order++) {
        int64_t address, offset;
        drx_array *a = make_open((drx_order)order, 0);

        assert_ok(drx_chunk_address(a, (int64_t[]){ 2, 0 }, &address)); /* rows 4 and 5; 5 is outside */
        offset = address * 32 + 4 * (order == DRX_ROW_MAJOR ? 3 + 2 : 1 + 2 * 2);
        assert_ok(drx_close(a));
        put_byte("a.xta", offset, 1);
        assert_ok(check("a"));
        assert_found(0, 1, 0, "outside the bound of axis 0");
        a = make_open((drx_order)order, 0);
        assert_ok(drx_chunk_address(a, (int64_t[]){ 0, 2 }, &address)); /* columns 6 to 8; 7 and 8 are */
        assert_ok(drx_close(a));
        put_byte("a.xta", address * 32 + 4 * (order == DRX_ROW_MAJOR ? 1 : 2), 1);
        assert_ok(check("a"));
        assert_found(0, 1, 0, "outside the bound of axis 1");
        assert_ok(drx_open("a", DRX_RDWR, &a)); /* a writer may be about to grow */
        assert_ok(check("a"));
        assert_found(2, 0, 0, "outside the bound of axis 1");
        assert_ok(drx_extend(a, 1, 2));
        assert_ok(drx_sync(a));
        assert_ok(drx_close(a));
        assert_ok(check("a")); /* the growth has mended it */
        assert_found(0, 0, 0, "");
    }
}

/* Many are counted, not all told. */
TEST(many_findings)
{
    const int64_t shape[1] = { 100 }, chunk[1] = { 1 };
    const drx_spec spec = {
        .ndim = 1, .type = DRX_INT8, .shape = shape, .chunk = chunk, .align = 2, .flags = DRX_REPLACE
    };
    drx_array *a;

    assert_ok(drx_create("a", &spec, &a));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    for (int64_t i = 0; i < 100; i++)
        put_byte("a.xta", 2 * i + 1, 1);
    assert_status(check("a"), DRX_EDAMAGED);
    assert_found(0, 0, 21, "80 more chunks have padding that is not zero");
}

TEST(names_beside_it)
{
    static const char *const names[] = { "a.xcs", "a.xmd.new-123-0", "a.xta.new-123-45" };
    static const char *const others[] = { "a.xmd.new-123-", "a.xta.new-x-1", "a.xta.new-1-2.bak", "aa.xta.new-1-2" };

    make();
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(close(open(others[i], O_CREAT | O_WRONLY, 0666)), 0);
    assert_ok(check("a"));
    assert_found(0, 0, 0, "");
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(close(open(names[i], O_CREAT | O_WRONLY, 0666)), 0);
        assert_ok(check("a"));
        assert_found((int)i + 1, 0, 0, names[i]);
    }
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(unlink(names[i]), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(unlink(others[i]), 0);
}

/* A map as no log makes it. */
TEST(maps)
{
    struct drxi_check c = { .a = make_open(DRX_ROW_MAJOR, 0), .report = note };
    drxi_map *map = &c.a->log.state.map;

    memset(&found, 0, sizeof found);
    assert_ok(drxi_check_map(&c));
    assert_found(0, 0, 0, "");
    map->coef[1]++; /* C_1 of the first segment */
    assert_ok(drxi_check_map(&c));
    assert_told("do not agree");
    map->coef[1]--;
    memset(&found, 0, sizeof found);
    map->coef[map->ndim + 1]++; /* C_1 of the next, which begins elsewhere then */
    assert_ok(drxi_check_map(&c));
    assert_told("axis 1: the segment at index 2 begins at chunk 8, expected 6");
    map->coef[map->ndim + 1]--;
    memset(&found, 0, sizeof found);
    map->upper[1]++; /* in which the last segment gains chunks */
    assert_ok(drxi_check_map(&c));
    assert_told("the segments have 12 chunks, the bounds 9");
    map->upper[1]--;
    assert_true(c.errors > 0);
    assert_ok(drx_close(c.a));
}

TEST(many_chunks)
{
    const int64_t shape[2] = { 1500, 1500 }, chunk[2] = { 1, 1 };
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT8, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE | DRX_SHELL
    };
    drx_array *a;

    assert_ok(drx_create("a", &spec, &a));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    assert_ok(check("a"));
    assert_found(1, 0, 0, "2250000 chunks: the map was checked");
}

TEST(interrupts)
{
    int calls;

    make();
    assert_ok(check_until(0));
    calls = progress;
    assert_true(calls >= 3);
    for (int i = 1; i <= calls; i++) {
        assert_status(check_until(i), DRX_EINTERRUPTED);
        assert_int_equal(progress, i);
    }
}

/* What cannot be read is an error, and the rest is looked at; memory that is not
 * there is one, too. */
TEST(calls_that_fail)
{
    bool fired = true;
    bool data = false;

    make();
    for (long n = 1; fired; n++) {
        drx_status st;

        drxi_fault_arm(n, EIO, false);
        st = check("a");
        fired = drxi_fault_fired();
        drxi_fault_arm(0, 0, false);
        if (st == DRX_EDAMAGED)
            data = data || strstr(found.text, "a.xta: injected fault in read");
        if (st == DRX_OK)
            assert_int_equal(found.n[DRX_WARNING] + found.n[DRX_ERROR], 0);
        else
            assert_true(st == DRX_EIO || st == DRX_EDAMAGED);
    }
    assert_true(data);
    for (long n = 1;; n++) {
        drx_status st;

        drxi_fail_allocation = n;
        st = check("a");
        if (drxi_fail_allocation > 0) /* none was left to fail */
            break;
        drxi_fail_allocation = 0;
        if (st != DRX_ENOMEM)
            print_error("allocation %ld: %d: %s\n", n, (int)st, found.text);
        assert_int_equal(st, DRX_ENOMEM);
    }
    drxi_fail_allocation = 0;
}
