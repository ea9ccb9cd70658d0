/* A chunk that a writer has taken: nobody else changes it meanwhile. */
#include "base/work.h"
#include "drx_tools.h"
#include "pack/pack.h"

enum { CLOSE_AT_ONCE = 16 };

static bool is_held(const struct drxi_pack *p, int64_t q)
{
    for (int64_t i = 0; i < p->taken_n; i++)
        if (p->taken[i] == q)
            return true;
    return false;
}

/* From the other threads of this process. */
static drx_status take_here(struct drxi_pack *p, int64_t q)
{
    drx_status st;

    (void)pthread_mutex_lock(&p->lock);
    while (is_held(p, q))
        (void)pthread_cond_wait(&p->given, &p->lock);
    st = drxi_reserve(&p->taken, &p->taken_room, p->taken_n + 1, sizeof *p->taken);
    if (!st)
        p->taken[p->taken_n++] = q;
    (void)pthread_mutex_unlock(&p->lock);
    return st;
}

static void give_here(struct drxi_pack *p, int64_t q)
{
    (void)pthread_mutex_lock(&p->lock);
    for (int64_t i = 0; i < p->taken_n; i++)
        if (p->taken[i] == q) {
            p->taken[i] = p->taken[--p->taken_n];
            break;
        }
    (void)pthread_cond_broadcast(&p->given);
    (void)pthread_mutex_unlock(&p->lock);
}

static void give_hold(struct drxi_pack *p, int64_t q)
{
    (void)drxi_pack_guard(p, q, q + 1, false);
    give_here(p, q);
}

/* Who takes several does so in increasing order, so nobody waits for ever. */
static drx_status take_hold(struct drxi_pack *p, int64_t q)
{
    drx_status st = take_here(p, q);

    if (st)
        return st;
    st = drxi_pack_guard(p, q, q + 1, true);
    if (st) {
        give_here(p, q);
        return st;
    }
    (void)pthread_mutex_lock(&p->lock);
    st = drxi_pack_look(p);
    (void)pthread_mutex_unlock(&p->lock);
    if (st)
        give_hold(p, q);
    return st;
}

drx_status drxi_hold_take(struct drxi_pack *p, int64_t q, bool cover, bool open, struct drxi_pack_hold *h)
{
    drx_status st = take_hold(p, q);
    int i;

    *h = (struct drxi_pack_hold){ .pack = p, .q = q };
    if (st)
        return st;
    h->held = true;
    h->cover = cover;
    if ((st = drxi_pack_entry(p, q, &h->entry))) {
        drxi_hold_give(h);
        return st;
    }
    i = drxi_entry_newer(&h->entry);
    h->stored = i >= 0;
    h->was_open = i >= 0 && h->entry.half[i].open;
    h->open_place = h->was_open ? h->entry.half[i].offset : -1;
    if (cover)
        h->kind = DRXI_HOLD_CLOSED;
    else if (i < 0)
        h->kind = DRXI_HOLD_NEW;
    else if (h->was_open)
        h->kind = DRXI_HOLD_OPEN;
    else
        h->kind = open ? DRXI_HOLD_NEW : DRXI_HOLD_CLOSED;
    if (h->kind == DRXI_HOLD_OPEN)
        h->at = h->open_place + DRXI_FRAME_HEAD_BYTES;
    return DRX_OK;
}

bool drxi_hold_needs_bytes(const struct drxi_pack_hold *h)
{
    return h->kind != DRXI_HOLD_OPEN && (h->kind != DRXI_HOLD_NEW || h->stored || !h->pack->zero_fill);
}

drx_status drxi_hold_fetch(struct drxi_pack_hold *h)
{
    struct drxi_pack *p = h->pack;
    struct drxi_pack_room room = { .frame = NULL };
    bool stored = false;
    drx_status st = DRX_OK;

    if (!drxi_hold_needs_bytes(h))
        return DRX_OK;
    h->bytes = drxi_malloc((size_t)p->chunk_bytes);
    if (!h->bytes)
        return DRX_ENOMEM;
    if (h->stored && !h->cover)
        st = drxi_pack_read_chunk(p, h->q, &room, h->bytes, &stored);
    if (!st && !stored)
        drxi_pack_fill(p, h->bytes, (size_t)p->chunk_bytes);
    drxi_pack_room_free(&room);
    return st;
}

drx_status drxi_hold_pack(struct drxi_pack_hold *h)
{
    const struct drxi_pack *p = h->pack;

    if (h->kind != DRXI_HOLD_CLOSED)
        return DRX_OK;
    h->frame = drxi_malloc((size_t)p->chunk_bytes + DRXI_FRAME_HEAD_BYTES);
    if (!h->frame)
        return DRX_ENOMEM;
    h->frame_bytes = drxi_frame_pack(&p->codec, p->item_bytes, h->bytes, (size_t)p->chunk_bytes, h->frame);
    if (h->frame_bytes == 0)
        return drxi_fail(DRX_EIO, "%s: chunk %lld: the codec %s failed", p->payloads->path, (long long)h->q,
                         drx_codec_name(p->codec.codec));
    drxi_free(h->bytes);
    h->bytes = NULL;
    return DRX_OK;
}

void drxi_hold_give(struct drxi_pack_hold *h)
{
    if (!h->held)
        return;
    h->held = false;
    drxi_free(h->bytes);
    drxi_free(h->frame);
    h->bytes = h->frame = NULL;
    give_hold(h->pack, h->q);
}

drx_status drxi_pack_begin(struct drxi_pack *p, int64_t q, bool cover, struct drxi_pack_hold *h)
{
    drx_status st = drxi_hold_take(p, q, cover, false, h);

    if (!st)
        st = drxi_hold_fetch(h);
    if (!st && h->kind == DRXI_HOLD_NEW)
        st = drxi_hold_commit(p, 1, &h);
    if (st)
        drxi_hold_give(h);
    return st;
}

drx_status drxi_pack_write(struct drxi_pack_hold *h, const void *buf, size_t n, int64_t within)
{
    struct drxi_pack *p = h->pack;

    n = (size_t)drxi_min((int64_t)n, p->chunk_bytes - within); /* the rest is padding */
    if (h->kind == DRXI_HOLD_CLOSED) {
        memcpy(h->bytes + within, buf, n);
        return DRX_OK;
    }
    drxi_pack_note(p);
    return p->payloads->ops->write(p->payloads, buf, n, h->at + within);
}

drx_status drxi_pack_end(struct drxi_pack_hold *h, drx_status st)
{
    if (!h->held)
        return st;
    if (!st)
        st = drxi_hold_pack(h);
    if (!st && h->kind == DRXI_HOLD_CLOSED)
        st = drxi_hold_commit(h->pack, 1, &h);
    drxi_hold_give(h);
    return st;
}

/* ---- closing ---- */

drx_status drxi_hold_take_open(struct drxi_pack *p, int64_t q, struct drxi_pack_hold *h)
{
    const drx_status st = drxi_hold_take(p, q, false, false, h);

    if (!st && h->kind == DRXI_HOLD_OPEN)
        h->kind = DRXI_HOLD_CLOSED;
    else if (!st)
        drxi_hold_give(h);
    return st;
}

static drx_status close_one(void *arg, int64_t i)
{
    struct drxi_pack_hold *h = ((struct drxi_pack_hold **)arg)[i];
    const drx_status st = drxi_hold_fetch(h);

    return st ? st : drxi_hold_pack(h);
}

static drx_status compress(const struct drxi_pack *p, int64_t n, struct drxi_pack_hold *hold[])
{
    drx_status st = DRX_OK;

    if (!p->io.callers_only)
        return drxi_work_share(n, close_one, hold);
    for (int64_t i = 0; !st && i < n; i++)
        st = close_one(hold, i);
    return st;
}

static drx_status close_some(struct drxi_pack *p, int64_t n, const int64_t q[])
{
    struct drxi_pack_hold hold[CLOSE_AT_ONCE];
    struct drxi_pack_hold *open[CLOSE_AT_ONCE];
    int64_t count = 0;
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < n; i++) {
        st = drxi_hold_take_open(p, q[i], &hold[count]);
        open[count] = &hold[count];
        count += hold[count].held;
    }
    if (!st)
        st = compress(p, count, open);
    if (!st && count > 0)
        st = drxi_hold_commit(p, count, open);
    for (int64_t i = 0; i < count; i++)
        drxi_hold_give(open[i]);
    return st;
}

drx_status drxi_pack_close(void *pack, int64_t n, const int64_t q[])
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < n; i += CLOSE_AT_ONCE)
        st = close_some(pack, drxi_min(CLOSE_AT_ONCE, n - i), q + i);
    return st;
}
