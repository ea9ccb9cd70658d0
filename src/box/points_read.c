/* Reading lists of elements: from the view, in the order of the list, where its pages are in memory; otherwise from the
 * disk, in the order of addresses, with many reads under way. */
#include "base/hooks.h"
#include "base/work.h"
#include "box/points.h"
#include "data/sums.h"
#include "io/flight.h"

enum {
    BATCH = 64,            /* elements that are fetched from memory at once */
    PART_POINTS = 1 << 14, /* of a list that threads share */
    POINT_BYTES = 64,      /* an element counts as so many of hooks.shared_bytes: a line of the caches */
    READ_BYTES = DRXI_FLIGHT_BYTES / DRXI_FLIGHT_MOST,
    SPAN_BYTES = READ_BYTES - 2 * DRXI_FLIGHT_ALIGNMENT
};

struct list {
    struct drxi_data *data;
    int64_t n;
    const int64_t *indices;
    uint8_t *values;
};

/* ---- from the disk ---- */

/* The points from `first` up to `end`, which one read brings. */
struct span {
    struct drxi_flying read; /* first */
    int64_t first, end;
};

struct reading {
    struct drxi_points *points;
    uint8_t *values;     /* of the whole list; NULL: only the system's cache is to have them */
    bool direct;         /* reads do not pass through that cache */
    bool whole;          /* a read brings one chunk, which is verified */
    int64_t next, count; /* the points of the block that are still to be read */
    struct drxi_flight *flight;
    struct span span[DRXI_FLIGHT_MOST];
    int idle[DRXI_FLIGHT_MOST], n_idle; /* spans that are not under way */
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

static drx_status open_flight(struct reading *r)
{
    const int n = (int)(drxi_may_take(DRXI_FOR_POINT_READS) / READ_BYTES);
    uint8_t *memory;
    drx_status st = drxi_flight_open(&r->flight, &memory);

    for (int k = 0; !st && k < n; k++) {
        r->idle[r->n_idle++] = k;
        r->span[k].read =
            (struct drxi_flying){ .io = r->points->data->file->io, .buf = memory + (size_t)k * READ_BYTES };
    }
    return st;
}

static bool verifies(const struct drxi_data *data)
{
    return drxi_verifies() && data->file->stored->verified;
}

/* Let each read have the memory of several, so that a chunk fits; false when none does. */
static bool make_room_for_chunks(struct reading *r)
{
    const int64_t each = drxi_ceil_div(r->points->data->chunk_bytes + 2 * DRXI_FLIGHT_ALIGNMENT, READ_BYTES);
    const int have = r->n_idle;

    if (each > have)
        return false;
    r->n_idle = 0;
    for (int64_t k = 0; k + each <= have; k += each)
        r->idle[r->n_idle++] = (int)k;
    return true;
}

/* Widen a read as a direct one must be; at the end of the data it cannot, and will not be direct. */
static void widen(const struct drxi_data *data, struct drxi_flying *read)
{
    const int64_t length = data->map.chunks * data->chunk_pitch_bytes;
    const int64_t begin = read->offset / DRXI_FLIGHT_ALIGNMENT * DRXI_FLIGHT_ALIGNMENT;
    const int64_t end = drxi_ceil_div(read->offset + (int64_t)read->bytes, DRXI_FLIGHT_ALIGNMENT);

    read->bytes = (size_t)(drxi_min(drxi_mul_saturated(end, DRXI_FLIGHT_ALIGNMENT), length) - begin);
    read->offset = begin;
}

/* The chunk of the first point, and all points in it. */
static void span_chunk(const struct reading *r, struct span *s)
{
    const struct drxi_data *data = r->points->data;
    const struct drxi_point *point = r->points->point;
    const int64_t begin = point[s->first].offset / data->chunk_pitch_bytes * data->chunk_pitch_bytes;

    s->end = s->first + 1;
    while (s->end < r->count && point[s->end].offset - begin < data->chunk_pitch_bytes)
        s->end++;
    s->read.offset = begin;
    s->read.bytes = (size_t)data->chunk_bytes;
}

static void send(struct reading *r)
{
    struct span *s = &r->span[r->idle[--r->n_idle]];

    s->first = r->next;
    if (r->whole) {
        span_chunk(r, s);
    } else {
        s->end = drxi_points_span(r->points, r->next, r->count, r->points->data->file->io->cost.gap_bytes, SPAN_BYTES);
        s->read.offset = r->points->point[s->first].offset;
        s->read.bytes = drxi_points_bytes(r->points, s->first, s->end);
    }
    r->next = s->end;
    s->read.manner = r->direct ? DRXI_DIRECTLY : DRXI_SCATTERED;
    if (r->direct)
        widen(r->points->data, &s->read);
    drxi_count(&r->points->data->file->counts.flown, 1);
    drxi_count(&r->points->data->file->counts.direct_bytes, r->direct ? (int64_t)s->read.bytes : 0);
    drxi_flight_send(r->flight, &s->read);
}

/* Verify the chunk of the span, which is in memory unless something was missing. */
static drx_status verify_span(const struct reading *r, const struct span *s)
{
    struct drxi_data *data = r->points->data;
    const int64_t address = r->points->point[s->first].offset / data->chunk_pitch_bytes;
    const int64_t begin = address * data->chunk_pitch_bytes;

    if (s->read.got < s->read.bytes)
        return drxi_sums_verify_chunk(data, address);
    return drxi_sums_verify(data, (uint8_t *)s->read.buf + (begin - s->read.offset), (size_t)data->chunk_bytes, begin);
}

/* A span is in memory. What a read in flight did not get may be missing, or only an ordinary read can get it. */
static drx_status take(struct reading *r, struct span *s)
{
    struct drxi_data *data = r->points->data;
    const size_t item = data->item_bytes;
    const struct drxi_point *point = r->points->point;
    uint8_t *bytes = s->read.buf;
    drx_status st = DRX_OK;

    if (s->read.got < s->read.bytes)
        st = data->file->io->ops->read(data->file->io, bytes, s->read.bytes, s->read.offset, &s->read.got);
    if (st)
        return st;
    drxi_count(&data->file->counts.reads, 1);
    drxi_count(&data->file->counts.read_bytes, (int64_t)s->read.got);
    if (r->whole && (st = verify_span(r, s)))
        return st;
    if (s->read.got < s->read.bytes) {
        for (int64_t i = s->first; !st && i < s->end; i++)
            st = read_item(data, r->values + point[i].place * (int64_t)item, point[i].offset);
        return st;
    }
    drxi_swap(bytes, s->read.bytes, data->type);
    for (int64_t i = s->first; i < s->end; i++)
        drxi_copy_item(r->values + point[i].place * (int64_t)item, bytes + (point[i].offset - s->read.offset), item);
    return DRX_OK;
}

/* Read the points from r->next up to r->count. */
static drx_status read_block(struct reading *r)
{
    struct drxi_flying *landed;
    drx_status st = DRX_OK;

    do {
        while (!st && r->next < r->count && r->n_idle > 0)
            send(r);
        landed = drxi_flight_land(r->flight);
        if (landed) {
            struct span *s = (struct span *)landed;

            if (!st && r->values)
                st = take(r, s);
            r->idle[r->n_idle++] = (int)(s - r->span);
        }
    } while (landed);
    return st;
}

void drxi_points_fetch(struct drxi_points *p, int64_t first, int64_t end)
{
    struct reading r = { .points = p, .next = first, .count = end };

    if (open_flight(&r) == DRX_OK)
        (void)read_block(&r);
    drxi_flight_close(r.flight);
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

/* Read the elements of the list from `first` up to `end` from the disk, and verify their chunks if that is wanted. */
static drx_status read_sorted(const struct list *list, int64_t first, int64_t end)
{
    struct drxi_points points;
    struct reading r = { .points = &points, .values = list->values, .direct = drxi_data_goes_direct(list->data) };
    drx_status st = drxi_points_begin(&points, list->data, end - first, list->indices);

    if (!st)
        st = open_flight(&r);
    r.whole = !st && verifies(list->data) && make_room_for_chunks(&r);
    for (int64_t at = first; !st && at < end; at += r.count) {
        r.next = 0;
        r.count = drxi_min(points.room, end - at);
        drxi_points_sort(&points, at, r.count);
        st = read_block(&r);
    }
    drxi_flight_close(r.flight);
    drxi_points_end(&points);
    if (st || r.whole || !verifies(list->data))
        return st;
    return verify_chunks(list->data, end - first, list->indices + first * list->data->ndim);
}

/* ---- from the view ---- */

struct gather {
    const struct list *list;
    int64_t first, end;
    bool there; /* the view has them all */
};

/* Fetch a batch from memory before copying it, so that the processor waits for many elements at once. */
static void gather(void *arg)
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

    if (!drxi_view_use(&list->data->view, gather, &g) || !g.there)
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
