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
#include "array/array.h"
#include "data/sums.h"

static drx_status cut_tail(drx_array *a)
{
    drx_status st = a->log.io->ops->resize(a->log.io, a->log.state.log_end);

    return st ? st : a->log.io->ops->sync(a->log.io);
}

/* Write the fill from the byte `at` of file k of the data, where an element begins, to its end. */
static drx_status fill_end(drx_array *a, int k, int64_t at, int64_t length)
{
    const bool one = drxi_stripes_count(a->data.io) == 1;
    const int64_t pitch = a->data.chunk_pitch_bytes;
    drx_status st = DRX_OK;

    while (!st && at < length) {
        const int64_t end = one ? length : (at / pitch + 1) * pitch;
        const int64_t begin = drxi_stripes_whole(a->data.io, k, at);

        st = drxi_data_fill(&a->data, begin, begin + (end - at));
        at = end;
    }
    return st;
}

/* Let a file of the data have the length of its chunks. */
static drx_status mend_length(drx_array *a, int k)
{
    drxi_io *file = drxi_stripes_file(a->data.io, k);
    const int64_t length = drxi_data_length(&a->data, k);
    int64_t size;
    drx_status st = file->ops->size(file, &size);

    if (st || size == length)
        return st;
    if (size < length && size % (int64_t)a->data.item_bytes) /* an element that is not wholly there */
        st = file->ops->resize(file, size - size % (int64_t)a->data.item_bytes);
    if (!st && size < length && !a->data.zero_fill) /* that there is no room for all of it is found first */
        st = file->ops->reserve(file, size, length);
    if (!st && size < length && !a->data.zero_fill)
        st = fill_end(a, k, size - size % (int64_t)a->data.item_bytes, length);
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
        st = drxi_sums_recover(&a->data);
    for (int k = 0; !st && k < drxi_stripes_count(a->data.io); k++)
        st = mend_length(a, k);
    if (!st && a->log.state.intent_open)
        st = drxi_undo_append(a, &a->log.state.intent);
    for (int j = 0; j < a->log.state.desc.ndim; j++)
        a->found[j] = drxi_state_chunks_end(&a->log.state, j);
    a->data.unsynced = true; /* by whoever wrote last, or gave the names */
    a->new_names = true;
    return st;
}
