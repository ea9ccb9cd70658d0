/* Making checksums valid at a sync, recovering them after a kill or a power cut, and rebuilding them. */
#include "data/sums.h"

static drx_status settle_run(struct drxi_data *data, int64_t first, int64_t n, struct drxi_sum sum[], bool *changed)
{
    (void)first;
    for (int64_t i = 0; i < n; i++)
        if (drxi_sum_kind(&sum[i]) == DRXI_SUM_WRITTEN && drxi_sum_counts(data->file->sums, &sum[i])) {
            sum[i].state = DRXI_SUM_VALID;
            *changed = true;
        }
    return DRX_OK;
}

static struct drxi_sums_range touched(struct drxi_sums *s)
{
    struct drxi_sums_range range;

    (void)pthread_mutex_lock(&s->lock);
    range = (struct drxi_sums_range){ s->first, s->end, NULL };
    s->first = INT64_MAX;
    s->end = 0;
    (void)pthread_mutex_unlock(&s->lock);
    return range;
}

/* Other handles may have written to these chunks since the data were synced. While the entries are taken, they cannot,
 * so sync again. */
static drx_status settle_range(struct drxi_data *data, struct drxi_sums_range *range)
{
    struct drxi_sums *s = data->file->sums;
    drx_status st = drxi_sums_take(s, range);

    if (st)
        return st;
    if (s->data->file->log->others)
        st = drxi_make_durable(data->file->log, data->file->io);
    if (!st)
        st = drxi_sums_walk(data, range->first, range->end, settle_run);
    drxi_sums_give(s, range);
    return st;
}

drx_status drxi_sums_settle(struct drxi_data *data)
{
    struct drxi_sums *s = data->file->sums;
    struct drxi_sums_range range = touched(s);
    drx_status st = DRX_OK;

    if (range.first < range.end)
        st = settle_range(data, &range);
    if (!st && (atomic_exchange(&s->unsynced, false) || s->data->file->log->others))
        st = drxi_make_durable(data->file->log, s->io);
    if (st)
        drxi_sums_touch(s, &range);
    return st;
}

/* Give checksums of what is stored to chunks whose writing was cut short. All, some or none of the write may be
 * stored. */
static drx_status repair(struct drxi_data *data, int64_t first, int64_t n, struct drxi_sum sum[], bool *changed)
{
    struct drxi_sums *s = data->file->sums;
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < n; i++) {
        const enum drxi_sum_kind kind = drxi_sum_kind(&sum[i]);
        uint32_t crc;

        if ((kind != DRXI_SUM_IN_FLIGHT && kind != DRXI_SUM_WRITTEN) || drxi_sum_counts(s, &sum[i]))
            continue;
        st = drxi_sums_crc(data, (first + i) * data->chunk_pitch_bytes, data->chunk_bytes, &crc);
        if (st)
            break;
        s->repaired += crc != sum[i].crc;
        sum[i] = (struct drxi_sum){ DRXI_SUM_WRITTEN | s->boot, crc };
        *changed = true;
    }
    return st;
}

/* Where other handles write, too, an entry that can be taken is not being written. */
static drx_status repair_all(struct drxi_data *data)
{
    const int64_t chunks = data->map.chunks, most = data->file->log->others ? DRXI_SUMS_MOST : chunks;
    drx_status st = DRX_OK;

    for (int64_t at = 0; !st && at < chunks; at += most) {
        struct drxi_sums_range range = { at, drxi_min(at + most, chunks), NULL };

        st = drxi_sums_take(data->file->sums, &range);
        if (st)
            break;
        st = drxi_sums_walk(data, range.first, range.end, repair);
        drxi_sums_give(data->file->sums, &range);
    }
    return st;
}

/* Entries that are cut off do not come back with a later growth, if the power is cut. */
static drx_status repair_length(struct drxi_data *data)
{
    drxi_io *io = data->file->sums->io;
    int64_t size;
    drx_status st = io->ops->size(io, &size);

    if (!st)
        st = drxi_sums_resize(data, data->map.chunks);
    return st || size <= data->map.chunks * DRXI_SUM_BYTES ? st : io->ops->sync(io);
}

drx_status drxi_sums_recover(struct drxi_data *data)
{
    struct drxi_sums_range all = { 0, data->map.chunks, NULL };
    drx_status st = repair_length(data);

    if (!st)
        st = repair_all(data);
    drxi_sums_touch(data->file->sums, &all); /* this boot may have left entries unsettled */
    return st;
}

void drxi_sums_report(const struct drxi_data *data)
{
    const char *before = drx_last_error();

    if (data->file->sums->repaired > 0)
        drxi_report("%s%s%s: %lld chunk%s had been written to when a process was killed or the power was cut: the "
                    "checksums are those of what is there",
                    before, before[0] ? "; " : "", data->file->sums->io->path, (long long)data->file->sums->repaired,
                    data->file->sums->repaired == 1 ? "" : "s");
}

static drx_status rebuild_some(struct drxi_data *data, int64_t first, int64_t n, bool all, int64_t *made)
{
    struct drxi_sum sum[DRXI_SUMS_MOST];
    struct drxi_extent known = { 0, 0 };
    int64_t there;
    bool changed = false, stored = true;
    drx_status st = drxi_sums_get(data->file->sums, first, n, sum, &there);

    for (int64_t i = 0; !st && i < n; i++) {
        uint32_t crc = 0;

        if (!all && i < there && drxi_sum_kind(&sum[i]) != DRXI_SUM_BAD)
            continue;
        st = drxi_sums_is_stored(data, first + i, &known, &stored);
        if (!st && stored)
            st = drxi_sums_crc(data, (first + i) * data->chunk_pitch_bytes, data->chunk_bytes, &crc);
        sum[i] = stored ? (struct drxi_sum){ DRXI_SUM_VALID, crc } : (struct drxi_sum){ DRXI_SUM_NEVER, 0 };
        changed = true;
        *made += stored;
    }
    return st || !changed ? st : drxi_sums_put(data->file->sums, first, n, sum);
}

static drx_status rebuild(struct drxi_data *data, bool all, int64_t *made)
{
    const int64_t chunks = data->map.chunks;
    drx_status st = data->file->io->ops->sync(data->file->io); /* a valid entry needs durable data */

    for (int64_t at = 0; !st && at < chunks; at += DRXI_SUMS_MOST)
        st = rebuild_some(data, at, drxi_min(chunks - at, DRXI_SUMS_MOST), all, made);
    if (!st)
        st = drxi_sums_resize(data, chunks);
    return st ? st : data->file->sums->io->ops->sync(data->file->sums->io);
}

drx_status drxi_sums_rebuild(struct drxi_data *data, const char *path, int64_t *made)
{
    const bool missing = !data->file->sums;
    drx_status st = missing ? drxi_sums_open(data, path, DRXI_NEW) : DRX_OK;

    *made = 0;
    if (!st)
        st = rebuild(data, missing, made);
    if (!st && missing)
        st = data->file->sums->io->ops->name(data->file->sums->io);
    return st || !missing ? st : drxi_files->sync_folder(data->file->sums->io->path);
}
