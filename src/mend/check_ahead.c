/* What the data store, in the order of the file, with several reads under way. A disk serves them at its rate, and the
 * next ones are on the way while the caller looks at one. */
#include "mend/check.h"

enum {
    PIECE_BYTES = 1 << 20,
    ONCE_BYTES = 4 << 20, /* of one read after the other */
    ENDS_BYTES =
        2 * (DRXI_ITEM_MAX_BYTES + DRXI_FLIGHT_ALIGNMENT) /* around a piece: whole elements, and whole blocks */
};

drx_status drxi_ahead_open(struct drxi_ahead *r, struct drxi_data *data, int64_t size, bool holes)
{
    *r = (struct drxi_ahead){ .data = data, .size = size };
    r->sends = data->file->io->cost.depth > 0 && !data->file->io->callers_only && size > PIECE_BYTES;
    r->manner = drxi_data_goes_direct(data) ? DRXI_DIRECTLY : DRXI_IN_ORDER;
    r->most = r->sends ? (int)(drxi_may_take(DRXI_FOR_CHECK) / PIECE_BYTES) : 1;
    drxi_stored_start(&r->stored, data->file->io, size, holes);
    return drxi_flight_open(&r->flight, &r->memory);
}

/* How many bytes before the offset its element begins; 0 in the padding after a chunk. */
static int64_t bytes_into_element(const struct drxi_data *data, int64_t offset)
{
    const int64_t within = offset % data->chunk_pitch_bytes;

    return within < data->chunk_bytes ? within % (int64_t)data->item_bytes : 0;
}

static void send(struct drxi_ahead *r, struct drxi_ahead_piece *p)
{
    const int64_t block = r->manner == DRXI_DIRECTLY ? DRXI_FLIGHT_ALIGNMENT : 1;
    const int64_t from = p->begin / block * block;

    p->read = (struct drxi_flying){ .io = r->data->file->io,
                                    .offset = from,
                                    .bytes = (size_t)(drxi_ceil_div(p->end, block) * block - from),
                                    .buf = p->memory,
                                    .manner = r->manner };
    drxi_flight_send(r->flight, &p->read);
}

/* Find the next piece, and send its read; *some is false when there is none. */
static drx_status send_next(struct drxi_ahead *r, bool *some)
{
    struct drxi_ahead_piece *p = &r->piece[r->sent % r->most];
    int64_t n, last;
    drx_status st = drxi_stored_next(&r->stored, r->sends ? PIECE_BYTES - ENDS_BYTES : ONCE_BYTES, &p->offset, &n);

    *some = !st && n > 0;
    if (!*some)
        return st;
    last = bytes_into_element(r->data, p->offset + n);
    p->begin = p->offset - bytes_into_element(r->data, p->offset);
    p->end = p->offset + n + (last > 0 ? (int64_t)r->data->item_bytes - last : 0);
    p->memory = r->memory + r->sent % r->most * PIECE_BYTES;
    r->stored.at = drxi_max(r->stored.at, drxi_min(p->end, r->size));
    r->sent++;
    if (r->sends)
        send(r, p);
    return DRX_OK;
}

drx_status drxi_ahead_next(struct drxi_ahead *r, struct drxi_ahead_piece **out)
{
    bool some = true;
    drx_status st = DRX_OK;

    *out = NULL;
    while (!*out) {
        struct drxi_ahead_piece *p = &r->piece[r->taken % r->most];

        while (!st && some && r->sent - r->taken < r->most)
            st = send_next(r, &some);
        if (st || r->taken == r->sent)
            return st;
        if (r->sends)
            (void)drxi_flight_wait(r->flight, &p->read);
        r->taken++;
        if (p->end <= r->skipped)
            continue;
        if (p->offset < r->skipped) {
            p->offset = r->skipped;
            p->begin = p->offset - bytes_into_element(r->data, p->offset);
        }
        p->bytes = r->sends && drxi_flight_brought(&p->read, p->end) ? p->memory + (p->begin - p->read.offset) : NULL;
        *out = p;
    }
    return DRX_OK;
}

void drxi_ahead_skip(struct drxi_ahead *r, int64_t to)
{
    r->skipped = drxi_max(r->skipped, to);
    r->stored.at = drxi_max(r->stored.at, drxi_min(to, r->size));
}

void drxi_ahead_close(struct drxi_ahead *r)
{
    drxi_flight_close(r->flight);
}
