/* Reading boxes from a view of the data, chunk by chunk: those that are taken whole are compared with their checksums as
 * they are copied, so few bytes at a time that the processor has them at hand. What does not match is read anew through
 * a stage. */
#include "array/sums.h"
#include "copy/copy.h"
#include "format/crc.h"

enum { PART_BYTES = 1 << 14 };

/* A box, piece by piece in the order of addresses; some pieces after each other have their checksums looked up at once. */
struct reading {
    drx_array *a;
    const struct drxi_box *box;
    uint8_t *buf;
    int parts_axis;
    struct drxi_cursor cursor; /* on the last piece that was tried */
    int64_t n, at;             /* pieces whose entries were looked up; which of these is next */
    bool more, bad; /* bad: the last one that was tried is not copied */
    bool counts[DRXI_SUMS_MOST]; /* has to match */
    uint32_t crc[DRXI_SUMS_MOST];
};

bool drxi_piece_is_all(const drx_array *a, const int64_t index[], const struct drxi_piece *piece)
{
    const struct drxi_state *s = &a->state;

    for (int j = 0; j < s->desc.ndim; j++)
        if (piece->start[j] != 0 ||
            piece->count[j] < drxi_min(s->desc.chunk[j], s->shape[j] - index[j] * s->desc.chunk[j]))
            return false;
    return true;
}

bool drxi_verified_some(const drx_array *a, const struct drxi_box *box)
{
    const struct drxi_state *s = &a->state;

    if (!a->sums)
        return false;
    for (int j = 0; j < s->desc.ndim; j++) {
        const int64_t extent = s->desc.chunk[j], begin = drxi_ceil_div(box->lo[j], extent) * extent;

        if (box->step && box->step[j] > 1 && box->count[j] > 1 && extent > 1)
            return false;
        if (extent > 1 && drxi_min(begin + extent, s->shape[j]) > box->lo[j] + box->count[j])
            return false;
    }
    return true;
}

/* ---- the checksums ----------------------------------------------------------------------------- */

/* Of pieces `first` up to `end`, of chunks that follow each other from `address` on and are taken whole. */
static drx_status get_run(struct reading *r, int64_t first, int64_t end, int64_t address)
{
    struct drxi_sum sum[DRXI_SUMS_MOST];
    int64_t there;
    drx_status st = first < end ? drxi_sums_get(r->a->sums, address, end - first, sum, &there) : DRX_OK;

    for (int64_t i = first; !st && i < end; i++) {
        st = drxi_sums_judge(r->a, address + i - first, &sum[i - first], i - first < there);
        r->counts[i] = drxi_sum_counts(r->a->sums, &sum[i - first]);
        r->crc[i] = sum[i - first].crc;
    }
    return st;
}

/* Look at the pieces that come next. */
static drx_status get_sums(struct reading *r)
{
    struct drxi_cursor ahead = r->cursor;
    int64_t first = 0, address = 0; /* of the run */
    drx_status st = DRX_OK;

    r->n = r->at = 0;
    while (!st && r->n < DRXI_SUMS_MOST && (r->more = drxi_cursor_next(&ahead))) {
        const bool all = drxi_piece_is_all(r->a, ahead.index, &ahead.piece);

        if (!all || ahead.piece.address != address + r->n - first) {
            st = get_run(r, first, r->n, address);
            first = all ? r->n : r->n + 1;
            address = ahead.piece.address;
        }
        r->counts[r->n++] = false;
    }
    return st ? st : get_run(r, first, r->n, address);
}

/* ---- pieces ------------------------------------------------------------------------------------- */

/* The axis along which parts of a chunk lie one after the other in the file; -1 when these would be in memory short
 * pieces of what follows on there. */
static int axis_of_parts(const drx_array *a, const struct drxi_box *box)
{
    const struct drxi_desc *d = &a->state.desc;
    int axis = -1;

    for (int k = 0; axis < 0 && k < d->ndim; k++) {
        const int j = d->chunk_order == DRX_ROW_MAJOR ? k : d->ndim - 1 - k;

        axis = d->chunk[j] > 1 ? j : -1;
    }
    return axis >= 0 && box->stride_bytes[axis] != (int64_t)a->item_bytes ? axis : -1;
}

static uint8_t *place(const struct reading *r)
{
    uint8_t *to = r->buf;

    for (int j = 0; j < r->a->state.desc.ndim; j++)
        to += r->cursor.piece.from[j] * r->box->stride_bytes[j];
    return to;
}

static void copy(const struct reading *r, const int64_t count[], uint8_t *to, int64_t from)
{
    const drx_array *a = r->a;
    struct drxi_copy_axis axes[DRXI_COPY_AXES];
    int n = 0;

    for (int j = 0; j < a->state.desc.ndim; j++)
        if (count[j] > 1)
            axes[n++] = (struct drxi_copy_axis){count[j], r->box->stride_bytes[j],
                                                a->item_pitch_bytes[j] * r->cursor.step[j]};
    drxi_copy_axes(n, axes, a->item_bytes, to, a->view.base + from, r->box->large);
}

/* A whole chunk, with its checksum so far after each part. */
static bool copy_chunk(const struct reading *r, uint8_t *to, int64_t from, uint32_t expected)
{
    const drx_array *a = r->a;
    const int axis = r->parts_axis;
    const int64_t rows = axis < 0 ? 1 : a->state.desc.chunk[axis];
    const int64_t row_bytes = axis < 0 ? a->chunk_bytes : a->item_pitch_bytes[axis];
    const int64_t most = drxi_max(1, PART_BYTES / row_bytes);
    int64_t count[DRX_MAX_NDIM];
    uint32_t crc = 0;

    memcpy(count, r->cursor.piece.count, sizeof count);
    for (int64_t row = 0; row < rows; row += most) {
        crc = drxi_crc32c(crc, a->view.base + from + row * row_bytes, (size_t)(drxi_min(most, rows - row) * row_bytes));
        if (axis >= 0)
            count[axis] = drxi_min(most, r->cursor.piece.count[axis] - row);
        if (axis < 0 || count[axis] > 0)
            copy(r, count, to + (axis < 0 ? 0 : row * r->box->stride_bytes[axis]), from + row * row_bytes);
    }
    return crc == expected;
}

/* Up to the first piece that does not match. */
static void copy_some(void *arg)
{
    struct reading *r = arg;
    const drx_array *a = r->a;
    bool good = true;

    while (good && r->at < r->n) {
        const int64_t i = r->at;
        int64_t from;

        (void)drxi_cursor_next(&r->cursor);
        r->at++; /* before what may not return */
        from = r->cursor.piece.address * a->chunk_pitch_bytes;
        if (r->counts[i]) {
            good = copy_chunk(r, place(r), from, r->crc[i]);
        } else {
            for (int j = 0; j < a->state.desc.ndim; j++)
                from += r->cursor.piece.start[j] * a->item_pitch_bytes[j];
            copy(r, r->cursor.piece.count, place(r), from);
        }
    }
    r->bad = !good;
}

/* The piece that was tried last, by calls. */
static drx_status read_staged(const struct reading *r)
{
    const struct drxi_piece *piece = &r->cursor.piece;
    int64_t lo[DRX_MAX_NDIM];
    struct drxi_box box = *r->box;

    for (int j = 0; j < r->a->state.desc.ndim; j++)
        lo[j] = r->box->lo[j] + piece->from[j] * r->cursor.step[j];
    box.lo = lo;
    box.count = piece->count;
    return drxi_staged_move(r->a, false, &box, place(r));
}

static drx_status copy_all(struct reading *r)
{
    drx_status st = DRX_OK;

    while (!st && r->at < r->n) {
        r->bad = true;
        (void)drxi_view_use(&r->a->view, copy_some, r);
        if (r->bad)
            st = read_staged(r);
    }
    drxi_count(&r->a->counts.copies, r->n);
    return st;
}

drx_status drxi_verified_read(drx_array *a, struct drxi_box *box, void *buf)
{
    struct reading r;
    int64_t bytes = (int64_t)a->item_bytes;
    drx_status st = DRX_OK;

    if (!drxi_mapped_look(a, box))
        return drxi_staged_move(a, false, box, buf);
    r.a = a;
    r.box = box;
    r.buf = buf;
    r.parts_axis = axis_of_parts(a, box);
    r.more = true;
    drxi_cursor_start(&r.cursor, a, box->lo, box->count, box->step);
    while (!st && r.more) {
        st = get_sums(&r);
        if (!st)
            st = copy_all(&r);
    }
    for (int j = 0; j < a->state.desc.ndim; j++)
        bytes = drxi_mul_saturated(bytes, box->count[j]);
    drxi_mapped_used(a, bytes);
    return st;
}
