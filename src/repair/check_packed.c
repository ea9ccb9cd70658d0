/* The table of a compressed array, and the payloads that it names. */
#include <stdlib.h>

#include "repair/check.h"

enum { MOST_FINDINGS = 20, OPEN_ALIGN = 16, MOST_PLACES = 1 << 24 };

/* Where the payload of a chunk lies. */
struct place {
    int64_t offset, end, q;
};

struct looking {
    struct drxi_check *c;
    struct drxi_pack_room room;
    uint8_t *chunk;
    const char *wrong; /* what the payload that was looked at last is not */
    struct place *place;
    int64_t places, room_for_places;
    int64_t bad, fallen, size;
};

static void report_half(struct looking *l, int64_t *n, bool older, int64_t q, const struct drxi_half *half)
{
    const struct drxi_pack *p = l->c->a->data.file->pack;

    if ((*n)++ >= MOST_FINDINGS)
        return;
    if (older)
        drxi_found(
            l->c, drxi_transient_severity(l->c),
            "%s: chunk %lld: its last payload, at offset %lld, did not reach the disk before a power cut: it is as "
            "of the last sync",
            p->payloads->path, (long long)q, (long long)half->offset);
    else
        drxi_found(l->c, DRX_ERROR, "%s: damaged: the payload of chunk %lld, %u bytes from offset %lld on, does not %s",
                   p->payloads->path, (long long)q, (unsigned)half->length, (long long)half->offset, l->wrong);
}

static drx_status look_at_closed(struct looking *l, struct drxi_pack *p, const struct drxi_half *half, bool *good)
{
    drx_status st = drxi_pack_load(p, half, &l->room, good);

    l->wrong = "match its checksum";
    if (st || !*good)
        return st;
    l->wrong = "decompress to the bytes of a chunk";
    if (!l->chunk)
        l->chunk = drxi_malloc((size_t)p->chunk_bytes);
    return l->chunk ? drxi_pack_unpack(p, half, &l->room, l->chunk, good) : DRX_ENOMEM;
}

/* Whether the payload is what the half says. */
static drx_status look_at_half(struct looking *l, struct drxi_pack *p, const struct drxi_half *half, bool *good)
{
    if (!half->open)
        return look_at_closed(l, p, half, good);
    l->wrong = "have the length of an open one";
    *good = half->length == p->chunk_bytes + DRXI_FRAME_HEAD_BYTES;
    if (*good && half->offset + half->length > l->size && drxi_half_synced(p, half)) {
        l->wrong = "end before the file does";
        *good = false;
    }
    return DRX_OK;
}

/* A payload that is good: its place is looked at with those of others, of the first MOST_PLACES. */
static drx_status note_place(struct looking *l, const struct drxi_pack *p, int64_t q, const struct drxi_half *half)
{
    const int64_t align = half->open ? drxi_max(p->align, OPEN_ALIGN) : p->align;
    drx_status st = DRX_OK;

    if (l->places < MOST_PLACES)
        st = drxi_reserve(&l->place, &l->room_for_places, l->places + 1, sizeof *l->place);
    if (st)
        return st;
    if (l->places < MOST_PLACES)
        l->place[l->places++] = (struct place){ half->offset, half->offset + half->length, q };
    if (half->offset % align != 0 && l->bad++ < MOST_FINDINGS)
        drxi_found(l->c, DRX_ERROR,
                   "%s: damaged: the payload of chunk %lld begins at offset %lld, expected a multiple of %lld",
                   p->payloads->path, (long long)q, (long long)half->offset, (long long)align);
    return DRX_OK;
}

/* Others may be writing: what they have changed meanwhile is looked at again. */
static drx_status look_at_entry(struct drxi_pack *p, int64_t q, struct drxi_entry *e, void *arg)
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
        bool good = false;

        if (k < 0)
            return DRX_OK;
        st = look_at_half(l, p, &e->half[k], &good);
        if (st || good)
            return st ? st : note_place(l, p, q, &e->half[k]);
        st = drxi_pack_entry(p, q, &now);
        if (!st && memcmp(now.bytes, e->bytes, sizeof now.bytes) == 0 && !drxi_half_synced(p, &e->half[k])) {
            report_half(l, &l->fallen, true, q, &e->half[k]);
            e->half[k].there = false;
        } else if (!st && memcmp(now.bytes, e->bytes, sizeof now.bytes) == 0) {
            report_half(l, &l->bad, false, q, &e->half[k]);
            return DRX_OK;
        } else {
            *e = now;
        }
    }
    return st;
}

static int compare_offsets(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->q > y->q) - (x->q < y->q);
}

/* Whether the payload is still there: a writer may have closed it meanwhile, and opened another chunk in its place. */
static bool is_still_there(struct drxi_pack *p, const struct place *place)
{
    struct drxi_entry e;
    const drx_status st = drxi_pack_entry(p, place->q, &e);
    const int k = st ? -1 : drxi_entry_newer(&e);

    if (st)
        drxi_report_clear();
    return st || (k >= 0 && e.half[k].offset == place->offset);
}

static void check_overlaps(struct looking *l)
{
    struct drxi_pack *p = l->c->a->data.file->pack;
    const struct place *last = NULL; /* the one that ends last */

    if (l->places > 0)
        qsort(l->place, (size_t)l->places, sizeof *l->place, compare_offsets);
    for (int64_t i = 0; i < l->places; i++) {
        const struct place *next = &l->place[i];

        if (last && next->offset < last->end && is_still_there(p, last) && is_still_there(p, next) &&
            l->bad++ < MOST_FINDINGS)
            drxi_found(l->c, DRX_ERROR,
                       "%s: damaged: the payload of chunk %lld, at offset %lld, begins before that of chunk %lld ends, "
                       "at offset %lld",
                       p->payloads->path, (long long)next->q, (long long)next->offset, (long long)last->q,
                       (long long)last->end);
        if (!last || next->end > last->end)
            last = next;
    }
}

drx_status drxi_check_packed(struct drxi_check *c)
{
    struct drxi_pack *p = c->a->data.file->pack;
    struct looking l = { .c = c };
    drx_status st;

    if (!p)
        return DRX_OK;
    st = p->payloads->ops->size(p->payloads, &l.size);
    if (!st)
        st = drxi_pack_walk(p, 0, c->a->data.map.chunks, look_at_entry, &l);
    if (!st)
        check_overlaps(&l);
    drxi_pack_room_free(&l.room);
    drxi_free(l.chunk);
    drxi_free(l.place);
    if (l.bad > MOST_FINDINGS)
        drxi_found(c, DRX_ERROR, "%s: %lld more chunks are damaged", p->table->path,
                   (long long)(l.bad - MOST_FINDINGS));
    return st;
}
