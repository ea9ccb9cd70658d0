/* drx_repair: what a crash left, and each byte of a log changed: it is put back, or the array is the same by another log,
 * or nothing is changed. Never another array. */
#include <errno.h>
#include <glob.h>

#include "array/array.h"
#include "bytes.h"
#include "drx_tools.h"
#include "format/crc.h"

enum { MOST_ELEMENTS = 1 << 14 };

struct found {
    int n[DRX_ERROR + 1];
    char text[8192];
};

static struct found found;

static void note(void *user, drx_severity severity, const char *text)
{
    const size_t used = strlen(found.text);

    found.n[severity]++;
    (void)snprintf(found.text + used, sizeof found.text - used, "%s\n", text);
}

static drx_status repair(void)
{
    memset(&found, 0, sizeof found);
    return drx_repair("r", note, NULL, NULL, NULL);
}

#define assert_told(what)                                              \
    do {                                                               \
        if (!strstr(found.text, what))                                 \
            print_error("\"%s\" expected in: %s\n", what, found.text); \
        assert_non_null(strstr(found.text, what));                     \
    } while (0)

static size_t count_files(const char *pattern)
{
    glob_t found_files;
    size_t n;

    (void)glob(pattern, 0, NULL, &found_files);
    n = found_files.gl_pathc;
    globfree(&found_files);
    return n;
}

/* The damaged logs that were kept. */
static void remove_kept(void)
{
    char name[64];
    int i = 0;

    do
        (void)snprintf(name, sizeof name, "r.xmd.damaged-%d", ++i);
    while (unlink(name) == 0);
}

struct seen {
    int64_t shape[5], chunks;
    int ndim, attrs;
    int16_t element[MOST_ELEMENTS];
    int64_t chunk_index[512][5];
};

static void see(struct seen *s)
{
    drx_array *a;

    memset(s, 0, sizeof *s);
    assert_ok(drx_open("r", DRX_RDONLY, &a));
    if (!strstr(drx_last_error(), "torn tail"))
        assert_string_equal(drx_last_error(), "");
    s->ndim = drx_ndim(a);
    s->attrs = drx_attr_count(a);
    memcpy(s->shape, drx_shape(a), (size_t)s->ndim * sizeof s->shape[0]);
    s->chunks = drx_chunk_count(a);
    assert_ok(drx_read(a, (int64_t[5]){ 0 }, s->shape, DRX_ROW_MAJOR, s->element));
    for (int64_t q = 0; q < s->chunks && q < 512; q++)
        assert_ok(drx_chunk_index(a, q, s->chunk_index[q]));
    assert_ok(drx_close(a));
}

static bool same_array(const struct seen *a, const struct seen *b)
{
    return memcmp(a->shape, b->shape, sizeof a->shape) == 0 && a->chunks == b->chunks &&
           memcmp(a->element, b->element, sizeof a->element) == 0 &&
           memcmp(a->chunk_index, b->chunk_index, sizeof a->chunk_index) == 0;
}

static void write_elements(drx_array *a)
{
    static int16_t buf[MOST_ELEMENTS];

    for (int i = 0; i < MOST_ELEMENTS; i++)
        buf[i] = (int16_t)(i * 7 + 1);
    assert_ok(drx_write(a, (int64_t[5]){ 0 }, drx_shape(a), DRX_ROW_MAJOR, buf));
}

/* A log with all kinds of records, but for stripes. */
static void make_all_kinds(void)
{
    const int64_t shape[2] = { 6, 5 }, chunk[2] = { 3, 2 };
    const char *const dims[2] = { "north", "east" };
    const int16_t fill = -3, row[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT16, .shape = shape, .chunk = chunk, .dims = dims, .fill = &fill, .flags = DRX_REPLACE
    };
    drx_array *a;

    assert_ok(drx_create("r", &spec, &a));
    assert_ok(drx_extend(a, 1, 1));
    assert_ok(drx_attr_set_text(a, "title", "a text that is a little longer than a growth"));
    assert_ok(drx_append(a, 0, 1, DRX_ROW_MAJOR, row));
    assert_ok(drx_sync(a));
    assert_ok(drx_attr_set(a, "numbers", DRX_INT16, 5, row));
    assert_ok(drx_extend(a, 1, 2));
    assert_ok(drx_attr_delete(a, "numbers"));
    assert_ok(drx_extend(a, 0, 3));
    assert_ok(drx_dim_rename(a, 1, ""));
    assert_ok(drx_append(a, 1, 1, DRX_ROW_MAJOR, row));
    assert_ok(drx_dim_rename(a, 0, "height"));
    write_elements(a);
    assert_ok(drx_sync(a));
    assert_ok(drx_extend(a, 1, 4));
    assert_ok(drx_attr_set_text(a, "title", "another"));
    write_elements(a);
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

struct outcomes {
    int all, identical, same, torn, refused;
};

static struct bytes original, damaged, data, after, after_data;
static struct seen before;

static int64_t record_bytes(size_t at)
{
    return at == 0 ? drxi_get32(original.p + 12) : drxi_get32(original.p + at + 8);
}

/* The end of the last record that is whole: what follows is a torn tail, which the next writer drops. */
static size_t end_of_whole(void)
{
    size_t end = (size_t)record_bytes(0);

    for (size_t at = 0; at < original.n; at += (size_t)record_bytes(at))
        if (memcmp(original.p + at, damaged.p + at, (size_t)record_bytes(at)) == 0)
            end = at + (size_t)record_bytes(at);
    return end;
}

static void remember(void)
{
    original = load("r.xmd");
    data = load("r.xta");
    see(&before);
}

/* What the array is without the torn tail. */
static void see_whole(size_t end, struct seen *want)
{
    static struct bytes prefix;

    prefix = original;
    prefix.n = end;
    store_bytes("r.xmd", prefix);
    see(want);
}

static void check_refusal(drx_status st)
{
    if (st != DRX_EDAMAGED && st != DRX_EFORMAT && st != DRX_EUNSUPPORTED)
        print_error("%d: %s\n", (int)st, found.text);
    assert_true(st == DRX_EDAMAGED || st == DRX_EFORMAT || st == DRX_EUNSUPPORTED);
    assert_int_equal(after.n, damaged.n);
    for (size_t i = 0; i < after.n; i++) /* records that were proved are as they were */
        assert_true(after.p[i] == damaged.p[i] || after.p[i] == original.p[i]);
}

/* Zeros up to the end of a sector, and no SYNC behind them, are taken for a torn tail, too: records behind them were not
 * promised. An append at the end has been undone. */
static bool is_prefix(void)
{
    const int64_t end = (int64_t)after.n - (strstr(found.text, "not completed: undone") ? 32 : 0);

    for (size_t at = (size_t)record_bytes(0); at < original.n; at += (size_t)record_bytes(at))
        if ((int64_t)at >= end && drxi_get16(original.p + at + 12) == DRXI_SYNC &&
            memcmp(original.p + at, damaged.p + at, (size_t)record_bytes(at)) == 0)
            return false;
    return end < (int64_t)original.n && memcmp(after.p, original.p, (size_t)end) == 0 &&
           strstr(found.text, "torn tail");
}

/* Repair `damaged`, and look what became of it. */
static void try_damage(struct outcomes *o, const char *what, int64_t at)
{
    static struct seen now, want;
    const size_t end = end_of_whole();
    drx_status st;
    bool kept, good;

    store_bytes("r.xta", data);
    see_whole(end, &want);
    store_bytes("r.xmd", damaged);
    st = repair();
    o->all++;
    after = load("r.xmd");
    after_data = load("r.xta");
    kept =
        st || (memcmp(want.shape, before.shape, sizeof want.shape) == 0 && !is_prefix()); /* no growth was torn off */
    if (kept && !same_bytes(&data, &after_data))
        print_error("%s at %lld: other data (%d of %d bytes), status %d: %s\n", what, (long long)at, (int)after_data.n,
                    (int)data.n, (int)st, found.text);
    if (kept)
        assert_true(same_bytes(&data, &after_data));
    if (st) {
        check_refusal(st);
        o->refused++;
        return;
    }
    remove_kept();
    see(&now);
    good = same_array(&want, &now) || is_prefix();
    if (!good)
        print_error("%s at %lld: another array: %s\n", what, (long long)at, found.text);
    assert_true(good);
    o->identical += same_bytes(&original, &after);
    o->torn += end < original.n && !same_bytes(&original, &after);
    o->same += end == original.n && !same_bytes(&original, &after);
}

static void print_outcomes(const char *what, const struct outcomes *o)
{
    print_message("%s: %d tried; %d byte for byte, %d the same array by a new log, %d torn tails, "
                  "%d refused, 0 wrong\n",
                  what, o->all, o->identical, o->same, o->torn, o->refused);
}

static bool torture(void)
{
    return getenv("DRX_TORTURE") != NULL;
}

TEST(each_byte)
{
    static const uint8_t by[] = { 0x40, 0xff, 0x01 };
    struct outcomes o = { 0 };

    make_all_kinds();
    remember();
    for (size_t at = 0; at < original.n; at++)
        for (size_t i = 0; i < sizeof by + 1; i++) {
            if (!torture() && (at + i) % 7)
                continue;
            damaged = original;
            damaged.p[at] = i < sizeof by ? damaged.p[at] ^ by[i] : 0;
            try_damage(&o, "a byte", (int64_t)at);
        }
    print_outcomes("each byte changed", &o);
    assert_int_equal(o.refused, 0);
    assert_int_equal(o.same, 0);
    remove_kept();
}

TEST(each_record)
{
    struct outcomes o = { 0 };

    make_all_kinds();
    remember();
    for (size_t at = 0; at < original.n; at += (size_t)record_bytes(at))
        for (int how = 0; how < 4; how++) {
            const int64_t n = record_bytes(at);

            damaged = original;
            memset(damaged.p + at + (how == 3 ? n / 2 : 0), how == 1 ? 0xa5 : 0, (size_t)(how > 1 ? n / 2 : n));
            try_damage(&o, "a record", (int64_t)at);
        }
    print_outcomes("each record zeroed, overwritten, by half", &o);
    assert_true(o.identical > o.all / 3);
    remove_kept();
}

TEST(each_place)
{
    for (size_t n = torture() ? 8 : 32; n <= 512; n *= torture() ? 2 : 4) {
        struct outcomes o = { 0 };
        char what[64];

        make_all_kinds();
        remember();
        for (size_t at = 0; at < original.n; at += torture() ? 8 : n / 2) {
            damaged = original;
            memset(damaged.p + at, 0, drxi_min((int64_t)n, (int64_t)(original.n - at)));
            try_damage(&o, "zeros", (int64_t)at);
        }
        (void)snprintf(what, sizeof what, "%d bytes zeroed", (int)n);
        print_outcomes(what, &o);
        remove_kept();
    }
}

static void make_random(uint64_t *rng)
{
    int64_t shape[3], chunk[3];
    const drx_spec spec = { .ndim = 1 + (int)random_below(rng, 3),
                            .type = DRX_INT16,
                            .shape = shape,
                            .chunk = chunk,
                            .flags = DRX_REPLACE | (random_below(rng, 3) ? 0 : DRX_SHELL) };
    static const int16_t row[MOST_ELEMENTS] = { 1, 2, 3 };
    const int steps = 3 + (int)random_below(rng, 30);
    drx_array *a;

    for (int j = 0; j < 3; j++) {
        shape[j] = random_below(rng, 4);
        chunk[j] = 1 + random_below(rng, 4);
    }
    assert_ok(drx_create("r", &spec, &a));
    for (int i = 0; i < steps; i++) {
        const int axis = (int)random_below(rng, spec.ndim);
        const int64_t by = 1 + random_below(rng, 2);
        int64_t n = 1;

        for (int j = 0; j < spec.ndim; j++)
            n *= drx_shape(a)[j] + 2;
        switch (random_below(rng, 8)) {
        case 0:
            assert_ok(drx_sync(a));
            break;
        case 1:
            assert_ok(drx_attr_set_text(a, random_below(rng, 2) ? "a" : "bc", "text"));
            break;
        case 2:
            (void)drx_attr_delete(a, "a");
            break;
        case 3:
            assert_ok(drx_dim_rename(a, axis, random_below(rng, 2) ? "name" : ""));
            break;
        case 4:
            if (n < 4000)
                assert_ok(drx_append(a, axis, by, DRX_ROW_MAJOR, row));
            break;
        default:
            if (n < 4000)
                assert_ok(drx_extend(a, axis, by));
        }
    }
    write_elements(a);
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

static void damage_random(uint64_t *rng)
{
    const int places = 1 + (int)random_below(rng, 3);

    damaged = original;
    for (int i = 0; i < places; i++) {
        const size_t at = (size_t)random_below(rng, (int64_t)original.n);
        const int64_t most = random_below(rng, 2) ? 4 : 200;
        const size_t n = (size_t)drxi_min(1 + random_below(rng, most), (int64_t)(original.n - at));
        const int how = (int)random_below(rng, 3);

        for (size_t k = at; k < at + n; k++)
            damaged.p[k] = how == 0 ? 0 : how == 1 ? (uint8_t)random_next(rng) : damaged.p[k] ^ 0x10;
    }
}

TEST(random_damage)
{
    const int rounds = torture() ? 100000 : 300;
    uint64_t rng = starting_seed(0);
    struct outcomes o = { 0 };

    for (int i = 0; i < rounds; i++) {
        if (i % 10 == 0) {
            make_random(&rng);
            remember();
        }
        damage_random(&rng);
        try_damage(&o, "random damage", i);
    }
    print_outcomes("random damage", &o);
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
    const struct drxi_growth growth = { 0, 2, 12 };
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

/* Growths along one axis, several to a sector that is lost: their sum is certain from the next. Along two, it is not. */
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
