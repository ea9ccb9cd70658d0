/* Reading, judging and appending a chain of records: see the invariants of chain.h. */
#include <stdio.h>
#include <time.h>

#include "log/chain.h"

enum {
    WINDOW_BYTES = 1 << 20,
    SECTOR_BYTES = 512,
    TRIES = 3,
    MIN_BUDGET_BYTES = 1 << 26,
    MOST_BITTEN_BYTES = 1 << 13, /* of a last record: in a longer one a bit may be right by chance */
    PATIENCE = 1000,
    PAUSE_NS = 50000
};

/* A window of the file, which moves forward. */
struct window {
    drxi_io *io;
    uint8_t *bytes;
    int64_t room;
    int64_t start, filled; /* offset in the file; bytes in the window */
};

/* Get `n` bytes from `offset` into the window, or as many as the file has: *got. */
static drx_status look(struct window *w, int64_t offset, int64_t n, const uint8_t **p, size_t *got)
{
    size_t moved;
    drx_status st;

    if (offset < w->start || offset + n > w->start + w->filled) {
        if ((st = drxi_reserve(&w->bytes, &w->room, drxi_max(n, WINDOW_BYTES), 1)))
            return st;
        if ((st = w->io->ops->read(w->io, w->bytes, (size_t)w->room, offset, &moved)))
            return st;
        w->start = offset;
        w->filled = (int64_t)moved;
    }
    *p = w->bytes + (offset - w->start);
    *got = (size_t)drxi_min(n, w->start + w->filled - offset);
    return DRX_OK;
}

/* Read the record at `offset`, if a valid one is there. */
static drx_status record_at(struct window *w, int64_t offset, struct drxi_record *record, bool *valid)
{
    const uint8_t *p;
    size_t got;
    size_t bytes;
    drx_status st = look(w, offset, DRXI_RECORD_HEAD_BYTES, &p, &got);

    *valid = false;
    if (st)
        return st;
    bytes = drxi_record_bytes(p, got);
    if (bytes == 0)
        return DRX_OK;
    if (bytes > WINDOW_BYTES) { /* does the file have so many bytes? They take as much memory */
        int64_t size;

        if ((st = w->io->ops->size(w->io, &size)) || (int64_t)bytes > size - offset)
            return st;
    }
    if ((st = look(w, offset, (int64_t)bytes, &p, &got)))
        return st;
    *valid = drxi_record_decode(p, got, record);
    return DRX_OK;
}

static bool is_next(const struct drxi_chain *chain, const struct drxi_record *record)
{
    return record->prev == chain->crc && record->sequence == chain->sequence + 1;
}

/* Skip a hole of the file, in steps of 8 bytes; *at = INT64_MAX when only a hole follows. */
static drx_status skip_hole(drxi_io *io, int64_t *at, int64_t *stored)
{
    int64_t begin;
    drx_status st = io->ops->extent(io, *at, &begin, stored);

    if (!st)
        *at = begin == INT64_MAX ? begin : drxi_max(*at, begin / 8 * 8);
    return st;
}

/* Find the first valid record from `offset` on, whatever its place in a chain; *found is -1 when there is none. Look
 * into at most *budget bytes. */
static drx_status find_record(const struct drxi_chain *chain, struct window *w, int64_t offset, int64_t size,
                              int64_t *budget, int64_t *found, struct drxi_record *record)
{
    int64_t stored = offset; /* the file stores the bytes from `at` up to here */
    int64_t at = offset;

    *found = -1;
    for (; at + DRXI_RECORD_HEAD_BYTES <= size; at += 8) {
        const uint8_t *p;
        size_t got;
        bool valid;
        uint64_t ahead;
        drx_status st = at < stored ? DRX_OK : skip_hole(w->io, &at, &stored);

        if (st || at == INT64_MAX)
            return st;
        if ((st = look(w, at, DRXI_RECORD_HEAD_BYTES, &p, &got)))
            return st;
        /* cheap tests first: so many records fit between the prefix and this one */
        if (got < DRXI_RECORD_HEAD_BYTES || drxi_record_bytes(p, got) == 0)
            continue;
        ahead = drxi_get64(p + 16) - chain->sequence;
        if (ahead < 1 || ahead > (uint64_t)(at - chain->end) / DRXI_RECORD_HEAD_BYTES + 1)
            continue;
        if (*budget < 0)
            return drxi_fail(DRX_EDAMAGED,
                             "%s: damaged behind offset %lld: full of bytes that look like records and are none",
                             w->io->path, (long long)chain->end);
        *budget -= (int64_t)drxi_record_bytes(p, got);
        if ((st = record_at(w, at, record, &valid)))
            return st;
        if (valid) {
            *found = at;
            return DRX_OK;
        }
    }
    return DRX_OK;
}

/* Whether lost writes left the gap: it is all zero, or zeros in it end at the end of a sector. */
static drx_status was_lost(struct window *w, int64_t begin, int64_t end, bool *lost)
{
    bool all_zero = begin < end;

    *lost = false;
    for (int64_t at = begin; !*lost && at < end; at += 8) {
        const uint8_t *p;
        size_t got;
        bool zero;
        drx_status st = look(w, at, 8, &p, &got);

        if (st)
            return st;
        zero = got == 8 && drxi_is_zero(p, 8);
        all_zero = all_zero && zero;
        *lost = zero && (at + 8) % SECTOR_BYTES == 0;
    }
    *lost = *lost || all_zero;
    return DRX_OK;
}

/* Whether a write that was cut short may have left the record at `offset` with that wrong bit. Then the bit is in a later
 * sector than the CRC, or nothing is there yet of its sector from some byte on: sectors can reach the disk, and a reader,
 * while the record is being copied into them. */
static bool may_be_cut(const uint8_t *p, size_t n, int64_t offset, const struct drxi_flip *flip)
{
    const size_t next = flip->at + 1;
    const size_t end = (size_t)drxi_min((int64_t)n, SECTOR_BYTES - offset % SECTOR_BYTES); /* of the first sector */

    return flip->at >= end || ((p[flip->at] & flip->by) == 0 && drxi_is_zero(p + next, end - next));
}

/* Look at the bytes from `end` to the end of the file, where no valid record is. */
static drx_status look_at_rest(const struct drxi_chain *chain, struct window *w, int64_t size, struct drxi_rest *rest)
{
    const int64_t n = size - chain->end;
    const uint64_t sequence = chain->sequence + 1;
    const uint8_t *p;
    size_t got;
    drx_status st;

    *rest = (struct drxi_rest){ .offset = chain->end, .bytes = n, .sequence = sequence };
    if (n < DRXI_RECORD_HEAD_BYTES || n > MOST_BITTEN_BYTES)
        return DRX_OK;
    st = look(w, chain->end, n, &p, &got);
    if (st || got < (size_t)n)
        return st;
    rest->has_place = drxi_record_has_place(p, got, sequence, chain->crc);
    rest->kind = drxi_get16(p + 12);
    if (!drxi_record_flip(p, got, sequence, chain->crc, &rest->flip))
        rest->flip.by = 0;
    else if (rest->flip.at / 2 == 6)
        rest->kind ^= rest->flip.by << 8 * (rest->flip.at % 2);
    rest->damaged = rest->flip.by != 0 && !may_be_cut(p, got, chain->end, &rest->flip);
    return DRX_OK;
}

/* Invariant 4. */
static drx_status judge_last(const struct drxi_chain *chain, const struct drxi_chain_kind *kind, struct window *w,
                             int64_t size, enum drxi_tail *tail)
{
    struct drxi_rest rest;
    drx_status st = look_at_rest(chain, w, size, &rest);

    if (st || !rest.damaged)
        return st;
    *tail = DRXI_DAMAGED;
    (void)drxi_fail(
        DRX_EDAMAGED,
        "%s: a bit of the last record, number %llu, at offset %lld, is wrong: the %s is read as it was before "
        "that record; drx check --repair puts the bit back",
        w->io->path, (unsigned long long)rest.sequence, (long long)(rest.offset + (int64_t)rest.flip.at), kind->whole);
    return DRX_OK;
}

/* Judge the bytes after the valid prefix: invariant 3. */
static drx_status judge_tail(const struct drxi_chain *chain, const struct drxi_chain_kind *kind, struct window *w,
                             int64_t size, enum drxi_tail *tail)
{
    const int64_t end = chain->end;
    struct drxi_record record;
    bool promised = false;
    bool lost = true;
    int64_t budget = drxi_max(MIN_BUDGET_BYTES, drxi_mul_saturated(4, size - end));
    int64_t found;
    int64_t at = end;
    drx_status st;

    *tail = size == end ? DRXI_WHOLE : DRXI_TORN;
    while (at < size) {
        bool gap_lost;

        st = find_record(chain, w, at, size, &budget, &found, &record);
        if (st == DRX_EDAMAGED) {
            *tail = DRXI_DAMAGED;
            return DRX_OK;
        }
        if (st)
            return st;
        if (found < 0 && at == end)
            return judge_last(chain, kind, w, size, tail);
        if (found < 0)
            break;
        if (found == end && is_next(chain, &record)) { /* written a moment ago: the next read applies it */
            *tail = DRXI_WHOLE;
            return DRX_OK;
        }
        if (found > at || at == end) { /* no gap at all before a valid record: nothing was lost, so this is damage */
            if ((st = was_lost(w, at, found, &gap_lost)))
                return st;
            lost = lost && gap_lost;
        }
        promised = promised || record.kind == kind->promise;
        *tail = lost && !promised ? DRXI_TORN : DRXI_DAMAGED;
        at = found + (int64_t)record.bytes;
    }
    if (*tail == DRXI_DAMAGED)
        (void)drxi_fail(DRX_EDAMAGED,
                        "%s: the record at offset %lld is damaged, and valid ones follow: the %s is read as it was "
                        "before it, after record %llu",
                        w->io->path, (long long)end, kind->whole, (unsigned long long)chain->sequence);
    return DRX_OK;
}

/* What is being read. */
struct reading {
    int64_t most;
    const struct drxi_chain *chain;
    const struct drxi_chain_kind *kind;
    void *owner;
};

/* Apply records as long as valid ones follow. */
static drx_status apply_records(const struct reading *r, struct window *w, enum drxi_tail *tail)
{
    struct drxi_record record;
    bool valid;
    drx_status st;

    *tail = DRXI_WHOLE;
    for (;;) {
        const int64_t at = r->chain->end;

        if (at >= r->most)
            return DRX_OK;
        if ((st = record_at(w, at, &record, &valid)))
            return st;
        if (!valid || !is_next(r->chain, &record))
            return DRX_OK;
        st = r->kind->apply(r->owner, &record);
        if (st == DRX_EDAMAGED) {
            *tail = DRXI_DAMAGED;
            (void)drxi_fail(DRX_EDAMAGED, "%s: record %llu at offset %lld says what cannot be", w->io->path,
                            (unsigned long long)record.sequence, (long long)at);
            return DRX_OK;
        }
        if (st)
            return drxi_fail(st, "%s: offset %lld: %s", w->io->path, (long long)at, drx_last_error());
    }
}

/* Whether another process writes the file; then wait a little. Keeps the detail. */
static bool is_being_written(drxi_io *io, int *patience)
{
    const struct timespec pause = { 0, PAUSE_NS };
    char detail[DRXI_DETAIL_BYTES];
    bool locked = false;

    drxi_report_keep(detail);
    if (io->ops->locked(io, &locked))
        locked = false;
    drxi_report_set(detail);
    if (locked)
        (void)nanosleep(&pause, NULL);
    --*patience;
    return locked;
}

drx_status drxi_chain_read(drxi_io *io, int64_t most, const struct drxi_chain *chain,
                           const struct drxi_chain_kind *kind, void *owner, enum drxi_tail *tail)
{
    const struct reading r = { most, chain, kind, owner };
    struct window w = { io, NULL, 0, 0, 0 };
    int64_t size = 0;
    int patience = PATIENCE;
    drx_status st = DRX_OK;

    /* A reader can meet half-written records, and a writer that takes records back and writes others in their place: read
     * apparent damage again until nothing changes, and as long as a writer is there. */
    for (int tries = 0; !st && tries < TRIES; tries++) {
        const int64_t before = chain->end;

        w.filled = 0;
        st = apply_records(&r, &w, tail);
        if (!st && *tail == DRXI_WHOLE)
            st = io->ops->size(io, &size);
        if (!st && *tail == DRXI_WHOLE)
            st = judge_tail(chain, kind, &w, drxi_max(drxi_min(size, most), chain->end), tail);
        if (*tail != DRXI_DAMAGED)
            break;
        if (kind->rewind)
            kind->rewind(owner);
        if (chain->end > before || (patience > 0 && is_being_written(io, &patience)))
            tries = 0;
    }
    drxi_free(w.bytes);
    if (!st && *tail != DRXI_DAMAGED)
        drxi_report_clear(); /* an earlier try may have reported damage */
    return st;
}

drx_status drxi_chain_look_at_rest(drxi_io *io, const struct drxi_chain *chain, struct drxi_rest *rest)
{
    struct drxi_chain end = *chain;
    struct window w = { io, NULL, 0, 0, 0 };
    struct drxi_record record;
    int64_t size = 0;
    bool valid = true;
    drx_status st = io->ops->size(io, &size);

    while (!st && valid) {
        st = record_at(&w, end.end, &record, &valid);
        valid = !st && valid && is_next(&end, &record);
        if (valid)
            drxi_chain_advance(&end, &record);
    }
    if (!st)
        st = look_at_rest(&end, &w, size, rest);
    drxi_free(w.bytes);
    return st;
}

void drxi_rest_text(const struct drxi_rest *rest, char text[DRXI_REST_TEXT_BYTES])
{
    text[0] = '\0';
    if (rest->flip.by)
        (void)snprintf(text, DRXI_REST_TEXT_BYTES,
                       "; but for one bit, at offset %lld, they are record %llu: drx check --repair puts the bit back",
                       (long long)(rest->offset + (int64_t)rest->flip.at), (unsigned long long)rest->sequence);
    else if (rest->has_place)
        (void)snprintf(
            text, DRXI_REST_TEXT_BYTES,
            "; they have the place and the length of record %llu: if the call that wrote it succeeded, they are "
            "damaged, and what the record said is lost",
            (unsigned long long)rest->sequence);
}

drx_status drxi_chain_mend(drxi_io *io, const struct drxi_rest *rest)
{
    const int64_t at = rest->offset + (int64_t)rest->flip.at;
    uint8_t byte = 0;
    size_t got = 0;
    drx_status st = io->ops->read(io, &byte, 1, at, &got);

    byte ^= rest->flip.by;
    if (!st)
        st = io->ops->write(io, &byte, 1, at);
    return st ? st : io->ops->sync(io);
}

drx_status drxi_chain_continues(drxi_io *io, const struct drxi_chain *chain, bool *more)
{
    uint8_t crc[4] = { 0 };
    int64_t size = 0;
    size_t got = 0;
    drx_status st = io->ops->size(io, &size);

    if (!st && size < chain->end)
        return drxi_fail(DRX_EDAMAGED, "%s: damaged: %lld bytes long, it had %lld", io->path, (long long)size,
                         (long long)chain->end);
    if (!st)
        st = io->ops->read(io, crc, sizeof crc, chain->crc_at, &got);
    if (!st && (got < sizeof crc || drxi_get32(crc) != chain->crc))
        return drxi_fail(DRX_EDAMAGED, "%s: damaged: the record at offset %lld is not the one that was there", io->path,
                         (long long)chain->crc_at);
    *more = size > chain->end;
    return st;
}

drx_status drxi_chain_append(drxi_io *io, struct drxi_chain *chain, int kind, int arg, uint8_t *record,
                             size_t payload_bytes, bool *lost)
{
    const size_t bytes = DRXI_RECORD_HEAD_BYTES + payload_bytes;
    const uint32_t crc = drxi_record_seal(record, payload_bytes, kind, arg, chain->sequence + 1, chain->crc);
    drx_status st = io->ops->write(io, record, bytes, chain->end);

    *lost = false;
    if (st) {
        char detail[DRXI_DETAIL_BYTES];

        drxi_report_keep(detail);
        *lost = io->ops->resize(io, chain->end) != DRX_OK;
        drxi_report_set(detail);
        return st;
    }
    chain->crc_at = chain->end;
    chain->end += (int64_t)bytes;
    chain->sequence++;
    chain->crc = crc;
    return DRX_OK;
}
