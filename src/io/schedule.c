/* The schedule: from extents to reads.
 *
 * A box of an array is many short runs of bytes in the file, in increasing order: its source. A disk reads a long run
 * at little more than the cost of a short one, and serves many requests at a time faster than one after the other; a
 * server takes a round trip for each. So between the source and the device stands this:
 *
 *     join      An extent that begins at most `gap_bytes` after the last one ends joins the open read, up to
 *               `read_bytes`: reading through a small gap costs less than another request. The gap is that at which
 *               both cost the same: the rate of the device times what a request costs, as io->cost has it.
 *     lay out   A read that does not pass through the system's cache is widened to whole blocks. Otherwise the system
 *               may read ahead where reads follow each other for long (is_in_order), and is told not to elsewhere,
 *               since what it reads ahead of a scattered read is lost.
 *     send      Up to RING reads are under way or have completed, in `most_bytes` of memory. This memory is a queue:
 *               each read takes the bytes after those of the one before, and a part is free when all before it are. A
 *               queue needs no allocator and no search, and a slow read in it holds up only those that come a whole
 *               queue later. Hence many more places than reads that are worth having under way.
 *     reap      What has completed goes to its place at once, in the order in which it comes, by any thread of the
 *               request; or the caller takes the reads in the order of the file (drxi_schedule_next).
 *     again     Where bytes are missing or a read has failed, a plain read is made (drxi_fetch_came says so), whose
 *               error is the one that the caller gets. So errors come from one place, in words for one call.
 *
 * A read that is alone is carried out at once, by the caller's thread: nothing is gained by sending it.
 *
 * Invariants
 *   1. Reads use memory as a queue: a read's part is free again when those before it are.
 *   2. What goes straight to its place takes none of that memory. What is read directly does, unless it is whole
 *      blocks.
 *   3. Who may leave all reads unsent has no flight before the first one is sent.
 *   4. Without `place` nothing waits for room: drxi_schedule_has_room counts the open read, and one more. */
#include "io/schedule.h"

enum {
    RING = DRXI_SCHEDULE_READS - 2, /* beside those that are open */
    BLOCK = DRXI_FLIGHT_ALIGNMENT
};

static drx_status open_flight(struct drxi_schedule *s)
{
    const drx_status st = drxi_flight_open(&s->flight, &s->memory);

    if (st)
        return st;
    s->table = s->memory + DRXI_FLIGHT_BYTES;
    if (s->most_bytes <= DRXI_FLIGHT_BYTES)
        return DRX_OK;
    s->own = s->memory = drxi_malloc((size_t)s->most_bytes);
    if (s->own && !s->poured)
        drxi_prefer_huge_pages(s->own, (size_t)s->most_bytes);
    return s->own ? DRX_OK : DRX_ENOMEM;
}

drx_status drxi_schedule_open(struct drxi_schedule *s)
{
    s->file_end = -1;
    s->most_bytes = s->most_bytes / BLOCK * BLOCK;
    s->most_parts = s->most_parts > 0 ? s->most_parts : INT64_MAX;
    s->one_by_one = s->one_by_one || s->io->cost.depth == 0;
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->room, NULL);
    return s->ready && !s->place ? DRX_OK : open_flight(s);
}

void drxi_schedule_close(struct drxi_schedule *s)
{
    drxi_flight_close(s->flight);
    drxi_free(s->own);
    (void)pthread_cond_destroy(&s->room);
    (void)pthread_mutex_destroy(&s->lock);
}

/* ---- what has completed ---- */

/* Free what the reads used that are placed, and so are all before them. */
static void release_fetch(struct drxi_schedule *s, struct drxi_fetch *r)
{
    (void)pthread_mutex_lock(&s->lock);
    r->placed = true;
    s->placed++;
    for (; s->freed < s->sent && s->ring[s->freed % DRXI_SCHEDULE_READS].placed; s->freed++) {
        const struct drxi_fetch *first = &s->ring[s->freed % DRXI_SCHEDULE_READS];

        s->freed_byte = first->memory_end;
        s->freed_part = first->part + first->parts;
    }
    (void)pthread_cond_signal(&s->room);
    (void)pthread_mutex_unlock(&s->lock);
}

static drx_status place_fetch(struct drxi_schedule *s, struct drxi_fetch *r)
{
    const uint8_t *from = (uint8_t *)r->flying.buf + (r->begin - r->flying.offset);
    drx_status st = DRX_OK;

    if (!atomic_load(&s->failed)) {
        if (r->to && r->to != from && drxi_fetch_came(r))
            memcpy(r->to, from, (size_t)(r->end - r->begin));
        st = s->place(s->of, r);
    }
    if (st)
        atomic_store(&s->failed, true);
    release_fetch(s, r);
    return st;
}

static drx_status reap_all(struct drxi_schedule *s, struct drxi_flying *(*reap)(struct drxi_flight *), drx_status st)
{
    struct drxi_fetch *r;

    while ((r = (struct drxi_fetch *)reap(s->flight))) {
        const drx_status placed = place_fetch(s, r);

        st = st ? st : placed;
    }
    return st;
}

/* ---- what is sent ---- */

/* Find memory for a read while fewer than `most` are under way; false when there is none yet. */
static bool find_room(struct drxi_schedule *s, int64_t bytes, int most)
{
    int64_t begin;

    if (s->freed == s->sent)
        s->next_byte = s->freed_byte = 0;
    begin = s->next_byte;
    if (begin % s->most_bytes + bytes > s->most_bytes)
        begin = drxi_ceil_div(begin, s->most_bytes) * s->most_bytes;
    if (s->sent - s->placed >= most || s->sent - s->freed >= RING || begin + bytes - s->freed_byte > s->most_bytes ||
        s->next_part - s->freed_part > s->most_parts / 4 * 3)
        return false;
    s->next_byte = begin;
    return true;
}

static drx_status wait_for_room(struct drxi_schedule *s, int64_t bytes, int most)
{
    drx_status st = DRX_OK;

    (void)pthread_mutex_lock(&s->lock);
    while (!st && !find_room(s, bytes, most)) {
        struct drxi_fetch *completed;

        (void)pthread_mutex_unlock(&s->lock);
        completed = (struct drxi_fetch *)drxi_flight_reap(s->flight);
        if (completed)
            st = place_fetch(s, completed);
        (void)pthread_mutex_lock(&s->lock);
        if (!completed && !find_room(s, bytes, most)) /* others are placing what has completed */
            (void)pthread_cond_wait(&s->room, &s->lock);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return st;
}

static bool is_straight(const struct drxi_schedule *s, const struct drxi_fetch *r)
{
    return r->to && (!s->direct || ((uint64_t)r->begin | (uint64_t)r->end | (uintptr_t)r->to) % BLOCK == 0);
}

/* Whether the system may read past what is asked for. */
static bool is_in_order(const struct drxi_schedule *s, int64_t bytes)
{
    return (s->row_bytes > bytes || bytes > s->read_bytes / 2) && s->row_bytes > s->io->cost.row_bytes;
}

/* Choose what to read, whole blocks of the disk if it is read directly, and the manner. */
static void lay_out_fetch(struct drxi_schedule *s, struct drxi_fetch *r)
{
    const int64_t block = s->direct && !is_straight(s, r) ? BLOCK : 1, bytes = r->end - r->begin;

    r->flying.offset = r->begin / block * block;
    r->flying.bytes = (size_t)(drxi_ceil_div(r->end, block) * block - r->flying.offset);
    s->row_bytes = (r->begin == s->file_end ? s->row_bytes : 0) + bytes;
    s->file_end = r->end;
    r->flying.manner = s->direct                                ? DRXI_DIRECTLY
                       : !s->scattered && is_in_order(s, bytes) ? DRXI_IN_ORDER
                                                                : DRXI_SCATTERED;
}

static drx_status read_alone(struct drxi_schedule *s, struct drxi_fetch *r, bool wanted)
{
    r->flying.completed = true;
    if (r->here)
        r->flying.got = r->flying.bytes;
    else if (wanted && r->flying.manner != DRXI_IN_ORDER)
        drxi_flight_alone(&r->flying);
    s->direct_bytes += r->flying.manner == DRXI_DIRECTLY ? (int64_t)r->flying.got : 0;
    return s->place ? place_fetch(s, r) : DRX_OK;
}

/* Send the open read; the last one, if there is no other, is carried out at once. */
static drx_status send(struct drxi_schedule *s, bool last)
{
    struct drxi_fetch *r = s->open;
    const bool alone = s->one_by_one || (last && s->sent == 0);
    bool wanted, straight, no_memory;
    int64_t bytes;
    drx_status st;

    if (!r)
        return DRX_OK;
    s->open = NULL;
    lay_out_fetch(s, r);
    if (s->note) {
        if (!s->note(s->of, &r->flying))
            atomic_store(&s->failed, true);
        return DRX_OK;
    }
    wanted = (!s->ready || s->ready(s->of, r, alone)) && (s->flight || open_flight(s) == DRX_OK);
    straight = is_straight(s, r);
    no_memory = !wanted || r->here || r->flying.at;
    bytes = no_memory || straight ? 0 : (int64_t)r->flying.bytes;
    if ((st = wait_for_room(s, bytes, no_memory ? DRXI_FLIGHT_MOST / 2 : DRXI_FLIGHT_MOST)))
        return st;
    if (!r->here)
        r->flying.buf = bytes > 0 ? s->memory + s->next_byte % s->most_bytes : r->to;
    s->next_byte += drxi_ceil_div(bytes, BLOCK) * BLOCK;
    r->memory_end = s->next_byte;
    (void)pthread_mutex_lock(&s->lock);
    s->sent++;
    (void)pthread_mutex_unlock(&s->lock);
    if (alone || !wanted)
        return read_alone(s, r, wanted);
    if (r->here) {
        drxi_flight_hand_over(s->flight, &r->flying);
        return DRX_OK;
    }
    s->concurrent++;
    s->direct_bytes += s->direct ? (int64_t)r->flying.bytes : 0;
    drxi_flight_send(s->flight, &r->flying);
    return DRX_OK;
}

static bool joins(const struct drxi_schedule *s, const struct drxi_fetch *r, int64_t begin, int64_t end,
                  const uint8_t *to)
{
    const int64_t gap = begin - r->end;

    if (begin < r->begin || end - r->begin > s->read_bytes || gap > s->gap_bytes || r->parts >= s->most_parts / 4)
        return false;
    return to || r->to ? gap == 0 && r->to && to == r->to + (r->end - r->begin) : true;
}

drx_status drxi_schedule_add(struct drxi_schedule *s, int64_t begin, int64_t end, uint8_t *to)
{
    drx_status st = s->open && !joins(s, s->open, begin, end, to) ? send(s, false) : DRX_OK;

    if (st)
        return st;
    if (!s->open) {
        s->open = &s->ring[s->sent % DRXI_SCHEDULE_READS];
        *s->open =
            (struct drxi_fetch){ .flying.io = s->io, .begin = begin, .end = end, .part = s->next_part, .to = to };
    }
    s->open->end = drxi_max(s->open->end, end);
    s->open->parts++;
    s->next_part++;
    return DRX_OK;
}

drx_status drxi_schedule_finish(struct drxi_schedule *s, drx_status st)
{
    if (!st && !atomic_load(&s->failed))
        st = send(s, true);
    s->open = NULL;
    if (st)
        atomic_store(&s->failed, true);
    return reap_all(s, drxi_flight_reap, st);
}

drx_status drxi_schedule_help(struct drxi_schedule *s)
{
    return reap_all(s, drxi_flight_await, DRX_OK);
}

void drxi_schedule_over(struct drxi_schedule *s)
{
    drxi_flight_end(s->flight);
}

/* ---- in order ---- */

bool drxi_schedule_has_room(struct drxi_schedule *s, int64_t bytes)
{
    const int64_t open = s->open ? s->open->end - s->open->begin + 2 * BLOCK : 0;

    if (s->one_by_one)
        return !s->open && s->sent == s->freed;
    return find_room(s, open + bytes + 2 * BLOCK, DRXI_FLIGHT_MOST / 2 - 1);
}

/* Joined to the open read, it takes the gap between them, too. */
bool drxi_schedule_takes(struct drxi_schedule *s, int64_t begin, int64_t end)
{
    const bool joined = s->open && joins(s, s->open, begin, end, NULL);

    return drxi_schedule_has_room(s, end - (joined ? drxi_min(s->open->end, end) : begin));
}

void drxi_schedule_pass(struct drxi_schedule *s)
{
    if (s->taken > s->freed)
        release_fetch(s, &s->ring[s->freed % DRXI_SCHEDULE_READS]);
}

struct drxi_fetch *drxi_schedule_next(struct drxi_schedule *s)
{
    struct drxi_fetch *r;

    drxi_schedule_pass(s);
    (void)send(s, false);
    if (s->taken == s->sent)
        return NULL;
    r = &s->ring[s->taken++ % DRXI_SCHEDULE_READS];
    (void)drxi_flight_wait(s->flight, &r->flying);
    return r;
}
