#include "store/records.h"
#include "format/crc.h"

enum { MAJOR = 2, PROLOGUE_BYTES = 20, CRC_FROM = 12, RESERVED_FROM = 48 };

static const uint8_t magic[2][8] = { { 0x89, 'D', 'R', 'X', '\r', '\n', 0x1a, '\n' },
                                     { 0x89, 'D', 'R', 'S', '\r', '\n', 0x1a, '\n' } };

uint32_t drxi_store_head_encode(enum drxi_store_kind kind, const uint8_t id[], uint8_t out[DRXI_STORE_HEAD_BYTES])
{
    uint32_t crc;

    memset(out, 0, DRXI_STORE_HEAD_BYTES);
    memcpy(out, magic[kind - 1], sizeof magic[0]);
    drxi_put32(out + 12, DRXI_STORE_HEAD_BYTES);
    drxi_put16(out + 16, MAJOR);
    out[20] = (uint8_t)kind;
    memcpy(out + 32, id, DRXI_STORE_ID_BYTES);
    crc = drxi_crc32c(0, out + CRC_FROM, DRXI_STORE_HEAD_BYTES - CRC_FROM);
    drxi_put32(out + 8, crc);
    return crc;
}

drx_status drxi_store_head_decode(const uint8_t *p, size_t n, enum drxi_store_kind kind, const char *name, uint8_t id[],
                                  uint32_t *crc)
{
    if (n < sizeof magic[0] || memcmp(p, magic[kind - 1], sizeof magic[0]) != 0)
        return drxi_fail(DRX_EFORMAT, "%s: not the metadata of a DRX %s (its first bytes are not the magic number)",
                         name, kind == DRXI_LONE_ARRAY ? "array" : "dataset");
    if (n < PROLOGUE_BYTES)
        return drxi_fail(DRX_EDAMAGED, "%s: ends at byte %zu, within the head", name, n);
    if (drxi_get16(p + 16) != MAJOR)
        return drxi_fail(DRX_EUNSUPPORTED, "%s: format version %d, this library reads version %d", name,
                         (int)drxi_get16(p + 16), MAJOR);
    if (n < DRXI_STORE_HEAD_BYTES)
        return drxi_fail(DRX_EDAMAGED, "%s: ends at byte %zu, within the head of %d bytes", name, n,
                         DRXI_STORE_HEAD_BYTES);
    *crc = drxi_crc32c(0, p + CRC_FROM, DRXI_STORE_HEAD_BYTES - CRC_FROM);
    if (drxi_get32(p + 12) != DRXI_STORE_HEAD_BYTES || *crc != drxi_get32(p + 8))
        return drxi_fail(DRX_EDAMAGED, "%s: the head (bytes 0 to %d) does not match its checksum", name,
                         DRXI_STORE_HEAD_BYTES);
    if (p[20] != kind || !drxi_is_zero(p + 21, 11) ||
        !drxi_is_zero(p + RESERVED_FROM, DRXI_STORE_HEAD_BYTES - RESERVED_FROM))
        return drxi_fail(DRX_EUNSUPPORTED, "%s: a reserved byte of the head is not zero: not of format version %d",
                         name, MAJOR);
    if (n < DRXI_LIVE_AT + DRXI_LIVE_BYTES)
        return drxi_fail(DRX_EDAMAGED, "%s: ends at byte %zu, before the end of the live words", name, n);
    memcpy(id, p + 32, DRXI_STORE_ID_BYTES);
    return DRX_OK;
}

size_t drxi_log_record_bytes(const uint8_t *p)
{
    const uint32_t bytes = drxi_get32(p + 8);

    return bytes >= DRXI_LOG_HEAD_BYTES && bytes <= DRXI_LOG_MOST_BYTES && bytes % 8 == 0 && p[12] != 0 ? bytes : 0;
}

/* Seeded with `prev` and the offset, so that a log in the value of an attribute has no records. */
static uint32_t crc_of(const uint8_t *p, size_t bytes, uint32_t prev, int64_t at)
{
    uint8_t offset[8];

    drxi_put64(offset, (uint64_t)at);
    return drxi_crc32c(drxi_crc32c(prev, offset, sizeof offset), p + 8, bytes - 8);
}

bool drxi_log_record_decode(const uint8_t *p, size_t n, int64_t at, struct drxi_log_record *record)
{
    const size_t bytes = n < DRXI_LOG_HEAD_BYTES ? 0 : drxi_log_record_bytes(p);

    if (bytes == 0 || bytes > n)
        return false;
    *record = (struct drxi_log_record){ .at = at,
                                        .kind = p[12],
                                        .flags = p[13],
                                        .number = drxi_get16(p + 14),
                                        .sequence = drxi_get64(p + 16),
                                        .prev = drxi_get32(p + 4),
                                        .crc = drxi_get32(p),
                                        .bytes = bytes,
                                        .payload = p + DRXI_LOG_HEAD_BYTES,
                                        .payload_bytes = bytes - DRXI_LOG_HEAD_BYTES };
    return crc_of(p, bytes, record->prev, at) == record->crc;
}

uint32_t drxi_log_record_seal(uint8_t *p, const struct drxi_log_record *record)
{
    uint32_t crc;

    drxi_put32(p + 4, record->prev);
    drxi_put32(p + 8, (uint32_t)record->bytes);
    p[12] = (uint8_t)record->kind;
    p[13] = (uint8_t)record->flags;
    drxi_put16(p + 14, record->number);
    drxi_put64(p + 16, record->sequence);
    crc = crc_of(p, record->bytes, record->prev, record->at);
    drxi_put32(p, crc);
    return crc;
}

/* ---- fields ---- */

const uint8_t *drxi_field_bytes(struct drxi_fields *f, uint64_t n)
{
    const uint8_t *p = f->p + f->at;

    if (f->too_short || n > f->n - f->at) {
        f->too_short = true;
        return NULL;
    }
    f->at += n;
    return p;
}

uint8_t drxi_field8(struct drxi_fields *f)
{
    const uint8_t *p = drxi_field_bytes(f, 1);

    return p ? *p : 0;
}

uint16_t drxi_field16(struct drxi_fields *f)
{
    const uint8_t *p = drxi_field_bytes(f, 2);

    return p ? drxi_get16(p) : 0;
}

uint32_t drxi_field32(struct drxi_fields *f)
{
    const uint8_t *p = drxi_field_bytes(f, 4);

    return p ? drxi_get32(p) : 0;
}

int64_t drxi_field64(struct drxi_fields *f)
{
    const uint8_t *p = drxi_field_bytes(f, 8);

    return p ? (int64_t)drxi_get64(p) : 0;
}

static struct drxi_text text_of(struct drxi_fields *f, uint32_t n)
{
    const uint8_t *p = drxi_field_bytes(f, n);

    return (struct drxi_text){ p ? (const char *)p : "", p ? n : 0 };
}

struct drxi_text drxi_field_text(struct drxi_fields *f)
{
    return text_of(f, drxi_field16(f));
}

struct drxi_text drxi_field_long_text(struct drxi_fields *f)
{
    return text_of(f, drxi_field32(f));
}

void drxi_field_zeros(struct drxi_fields *f, size_t n)
{
    const uint8_t *p = drxi_field_bytes(f, n);

    f->reserved = f->reserved || (p && !drxi_is_zero(p, n));
}

void drxi_field_pad(struct drxi_fields *f)
{
    drxi_field_zeros(f, -f->at % 8);
}

drx_status drxi_fields_end(struct drxi_fields *f)
{
    drxi_field_pad(f);
    if (f->too_short || f->at < f->n)
        return DRX_EDAMAGED;
    return f->reserved ? drxi_fail(DRX_EUNSUPPORTED, "a reserved byte that is not zero") : DRX_OK;
}

/* ---- records ---- */

void drxi_run_free(struct drxi_run *run)
{
    drxi_free(run->bytes);
    *run = (struct drxi_run){ .last = -1 };
}

static uint8_t *add_bytes(struct drxi_run *run, size_t n)
{
    if (!run->failed)
        run->failed = drxi_reserve(&run->bytes, &run->room, run->n + (int64_t)n, 1);
    if (run->failed)
        return NULL;
    run->n += (int64_t)n;
    return run->bytes + run->n - n;
}

/* Where the last record's head begins. */
static uint8_t *last(const struct drxi_run *run)
{
    return run->bytes + (run->last - run->at);
}

void drxi_run_begin(struct drxi_run *run, enum drxi_log_kind kind, uint16_t number)
{
    uint8_t *p = add_bytes(run, DRXI_LOG_HEAD_BYTES);

    if (!p)
        return;
    memset(p, 0, DRXI_LOG_HEAD_BYTES);
    run->last = run->at + (p - run->bytes);
    p[12] = (uint8_t)kind;
    drxi_put16(p + 14, number);
}

void drxi_run_bytes(struct drxi_run *run, const void *bytes, size_t n)
{
    uint8_t *p = add_bytes(run, n);

    if (p && n > 0)
        memcpy(p, bytes, n);
}

void drxi_run8(struct drxi_run *run, uint8_t v)
{
    drxi_run_bytes(run, &v, 1);
}

void drxi_run16(struct drxi_run *run, uint16_t v)
{
    uint8_t bytes[2];

    drxi_put16(bytes, v);
    drxi_run_bytes(run, bytes, sizeof bytes);
}

void drxi_run32(struct drxi_run *run, uint32_t v)
{
    uint8_t bytes[4];

    drxi_put32(bytes, v);
    drxi_run_bytes(run, bytes, sizeof bytes);
}

void drxi_run64(struct drxi_run *run, int64_t v)
{
    uint8_t bytes[8];

    drxi_put64(bytes, (uint64_t)v);
    drxi_run_bytes(run, bytes, sizeof bytes);
}

void drxi_run_zeros(struct drxi_run *run, size_t n)
{
    uint8_t *p = add_bytes(run, n);

    if (p)
        memset(p, 0, n);
}

void drxi_run_text(struct drxi_run *run, const char *text)
{
    const size_t n = strlen(text);

    drxi_run16(run, (uint16_t)n);
    drxi_run_bytes(run, text, n);
}

void drxi_run_pad(struct drxi_run *run)
{
    drxi_run_zeros(run, (size_t)(-run->n & 7)); /* records begin at multiples of 8 */
}

static void seal(struct drxi_run *run, int flags, uint32_t prev, uint64_t sequence)
{
    const uint8_t *p = last(run);
    const struct drxi_log_record record = { .at = run->last,
                                            .kind = p[12],
                                            .flags = flags,
                                            .number = drxi_get16(p + 14),
                                            .sequence = sequence,
                                            .prev = prev,
                                            .bytes = (size_t)(run->at + run->n - run->last) };

    run->crc = drxi_log_record_seal(last(run), &record);
    run->sequence = sequence;
}

void drxi_run_end(struct drxi_run *run)
{
    drxi_run_pad(run);
    if (!run->failed && run->at + run->n - run->last > DRXI_LOG_MOST_BYTES)
        run->failed = drxi_fail(DRX_EOVERFLOW, "a record of more than %d bytes", DRXI_LOG_MOST_BYTES);
    if (!run->failed)
        seal(run, 0, run->crc, run->sequence + 1);
}

void drxi_run_count(struct drxi_run *run)
{
    if (!run->failed && run->last >= 0)
        seal(run, DRXI_C, drxi_get32(last(run) + 4), run->sequence);
}
