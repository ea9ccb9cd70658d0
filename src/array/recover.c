/* Recovery: a handle that opens for writing, and holds the lock of a change, mends what a crash has left.
 *
 * Invariants
 *   1. Recovery never writes to a damaged array.
 *   2. It cuts off a torn tail, durably, before anything is appended; drx_open reports that.
 *   3. An INTENT at the end of the log, or a GROW that does not count, is an append that was not committed: its slab
 *      becomes fill again. The GROW is cut off then.
 *   4. Then the data file, the checksums and the table have the lengths of their chunks, durably where they were longer,
 *      and the checksums are those of the data.
 *   5. Payloads of a compressed array that were not synced are synced now: what was good at the open stays so, whatever
 *      overwrites it later (open.c).
 *   6. Other cells outside the bounds are checked when growth uncovers them. */
#include "array/array.h"
#include "data/sums.h"

/* Write the fill to file k of the data from `at`, where an element begins, to its end. */
static drx_status fill_end(drx_array *a, int k, int64_t at, int64_t length)
{
    const bool one = drxi_stripes_count(a->data.file->io) == 1;
    const int64_t pitch = a->data.chunk_pitch_bytes;
    drx_status st = DRX_OK;

    while (!st && at < length) {
        const int64_t end = one ? length : (at / pitch + 1) * pitch;
        const int64_t begin = drxi_stripes_whole(a->data.file->io, k, at);

        st = drxi_data_fill(&a->data, begin, begin + (end - at));
        at = end;
    }
    return st;
}

/* Give file k of the data the length of its chunks. */
static drx_status mend_length(drx_array *a, int k)
{
    drxi_io *file = drxi_stripes_file(a->data.file->io, k);
    const int64_t length = drxi_data_length(&a->data, k);
    int64_t size, cut;
    drx_status st = file->ops->size(file, &size);

    if (st || size == length)
        return st;
    cut = size % a->data.chunk_pitch_bytes % (int64_t)a->data.item_bytes;
    if (a->log.shared && drxi_data_ends_early(&a->data)) /* another one may be writing it */
        cut = 0;
    if (size < length && cut > 0) /* drop an incomplete element */
        st = file->ops->resize(file, size - cut);
    if (!st && size < length && drxi_data_ends_early(&a->data))
        return cut > 0 ? file->ops->sync(file) : DRX_OK;
    if (!st && size < length && !a->data.zero_fill) /* find a lack of space before writing */
        st = file->ops->reserve(file, size, length);
    if (!st && size < length && !a->data.zero_fill)
        st = fill_end(a, k, size - cut, length);
    if (!st)
        st = file->ops->resize(file, length);
    return st ? st : file->ops->sync(file);
}

/* Entries that are cut off do not come back with a later growth, if the power is cut. */
static drx_status mend_pack(drx_array *a)
{
    drxi_io *table = a->data.file->pack->table;
    const int64_t length = a->log.state.map.chunks * DRXI_ENTRY_BYTES;
    int64_t size = 0;
    drx_status st = table->ops->size(table, &size);

    if (!st && size != length)
        st = drxi_data_resize(&a->data, a->log.state.map.chunks);
    if (!st && size > length)
        st = table->ops->sync(table);
    return st ? st : drxi_pack_recover(a->data.file->pack);
}

drx_status drxi_recover(drx_array *a)
{
    drx_status st = drxi_log_check_open(&a->log);

    if (!st)
        st = drxi_sums_recover(&a->data);
    if (!st && a->data.file->pack)
        st = mend_pack(a);
    for (int k = 0; !st && !a->data.file->pack && k < drxi_stripes_count(a->data.file->io); k++)
        st = mend_length(a, k);
    if (!st && a->log.state.intent_open)
        st = drxi_undo_append(a, &a->log.state.intent);
    if (!st)
        st = drxi_log_drop_append(&a->log);
    for (int j = 0; j < a->log.state.desc.ndim; j++) {
        drxi_doubt_outside(a, j, DRXI_HIGH);
        drxi_doubt_outside(a, j, DRXI_LOW);
    }
    a->data.file->unsynced = true; /* whoever wrote or named the files last may not have synced them */
    a->new_names = true;
    return st;
}
