/* A last record with one wrong bit: damage, which repair mends, and no torn tail. What a write that was cut short leaves
 * is a torn tail, always. */
#include "array/array.h"
#include "bytes.h"
#include "drx_dataset.h"
#include "drx_tools.h"

enum { SECTOR = 512 };

static char found[8192]; /* what was reported */

static void note(void *user, drx_severity severity, const char *text)
{
    const size_t used = strlen(found);

    (void)snprintf(found + used, sizeof found - used, "%s\n", text);
}

static drx_status repair(void)
{
    found[0] = '\0';
    return drx_repair("r", note, NULL, NULL, NULL);
}

static void assert_told(const char *what)
{
    if (!strstr(found, what))
        fail_msg("\"%s\" expected in: %s", what, found);
}

/* The same, from a plain look at the bytes. */
static bool is_certain(const struct bytes *whole, size_t begin, size_t at, int bit)
{
    bool rest = false;

    for (size_t i = at + 1; i < whole->n && i % SECTOR != 0; i++)
        rest = rest || whole->p[i];
    return at / SECTOR == begin / SECTOR &&
           ((whole->p[at] >> bit & 1) == 0 || rest); /* in the file it is the other one */
}

struct ending {
    const char *what;
    void (*end)(drx_array *a);
};

static void sync_it(drx_array *a)
{
    assert_ok(drx_sync(a));
}

static void extend_it(drx_array *a)
{
    assert_ok(drx_extend(a, 1, 300));
}

static void extend_low(drx_array *a)
{
    assert_ok(drx_extend_before(a, 0, 2));
}

static void name_it(drx_array *a)
{
    assert_ok(drx_dim_rename(a, 0, "latitude"));
}

static void describe_it(drx_array *a)
{
    char text[600]; /* longer than a sector */

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_ok(drx_attr_set_text(a, "history", text));
}

static const struct ending endings[] = { { "a SYNC", sync_it },
                                         { "a growth", extend_it },
                                         { "a growth", extend_low },
                                         { "the name of an axis", name_it },
                                         { "an attribute", describe_it } };

/* Where the last record begins, by its own length. */
static size_t begin_of_last(const struct bytes *log)
{
    size_t at = drxi_get32(log->p + 12), last = at;

    while (at < log->n) {
        last = at;
        at += drxi_get32(log->p + at + 8);
    }
    assert_int_equal(at, log->n);
    return last;
}

static void make_after(const struct ending *ending, size_t pad)
{
    const int64_t shape[2] = { 4, 3 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT16, .shape = shape, .flags = DRX_REPLACE };
    char text[SECTOR] = "";
    drx_array *a;

    assert_true(pad < sizeof text);
    memset(text, 'x', pad);
    assert_ok(drx_create("r", &spec, &a));
    assert_ok(drx_extend(a, 0, 1));
    assert_ok(drx_attr_set_text(a, "pad", text));
    assert_ok(drx_sync(a));
    ending->end(a);
    assert_ok(drx_close(a));
}

/* An array whose last record is of that kind; it has `within` bytes in the sector in which it begins. */
static void make_with(const struct ending *ending, size_t within)
{
    static struct bytes log;

    make_after(ending, 0);
    log = load("r.xmd");
    make_after(ending, SECTOR - within - begin_of_last(&log));
    log = load("r.xmd");
    assert_int_equal(begin_of_last(&log), SECTOR - within);
}

static void bite(const char *file, size_t at, int bit, const struct bytes *whole)
{
    put_byte(file, (int64_t)at, (uint8_t)(whole->p[at] ^ 1 << bit));
}

/* Each bit of the last record in turn, or one in `step`. */
static void try_bits(const struct ending *ending, size_t within)
{
    static struct bytes log;
    size_t begin;
    int certain = 0, step;

    make_with(ending, within);
    log = load("r.xmd");
    begin = begin_of_last(&log);
    step = log.n - begin > SECTOR ? 8 : 2;
    for (size_t at = begin; at < log.n; at++)
        for (int bit = (int)at % step; bit < 8; bit += step) {
            drx_array *a;

            bite("r.xmd", at, bit, &log);
            if (is_certain(&log, begin, at, bit)) {
                certain++;
                assert_status(drx_open("r", DRX_RDWR, &a), DRX_EDAMAGED);
                assert_detail("drx check --repair puts the bit back");
                assert_ok(drx_open("r", DRX_RDONLY, &a));
                assert_detail("a bit of the last record");
                assert_ok(drx_close(a));
                assert_status(drx_check("r", NULL, NULL, NULL, NULL), DRX_EDAMAGED);
            }
            assert_ok(repair());
            assert_told(ending->what);
            assert_told("its checksum proves what it was: put back");
            assert_bytes("r.xmd", log);
        }
    assert_true(certain > 15);
}

TEST(bits_of_a_last_record)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        try_bits(&endings[i], i % 2 ? 32 : 152);
}

/* A record of which nothing is there from some byte on: the file ends, or has zeros; or a sector of it was lost. */
TEST(what_was_cut_short)
{
    static const uint8_t zeros[SECTOR];
    static struct bytes log;
    drx_array *a;

    for (size_t i = 0; i < 2 * sizeof endings / sizeof *endings; i++) {
        make_with(&endings[i / 2], i % 2 ? 32 : 152);
        log = load("r.xmd");
        for (size_t at = begin_of_last(&log); at < log.n; at++) {
            for (int longer = 0; longer < 2; longer++) {
                store_bytes("r.xmd", log);
                assert_int_equal(truncate("r.xmd", (off_t)at), 0);
                if (longer)
                    assert_int_equal(truncate("r.xmd", (off_t)log.n), 0);
                assert_ok(drx_check("r", NULL, NULL, NULL, NULL));
            }
            store_bytes("r.xmd", log);
            if (at / SECTOR < log.n / SECTOR) { /* up to the end of the sector, and the next one is whole */
                put_bytes("r.xmd", (int64_t)at, zeros, SECTOR - at % SECTOR);
                assert_ok(drx_check("r", NULL, NULL, NULL, NULL));
            }
        }
        assert_ok(drx_open("r", DRX_RDWR, &a));
        assert_ok(drx_close(a));
    }
}

/* More bits are wrong: it may have been cut short, but the check says what it may have been. */
TEST(two_bits)
{
    const struct ending ending = endings[1];
    static struct bytes log;

    make_with(&ending, 152);
    log = load("r.xmd");
    bite("r.xmd", log.n - 1, 3, &log);
    bite("r.xmd", log.n - 16, 1, &log);
    found[0] = '\0';
    assert_ok(drx_check("r", note, NULL, NULL, NULL));
    assert_told("they have the place and the length of record 4");
    assert_ok(repair());
    assert_told("(a torn tail): dropped");
}

/* ---- datasets ---- */

static void make_dataset(void)
{
    const int64_t shape[1] = { 2 };
    const char *const dims[1] = { "x" };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT16, .shape = shape, .dims = dims };
    drx_dataset *ds;
    drx_array *a;

    assert_ok(drx_dataset_create("d", &ds));
    assert_ok(drx_dataset_add(ds, "v", &spec, &a));
    assert_ok(drx_dataset_commit(ds, "made"));
    assert_ok(drx_dataset_extend(ds, "x", 3));
    assert_ok(drx_dataset_attr_set_text(ds, "title", "bitten"));
    assert_ok(drx_dataset_commit(ds, "grown"));
    assert_ok(drx_dataset_close(ds));
}

TEST(bits_of_a_last_commit)
{
    static struct bytes log;
    size_t begin, at;
    drx_dataset *ds;

    make_dataset();
    log = load("d/dataset.xds");
    for (at = begin = 48; at < log.n; at += drxi_get32(log.p + at + 8))
        begin = at;
    for (at = begin; at < log.n; at++)
        for (int bit = (int)(at % 3); bit < 8; bit += 3) {
            bite("d/dataset.xds", at, bit, &log);
            if (is_certain(&log, begin, at, bit)) {
                assert_status(drx_dataset_open("d", DRX_RDWR, DRX_LAST, &ds), DRX_EDAMAGED);
                found[0] = '\0';
                assert_status(drx_dataset_check("d", note, NULL, NULL, NULL), DRX_EDAMAGED);
                assert_told("dataset.xds: a bit of the last record");
            }
            found[0] = '\0';
            assert_ok(drx_dataset_repair("d", note, NULL, NULL, NULL));
            assert_told("was wrong: a commit; its checksum proves what it was: put back");
            assert_bytes("d/dataset.xds", log);
        }
    assert_ok(drx_dataset_open("d", DRX_RDWR, DRX_LAST, &ds));
    assert_int_equal(drx_dataset_last(ds), 2);
    assert_ok(drx_dataset_close(ds));
}
