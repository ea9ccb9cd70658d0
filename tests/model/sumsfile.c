/* sumsfile.c - what the file of checksums has to hold, worked out from the bytes of the data alone. */
#include "sumsfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t crc32c(const unsigned char *p, int64_t n)
{
    static uint32_t table[256];
    uint32_t crc = 0xffffffff;

    for (uint32_t i = 0; i < 256 && !table[255]; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0x82f63b78u : 0);
    }
    for (int64_t i = 0; i < n; i++)
        crc = crc >> 8 ^ table[(crc ^ p[i]) & 0xff];
    return ~crc;
}

static uint32_t get32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool is_zero(const unsigned char *p, int64_t n)
{
    while (n > 0 && p[n - 1] == 0)
        n--;
    return n == 0;
}

bool sums_agree(const struct raw_bytes *sums, const struct raw_bytes *data, int64_t chunk_bytes, int64_t pitch,
                bool zero_fill, char *why, size_t room)
{
    const int64_t chunks = data->n / pitch;

    if (sums->n != 8 * chunks) {
        snprintf(why, room, "%" PRId64 " bytes of checksums for %" PRId64 " chunks", sums->n, chunks);
        return false;
    }
    for (int64_t q = 0; q < chunks; q++) {
        const uint32_t state = get32(sums->data + 8 * q), crc = get32(sums->data + 8 * q + 4);
        const unsigned char *chunk = data->data + q * pitch;
        const bool never = state == 0 && crc == 0 && (!zero_fill || is_zero(chunk, chunk_bytes));

        if (never || ((state == 1 || ((state & 0xff) == 3 && state > 3)) && crc == crc32c(chunk, chunk_bytes)))
            continue;
        snprintf(why, room, "chunk %" PRId64 ": state %#x, checksum %08x, but its bytes have %08x", q, state, crc,
                 crc32c(chunk, chunk_bytes));
        return false;
    }
    return true;
}

void sums_forget_boot(struct raw_bytes *sums)
{
    for (int64_t at = 0; at + 8 <= sums->n; at += 8)
        if (sums->data[at] == 1 || sums->data[at] == 3)
            memcpy(sums->data + at, "\3abc", 4);
}
