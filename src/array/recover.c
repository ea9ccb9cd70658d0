/* Recovery: what a crash has left is put right by the one who opens for writing and holds the lock of a change.
 *
 * Invariants
 *   1. Damage is never written to.
 *   2. A torn tail is cut off, durably, before anything is appended; drx_open tells of it.
 *   3. An INTENT at the end of the log is an append that was not committed: its
 *      slab is put back to fill.
 *   4. The data file then has the length of its chunks, and so have the checksums,
 *      which are those of what is there.
 *   5. Other cells outside the bounds are looked at when growth uncovers them. */
#include "data/sums.h"

drx_status drxi_check_length(drx_array *a, int64_t *size, bool *damaged)
{
    const int64_t promised = a->state.synced_chunks * a->chunk_pitch_bytes;
    drx_status st = DRX_OK;

    *size = 0;
    for (int k = drxi_stripes_count(a->data) - 1; !st && k >= 0; k--) {
        drxi_io *file = drxi_stripes_file(a->data, k);
        const int64_t least = drxi_stripes_share(a->data, k, promised);
        int64_t bytes = 0;

        st = file->ops->size(file, &bytes);
        if (!st && bytes < least) {
            *damaged = true;
            (void)drxi_fail(DRX_EDAMAGED, "%s: damaged: %lld bytes long, its last sync promised %lld", file->path,
                            (long long)bytes, (long long)least);
        }
        if (!st && bytes > 0) /* up to its last byte, and that */
            *size = drxi_max(*size, drxi_min(drxi_stripes_whole(a->data, k, bytes - 1), INT64_MAX - 1) + 1);
    }
    return st;
}

static drx_status cut_tail(drx_array *a)
{
    drx_status st = a->meta->ops->resize(a->meta, a->state.log_end);

    return st ? st : a->meta->ops->sync(a->meta);
}

/* Write the fill from the byte `at` of file k of the data, where an element begins, to its end. */
static drx_status fill_end(drx_array *a, int k, int64_t at, int64_t length)
{
    const bool one = drxi_stripes_count(a->data) == 1;
    const int64_t pitch = a->chunk_pitch_bytes;
    drx_status st = DRX_OK;

    while (!st && at < length) {
        const int64_t end = one ? length : (at / pitch + 1) * pitch;
        const int64_t begin = drxi_stripes_whole(a->data, k, at);

        st = drxi_data_fill(a, begin, begin + (end - at));
        at = end;
    }
    return st;
}

/* Let a file of the data have the length of its chunks. */
static drx_status mend_length(drx_array *a, int k)
{
    drxi_io *file = drxi_stripes_file(a->data, k);
    const int64_t length = drxi_data_length(a, k);
    int64_t size;
    drx_status st = file->ops->size(file, &size);

    if (st || size == length)
        return st;
    if (size < length && size % (int64_t)a->item_bytes) /* an element that is not wholly there */
        st = file->ops->resize(file, size - size % (int64_t)a->item_bytes);
    if (!st && size < length && !a->zero_fill) /* that there is no room for all of it is found first */
        st = file->ops->reserve(file, size, length);
    if (!st && size < length && !a->zero_fill)
        st = fill_end(a, k, size - size % (int64_t)a->item_bytes, length);
    if (!st)
        st = file->ops->resize(file, length);
    return st ? st : file->ops->sync(file);
}

drx_status drxi_recover(drx_array *a, enum drxi_tail tail)
{
    drx_status st = DRX_OK;

    if (tail == DRXI_TORN)
        st = cut_tail(a);
    if (!st)
        st = drxi_sums_recover(a);
    for (int k = 0; !st && k < drxi_stripes_count(a->data); k++)
        st = mend_length(a, k);
    if (!st && a->state.intent_open)
        st = drxi_undo_append(a, &a->state.intent);
    for (int j = 0; j < a->state.desc.ndim; j++)
        a->found[j] = drxi_chunks_end(a, j);
    a->data_unsynced = true; /* by whoever wrote last, or gave the names */
    a->new_names = true;
    return st;
}
