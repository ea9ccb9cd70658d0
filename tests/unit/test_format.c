/* Checksums, and texts. */
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
