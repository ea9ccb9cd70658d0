/* Payloads and halves written, in the order of their holds. */
#include "format/crc.h"
#include "pack/pack.h"

enum { STAGE_BYTES = 1 << 20, MOST_IN_A_ROW = 64 };

/* Payloads that lie next to each other, gathered. */
struct stage {
    struct drxi_pack *p;
    uint8_t *bytes;
    int64_t n, offset;
};

static drx_status empty(struct stage *s)
{
    const int64_t n = s->n;

    s->n = 0;
    return n > 0 ? s->p->payloads->ops->write(s->p->payloads, s->bytes, (size_t)n, s->offset) : DRX_OK;
}

static drx_status put_staged(struct stage *s, const void *bytes, int64_t n, int64_t offset)
{
    drx_status st = DRX_OK;

    if (s->n > 0 && (offset != s->offset + s->n || s->n + n > STAGE_BYTES))
        st = empty(s);
    if (!st && n >= STAGE_BYTES / 4)
        st = empty(s);
    if (st)
        return st;
    if (n >= STAGE_BYTES / 4)
        return s->p->payloads->ops->write(s->p->payloads, bytes, (size_t)n, offset);
    if (!s->bytes && !(s->bytes = drxi_malloc(STAGE_BYTES)))
        return DRX_ENOMEM;
    if (s->n == 0)
        s->offset = offset;
    memcpy(s->bytes + s->n, bytes, (size_t)n);
    s->n += n;
    return DRX_OK;
}

/* Zeros need not be written where nothing was. */
static drx_status put_open(struct stage *s, const struct drxi_pack_hold *h, int64_t offset)
{
    const struct drxi_pack *p = s->p;
    uint8_t head[DRXI_FRAME_HEAD_BYTES];
    uint8_t *zeros = h->again && !h->bytes ? drxi_calloc(1, (size_t)p->chunk_bytes) : NULL;
    const uint8_t *bytes = zeros ? zeros : h->bytes;
    drx_status st = h->again && !bytes ? DRX_ENOMEM : DRX_OK;

    drxi_frame_open(p->item_bytes, (size_t)p->chunk_bytes, head);
    if (!st)
        st = put_staged(s, head, sizeof head, offset);
    if (!st && bytes)
        st = put_staged(s, bytes, p->chunk_bytes, offset + DRXI_FRAME_HEAD_BYTES);
    drxi_free(zeros);
    return st;
}

/* Only who gives all payloads their places may use one again. */
static drx_status place_payloads(struct drxi_pack *p, int64_t n, struct drxi_pack_hold *const h[])
{
    const int64_t promised = p->log->others || p->log->restoring ? -1 : drxi_pack_promised(p);
    int64_t end = p->end;
    bool fits = true;
    drx_status st = DRX_OK;

    for (int64_t i = 0; i < n; i++)
        fits = fits && drxi_hold_place(p, h[i]->kind == DRXI_HOLD_NEW, drxi_hold_length(h[i]), promised, &end,
                                       &h[i]->place, &h[i]->again);
    if (!fits)
        st = drxi_fail(DRX_EOVERFLOW, "%s: would be too long", p->payloads->path);
    else if (p->payloads->cost.at_once || p->log->others) /* only one thread at a time may lengthen what is in memory */
        st = p->payloads->ops->resize(p->payloads, end);
    p->end = st ? p->end : end;
    return st;
}

/* Give n payloads their places, one after another. */
static drx_status reserve_payloads(struct drxi_pack *p, int64_t n, struct drxi_pack_hold *const h[])
{
    drx_status st;

    (void)pthread_mutex_lock(&p->lock);
    st = drxi_pack_guard_end(p, true);
    if (!st) {
        st = place_payloads(p, n, h);
        (void)drxi_pack_guard_end(p, false);
    }
    (void)pthread_mutex_unlock(&p->lock);
    return st;
}

static bool has_durable(const struct drxi_pack *p, const struct drxi_entry *e)
{
    for (int k = 0; k < 2; k++)
        if (e->half[k].there && drxi_half_durable(p, &e->half[k]))
            return true;
    return false;
}

/* Whether what a power cut leaves in the place of this open payload, zeros or an earlier one, could be taken for
 * data. */
static bool must_be_durable(const struct drxi_pack *p, const struct drxi_pack_hold *h)
{
    const bool ever_synced = p->log->state.ever_synced || p->promised > 0;

    return h->kind == DRXI_HOLD_NEW && ever_synced && (h->again || !p->zero_fill || has_durable(p, &h->entry));
}

/* Write the payloads; set the half that each entry gets. */
static drx_status write_payloads(struct drxi_pack *p, int64_t n, struct drxi_pack_hold *const h[])
{
    struct stage s = { .p = p };
    bool durable = false, open = false;
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < n; i++) {
        const bool is_open = h[i]->kind == DRXI_HOLD_NEW;
        struct drxi_entry *e = &h[i]->entry;
        const int64_t length = drxi_hold_length(h[i]), at = h[i]->place;
        const int k = drxi_entry_to_write(p, e);

        durable = durable || must_be_durable(p, h[i]);
        open = open || is_open;
        drxi_pack_replaced(p, e, length);
        st = is_open ? put_open(&s, h[i], at) : put_staged(&s, h[i]->frame, length, at);
        e->half[k] = (struct drxi_half){ .there = true,
                                         .offset = at,
                                         .length = (uint32_t)length,
                                         .epoch = (uint32_t)p->log->epoch,
                                         .open = is_open,
                                         .crc = is_open ? 0 : drxi_crc32c(0, h[i]->frame, (size_t)length) };
        drxi_half_encode(&e->half[k], h[i]->q, e->bytes + k * DRXI_HALF_BYTES);
        h[i]->at = at + DRXI_FRAME_HEAD_BYTES;
    }
    if (!st)
        st = empty(&s);
    drxi_free(s.bytes);
    if (!st && open) /* the room of the last one, where only its head was written */
        st = drxi_pack_lengthen(p);
    return st || !durable ? st : p->payloads->ops->sync(p->payloads);
}

/* Write the entries, those next to each other at once. */
static drx_status write_entries(struct drxi_pack *p, int64_t n, struct drxi_pack_hold *const h[])
{
    struct drxi_entry *row = drxi_malloc(MOST_IN_A_ROW * sizeof *row);
    drx_status st = row ? DRX_OK : DRX_ENOMEM;

    for (int64_t i = 0; !st && i < n;) {
        int64_t k = 0;

        do
            row[k] = h[i + k]->entry;
        while (++k < MOST_IN_A_ROW && i + k < n && h[i + k]->q == h[i]->q + k);
        st = drxi_pack_put_entries(p, h[i]->q, k, row);
        i += k;
    }
    drxi_free(row);
    return st;
}

drx_status drxi_hold_commit_placed(struct drxi_pack *p, int64_t n, struct drxi_pack_hold *const h[])
{
    drx_status st;

    drxi_pack_note(p);
    st = write_payloads(p, n, h);
    for (int64_t i = 0; !st && i < n; i++) /* too many is harmless, should some entries not be written */
        if (h[i]->kind == DRXI_HOLD_NEW)
            (void)atomic_fetch_add(&p->open, 1);
    if (!st)
        st = write_entries(p, n, h);
    for (int64_t i = 0; !st && i < n; i++) {
        if (h[i]->kind == DRXI_HOLD_NEW) {
            h[i]->kind = DRXI_HOLD_OPEN;
        } else if (h[i]->was_open) {
            (void)atomic_fetch_sub(&p->open, 1);
            drxi_pack_left(p, h[i]->open_place);
        }
    }
    return st;
}

drx_status drxi_hold_commit(struct drxi_pack *p, int64_t n, struct drxi_pack_hold *const h[])
{
    drx_status st = reserve_payloads(p, n, h);

    return st ? st : drxi_hold_commit_placed(p, n, h);
}
