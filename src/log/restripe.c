/* The log of an array with other stripes: its first record names them, and all later records are sealed anew. */
#include "log/log.h"

/* The log that is written, front to back. */
struct rewriting {
    drxi_io *to;
    int64_t at;
    uint64_t sequence;
    uint32_t crc;
};

static drx_status put(struct rewriting *w, const uint8_t *bytes, size_t n)
{
    drx_status st = w->to->ops->write(w->to, bytes, n, w->at);

    w->at += (int64_t)n;
    return st;
}

/* Seal the record; its payload follows the room for its head. */
static void seal(struct rewriting *w, uint8_t *record, size_t payload_bytes, int kind, int arg)
{
    w->crc = drxi_record_seal(record, payload_bytes, kind, arg, ++w->sequence, w->crc);
}

static drx_status put_stripes(struct rewriting *w, const struct drxi_stripes *stripes)
{
    const size_t bytes = drxi_stripes_encode(stripes, NULL);
    uint8_t *record = drxi_malloc(DRXI_RECORD_HEAD_BYTES + bytes);
    drx_status st = DRX_ENOMEM;

    if (record) {
        (void)drxi_stripes_encode(stripes, record + DRXI_RECORD_HEAD_BYTES);
        seal(w, record, bytes, DRXI_STRIPES, stripes->n);
        st = put(w, record, DRXI_RECORD_HEAD_BYTES + bytes);
    }
    drxi_free(record);
    return st;
}

/* Seal n bytes of whole records, without those of stripes; returns the bytes that remain. */
static size_t seal_all(struct rewriting *w, uint8_t *bytes, size_t n)
{
    struct drxi_record record;
    size_t kept = 0;

    for (size_t at = 0; at < n && drxi_record_decode(bytes + at, n - at, &record); at += record.bytes) {
        if (record.kind == DRXI_STRIPES)
            continue;
        memmove(bytes + kept, bytes + at, record.bytes);
        seal(w, bytes + kept, record.payload_bytes, record.kind, record.arg);
        kept += record.bytes;
    }
    return kept;
}

static drx_status restripe(const struct drxi_log *log, int64_t end, const struct drxi_stripes *stripes, drxi_io *to)
{
    const size_t desc_bytes = drxi_desc_bytes(log->state.made.ndim);
    struct rewriting w = { .to = to };
    const size_t known = (size_t)log->state.chain.end;
    const size_t rest = (size_t)(end - log->state.chain.end);
    uint8_t *bytes = drxi_malloc((size_t)end);
    size_t got = 0, kept;
    drx_status st = bytes ? log->io->ops->read(log->io, bytes, (size_t)end, 0, &got) : DRX_ENOMEM;

    if (!st && got < (size_t)end)
        st = drxi_fail(DRX_EDAMAGED, "%s: became shorter while it was copied", log->io->path);
    if (!st) {
        w.crc = drxi_get32(bytes + 8); /* the CRC of the description */
        st = put(&w, bytes, desc_bytes);
    }
    if (!st)
        st = put_stripes(&w, stripes);
    if (!st) {
        kept = seal_all(&w, bytes + desc_bytes, known - desc_bytes);
        st = put(&w, bytes + desc_bytes, kept);
    }
    if (!st && rest > 0)
        st = put(&w, bytes + known, rest);
    drxi_free(bytes);
    return st;
}

drx_status drxi_log_restripe(const struct drxi_log *log, int64_t end, const struct drxi_stripes *stripes, drxi_io *to)
{
    return (log->lone ? log->next->restripe : restripe)(log, end, stripes, to);
}

/* Whether the log begins with a record of stripes. The description has been read. */
static drx_status begins_with_stripes(struct drxi_log *log, bool *begins)
{
    uint8_t head[DRXI_RECORD_HEAD_BYTES];
    size_t got;
    drx_status st = log->io->ops->read(log->io, head, sizeof head, log->state.chain.end, &got);

    *begins = !st && drxi_record_bytes(head, got) > 0 && drxi_get16(head + 12) == DRXI_STRIPES;
    return st;
}

static drx_status read_stripes(struct drxi_log *log)
{
    enum drxi_tail tail;
    bool begins = false;
    drx_status st = drxi_log_describe(log);

    if (!st && log->lone)
        return DRX_OK;
    if (!st)
        st = begins_with_stripes(log, &begins);
    return st || !begins ? st : drxi_log_read(log, &tail);
}

drx_status drxi_log_find_stripes(drxi_io *meta, const struct drxi_next_log *next, struct drxi_stripes *out)
{
    char detail[DRXI_DETAIL_BYTES];
    struct drxi_looked looked;
    struct drxi_log log = { .io = meta, .next = next };
    drx_status st;

    drxi_report_keep(detail);
    st = read_stripes(&log);
    *out = log.state.stripes;
    memset(&log.state.stripes, 0, sizeof log.state.stripes);
    drxi_log_free(&log);
    drxi_files->look(meta->path, true, &looked);
    out->owned = looked.there;
    out->owner = looked.owner;
    if (st == DRX_EFORMAT || st == DRX_EDAMAGED || st == DRX_EUNSUPPORTED || st == DRX_EOVERFLOW)
        st = DRX_OK; /* nobody can tell its stripes */
    if (!st)
        drxi_report_set(detail);
    return st;
}
