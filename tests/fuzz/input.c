/* Takes inputs apart from their beginning, and gives metadata correct checksums so that the fuzzer reaches the code
 * that they protect. */
#include <stdlib.h>
#include <string.h>

#include "format/crc.h"
#include "format/format.h"
#include "fuzz.h"
#include "store/records.h"

enum { MOST_SHELLS = 1 << 10 };

uint64_t fuzz_number(struct fuzz_input *in, int bytes)
{
    uint64_t number = 0;

    for (int i = 0; i < bytes && in->left > 0; i++, in->at++, in->left--)
        number |= (uint64_t)*in->at << 8 * i;
    return number;
}

uint8_t *fuzz_bytes(struct fuzz_input *in, size_t *n)
{
    uint8_t *bytes;

    *n = *n < in->left ? *n : in->left;
    bytes = malloc(*n ? *n : 1); /* exactly so many: reading on is found */
    fuzz_require(bytes);
    if (*n > 0)
        memcpy(bytes, in->at, *n);
    in->at += *n;
    in->left -= *n;
    return bytes;
}

int64_t fuzz_elements(int ndim, const int64_t shape[], int64_t most)
{
    int64_t n = 1;

    for (int j = 0; j < ndim; j++)
        n = drxi_mul_saturated(n, shape[j]);
    return n <= most ? n : -1;
}

/* Seal the records from `at` on, as far as their lengths lead. */
static void seal_records(uint8_t *log, size_t n, size_t at, uint32_t crc)
{
    uint64_t sequence = 0;
    size_t bytes;

    for (; n - at >= DRXI_RECORD_HEAD_BYTES; at += bytes) {
        bytes = drxi_record_bytes(log + at, n - at);
        if (bytes == 0 || bytes > n - at)
            return;
        crc = drxi_record_seal(log + at, bytes - DRXI_RECORD_HEAD_BYTES, drxi_get16(log + at + 12),
                               drxi_get16(log + at + 14), ++sequence, crc);
    }
}

void fuzz_seal(uint8_t *meta, size_t n)
{
    struct drxi_desc desc;
    uint32_t crc;
    size_t at;

    if (n < DRXI_DESC_HEAD_BYTES || meta[20] < 1 || meta[20] > DRX_MAX_NDIM)
        return;
    at = drxi_desc_bytes(meta[20]);
    if (at > n)
        return;
    drxi_put32(meta + 12, (uint32_t)at);
    drxi_put32(meta + 8, drxi_crc32c(0, meta + 12, at - 12));
    if (drxi_desc_decode(meta, n, "input", &desc, &crc) == DRX_OK)
        seal_records(meta, n, at, crc);
}

void fuzz_seal_store(uint8_t *records, size_t n, uint32_t head_crc)
{
    struct drxi_log_record record = { .crc = head_crc };
    size_t bytes;

    for (size_t at = 0; n - at >= DRXI_LOG_HEAD_BYTES; at += bytes) {
        uint8_t *const p = records + at;

        bytes = drxi_log_record_bytes(p);
        if (bytes == 0 || bytes > n - at)
            return;
        record.sequence = at == 0 && p[12] == DRXI_LOG_BASE ? drxi_get64(p + 16) : record.sequence + 1;
        record = (struct drxi_log_record){ .at = DRXI_LOG_AT + (int64_t)at,
                                           .kind = p[12],
                                           .flags = p[13],
                                           .number = drxi_get16(p + 14),
                                           .sequence = record.sequence,
                                           .prev = record.crc,
                                           .bytes = bytes };
        record.crc = drxi_log_record_seal(p, &record);
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
