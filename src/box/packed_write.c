/* Writing boxes to compressed chunks.
 *
 * The chunks come in the order of their addresses, some at a time: threads get the bytes of those that are compressed,
 * copy what the box has into them, and compress them; then one thread writes them, in that order. So the same calls
 * make the same files, however many threads there are. Open chunks are written in place.
 *
 * A chunk is closed when the box has all of its cells that count: those inside the bounds, and on the axis that grows,
 * up to the end of the chunk. A closed chunk that this axis has not passed yet is opened again by a write to a part of
 * it, since more will follow. */
#include "base/work.h"
#include "box/packed.h"
#include "copy/copy.h"

enum { AT_ONCE = 64, STAGE_BYTES = 1 << 20 };

struct item {
    struct drxi_pack_hold hold;
    struct drxi_piece piece;
    int64_t within;
    const uint8_t *mem;
};

struct writer {
    struct drxi_data *data;
    const struct drxi_box *box;
    struct drxi_layout layout;
    struct drxi_packed_bounds bounds; /* with the box */
    struct item *item;
    int64_t n, most;
    uint8_t *stage;
};

void drxi_packed_counting(const struct drxi_packed_bounds *b, int j, int64_t first, int64_t extent, int64_t *from,
                          int64_t *to)
{
    *from = j == b->growing.axis && b->growing.end == DRXI_LOW ? 0 : drxi_max(b->lower[j] - first, 0);
    *to = j == b->growing.axis && b->growing.end == DRXI_HIGH ? extent : drxi_min(extent, b->upper[j] - first);
}

static bool covers(const struct writer *w, const struct drxi_cursor *c)
{
    const struct drxi_piece *piece = &c->piece;

    for (int j = 0; j < c->data->ndim; j++) {
        const int64_t extent = c->data->chunk[j];
        int64_t from, to;

        drxi_packed_counting(&w->bounds, j, c->index[j] * extent, extent, &from, &to);
        if (piece->start[j] > from || piece->start[j] + (piece->count[j] - 1) * c->step[j] + 1 < to ||
            (c->step[j] > 1 && to - from > 1))
            return false;
    }
    return true;
}

bool drxi_packed_at_edge(const struct drxi_packed_bounds *b, const struct drxi_data *data, const int64_t index[])
{
    const int j = b->growing.axis;
    int64_t first;

    if (j < 0)
        return false;
    first = index[j] * data->chunk[j];
    return b->growing.end == DRXI_LOW ? first < b->lower[j] : first + data->chunk[j] > b->upper[j];
}

/* Cells outside the bounds may be inside again when a power cut takes the record of a trim; others that share the array
 * may have grown it since. */
static bool is_every_cell(const struct drxi_cursor *c)
{
    return memcmp(c->piece.count, c->data->chunk, (size_t)c->data->ndim * sizeof *c->piece.count) == 0;
}

static drx_status add_to_chunk(struct writer *w, const struct drxi_cursor *c, const uint8_t *mem)
{
    struct item *item = &w->item[w->n];
    const bool cover = covers(w, c);
    drx_status st = drxi_hold_take(w->data->file->pack, c->piece.address, cover,
                                   drxi_packed_at_edge(&w->bounds, c->data, c->index), &item->hold);

    if (st)
        return st;
    if (cover && !is_every_cell(c))
        item->hold.cover = false; /* it is compressed, with what it holds elsewhere */
    w->n++;
    item->piece = c->piece;
    item->within = 0;
    item->mem = mem;
    for (int j = 0; j < c->data->ndim; j++) {
        item->within += c->piece.start[j] * w->data->item_pitch_bytes[j];
        item->mem += c->piece.from[j] * w->layout.mem_stride[j];
    }
    return DRX_OK;
}

static void copy_region(const struct writer *w, const int64_t count[], const uint8_t *mem, uint8_t *to)
{
    drxi_copy(w->data->ndim, count, w->data->item_bytes, to, w->layout.file_stride, mem, w->layout.mem_stride);
}

/* Get the bytes of a chunk, put what the box has into them, and compress them. */
static drx_status make_write_part(void *arg, int64_t i)
{
    struct writer *w = arg;
    struct item *item = &w->item[i];
    struct drxi_pack_hold *h = &item->hold;
    drx_status st = drxi_hold_fetch(h);

    if (st || !h->bytes)
        return st;
    drxi_swap(h->bytes, (size_t)w->data->chunk_bytes, w->data->type);
    copy_region(w, item->piece.count, item->mem, h->bytes + item->within);
    drxi_swap(h->bytes, (size_t)w->data->chunk_bytes, w->data->type);
    return drxi_hold_pack(h);
}

/* Write a region of an open chunk in place: runs without gaps, or, where the gaps are small, with them. Nobody else
 * writes to the chunk meanwhile. */
static drx_status write_region(struct writer *w, struct drxi_pack_hold *h, int64_t within, const int64_t count[],
                               const uint8_t *mem)
{
    const struct drxi_region s = drxi_region_of(&w->layout, count);
    const int j = s.slowest;
    int64_t part[DRX_MAX_NDIM];
    int64_t at_once;
    bool stored;
    struct drxi_pack_room room = { .frame = NULL };
    drx_status st = DRX_OK;

    if (s.span == s.wanted && s.alike && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        return drxi_pack_write(h, mem, (size_t)s.span, within);
    if (s.widest_gap <= DRXI_PACKED_READ_THROUGH_BYTES && s.span <= STAGE_BYTES) {
        if (!w->stage && !(w->stage = drxi_malloc(STAGE_BYTES)))
            return DRX_ENOMEM;
        if (s.span > s.wanted)
            st = drxi_pack_read_part(w->data->file->pack, h->q, within, (size_t)s.span, &room, w->stage, &stored);
        drxi_pack_room_free(&room);
        if (st)
            return st;
        drxi_swap(w->stage, (size_t)s.span, w->data->type);
        copy_region(w, count, mem, w->stage);
        drxi_swap(w->stage, (size_t)s.span, w->data->type);
        return drxi_pack_write(h, w->stage, (size_t)s.span, within);
    }
    memcpy(part, count, sizeof part);
    at_once = s.widest_gap <= DRXI_PACKED_READ_THROUGH_BYTES ? drxi_max(1, STAGE_BYTES / w->layout.file_stride[j]) : 1;
    for (int64_t i = 0; !st && i < count[j]; i += at_once) {
        part[j] = drxi_min(at_once, count[j] - i);
        st = write_region(w, h, within + i * w->layout.file_stride[j], part, mem + i * w->layout.mem_stride[j]);
    }
    return st;
}

static drx_status make_all(struct writer *w)
{
    int64_t work = 0;
    drx_status st = DRX_OK;

    for (int64_t i = 0; i < w->n; i++)
        work += drxi_hold_needs_bytes(&w->item[i].hold) ? 1 : 0;
    if (work > 1 && !w->data->file->io->callers_only && drxi_work_threads() > 1)
        return drxi_work_share(w->n, make_write_part, w);
    for (int64_t i = 0; !st && i < w->n; i++)
        st = make_write_part(w, i);
    return st;
}

/* Write what was added, and give it back. */
static drx_status flush(struct writer *w)
{
    struct drxi_pack_hold *hold[AT_ONCE];
    int64_t count = 0;
    drx_status st = make_all(w);

    for (int64_t i = 0; i < w->n; i++)
        if (w->item[i].hold.kind != DRXI_HOLD_OPEN)
            hold[count++] = &w->item[i].hold;
    if (!st && count > 0)
        st = drxi_hold_commit(w->data->file->pack, count, hold);
    for (int64_t i = 0; !st && i < w->n; i++) {
        struct item *item = &w->item[i];

        if (item->hold.kind == DRXI_HOLD_OPEN && !item->hold.bytes)
            st = write_region(w, &item->hold, item->within, item->piece.count, item->mem);
        drxi_count(&w->data->file->counts.writes, 1);
        drxi_count(&w->data->file->counts.written_bytes, drxi_piece_bytes(&item->piece, w->data));
    }
    for (int64_t i = 0; i < w->n; i++)
        drxi_hold_give(&w->item[i].hold);
    w->n = 0;
    return st;
}

drx_status drxi_packed_write(struct drxi_data *data, const struct drxi_box *box, const void *mem)
{
    const int64_t bytes = 2 * data->chunk_bytes + DRXI_FRAME_HEAD_BYTES;
    struct writer w = { .data = data, .box = box };
    struct drxi_cursor cursor;
    drx_status st = DRX_OK;

    drxi_lay_out(&w.layout, data, box);
    w.bounds = drxi_packed_bounds_of(data);
    for (int j = 0; j < data->ndim; j++) {
        const int64_t last = box->lo[j] + (box->count[j] - 1) * (box->step ? box->step[j] : 1);

        w.bounds.lower[j] = drxi_min(w.bounds.lower[j], box->lo[j]);
        w.bounds.upper[j] = drxi_max(w.bounds.upper[j], last + 1);
    }
    w.most = drxi_max(1, drxi_min(AT_ONCE, drxi_may_take(DRXI_FOR_ENCODED) / bytes));
    w.item = drxi_malloc((size_t)w.most * sizeof *w.item);
    if (!w.item)
        return DRX_ENOMEM;
    drxi_cursor_start(&cursor, data, box->lo, box->count, box->step);
    while (!st && drxi_cursor_next(&cursor)) {
        if (drxi_leaves_out(box, cursor.piece.address))
            continue;
        st = add_to_chunk(&w, &cursor, mem);
        if (!st && w.n == w.most)
            st = flush(&w);
    }
    if (!st)
        st = flush(&w);
    for (int64_t i = 0; i < w.n; i++)
        drxi_hold_give(&w.item[i].hold);
    drxi_free(w.item);
    drxi_free(w.stage);
    return st;
}
