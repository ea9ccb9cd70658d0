/* Reading runs of a file into memory, many reads under way, since a disk serves them faster than one after the other.
 *
 * A run is cut into parts, which are verified and become elements when they are complete: several whole chunks, or what
 * there is of one. A part is read in pieces, most of them straight into their places. */
#include "base/hooks.h"
#include "data/sums.h"
#include "io/schedule.h"
#include "layout/run/run.h"

enum {
    PART_BYTES = 1 << 20, /* of several chunks */
    PIECE_BYTES = 1 << 20,
    LEAST_BYTES = 1 << 12,                           /* a shorter run is not worth a read under way */
    ODD_BYTES = DRXI_FLIGHT_BYTES / DRXI_FLIGHT_MOST /* of a direct read that is not of whole blocks */
};

struct part {
    uint8_t *to;
    int64_t offset, bytes;
    int64_t completed; /* bytes */
    bool lacks;        /* a piece did not get all */
};

struct drxi_run_reads {
    struct drxi_data *data;
    struct drxi_schedule reads;
    struct part *part_of[DRXI_SCHEDULE_READS]; /* of each piece that is under way */
    struct part part[DRXI_SCHEDULE_READS];     /* a queue: each has pieces under way */
    int64_t parts;
};

/* A piece has completed; with the last one, its part. */
static drx_status place_piece(void *of, struct drxi_fetch *piece)
{
    struct drxi_run_reads *r = of;
    struct part *p = r->part_of[piece->part % DRXI_SCHEDULE_READS];

    p->lacks = p->lacks || !drxi_fetch_came(piece);
    p->completed += piece->end - piece->begin;
    return p->completed < p->bytes ? DRX_OK
                                   : drxi_data_completed(r->data, !p->lacks, p->to, (size_t)p->bytes, p->offset);
}

drx_status drxi_run_reads_begin(struct drxi_data *data, int64_t bytes, struct drxi_run_reads **out)
{
    struct drxi_run_reads *r;
    drx_status st;

    *out = NULL;
    if (data->file->io->cost.depth == 0 || data->file->io->callers_only || bytes < drxi_hooks.shared_bytes)
        return DRX_OK;
    r = drxi_calloc(1, sizeof *r);
    if (!r)
        return DRX_ENOMEM;
    r->data = data;
    r->reads.io = data->file->io;
    r->reads.direct = drxi_data_goes_direct(data);
    r->reads.gap_bytes = -1;
    r->reads.read_bytes = PIECE_BYTES;
    r->reads.most_bytes = drxi_may_take(DRXI_FOR_COPY);
    r->reads.place = place_piece;
    r->reads.of = r;
    st = drxi_schedule_open(&r->reads);
    if (!st) {
        *out = r;
        return DRX_OK;
    }
    drxi_schedule_close(&r->reads);
    drxi_free(r);
    return st;
}

/* How many of the next bytes a piece takes: whole blocks where they go straight to their places, or up to the next
 * block. */
static int64_t cut_piece(const struct drxi_run_reads *r, int64_t offset, const uint8_t *to, int64_t bytes)
{
    const int64_t block = DRXI_FLIGHT_ALIGNMENT, odd = offset % block;

    if (!r->reads.direct)
        return drxi_min(bytes, PIECE_BYTES);
    if (odd == 0 && (uintptr_t)to % block == 0 && bytes >= block)
        return drxi_min(bytes / block * block, PIECE_BYTES);
    return drxi_min(bytes, ODD_BYTES - 2 * block - odd);
}

static drx_status read_run_part(struct drxi_run_reads *r, uint8_t *to, int64_t bytes, int64_t offset)
{
    struct part *part = &r->part[r->parts++ % DRXI_SCHEDULE_READS];
    drx_status st = DRX_OK;

    *part = (struct part){ .to = to, .offset = offset, .bytes = bytes };
    for (int64_t at = 0, n; !st && at < bytes; at += n) {
        n = cut_piece(r, offset + at, to + at, bytes - at);
        r->part_of[r->reads.next_part % DRXI_SCHEDULE_READS] = part;
        st = drxi_schedule_add(&r->reads, offset + at, offset + at + n, to + at);
    }
    return st;
}

drx_status drxi_run_reads_add(struct drxi_run_reads *r, uint8_t *to, int64_t bytes, int64_t offset)
{
    const int64_t pitch = r->data->chunk_pitch_bytes;
    drx_status st = DRX_OK;

    if (bytes < drxi_min(LEAST_BYTES, drxi_hooks.shared_bytes))
        return drxi_data_read(r->data, to, (size_t)bytes, offset);
    while (!st && bytes > 0) {
        const int64_t within = offset % pitch;
        const int64_t part =
            drxi_min(bytes, within > 0 || pitch > PART_BYTES ? pitch - within : PART_BYTES / pitch * pitch);

        st = read_run_part(r, to, part, offset);
        to += part;
        bytes -= part;
        offset += part;
    }
    return st;
}

drx_status drxi_run_reads_end(struct drxi_run_reads *r, drx_status st)
{
    if (!r)
        return st;
    st = drxi_schedule_finish(&r->reads, st);
    drxi_data_count_reads(r->data, &r->reads);
    drxi_schedule_close(&r->reads);
    drxi_free(r);
    return st;
}
