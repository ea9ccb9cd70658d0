/* The records of the log. A record holds its predecessor's CRC and its own, which is seeded with the predecessor's. So
 * a record can be checked alone, and its place in the chain against the record before it. */
#include "format/crc.h"
#include "format/format.h"

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

size_t drxi_record_bytes(const uint8_t *p, size_t n)
{
    size_t bytes;

    if (n < DRXI_RECORD_HEAD_BYTES)
        return 0;
    bytes = drxi_get32(p + 8);
    if (bytes < DRXI_RECORD_HEAD_BYTES || bytes > DRXI_RECORD_MAX_BYTES || bytes % 8 != 0)
        return 0;
    return drxi_get16(p + 12) == 0 ? 0 : bytes; /* no kind is 0 */
}

bool drxi_record_decode(const uint8_t *p, size_t n, struct drxi_record *record)
{
    const size_t bytes = drxi_record_bytes(p, n);

    if (bytes == 0 || bytes > n)
        return false;
    record->crc = drxi_get32(p);
    record->prev = drxi_get32(p + 4);
    record->bytes = bytes;
    record->kind = drxi_get16(p + 12);
    record->arg = drxi_get16(p + 14);
    record->sequence = drxi_get64(p + 16);
    record->payload = p + DRXI_RECORD_HEAD_BYTES;
    record->payload_bytes = bytes - DRXI_RECORD_HEAD_BYTES;
    return record->crc == drxi_crc32c(record->prev, p + 8, bytes - 8);
}

uint32_t drxi_record_seal(uint8_t *out, size_t payload_bytes, int kind, int arg, uint64_t sequence, uint32_t prev)
{
    const size_t bytes = DRXI_RECORD_HEAD_BYTES + payload_bytes;
    uint32_t crc;

    drxi_put32(out + 4, prev);
    drxi_put32(out + 8, (uint32_t)bytes);
    drxi_put16(out + 12, (uint16_t)kind);
    drxi_put16(out + 14, (uint16_t)arg);
    drxi_put64(out + 16, sequence);
    crc = drxi_crc32c(prev, out + 8, bytes - 8); /* prev itself would cancel out against the seed */
    drxi_put32(out, crc);
    return crc;
}

size_t drxi_growth_encode(const struct drxi_growth *growth, uint8_t *out)
{
    if (out) {
        drxi_put64(out, (uint64_t)growth->by);
        drxi_put64(out + 8, (uint64_t)growth->bound);
    }
    return 16;
}

bool drxi_growth_decode(const struct drxi_record *record, struct drxi_growth *growth)
{
    if (record->payload_bytes != 16)
        return false;
    growth->axis = record->arg;
    growth->end = record->kind == DRXI_GROW_LOW || record->kind == DRXI_INTENT_LOW ? DRXI_LOW : DRXI_HIGH;
    growth->by = (int64_t)drxi_get64(record->payload);
    growth->bound = (int64_t)drxi_get64(record->payload + 8);
    return true;
}

size_t drxi_trim_encode(const struct drxi_trimming *trim, uint8_t *out)
{
    if (out) {
        drxi_put64(out, (uint64_t)trim->lower);
        drxi_put64(out + 8, (uint64_t)trim->upper);
    }
    return 16;
}

bool drxi_trim_decode(const struct drxi_record *record, struct drxi_trimming *trim)
{
    if (record->payload_bytes != 16)
        return false;
    trim->axis = record->arg;
    trim->lower = (int64_t)drxi_get64(record->payload);
    trim->upper = (int64_t)drxi_get64(record->payload + 8);
    return true;
}

size_t drxi_successor_encode(const struct drxi_successor *next, uint8_t *out)
{
    if (out) {
        drxi_put64(out, (uint64_t)next->end);
        drxi_put64(out + 8, next->sequence);
        drxi_put64(out + 16, next->crc);
    }
    return 24;
}

bool drxi_successor_decode(const struct drxi_record *record, struct drxi_successor *next)
{
    if (record->payload_bytes != 24 || (int64_t)drxi_get64(record->payload) < DRXI_RECORD_HEAD_BYTES + 8)
        return false;
    next->end = (int64_t)drxi_get64(record->payload);
    next->sequence = drxi_get64(record->payload + 8);
    next->crc = drxi_get32(record->payload + 16);
    return true;
}

size_t drxi_origin_encode(int ndim, const int64_t lower[], uint8_t *out)
{
    for (int j = 0; out && j < ndim; j++)
        drxi_put64(out + 8 * j, (uint64_t)lower[j]);
    return 8 * (size_t)ndim;
}

bool drxi_origin_decode(const struct drxi_record *record, int ndim, int64_t lower[])
{
    if (record->payload_bytes != 8 * (size_t)ndim)
        return false;
    for (int j = 0; j < ndim; j++)
        lower[j] = (int64_t)drxi_get64(record->payload + 8 * j);
    return true;
}

size_t drxi_sync_encode(int64_t chunks, int64_t epoch, uint8_t *out)
{
    if (out)
        drxi_put64(out, (uint64_t)chunks);
    if (out && epoch > 0)
        drxi_put64(out + 8, (uint64_t)epoch);
    return epoch > 0 ? 16 : 8;
}

bool drxi_sync_decode(const struct drxi_record *record, int64_t *chunks, int64_t *epoch)
{
    *epoch = 0;
    if (record->payload_bytes != 8 && record->payload_bytes != 16)
        return false;
    *chunks = (int64_t)drxi_get64(record->payload);
    if (record->payload_bytes == 8)
        return true;
    *epoch = (int64_t)drxi_get64(record->payload + 8);
    return *epoch > 0;
}

size_t drxi_member_encode(const struct drxi_membership *member, uint8_t *out)
{
    if (out) {
        memcpy(out, member->dataset, DRXI_ID_BYTES);
        drxi_put64(out + DRXI_ID_BYTES, (uint64_t)member->settled);
    }
    return DRXI_ID_BYTES + 8;
}

bool drxi_member_decode(const struct drxi_record *record, struct drxi_membership *member)
{
    if (record->payload_bytes != DRXI_ID_BYTES + 8)
        return false;
    memcpy(member->dataset, record->payload, DRXI_ID_BYTES);
    member->settled = (int64_t)drxi_get64(record->payload + DRXI_ID_BYTES);
    return member->settled >= -1;
}

size_t drxi_attr_encode(const struct drxi_attr_payload *attr, uint8_t *out)
{
    const size_t value_bytes = (size_t)attr->n * drx_type_size(attr->type);
    const size_t name_end = 16 + padded(attr->name_bytes);
    const size_t bytes = name_end + padded(value_bytes);

    if (out) {
        memset(out, 0, bytes);
        out[0] = (uint8_t)attr->type;
        out[1] = attr->is_text;
        drxi_put16(out + 2, (uint16_t)attr->name_bytes);
        drxi_put64(out + 8, (uint64_t)attr->n);
        memcpy(out + 16, attr->name, attr->name_bytes);
        if (value_bytes > 0)
            memcpy(out + name_end, attr->values, value_bytes);
        drxi_swap(out + name_end, value_bytes, attr->type);
    }
    return bytes;
}

bool drxi_attr_decode(const struct drxi_record *record, struct drxi_attr_payload *attr)
{
    const uint8_t *p = record->payload;
    size_t item_bytes;

    if (record->payload_bytes < 16)
        return false;
    attr->type = (drx_type)p[0];
    attr->is_text = p[1];
    attr->name_bytes = drxi_get16(p + 2);
    attr->n = (int64_t)drxi_get64(p + 8);
    attr->name = (const char *)p + 16;
    item_bytes = drx_type_size(attr->type);
    if (item_bytes == 0 || (enum drxi_kind)record->kind != drxi_attr_kind(attr->type) || p[1] > 1 ||
        (attr->is_text && attr->type != DRX_UINT8))
        return false;
    if (attr->n < 0 || attr->n > DRXI_ATTR_MAX_BYTES / (int64_t)item_bytes)
        return false;
    attr->values = p + 16 + padded(attr->name_bytes);
    if (attr->name_bytes < 1 || attr->name_bytes > DRXI_NAME_MAX_BYTES)
        return false;
    if (record->payload_bytes != drxi_attr_encode(attr, NULL) || !drxi_is_utf8(attr->name, attr->name_bytes))
        return false;
    return !attr->is_text || drxi_is_utf8(attr->values, (size_t)attr->n);
}

drx_status drxi_attr_check_type(const struct drxi_record *record)
{
    const int type = record->kind == DRXI_ATTR_LATER && record->payload_bytes > 0 ? record->payload[0] : DRX_INT8;

    return type > DRX_COMPLEX128 && drx_type_size((drx_type)type) == 0
               ? drxi_fail(DRX_EUNSUPPORTED, "an attribute of the unknown type %d", type)
               : DRX_OK;
}

size_t drxi_name_encode(const char *name, size_t name_bytes, uint8_t *out)
{
    const size_t bytes = 8 + padded(name_bytes);

    if (out) {
        memset(out, 0, bytes);
        drxi_put16(out, (uint16_t)name_bytes);
        if (name_bytes > 0)
            memcpy(out + 8, name, name_bytes);
    }
    return bytes;
}

bool drxi_name_decode(const struct drxi_record *record, const char **name, size_t *name_bytes)
{
    if (record->payload_bytes < 8)
        return false;
    *name_bytes = drxi_get16(record->payload);
    *name = (const char *)record->payload + 8;
    return *name_bytes <= DRXI_NAME_MAX_BYTES && record->payload_bytes == drxi_name_encode(NULL, *name_bytes, NULL) &&
           drxi_is_utf8(*name, *name_bytes);
}
