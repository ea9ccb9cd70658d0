/* Reading, judging and appending the log.
 *
 * Invariants
 *   1. The state is that of the longest valid prefix, which ends at state.log_end.
 *   2. Each record's `prev` is the CRC of the record before, and its sequence is one more.
 *   3. Bytes after the prefix are a torn tail if they hold no valid record. They are one, too, if they hold valid
 *      records, but no SYNC, behind zeros that end a sector: the disk lost the sector, and nobody was promised these
 *      records. Anything else is damage (spec/drx-format.md, section 2.3). judge_tail decides. */
#include "log/log.h"

enum { WINDOW_BYTES = 1 << 20, SECTOR_BYTES = 512, TRIES = 3, MIN_BUDGET_BYTES = 1 << 26, SMALL_RECORD_BYTES = 64 };

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

drx_status drxi_log_describe(struct drxi_log *log)
{
    uint8_t bytes[DRXI_DESC_MAX_BYTES];
    struct drxi_desc desc;
    uint32_t crc;
    size_t got;
    drx_status st = log->io->ops->read(log->io, bytes, sizeof bytes, 0, &got);

    if (!st)
        st = drxi_desc_decode(bytes, got, log->io->path, &desc, &crc);
    if (!st && (st = drxi_state_init(&log->state, &desc)))
        return drxi_fail(st, "%s: %s", log->io->path, drx_last_error());
    if (st)
        return st;
    log->state.crc = crc;
    log->state.crc_at = DRXI_DESC_CRC_AT;
    log->state.log_end = (int64_t)drxi_desc_bytes(desc.ndim);
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

static bool is_next(const struct drxi_log *log, const struct drxi_record *record)
{
    return record->prev == log->state.crc && record->sequence == log->state.sequence + 1;
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
static drx_status find_record(const struct drxi_log *log, struct window *w, int64_t offset, int64_t size,
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
        ahead = drxi_get64(p + 16) - log->state.sequence;
        if (ahead < 1 || ahead > (uint64_t)(at - log->state.log_end) / DRXI_RECORD_HEAD_BYTES + 1)
            continue;
        if (*budget < 0)
            return drxi_fail(DRX_EDAMAGED,
                             "%s: damaged behind offset %lld: full of bytes that look like records and are none",
                             w->io->path, (long long)log->state.log_end);
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

/* Judge the bytes after the valid prefix: invariant 3. */
static drx_status judge_tail(struct drxi_log *log, struct window *w, int64_t size, enum drxi_tail *tail)
{
    const int64_t end = log->state.log_end;
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

        st = find_record(log, w, at, size, &budget, &found, &record);
        if (st == DRX_EDAMAGED) {
            *tail = DRXI_DAMAGED;
            return DRX_OK;
        }
        if (st)
            return st;
        if (found < 0)
            break;
        if (found == end && is_next(log, &record)) { /* written a moment ago: the next read applies it */
            *tail = DRXI_WHOLE;
            return DRX_OK;
        }
        if (found > at || at == end) { /* no gap at all before a valid record: nothing was lost, so this is damage */
            if ((st = was_lost(w, at, found, &gap_lost)))
                return st;
            lost = lost && gap_lost;
        }
        promised = promised || record.kind == DRXI_SYNC;
        *tail = lost && !promised ? DRXI_TORN : DRXI_DAMAGED;
        at = found + (int64_t)record.bytes;
    }
    if (*tail == DRXI_DAMAGED)
        (void)drxi_fail(DRX_EDAMAGED,
                        "%s: the record at offset %lld is damaged, and valid ones follow: the array is read as it was "
                        "before it, after record %llu",
                        log->io->path, (long long)end, (unsigned long long)log->state.sequence);
    return DRX_OK;
}

/* Apply records as long as valid ones follow. */
static drx_status apply_records(struct drxi_log *log, struct window *w, enum drxi_tail *tail)
{
    struct drxi_record record;
    bool valid;
    drx_status st;

    *tail = DRXI_WHOLE;
    for (;;) {
        const int64_t at = log->state.log_end;

        if ((st = record_at(w, at, &record, &valid)))
            return st;
        if (!valid || !is_next(log, &record))
            return DRX_OK;
        st = drxi_state_apply(&log->state, &record);
        if (st == DRX_EDAMAGED) {
            *tail = DRXI_DAMAGED;
            (void)drxi_fail(DRX_EDAMAGED, "%s: record %llu at offset %lld says what cannot be", log->io->path,
                            (unsigned long long)record.sequence, (long long)at);
            return DRX_OK;
        }
        if (st)
            return drxi_fail(st, "%s: offset %lld: %s", log->io->path, (long long)at, drx_last_error());
    }
}

drx_status drxi_log_read(struct drxi_log *log, enum drxi_tail *tail)
{
    struct window w = { log->io, NULL, 0, 0, 0 };
    int64_t size = 0;
    drx_status st = DRX_OK;

    /* A reader can meet half-written records: read apparent damage again until nothing changes. */
    for (int tries = 0; !st && tries < TRIES; tries++) {
        const int64_t before = log->state.log_end;

        w.filled = 0;
        st = apply_records(log, &w, tail);
        if (!st && *tail == DRXI_WHOLE)
            st = log->io->ops->size(log->io, &size);
        if (!st && *tail == DRXI_WHOLE)
            st = judge_tail(log, &w, drxi_max(size, log->state.log_end), tail);
        if (*tail != DRXI_DAMAGED)
            break;
        if (log->state.log_end > before)
            tries = 0;
    }
    drxi_state_pack_attrs(&log->state);
    drxi_free(w.bytes);
    if (!st && *tail != DRXI_DAMAGED)
        drxi_report_clear(); /* an earlier try may have reported damage */
    return st;
}

drx_status drxi_log_continues(struct drxi_log *log, bool *more)
{
    const struct drxi_state *s = &log->state;
    uint8_t crc[4] = { 0 };
    int64_t size = 0;
    size_t got = 0;
    drx_status st = log->io->ops->size(log->io, &size);

    if (!st && size < s->log_end)
        return drxi_fail(DRX_EDAMAGED, "%s: damaged: %lld bytes long, it had %lld", log->io->path, (long long)size,
                         (long long)s->log_end);
    if (!st)
        st = log->io->ops->read(log->io, crc, sizeof crc, s->crc_at, &got);
    if (!st && (got < sizeof crc || drxi_get32(crc) != s->crc))
        return drxi_fail(DRX_EDAMAGED, "%s: damaged: the record at offset %lld is not the one that was there",
                         log->io->path, (long long)s->crc_at);
    *more = size > s->log_end;
    return st;
}

drx_status drxi_log_append(struct drxi_log *log, enum drxi_kind kind, int arg, uint8_t *record, size_t payload_bytes)
{
    struct drxi_state *s = &log->state;
    const size_t bytes = DRXI_RECORD_HEAD_BYTES + payload_bytes;
    uint32_t crc;
    drx_status st;

    if (!log->io)
        return DRX_OK;
    crc = drxi_record_seal(record, payload_bytes, kind, arg, s->sequence + 1, s->crc);
    st = log->io->ops->write(log->io, record, bytes, s->log_end);
    if (st) {
        char detail[DRXI_DETAIL_BYTES];

        drxi_report_keep(detail);
        if (log->io->ops->resize(log->io, s->log_end))
            log->broken = st;
        drxi_report_set(detail);
        return st;
    }
    s->crc_at = s->log_end;
    s->log_end += (int64_t)bytes;
    s->sequence++;
    s->crc = crc;
    s->at_sync = kind == DRXI_SYNC;
    return DRX_OK;
}

drx_status drxi_log_append_growth(struct drxi_log *log, enum drxi_kind kind, const struct drxi_growth *growth)
{
    uint8_t record[SMALL_RECORD_BYTES];
    const size_t bytes = drxi_growth_encode(growth, record + DRXI_RECORD_HEAD_BYTES);

    return drxi_log_append(log, kind, growth->axis, record, bytes);
}

drx_status drxi_log_append_sync(struct drxi_log *log)
{
    uint8_t record[SMALL_RECORD_BYTES];
    const size_t bytes = drxi_sync_encode(log->state.map.chunks, record + DRXI_RECORD_HEAD_BYTES);
    drx_status st = drxi_log_append(log, DRXI_SYNC, 0, record, bytes);

    if (!st) {
        log->state.synced_chunks = log->state.map.chunks;
        log->state.ever_synced = true;
    }
    return st;
}

drx_status drxi_log_append_stripes(struct drxi_log *log, const struct drxi_stripes *stripes)
{
    const size_t bytes = drxi_stripes_encode(stripes, NULL);
    uint8_t *record = drxi_malloc(DRXI_RECORD_HEAD_BYTES + bytes);
    drx_status st = DRX_ENOMEM;

    if (record) {
        (void)drxi_stripes_encode(stripes, record + DRXI_RECORD_HEAD_BYTES);
        st = drxi_log_append(log, DRXI_STRIPES, stripes->n, record, bytes);
    }
    drxi_free(record);
    return st;
}

drx_status drxi_make_durable(struct drxi_log *log, drxi_io *io)
{
    drx_status st = io->ops->sync(io);

    if (st)
        log->broken = st;
    return st;
}
