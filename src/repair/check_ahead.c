/* What the data store, in the order of the file, with several reads under way. A disk serves them at its rate, and the
 * next ones are on the way while the caller looks at one. */
#include "repair/check.h"

enum {
    PIECE_BYTES = 1 << 20,
    ONCE_BYTES = 4 << 20, /* of one read after the other */
    ENDS_BYTES =
        2 * (DRXI_ITEM_MAX_BYTES + DRXI_FLIGHT_ALIGNMENT) /* around a piece: whole elements, and whole blocks */
};

drx_status drxi_ahead_open(struct drxi_ahead *r, struct drxi_data *data, int64_t size, bool holes)
{
    const bool sends = data->file->io->cost.depth > 0 && !data->file->io->callers_only && size > PIECE_BYTES;

    *r = (struct drxi_ahead){ .data = data, .size = size };
    drxi_stored_start(&r->stored, data->file->io, size, holes);
    r->reads.io = data->file->io;
    r->reads.one_by_one = !sends;
    r->reads.direct = drxi_data_goes_direct(data);
    r->reads.gap_bytes = -1;
    r->reads.read_bytes = (sends ? PIECE_BYTES : ONCE_BYTES) - ENDS_BYTES;
    r->reads.most_bytes = sends ? drxi_may_take(DRXI_FOR_CHECK) : ONCE_BYTES;
    return drxi_schedule_open(&r->reads);
}

/* How many bytes before the offset its element begins; 0 in the padding after a chunk. */
static int64_t bytes_into_element(const struct drxi_data *data, int64_t offset)
{
    const int64_t within = offset % data->chunk_pitch_bytes;

    return within < data->chunk_bytes ? within % (int64_t)data->item_bytes : 0;
}

/* Find the next piece, with the whole elements at its ends, and send its read. */
static drx_status send_next(struct drxi_ahead *r)
{
    int64_t offset, n, end, last;
    drx_status st = drxi_stored_next(&r->stored, r->reads.read_bytes, &offset, &n);

    r->over = st || n == 0;
    if (r->over)
        return st;
    last = bytes_into_element(r->data, offset + n);
    end = offset + n + (last > 0 ? (int64_t)r->data->item_bytes - last : 0);
    r->stored.at = drxi_max(r->stored.at, drxi_min(end, r->size));
    return drxi_schedule_add(&r->reads, offset - bytes_into_element(r->data, offset), end, NULL);
}

drx_status drxi_ahead_next(struct drxi_ahead *r, struct drxi_fetch **out)
{
    drx_status st = DRX_OK;

    do {
        drxi_schedule_pass(&r->reads);
        while (!st && !r->over && drxi_schedule_has_room(&r->reads, r->reads.read_bytes + 2 * DRXI_ITEM_MAX_BYTES))
            st = send_next(r);
        *out = st ? NULL : drxi_schedule_next(&r->reads);
    } while (*out && (*out)->end <= r->skipped);
    if (*out && (*out)->begin < r->skipped)
        (*out)->begin = r->skipped - bytes_into_element(r->data, r->skipped);
    return st;
}

void drxi_ahead_skip(struct drxi_ahead *r, int64_t to)
{
    r->skipped = drxi_max(r->skipped, to);
    r->stored.at = drxi_max(r->stored.at, drxi_min(to, r->size));
}
