/* One changed byte, found from the CRC. A CRC is linear: the difference that a change makes depends only on the change
 * and on how many bytes follow. */
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
