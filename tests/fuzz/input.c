/* Takes inputs apart from their beginning, and gives logs correct checksums so that the fuzzer reaches the code
 * that they protect. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "store/kinds.h"
#include "store/store.h"

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
    bytes = malloc(*n ? *n : 1); /* exactly this many: reading on is found */
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

uint8_t *fuzz_log(struct fuzz_input *in, size_t *n, bool seal)
{
    static const uint8_t id[DRXI_STORE_ID_BYTES] = { 1 };
    uint8_t *records = fuzz_bytes(in, n), *log = calloc(1, DRXI_LOG_AT + *n);
    uint32_t crc;

    fuzz_require(log);
    crc = drxi_store_head_encode(DRXI_LONE_ARRAY, id, log);
    if (*n > 0)
        memcpy(log + DRXI_LOG_AT, records, *n);
    if (seal)
        fuzz_seal_store(log + DRXI_LOG_AT, *n, crc);
    free(records);
    *n += DRXI_LOG_AT;
    return log;
}

bool fuzz_is_slow(const uint8_t *log, size_t n)
{
    const struct drxi_variable *v;
    enum drxi_log_tail tail;
    struct drxi_store s;
    int64_t shells = 0;
    drxi_io *io;

    fuzz_require(drxi_memory_open(&io) == DRX_OK && io->ops->write(io, log, n, 0) == DRX_OK);
    if (drxi_store_begin(&s, io, DRXI_LONE_ARRAY) == DRX_OK)
        (void)drxi_store_read(&s, io, DRXI_ANY_COMMIT, true, &tail);
    v = drxi_store_variable(&s, 1);
    for (int j = 0; v && v->initial == DRXI_SHELLS && j < v->made_ndim; j++)
        shells += drxi_min((v->made_upper[j] - v->made_lower[j]) / v->made_chunk[j], MOST_SHELLS);
    drxi_store_free(&s);
    (void)io->ops->close(io);
    return shells >= MOST_SHELLS;
}
