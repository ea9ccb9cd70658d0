/* The log of an array for other stripes than its own: the record that names them is its
 * first, and all that follow are sealed anew. */
#include "array/array.h"

/* What is written: bytes behind each other. */
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

/* The record whose payload stands behind the room for its head. */
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

/* Seal the n bytes of whole records, those of stripes left out; returns the bytes that remain. */
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

drx_status drxi_log_restripe(const drx_array *a, int64_t end, const struct drxi_stripes *stripes, drxi_io *to)
{
    const size_t desc_bytes = drxi_desc_bytes(a->state.desc.ndim);
    struct rewriting w = { .to = to };
    const size_t known = (size_t)a->state.log_end;
    const size_t rest = (size_t)(end - a->state.log_end);
    uint8_t *bytes = drxi_malloc((size_t)end);
    size_t got = 0, kept;
    drx_status st = bytes ? a->meta->ops->read(a->meta, bytes, (size_t)end, 0, &got) : DRX_ENOMEM;

    if (!st && got < (size_t)end)
        st = drxi_fail(DRX_EDAMAGED, "%s: became shorter while it was copied", a->meta->path);
    if (!st) {
        w.crc = drxi_get32(bytes + 8); /* of the description */
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
