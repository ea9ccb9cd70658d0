/* In format version 1 a reader looks at the word behind the log's end.
 *
 * Invariants
 *   1. `sure` is a place in the log that no writer takes back, and `kept` has the trims up to there. It does not pass an
 *      INTENT, which may be undone, before the GROW that follows it.
 *   2. `at` and `word` are that place and what stood there. While the word has not changed, no record has come: one load
 *      from the mapped file tells. `slow`: something stands there, and each look reads it.
 *   3. A log that another replaces ends with a record that tells where to go on in the new one (log/compact.c). When that
 *      was replaced, too, nobody can tell what was trimmed in between, unless nothing ever was, nor how later trims number
 *      the axes, unless there are no more than the handle knows. */
#include "array/watch/lookout.h"

enum { PIECE_BYTES = 4096, MOST_SYNC_BYTES = DRXI_RECORD_HEAD_BYTES + 16 };

static drx_status read_word(drxi_io *io, int64_t at, uint64_t *word)
{
    size_t got;

    *word = 0;
    return io->ops->read(io, word, sizeof *word, at, &got);
}

/* Read the record that follows, if a valid one is there. */
static drx_status next_record(struct drxi_watch *w, const struct drxi_chain *chain, struct drxi_record *r, bool *found)
{
    drxi_io *const io = atomic_load(&w->now)->io;
    size_t got = 0, bytes;
    drx_status st = drxi_reserve(&w->old.bytes, &w->old.room, PIECE_BYTES, 1);

    *found = false;
    if (!st)
        st = io->ops->read(io, w->old.bytes, PIECE_BYTES, chain->end, &got);
    if (st || got < DRXI_RECORD_HEAD_BYTES)
        return st;
    bytes = drxi_record_bytes(w->old.bytes, got);
    if (bytes > got) {
        int64_t size = 0;

        st = io->ops->size(io, &size);
        if (st || (int64_t)bytes > size - chain->end)
            return st;
        st = drxi_reserve(&w->old.bytes, &w->old.room, (int64_t)bytes, 1);
        if (!st)
            st = io->ops->read(io, w->old.bytes, bytes, chain->end, &got);
    }
    *found = !st && bytes > 0 && bytes <= got && drxi_record_decode(w->old.bytes, got, r) && r->prev == chain->crc &&
             r->sequence == chain->sequence + 1;
    return st;
}

/* A trim of an axis that the handle does not know leaves its index 0, or nothing. */
static void trim(struct drxi_watch *w, const struct drxi_record *record)
{
    struct drxi_trimming t;
    int own;

    if (!drxi_trim_decode(record, &t) || t.axis >= DRX_MAX_NDIM)
        return;
    own = w->old.own[t.axis];
    if (own >= 0) {
        w->kept[DRXI_LOW][own] = drxi_max(w->kept[DRXI_LOW][own], t.lower);
        w->kept[DRXI_HIGH][own] = drxi_min(w->kept[DRXI_HIGH][own], t.upper);
    } else if (t.lower > 0 || t.upper < 1) {
        w->kept[DRXI_HIGH][0] = w->kept[DRXI_LOW][0];
    }
    atomic_store(&w->cut, true);
}

static void add_axis(struct drxi_watch *w, int at)
{
    if (at < 0 || at >= DRX_MAX_NDIM)
        return;
    w->old.axes += w->old.axes > 0;
    memmove(w->old.own + at + 1, w->old.own + at, (size_t)(DRX_MAX_NDIM - 1 - at) * sizeof *w->old.own);
    w->old.own[at] = -1;
}

/* Whether a writer may take the record back, or it says that the log ends. */
static bool is_unsure(const struct drxi_record *record)
{
    return record->kind == DRXI_INTENT || record->kind == DRXI_INTENT_LOW || record->kind == DRXI_REPLACED;
}

/* Whether elements, or room for them, came or went with it. */
static bool explains_data(const struct drxi_record *record)
{
    return record->kind == DRXI_GROW || record->kind == DRXI_GROW_LOW || record->kind == DRXI_INTENT ||
           record->kind == DRXI_INTENT_LOW || record->kind == DRXI_TRIM;
}

/* Go over the records that have come. *replaced: the last one says that another log follows, as it tells. */
static drx_status go_on(struct drxi_watch *w, struct drxi_successor *next, bool *replaced, bool *moved)
{
    struct drxi_chain chain = w->sure;
    struct drxi_record r;
    bool found = true;
    drx_status st = DRX_OK;

    *replaced = *moved = false;
    while (!st && found) {
        st = next_record(w, &chain, &r, &found);
        if (st || !found)
            break;
        *replaced = r.kind == DRXI_REPLACED && drxi_successor_decode(&r, next);
        if (r.kind == DRXI_TRIM)
            trim(w, &r);
        if (r.kind == DRXI_ADD_AXIS)
            add_axis(w, r.arg);
        drxi_chain_advance(&chain, &r);
        w->growths += explains_data(&r);
        if (!is_unsure(&r)) {
            w->sure = chain;
            *moved = true;
        }
    }
    return st;
}

/* Of the record with which a compaction ends. */
static int64_t sync_bytes(const struct drxi_state *s)
{
    return DRXI_RECORD_HEAD_BYTES + (int64_t)drxi_sync_encode(0, drxi_state_packed(s), NULL);
}

/* Whether the log has that record. */
static bool is_successor(const struct drxi_log *log, const struct drxi_successor *next)
{
    uint8_t bytes[MOST_SYNC_BYTES];
    const int64_t n = sync_bytes(&log->state);
    struct drxi_record r;
    size_t got;

    return !log->io->ops->read(log->io, bytes, (size_t)n, next->end - n, &got) && (int64_t)got == n &&
           drxi_record_decode(bytes, got, &r) && r.crc == next->crc && r.sequence == next->sequence;
}

/* Go on in the log of the same array that has the name now. `next` NULL: a whole log may have been missed. */
static drx_status move_on(struct drxi_watch *w, struct drxi_log *log, const struct drxi_successor *next)
{
    drx_status st;

    drxi_lookout_slow(w); /* until a look has noted where it ended, no glance tells */
    st = drxi_lookout_post(w, log->io, true, false);
    if (st)
        return st;
    if (next && is_successor(log, next)) {
        w->sure = (struct drxi_chain){ next->end, next->sequence, next->crc, next->end - sync_bytes(&log->state) };
    } else {
        w->lost = w->lost || log->state.trimmed || log->state.desc.ndim != w->old.axes;
        w->sure = log->state.chain;
        atomic_store(&w->cut, atomic_load(&w->cut) || w->lost);
    }
    atomic_store(&w->glances, 0);
    return DRX_OK;
}

/* Another log has the name, or none has: the array was removed, replaced or renamed, and its data stay as they are. The
 * detail of a read that failed before stays, too. */
static drx_status follow(drx_array *a, const struct drxi_successor *next, bool *moved)
{
    struct drxi_log log = { .next = a->log.next };
    enum drxi_tail tail;
    char detail[DRXI_DETAIL_BYTES];
    drx_status st;

    *moved = false;
    drxi_report_keep(detail);
    st = drxi_files->open(drxi_watched_log(a)->path, DRXI_READ, &log.io);
    if (!st)
        st = drxi_log_describe(&log);
    if (!st && memcmp(log.state.desc.id, a->log.state.desc.id, DRXI_ID_BYTES) == 0) {
        st = drxi_log_read(&log, &tail);
        if (!st)
            st = move_on(&a->watch, &log, next);
        *moved = !st;
    }
    if (log.io && !*moved)
        (void)log.io->ops->close(log.io);
    drxi_log_free(&log);
    if (st && st != DRX_ENOENT && st != DRX_EFORMAT)
        return st;
    drxi_report_set(detail);
    return DRX_OK;
}

drx_status drxi_word_begin(drx_array *a)
{
    struct drxi_watch *w = &a->watch;
    const struct drxi_state *s = &a->log.state;
    bool moved = false;
    drx_status st = DRX_OK;

    drxi_lookout_start(a, 1);
    w->sure = s->intent_open ? s->before_intent : s->chain;
    w->old.axes = s->stopped ? 0 : w->ndim;
    for (int j = 0; j < DRX_MAX_NDIM; j++)
        w->old.own[j] = s->stopped ? s->own[j] : j < w->ndim ? j : -1;
    if (w->elsewhere)
        st = follow(a, NULL, &moved);
    return st || moved ? st : drxi_lookout_post(w, drxi_watched_log(a), false, false);
}

/* The word is read before the last look, which found nothing behind it. */
drx_status drxi_word_look(drx_array *a)
{
    struct drxi_watch *w = &a->watch;
    struct drxi_successor next;
    uint64_t word = 0;
    bool replaced, moved = true, named = true;
    drx_status st = atomic_load(&w->now) ? DRX_OK : drxi_word_begin(a);

    while (!st && moved) {
        named = true; /* the log that is looked at now */
        st = read_word(atomic_load(&w->now)->io, w->sure.end, &word);
        if (!st)
            st = go_on(w, &next, &replaced, &moved);
        if (!st && replaced && !moved) {
            drxi_io *const io = atomic_load(&w->now)->io;

            st = io->ops->named(io, &named);
            if (!st && !named)
                st = follow(a, &next, &moved);
        }
    }
    /* After an INTENT the quick get, which has the place of before, is to look again: it never finds a 0 there. */
    return st ? st
              : drxi_lookout_settle(a, w->sure.end, (uint64_t[]){ word != 0 && named ? 0 : word, 0 },
                                    word != 0 && named);
}
