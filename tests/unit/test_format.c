/* Checksums, and the payloads of records. */
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

TEST(growth_survives)
{
    const struct drxi_growth growth = { 2, DRXI_HIGH, 5, 12 };
    struct drxi_growth back;
    uint8_t payload[64];
    struct drxi_record record = {
        .kind = DRXI_GROW, .arg = growth.axis, .payload = payload, .payload_bytes = drxi_growth_encode(&growth, payload)
    };

    assert_true(drxi_growth_decode(&record, &back));
    assert_true(back.axis == growth.axis && back.end == growth.end && back.by == growth.by &&
                back.bound == growth.bound);
    record.payload_bytes--;
    assert_false(drxi_growth_decode(&record, &back));
}

TEST(attribute_survives)
{
    const double values[3] = { 1.5, -0.0, 1e300 };
    double little[3];
    const struct drxi_attr_payload attr = { "n\xc3\xa4me", 5, DRX_FLOAT64, false, 3, values };
    struct drxi_attr_payload back;
    uint8_t payload[256];
    const struct drxi_record record = { .kind = DRXI_ATTR,
                                        .payload = payload,
                                        .payload_bytes = drxi_attr_encode(&attr, payload) };

    assert_int_equal(record.payload_bytes, drxi_attr_encode(&attr, NULL));
    assert_true(drxi_attr_decode(&record, &back));
    assert_int_equal(back.n, 3);
    assert_int_equal(back.name_bytes, 5);
    assert_memory_equal(back.name, attr.name, 5);
    memcpy(little, values, sizeof values);
    drxi_swap(little, sizeof little, DRX_FLOAT64);
    assert_memory_equal(back.values, little, sizeof little);
    payload[8] = 4; /* more values than there are */
    assert_false(drxi_attr_decode(&record, &back));
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
