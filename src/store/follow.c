/* The log of a store, read: what of it counts, and what follows (spec/drx-format.md, 3, 5.1, 5.2 and 5.5). */
#include <time.h>

#include "store/kinds.h"

enum { WINDOW_BYTES = 1 << 20, TIMES = 1000, PAUSE_NS = 50000 };

/* Bytes of the file, from a place on. Others may be writing: then they have been read twice alike. */
struct window {
    drxi_io *io;
    bool others;
    uint8_t *bytes, *again;
    int64_t room, again_room;
    int64_t start, filled;
    bool to_the_end; /* the file had no more */
};

static struct window window_of(drxi_io *log, bool others)
{
    return (struct window){ .io = log, .others = others && drxi_live_may_change(log) };
}

static void free_window(struct window *w)
{
    drxi_free(w->bytes);
    drxi_free(w->again);
}

static drx_status fill_window(struct window *w, int64_t n)
{
    size_t got = 0, more = 0;
    drx_status st = drxi_reserve(&w->bytes, &w->room, n, 1);

    if (!st && w->others)
        st = drxi_reserve(&w->again, &w->again_room, n, 1);
    if (!st)
        st = w->io->ops->read(w->io, w->bytes, (size_t)n, w->start, &got);
    for (int times = 0; !st && w->others; times++) {
        const struct timespec pause = { 0, PAUSE_NS };

        if ((st = w->io->ops->read(w->io, w->again, (size_t)n, w->start, &more)))
            break;
        got = got < more ? got : more;
        if (memcmp(w->bytes, w->again, got) == 0)
            break;
        if (times == TIMES)
            st = drxi_fail(DRX_EBUSY, "%s: changes all the time, and cannot be read", w->io->path);
        memcpy(w->bytes, w->again, more);
        got = more;
        (void)nanosleep(&pause, NULL);
    }
    w->filled = st ? 0 : (int64_t)got;
    w->to_the_end = got < (size_t)n;
    return st;
}

/* Get n bytes from the offset `at` on, or as many as the file has, keeping those from `keep` on. */
static drx_status look_at_bytes(struct window *w, int64_t keep, int64_t at, int64_t n, const uint8_t **p, size_t *got)
{
    drx_status st = DRX_OK;

    if (at < w->start || (at + n > w->start + w->filled && !(w->to_the_end && w->start <= keep))) {
        w->start = keep; /* half as much again, so that the time goes with the length of a run */
        st = fill_window(w, drxi_max(WINDOW_BYTES, at + n - keep + drxi_max(WINDOW_BYTES, at - keep) / 2));
    }
    *p = st ? NULL : w->bytes + (at - w->start);
    *got = st ? 0 : (size_t)drxi_max(0, drxi_min(n, w->start + w->filled - at));
    return st;
}

/* The record at the offset `at`, if a valid one is there. */
static drx_status record_at(struct window *w, int64_t keep, int64_t at, struct drxi_log_record *record, bool *valid)
{
    const uint8_t *p;
    int64_t size;
    size_t got, bytes;
    drx_status st = look_at_bytes(w, keep, at, DRXI_LOG_HEAD_BYTES, &p, &got);

    *valid = false;
    if (st || got < DRXI_LOG_HEAD_BYTES || (bytes = drxi_log_record_bytes(p)) == 0)
        return st;
    if (bytes > WINDOW_BYTES) { /* does the file have this many? They take as much memory */
        if ((st = w->io->ops->size(w->io, &size)) || (int64_t)bytes > size - at)
            return st;
    }
    if ((st = look_at_bytes(w, keep, at, (int64_t)bytes, &p, &got)))
        return st;
    *valid = drxi_log_record_decode(p, got, at, record);
    return DRX_OK;
}

static struct drxi_log_place record_end(const struct drxi_log_record *record)
{
    return (struct drxi_log_place){ record->at + (int64_t)record->bytes, record->at, record->sequence, record->crc };
}

/* Nothing is next to the largest sequence number. */
static bool is_next(const struct drxi_log_place *end, const struct drxi_log_record *record)
{
    return record->prev == end->crc && ((record->sequence == end->sequence + 1 && record->sequence > 0) ||
                                        (record->at == DRXI_LOG_AT && record->kind == DRXI_LOG_BASE));
}

/* Follow the records behind *end up to one with C, or as far as valid ones come. */
static drx_status follow_records(struct window *w, struct drxi_log_place *end, bool *counts)
{
    const int64_t keep = end->end;
    struct drxi_log_record record;
    bool valid;
    drx_status st;

    for (*counts = false; !*counts; *end = record_end(&record)) {
        st = record_at(w, keep, end->end, &record, &valid);
        if (st || !valid || !is_next(end, &record))
            return st;
        *counts = record.flags & DRXI_C;
    }
    return DRX_OK;
}

/* Apply the records from s->end to `end`, all of which the window has. */
static drx_status apply(struct drxi_store *s, const struct window *w, int64_t end)
{
    struct drxi_log_record record;
    drx_status st = DRX_OK;

    for (int64_t at = s->end.end; !st && at < end; at += (int64_t)record.bytes) {
        (void)drxi_log_record_decode(w->bytes + (at - w->start), (size_t)(end - at), at, &record);
        if ((st = drxi_store_apply(s, &record)) == DRX_EDAMAGED)
            (void)drxi_fail(st, "%s: record %llu at offset %lld says what cannot be: %s", w->io->path,
                            (unsigned long long)record.sequence, (long long)at, drx_last_error());
        else if (st)
            (void)drxi_fail(st, "%s: offset %lld: %s", w->io->path, (long long)at, drx_last_error());
    }
    return st;
}

struct limits {
    int64_t commit;    /* stop behind it */
    int64_t end;       /* runs that end behind this offset do not count, */
    uint64_t sequence; /* nor one that ends with a later record */
};

/* Apply runs; *last is where valid records end, *good where the last run ended that was applied whole. */
static drx_status apply_runs(struct drxi_store *s, struct window *w, struct limits most, struct drxi_log_place *last,
                             struct drxi_log_place *good)
{
    bool counts;
    drx_status st;

    *good = *last = s->end;
    while (most.commit == DRXI_ANY_COMMIT || s->next_commit <= most.commit || s->commits == 0) {
        if ((st = follow_records(w, last, &counts)) || !counts || last->sequence > most.sequence ||
            last->end > most.end)
            return st;
        if ((st = apply(s, w, last->end)))
            return st;
        *good = s->end;
    }
    return DRX_OK;
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

/* Whether a SYNC of a later record than the last one follows: it promised what is not there. */
static drx_status find_promise(struct window *w, const struct drxi_log_place *last, bool *found)
{
    int64_t stored = last->end;
    struct drxi_log_record record;
    const uint8_t *p;
    size_t got;
    drx_status st;

    *found = false;
    for (int64_t at = last->end; !*found; at += 8) {
        if (at >= stored && (st = skip_hole(w->io, &at, &stored)))
            return st;
        if (at == INT64_MAX)
            return DRX_OK;
        if ((st = look_at_bytes(w, at, at, DRXI_LOG_SYNC_BYTES, &p, &got)) || got < DRXI_LOG_SYNC_BYTES)
            return st;
        *found = p[12] == DRXI_LOG_SYNC && drxi_log_record_bytes(p) == DRXI_LOG_SYNC_BYTES &&
                 drxi_log_record_decode(p, got, at, &record) && record.sequence > last->sequence;
    }
    return DRX_OK;
}

/* What lies behind the last valid record: nothing, an open transaction, a torn tail or, with a later SYNC among it,
 * damage (spec/drx-format.md, section 5.2). */
static drx_status judge_rest(const struct drxi_store *s, struct window *w, const struct drxi_log_place *last,
                             enum drxi_log_tail *tail)
{
    const uint8_t *p;
    size_t got;
    bool damaged;
    drx_status st = look_at_bytes(w, last->end, last->end, 1, &p, &got);

    if (st)
        return st;
    *tail = got > 0 ? DRXI_LOG_TORN : last->end > s->end.end ? DRXI_LOG_OPEN : DRXI_LOG_CLEAN;
    if (got == 0)
        return DRX_OK;
    if ((st = find_promise(w, last, &damaged)) || !damaged)
        return st;
    *tail = DRXI_LOG_DAMAGED;
    (void)drxi_fail(DRX_EDAMAGED,
                    "%s: the record at offset %lld is damaged, and what follows was promised: the %s is read as it was "
                    "after record %llu",
                    w->io->path, (long long)last->end, s->kind == DRXI_LONE_ARRAY ? "array" : "dataset",
                    (unsigned long long)s->end.sequence);
    return DRX_OK;
}

/* Whether what begins at `p` may be a record of this log behind `end`. What else is there is rarely looked at whole. */
static bool may_follow(const struct drxi_log_place *end, int64_t size, const uint8_t *p)
{
    const uint64_t sequence = drxi_get64(p + 16);

    return drxi_log_record_bytes(p) > 0 && sequence > end->sequence &&
           sequence - end->sequence <= (uint64_t)(size - end->end) / DRXI_LOG_HEAD_BYTES;
}

drx_status drxi_store_look_behind(const struct drxi_store *s, drxi_io *log,
                                  void (*see)(void *user, const struct drxi_log_record *record), void *user)
{
    struct window w = { .io = log };
    struct drxi_log_record record;
    int64_t size, stored = s->end.end;
    const uint8_t *p;
    size_t got;
    drx_status st = log->ops->size(log, &size);

    for (int64_t at = s->end.end; !st && at + DRXI_LOG_HEAD_BYTES <= size;) {
        bool valid = false;

        if (at >= stored && ((st = skip_hole(log, &at, &stored)) || at == INT64_MAX))
            break;
        st = look_at_bytes(&w, at, at, DRXI_LOG_HEAD_BYTES, &p, &got);
        if (!st && got == DRXI_LOG_HEAD_BYTES && may_follow(&s->end, size, p))
            st = record_at(&w, at, at, &record, &valid);
        if (valid)
            see(user, &record);
        at += valid ? (int64_t)record.bytes : 8;
    }
    free_window(&w);
    return st;
}

void drxi_store_start(struct drxi_store *s, uint32_t head_crc)
{
    s->head = s->end = s->counts = (struct drxi_log_place){ DRXI_LOG_AT, 0, 0, head_crc };
    s->root.thing.what = DRXI_A_GROUP;
    s->run.number = 1;
}

drx_status drxi_store_begin(struct drxi_store *s, drxi_io *log, enum drxi_store_kind kind)
{
    uint8_t bytes[DRXI_LIVE_AT + DRXI_LIVE_BYTES];
    size_t got = 0;
    uint32_t crc = 0;
    drx_status st = log->ops->read(log, bytes, sizeof bytes, 0, &got);

    memset(s, 0, sizeof *s);
    s->kind = kind;
    if (!st)
        st = drxi_store_head_decode(bytes, got, kind, log->path, s->id, &crc);
    drxi_store_start(s, crc);
    return st;
}

void drxi_store_free(struct drxi_store *s)
{
    drxi_store_free_things(s);
    for (int64_t i = 0; i < s->commits; i++)
        drxi_free(s->commit[i].message);
    drxi_free(s->commit);
    drxi_free(s->step);
    memset(s, 0, sizeof *s);
}

void drxi_store_pack_attributes(struct drxi_store *s)
{
    if (!s->holes)
        return;
    s->holes = false;
    drxi_attrs_pack(&s->root.thing.attrs);
    for (int what = DRXI_A_GROUP; what < DRXI_WHATS; what++)
        for (int i = 1; i <= drxi_table_of(s, what)->largest; i++)
            if (drxi_table_of(s, what)->of[i])
                drxi_attrs_pack(&((struct drxi_thing *)drxi_table_of(s, what)->of[i])->attrs);
}

/* What drxi_store_begin made. */
static struct drxi_store begun(const struct drxi_store *s)
{
    struct drxi_store none = { .kind = s->kind };

    memcpy(none.id, s->id, sizeof none.id);
    drxi_store_start(&none, s->head.crc);
    return none;
}

static void forget_store(struct drxi_store *s)
{
    const struct drxi_store none = begun(s);

    drxi_store_free(s);
    *s = none;
}

/* Another one, as far as those limits allow. */
static drx_status replay(const struct drxi_store *s, drxi_io *log, struct limits most, struct drxi_store *out,
                         struct drxi_log_place *good)
{
    struct window w = { .io = log };
    struct drxi_log_place last;
    drx_status st;

    *out = begun(s);
    st = apply_runs(out, &w, most, &last, good);
    free_window(&w);
    return st;
}

drx_status drxi_store_return(struct drxi_store *s, drxi_io *log, int64_t end)
{
    struct drxi_log_place good;
    struct drxi_store old;
    drx_status st = replay(s, log, (struct limits){ DRXI_ANY_COMMIT, end, UINT64_MAX }, &old, &good);

    drxi_store_pack_attributes(&old);
    old.checked = old.steps;
    if (!st && old.end.end != end)
        st = drxi_fail(DRX_EDAMAGED, "%s: damaged: other records than before", log->path);
    drxi_store_free(st ? &old : s);
    if (!st)
        *s = old;
    return st;
}

/* What was applied of a run that cannot be, or of runs behind it, goes. Where nothing was before, nothing is read. */
static drx_status go_back(struct drxi_store *s, drxi_io *log, const struct drxi_log_place *good)
{
    char detail[DRXI_DETAIL_BYTES];
    drx_status st = DRX_OK;

    drxi_report_keep(detail);
    if (good->end == DRXI_LOG_AT)
        forget_store(s);
    else
        st = drxi_store_return(s, log, good->end);
    if (!st)
        drxi_report_set(detail);
    return st;
}

/* Growths are checked when all was read. The first record that cannot be decides. */
static drx_status check_growths(struct drxi_store *s, drxi_io *log, struct drxi_log_place *good, drx_status st)
{
    char detail[DRXI_DETAIL_BYTES];
    struct limits most = { DRXI_ANY_COMMIT, INT64_MAX, 0 };
    struct drxi_store old;
    drx_status wrong;

    drxi_report_keep(detail);
    wrong = drxi_store_check_growths(s, &most.sequence);
    if (wrong != DRX_EDAMAGED) {
        drxi_report_set(detail);
        s->checked = s->steps;
        return st;
    }
    (void)drxi_fail(wrong, "%s: record %llu says what cannot be: %s", log->path, (unsigned long long)most.sequence,
                    drx_last_error());
    drxi_report_keep(detail);
    most.sequence--;
    wrong = replay(s, log, most, &old, good);
    drxi_store_free(&old);
    drxi_report_set(detail);
    return wrong ? wrong : DRX_EDAMAGED;
}

/* Whether something counts, and the commit is there; and what follows. */
static drx_status judge_tail(const struct drxi_store *s, struct window *w, int64_t commit,
                             const struct drxi_log_place *last, enum drxi_log_tail *tail)
{
    const char *const path = w->io->path;

    if (s->end.end == DRXI_LOG_AT)
        return drxi_fail(DRX_EDAMAGED, "%s: nothing of it counts: record %llu at offset %lld is not whole", path,
                         (unsigned long long)last->sequence + 1, (long long)last->end);
    if (commit == DRXI_ANY_COMMIT)
        return judge_rest(s, w, last, tail);
    *tail = DRXI_LOG_CLEAN;
    if (s->commits == 0 || s->commit[s->commits - 1].number != commit)
        return drxi_fail(DRX_ERANGE, "%s: no commit %lld", path, (long long)commit);
    return DRX_OK;
}

drx_status drxi_store_read(struct drxi_store *s, drxi_io *log, int64_t commit, bool others, enum drxi_log_tail *tail)
{
    const struct drxi_log_place before = s->end;
    struct window w = window_of(log, others);
    struct drxi_log_place last, good;
    drx_status st = apply_runs(s, &w, (struct limits){ commit, INT64_MAX, UINT64_MAX }, &last, &good), back;
    bool partly;

    if (s->checked < s->steps && (!st || st == DRX_EDAMAGED || st == DRX_EUNSUPPORTED))
        st = check_growths(s, log, &good, st);
    partly = st == DRX_ENOMEM || st == DRX_EDAMAGED || st == DRX_EUNSUPPORTED;
    if (st == DRX_EDAMAGED && good.end > DRXI_LOG_AT) {
        *tail = DRXI_LOG_DAMAGED;
        st = go_back(s, log, &good);
    } else if (!st) {
        st = judge_tail(s, &w, commit, &last, tail);
    }
    if (st && (back = go_back(s, log, &before))) {
        st = back;
        if (partly) /* of a run */
            forget_store(s);
    }
    drxi_store_pack_attributes(s);
    free_window(&w);
    return st;
}

/* ---- records alone ---- */

static drx_status visit_run(const struct window *w, int64_t at, int64_t end, drxi_store_visit *visit, void *arg)
{
    struct drxi_log_record record;
    drx_status st = DRX_OK;

    for (; !st && at < end; at += (int64_t)record.bytes) {
        (void)drxi_log_record_decode(w->bytes + (at - w->start), (size_t)(end - at), at, &record);
        st = visit(arg, &record);
    }
    return st;
}

drx_status drxi_store_skim(drxi_io *log, struct drxi_log_place *at, int64_t most, bool others, drxi_store_visit *visit,
                           void *arg, bool *open)
{
    struct window w = window_of(log, others);
    struct drxi_log_place last = *at;
    bool counts;
    drx_status st;

    while (!(st = follow_records(&w, &last, &counts)) && counts && last.end <= most) {
        if ((st = visit_run(&w, at->end, last.end, visit, arg)))
            break;
        *at = last;
    }
    if (open)
        *open = !st && !counts && last.end > at->end;
    free_window(&w);
    return st;
}

drx_status drxi_store_see_open(drxi_io *log, const struct drxi_log_place *from, drxi_store_visit *visit, void *arg)
{
    struct window w = window_of(log, false);
    struct drxi_log_place last = *from;
    bool counts;
    drx_status st = follow_records(&w, &last, &counts);

    if (!st && !counts)
        st = visit_run(&w, from->end, last.end, visit, arg);
    free_window(&w);
    return st;
}
