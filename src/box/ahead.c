/* Reading from the disk is faster when the system knows what comes next: it sees that of
 * a file read in sequence, but not of chunks here and there. So a second cursor goes
 * ahead of the one that reads, and tells of what it meets. */
#include "array/array.h"

enum {
    AHEAD_BYTES = 8 << 20, /* enough for a disk to be busy */
    HINT_BYTES = 2 << 20,  /* told at once, at most */
    LEAST_BYTES = 1 << 14, /* of a piece for which a call pays, */
    SPREAD_BYTES = 1 << 12 /* for each so many of which it wants a byte at least */
};

void drxi_ahead_start(struct drxi_ahead *ahead, drx_array *a, const struct drxi_box *box)
{
    drxi_cursor_start(&ahead->cursor, a, box->lo, box->count, box->step);
    for (int j = 0; j < a->state.desc.ndim; j++)
        ahead->file_stride[j] = drxi_mul_saturated(a->item_pitch_bytes[j],
                                                   box->step && box->count[j] > 1 ? box->step[j] : 1);
    ahead->begin = ahead->end = -1;
    ahead->leads = 0;
    ahead->more = true;
}

static void tell(struct drxi_ahead *ahead, drx_array *a)
{
    if (ahead->end > ahead->begin)
        a->data->ops->ahead(a->data, ahead->begin, ahead->end - ahead->begin);
    ahead->begin = ahead->end;
}

/* The next piece: its first byte and the one behind its last. */
static void look(struct drxi_ahead *ahead, drx_array *a)
{
    const struct drxi_piece *piece = &ahead->cursor.piece;
    int64_t begin = piece->address * a->chunk_pitch_bytes;
    int64_t span = (int64_t)a->item_bytes;

    for (int j = 0; j < a->state.desc.ndim; j++) {
        begin += piece->start[j] * a->item_pitch_bytes[j];
        span += (piece->count[j] - 1) * ahead->file_stride[j];
    }
    if (span < LEAST_BYTES || span / drxi_piece_bytes(piece, a) > SPREAD_BYTES)
        return;
    if (begin != ahead->end || begin + span - ahead->begin > HINT_BYTES) {
        tell(ahead, a);
        ahead->begin = begin;
    }
    ahead->end = begin + span;
}

int64_t drxi_piece_bytes(const struct drxi_piece *piece, const drx_array *a)
{
    int64_t bytes = (int64_t)a->item_bytes;

    for (int j = 0; j < a->state.desc.ndim; j++)
        bytes *= piece->count[j];
    return bytes;
}

void drxi_ahead_follow(struct drxi_ahead *ahead, drx_array *a, int64_t bytes)
{
    ahead->leads -= bytes;
    while (ahead->more && ahead->leads < AHEAD_BYTES) {
        ahead->more = drxi_cursor_next(&ahead->cursor);
        if (!ahead->more) {
            tell(ahead, a);
            return;
        }
        look(ahead, a);
        ahead->leads += drxi_piece_bytes(&ahead->cursor.piece, a);
    }
}
