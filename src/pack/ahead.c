/* Payloads of chunks that will be read, fetched from the disk or a server before they are needed, many at a time.
 *
 * Another walk over the same chunks runs ahead of the reader's own. Payloads that follow one another come as one read.
 * What the system has in memory is left to the reader; so is what does not come, who asks for it again and gets the
 * error.
 *
 * Invariants
 *   1. `chunk` is a queue of the chunks that the reader has yet to reach, `fetch` one of the reads of their payloads.
 *   2. The memory of a read is freed when the reader has passed all chunks that it is for. */
#include "base/hooks.h"
#include "io/flight.h"
#include "pack/pack.h"

enum {
    CHUNKS = 512,
    FETCHES = 32,
    FETCH_BYTES = 1 << 20,  /* the most in one read, but for a larger payload */
    PART_BYTES = 512 << 10, /* a longer payload is not fetched whole for a part of its chunk */
    NO_FETCH = -1
};

struct drxi_pack_ahead {
    struct drxi_pack *pack;
    drxi_pack_next *next;
    void *from;
    bool over; /* the walk ahead */
    int64_t most_bytes, bytes;
    struct {
        int64_t q, fetch, offset, end; /* of the payload that was found */
    } chunk[CHUNKS];
    int64_t first_chunk, end_chunk;
    struct drxi_flying fetch[FETCHES];
    int64_t first_fetch, end_fetch;
    bool open;                  /* the last fetch is not sent yet */
    struct drxi_flight *flight; /* NULL: nothing was sent yet */
};

static struct drxi_flying *fetch_of(struct drxi_pack_ahead *a, int64_t number)
{
    return &a->fetch[number % FETCHES];
}

static int64_t end_of(const struct drxi_flying *f)
{
    return f->offset + (int64_t)f->bytes;
}

bool drxi_pack_here(drxi_io *payloads, int64_t offset, int64_t bytes)
{
    struct drxi_spot spot = { .fd = -1 };

    if (drxi_as_from_disk())
        return false;
    payloads->ops->where(payloads, offset, DRXI_SCATTERED, &spot);
    if (spot.starts)
        return false;
    return spot.fd < 0 || (drxi_file_resident(spot.fd, spot.offset) &&
                           drxi_file_resident(spot.fd, spot.offset + drxi_min(bytes, spot.bytes) - 1));
}

static bool can_fly(struct drxi_pack_ahead *a)
{
    uint8_t *unused;

    return a->flight || drxi_flight_open(&a->flight, &unused) == DRX_OK;
}

static void send(struct drxi_pack_ahead *a)
{
    const struct drxi_flying *before = a->end_fetch - 1 > a->first_fetch ? fetch_of(a, a->end_fetch - 2) : NULL;
    struct drxi_flying *f;

    if (!a->open)
        return;
    f = fetch_of(a, a->end_fetch - 1);
    a->open = false;
    f->landed = true;
    if ((before && end_of(before) == f->offset) || f->bytes > FETCH_BYTES / 2)
        f->manner = DRXI_IN_ORDER;
    if (drxi_pack_here(a->pack->payloads, f->offset, (int64_t)f->bytes) || !can_fly(a) ||
        !(f->buf = drxi_malloc(f->bytes)))
        return;
    drxi_flight_send(a->flight, f);
}

static bool joins(struct drxi_pack_ahead *a, const struct drxi_half *half)
{
    const struct drxi_flying *f = a->open ? fetch_of(a, a->end_fetch - 1) : NULL;
    const int64_t gap = f ? half->offset - end_of(f) : -1;

    return gap >= 0 && gap <= a->pack->payloads->cost.gap_bytes &&
           (int64_t)f->bytes + gap + half->length <= FETCH_BYTES;
}

/* The number of the fetch that brings the payload. */
static int64_t want(struct drxi_pack_ahead *a, const struct drxi_half *half)
{
    struct drxi_flying *f;

    if (joins(a, half)) {
        f = fetch_of(a, a->end_fetch - 1);
        a->bytes += half->offset + half->length - end_of(f);
        f->bytes = (size_t)(half->offset + half->length - f->offset);
        return a->end_fetch - 1;
    }
    send(a);
    f = fetch_of(a, a->end_fetch++);
    *f = (struct drxi_flying){
        .io = a->pack->payloads, .offset = half->offset, .bytes = half->length, .manner = DRXI_SCATTERED
    };
    a->bytes += half->length;
    a->open = true;
    return a->end_fetch - 1;
}

/* Whether the chunk has a payload to fetch. The reader will see what is wrong with an entry. */
static bool find(struct drxi_pack *p, int64_t q, bool whole, struct drxi_half *half)
{
    struct drxi_entry e;
    int i;

    if (drxi_pack_entry(p, q, &e)) {
        drxi_report_clear();
        return false;
    }
    i = drxi_entry_newer(&e);
    if (i < 0)
        return false;
    *half = e.half[i];
    return half->length <= p->chunk_bytes + DRXI_FRAME_HEAD_BYTES && (whole || half->length <= PART_BYTES);
}

static void fill(struct drxi_pack_ahead *a)
{
    while (!a->over && a->bytes < a->most_bytes && a->end_chunk - a->first_chunk < CHUNKS &&
           a->end_fetch - a->first_fetch < FETCHES) {
        struct drxi_half half = { .there = false };
        int64_t q;
        bool whole;

        a->over = !a->next(a->from, &q, &whole);
        if (a->over)
            break;
        a->chunk[a->end_chunk % CHUNKS].q = q;
        a->chunk[a->end_chunk % CHUNKS].fetch = find(a->pack, q, whole, &half) ? want(a, &half) : NO_FETCH;
        a->chunk[a->end_chunk % CHUNKS].offset = half.offset;
        a->chunk[a->end_chunk % CHUNKS].end = half.offset + half.length;
        a->end_chunk++;
    }
    send(a);
}

static void drop_before(struct drxi_pack_ahead *a, int64_t number)
{
    for (; a->first_fetch < number; a->first_fetch++) {
        struct drxi_flying *f = fetch_of(a, a->first_fetch);

        (void)drxi_flight_wait(a->flight, f);
        drxi_free(f->buf);
        a->bytes -= (int64_t)f->bytes;
    }
}

drx_status drxi_pack_ahead_begin(struct drxi_pack *p, bool large, drxi_pack_next *next, void *from,
                                 struct drxi_pack_ahead **out)
{
    const bool trips = p->payloads->cost.trips;
    const int64_t most = drxi_may_take(trips ? DRXI_FOR_FAR_PAYLOADS : DRXI_FOR_PAYLOADS);
    struct drxi_pack_ahead *a;

    *out = NULL;
    if (p->payloads->cost.depth == 0 || (!trips && (!large || most < FETCH_BYTES)))
        return DRX_OK;
    a = drxi_calloc(1, sizeof *a);
    if (!a)
        return DRX_ENOMEM;
    a->pack = p;
    a->next = next;
    a->from = from;
    a->most_bytes = most;
    *out = a;
    return DRX_OK;
}

/* One read may bring several payloads. The reader gets only the one that was found: since then another may have been
 * written into a gap between them. */
void drxi_pack_ahead_to(struct drxi_pack_ahead *a, int64_t q, struct drxi_pack_room *room)
{
    int64_t number = NO_FETCH, offset = 0, end = 0;
    const struct drxi_flying *f;

    room->fetched_bytes = 0;
    if (!a)
        return;
    if (a->first_chunk == a->end_chunk) /* the reader has passed all of them */
        drop_before(a, a->end_fetch);
    fill(a);
    if (a->first_chunk < a->end_chunk && a->chunk[a->first_chunk % CHUNKS].q == q) {
        number = a->chunk[a->first_chunk % CHUNKS].fetch;
        offset = a->chunk[a->first_chunk % CHUNKS].offset;
        end = a->chunk[a->first_chunk++ % CHUNKS].end;
    }
    if (number == NO_FETCH)
        return;
    drop_before(a, number);
    f = fetch_of(a, number);
    (void)drxi_flight_wait(a->flight, f);
    end = drxi_min(end, f->offset + (int64_t)f->got);
    if (end <= offset)
        return;
    room->fetched = (const uint8_t *)f->buf + (offset - f->offset);
    room->fetched_at = offset;
    room->fetched_bytes = end - offset;
}

void drxi_pack_ahead_end(struct drxi_pack_ahead *a)
{
    if (!a)
        return;
    drop_before(a, a->end_fetch);
    drxi_flight_close(a->flight);
    drxi_free(a);
}

drx_status drxi_pack_ranges(struct drxi_pack *p, drxi_pack_next *next, void *from,
                            bool (*range)(void *arg, int64_t offset, int64_t bytes), void *arg)
{
    int64_t q, begin = 0, end = 0;
    bool whole, goes_on = true;

    while (goes_on && next(from, &q, &whole)) {
        struct drxi_half half;

        if (!find(p, q, whole, &half))
            continue;
        if (end == begin || half.offset < end || half.offset - end > p->payloads->cost.gap_bytes ||
            half.offset + half.length - begin > FETCH_BYTES) {
            goes_on = end == begin || range(arg, begin, end - begin);
            begin = half.offset;
        }
        end = half.offset + half.length;
    }
    if (goes_on && end > begin)
        (void)range(arg, begin, end - begin);
    return DRX_OK;
}
