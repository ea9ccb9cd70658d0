/* One changed byte, found from the CRC. A CRC is linear: the difference that a change makes depends only on the change
 * and on how many bytes follow. */
#include <string.h>

#include "format/crc.h"
#include "format/format.h"

/* The register after a byte, begun with 0. */
static uint32_t step(uint32_t state, uint8_t byte)
{
    return ~drxi_crc32c(~state, &byte, 1);
}

/* The byte whose bits make the difference; 0: none does. */
static uint8_t combine(const uint32_t of_bit[8], uint32_t difference, bool bits)
{
    uint32_t sum = 0;
    uint8_t byte = 0;

    for (int b = 0; bits && b < 8; b++)
        if (of_bit[b] == difference)
            return (uint8_t)(1 << b);
    for (int k = 1; !bits && k < 256; k++) { /* in the order of a Gray code: one bit changes at a time */
        const int b = __builtin_ctz((unsigned)k);

        byte = (uint8_t)(byte ^ 1 << b);
        sum ^= of_bit[b];
        if (sum == difference)
            return byte;
    }
    return 0;
}

int drxi_find_flip(size_t n, uint32_t difference, bool bits, struct drxi_flip *flip)
{
    uint32_t of_bit[8];
    int found = 0;

    for (int b = 0; b < 8; b++)
        of_bit[b] = step(0, (uint8_t)(1 << b));
    for (size_t at = n; at-- > 0 && found < 2;) {
        const uint8_t by = combine(of_bit, difference, bits);

        if (by) {
            *flip = (struct drxi_flip){ at, by };
            found++;
        }
        for (int b = 0; b < 8; b++)
            of_bit[b] = step(of_bit[b], 0);
    }
    return found;
}

/* How many bits of the head are not what the record's length and its place in the chain make them. */
static int wrong_bits(const uint8_t *p, size_t n, uint64_t sequence, uint32_t prev)
{
    return __builtin_popcount(drxi_get32(p + 4) ^ prev) + __builtin_popcount(drxi_get32(p + 8) ^ (uint32_t)n) +
           __builtin_popcountll(drxi_get64(p + 16) ^ sequence);
}

bool drxi_record_has_place(const uint8_t *p, size_t n, uint64_t sequence, uint32_t prev)
{
    return n <= DRXI_RECORD_MAX_BYTES && n % 8 == 0 && wrong_bits(p, n, sequence, prev) <= 1;
}

/* The first byte that differs. */
static struct drxi_flip difference_of(const uint8_t *a, const uint8_t *b, size_t at)
{
    while (a[at] == b[at])
        at++;
    return (struct drxi_flip){ at, a[at] ^ b[at] };
}

bool drxi_record_flip(const uint8_t *p, size_t n, uint64_t sequence, uint32_t prev, struct drxi_flip *flip)
{
    uint8_t head[DRXI_RECORD_HEAD_BYTES];
    uint32_t is, crc = drxi_get32(p);

    if (!drxi_record_has_place(p, n, sequence, prev))
        return false;
    is = drxi_crc32c(prev, p + 8, n - 8);
    memcpy(head, p, sizeof head);
    if (drxi_get32(p + 4) != prev) {
        drxi_put32(head + 4, prev);
        *flip = difference_of(head, p, 4);
    } else if (__builtin_popcount(is ^ crc) == 1) {
        drxi_put32(head, is);
        *flip = difference_of(head, p, 0);
        is = crc;
    } else if (is != crc && drxi_find_flip(n - 8, is ^ crc, true, flip) == 1) {
        flip->at += 8;
        if (flip->at < sizeof head)
            head[flip->at] ^= flip->by;
        is = crc;
    } else {
        return false;
    }
    return is == crc && wrong_bits(head, n, sequence, prev) == 0 && drxi_get16(head + 12) != 0;
}
