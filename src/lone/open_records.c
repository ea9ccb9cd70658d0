/* Records of an open transaction, looked at without applying them (spec/drx-format.md, 5.4). */
#include "lone/lone.h"

static struct drxi_chain behind(const struct drxi_log_record *r)
{
    return (struct drxi_chain){ r->at + (int64_t)r->bytes, r->sequence, r->crc, r->at };
}

/* The record that follows *end, if a whole one does. */
static drx_status next(drxi_io *file, const struct drxi_chain *end, int64_t size, uint8_t **bytes, int64_t *room,
                       struct drxi_log_record *record, bool *is)
{
    uint8_t head[DRXI_LOG_HEAD_BYTES];
    size_t got, n;
    drx_status st = file->ops->read(file, head, sizeof head, end->end, &got);

    *is = false;
    if (st || got < sizeof head || (n = drxi_log_record_bytes(head)) == 0 || (int64_t)n > size - end->end)
        return st;
    st = drxi_reserve(bytes, room, (int64_t)n, 1);
    if (!st)
        st = file->ops->read(file, *bytes, n, end->end, &got);
    *is = !st && drxi_log_record_decode(*bytes, got, end->end, record) && record->prev == end->crc &&
          record->sequence == end->sequence + 1;
    return st;
}

drx_status drxi_lone_knows_open(drxi_io *file, const struct drxi_log_place *from, bool *knows)
{
    struct drxi_chain end = { from->end, from->sequence, from->crc, from->last };
    struct drxi_log_record record;
    int64_t room = 0, size = 0;
    uint8_t *bytes = NULL;
    bool is = true;
    drx_status st = file->ops->size(file, &size);

    *knows = true;
    while (!st && is && *knows && end.end < size) {
        st = next(file, &end, size, &bytes, &room, &record, &is);
        if (st || !is)
            break;
        end = behind(&record);
        *knows = record.kind >= DRXI_LOG_OPTIONAL || (record.kind < DRXI_LOG_KINDS && !(record.flags & ~DRXI_C));
    }
    drxi_free(bytes);
    return st;
}
