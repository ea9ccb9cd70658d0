/* Metadata whose checksums are right, so that what they protect is reached. */
#include "format/crc.h"
#include "format/format.h"
#include "fuzz.h"

enum { MOST_SHELLS = 1 << 10 };

void fuzz_seal(uint8_t *meta, size_t n)
{
    struct drxi_desc desc;
    uint64_t sequence = 0;
    uint32_t crc;
    size_t at, bytes;

    if (n < DRXI_DESC_HEAD_BYTES || meta[20] < 1 || meta[20] > DRX_MAX_NDIM)
        return;
    at = drxi_desc_bytes(meta[20]);
    if (at > n)
        return;
    drxi_put32(meta + 12, (uint32_t)at);
    drxi_put32(meta + 8, drxi_crc32c(0, meta + 12, at - 12));
    if (drxi_desc_decode(meta, n, "input", &desc, &crc))
        return;
    for (; n - at >= DRXI_RECORD_HEAD_BYTES; at += bytes) {
        bytes = drxi_record_bytes(meta + at, n - at);
        if (bytes == 0 || bytes > n - at)
            return;
        crc = drxi_record_seal(meta + at, bytes - DRXI_RECORD_HEAD_BYTES, drxi_get16(meta + at + 12),
                               drxi_get16(meta + at + 14), ++sequence, crc);
    }
}

bool fuzz_is_slow(const uint8_t *meta, size_t n)
{
    struct drxi_desc desc;
    uint32_t crc;
    int64_t shells = 0;

    if (drxi_desc_decode(meta, n, "input", &desc, &crc) || !(desc.flags & (DRXI_DESC_SHELL | DRXI_DESC_SHELL_LAST)))
        return false;
    for (int j = 0; j < desc.ndim; j++)
        if (!drxi_add(shells, drxi_ceil_div(desc.shape[j], desc.chunk[j]), &shells))
            return true;
    return shells > MOST_SHELLS;
}
