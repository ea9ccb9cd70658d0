/* Recovery, and giving back. */
#include <stdlib.h>

#include "base/hooks.h"
#include "pack/pack.h"

drx_status drxi_pack_lengthen(struct drxi_pack *p)
{
    int64_t size = 0;
    drx_status st;

    (void)pthread_mutex_lock(&p->lock);
    st = p->payloads->ops->size(p->payloads, &size);
    if (!st && size < p->end)
        st = p->payloads->ops->resize(p->payloads, p->end);
    (void)pthread_mutex_unlock(&p->lock);
    return st;
}

/* Write the head of an open payload again, and the fill where the file ends within it. */
static drx_status complete_half(struct drxi_pack *p, const struct drxi_half *half)
{
    const int64_t first = half->offset + DRXI_FRAME_HEAD_BYTES;
    const int64_t item = (int64_t)p->item_bytes;
    uint8_t head[DRXI_FRAME_HEAD_BYTES];
    uint8_t *fill = NULL;
    int64_t there, missing;
    drx_status st;

    there = drxi_max(drxi_min(p->found - first, p->chunk_bytes), 0) / item * item;
    missing = p->chunk_bytes - there;
    drxi_frame_open(p->item_bytes, (size_t)p->chunk_bytes, head);
    st = p->payloads->ops->write(p->payloads, head, sizeof head, half->offset);
    if (st || missing == 0)
        return st;
    fill = drxi_malloc((size_t)missing);
    if (!fill)
        return DRX_ENOMEM;
    drxi_pack_fill(p, fill, (size_t)missing);
    st = p->payloads->ops->write(p->payloads, fill, (size_t)missing, first + there);
    drxi_free(fill);
    return st;
}

/* Memory of a recovery. */
struct settling {
    struct drxi_pack_room room;
    uint8_t *chunk;
    struct drxi_slots open; /* payloads that are */
};

/* Whether the payload is there, and a chunk. */
static drx_status look_at_closed(struct drxi_pack *p, const struct drxi_half *half, struct settling *s, bool *good)
{
    drx_status st = drxi_pack_load(p, half, &s->room, good);

    if (st || !*good)
        return st;
    if (!s->chunk)
        s->chunk = drxi_malloc((size_t)p->chunk_bytes);
    if (!s->chunk)
        return DRX_ENOMEM;
    st = drxi_pack_unpack(p, half, &s->room, s->chunk, good);
    if (st != DRX_EUNSUPPORTED)
        return st;
    *good = true; /* for a later version */
    drxi_report_clear();
    return DRX_OK;
}

static bool is_open_payload(const struct drxi_pack *p, const struct drxi_half *half)
{
    return half->open && half->length == p->chunk_bytes + DRXI_FRAME_HEAD_BYTES;
}

/* What a power cut has left: a half that came to the disk without its payload. Its other half holds. An open payload
 * may lack its head, and room. */
static drx_status settle_half(struct drxi_pack *p, struct drxi_entry *e, int k, struct settling *s, bool *changed)
{
    struct drxi_half *half = &e->half[k];
    const bool open = (half->open) != 0;
    bool good = is_open_payload(p, half);
    drx_status st = open ? DRX_OK : look_at_closed(p, half, s, &good);

    if (st)
        return st;
    if (!good) {
        memset(e->bytes + k * DRXI_HALF_BYTES, 0, DRXI_HALF_BYTES);
        half->there = false;
        *changed = true;
        return DRX_OK;
    }
    p->end = drxi_max(p->end, half->offset + half->length);
    return open ? complete_half(p, half) : DRX_OK;
}

/* A SYNC promised this open payload, and the file was cut within it. What is missing is fill, and no other payload may
 * be put there. */
static drx_status settle_short(struct drxi_pack *p, const struct drxi_half *half)
{
    const int64_t end = half->offset + half->length;

    if (!is_open_payload(p, half) || !drxi_half_synced(p, half) || end <= p->found)
        return DRX_OK;
    p->end = drxi_max(p->end, end);
    drxi_pack_note(p);
    return complete_half(p, half);
}

/* Note where an open payload lies, or an earlier one has. */
static drx_status note_slots(struct drxi_pack *p, const struct drxi_entry *e, struct drxi_slots *open)
{
    const int newer = drxi_entry_newer(e);
    const struct drxi_half *half = newer >= 0 ? &e->half[newer] : NULL, *older = newer >= 0 ? &e->half[!newer] : NULL;
    drx_status st = DRX_OK;

    if (half && half->open && !(st = drxi_reserve(&open->of, &open->room, open->end + 1, sizeof *open->of)))
        open->of[open->end++].offset = half->offset;
    if (!st && half && older->there && is_open_payload(p, older) && older->offset + older->length <= p->found)
        st = drxi_slots_add(&p->slots, (struct drxi_slot){ .offset = older->offset, .epoch = half->epoch });
    return st;
}

static drx_status settle_entry(struct drxi_pack *p, int64_t q, struct drxi_entry *e, void *arg)
{
    struct settling *s = arg;
    bool changed = false;
    drx_status st = DRX_OK;
    int newer;

    for (int k = 0; k < 2; k++)
        if (e->half[k].torn) {
            memset(e->bytes + k * DRXI_HALF_BYTES, 0, DRXI_HALF_BYTES);
            e->half[k].torn = false;
            changed = true;
        }
    for (int k = 0; !st && k < 2; k++)
        if (e->half[k].there && !drxi_half_synced(p, &e->half[k])) {
            drxi_pack_note(p);
            p->log->epoch = drxi_max(p->log->epoch, (int64_t)e->half[k].epoch + 1);
            st = settle_half(p, e, k, s, &changed);
        }
    newer = drxi_entry_newer(e);
    if (!st && newer >= 0)
        st = settle_short(p, &e->half[newer]);
    if (!st && drxi_pack_reuses(p))
        st = note_slots(p, e, &s->open);
    if (newer >= 0 && e->half[newer].open)
        (void)atomic_fetch_add(&p->open, 1);
    if (newer >= 0)
        (void)atomic_fetch_add(&p->live, (int64_t)e->half[newer].length);
    return st || !changed ? st : drxi_pack_put_entries(p, q, 1, e);
}

static drx_status recover_payloads(struct drxi_pack *p)
{
    struct settling s = { .chunk = NULL };
    drx_status st;

    st = p->payloads->ops->size(p->payloads, &p->found); /* what a live handle has written counts, too */
    if (st)
        return st;
    atomic_store(&p->open, 0);
    atomic_store(&p->live, 0);
    p->log->epoch = drxi_max(p->log->epoch, p->log->state.epoch + 1);
    st = drxi_pack_walk(p, 0, p->log->state.map.chunks, settle_entry, &s);
    drxi_slots_without(&p->slots, &s.open);
    drxi_pack_room_free(&s.room);
    drxi_free(s.chunk);
    drxi_free(s.open.of);
    if (!st)
        st = drxi_pack_lengthen(p);
    if (!st && p->log->unpromised) /* whatever comes now may overwrite the others */
        st = p->io.ops->sync(&p->io);
    p->checked = p->checked || (!st && !p->log->others);
    p->found = p->end;
    return st;
}

drx_status drxi_pack_recover(struct drxi_pack *p)
{
    drx_status st = drxi_pack_guard(p, 0, DRXI_PACK_MOST_CHUNKS, true);

    if (st)
        return st;
    st = recover_payloads(p);
    (void)drxi_pack_guard(p, 0, DRXI_PACK_MOST_CHUNKS, false);
    return st;
}

/* ---- giving back ---- */

void drxi_pack_replaced(struct drxi_pack *p, const struct drxi_entry *e, int64_t length)
{
    const int k = drxi_entry_newer(e);

    (void)atomic_fetch_add(&p->live, length - (k < 0 ? 0 : (int64_t)e->half[k].length));
}

/* The bytes of the file that take no space: earlier writers have given them back. */
static drx_status count_holes(struct drxi_pack *p, int64_t *bytes)
{
    int64_t begin = 0, end = 0;
    drx_status st = DRX_OK;

    *bytes = p->end;
    while (!st && end < p->end) {
        st = p->payloads->ops->extent(p->payloads, end, &begin, &end);
        if (!st && begin < p->end)
            *bytes -= drxi_min(end, p->end) - begin;
    }
    return st;
}

drx_status drxi_pack_is_mostly_dead(struct drxi_pack *p, bool *is)
{
    const int64_t live = atomic_load(&p->live), most = drxi_max(live, drxi_hooks.reclaiming.from_bytes - 1);
    int64_t holes;
    drx_status st = DRX_OK;

    *is = p->end - live > most;
    if (*is && p->given_back < 0) {
        st = count_holes(p, &holes);
        p->given_back = st ? -1 : holes;
    }
    *is = !st && p->end - live - drxi_max(p->given_back, 0) > most;
    return st;
}

struct live {
    int64_t offset, end;
};

struct lives {
    struct live *live;
    int64_t n, room;
};

static drx_status add_live(struct drxi_pack *p, int64_t q, struct drxi_entry *e, void *arg)
{
    struct lives *l = arg;
    const int k = drxi_entry_newer(e);
    drx_status st;

    if (e->half[0].bad || e->half[1].bad)
        return drxi_pack_bad_entry(p, q);
    if (k < 0)
        return DRX_OK;
    st = drxi_reserve(&l->live, &l->room, l->n + 1, sizeof *l->live);
    if (!st)
        l->live[l->n++] = (struct live){ e->half[k].offset, e->half[k].offset + e->half[k].length };
    return st;
}

static int by_offset(const void *a, const void *b)
{
    const int64_t x = ((const struct live *)a)->offset, y = ((const struct live *)b)->offset;

    return (x > y) - (x < y);
}

drx_status drxi_pack_reclaim(struct drxi_pack *p)
{
    struct lives l = { NULL, 0, 0 };
    int64_t at = 0, bytes = 0;
    drx_status st = drxi_pack_walk(p, 0, p->log->state.map.chunks, add_live, &l);

    if (!st && l.n > 0)
        qsort(l.live, (size_t)l.n, sizeof *l.live, by_offset);
    for (int64_t i = 0; !st && i <= l.n; i++) {
        const int64_t end = i < l.n ? l.live[i].offset : p->end;

        if (end - at >= drxi_hooks.reclaiming.gap_bytes)
            st = p->payloads->ops->punch(p->payloads, at, end);
        at = i < l.n ? drxi_max(at, l.live[i].end) : at;
        bytes += i < l.n ? l.live[i].end - l.live[i].offset : 0;
    }
    if (!st)
        atomic_store(&p->live, bytes);
    p->given_back = p->end - atomic_load(&p->live); /* what could not be given back is not tried again and again */
    drxi_free(l.live);
    return st;
}

/* The entry first: a reader that finds no payload looks whether the entry has changed. Where an older one was open,
 * that of another chunk may be. */
static drx_status drop_payload(struct drxi_pack *p, int64_t q, struct drxi_entry *e, void *arg)
{
    const int newer = drxi_entry_newer(e);
    drx_status st;

    (void)arg;
    drxi_pack_replaced(p, e, 0);
    memset(e->bytes, 0, sizeof e->bytes);
    st = drxi_pack_put_entries(p, q, 1, e);
    for (int k = 0; !st && k < 2; k++)
        if (e->half[k].there && (k == newer || !e->half[k].open))
            st = p->payloads->ops->punch(p->payloads, e->half[k].offset, e->half[k].offset + e->half[k].length);
    return st;
}

drx_status drxi_pack_drop(struct drxi_pack *p, int64_t first, int64_t end)
{
    drx_status st = first < end ? drxi_pack_guard(p, first, end, true) : DRX_OK;

    if (st || first >= end)
        return st;
    st = drxi_pack_walk(p, first, end, drop_payload, NULL);
    (void)drxi_pack_guard(p, first, end, false);
    return st;
}
