/* Reading boxes and points from compressed chunks: each chunk by itself, by whichever thread copies from it. */
#include "base/work.h"
#include "box/packed.h"
#include "box/points.h"
#include "copy/copy.h"

enum {
    SMALL_PART = 8,        /* a span of so small a part of a chunk is decoded alone */
    MANY_POINTS = 4,       /* of a chunk that is decoded whole */
    LARGE_BYTES = 1 << 20, /* a box whose payloads are fetched ahead, */
    LARGE_LIST = 64        /* and a list of points */
};

struct reader {
    struct drxi_data *data;
    struct drxi_pack_ahead *ahead; /* NULL: payloads are not fetched ahead */
    struct drxi_layout layout;
    struct drxi_pack_room room;
    uint8_t *chunk; /* as on disk */
};

int64_t drxi_packed_parts(const struct drxi_data *data, int64_t most)
{
    const int64_t bytes = 3 * data->chunk_bytes + DRXI_FRAME_HEAD_BYTES;

    return drxi_max(1, drxi_min(most, drxi_may_take(DRXI_FOR_DECODED) / bytes));
}

static drx_status fill_region(const struct reader *r, const int64_t count[], uint8_t *mem)
{
    const int64_t stride[DRX_MAX_NDIM] = { 0 }; /* one element for all */

    drxi_copy(r->data->ndim, count, r->data->item_bytes, mem, r->layout.mem_stride, r->data->fill, stride);
    return DRX_OK;
}

static bool make_chunk(struct reader *r)
{
    if (!r->chunk)
        r->chunk = drxi_malloc((size_t)r->data->chunk_bytes);
    return r->chunk != NULL;
}

/* Read the region `count` of the chunk, which begins at `within`, to memory. */
static drx_status read_region(struct reader *r, int64_t q, int64_t within, const int64_t count[], uint8_t *mem)
{
    struct drxi_data *data = r->data;
    const struct drxi_region s = drxi_region_of(&r->layout, count);
    const bool small = s.span <= data->chunk_bytes / SMALL_PART;
    const bool straight = s.alike && s.span == s.wanted && (small || s.span == data->chunk_bytes);
    const int64_t begin = small || straight ? within : 0;
    const int64_t n = small || straight ? s.span : data->chunk_bytes;
    uint8_t *to = mem;
    bool stored = false;
    drx_status st;

    if (!straight && !make_chunk(r))
        return DRX_ENOMEM;
    to = straight ? mem : r->chunk;
    st = drxi_pack_read_part(data->file->pack, q, begin, (size_t)n, &r->room, to, &stored);
    drxi_count(&data->file->counts.reads, 1);
    drxi_count(&data->file->counts.read_bytes, n);
    if (st || !stored)
        return st ? st : fill_region(r, count, mem);
    drxi_swap(to, (size_t)n, data->type);
    if (!straight)
        drxi_copy(data->ndim, count, data->item_bytes, mem, r->layout.mem_stride, r->chunk + (within - begin),
                  r->layout.file_stride);
    return DRX_OK;
}

static drx_status read_piece(struct reader *r, const struct drxi_piece *piece, uint8_t *mem)
{
    int64_t within = 0;

    for (int j = 0; j < r->data->ndim; j++) {
        within += piece->start[j] * r->data->item_pitch_bytes[j];
        mem += piece->from[j] * r->layout.mem_stride[j];
    }
    return read_region(r, piece->address, within, piece->count, mem);
}

static void end_payloads(struct reader *r)
{
    drxi_pack_ahead_end(r->ahead);
    drxi_free(r->chunk);
    drxi_pack_room_free(&r->room);
}

/* The walk ahead of a read. */
struct walk {
    const struct reader *reader;
    struct drxi_cursor cursor;
};

static bool next_piece(void *arg, int64_t *q, bool *whole)
{
    struct walk *w = arg;

    if (!drxi_cursor_next(&w->cursor))
        return false;
    *q = w->cursor.piece.address;
    *whole = drxi_region_of(&w->reader->layout, w->cursor.piece.count).span > w->reader->data->chunk_bytes / SMALL_PART;
    return true;
}

drx_status drxi_packed_read(struct drxi_data *data, struct drxi_box *box, void *mem)
{
    struct reader r = { .data = data };
    struct drxi_cursor cursor;
    struct walk walk = { .reader = &r };
    const int64_t bytes = drxi_times((int64_t)data->item_bytes, data->ndim, box->count);
    drx_status st;

    drxi_lay_out(&r.layout, data, box);
    drxi_cursor_start(&cursor, data, box->lo, box->count, box->step);
    drxi_cursor_start(&walk.cursor, data, box->lo, box->count, box->step);
    st = drxi_pack_ahead_begin(data->file->pack, bytes >= LARGE_BYTES, next_piece, &walk, &r.ahead);
    while (!st && drxi_cursor_next(&cursor)) {
        drxi_pack_ahead_to(r.ahead, cursor.piece.address, &r.room);
        st = read_piece(&r, &cursor.piece, mem);
    }
    end_payloads(&r);
    return st;
}

drx_status drxi_packed_ranges(struct drxi_data *data, const struct drxi_box *box, drxi_range *range, void *arg)
{
    struct reader r = { .data = data };
    struct walk walk = { .reader = &r };

    drxi_lay_out(&r.layout, data, box);
    drxi_cursor_start(&walk.cursor, data, box->lo, box->count, box->step);
    return drxi_pack_ranges(data->file->pack, next_piece, &walk, range, arg);
}

/* ---- points ---- */

struct list {
    struct drxi_points points;
    uint8_t *values;
    int64_t count; /* of the block */
    int64_t parts;
};

static drx_status read_point(struct reader *r, int64_t q, const struct drxi_point *point, bool whole, bool stored,
                             uint8_t *value)
{
    const struct drxi_data *data = r->data;
    const int64_t within = point->offset - q * data->chunk_pitch_bytes;
    drx_status st = DRX_OK;

    if (whole && stored)
        memcpy(value, r->chunk + within, data->item_bytes);
    else if (!whole)
        st = drxi_pack_read_part(data->file->pack, q, within, data->item_bytes, &r->room, value, &stored);
    if (!st && stored)
        drxi_swap(value, data->item_bytes, data->type);
    else if (!st)
        memcpy(value, data->fill, data->item_bytes);
    return st;
}

/* The points of one chunk. */
static drx_status read_points(struct reader *r, const struct list *l, int64_t q, int64_t first, int64_t end)
{
    const bool whole = end - first >= MANY_POINTS;
    bool stored = false;
    drx_status st = DRX_OK;

    if (whole && !make_chunk(r))
        return DRX_ENOMEM;
    if (whole)
        st = drxi_pack_read_chunk(r->data->file->pack, q, &r->room, r->chunk, &stored);
    drxi_count(&r->data->file->counts.reads, 1);
    for (int64_t i = first; !st && i < end; i++)
        st = read_point(r, q, &l->points.point[i], whole, stored,
                        l->values + l->points.point[i].place * (int64_t)r->data->item_bytes);
    return st;
}

/* The walk ahead over the chunks of a part. */
struct points_walk {
    const struct list *list;
    int64_t at, end, pitch;
};

/* The end of the points of one chunk. */
static int64_t end_of_chunk(const struct list *l, int64_t at, int64_t pitch)
{
    const int64_t q = l->points.point[at].offset / pitch;
    int64_t next = at + 1;

    while (next < l->count && l->points.point[next].offset / pitch == q)
        next++;
    return next;
}

static bool next_points(void *arg, int64_t *q, bool *whole)
{
    struct points_walk *w = arg;
    const int64_t first = w->at;

    if (w->at >= w->end)
        return false;
    *q = w->list->points.point[first].offset / w->pitch;
    w->at = end_of_chunk(w->list, first, w->pitch);
    *whole = w->at - first >= MANY_POINTS;
    return true;
}

/* Part `i` of the block: the chunks that begin in it. */
static drx_status points_part(void *arg, int64_t i)
{
    const struct list *l = arg;
    const struct drxi_point *point = l->points.point;
    struct reader r = { .data = l->points.data };
    const int64_t pitch = r.data->chunk_pitch_bytes, end_of_part = l->count * (i + 1) / l->parts;
    int64_t at = l->count * i / l->parts;
    struct points_walk walk;
    drx_status st;

    while (at > 0 && at < end_of_part && point[at].offset / pitch == point[at - 1].offset / pitch)
        at++;
    walk = (struct points_walk){ l, at, end_of_part, pitch };
    st = drxi_pack_ahead_begin(r.data->file->pack, end_of_part - at >= LARGE_LIST, next_points, &walk, &r.ahead);
    while (!st && at < end_of_part) {
        const int64_t q = point[at].offset / pitch;
        const int64_t next = end_of_chunk(l, at, pitch);

        drxi_pack_ahead_to(r.ahead, q, &r.room);
        st = read_points(&r, l, q, at, next);
        at = next;
    }
    end_payloads(&r);
    return st;
}

drx_status drxi_packed_points(struct drxi_data *data, int64_t n, const int64_t *indices, void *values)
{
    struct list l = { .values = values };
    drx_status st = drxi_points_begin(&l.points, data, n, indices);

    for (int64_t at = 0; !st && at < n; at += l.count) {
        l.count = drxi_min(l.points.room, n - at);
        l.parts =
            data->file->io->callers_only ? 1 : drxi_packed_parts(data, drxi_min(l.count, 4 * drxi_work_threads()));
        drxi_points_sort(&l.points, at, l.count);
        st = l.parts == 1 ? points_part(&l, 0) : drxi_work_share(l.parts, points_part, &l);
    }
    drxi_points_end(&l.points);
    return st;
}
