/* Reading from the disk is faster when the system knows what comes next. It sees that for a file read in sequence,
 * but not for scattered chunks. So a second cursor goes ahead of the one that reads, and tells the system what it
 * meets. */
#include "box/box.h"

enum {
    AHEAD_BYTES = 8 << 20, /* enough to keep a disk busy */
    HINT_BYTES = 2 << 20,  /* the most to tell at once */
    LEAST_BYTES = 1 << 14, /* a shorter piece is not worth a call, */
    SPREAD_BYTES = 1 << 12 /* nor one of which fewer bytes than one in so many are wanted */
};

void drxi_ahead_start(struct drxi_ahead *ahead, struct drxi_data *data, const struct drxi_box *box)
{
    drxi_cursor_start(&ahead->cursor, data->state, box->lo, box->count, box->step);
    for (int j = 0; j < data->state->desc.ndim; j++)
        ahead->file_stride[j] =
            drxi_mul_saturated(data->item_pitch_bytes[j], box->step && box->count[j] > 1 ? box->step[j] : 1);
    ahead->begin = ahead->end = -1;
    ahead->leads = 0;
    ahead->more = true;
}

static void tell(struct drxi_ahead *ahead, struct drxi_data *data)
{
    if (ahead->end > ahead->begin)
        data->io->ops->ahead(data->io, ahead->begin, ahead->end - ahead->begin);
    ahead->begin = ahead->end;
}

/* The next piece, from its first byte to the end of its last. */
static void look(struct drxi_ahead *ahead, struct drxi_data *data)
{
    const struct drxi_piece *piece = &ahead->cursor.piece;
    int64_t begin = piece->address * data->chunk_pitch_bytes;
    int64_t span = (int64_t)data->item_bytes;

    for (int j = 0; j < data->state->desc.ndim; j++) {
        begin += piece->start[j] * data->item_pitch_bytes[j];
        span += (piece->count[j] - 1) * ahead->file_stride[j];
    }
    if (span < LEAST_BYTES || span / drxi_piece_bytes(piece, data) > SPREAD_BYTES)
        return;
    if (begin != ahead->end || begin + span - ahead->begin > HINT_BYTES) {
        tell(ahead, data);
        ahead->begin = begin;
    }
    ahead->end = begin + span;
}

void drxi_ahead_follow(struct drxi_ahead *ahead, struct drxi_data *data, int64_t bytes)
{
    ahead->leads -= bytes;
    while (ahead->more && ahead->leads < AHEAD_BYTES) {
        ahead->more = drxi_cursor_next(&ahead->cursor);
        if (!ahead->more) {
            tell(ahead, data);
            return;
        }
        look(ahead, data);
        ahead->leads += drxi_piece_bytes(&ahead->cursor.piece, data);
    }
}
