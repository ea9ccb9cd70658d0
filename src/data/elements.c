/* Elements of the data. What the file lacks reads as fill, unless the last SYNC promised it. */
#include "data/sums.h"
#include "io/schedule.h"
#include "pool/cached_file.h"

enum { FILL_BYTES = 1 << 18 };

static int64_t promised_bytes(const struct drxi_data *data)
{
    return drxi_data_promised(data) * data->chunk_pitch_bytes;
}

drx_status drxi_data_complete(struct drxi_data *data, void *buf, size_t n, size_t got, int64_t end)
{
    if (got < n && end < promised_bytes(data)) {
        int64_t at;
        const drxi_io *file = drxi_stripes_find(data->file->io, end, &at);

        return drxi_fail(DRX_EDAMAGED, "%s: damaged: ends before offset %lld, which its last sync promised", file->path,
                         (long long)at);
    }
    drxi_fill((uint8_t *)buf + got, (int64_t)((n - got) / data->item_bytes), data->fill, data->item_bytes);
    drxi_swap(buf, got, data->type);
    return DRX_OK;
}

/* Of what begins with an element or a chunk at `offset` the file has `got` bytes. Leave out an element that it has in
 * part. Padding may stand between a chunk and the next, whose size no element divides: then *n ends with the chunk. */
static size_t whole_elements(const struct drxi_data *data, size_t got, int64_t offset, size_t *n)
{
    const int64_t item = (int64_t)data->item_bytes, pitch = data->chunk_pitch_bytes, end = offset + (int64_t)got;

    if (pitch % item == 0)
        return got - got % data->item_bytes;
    if (got < *n)
        *n = (size_t)drxi_min((int64_t)*n, (end / pitch + 1) * pitch - offset);
    return end % pitch < data->chunk_bytes ? got - (size_t)(end % pitch % item) : got;
}

/* Read up to *n bytes, but not beyond the first missing part; set *n to how many. */
static drx_status read_through_gap(struct drxi_data *data, drxi_io *io, void *buf, size_t *n, int64_t offset)
{
    size_t got;
    drx_status st = io->ops->read(io, buf, *n, offset, &got);

    if (st)
        return st;
    drxi_count(&data->file->counts.reads, 1);
    drxi_count(&data->file->counts.read_bytes, (int64_t)got);
    if (got < *n)
        *n = (size_t)drxi_min((int64_t)*n, drxi_stripes_gap_end(data->file->io, offset + (int64_t)got) - offset);
    got = whole_elements(data, got, offset, n);
    return data->file->stored->complete(data, buf, *n, got, offset);
}

static drx_status read_from(struct drxi_data *data, drxi_io *io, void *buf, size_t n, int64_t offset)
{
    uint8_t *p = buf;
    drx_status st = DRX_OK;

    while (!st && n > 0) {
        size_t part = n;

        st = read_through_gap(data, io, p, &part, offset);
        p += part;
        n -= part;
        offset += (int64_t)part;
    }
    return st;
}

drx_status drxi_data_read(struct drxi_data *data, void *buf, size_t n, int64_t offset)
{
    return read_from(data, data->file->io, buf, n, offset);
}

drx_status drxi_data_read_past(struct drxi_data *data, void *buf, size_t n, int64_t offset)
{
    return read_from(data, drxi_cached_inner(data->file->io), buf, n, offset);
}

drx_status drxi_data_completed(struct drxi_data *data, bool came, void *buf, size_t n, int64_t offset)
{
    if (!came)
        return drxi_data_read(data, buf, n, offset);
    drxi_count(&data->file->counts.reads, 1);
    drxi_count(&data->file->counts.read_bytes, (int64_t)n);
    return data->file->stored->complete(data, buf, n, n, offset);
}

void drxi_data_count_reads(struct drxi_data *data, const struct drxi_schedule *s)
{
    drxi_count(&data->file->counts.concurrent, s->concurrent);
    drxi_count(&data->file->counts.direct_bytes, s->direct_bytes);
}

drx_status drxi_data_put(struct drxi_data *data, const void *buf, size_t n, int64_t offset)
{
    return data->file->stored->put(data, buf, n, offset);
}

drx_status drxi_data_write(struct drxi_data *data, void *buf, size_t n, int64_t offset)
{
    drxi_swap(buf, n, data->type);
    drxi_count(&data->file->counts.writes, 1);
    drxi_count(&data->file->counts.written_bytes, (int64_t)n);
    return drxi_data_put(data, buf, n, offset);
}

/* Resize the checksums first. Otherwise the entry of a removed chunk could be compared with a later chunk there. */
drx_status drxi_data_resize(struct drxi_data *data, int64_t chunks)
{
    drx_status st = data->file->stored->resize ? data->file->stored->resize(data, chunks) : DRX_OK;

    drxi_behind_grow(data, chunks * data->chunk_pitch_bytes);
    if (!st)
        st = data->file->io->ops->resize(data->file->io, chunks * data->chunk_pitch_bytes);
    atomic_store(&data->file->unsynced, true);
    return st;
}

/* Write the fill from `begin` to `end`, including padding. */
static drx_status write_fill(struct drxi_data *data, const uint8_t *fill, int64_t fill_bytes, int64_t begin,
                             int64_t end)
{
    drx_status st = DRX_OK;

    for (int64_t at = begin; !st && at < end; at += fill_bytes)
        st = drxi_data_put(data, fill, (size_t)drxi_min(fill_bytes, end - at), at);
    return st;
}

drx_status drxi_data_fill(struct drxi_data *data, int64_t begin, int64_t end)
{
    const int64_t pitch = data->chunk_pitch_bytes;
    const int64_t items = drxi_min(end - begin, FILL_BYTES) / (int64_t)data->item_bytes;
    const int64_t fill_bytes = items * (int64_t)data->item_bytes;
    uint8_t *fill;
    drx_status st = DRX_OK;

    if (begin >= end)
        return DRX_OK;
    fill = drxi_malloc((size_t)fill_bytes);
    if (!fill)
        return DRX_ENOMEM;
    drxi_fill(fill, items, data->fill, data->item_bytes);
    drxi_swap(fill, (size_t)fill_bytes, data->type);
    if (pitch == data->chunk_bytes)
        st = write_fill(data, fill, fill_bytes, begin, end);
    else
        for (int64_t at = begin; !st && at < end; at = (at / pitch + 1) * pitch) /* skip the padding */
            st = write_fill(data, fill, fill_bytes, at, drxi_min(end, at / pitch * pitch + data->chunk_bytes));
    drxi_free(fill);
    return st;
}

drx_status drxi_data_allocate(struct drxi_data *data, int64_t before, int64_t after)
{
    const int64_t pitch = data->chunk_pitch_bytes;
    const bool fill = drxi_data_writes_fill(data) && !data->file->io->filled;
    drx_status st = DRX_OK;

    if (after == before || drxi_data_ends_early(data))
        return DRX_OK;
    if (fill)
        st = data->file->io->ops->reserve(data->file->io, before * pitch, after * pitch);
    if (!st && fill)
        st = drxi_data_fill(data, before * pitch, after * pitch);
    if (!st)
        st = drxi_data_resize(data, after);
    if (!st && fill && data->state->ever_synced)
        st = drxi_make_durable(data->file->log, data->file->io);
    return st;
}

drx_status drxi_data_bound_pool(struct drxi_data *data, size_t bytes)
{
    return data->file->pool ? drxi_pool_bound(data->file->pool, data->file->log->shared ? 0 : bytes) : DRX_OK;
}

drx_status drxi_data_new_pool(struct drxi_data *data)
{
    const drx_status st =
        drxi_pool_new(data->file->stored->through ? data->file->stored->through(data) : data->file->io,
                      data->item_bytes, 0, &data->file->pool);

    return st ? st : drxi_data_bound_pool(data, DRXI_POOL_BYTES);
}
