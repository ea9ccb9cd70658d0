/* Reading runs of a file into memory, many reads under way, since a disk serves them faster than one after the other.
 *
 * A run is cut into parts, which are verified and become elements when they are complete: several whole chunks, or what
 * there is of one. A part is read in pieces, most of them straight into their places. A direct read needs whole blocks of
 * the disk, and memory that begins with one; others go through memory of the flight. */
#include "base/hooks.h"
#include "data/sums.h"
#include "io/flight.h"
#include "layout/run/run.h"

enum {
    PART_BYTES = 1 << 20, /* of several chunks */
    PIECE_BYTES = 1 << 20,
    LEAST_BYTES = 1 << 12,                             /* a shorter run is not worth a read under way */
    LEAST_IN_ORDER = 1 << 19,                          /* a longer piece is one, whatever stands before it */
    ROOM_BYTES = DRXI_FLIGHT_BYTES / DRXI_FLIGHT_MOST, /* of a piece that goes through the flight's memory */
    THROUGH_BYTES = ROOM_BYTES - 2 * DRXI_FLIGHT_ALIGNMENT
};

struct part {
    uint8_t *to;
    int64_t offset, bytes;
    int under_way; /* pieces */
    bool lacks;    /* a piece did not get all */
    bool taken;
};

struct piece {
    struct drxi_flying read; /* first */
    struct part *part;
    int64_t offset, bytes; /* wanted */
    uint8_t *room, *to;    /* to: where they go from `room`; NULL: they are in their places */
};

struct drxi_run_reads {
    struct drxi_data *data;
    struct drxi_flight *flight;
    bool direct;
    int64_t file_end; /* of the piece that was sent last */
    int most;         /* pieces under way */
    struct piece piece[DRXI_FLIGHT_MOST];
    struct part part[DRXI_FLIGHT_MOST + 1];
    int idle[DRXI_FLIGHT_MOST], n_idle; /* pieces */
};

drx_status drxi_run_reads_begin(struct drxi_data *data, int64_t bytes, struct drxi_run_reads **out)
{
    struct drxi_run_reads *r;
    uint8_t *memory;
    drx_status st;

    *out = NULL;
    if (data->file->io->cost.depth == 0 || data->file->io->callers_only || bytes < drxi_hooks.shared_bytes)
        return DRX_OK;
    r = drxi_calloc(1, sizeof *r);
    if (!r)
        return DRX_ENOMEM;
    st = drxi_flight_open(&r->flight, &memory);
    if (st) {
        drxi_free(r);
        return st;
    }
    r->data = data;
    r->direct = drxi_data_goes_direct(data);
    r->file_end = -1;
    r->most = (int)(drxi_may_take(DRXI_FOR_COPY) / ROOM_BYTES);
    for (int k = 0; k < r->most; k++) {
        r->piece[k].room = memory + (size_t)k * ROOM_BYTES;
        r->idle[r->n_idle++] = k;
    }
    *out = r;
    return DRX_OK;
}

/* All pieces of the part have landed. */
static drx_status complete(const struct drxi_run_reads *r, struct part *p)
{
    p->taken = false;
    if (p->lacks)
        return drxi_data_read(r->data, p->to, (size_t)p->bytes, p->offset);
    drxi_count(&r->data->file->counts.reads, 1);
    drxi_count(&r->data->file->counts.read_bytes, p->bytes);
    return r->data->file->stored->land(r->data, p->to, (size_t)p->bytes, (size_t)p->bytes, p->offset);
}

/* Wait for a piece; false when none is under way. */
static bool land(struct drxi_run_reads *r, drx_status *st)
{
    struct piece *p = (struct piece *)drxi_flight_land(r->flight);

    if (!p)
        return false;
    if (!drxi_flight_brought(&p->read, p->offset + p->bytes))
        p->part->lacks = true;
    else if (p->to)
        memcpy(p->to, p->room + (p->offset - p->read.offset), (size_t)p->bytes);
    r->idle[r->n_idle++] = (int)(p - r->piece);
    if (--p->part->under_way == 0 && !*st)
        *st = complete(r, p->part);
    return true;
}

static bool is_aligned(int64_t offset, const uint8_t *to)
{
    return ((uint64_t)offset | (uintptr_t)to) % DRXI_FLIGHT_ALIGNMENT == 0;
}

/* How many of the next bytes a piece takes; *straight: into their places. */
static int64_t cut_piece(const struct drxi_run_reads *r, int64_t offset, const uint8_t *to, int64_t bytes,
                         bool *straight)
{
    const int64_t block = DRXI_FLIGHT_ALIGNMENT, whole = bytes / block * block;
    const int64_t odd = offset % block; /* the next piece begins with a block */

    *straight = !r->direct || (is_aligned(offset, to) && whole > 0);
    if (!r->direct)
        return drxi_min(bytes, PIECE_BYTES);
    return *straight ? drxi_min(whole, PIECE_BYTES) : drxi_min(bytes, THROUGH_BYTES - odd);
}

/* Send the piece of a part from byte `at` of it on; returns its bytes. */
static int64_t send_piece(struct drxi_run_reads *r, struct part *part, int64_t at)
{
    struct piece *p = &r->piece[r->idle[--r->n_idle]];
    const int64_t offset = part->offset + at, block = DRXI_FLIGHT_ALIGNMENT;
    uint8_t *const to = part->to + at;
    int64_t begin = offset, end;
    bool straight;

    p->part = part;
    p->offset = offset;
    p->bytes = cut_piece(r, offset, to, part->bytes - at, &straight);
    p->to = straight ? NULL : to;
    end = offset + p->bytes;
    p->read = (struct drxi_flying){ .io = r->data->file->io, .buf = straight ? to : p->room };
    p->read.manner = r->direct                                             ? DRXI_DIRECTLY
                     : offset == r->file_end || p->bytes >= LEAST_IN_ORDER ? DRXI_IN_ORDER
                                                                           : DRXI_SCATTERED;
    r->file_end = end;
    if (!straight) {
        begin = begin / block * block;
        end = drxi_ceil_div(end, block) * block;
    }
    p->read.offset = begin;
    p->read.bytes = (size_t)(end - begin);
    part->under_way++;
    drxi_count(&r->data->file->counts.flown, 1);
    drxi_count(&r->data->file->counts.direct_bytes, r->direct ? (int64_t)p->read.bytes : 0);
    drxi_flight_send(r->flight, &p->read);
    return p->bytes;
}

static struct part *take_part(struct drxi_run_reads *r)
{
    int k = 0;

    while (r->part[k].taken) /* each has a piece under way */
        k++;
    return &r->part[k];
}

static drx_status send_part(struct drxi_run_reads *r, uint8_t *to, int64_t bytes, int64_t offset)
{
    struct part *part = take_part(r);
    drx_status st = DRX_OK;

    *part = (struct part){ to, offset, bytes, .under_way = 1, .taken = true };
    for (int64_t at = 0; !st && at < bytes;) {
        if (r->n_idle == 0)
            (void)land(r, &st);
        else
            at += send_piece(r, part, at);
    }
    if (--part->under_way == 0 && !st)
        st = complete(r, part);
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

        st = send_part(r, to, part, offset);
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
    while (land(r, &st))
        continue;
    drxi_flight_close(r->flight);
    drxi_free(r);
    return st;
}
