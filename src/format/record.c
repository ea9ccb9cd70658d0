/* Payloads of records. */
#include "format/format.h"

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

size_t drxi_growth_encode(const struct drxi_growth *growth, uint8_t *out)
{
    if (out) {
        drxi_put64(out, (uint64_t)growth->by);
        drxi_put64(out + 8, (uint64_t)growth->bound);
    }
    return DRXI_GROWTH_BYTES;
}

bool drxi_growth_decode(const struct drxi_record *record, struct drxi_growth *growth)
{
    if (record->payload_bytes != DRXI_GROWTH_BYTES)
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
    if (item_bytes == 0 || p[1] > 1 || (attr->is_text && attr->type != DRX_UINT8))
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
