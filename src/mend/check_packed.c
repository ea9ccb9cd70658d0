/* The table of a compressed array, and the payloads that it names. */
#include "drx_tools.h"
#include "mend/check.h"

enum { MOST_FINDINGS = 20 };

struct looking {
    struct drxi_check *c;
    struct drxi_pack_room room;
    int64_t bad, fallen, size;
};

static void tell(struct looking *l, int64_t *n, bool older, int64_t q, const struct drxi_half *half)
{
    const struct drxi_pack *p = l->c->a->data.pack;

    if ((*n)++ >= MOST_FINDINGS)
        return;
    if (older)
        drxi_found(
            l->c, drxi_transient_severity(l->c),
            "%s: chunk %lld: its last payload, at offset %lld, did not reach the disk before a power cut: it is as "
            "of the last sync",
            p->payloads->path, (long long)q, (long long)half->offset);
    else
        drxi_found(l->c, DRX_ERROR,
                   "%s: damaged: the payload of chunk %lld, %u bytes from offset %lld on, does not match its checksum",
                   p->payloads->path, (long long)q, (unsigned)half->length, (long long)half->offset);
}

/* Whether the payload is what the half says. */
static drx_status look_at_half(struct looking *l, struct drxi_pack *p, const struct drxi_half *half, bool *good)
{
    if (!(half->open))
        return drxi_pack_load(p, half, &l->room, good);
    *good = half->length == p->chunk_bytes + DRXI_FRAME_HEAD_BYTES &&
            (half->offset + half->length <= l->size || !drxi_half_synced(p, half));
    return DRX_OK;
}

/* Others may be writing: what they have changed meanwhile is looked at again. */
static drx_status look_at(struct drxi_pack *p, int64_t q, struct drxi_entry *e, void *arg)
{
    struct looking *l = arg;
    int64_t index[DRX_MAX_NDIM];
    drx_status st;

    if (drx_chunk_index(l->c->a, q, index)) { /* trimmed */
        drxi_report_clear();
        return DRX_OK;
    }
    st = drxi_pack_entry(p, q, e);
    if (st == DRX_EDAMAGED) {
        if (l->bad++ < MOST_FINDINGS)
            drxi_found(l->c, DRX_ERROR, "%s", drx_last_error());
        return DRX_OK;
    }
    for (int tries = 0; !st && tries < 2; tries++) {
        const int k = drxi_entry_newer(e);
        struct drxi_entry now;
        bool good = k < 0;

        if (k >= 0)
            st = look_at_half(l, p, &e->half[k], &good);
        if (st || good)
            return st;
        st = drxi_pack_entry(p, q, &now);
        if (!st && memcmp(now.bytes, e->bytes, sizeof now.bytes) == 0 && !drxi_half_synced(p, &e->half[k])) {
            tell(l, &l->fallen, true, q, &e->half[k]);
            e->half[k].there = false;
        } else if (!st && memcmp(now.bytes, e->bytes, sizeof now.bytes) == 0) {
            tell(l, &l->bad, false, q, &e->half[k]);
            return DRX_OK;
        } else {
            *e = now;
        }
    }
    return st;
}

drx_status drxi_check_packed(struct drxi_check *c)
{
    struct drxi_pack *p = c->a->data.pack;
    struct looking l = { .c = c };
    drx_status st;

    if (!p)
        return DRX_OK;
    st = p->payloads->ops->size(p->payloads, &l.size);
    if (!st)
        st = drxi_pack_walk(p, 0, c->a->log.state.map.chunks, look_at, &l);
    drxi_pack_room_free(&l.room);
    if (l.bad > MOST_FINDINGS)
        drxi_found(c, DRX_ERROR, "%s: %lld more chunks are damaged", p->table->path,
                   (long long)(l.bad - MOST_FINDINGS));
    return st;
}
