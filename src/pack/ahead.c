/* Payloads of chunks that will be read, fetched from the disk or a server before they are needed, many at a time.
 *
 * Another walk over the same chunks runs ahead of the reader's own. Payloads that follow one another come as one read.
 * What the system has in memory is left to the reader; so is what does not come, who asks for it again and gets the
 * error. */
#include "base/hooks.h"
#include "io/schedule.h"
#include "pack/pack.h"

enum {
    CHUNKS = 512,
    FETCH_BYTES = 1 << 20,  /* the most in one read, but for a larger payload */
    LEAST_BYTES = 1 << 16,  /* of memory, where a read waits for a round trip */
    PART_BYTES = 512 << 10, /* a longer payload is not fetched whole for a part of its chunk */
    WIDER_BYTES = 4 * DRXI_FLIGHT_ALIGNMENT
};

struct drxi_pack_ahead {
    struct drxi_pack *pack;
    drxi_pack_next *next;
    void *from;
    struct wanted {
        int64_t q, offset, end; /* of the payload that was found; end 0: none is fetched */
    } chunk[CHUNKS];            /* a queue of those that the reader has yet to reach */
    int64_t first_chunk, end_chunk;
    bool waits; /* the one at the end, for room */
    bool over;  /* the walk ahead */
    struct drxi_schedule reads;
    const struct drxi_fetch *read; /* taken last; or NULL */
};

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

/* Whether the chunk has a payload to fetch. The reader will see what is wrong with an entry. */
static bool find_decoded(struct drxi_pack *p, int64_t q, bool whole, struct drxi_half *half)
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

static bool is_wanted(void *of, struct drxi_fetch *r, bool alone)
{
    const struct drxi_pack_ahead *a = of;

    (void)alone;
    return !drxi_pack_here(a->pack->payloads, r->begin, r->end - r->begin);
}

/* Find the next chunk; false after the last one. */
static bool find_next(struct drxi_pack_ahead *a)
{
    struct wanted *w = &a->chunk[a->end_chunk % CHUNKS];
    struct drxi_half half;
    bool whole;

    a->over = a->over || !a->next(a->from, &w->q, &whole);
    if (a->over)
        return false;
    w->end = 0;
    if (find_decoded(a->pack, w->q, whole, &half) && half.length <= a->reads.most_bytes - WIDER_BYTES) {
        w->offset = half.offset;
        w->end = half.offset + half.length;
    }
    return true;
}

static void fill_ahead(struct drxi_pack_ahead *a)
{
    while (a->end_chunk - a->first_chunk < CHUNKS && (a->waits || find_next(a))) {
        const struct wanted *w = &a->chunk[a->end_chunk % CHUNKS];

        a->waits = w->end > 0 && !drxi_schedule_takes(&a->reads, w->offset, w->end);
        if (a->waits)
            return;
        if (w->end > 0)
            (void)drxi_schedule_add(&a->reads, w->offset, w->end, NULL);
        a->end_chunk++;
    }
}

static void plan(struct drxi_schedule *s, struct drxi_pack *p, int64_t most)
{
    s->io = p->payloads;
    s->gap_bytes = p->payloads->cost.gap_bytes;
    s->read_bytes = drxi_min(FETCH_BYTES, most / 2);
    s->most_bytes = most;
}

drx_status drxi_pack_ahead_begin(struct drxi_pack *p, bool large, drxi_pack_next *next, void *from,
                                 struct drxi_pack_ahead **out)
{
    const bool trips = p->payloads->cost.trips;
    const int64_t most = drxi_may_take(trips ? DRXI_FOR_FAR_PAYLOADS : DRXI_FOR_PAYLOADS);
    struct drxi_pack_ahead *a;
    drx_status st;

    *out = NULL;
    if (p->payloads->cost.depth == 0 || (!trips && !large) || most < (trips ? LEAST_BYTES : FETCH_BYTES))
        return DRX_OK;
    a = drxi_calloc(1, sizeof *a);
    if (!a)
        return DRX_ENOMEM;
    a->pack = p;
    a->next = next;
    a->from = from;
    plan(&a->reads, p, most);
    a->reads.ready = is_wanted;
    a->reads.of = a;
    st = drxi_schedule_open(&a->reads);
    if (!st)
        *out = a;
    else
        drxi_pack_ahead_end(a);
    return st;
}

static bool holds(const struct drxi_fetch *r, const struct wanted *w)
{
    return r && w->offset >= r->begin && w->end <= r->end;
}

/* One read may bring several payloads. The reader gets only the one that was found: since then another may have been
 * written into a gap between them. */
void drxi_pack_ahead_to(struct drxi_pack_ahead *a, int64_t q, struct drxi_pack_room *room)
{
    const struct wanted *w;
    int64_t end;

    room->fetched_bytes = 0;
    if (!a)
        return;
    w = &a->chunk[a->first_chunk % CHUNKS];
    if (a->first_chunk == a->end_chunk || (w->end > 0 && !holds(a->read, w))) {
        drxi_schedule_pass(&a->reads);
        a->read = NULL;
    }
    fill_ahead(a);
    if (a->first_chunk == a->end_chunk || w->q != q)
        return;
    a->first_chunk++;
    if (w->end == 0)
        return;
    while (!holds(a->read, w))
        if (!(a->read = drxi_schedule_next(&a->reads)))
            return;
    end = drxi_min(w->end, a->read->flying.offset + (int64_t)a->read->flying.got);
    if (end <= w->offset)
        return;
    room->fetched = drxi_fetch_bytes(a->read) + (w->offset - a->read->begin);
    room->fetched_at = w->offset;
    room->fetched_bytes = end - w->offset;
}

void drxi_pack_ahead_end(struct drxi_pack_ahead *a)
{
    if (!a)
        return;
    drxi_schedule_close(&a->reads);
    drxi_free(a);
}

drx_status drxi_pack_ranges(struct drxi_pack *p, drxi_pack_next *next, void *from,
                            bool (*range)(void *arg, const struct drxi_flying *read), void *arg)
{
    struct drxi_schedule s = { .note = range, .of = arg };
    drx_status st;
    int64_t q;
    bool whole;

    plan(&s, p, 2 * FETCH_BYTES);
    st = drxi_schedule_open(&s);
    while (!st && !s.failed && next(from, &q, &whole)) {
        struct drxi_half half;

        if (find_decoded(p, q, whole, &half))
            st = drxi_schedule_add(&s, half.offset, half.offset + half.length, NULL);
    }
    if (!st)
        st = drxi_schedule_finish(&s, st);
    drxi_schedule_close(&s);
    return st;
}
