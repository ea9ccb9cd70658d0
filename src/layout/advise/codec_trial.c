/* What compression makes of an array: of one that is compressed, by its table; of any, by a sample of its chunks. */
#include "array/array.h"

struct survey {
    drx_packing out;
    int64_t stored;
};

static drx_status count_payload(struct drxi_pack *p, int64_t q, struct drxi_entry *e, void *arg)
{
    struct survey *s = arg;
    const int i = drxi_entry_newer(e);

    if (e->half[0].bad || e->half[1].bad)
        return drxi_pack_bad_entry(p, q);
    if (i < 0)
        return DRX_OK;
    s->stored++;
    if (e->half[i].open)
        s->out.open_chunks++;
    else
        s->out.compressed_chunks++;
    s->out.stored_bytes += e->half[i].length;
    return DRX_OK;
}

static drx_status survey(drx_array *a, struct survey *s)
{
    struct drxi_pack *p = a->data.file->pack;
    int64_t chunks = 1, size = 0;
    drx_status st;

    if (!p)
        return drxi_fail(DRX_EINVAL, "%s: its chunks are not compressed", a->parts.label);
    for (int j = 0; j < a->data.ndim; j++)
        chunks *= a->data.map.upper[j] - a->data.map.lower[j];
    st = a->data.file->pool ? drxi_pool_flush(a->data.file->pool) : DRX_OK;
    if (!st)
        st = drxi_pack_walk(p, 0, a->data.map.chunks, count_payload, s);
    if (!st)
        st = p->payloads->ops->size(p->payloads, &size);
    if (!st)
        st = drxi_stored_bytes(p->payloads, size, false, &size);
    s->out.empty_chunks = drxi_max(0, chunks - s->stored);
    s->out.dead_bytes = drxi_max(0, size - s->out.stored_bytes);
    s->out.table_bytes = a->data.map.chunks * DRXI_ENTRY_BYTES;
    return st;
}

drx_status drx_packing_of(drx_array *a, drx_packing *out)
{
    struct survey s = { .stored = 0 };
    drx_status st;

    if (!a)
        return drxi_no_array();
    if (!out)
        return drxi_fail(DRX_EINVAL, "%s: out is a null pointer", a->parts.label);
    drxi_gate_enter(&a->gate);
    st = survey(a, &s);
    drxi_gate_leave(&a->gate);
    if (!st)
        *out = s.out;
    return st;
}

/* The elements of a chunk inside the bounds, as the chunk has them; the rest is fill. */
static drx_status read_chunk(drx_array *a, const int64_t index[], uint8_t *bytes)
{
    const struct drxi_state *s = &a->log.state;
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];

    drxi_fill(bytes, a->data.chunk_bytes / (int64_t)a->data.item_bytes, s->desc.fill, a->data.item_bytes);
    for (int j = 0; j < s->desc.ndim; j++) {
        const int64_t first = index[j] * s->desc.chunk[j];

        lo[j] = drxi_max(first, s->lower[j]);
        count[j] = drxi_min(first + s->desc.chunk[j], s->upper[j]) - lo[j];
        bytes += (lo[j] - first) * a->data.item_pitch_bytes[j];
        if (count[j] <= 0)
            return DRX_OK;
    }
    return drxi_transfer_read(
        &a->data, &(struct drxi_box){ .lo = lo, .count = count, .stride_bytes = a->data.item_pitch_bytes }, bytes);
}

static drx_status try_chunk(drx_array *a, const struct drxi_codec *codec, int64_t number, uint8_t *bytes,
                            uint8_t *frame, drx_trial *out)
{
    const drxi_map *map = &a->data.map;
    const size_t n = (size_t)a->data.chunk_bytes;
    int64_t index[DRX_MAX_NDIM];
    double begun;
    size_t length;
    drx_status st;

    for (int j = a->data.ndim - 1; j >= 0; j--) {
        index[j] = map->lower[j] + number % (map->upper[j] - map->lower[j]);
        number /= map->upper[j] - map->lower[j];
    }
    if ((st = read_chunk(a, index, bytes)))
        return st;
    drxi_swap(bytes, n, a->data.type);
    begun = drxi_now();
    length = drxi_frame_pack(codec, a->data.item_bytes, bytes, n, frame);
    out->pack_seconds += drxi_now() - begun;
    begun = drxi_now();
    if (length == 0 || !drxi_frame_unpack(frame, length, bytes, n))
        return drxi_fail(DRX_EIO, "%s: the codec %s failed", a->parts.label, drx_codec_name(codec->codec));
    out->unpack_seconds += drxi_now() - begun;
    out->raw_bytes += (int64_t)n;
    out->packed_bytes += (int64_t)length;
    return DRX_OK;
}

static drx_status try_codec(drx_array *a, const struct drxi_codec *codec, int64_t most, drx_trial *out)
{
    int64_t chunks = 1;
    uint8_t *bytes, *frame;
    drx_status st = drxi_codec_check(codec, a->data.chunk_bytes);

    if (st)
        return st;
    for (int j = 0; j < a->data.ndim; j++)
        chunks *= a->data.map.upper[j] - a->data.map.lower[j];
    if (a->data.file->pool && (st = drxi_pool_flush(a->data.file->pool)))
        return st;
    bytes = drxi_malloc((size_t)a->data.chunk_bytes);
    frame = drxi_malloc((size_t)a->data.chunk_bytes + DRXI_FRAME_HEAD_BYTES);
    st = bytes && frame ? DRX_OK : DRX_ENOMEM;
    most = drxi_min(most, chunks);
    for (int64_t i = 0; !st && i < most; i++)
        st = try_chunk(a, codec, chunks / most * i + chunks / most / 2, bytes, frame, out);
    drxi_free(bytes);
    drxi_free(frame);
    return st;
}

drx_status drx_try_codec(drx_array *a, drx_codec codec, int level, drx_shuffle shuffle, int64_t most_chunks,
                         drx_trial *out)
{
    drx_trial trial = { .raw_bytes = 0 };
    struct drxi_codec chosen;
    drx_status st;

    if (!a)
        return drxi_no_array();
    if (!out || codec == DRX_RAW || most_chunks < 1)
        return drxi_fail(DRX_EINVAL, "%s: out is a null pointer, codec DRX_RAW, or most_chunks below 1",
                         a->parts.label);
    if ((st = drxi_codec_of(codec, level, shuffle, a->data.item_bytes, &chosen)))
        return st;
    drxi_gate_enter(&a->gate);
    st = try_codec(a, &chosen, most_chunks, &trial);
    drxi_gate_leave(&a->gate);
    if (!st)
        *out = trial;
    return st;
}
