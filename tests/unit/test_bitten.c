/* The last record of a log, with a bit that is wrong, or cut short: a torn tail, which the next writer drops, unless a
 * SYNC behind it has promised it: then it is damage. Nothing tells what it was, and nothing is put back. */
#include "array/array.h"
#include "bytes.h"
#include "findings.h"
#include "store/records.h"

enum { SECTOR = 512 };

static void sync_it(drx_array *a)
{
    assert_ok(drx_attr_set_text(a, "pad", "y"));
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
    char text[3 * SECTOR];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_ok(drx_attr_set_text(a, "history", text));
}

static void (*const endings[])(drx_array *a) = { sync_it, extend_it, extend_low, name_it, describe_it };
enum { ENDINGS = sizeof endings / sizeof *endings };

static struct bytes log_of_it, data_of_it;

/* An array whose last record, or the one before a SYNC, is of that kind. Where it begins. */
static size_t make_with(void (*end)(drx_array *a), bool promised)
{
    const int64_t shape[2] = { 4, 3 }, chunk[2] = { 2, 4 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT16, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };
    size_t at = DRXI_LOG_AT, last = 0, before = 0;
    drx_array *a;

    assert_ok(drx_create("r", &spec, &a));
    assert_ok(drx_extend(a, 0, 1));
    assert_ok(drx_attr_set_text(a, "pad", "x"));
    assert_ok(drx_sync(a));
    end(a);
    if (promised && end == sync_it)
        assert_ok(drx_attr_set_text(a, "pad", "z"));
    if (promised)
        assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    log_of_it = load("r.xmd");
    data_of_it = load("r.xta");
    for (; at < log_of_it.n; at += drxi_get32(log_of_it.p + at + 8)) {
        before = last;
        last = at;
    }
    assert_int_equal(at, log_of_it.n);
    return promised ? before : last;
}

static void bite(const char *file, size_t at, int bit, const struct bytes *whole)
{
    put_byte(file, (int64_t)at, (uint8_t)(whole->p[at] ^ 1 << bit));
}

static void put_back(void)
{
    store_bytes("r.xmd", log_of_it);
    store_bytes("r.xta", data_of_it);
}

/* The log is as before that record. */
static void assert_cut(size_t begin)
{
    static struct bytes left;

    left = load("r.xmd");
    assert_int_equal(left.n, begin);
    assert_memory_equal(left.p, log_of_it.p, begin);
    assert_ok(check("r"));
    assert_null(strstr(found.text, "next opened for writing"));
}

static void assert_torn(size_t begin)
{
    drx_array *a;

    assert_ok(drx_open("r", DRX_RDONLY, &a));
    assert_detail("(a torn tail): passed over");
    assert_ok(drx_close(a));
    assert_ok(check("r"));
    assert_told("are not whole records (a torn tail): dropped when it is next opened for writing");
    assert_ok(repair("r"));
    assert_told("(a torn tail): dropped");
    assert_cut(begin);
}

static void assert_damaged(size_t begin)
{
    char text[64];
    drx_array *a;

    (void)snprintf(text, sizeof text, "r.xmd: the record at offset %d is damaged", (int)begin);
    assert_status(drx_open("r", DRX_RDWR, &a), DRX_EDAMAGED);
    assert_detail(text);
    assert_ok(drx_open("r", DRX_RDONLY, &a));
    assert_detail(text);
    assert_ok(drx_close(a));
    assert_status(drx_check("r", NULL, NULL, NULL, NULL), DRX_EDAMAGED);
    assert_ok(repair("r"));
    assert_told("and loses what came later");
    assert_null(strstr(found.text, "put back"));
    (void)snprintf(text, sizeof text, "r.xmd: cut at offset %d, after record ", (int)begin);
    assert_told(text);
    assert_int_equal(unlink("r.xmd.damaged-1"), 0);
}

/* The bits of the last record in turn, or one in `step`. */
TEST(bits_of_a_last_record)
{
    for (int i = 0; i < 2 * ENDINGS; i++) {
        const bool promised = i % 2;
        const size_t begin = make_with(endings[i / 2], promised), end = begin + drxi_get32(log_of_it.p + begin + 8);
        const int step = end - begin > SECTOR ? 61 : 5;
        int tried = 0;

        for (int bit = i; bit < (int)(end - begin) * 8; bit += step, tried++) {
            put_back();
            bite("r.xmd", begin + (size_t)bit / 8, bit % 8, &log_of_it);
            if (promised)
                assert_damaged(begin);
            else
                assert_torn(begin);
        }
        assert_true(tried > 30);
    }
}

/* A record of which nothing is there from some byte on: the file ends, or has zeros; or a sector of it was lost. Before
 * a SYNC that is damage, also where it is a sector. */
TEST(what_was_cut_short)
{
    static const uint8_t zeros[SECTOR];

    for (int i = 0; i < ENDINGS; i++) {
        const size_t begin = make_with(endings[i], false);

        for (size_t at = begin; at < log_of_it.n; at += 1 + (at - begin) / 40) {
            size_t n;

            for (int longer = 0; longer < 2; longer++) {
                put_back();
                assert_int_equal(truncate("r.xmd", (off_t)at), 0);
                if (longer)
                    assert_int_equal(truncate("r.xmd", (off_t)log_of_it.n), 0);
                assert_ok(drx_check("r", NULL, NULL, NULL, NULL));
            }
            put_back();
            n = at / SECTOR < log_of_it.n / SECTOR ? SECTOR - at % SECTOR : log_of_it.n - at;
            if (drxi_is_zero(log_of_it.p + at, n)) /* so they are */
                continue;
            put_bytes("r.xmd", (int64_t)at, zeros, n); /* up to the end of the sector, and the next one is whole */
            assert_torn(begin);
        }
    }
    for (int part = 1; part <= 2; part++) { /* sectors */
        const size_t begin = make_with(describe_it, true);

        put_bytes("r.xmd", (int64_t)(begin / SECTOR + (size_t)part) * SECTOR, zeros, SECTOR);
        assert_damaged(begin);
    }
}
