/* Types of fixed strings: names, files, what is refused, coordinates. The model's histories have elements of such
 * types. */
#include "bytes.h"
#include "drx_cf.h"
#include "drx_tools.h"

static const int64_t four = 4, zero = 0;

static drx_array *make(const char *path, drx_type type, const void *fill)
{
    const drx_spec spec = { .ndim = 1, .type = type, .shape = &four, .fill = fill, .flags = path ? DRX_REPLACE : 0 };
    drx_array *a;

    assert_ok(drx_create(path, &spec, &a));
    return a;
}

TEST(names)
{
    static const char *const none[] = { "S",     "U",  "S0",  "S01", "S-1",          "S4097",
                                        "U1025", "s3", "S3 ", " S3", "S99999999999", "V3" };
    char name[16];

    for (int n = 1; n <= DRX_MAX_STRING_BYTES; n++) {
        snprintf(name, sizeof name, "S%d", n);
        assert_string_equal(drx_type_name(DRX_BYTES(n)), name);
        assert_int_equal(drx_type_named(name), DRX_BYTES(n));
        assert_int_equal(drx_type_size(DRX_BYTES(n)), n);
        snprintf(name, sizeof name, "U%d", n);
        assert_int_equal(drx_type_named(name), n <= DRX_MAX_STRING_BYTES / 4 ? DRX_UNICODE(n) : 0);
        assert_int_equal(drx_type_size(DRX_UNICODE(n)), n <= DRX_MAX_STRING_BYTES / 4 ? 4 * n : 0);
        if (n <= DRX_MAX_STRING_BYTES / 4)
            assert_string_equal(drx_type_name(DRX_UNICODE(n)), name);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(drx_type_named(none[i]), 0);
    for (int type = DRX_BYTES_; type <= DRX_UNICODE_; type++) {
        assert_int_equal(drx_type_size((drx_type)type), 0);
        assert_null(drx_type_name((drx_type)type));
    }
    assert_int_equal(drx_type_size((drx_type)(DRX_UNICODE_ | 6 << 8)), 0);
    assert_int_equal(drx_type_size((drx_type)(DRX_FLOAT64 | 8 << 8)), 0);
    assert_int_equal(drx_type_size((drx_type)(DRX_BYTES_ | INT32_MIN)), 0);
    assert_int_equal(drx_type_size((drx_type)0x7fffffff), 0);
}

/* What the description has room for comes back, and more is refused. */
TEST(fills)
{
    static const uint32_t texts[][5] = {
        { 0 }, { 'x' }, { 0xe9, 0x20ac, 0x1f30d }, { 1, 2, 0x7ff, 0x800 }, { 0x10ffff }
    };
    static const uint32_t refused[][5] = {
        { 0xd800 }, { 0x110000 }, { 'a', 0, 'b' }, { 0x20ac, 0x20ac, 0x20ac, 0x20ac, 'x' }
    };
    drx_spec spec = { .ndim = 1, .type = DRX_UNICODE(5), .shape = &four }, found;
    drx_array *a;
    char bytes[16] = "0123456789ab";

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_ok(drx_close(make("a", DRX_UNICODE(5), texts[i])));
        assert_ok(drx_open("a", DRX_RDONLY, &a));
        drx_describe(a, &found);
        assert_memory_equal(found.fill, texts[i], sizeof texts[i]);
        assert_ok(drx_close(a));
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        spec.fill = refused[i];
        assert_status(drx_create("refused", &spec, &a), DRX_EINVAL);
        assert_detail("the fill of type U5 has more than 12 bytes of UTF-8, or is not Unicode");
    }
    assert_ok(drx_close(make("a", DRX_BYTES(16), bytes)));
    assert_ok(drx_open("a", DRX_RDONLY, &a));
    drx_describe(a, &found);
    assert_memory_equal(found.fill, bytes, 16);
    assert_ok(drx_close(a));
    bytes[12] = 'c';
    spec = (drx_spec){ .ndim = 1, .type = DRX_BYTES(16), .shape = &four, .fill = bytes };
    assert_status(drx_create("refused", &spec, &a), DRX_EINVAL);
    assert_detail("the fill of type S16 has more than 12 bytes before its NULs");
}

TEST(refusals)
{
    drx_array *a = make(NULL, DRX_BYTES(12), NULL);
    char text[12] = "abc";
    double number;

    assert_status(drx_read_as(a, &zero, &four, DRX_ROW_MAJOR, DRX_FLOAT64, DRX_NEAREST, &number), DRX_EINVAL);
    assert_detail("no conversion between S12 and float64");
    assert_status(drx_write_as(a, &zero, &four, DRX_ROW_MAJOR, DRX_BYTES(11), DRX_EXACT, text), DRX_EINVAL);
    assert_detail("no conversion between S11 and S12");
    assert_status(drx_convert(DRX_INT8, text, DRX_UNICODE(1), text, 1, DRX_EXACT), DRX_EINVAL);
    assert_detail("no conversion between int8 and U1");
    assert_status(drx_keep_bits(DRX_BYTES(12), 3, NULL, 1, text, NULL), DRX_EINVAL);
    assert_detail("these are S12");
    assert_status(drx_attr_set(a, "n", DRX_BYTES(12), 1, text), DRX_EINVAL);
    assert_detail("values of type S12, expected numbers, a defined type, or a text");
    assert_status(drx_cf_unpack(&(drx_cf){ .type = DRX_BYTES(12) }, 1, text, &number), DRX_EINVAL);
    assert_detail("the type is S12, expected one of real numbers");
    assert_ok(drx_close(a));
}

/* ---- coordinates ---- */

static const drx_cf seven = { .type = DRX_BYTES(7), .name = "station" },
                    nine = { .type = DRX_BYTES(9), .name = "station" };

TEST(names_are_compared_without_their_ends)
{
    static const char have[2][7] = { "Oslo", "Reading" }, same[2][9] = { "Oslo", "Reading" },
                      other[2][9] = { "Oslo", "Rea" };
    int64_t first = -1;

    assert_ok(drx_cf_compare(&seven, have, &nine, same, 2, &first));
    assert_status(drx_cf_compare(&seven, have, &nine, other, 2, &first), DRX_EMISMATCH);
    assert_detail("station: index 1 is 'Rea', but 'Reading' is stored");
    assert_int_equal(first, 1);
    assert_status(drx_cf_compare(&seven, have, &(drx_cf){ .type = DRX_UNICODE(7) }, other, 1, NULL), DRX_EMISMATCH);
    assert_detail("the type is U7, but S7 is stored");
    assert_status(drx_cf_match(&(drx_cf){ .type = DRX_FLOAT64 }, &seven), DRX_EMISMATCH);
    assert_detail("the type is S7, but float64 is stored");
}

/* Random names of few letters: what drx_cf_align says, against looking at all of them. */
TEST(names_are_aligned)
{
    uint64_t seed = starting_seed(0);

    for (int round = 0; round < 4000; round++) {
        const int64_t m = random_below(&seed, 6), n = random_below(&seed, 6);
        const drx_cf_overlap overlap = (drx_cf_overlap)random_below(&seed, 3);
        char have[6][7] = { { 0 } }, more[6][9] = { { 0 } }, encoded[6][7];
        int64_t index[6], expected[6], from = 0, next = m;
        bool good = true;
        drx_cf_alignment where;
        drx_status st;

        for (int64_t i = 0; i < m; i++) /* stored names differ */
            snprintf(have[i], sizeof have[i], "%c", (char)('a' + i));
        for (int64_t i = 0; i < n; i++)
            snprintf(more[i], sizeof more[i], "%s%c", random_below(&seed, 60) ? "" : "longer!",
                     (char)('a' + random_below(&seed, 12)));
        for (int64_t i = 0; i < n; i++) {
            expected[i] = -1;
            for (int64_t k = 0; k < m; k++)
                if (strcmp(have[k], more[i]) == 0)
                    expected[i] = k;
            for (int64_t k = 0; k < i; k++)
                good = good && strcmp(more[k], more[i]) != 0;
            good = good && strlen(more[i]) <= 7 && (expected[i] < 0 || overlap != DRX_CF_REFUSE);
            good = good && (expected[i] < 0 || from == i);
            from += expected[i] >= 0 && from == i;
            expected[i] = expected[i] < 0 ? next++ : expected[i];
        }
        st = drx_cf_align(&seven, m, have, &nine, n, more, overlap, index, encoded, &where);
        assert_int_equal(st, good ? DRX_OK : DRX_EMISMATCH);
        if (!good)
            continue;
        assert_int_equal(where.side, DRX_CF_AFTER);
        assert_int_equal(where.from, from);
        assert_int_equal(where.appended, n - from);
        for (int64_t i = 0; i < n; i++) {
            assert_int_equal(index[i], expected[i]);
            assert_string_equal(encoded[i], more[i]);
        }
    }
}
