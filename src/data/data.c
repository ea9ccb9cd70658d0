/* Bytes of the data file. What the file is missing reads as fill, except below
 * the last SYNC, which promised it. */
#include "data/sums.h"

enum { FILL_BYTES = 1 << 18 };

static int64_t promised_bytes(const drx_array *a)
{
    return a->state.synced_chunks * a->chunk_pitch_bytes;
}

drx_status drxi_data_complete(drx_array *a, void *buf, size_t n, size_t got, int64_t end)
{
    if (got < n && end < promised_bytes(a)) {
        int64_t at;
        const drxi_io *file = drxi_stripes_find(a->data, end, &at);

        return drxi_fail(DRX_EDAMAGED, "%s: damaged: ends before offset %lld, which its last sync promised", file->path,
                         (long long)at);
    }
    drxi_fill((uint8_t *)buf + got, (int64_t)((n - got) / a->item_bytes), a->state.desc.fill, a->item_bytes);
    drxi_swap(buf, got, a->state.desc.type);
    return DRX_OK;
}

/* Bytes up to n, or to the end of what is missing first. */
static drx_status read_through_gap(drx_array *a, void *buf, size_t *n, int64_t offset)
{
    size_t got;
    drx_status st = a->data->ops->read(a->data, buf, *n, offset, &got);

    if (st)
        return st;
    drxi_count(&a->counts.reads, 1);
    drxi_count(&a->counts.read_bytes, (int64_t)got);
    if (got < *n)
        *n = (size_t)drxi_min((int64_t)*n, drxi_stripes_gap_end(a->data, offset + (int64_t)got) - offset);
    got -= got % a->item_bytes;
    if (a->sums && (st = drxi_sums_verify(a, buf, got, offset)))
        return st;
    return drxi_data_complete(a, buf, *n, got, offset + (int64_t)got);
}

drx_status drxi_data_read(drx_array *a, void *buf, size_t n, int64_t offset)
{
    uint8_t *p = buf;
    drx_status st = DRX_OK;

    while (!st && n > 0) {
        size_t part = n;

        st = read_through_gap(a, p, &part, offset);
        p += part;
        n -= part;
        offset += (int64_t)part;
    }
    return st;
}

drx_status drxi_data_store(drx_array *a, const void *buf, size_t n, int64_t offset)
{
    atomic_store_explicit(&a->data_unsynced, true, memory_order_relaxed);
    return a->data->ops->write(a->data, buf, n, offset);
}

drx_status drxi_data_put(drx_array *a, const void *buf, size_t n, int64_t offset)
{
    return a->sums ? drxi_sums_write(a, buf, n, offset) : drxi_data_store(a, buf, n, offset);
}

drx_status drxi_data_write(drx_array *a, void *buf, size_t n, int64_t offset)
{
    drxi_swap(buf, n, a->state.desc.type);
    drxi_count(&a->counts.writes, 1);
    drxi_count(&a->counts.written_bytes, (int64_t)n);
    return drxi_data_put(a, buf, n, offset);
}

/* Checksums go first: one of a chunk that is no longer there would be held against the next one in its place. */
drx_status drxi_data_resize(drx_array *a, int64_t chunks)
{
    drx_status st = drxi_sums_resize(a, chunks);

    atomic_store_explicit(&a->data_unsynced, true, memory_order_relaxed);
    drxi_data_resized(a);
    return st ? st : a->data->ops->resize(a->data, chunks * a->chunk_pitch_bytes);
}

enum { NOT_LOOKED, VIEWED, NO_VIEW };

const struct drxi_view *drxi_data_view(drx_array *a)
{
    int state = atomic_load_explicit(&a->view_state, memory_order_acquire);
    int64_t bytes;

    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return NULL;
    if (state == NOT_LOOKED) {
        (void)pthread_mutex_lock(&a->view_lock);
        state = atomic_load_explicit(&a->view_state, memory_order_relaxed);
        if (state == NOT_LOOKED && a->view.base && a->data->ops->size(a->data, &bytes) == DRX_OK &&
            bytes <= a->view.room) {
            a->view.bytes = bytes;
            state = VIEWED;
        } else if (state == NOT_LOOKED) {
            drxi_view_close(&a->view);
            state = a->data->ops->view(a->data, &a->view) == DRX_OK && a->view.base ? VIEWED : NO_VIEW;
        }
        atomic_store_explicit(&a->view_state, state, memory_order_release);
        (void)pthread_mutex_unlock(&a->view_lock);
    }
    return state == VIEWED ? &a->view : NULL;
}

void drxi_data_resized(drx_array *a)
{
    atomic_store_explicit(&a->view_state, NOT_LOOKED, memory_order_relaxed);
}

/* Write fill from `begin` to `end` without a break. */
static drx_status write_fill(drx_array *a, const uint8_t *fill, int64_t fill_bytes, int64_t begin, int64_t end)
{
    drx_status st = DRX_OK;

    for (int64_t at = begin; !st && at < end; at += fill_bytes)
        st = drxi_data_put(a, fill, (size_t)drxi_min(fill_bytes, end - at), at);
    return st;
}

drx_status drxi_data_fill(drx_array *a, int64_t begin, int64_t end)
{
    const int64_t pitch = a->chunk_pitch_bytes;
    const int64_t items = drxi_min(end - begin, FILL_BYTES) / (int64_t)a->item_bytes;
    const int64_t fill_bytes = items * (int64_t)a->item_bytes;
    uint8_t *fill;
    drx_status st = DRX_OK;

    if (begin >= end)
        return DRX_OK;
    fill = drxi_malloc((size_t)fill_bytes);
    if (!fill)
        return DRX_ENOMEM;
    drxi_fill(fill, items, a->state.desc.fill, a->item_bytes);
    drxi_swap(fill, (size_t)fill_bytes, a->state.desc.type);
    if (pitch == a->chunk_bytes)
        st = write_fill(a, fill, fill_bytes, begin, end);
    else
        for (int64_t at = begin; !st && at < end; at = (at / pitch + 1) * pitch) /* leave the padding */
            st = write_fill(a, fill, fill_bytes, at, drxi_min(end, at / pitch * pitch + a->chunk_bytes));
    drxi_free(fill);
    return st;
}
