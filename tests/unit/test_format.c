/* Bytes of the metadata. */
#include "format/crc.h"
#include "format/format.h"
#include "testing.h"

TEST(crc_is_crc32c)
{
    assert_int_equal(drxi_crc32c(0, "123456789", 9), 0xe3069283u);
    assert_int_equal(drxi_crc32c(drxi_crc32c(0, "1234", 4), "56789", 5), 0xe3069283u); /* seeded goes on */
    assert_int_equal(drxi_crc32c(0, "", 0), 0);
}

TEST(crc_of_repetitions)
{
    uint32_t by_hand = 7;

    for (int64_t times = 0; times < 300; times++) {
        assert_int_equal(drxi_crc32c_repeated(7, "item", 4, times), by_hand);
        by_hand = drxi_crc32c(by_hand, "item", 4);
    }
    assert_int_equal(drxi_crc32c_repeated(0, "\0", 1, INT64_MAX), drxi_crc32c_zeros(INT64_MAX));
}

static struct drxi_desc example(void)
{
    struct drxi_desc desc = { .ndim = 3,
                              .type = DRX_FLOAT32,
                              .chunk_order = DRX_COL_MAJOR,
                              .align = 512,
                              .flags = DRXI_DESC_SHELL,
                              .shape = { 0, 5, 6 },
                              .chunk = { 1, 2, 3 } };

    memset(desc.id, 0xab, sizeof desc.id);
    memcpy(desc.fill, "\x00\x00\xc0\x7f", 4);
    return desc;
}

TEST(description_survives)
{
    const struct drxi_desc desc = example();
    struct drxi_desc back;
    uint8_t bytes[DRXI_DESC_MAX_BYTES];
    uint32_t crc;
    const uint32_t made = drxi_desc_encode(&desc, bytes);

    assert_int_equal(drxi_desc_bytes(3), 120);
    assert_ok(drxi_desc_decode(bytes, 120, "x", &back, &crc));
    assert_int_equal(made, crc);
    assert_memory_equal(&desc, &back, sizeof desc);
}

/* No byte of a description can change without being noticed, nor can it be cut. */
TEST(description_is_guarded)
{
    const struct drxi_desc desc = example();
    struct drxi_desc back;
    uint8_t bytes[DRXI_DESC_MAX_BYTES];
    uint32_t crc;

    (void)drxi_desc_encode(&desc, bytes);
    for (size_t i = 0; i < 120; i++) {
        bytes[i] ^= 0x10;
        assert_int_not_equal(drxi_desc_decode(bytes, 120, "x", &back, &crc), DRX_OK);
        bytes[i] ^= 0x10;
        assert_int_not_equal(drxi_desc_decode(bytes, i, "x", &back, &crc), DRX_OK);
    }
}

/* Values that a right CRC vouches for are still looked at. */
TEST(description_fields_are_checked)
{
    static const struct {
        size_t at;
        uint8_t value;
        drx_status st;
    } cases[] = {
        { 0, 'P', DRX_EFORMAT },     { 16, 2, DRX_EUNSUPPORTED }, { 20, 0, DRX_EFORMAT },
        { 20, 33, DRX_EFORMAT },     { 21, 0, DRX_EUNSUPPORTED }, { 21, 15, DRX_EUNSUPPORTED },
        { 22, 2, DRX_EUNSUPPORTED }, { 24, 8, DRX_EUNSUPPORTED }, { 24, 6, DRX_EUNSUPPORTED },
        { 48, 3, DRX_EFORMAT },      { 79, 0x80, DRX_EFORMAT },   { 96, 0, DRX_EFORMAT },
        { 103, 0xff, DRX_EFORMAT },  { 23, 1, DRX_EUNSUPPORTED }, { 28, 1, DRX_EUNSUPPORTED },
        { 31, 1, DRX_EUNSUPPORTED }, { 60, 1, DRX_EUNSUPPORTED }, { 71, 1, DRX_EUNSUPPORTED },
    };
    const struct drxi_desc desc = example();
    struct drxi_desc back;
    uint32_t crc;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t bytes[DRXI_DESC_MAX_BYTES];

        (void)drxi_desc_encode(&desc, bytes);
        bytes[cases[i].at] = cases[i].value;
        drxi_put32(bytes + 8, drxi_crc32c(0, bytes + 12, 120 - 12));
        assert_status(drxi_desc_decode(bytes, 120, "some file", &back, &crc), cases[i].st);
        assert_detail("some file");
    }
}

TEST(growth_takes_at_most_64_bytes)
{
    const struct drxi_growth growth = { 2, DRXI_HIGH, 5, 12 };
    struct drxi_growth back;
    struct drxi_record record;
    uint8_t bytes[64];
    const size_t n = drxi_growth_encode(&growth, bytes + DRXI_RECORD_HEAD_BYTES);

    assert_true(DRXI_RECORD_HEAD_BYTES + n <= 64);
    (void)drxi_record_seal(bytes, n, DRXI_GROW, growth.axis, 17, 99);
    assert_true(drxi_record_decode(bytes, sizeof bytes, &record));
    assert_int_equal(record.sequence, 17);
    assert_int_equal(record.prev, 99);
    assert_true(drxi_growth_decode(&record, &back));
    assert_true(back.axis == growth.axis && back.by == growth.by && back.bound == growth.bound);
    for (size_t i = 0; i < record.bytes; i++) { /* guarded, every byte, and whole */
        bytes[i] ^= 1;
        assert_false(drxi_record_decode(bytes, sizeof bytes, &record));
        bytes[i] ^= 1;
        assert_false(drxi_record_decode(bytes, i, &record));
    }
}

/* Early readers refuse the kind of record, and call nothing damage. */
TEST(attributes_of_later_types_have_a_kind_of_their_own)
{
    const uint8_t values[2] = { 1, 0 };
    const struct drxi_attr_payload attr = { "a", 1, DRX_BOOL, false, 2, values };
    struct drxi_attr_payload back;
    struct drxi_record record;
    uint8_t bytes[256];
    const size_t n = drxi_attr_encode(&attr, bytes + DRXI_RECORD_HEAD_BYTES);

    assert_int_equal(drxi_attr_kind(DRX_COMPLEX128), DRXI_ATTR);
    assert_int_equal(drxi_attr_kind(DRX_BOOL), DRXI_ATTR_LATER);
    (void)drxi_record_seal(bytes, n, DRXI_ATTR_LATER, 0, 1, 0);
    assert_true(drxi_record_decode(bytes, sizeof bytes, &record) && drxi_attr_decode(&record, &back));
    assert_ok(drxi_attr_check_type(&record));
    assert_memory_equal(back.values, values, 2);
    record.kind = DRXI_ATTR;
    assert_false(drxi_attr_decode(&record, &back));
    record.kind = DRXI_ATTR_LATER;
    bytes[DRXI_RECORD_HEAD_BYTES] = DRX_COMPLEX64;
    assert_false(drxi_attr_decode(&record, &back));
    assert_ok(drxi_attr_check_type(&record));
    bytes[DRXI_RECORD_HEAD_BYTES] = DRX_BOOL + 1;
    assert_false(drxi_attr_decode(&record, &back));
    assert_status(drxi_attr_check_type(&record), DRX_EUNSUPPORTED);
    assert_detail("an attribute of the unknown type 15");
}

TEST(attribute_survives)
{
    const double values[3] = { 1.5, -0.0, 1e300 };
    double little[3];
    const struct drxi_attr_payload attr = { "n\xc3\xa4me", 5, DRX_FLOAT64, false, 3, values };
    struct drxi_attr_payload back;
    struct drxi_record record;
    uint8_t bytes[256];
    const size_t n = drxi_attr_encode(&attr, bytes + DRXI_RECORD_HEAD_BYTES);

    assert_int_equal(n, drxi_attr_encode(&attr, NULL));
    (void)drxi_record_seal(bytes, n, DRXI_ATTR, 0, 1, 0);
    assert_true(drxi_record_decode(bytes, sizeof bytes, &record));
    assert_true(drxi_attr_decode(&record, &back));
    assert_int_equal(back.n, 3);
    assert_int_equal(back.name_bytes, 5);
    assert_memory_equal(back.name, attr.name, 5);
    memcpy(little, values, sizeof values);
    drxi_swap(little, sizeof little, DRX_FLOAT64);
    assert_memory_equal(back.values, little, sizeof little);
    bytes[DRXI_RECORD_HEAD_BYTES + 8] = 4; /* more values than there are */
    assert_false(drxi_attr_decode(&record, &back));
}

/* What is encoded comes back; any byte changed is refused, or is a name that can be. */
TEST(stripes_survive)
{
    const char *const folders[] = { "/disk 0", "d1", "../\xff" };
    struct drxi_stripes stripes, back;
    uint8_t payload[128];
    struct drxi_record record = { .arg = 3, .payload = payload };
    uint64_t random = 11;
    bool good;

    assert_ok(drxi_stripes_set("a.0123.xta", 3, folders, &stripes));
    record.payload_bytes = drxi_stripes_encode(&stripes, payload);
    assert_int_equal(record.payload_bytes % 8, 0);
    assert_ok(drxi_stripes_decode(&record, &back, &good));
    assert_true(good);
    assert_string_equal(back.stem, "a.0123.xta");
    for (int k = 0; k < 3; k++)
        assert_string_equal(back.folder[k], folders[k]);
    drxi_stripes_free(&back);
    for (int i = 0; i < 3000; i++) {
        const size_t at = (size_t)random_below(&random, (int64_t)record.payload_bytes);
        const uint8_t before = payload[at];

        payload[at] = (uint8_t)random_next(&random);
        assert_ok(drxi_stripes_decode(&record, &back, &good));
        assert_int_equal(good, back.n == 3);
        if (good) {
            assert_null(strchr(back.stem, '/'));
            assert_string_equal(back.stem + strlen(back.stem) - 4, ".xta");
            for (int k = 0; k < 3; k++)
                assert_true(drxi_stripes_is_folder(back.folder[k]));
        }
        drxi_stripes_free(&back);
        payload[at] = before;
    }
    record.arg = 2; /* of others than it says */
    assert_ok(drxi_stripes_decode(&record, &back, &good));
    assert_false(good);
    record.arg = 0;
    assert_ok(drxi_stripes_decode(&record, &back, &good));
    assert_false(good);
    drxi_stripes_free(&stripes);
}

TEST(utf8)
{
    static const char *const good[] = {
        "", "plain", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8c\x8a", "\xf4\x8f\xbf\xbf"
    };
    static const char *const bad[] = {
        "\x80", "\xc3",     "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf0\x80\x80\x80",
        "\xff", "a\xe2\x82"
    };

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(drxi_is_utf8(good[i], strlen(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(drxi_is_utf8(bad[i], strlen(bad[i])));
    assert_false(drxi_is_utf8("a\0b", 3));
}
