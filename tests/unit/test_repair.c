/* drx_repair mends what a crash left, reports what is lost for good, and fails without harm. */
#include <errno.h>
#include <glob.h>

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
    assert_ok(repair());
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
    assert_status(repair(), DRX_ENOENT);
    assert_told("r.xta: missing");
    assert_int_equal(rename("r.xmd", "x.xmd"), 0);
    assert_int_equal(rename("x.xta", "r.xta"), 0);
    assert_status(repair(), DRX_ENOENT);
    assert_told("r.xta: is there without its r.xmd");
    assert_int_equal(rename("x.xmd", "r.xmd"), 0);
    assert_ok(repair());
}

TEST(at_work)
{
    drx_array *a;

    make_all_kinds();
    assert_ok(drx_open("r", DRX_RDWR, &a));
    assert_status(repair(), DRX_EBUSY);
    assert_ok(drx_close(a));
    assert_int_equal(chmod("r.xmd", 0444), 0);
    if (geteuid() != 0)
        assert_status(repair(), DRX_EACCES);
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
    assert_ok(repair());
    assert_told("(a torn tail): dropped");
    assert_int_equal(found.n[DRX_WARNING], 0);
    assert_bytes("r.xmd", original);

    length = length_of("r.xta");
    assert_int_equal(truncate("r.xta", length + 100), 0);
    assert_ok(repair());
    assert_told("cut");
    assert_int_equal(length_of("r.xta"), length);

    put_byte("r.xta", length - 1, 99); /* the corner that is beyond both bounds */
    assert_ok(repair());
    assert_told("did not hold the fill");
    assert_int_equal(found.n[DRX_WARNING], 0);
    assert_bytes("r.xta", data);

    assert_ok(drx_open("r", DRX_RDWR, &a));
    assert_ok(drxi_log_append_growth(&a->log, DRXI_INTENT, &growth));
    assert_ok(drx_close(a));
    assert_ok(repair());
    assert_told("an append to axis 0 by 2 was not completed: undone");
    assert_int_equal(found.n[DRX_WARNING], 0);
    assert_ok(repair());
    assert_int_equal(found.n[DRX_NOTE], 0);
}

TEST(data_that_are_missing)
{
    make_all_kinds();
    remember();
    assert_int_equal(truncate("r.xta", 12 * 7 + 5), 0);
    assert_status(repair(), DRX_EDAMAGED);
    assert_told("its last sync promised");
    assert_told("missing: chunks 7 to ");
    assert_bytes("r.xmd", original);
    after_data = load("r.xta");
    assert_int_equal(after_data.n, 12 * 7 + 5);
}

/* What is of a later version is no damage, and the detail says what it is. */
TEST(later_versions)
{
    make_all_kinds();
    damaged = load("r.xmd");
    damaged.p[16] = 2;
    drxi_put32(damaged.p + 8, drxi_crc32c(0, damaged.p + 12, drxi_get32(damaged.p + 12) - 12));
    store_bytes("r.xmd", damaged);
    assert_status(repair(), DRX_EUNSUPPORTED);
    assert_detail("r.xmd: format version 2");
    assert_bytes("r.xmd", damaged);
}

/* Attributes that cannot be proved are lost, and told; growth that cannot be is not made up. */
TEST(lost_for_good)
{
    static struct seen now;
    drx_array *a;

    make_all_kinds();
    remember();
    damaged = original;
    for (size_t at = 0; at < original.n; at += (size_t)record_bytes(at))
        if (at > 0 && drxi_get16(original.p + at + 12) == DRXI_ATTR && drxi_get64(original.p + at + 16) < 6)
            memset(damaged.p + at + 30, 0x55, 30);
    store_bytes("r.xmd", damaged);
    assert_ok(repair());
    assert_told("are damaged, and nothing proves what they were: attributes and names that were set in them are lost");
    assert_told("the old one is kept as r.xmd.damaged-1");
    assert_bytes("r.xmd.damaged-1", damaged);
    see(&now);
    assert_true(same_array(&before, &now));
    assert_int_equal(now.attrs, 1); /* it was set again later */
    store_bytes("r.xmd", damaged);
    assert_ok(repair());
    assert_told("kept as r.xmd.damaged-2");
    assert_int_equal(count_files("r.xmd.damaged-*"), 2);
    assert_ok(drx_open("r", DRX_RDWR, &a)); /* it can be written again */
    assert_ok(drx_extend(a, 0, 1));
    assert_ok(drx_close(a));
    remove_kept();
}

/* A lost sector held several growths. Along one axis, the next record makes their sum certain; along two, not. */
TEST(lost_growths)
{
    for (int axes = 1; axes <= 2; axes++) {
        const int64_t shape[2] = { 1, 2 }, chunk[2] = { 1, 1 };
        const drx_spec spec = { .ndim = 2, .type = DRX_INT16, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };
        static struct seen now;
        drx_array *a;

        assert_ok(drx_create("r", &spec, &a));
        for (int i = 0; i < 60; i++)
            assert_ok(drx_extend(a, axes == 2 && i % 4 == 0, 1 + i % 3));
        write_elements(a);
        assert_ok(drx_sync(a));
        assert_ok(drx_close(a));
        remember();
        damaged = original;
        memset(damaged.p + 512, 0, 512);
        store_bytes("r.xmd", damaged);
        if (axes == 2) {
            assert_status(repair(), DRX_EDAMAGED);
            assert_told("they may have been growth");
            assert_told("as it was after record 10");
            assert_bytes("r.xmd", damaged);
            continue;
        }
        assert_ok(repair());
        assert_told("axis 0 grew by ");
        see(&now);
        assert_true(same_array(&before, &now));
    }
    remove_kept();
}

/* Checksums are made anew where they are missing or cannot be; a chunk that does not match its own is left alone. */
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
    assert_ok(repair());
    assert_int_equal(found.n[DRX_NOTE], 1); /* that they match */

    assert_int_equal(unlink("r.xcs"), 0);
    assert_ok(repair());
    assert_told("r.xcs: was missing: made from the data as they are, of 5 chunks, which could not be verified");
    assert_bytes("r.xcs", sums);

    assert_int_equal(truncate("r.xcs", 17), 0);
    assert_ok(repair());
    assert_told("of 3 chunks");
    assert_bytes("r.xcs", sums);

    put_byte("r.xcs", 8, 0x99); /* no kind of entry */
    assert_ok(repair());
    assert_told("of 1 chunks");
    assert_bytes("r.xcs", sums);

    put_byte("r.xta", 9, 0x77);
    data = load("r.xta");
    assert_status(repair(), DRX_EDAMAGED);
    assert_int_equal(found.n[DRX_ERROR], 1);
    assert_bytes("r.xcs", sums);
    assert_bytes("r.xta", data);
    assert_ok(drx_remove("r"));
}

/* The record that names the stripes: without it nobody knows where the data are. */
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
    assert_ok(drx_extend(a, 0, 3));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    original = load("r.xmd");
    see(&before);
    end = (size_t)(record_bytes(0) + record_bytes((size_t)record_bytes(0)));
    for (size_t at = (size_t)record_bytes(0); at < end; at += 3) {
        damaged = original;
        damaged.p[at] ^= 0x20;
        store_bytes("r.xmd", damaged);
        assert_ok(repair());
        assert_bytes("r.xmd", original);
    }
    memset(damaged.p + end - 30, 0xaa, 20);
    store_bytes("r.xmd", damaged);
    assert_status(repair(), DRX_ENOENT);
    assert_told("nothing proves what they were");
    assert_bytes("r.xmd", damaged);
    store_bytes("r.xmd", original);
    see(&now);
    assert_true(same_array(&before, &now));
    assert_ok(drx_remove("r"));
}

TEST(leftovers)
{
    static const char *const names[] = { "r.xmd.new-123-0", "r.xta.new-123-45", "r.xta.new-1-1" };
    int kept;

    make_all_kinds();
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(close(open(names[i], O_CREAT | O_WRONLY, 0666)), 0);
    kept = open(names[2], O_RDONLY); /* somebody is at work */
    assert_ok(repair());
    assert_told("r.xmd.new-123-0: left by a killed process: removed");
    assert_int_equal(count_files("r.*new*"), 1);
    assert_int_equal(close(kept), 0);
    put_byte("r.xmd", 60, 0xee);
    put_byte("r.xmd", 62, 0xee); /* the description is damaged: what is set aside may be all there is */
    assert_status(repair(), DRX_EDAMAGED);
    assert_int_equal(count_files("r.*new*"), 1);
    make_all_kinds();
    assert_ok(repair());
    assert_int_equal(count_files("r.*new*"), 0);
}

/* Each call failing in turn: then a second attempt succeeds. */
static void fail_calls(const struct bytes *bad, bool identical)
{
    static struct seen now;
    bool fired = true;
    long n = 0;

    while (fired) {
        drx_status st;

        store_bytes("r.xmd", *bad);
        store_bytes("r.xta", data);
        drxi_fault_arm(++n, EIO, false);
        st = repair();
        fired = drxi_fault_fired();
        drxi_fault_arm(0, 0, false);
        if (st)
            assert_true(st == DRX_EIO || st == DRX_EDAMAGED);
        assert_int_equal(count_files("*.new-*"), 0);
        assert_ok(repair());
        after = load("r.xmd");
        if (identical)
            assert_true(same_bytes(&original, &after));
        see(&now);
        assert_true(same_array(&before, &now));
        remove_kept();
    }
    print_message("%ld calls failed in turn\n", n - 1);
    assert_true(n > 20);
    remove_kept();
}

TEST(calls_that_fail)
{
    make_all_kinds();
    remember();
    damaged = original;
    damaged.p[original.n / 2] ^= 4;
    fail_calls(&damaged, true);
    for (size_t at = 0; at < original.n; at += (size_t)record_bytes(at))
        if (at > 0 && drxi_get16(original.p + at + 12) == DRXI_ATTR && drxi_get64(original.p + at + 16) < 6)
            memset(damaged.p + at + 30, 0x55, 30);
    fail_calls(&damaged, false);
}
