/* drx_repair mends what a crash left, reports what is lost for good, and fails without harm. */
#include <errno.h>
#include <glob.h>

#include "file_faults.h"
#include "format/crc.h"
#include "repairing.h"

static size_t count_files(const char *pattern)
{
    glob_t found_files;
    size_t n;

    (void)glob(pattern, 0, NULL, &found_files);
    n = found_files.gl_pathc;
    globfree(&found_files);
    return n;
}

TEST(nothing_to_do)
{
    struct stat x, y;

    make_all_kinds();
    assert_int_equal(stat("r.xmd", &x), 0);
    assert_ok(repair("r"));
    assert_int_equal(found.n[DRX_NOTE] + found.n[DRX_WARNING] + found.n[DRX_ERROR], 0);
    assert_int_equal(stat("r.xmd", &y), 0);
    assert_true(x.st_ino == y.st_ino && x.st_mtim.tv_sec == y.st_mtim.tv_sec && x.st_mtim.tv_nsec == y.st_mtim.tv_nsec);
    assert_ok(drx_repair("r", NULL, NULL, NULL, NULL));
    assert_status(drx_repair("", NULL, NULL, NULL, NULL), DRX_EINVAL);
    assert_status(drx_repair("none", note, NULL, NULL, NULL), DRX_ENOENT);
}

TEST(halves)
{
    make_all_kinds();
    assert_int_equal(rename("r.xta", "x.xta"), 0);
    assert_status(repair("r"), DRX_ENOENT);
    assert_told("r.xta: missing");
    assert_int_equal(rename("r.xmd", "x.xmd"), 0);
    assert_int_equal(rename("x.xta", "r.xta"), 0);
    assert_status(repair("r"), DRX_ENOENT);
    assert_told("r.xta: is there without its r.xmd");
    assert_int_equal(rename("x.xmd", "r.xmd"), 0);
    assert_ok(repair("r"));
}

TEST(at_work)
{
    drx_array *a;

    make_all_kinds();
    assert_ok(drx_open("r", DRX_RDWR, &a));
    assert_status(repair("r"), DRX_EBUSY);
    assert_ok(drx_close(a));
    assert_int_equal(chmod("r.xmd", 0444), 0);
    if (geteuid() != 0)
        assert_status(repair("r"), DRX_EACCES);
    assert_int_equal(chmod("r.xmd", 0644), 0);
}

TEST(what_a_crash_left)
{
    const struct drxi_growth growth = { 0, DRXI_HIGH, 2, 12 };
    drx_array *a;
    int64_t length;

    make_all_kinds();
    remember();
    put_byte("r.xmd", (int64_t)original.n + 3, 1);
    assert_ok(repair("r"));
    assert_told("(a torn tail): dropped");
    assert_int_equal(found.n[DRX_WARNING], 0);
    assert_bytes("r.xmd", original);

    length = length_of("r.xta");
    assert_int_equal(truncate("r.xta", length + 100), 0);
    assert_ok(repair("r"));
    assert_told("cut");
    assert_int_equal(length_of("r.xta"), length);

    put_byte("r.xta", length - 1, 99); /* the corner that is beyond both bounds */
    assert_ok(repair("r"));
    assert_told("did not hold the fill");
    assert_int_equal(found.n[DRX_WARNING], 0);
    assert_bytes("r.xta", data[0]);

    assert_ok(drx_open("r", DRX_RDWR, &a));
    assert_ok(drxi_log_append_growth(&a->log, DRXI_INTENT, &growth));
    assert_ok(drx_close(a));
    assert_ok(repair("r"));
    assert_told("an append to axis 0 by 2 was not completed: undone");
    assert_int_equal(found.n[DRX_WARNING], 0);
    assert_ok(repair("r"));
    assert_int_equal(found.n[DRX_NOTE], 0);
}

TEST(data_that_are_missing)
{
    make_all_kinds();
    remember();
    assert_int_equal(truncate("r.xta", 12 * 7 + 5), 0);
    assert_status(repair("r"), DRX_EDAMAGED);
    assert_told("its last sync promised");
    assert_told("missing: chunks 7 to ");
    assert_bytes("r.xmd", original);
    assert_int_equal(length_of("r.xta"), 12 * 7 + 5);
}

/* What is of a later version is no damage, and the detail says what it is. */
TEST(later_versions)
{
    make_all_kinds();
    damaged = load("r.xmd");
    damaged.p[16] = 3;
    drxi_put32(damaged.p + 8, drxi_crc32c(0, damaged.p + 12, HEAD_BYTES - 12));
    store_bytes("r.xmd", damaged);
    assert_status(repair("r"), DRX_EUNSUPPORTED);
    assert_detail("r.xmd: format version 3");
    assert_bytes("r.xmd", damaged);
}

/* The head is the same in all arrays, but for the creation id and the CRC, which the first record has, too. */
TEST(heads)
{
    make_all_kinds();
    remember();
    for (int at = 0; at < HEAD_BYTES; at++) {
        const bool is_id = at >= ID_AT && at < ID_AT + DRXI_STORE_ID_BYTES;

        damaged = original;
        damaged.p[at] ^= (uint8_t)(1 << at % 8);
        if (at > 300) /* all that is no part of the id */
            memset(damaged.p + 64, at, HEAD_BYTES - 64);
        store_bytes("r.xmd", damaged);
        if (is_id)
            assert_status(repair("r"), DRX_EDAMAGED);
        else
            assert_ok(repair("r"));
        assert_told(is_id ? "r.xmd: nothing proves what the head was: it cannot be repaired"
                          : "r.xmd: the head (bytes 0 to 512) was damaged; the records prove what it was: put back");
        assert_bytes("r.xmd", is_id ? damaged : original);
    }
    damaged = original;
    damaged.p[9] ^= 1; /* nothing that counts goes on from any head */
    damaged.p[DRXI_LOG_AT + 30] ^= 1;
    store_bytes("r.xmd", damaged);
    assert_status(repair("r"), DRX_EDAMAGED);
    assert_told("it cannot be repaired");
    assert_bytes("r.xmd", damaged);
    assert_true(has_data());
}

/* A repair says what it loses, keeps the damaged log, and cuts it: the array is as it was, and can be written. */
TEST(damaged_logs)
{
    for (int how = 0; how < 4; how++) {
        static struct seen now;
        size_t at;

        make_all_kinds_with(how == 3 ? DRX_ZSTD : DRX_RAW, how == 2 ? DRX_CHECKSUM : 0);
        remember();
        at = find_record(how == 1 ? DRXI_LOG_ATTRIBUTE_DELETE : DRXI_LOG_ATTRIBUTE, how == 1 ? 0 : 1);
        damaged = original;
        memset(damaged.p + at + 30, 0x55, 10);
        store_bytes("r.xmd", damaged);
        assert_ok(repair("r"));
        assert_told(how == 3 ? "and loses what came later: records 10 to "
                    : how == 1
                        ? "after record 10, and loses what came later: records 11 to 20, of which 9 can be read: "
                          "3 growths, 2 names of axes, 1 attribute\n"
                        : "after record 8, and loses what came later: records 9 to 20, of which 11 can be read: "
                          "4 growths, 2 names of axes, 1 attribute, 1 deletion of an attribute\n");
        assert_told("r.xmd: axis 0 then ends at index 7; record 1");
        assert_told(how == 1 ? "r.xmd: axis 1 then ends at index 8; record 18 had it at 13"
                             : "r.xmd: axis 1 then ends at index 6; record ");
        assert_told("r.xmd: the damaged log is kept as r.xmd.damaged-1");
        assert_told("r.xmd: cut at offset ");
        assert_true(strstr(found.text, "and loses") < strstr(found.text, "r.xmd: cut at offset "));
        assert_int_equal(found.n[DRX_WARNING], 0);
        assert_bytes("r.xmd.damaged-1", damaged);
        see(&now);
        assert_int_equal(now.shape[0], 7);
        assert_int_equal(now.shape[1], how == 1 ? 8 : 6);
        assert_int_equal(now.attrs, how == 1 ? 2 : 1);
        assert_true(has_elements_of(&now, &before));
        grow_repaired(&now);
        assert_int_equal(remove_kept(), 1);
    }
}

/* Other copies keep their names. */
TEST(damaged_logs_that_were_kept)
{
    make_all_kinds();
    remember();
    damaged = original;
    damaged.p[find_record(DRXI_LOG_RENAME, 0) + 25] ^= 1;
    for (int i = 1; i <= 2; i++) {
        store_bytes("r.xmd", damaged);
        restore_data();
        assert_ok(repair("r"));
        assert_told(i == 1 ? "kept as r.xmd.damaged-1" : "kept as r.xmd.damaged-2");
    }
    assert_bytes("r.xmd.damaged-2", damaged);
    assert_int_equal(remove_kept(), 2);
    assert_ok(repair("r"));
    assert_int_equal(remove_kept(), 0);
}

/* Records that are whole and cannot be: they are cut off, too. */
TEST(records_that_cannot_be)
{
    static struct seen now;

    for (int promised = 0; promised < 2; promised++) {
        struct drxi_run run;
        drx_array *a;

        make_all_kinds();
        remember();
        assert_ok(drx_open("r", DRX_RDWR, &a));
        run = drxi_run_at(&drxi_lone_store(&a->log)->end);
        drxi_put_grow(&run, 1, 5, 16); /* to 15 */
        drxi_run_count(&run);
        if (promised) {
            drxi_put_sync(&run);
            drxi_run_count(&run);
        }
        assert_ok(run.failed);
        put_bytes("r.xmd", run.at, run.bytes, (size_t)run.n);
        drxi_run_free(&run);
        assert_ok(drx_close(a));
        assert_ok(repair("r"));
        assert_told("after record 20, and loses what came later: records 21 to 2");
        assert_bytes("r.xmd", original);
        assert_true(has_data());
        see(&now);
        assert_true(same_array(&before, &now));
        assert_int_equal(remove_kept(), 1);
    }
}

/* Of a later version, or with damaged data: nothing is changed. */
TEST(damaged_logs_that_are_not_cut)
{
    struct drxi_run run;
    drx_array *a;

    make_all_kinds();
    remember();
    damaged = original;
    damaged.p[find_record(DRXI_LOG_RENAME, 0) + 25] ^= 1;
    store_bytes("r.xmd", damaged);
    assert_int_equal(truncate("r.xta", 12 * 7), 0);
    assert_status(repair("r"), DRX_EDAMAGED);
    assert_told("r.xmd: damaged, and so are the data: nothing was changed");
    assert_bytes("r.xmd", damaged);
    assert_int_equal(length_of("r.xta"), 12 * 7);

    store_bytes("r.xmd", original);
    restore_data();
    assert_ok(drx_open("r", DRX_RDWR, &a));
    run = drxi_run_at(&drxi_lone_store(&a->log)->end);
    drxi_run_begin(&run, (enum drxi_log_kind)DRXI_LOG_KINDS, 0);
    drxi_run_end(&run);
    drxi_put_sync(&run);
    drxi_run_count(&run);
    assert_ok(drx_close(a));
    put_bytes("r.xmd", run.at, run.bytes, (size_t)run.n);
    drxi_run_free(&run);
    damaged = load("r.xmd");
    damaged.p[find_record(DRXI_LOG_RENAME, 0) + 25] ^= 1;
    store_bytes("r.xmd", damaged);
    assert_status(repair("r"), DRX_EDAMAGED);
    assert_told("r.xmd: record 21 is of a later version, which has to repair it");
    assert_bytes("r.xmd", damaged);
    assert_true(has_data());
    assert_int_equal(remove_kept(), 0);
}

/* A transaction that is open, without a growth. */
TEST(open_transactions)
{
    struct drxi_run run;
    drx_array *a;

    make_all_kinds();
    remember();
    assert_ok(drx_open("r", DRX_RDWR, &a));
    run = drxi_run_at(&drxi_lone_store(&a->log)->end);
    drxi_put_attribute_delete(&run, DRXI_A_VARIABLE, 1, "title");
    drxi_put_rename(&run, DRXI_A_DIMENSION, 1, "north");
    assert_ok(drx_close(a));
    put_bytes("r.xmd", run.at, run.bytes, (size_t)run.n);
    drxi_run_free(&run);
    assert_ok(repair("r"));
    assert_told("r.xmd: records 21 to 22, from offset ");
    assert_told("belonged to a change that was not completed: dropped");
    assert_int_equal(found.n[DRX_WARNING], 0);
    assert_bytes("r.xmd", original);
    assert_true(has_data());
}

/* The indices that a lost trim took away come back, as far as their space was not given back. */
TEST(lost_trims)
{
    static struct seen now;
    struct drxi_live live;
    drx_array *a;

    make_all_kinds();
    remember();
    assert_ok(drx_open("r", DRX_RDWR, &a));
    assert_ok(drx_trim(a, 0, 4, 0)); /* chunks of 3: a layer is freed, and the next one cut through */
    assert_ok(drxi_live_set_trims(a->log.io, 21));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    flip("r.xmd", (int64_t)original.n + 30, 1);
    assert_ok(repair("r"));
    assert_told("r.xmd: a trim is lost");
    see(&now);
    assert_memory_equal(now.shape, before.shape, sizeof now.shape);
    for (int64_t i = 0; i < now.shape[0]; i++)
        for (int64_t j = 0; j < now.shape[1]; j++) {
            const int64_t at = i * now.shape[1] + j;

            assert_int_equal(now.element[at], i < 3 ? 0 : before.element[at]);
        }
    assert_ok(drx_open("r", DRX_RDWR, &a)); /* a later trim has the number of the lost one, and is seen */
    assert_ok(drxi_live_load(a->log.io, &live));
    assert_int_equal(live.trims, 0);
    assert_ok(drx_close(a));
    assert_int_equal(remove_kept(), 1);
}

/* Checksums are made again where they are missing or cannot be; a chunk that does not match its own is left alone. */
TEST(checksums)
{
    const int64_t shape[1] = { 20 }, chunk[1] = { 4 };
    const drx_spec spec = {
        .ndim = 1, .type = DRX_INT16, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE | DRX_CHECKSUM
    };
    static struct bytes sums;
    drx_array *a;

    assert_ok(drx_create("r", &spec, &a));
    write_elements(a);
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    sums = load("r.xcs");
    assert_int_equal(sums.n, 5 * 8);
    assert_ok(repair("r"));
    assert_int_equal(found.n[DRX_NOTE], 1); /* that they match */

    assert_int_equal(unlink("r.xcs"), 0);
    assert_ok(repair("r"));
    assert_told("r.xcs: was missing: made from the data as they are, of 5 chunks, which could not be verified");
    assert_bytes("r.xcs", sums);

    assert_int_equal(truncate("r.xcs", 17), 0);
    assert_ok(repair("r"));
    assert_told("of 3 chunks");
    assert_bytes("r.xcs", sums);

    put_byte("r.xcs", 8, 0x99); /* no kind of entry */
    assert_ok(repair("r"));
    assert_told("of 1 chunks");
    assert_bytes("r.xcs", sums);

    put_byte("r.xta", 9, 0x77);
    data[0] = load("r.xta");
    assert_status(repair("r"), DRX_EDAMAGED);
    assert_int_equal(found.n[DRX_ERROR], 1);
    assert_bytes("r.xcs", sums);
    assert_bytes("r.xta", data[0]);
    assert_ok(drx_remove("r"));
}

/* Without the first transaction nobody knows where the data are. Later damage is mended as elsewhere. */
TEST(stripes)
{
    const int64_t shape[1] = { 20 }, chunk[1] = { 4 };
    const char *const folders[] = { "s0", "s1" };
    const drx_spec spec = { .ndim = 1,
                            .type = DRX_INT16,
                            .shape = shape,
                            .chunk = chunk,
                            .flags = DRX_REPLACE,
                            .nstripes = 2,
                            .stripes = folders };
    static struct seen now;
    drx_array *a;
    size_t end;

    assert_int_equal(system("rm -f r.*; mkdir s0 s1"), 0);
    assert_ok(drx_create("r", &spec, &a));
    write_elements(a);
    assert_ok(drx_attr_set_text(a, "title", "striped"));
    assert_ok(drx_extend(a, 0, 9));
    write_elements(a);
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    original = load("r.xmd");
    see(&before);
    end = find_record(DRXI_LOG_ATTRIBUTE, 0);
    for (size_t at = DRXI_LOG_AT; at < end; at += 3) {
        damaged = original;
        damaged.p[at] ^= 0x20;
        store_bytes("r.xmd", damaged);
        assert_status(repair("r"), DRX_EDAMAGED);
        assert_told("r.xmd: nothing of it counts");
        assert_bytes("r.xmd", damaged);
    }
    store_bytes("r.xmd", original);
    see(&now);
    assert_true(same_array(&before, &now));
    flip("r.xmd", (int64_t)end + 30, 1);
    assert_ok(repair("r"));
    assert_told("r.xmd: axis 0 then ends at index 20; record 5 had it at 29");
    see(&now);
    assert_int_equal(now.shape[0], 20);
    assert_true(has_elements_of(&now, &before));
    grow_repaired(&now);
    assert_ok(drx_remove("r"));
    assert_int_equal(remove_kept(), 1);
}

TEST(leftovers)
{
    static const char *const names[] = { "r.xmd.new-123-0", "r.xta.new-123-45", "r.xta.new-1-1" };
    int kept;

    make_all_kinds();
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(close(open(names[i], O_CREAT | O_WRONLY, 0666)), 0);
    kept = open(names[2], O_RDONLY); /* somebody is at work */
    assert_ok(repair("r"));
    assert_told("r.xmd.new-123-0: left by a killed process: removed");
    assert_int_equal(count_files("r.*new*"), 1);
    assert_int_equal(close(kept), 0);
    flip("r.xmd", ID_AT, 1); /* the head is damaged: what is set aside may be all there is */
    assert_status(repair("r"), DRX_EDAMAGED);
    assert_int_equal(count_files("r.*new*"), 1);
    make_all_kinds();
    assert_ok(repair("r"));
    assert_int_equal(count_files("r.*new*"), 0);
}

/* Each call failing in turn: then a second attempt succeeds. */
static void fail_calls(const struct seen *want)
{
    static struct seen now;
    bool fired = true;
    long n = 0;

    while (fired) {
        drx_status st;

        store_bytes("r.xmd", damaged);
        restore_data();
        drxi_fault_arm(++n, EIO, false);
        st = repair("r");
        fired = drxi_fault_fired();
        drxi_fault_arm(0, 0, false);
        if (st)
            assert_true(st == DRX_EIO || st == DRX_EDAMAGED);
        assert_int_equal(count_files("*.new-*"), 0);
        after = load("r.xmd");
        if (want->chunks < before.chunks && !same_bytes(&after, &damaged)) /* it was cut */
            assert_bytes("r.xmd.damaged-1", damaged);
        else
            assert_int_equal(count_files("r.xmd.damaged-*"), 0);
        assert_ok(repair("r"));
        see(&now);
        assert_true(same_array(want, &now));
        (void)remove_kept();
    }
    print_message("%ld calls failed in turn\n", n - 1);
    assert_true(n > 20);
}

TEST(calls_that_fail)
{
    static struct seen now;

    make_all_kinds();
    remember();
    damaged = original;
    damaged.p[9] ^= 4;
    fail_calls(&before);
    for (int how = 0; how < 3; how++) {
        make_all_kinds_with(how == 2 ? DRX_LZ4 : DRX_RAW, how == 1 ? DRX_CHECKSUM : 0);
        remember();
        damaged = original;
        damaged.p[find_record(DRXI_LOG_ATTRIBUTE, 1) + 30] ^= 4;
        store_bytes("r.xmd", damaged);
        assert_ok(repair("r"));
        see(&now);
        assert_int_equal(now.shape[0], 7);
        (void)remove_kept();
        fail_calls(&now);
    }
}
