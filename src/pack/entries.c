/* The table: entries read, written, walked. */
#include <sched.h>

#include "pack/pack.h"

enum { WALK_ENTRIES = 1024, LOOKS = 100000, SAME_LOOKS = 100 };

static drx_status read_entries(struct drxi_pack *p, int64_t first, int64_t n, struct drxi_entry e[])
{
    uint8_t *bytes = drxi_malloc((size_t)n * DRXI_ENTRY_BYTES);
    size_t got = 0;
    drx_status st =
        bytes ? p->table->ops->read(p->table, bytes, (size_t)n * DRXI_ENTRY_BYTES, first * DRXI_ENTRY_BYTES, &got)
              : DRX_ENOMEM;

    if (!st)
        memset(bytes + got, 0, (size_t)n * DRXI_ENTRY_BYTES - got);
    for (int64_t i = 0; !st && i < n; i++) {
        memcpy(e[i].bytes, bytes + i * DRXI_ENTRY_BYTES, DRXI_ENTRY_BYTES);
        drxi_entry_decode(p, first + i, &e[i]);
    }
    drxi_free(bytes);
    return st;
}

drx_status drxi_pack_bad_entry(const struct drxi_pack *p, int64_t q)
{
    return drxi_fail(DRX_EDAMAGED,
                     "%s: the entry of chunk %lld, at offset %lld, does not match its checksum, or cannot be",
                     p->table->path, (long long)q, (long long)q * DRXI_ENTRY_BYTES);
}

/* ---- the row of a writer alone ---- */

static bool writes_alone(const struct drxi_pack *p)
{
    return drxi_pack_sure(p) && !p->log->others;
}

/* The caller has the lock of the row. */
static drx_status read_row(struct drxi_pack *p, int64_t offset)
{
    struct drxi_pack_row *row = &p->row;
    size_t got;
    drx_status st = p->table->ops->read(p->table, row->bytes, sizeof row->bytes, offset, &got);

    row->offset = offset;
    row->got = st ? 0 : got;
    return st;
}

static drx_status get_from_row(struct drxi_pack *p, int64_t offset, uint8_t *bytes, size_t *got)
{
    struct drxi_pack_row *row = &p->row;
    const int64_t first = offset / DRXI_PACK_ROW_BYTES * DRXI_PACK_ROW_BYTES;
    const size_t within = (size_t)(offset - first);
    drx_status st = DRX_OK;

    (void)pthread_mutex_lock(&row->lock);
    if (row->got == 0 || row->offset != first)
        st = read_row(p, first);
    *got = row->got > within ? (size_t)drxi_min((int64_t)(row->got - within), DRXI_ENTRY_BYTES) : 0;
    memcpy(bytes, row->bytes + within, *got);
    (void)pthread_mutex_unlock(&row->lock);
    return st;
}

void drxi_pack_forget_row(struct drxi_pack *p)
{
    (void)pthread_mutex_lock(&p->row.lock);
    p->row.got = 0;
    (void)pthread_mutex_unlock(&p->row.lock);
}

static drx_status put_entries(struct drxi_pack *p, const uint8_t *bytes, size_t n, int64_t offset)
{
    struct drxi_pack_row *row = &p->row;
    int64_t within;
    drx_status st;

    (void)pthread_mutex_lock(&row->lock);
    within = offset - row->offset;
    st = p->table->ops->write(p->table, bytes, n, offset);
    if (within < 0 || within + (int64_t)n > (int64_t)row->got || st)
        row->got = 0;
    else
        memcpy(row->bytes + within, bytes, n);
    (void)pthread_mutex_unlock(&row->lock);
    return st;
}

/* ---- entries ---- */

/* One entry, which a writer may be changing. */
static drx_status read_entry(struct drxi_pack *p, int64_t q, struct drxi_entry *e)
{
    const int64_t offset = q * DRXI_ENTRY_BYTES;
    size_t got;
    drx_status st = writes_alone(p) ? get_from_row(p, offset, e->bytes, &got)
                                    : p->table->ops->read(p->table, e->bytes, DRXI_ENTRY_BYTES, offset, &got);

    if (st)
        return st;
    if (got < DRXI_ENTRY_BYTES && q < p->log->state.synced_chunks)
        return drxi_fail(DRX_EDAMAGED, "%s: damaged: ends before offset %lld, which its last sync promised",
                         p->table->path, (long long)offset + (long long)got);
    memset(e->bytes + got, 0, DRXI_ENTRY_BYTES - got);
    drxi_entry_decode(p, q, e);
    return DRX_OK;
}

static bool is_whole_entry(const struct drxi_entry *e)
{
    return !e->half[0].bad && !e->half[1].bad && !e->half[0].torn && !e->half[1].torn;
}

/* A half that is not whole may be just being written: look until it stays as it is. */
static drx_status settled_entry(struct drxi_pack *p, int64_t q, struct drxi_entry *e)
{
    uint8_t before[DRXI_ENTRY_BYTES];
    drx_status st = read_entry(p, q, e);

    for (int same = 0, looks = 0; !st && !is_whole_entry(e) && same < SAME_LOOKS && looks < LOOKS; looks++) {
        memcpy(before, e->bytes, sizeof before);
        (void)sched_yield();
        st = read_entry(p, q, e);
        same = memcmp(before, e->bytes, sizeof before) == 0 ? same + 1 : 0;
    }
    return st;
}

/* What is torn counts as empty unless a SYNC has promised it. */
drx_status drxi_pack_entry(struct drxi_pack *p, int64_t q, struct drxi_entry *e)
{
    bool later;
    drx_status st;

    do {
        later = false;
        st = settled_entry(p, q, e);
        if (!st && (e->half[0].torn || e->half[1].torn))
            st = drxi_pack_look_again(p, &later);
    } while (!st && later);
    return !st && (e->half[0].bad || e->half[1].bad) ? drxi_pack_bad_entry(p, q) : st;
}

drx_status drxi_pack_put_entries(struct drxi_pack *p, int64_t first, int64_t n, const struct drxi_entry e[])
{
    uint8_t *bytes = drxi_malloc((size_t)n * DRXI_ENTRY_BYTES);
    drx_status st = bytes ? DRX_OK : DRX_ENOMEM;

    for (int64_t i = 0; !st && i < n; i++)
        memcpy(bytes + i * DRXI_ENTRY_BYTES, e[i].bytes, DRXI_ENTRY_BYTES);
    drxi_pack_note(p);
    if (!st)
        st = put_entries(p, bytes, (size_t)n * DRXI_ENTRY_BYTES, first * DRXI_ENTRY_BYTES);
    drxi_free(bytes);
    return st;
}

int64_t drxi_pack_chunks(struct drxi_pack *p, drx_status *st)
{
    int64_t bytes = 0;

    *st = p->table->ops->size(p->table, &bytes);
    return drxi_ceil_div(bytes, DRXI_ENTRY_BYTES);
}

static drx_status walk_some(struct drxi_pack *p, int64_t first, int64_t n, drxi_pack_visit *visit, void *arg,
                            struct drxi_entry *e)
{
    drx_status st = read_entries(p, first, n, e);

    for (int64_t i = 0; !st && i < n; i++)
        if (!drxi_is_zero(e[i].bytes, DRXI_ENTRY_BYTES))
            st = visit(p, first + i, &e[i], arg);
    return st;
}

drx_status drxi_pack_walk(struct drxi_pack *p, int64_t first, int64_t end, drxi_pack_visit *visit, void *arg)
{
    struct drxi_entry *e = drxi_malloc(WALK_ENTRIES * sizeof *e);
    drx_status st = e ? DRX_OK : DRX_ENOMEM;
    int64_t begin, stop;

    if (!st)
        end = drxi_min(end, drxi_pack_chunks(p, &st));
    while (!st && first < end) {
        st = p->table->ops->extent(p->table, first * DRXI_ENTRY_BYTES, &begin, &stop);
        if (st || begin >= end * DRXI_ENTRY_BYTES)
            break;
        first = drxi_max(first, begin / DRXI_ENTRY_BYTES);
        stop = drxi_min(end, drxi_ceil_div(stop, DRXI_ENTRY_BYTES));
        for (; !st && first < stop; first += WALK_ENTRIES)
            st = walk_some(p, first, drxi_min(WALK_ENTRIES, stop - first), visit, arg, e);
        first = stop;
    }
    drxi_free(e);
    return st;
}
