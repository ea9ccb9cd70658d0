/* The description and the records of `dataset.xds`. */
#include "format/dataset_record.h"
#include "format/crc.h"

enum { VERSION_MAJOR = 1, VERSION_MINOR = 0, PROLOGUE_BYTES = 20 };

static const uint8_t magic[8] = { 0x89, 'D', 'R', 'S', '\r', '\n', 0x1a, '\n' };

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

uint32_t drxi_dataset_encode(const uint8_t id[], uint8_t out[DRXI_DATASET_BYTES])
{
    uint32_t crc;

    memset(out, 0, DRXI_DATASET_BYTES);
    memcpy(out, magic, sizeof magic);
    drxi_put32(out + 12, DRXI_DATASET_BYTES);
    drxi_put16(out + 16, VERSION_MAJOR);
    drxi_put16(out + 18, VERSION_MINOR);
    memcpy(out + 32, id, DRXI_ID_BYTES);
    crc = drxi_crc32c(0, out + 12, DRXI_DATASET_BYTES - 12);
    drxi_put32(out + 8, crc);
    return crc;
}

drx_status drxi_dataset_decode(const uint8_t *p, size_t n, const char *name, uint8_t id[], uint32_t *crc)
{
    if (n < sizeof magic || memcmp(p, magic, sizeof magic) != 0)
        return drxi_fail(DRX_EFORMAT, "%s: does not begin as the log of a dataset does", name);
    if (n < PROLOGUE_BYTES)
        return drxi_fail(DRX_EDAMAGED, "%s: %zu bytes long, expected %d or more", name, n, DRXI_DATASET_BYTES);
    if (drxi_get16(p + 16) != VERSION_MAJOR)
        return drxi_fail(DRX_EUNSUPPORTED, "%s: format version %d, this library reads version %d", name,
                         drxi_get16(p + 16), VERSION_MAJOR);
    if (drxi_get32(p + 12) != DRXI_DATASET_BYTES || n < DRXI_DATASET_BYTES)
        return drxi_fail(DRX_EDAMAGED, "%s: its description has %u bytes, expected %d", name,
                         (unsigned)drxi_get32(p + 12), DRXI_DATASET_BYTES);
    *crc = drxi_get32(p + 8);
    if (*crc != drxi_crc32c(0, p + 12, DRXI_DATASET_BYTES - 12))
        return drxi_fail(DRX_EDAMAGED, "%s: the description is damaged: its checksum does not match", name);
    if (!drxi_is_zero(p + 20, 12))
        return drxi_fail(DRX_EUNSUPPORTED, "%s: flags that this version does not know", name);
    memcpy(id, p + 32, DRXI_ID_BYTES);
    return DRX_OK;
}

size_t drxi_dimension_encode(const struct drxi_dimension_record *dim, uint8_t *out)
{
    if (out) {
        drxi_put64(out, (uint64_t)dim->lower);
        drxi_put64(out + 8, (uint64_t)dim->bound);
    }
    return 16 + drxi_name_encode(dim->name, dim->name_bytes, out ? out + 16 : NULL);
}

/* The part of a record's payload from `at` on, as a record of its own. */
static bool tail_of(const struct drxi_record *record, size_t at, struct drxi_record *out)
{
    if (record->payload_bytes < at)
        return false;
    *out = *record;
    out->payload += at;
    out->payload_bytes -= at;
    return true;
}

bool drxi_dimension_decode(const struct drxi_record *record, struct drxi_dimension_record *dim)
{
    struct drxi_record name;

    if (!tail_of(record, 16, &name) || !drxi_name_decode(&name, &dim->name, &dim->name_bytes))
        return false;
    dim->lower = (int64_t)drxi_get64(record->payload);
    dim->bound = (int64_t)drxi_get64(record->payload + 8);
    return dim->name_bytes > 0 && drxi_is_span(dim->lower, dim->bound);
}

static size_t dims_bytes(int ndim)
{
    return padded(4 * (size_t)ndim);
}

size_t drxi_addition_encode(const struct drxi_addition *add, uint8_t *out)
{
    const size_t name_at = DRXI_ID_BYTES + dims_bytes(add->ndim);

    if (out) {
        memset(out, 0, name_at);
        memcpy(out, add->id, DRXI_ID_BYTES);
        for (int j = 0; j < add->ndim; j++)
            drxi_put32(out + DRXI_ID_BYTES + 4 * j, (uint32_t)add->dim[j]);
    }
    return name_at + drxi_name_encode(add->name, add->name_bytes, out ? out + name_at : NULL);
}

bool drxi_addition_decode(const struct drxi_record *record, struct drxi_addition *add)
{
    struct drxi_record name;

    add->ndim = record->arg;
    if (add->ndim > DRX_MAX_NDIM || !tail_of(record, DRXI_ID_BYTES + dims_bytes(add->ndim), &name) ||
        !drxi_name_decode(&name, &add->name, &add->name_bytes))
        return false;
    memcpy(add->id, record->payload, DRXI_ID_BYTES);
    for (int j = 0; j < add->ndim; j++) {
        const uint32_t dim = drxi_get32(record->payload + DRXI_ID_BYTES + 4 * j);

        if (dim > INT32_MAX)
            return false;
        add->dim[j] = (int)dim;
    }
    return drxi_is_member_name(add->name, add->name_bytes);
}

void drxi_target_encode(int64_t member, uint8_t *out)
{
    drxi_put64(out, (uint64_t)member);
}

bool drxi_target_decode(const struct drxi_record *record, int64_t *member, struct drxi_record *rest)
{
    if (!tail_of(record, DRXI_TARGET_BYTES, rest))
        return false;
    *member = (int64_t)drxi_get64(record->payload);
    rest->kind = record->kind == DRXI_DS_ATTR         ? DRXI_ATTR
                 : record->kind == DRXI_DS_ATTR_LATER ? DRXI_ATTR_LATER
                                                      : DRXI_ATTR_DELETE;
    return true;
}

void drxi_new_axis_encode(const struct drxi_new_axis *axis, uint8_t *out)
{
    memset(out, 0, DRXI_NEW_AXIS_BYTES);
    drxi_put64(out, (uint64_t)axis->member);
    drxi_put32(out + 8, (uint32_t)axis->dim);
}

bool drxi_new_axis_decode(const struct drxi_record *record, struct drxi_new_axis *axis)
{
    uint32_t dim;

    if (record->payload_bytes != DRXI_NEW_AXIS_BYTES)
        return false;
    dim = drxi_get32(record->payload + 8);
    axis->member = (int64_t)drxi_get64(record->payload);
    axis->dim = (int)dim;
    axis->at = record->arg;
    return dim <= INT32_MAX && drxi_is_zero(record->payload + 12, 4);
}

size_t drxi_commit_encode(const struct drxi_commit_record *commit, const struct drxi_dim_change change[], uint8_t *out)
{
    const size_t message_at = DRXI_COMMIT_HEAD_BYTES + DRXI_COMMIT_CHANGE_BYTES * (size_t)commit->changes;
    const size_t bytes = message_at + padded(commit->message_bytes);

    if (!out)
        return bytes;
    memset(out, 0, bytes);
    drxi_put64(out, (uint64_t)commit->number);
    drxi_put64(out + 8, (uint64_t)commit->time);
    drxi_put32(out + 16, (uint32_t)commit->changes);
    drxi_put32(out + 20, (uint32_t)commit->message_bytes);
    for (int i = 0; i < commit->changes; i++) {
        uint8_t *p = out + DRXI_COMMIT_HEAD_BYTES + DRXI_COMMIT_CHANGE_BYTES * i;

        drxi_put32(p, (uint32_t)change[i].dim);
        drxi_put32(p + 4, (uint32_t)change[i].end);
        drxi_put64(p + 8, (uint64_t)change[i].by);
        drxi_put64(p + 16, (uint64_t)change[i].bound);
    }
    if (commit->message_bytes > 0)
        memcpy(out + message_at, commit->message, commit->message_bytes);
    return bytes;
}

bool drxi_commit_decode(const struct drxi_record *record, struct drxi_commit_record *commit)
{
    const uint8_t *p = record->payload;
    uint32_t changes;

    if (record->payload_bytes < DRXI_COMMIT_HEAD_BYTES)
        return false;
    changes = drxi_get32(p + 16);
    if (changes > record->payload_bytes / DRXI_COMMIT_CHANGE_BYTES)
        return false;
    commit->number = (int64_t)drxi_get64(p);
    commit->time = (int64_t)drxi_get64(p + 8);
    commit->changes = (int)changes;
    commit->message_bytes = drxi_get32(p + 20);
    commit->message = (const char *)p + DRXI_COMMIT_HEAD_BYTES + DRXI_COMMIT_CHANGE_BYTES * changes;
    return commit->message_bytes <= DRXI_MESSAGE_MAX_BYTES &&
           record->payload_bytes == drxi_commit_encode(commit, NULL, NULL) &&
           drxi_is_utf8(commit->message, commit->message_bytes);
}

bool drxi_commit_change(const struct drxi_record *record, int i, struct drxi_dim_change *change)
{
    const uint8_t *p = record->payload + DRXI_COMMIT_HEAD_BYTES + DRXI_COMMIT_CHANGE_BYTES * i;
    const uint32_t dim = drxi_get32(p), end = drxi_get32(p + 4);

    change->dim = (int)dim;
    change->end = (enum drxi_end)end;
    change->by = (int64_t)drxi_get64(p + 8);
    change->bound = (int64_t)drxi_get64(p + 16);
    return dim <= INT32_MAX && end <= DRXI_LOW && change->by != 0 && change->by != INT64_MIN;
}

bool drxi_is_member_name(const char *name, size_t n)
{
    return n > 0 && n <= DRXI_MEMBER_NAME_MAX_BYTES && name[0] != '.' && !memchr(name, '/', n) && drxi_is_utf8(name, n);
}
