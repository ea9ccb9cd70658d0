/* Reading lists of elements: from the view, in the order of the list, where its pages are in memory; otherwise from the
 * disk, in the order of addresses, with many reads under way. */
#include "base/hooks.h"
#include "base/work.h"
#include "box/points.h"
#include "data/sums.h"
#include "io/schedule.h"

enum {
    BATCH = 64,            /* elements that are fetched from memory at once */
    PART_POINTS = 1 << 14, /* of a list that threads share */
    POINT_BYTES = 64,      /* an element counts as this many of hooks.shared_bytes: a line of the caches */
    WIDER_BYTES = 2 * DRXI_FLIGHT_ALIGNMENT, /* a direct read may be */
    SPAN_BYTES = DRXI_FLIGHT_BYTES / DRXI_FLIGHT_MOST - WIDER_BYTES
};

struct list {
    struct drxi_data *data;
    int64_t n;
    const int64_t *indices;
    uint8_t *values;
};

/* ---- from the disk ---- */

struct reading {
    struct drxi_points *points;
    uint8_t *values;    /* of the whole list; NULL: only the system's cache is to have them */
    bool whole;         /* a read brings one chunk, which is verified */
    int64_t first_part; /* the number of the block's first point among the extents */
    struct drxi_schedule reads;
};

static drx_status read_item(struct drxi_data *data, void *value, int64_t offset)
{
    const size_t item = data->item_bytes;
    size_t got;
    drx_status st = data->file->io->ops->read(data->file->io, value, item, offset, &got);

    if (st)
        return st;
    drxi_count(&data->file->counts.reads, 1);
    drxi_count(&data->file->counts.read_bytes, (int64_t)got);
    return drxi_data_complete(data, value, item, got - got % item, offset + (int64_t)got);
}

/* In the order of the list, as is best in memory. */
static drx_status read_items(const struct list *list)
{
    const int64_t item = (int64_t)list->data->item_bytes;
    const int ndim = list->data->ndim;
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < list->n; i++)
        st = read_item(list->data, list->values + i * item, drxi_offset_of(list->data, list->indices + i * ndim));
    return st;
}

static bool verifies(const struct drxi_data *data)
{
    return drxi_verifies() && data->file->stored->verified;
}

/* A read has completed. What it did not get may be missing, or only an ordinary read can get it. */
static drx_status take_point(void *of, struct drxi_fetch *read)
{
    const struct reading *r = of;
    struct drxi_data *data = r->points->data;
    const struct drxi_point *point = r->points->point + (read->part - r->first_part), *const end = point + read->parts;
    const size_t item = data->item_bytes, n = (size_t)(read->end - read->begin);
    uint8_t *const bytes = drxi_fetch_bytes(read);
    size_t got = n;
    drx_status st = DRX_OK;

    if (!r->values)
        return DRX_OK;
    if (!drxi_fetch_came(read))
        st = data->file->io->ops->read(data->file->io, bytes, n, read->begin, &got);
    if (st)
        return st;
    drxi_count(&data->file->counts.reads, 1);
    drxi_count(&data->file->counts.read_bytes, (int64_t)got);
    if (r->whole)
        st = got < n ? drxi_sums_verify_chunk(data, read->begin / data->chunk_pitch_bytes)
                     : drxi_sums_verify(data, bytes, n, read->begin);
    if (got == n)
        drxi_swap(bytes, n, data->type);
    for (; !st && point < end; point++) {
        uint8_t *const value = r->values + point->place * (int64_t)item;

        if (got < n)
            st = read_item(data, value, point->offset);
        else
            drxi_copy_item(value, bytes + (point->offset - read->begin), item);
    }
    return st;
}

static drx_status begin_points(struct reading *r)
{
    struct drxi_data *data = r->points->data;
    const int64_t most = drxi_may_take(DRXI_FOR_POINT_READS);

    r->whole = r->values && verifies(data) && data->chunk_bytes + WIDER_BYTES <= most;
    r->reads.io = data->file->io;
    r->reads.direct = r->values && drxi_data_goes_direct(data);
    r->reads.scattered = true;
    r->reads.gap_bytes = r->whole ? -1 : data->file->io->cost.gap_bytes;
    r->reads.read_bytes = r->whole ? data->chunk_bytes : SPAN_BYTES;
    r->reads.most_bytes = most;
    r->reads.of = r;
    r->reads.place = take_point;
    return drxi_schedule_open(&r->reads);
}

/* Read the points of the block from `first` up to `end`. */
static drx_status read_point_block(struct reading *r, int64_t first, int64_t end)
{
    const struct drxi_data *data = r->points->data;
    const int64_t pitch = data->chunk_pitch_bytes;
    drx_status st = DRX_OK;

    r->first_part = r->reads.next_part - first;
    for (int64_t i = first; !st && i < end; i++) {
        const int64_t offset = r->points->point[i].offset, chunk = offset / pitch * pitch;

        st = r->whole ? drxi_schedule_add(&r->reads, chunk, chunk + data->chunk_bytes, NULL)
                      : drxi_schedule_add(&r->reads, offset, offset + (int64_t)data->item_bytes, NULL);
    }
    return drxi_schedule_finish(&r->reads, st);
}

static void end_points(struct reading *r)
{
    drxi_data_count_reads(r->points->data, &r->reads);
    drxi_schedule_close(&r->reads);
}

void drxi_points_fetch(struct drxi_points *p, int64_t first, int64_t end_point)
{
    struct reading r = { .points = p };

    if (begin_points(&r) == DRX_OK)
        (void)read_point_block(&r, first, end_point);
    end_points(&r);
}

/* Verify the chunks of the points, each once in a block of the list. */
static drx_status verify_chunks(struct drxi_data *data, int64_t n, const int64_t *indices)
{
    struct drxi_points points;
    drx_status st = drxi_points_begin(&points, data, n, indices);

    for (int64_t at = 0; !st && at < n; at += points.room) {
        const int64_t count = drxi_min(points.room, n - at);

        drxi_points_sort(&points, at, count);
        for (int64_t i = 0; !st && i < count; i++) {
            const int64_t address = points.point[i].offset / data->chunk_pitch_bytes;

            if (i == 0 || address != points.point[i - 1].offset / data->chunk_pitch_bytes)
                st = drxi_sums_verify_chunk(data, address);
        }
    }
    drxi_points_end(&points);
    return st;
}

/* Read the elements of the list from `first` up to `to` from the disk, and verify their chunks if that is wanted. */
static drx_status read_sorted(const struct list *list, int64_t first, int64_t to)
{
    struct drxi_points points;
    struct reading r = { .points = &points, .values = list->values };
    drx_status st = drxi_points_begin(&points, list->data, to - first, list->indices);

    if (!st)
        st = begin_points(&r);
    for (int64_t at = first; !st && at < to; at += points.room) {
        const int64_t count = drxi_min(points.room, to - at);

        drxi_points_sort(&points, at, count);
        st = read_point_block(&r, 0, count);
    }
    end_points(&r);
    drxi_points_end(&points);
    if (st || r.whole || !verifies(list->data))
        return st;
    return verify_chunks(list->data, to - first, list->indices + first * list->data->ndim);
}

/* ---- from the view ---- */

struct gather {
    const struct list *list;
    int64_t first, end;
    bool there; /* the view has them all */
};

/* Fetch a batch from memory before copying it, so that the processor waits for many elements at once. */
static void gather_points(void *arg)
{
    struct gather *g = arg;
    const struct drxi_data *data = g->list->data;
    const int64_t item = (int64_t)data->item_bytes;
    const int64_t most = data->view.bytes - item;
    const int ndim = data->ndim;
    const uint8_t *from[BATCH];

    for (int64_t i = g->first; i < g->end; i += BATCH) {
        const int64_t n = drxi_min(BATCH, g->end - i);

        for (int64_t k = 0; k < n; k++) {
            const int64_t offset = drxi_offset_of(data, g->list->indices + (i + k) * ndim);

            if (offset > most) {
                g->there = false;
                return;
            }
            from[k] = drxi_view_at(&data->view, offset);
            __builtin_prefetch(from[k]);
        }
        for (int64_t k = 0; k < n; k++)
            drxi_copy_item(g->list->values + (i + k) * item, from[k], data->item_bytes);
    }
}

static drx_status gather_part(void *arg, int64_t i)
{
    const struct list *list = arg;
    struct gather g = { list, i * PART_POINTS, drxi_min((i + 1) * PART_POINTS, list->n), true };

    if (!drxi_view_use(&list->data->view, gather_points, &g) || !g.there)
        return read_sorted(list, g.first, g.end);
    drxi_mapped_used_points(list->data, g.end - g.first, list->n);
    return DRX_OK;
}

static drx_status gather_all(struct list *list)
{
    const int64_t parts = drxi_ceil_div(list->n, PART_POINTS);
    drx_status st = DRX_OK;

    if (parts > 1 && !list->data->file->io->callers_only &&
        drxi_mul_saturated(list->n, POINT_BYTES) >= drxi_hooks.shared_bytes)
        st = drxi_work_share(parts, gather_part, list);
    else
        for (int64_t i = 0; !st && i < parts; i++)
            st = gather_part(list, i);
    return st;
}

drx_status drxi_plain_points(struct drxi_data *data, int64_t n, const int64_t *indices, void *values)
{
    struct list list = { data, n, indices, values };
    drx_status st = DRX_OK;

    if (data->file->io->cost.at_once) {
        st = read_items(&list);
    } else if (!drxi_cached_points(data, n, indices, values)) {
        if (!drxi_points_viewed(data, n, indices))
            return read_sorted(&list, 0, n);
        st = gather_all(&list);
    }
    return st || !verifies(data) ? st : verify_chunks(data, n, indices);
}
