/* Writing lists of elements, in the order of addresses. Adjacent ones are written together. A chunk that must be taken
 * is held while its elements are written. While nobody else can write there, what lies between elements of a page is
 * read and written back. */
#include "box/points.h"
#include "data/sums.h"

enum {
    STAGE_BYTES = 1 << 16,
    GAP_BYTES = 1 << 12, /* no page is written for what lies between */
    FETCHED_POINTS = 1 << 12
};

struct writing {
    struct drxi_points points;
    const uint8_t *values;
    uint8_t *stage;
    bool alone;      /* nobody else writes to these chunks */
    int64_t count;   /* points of the block */
    bool cold;       /* their pages must come from the disk, since a part of each stays */
    int64_t fetched; /* this many are there */
    struct drxi_hold hold;
};

/* The different elements among points. */
static int64_t distinct(const struct writing *w, int64_t first, int64_t end)
{
    const struct drxi_point *point = w->points.point;
    int64_t n = 1;

    for (int64_t i = first + 1; i < end; i++)
        n += point[i].offset != point[i - 1].offset;
    return n;
}

/* Let the pages of the next points come from the disk together, not one after the other as they are written. */
static void fetch_point(struct writing *w, int64_t i)
{
    const int64_t end = drxi_min(w->count, i + FETCHED_POINTS);

    if (!w->cold || i < w->fetched)
        return;
    drxi_points_fetch(&w->points, i, end);
    w->fetched = end;
}

static drx_status write_point_span(struct writing *w, int64_t first, int64_t end)
{
    struct drxi_data *data = w->points.data;
    const struct drxi_point *point = w->points.point;
    const size_t item = data->item_bytes, bytes = drxi_points_bytes(&w->points, first, end);
    const int64_t begin = point[first].offset;
    drx_status st = DRX_OK;

    if ((w->hold.rereads || w->alone) && (size_t)distinct(w, first, end) * item < bytes)
        st = drxi_data_read(data, w->stage, bytes, begin);
    for (int64_t i = first; !st && i < end; i++) /* of one element's values, the last one stays */
        drxi_copy_item(w->stage + (point[i].offset - begin), w->values + point[i].place * (int64_t)item, item);
    return st ? st : drxi_write_held(data, &w->hold, w->stage, bytes, begin);
}

static drx_status write_spans(struct writing *w, int64_t first, int64_t end)
{
    const int64_t gap = w->hold.rereads || w->alone ? GAP_BYTES : 0;
    drx_status st = DRX_OK;

    for (int64_t i = first; !st && i < end;) {
        const int64_t next = drxi_points_span(&w->points, i, end, gap, STAGE_BYTES);

        fetch_point(w, i);
        st = write_point_span(w, i, next);
        i = next;
    }
    return st;
}

/* Write the points of one chunk, which is held if it must be. */
static drx_status write_chunk(struct writing *w, int64_t address, int64_t first, int64_t end)
{
    struct drxi_data *data = w->points.data;
    const bool whole = distinct(w, first, end) * (int64_t)data->item_bytes == data->chunk_bytes;
    drx_status st = DRX_OK;

    fetch_point(w, first);
    if (data->file->stored->held)
        st = drxi_hold_start(data, address, whole, &w->hold);
    if (!st)
        st = write_spans(w, first, end);
    return drxi_hold_end(&w->hold, st);
}

static drx_status write_chunks(struct writing *w)
{
    const int64_t pitch = w->points.data->chunk_pitch_bytes;
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < w->count;) {
        const int64_t address = w->points.point[i].offset / pitch;
        int64_t end = i + 1;

        while (end < w->count && w->points.point[end].offset < (address + 1) * pitch)
            end++;
        st = write_chunk(w, address, i, end);
        i = end;
    }
    return st;
}

drx_status drxi_points_write(struct drxi_data *data, int64_t n, const int64_t *indices, const void *values, bool alone)
{
    const bool by_chunk =
        data->file->stored->held || (alone && data->chunk_pitch_bytes > data->chunk_bytes); /* padding stays */
    struct writing w = { .values = values, .alone = alone, .cold = n > 1 && !data->file->io->cost.at_once };
    drx_status st;

    if (n == 0)
        return DRX_OK;
    w.cold = w.cold && !drxi_points_viewed(data, n, indices);
    st = drxi_points_begin(&w.points, data, n, indices);
    w.stage = st ? NULL : drxi_malloc(STAGE_BYTES);
    if (!st && !w.stage)
        st = DRX_ENOMEM;
    for (int64_t at = 0; !st && at < n; at += w.count) { /* a later block overwrites an earlier one */
        w.count = drxi_min(w.points.room, n - at);
        w.fetched = 0;
        drxi_points_sort(&w.points, at, w.count);
        st = by_chunk ? write_chunks(&w) : write_spans(&w, 0, w.count);
    }
    drxi_free(w.stage);
    drxi_points_end(&w.points);
    return st;
}
