/* Readers, and writers that share an array, beside a writer that trims it.
 *
 * A trim gives chunks back to the file system, and growth may then use the cells that it left in others. So a handle
 * whose bounds are older looks at the log after it has moved elements: when a trim has been recorded, what was read
 * outside the bounds that are left is not given out, but DRX_ERANGE. The record comes before anything that it allows.
 *
 * Invariants
 *   1. `sure` is a place in the log that no writer takes back, and `kept` has the trims up to there. It does not pass an
 *      INTENT, which may be undone, before the GROW that follows it.
 *   2. `at` and `word` are that place and what stood there. While the word has not changed, no record has come: one load
 *      from the mapped file tells. `slow`: something stands there, and each look reads it.
 *   3. A log that another replaces ends with a record that tells where to go on in the new one (log/compact.c). When that
 *      was replaced, too, nobody can tell what was trimmed in between, unless nothing ever was, nor how later trims number
 *      the axes, unless there are no more than the handle knows.
 *   4. Lookouts are freed while nothing can look: with the gate shut, and, on MPI, while no request is pending.
 *   5. A replica has a copy of the log in memory, which says what it knows, and looks at the file. It opens that by name
 *      and finds in it the last record of its copy; if not, the log was replaced in between. */
#include "array/array.h"
#include "remote/remote.h"

enum { GLANCES_BEFORE_VIEW = 8, PIECE_BYTES = 4096, PAGE_BYTES = 4096, MOST_SYNC_BYTES = DRXI_RECORD_HEAD_BYTES + 16 };

/* A file to look at. */
struct drxi_lookout {
    struct drxi_lookout *older;
    drxi_io *io;
    bool owned; /* a log that has replaced the one of the handle */
    struct drxi_view view;
};

/* The next look reads the log, not the word alone. */
static void set_slow(struct drxi_watch *w)
{
    atomic_store(&w->place, NULL);
    atomic_store(&w->slow, true);
}

/* The file; NULL: nothing to look at. */
static drxi_io *log_of(const drx_array *a)
{
    return a->replica ? a->watch.log : a->log.io;
}

void drxi_watch_init(struct drxi_watch *w)
{
    (void)pthread_mutex_init(&w->lock, NULL);
}

static void forget_inquiry(struct drxi_watch *w)
{
    drxi_remote_forget(w->inquiry);
    w->inquiry = NULL;
}

void drxi_watch_forget(drx_array *a)
{
    struct drxi_watch *w = &a->watch;
    struct drxi_lookout *l = atomic_load(&w->now);

    atomic_store(&w->place, NULL);
    atomic_store(&w->now, NULL);
    atomic_store(&w->cut, false);
    w->blind = false;
    atomic_store(&w->compared, false);
    forget_inquiry(w);
    w->growths = 0;
    while (l) {
        struct drxi_lookout *const older = l->older;

        if (l->view.base)
            drxi_view_close(&l->view);
        if (l->owned)
            (void)l->io->ops->close(l->io);
        drxi_free(l);
        l = older;
    }
}

void drxi_watch_free(drx_array *a)
{
    drxi_watch_forget(a);
    if (a->watch.log)
        (void)a->watch.log->ops->close(a->watch.log);
    drxi_free(a->watch.bytes);
    (void)pthread_mutex_destroy(&a->watch.lock);
}

/* Look at another file, or at the same one in another way, from now on. */
static drx_status post(struct drxi_watch *w, drxi_io *io, bool owned, bool mapped)
{
    struct drxi_lookout *l = drxi_calloc(1, sizeof *l);

    if (!l)
        return DRX_ENOMEM;
    l->older = atomic_load(&w->now);
    l->io = io;
    l->owned = owned;
    if (mapped && io->ops->view(io, &l->view))
        l->view.base = NULL;
    atomic_store(&w->now, l);
    return DRX_OK;
}

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
    drx_status st = drxi_reserve(&w->bytes, &w->room, PIECE_BYTES, 1);

    *found = false;
    if (!st)
        st = io->ops->read(io, w->bytes, PIECE_BYTES, chain->end, &got);
    if (st || got < DRXI_RECORD_HEAD_BYTES)
        return st;
    bytes = drxi_record_bytes(w->bytes, got);
    if (bytes > got) {
        int64_t size = 0;

        st = io->ops->size(io, &size);
        if (st || (int64_t)bytes > size - chain->end)
            return st;
        st = drxi_reserve(&w->bytes, &w->room, (int64_t)bytes, 1);
        if (!st)
            st = io->ops->read(io, w->bytes, bytes, chain->end, &got);
    }
    *found = !st && bytes > 0 && bytes <= got && drxi_record_decode(w->bytes, got, r) && r->prev == chain->crc &&
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
    own = w->own[t.axis];
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
    w->axes += w->axes > 0;
    memmove(w->own + at + 1, w->own + at, (size_t)(DRX_MAX_NDIM - 1 - at) * sizeof *w->own);
    w->own[at] = -1;
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

    set_slow(w); /* until a look has noted where it ended, no glance tells */
    st = post(w, log->io, true, false);
    if (st)
        return st;
    if (next && is_successor(log, next)) {
        w->sure = (struct drxi_chain){ next->end, next->sequence, next->crc, next->end - sync_bytes(&log->state) };
    } else {
        w->lost = w->lost || log->state.trimmed || log->state.desc.ndim != w->axes;
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
    struct drxi_log log = { .io = NULL };
    enum drxi_tail tail;
    char detail[DRXI_DETAIL_BYTES];
    drx_status st;

    *moved = false;
    drxi_report_keep(detail);
    st = drxi_files->open(log_of(a)->path, DRXI_READ, &log.io);
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
    drxi_state_free(&log.state);
    if (st && st != DRX_ENOENT && st != DRX_EFORMAT)
        return st;
    drxi_report_set(detail);
    return DRX_OK;
}

/* Begin where the state of the handle ends. After a failure the next look begins again. */
static drx_status begin(drx_array *a)
{
    struct drxi_watch *w = &a->watch;
    const struct drxi_state *s = &a->log.state;
    bool moved = false;
    drx_status st = DRX_OK;

    set_slow(w); /* until a look has noted where it ended, no glance tells */
    w->sure = s->intent_open ? s->before_intent : s->chain;
    atomic_store(&w->glances, 0);
    w->lost = false;
    w->ndim = s->desc.ndim;
    w->axes = s->stopped ? 0 : w->ndim;
    for (int j = 0; j < DRX_MAX_NDIM; j++) {
        w->kept[DRXI_LOW][j] = INT64_MIN;
        w->kept[DRXI_HIGH][j] = INT64_MAX;
        w->own[j] = s->stopped ? s->own[j] : j < w->ndim ? j : -1;
    }
    if (w->elsewhere)
        st = follow(a, NULL, &moved);
    return st || moved ? st : post(w, log_of(a), false, false);
}

/* Whether the word at that place is mapped; at the begin of a page it may lie behind the end of the file. */
static bool is_mapped(const struct drxi_lookout *l, int64_t at)
{
    return l->view.base && at % PAGE_BYTES != 0 && at + (int64_t)sizeof(uint64_t) <= l->view.room;
}

/* See what has come until nothing comes any more. The word is read before the last look, which found nothing behind it. */
static drx_status look(drx_array *a)
{
    struct drxi_watch *w = &a->watch;
    struct drxi_successor next;
    uint64_t word = 0;
    bool replaced, moved = true, named = true;
    drx_status st = atomic_load(&w->now) ? DRX_OK : begin(a);

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
    if (!st && atomic_load(&w->glances) >= GLANCES_BEFORE_VIEW) {
        st = post(w, atomic_load(&w->now)->io, false, true);
        atomic_store(&w->glances, INT32_MIN); /* once */
    }
    if (st)
        return st;
    /* After an INTENT the quick get, which has the place of before, is to look again: it never finds a 0 there. */
    atomic_store(&w->word, word != 0 && named ? 0 : word);
    atomic_store(&w->at, w->sure.end);
    atomic_store(&w->slow, word != 0 && named); /* last: a glance believes the others when it is false */
    if (!atomic_load(&w->slow) && !atomic_load(&w->cut) && !log_of(a)->remote &&
        is_mapped(atomic_load(&w->now), w->sure.end))
        atomic_store(&w->place, drxi_view_at(&atomic_load(&w->now)->view, w->sure.end));
    return DRX_OK;
}

/* Ask for the present log, or take the answer to what was asked. */
static drx_status renew(drx_array *a, bool may_have_asked)
{
    struct drxi_watch *w = &a->watch;
    struct drxi_inquiry *inquiry = w->inquiry;
    drxi_io *io;

    if (inquiry && (!may_have_asked || atomic_load(&w->now)->io != w->inquired)) {
        forget_inquiry(w);
        inquiry = NULL;
    }
    w->inquiry = NULL;
    io = atomic_load(&w->now)->io;
    return inquiry ? drxi_remote_renew_by(io, inquiry) : drxi_remote_renew(io);
}

/* Go over what has come to the log. */
static drx_status go_over(drx_array *a, bool may_have_asked)
{
    struct drxi_watch *w = &a->watch;
    bool more, named = true;
    drx_status st;

    if (!drxi_watch_needed(a))
        return drxi_fail(DRX_EMISMATCH, "%s: changed since it was opened", a->parts.label);
    st = atomic_load(&w->now) ? DRX_OK : begin(a);
    if (!st)
        st = renew(a, may_have_asked);
    if (!st)
        st = atomic_load(&w->now)->io->ops->named(atomic_load(&w->now)->io, &named);
    if (!st && named)
        st = drxi_chain_continues(atomic_load(&w->now)->io, &w->sure, &more);
    if (!named || st == DRX_EDAMAGED)
        st = drxi_fail(DRX_EMISMATCH, "%s.xmd: replaced by another log since it was opened: refresh the handle",
                       a->path);
    if (!st)
        set_slow(w); /* until it has noted where it ended */
    return st ? st : look(a);
}

drx_status drxi_watch_renew(drx_array *a)
{
    return go_over(a, false);
}

/* The log of an array on a server, after the first read of the handle: judge.c. When all files are firm, their states, and
 * with them the elements, were fixed before it is looked at, whatever is still being read. */
static drx_status compare(drx_array *a)
{
    struct drxi_watch *w = &a->watch;
    drx_status st = DRX_OK;

    (void)pthread_mutex_lock(&w->lock);
    if (!atomic_load(&w->compared) || drxi_data_is_fresh(&a->data)) { /* another thread may have done it meanwhile */
        st = go_over(a, drxi_data_is_firm(&a->data));
        atomic_store(&w->compared, !st);
    }
    (void)pthread_mutex_unlock(&w->lock);
    return st;
}

void drxi_watch_ahead(drx_array *a)
{
    struct drxi_watch *w = &a->watch;
    drx_status st;

    if (!a->data.io || !a->data.io->remote || atomic_load_explicit(&w->compared, memory_order_relaxed))
        return;
    if (!drxi_watch_needed(a) || !log_of(a)->remote || w->elsewhere || !drxi_data_is_firm(&a->data))
        return;
    (void)pthread_mutex_lock(&w->lock);
    st = atomic_load(&w->now) ? DRX_OK : begin(a);
    if (!st && !w->inquiry && !atomic_load(&w->compared)) {
        w->inquired = atomic_load(&w->now)->io;
        st = drxi_remote_inquire(w->inquired, &w->inquiry);
    }
    if (st)
        drxi_report_clear();
    (void)pthread_mutex_unlock(&w->lock);
}

/* Whether the file has what the copy has in these bytes. */
static drx_status is_copied(const drx_array *a, int64_t from, int64_t end, bool *same)
{
    uint8_t copy[PIECE_BYTES], bytes[PIECE_BYTES];
    drxi_io *const log = a->watch.log;
    drx_status st = DRX_OK;

    *same = true;
    for (int64_t at = from; !st && *same && at < end; at += PIECE_BYTES) {
        const size_t n = (size_t)drxi_min(end - at, PIECE_BYTES);
        size_t got = 0;

        st = a->log.io->ops->read(a->log.io, copy, n, at, &got);
        if (!st)
            st = log->ops->read(log, bytes, n, at, &got);
        *same = !st && got == n && memcmp(copy, bytes, n) == 0;
    }
    return st;
}

drx_status drxi_watch_open(drx_array *a)
{
    const struct drxi_state *s = &a->log.state;
    char *name = drxi_format("%s.xmd", a->path);
    bool same = false;
    drx_status st = name ? drxi_files->open(name, DRXI_READ, &a->watch.log) : DRX_ENOMEM;

    if (!st) /* the last record, whose checksum covers those before it; an INTENT may have been taken back */
        st = s->intent_open ? is_copied(a, 0, s->chain.crc_at, &same)
                            : is_copied(a, s->chain.crc_at, s->chain.end, &same);
    a->watch.elsewhere = !same;
    a->log.tail = same ? a->watch.log : NULL;
    if (!st && !same)
        st = begin(a);
    if (!st && !same && atomic_load(&a->watch.now)->io == a->watch.log) /* it found no log to go on in */
        st = drxi_fail(DRX_EMISMATCH, "%s: here it is another array than on rank 0", name);
    drxi_free(name);
    return st;
}

/* *quiet: nothing has come since the last look. */
static drx_status glance(struct drxi_watch *w, bool *quiet)
{
    const struct drxi_lookout *l = atomic_load_explicit(&w->now, memory_order_acquire);
    drx_status st = DRX_OK;
    uint64_t word;
    int64_t at;

    *quiet = false;
    atomic_thread_fence(memory_order_acquire); /* after the elements */
    if (!l || atomic_load_explicit(&w->slow, memory_order_acquire))
        return DRX_OK;
    at = atomic_load_explicit(&w->at, memory_order_acquire);
    if (!is_mapped(l, at) || !drxi_view_get(&l->view, at, &word, sizeof word))
        st = read_word(l->io, at, &word);
    *quiet = !st && word == atomic_load_explicit(&w->word, memory_order_acquire) &&
             (l->view.base || atomic_fetch_add(&w->glances, 1) + 1 < GLANCES_BEFORE_VIEW);
    return st;
}

static drx_status refuse(const drx_array *a, int j, int64_t lo, int64_t hi)
{
    const struct drxi_watch *w = &a->watch;
    const int64_t from = drxi_max(w->kept[DRXI_LOW][j], a->log.state.lower[j]),
                  to = drxi_min(w->kept[DRXI_HIGH][j], a->log.state.upper[j]);

    if (w->lost)
        return drxi_fail(DRX_ERANGE,
                         "%s: it was trimmed since it was opened or refreshed, nobody can tell where: "
                         "refresh it",
                         a->parts.label);
    if (from >= to)
        return drxi_fail(DRX_ERANGE, "%s: axis %d: a trim since it was opened or refreshed has left nothing",
                         a->parts.label, j);
    return drxi_fail(
        DRX_ERANGE,
        "%s: axis %d: indices %lld to %lld were asked for, and %lld to %lld are left by a trim since it was "
        "opened or refreshed",
        a->parts.label, j, (long long)lo, (long long)hi - 1, (long long)from, (long long)to - 1);
}

static drx_status look_again(drx_array *a)
{
    bool quiet;
    drx_status st;

    if (!drxi_watch_needed(a))
        return DRX_OK;
    if (log_of(a)->remote && (!atomic_load(&a->watch.compared) || drxi_data_is_fresh(&a->data)))
        return compare(a);
    st = glance(&a->watch, &quiet);
    if (st || quiet)
        return st;
    (void)pthread_mutex_lock(&a->watch.lock);
    st = look(a);
    (void)pthread_mutex_unlock(&a->watch.lock);
    return st;
}

static drx_status check(drx_array *a, const int64_t lo[], const int64_t hi[])
{
    struct drxi_watch *w = &a->watch;
    drx_status st = DRX_OK;

    (void)pthread_mutex_lock(&w->lock);
    for (int j = 0; !st && j < w->ndim; j++)
        if (w->lost || lo[j] < w->kept[DRXI_LOW][j] || hi[j] > w->kept[DRXI_HIGH][j])
            st = refuse(a, j, lo[j], hi[j]);
    (void)pthread_mutex_unlock(&w->lock);
    return st;
}

drx_status drxi_watch_box(drx_array *a, const int64_t lo[], const int64_t count[], const int64_t step[])
{
    int64_t hi[DRX_MAX_NDIM];
    const drx_status st = look_again(a);

    if (st || !atomic_load(&a->watch.cut))
        return st;
    for (int j = 0; j < a->log.state.desc.ndim; j++)
        hi[j] = lo[j] + (count[j] - 1) * (step ? step[j] : 1) + 1;
    return check(a, lo, hi);
}

drx_status drxi_watch_points(drx_array *a, int64_t n, const int64_t indices[])
{
    const int ndim = a->log.state.desc.ndim;
    int64_t end[DRX_MAX_NDIM];
    drx_status st = look_again(a);

    if (st || !atomic_load(&a->watch.cut))
        return st;
    for (int64_t i = 0; !st && i < n; i++) {
        for (int j = 0; j < ndim; j++)
            end[j] = indices[i * ndim + j] + 1;
        st = check(a, indices + i * ndim, end);
    }
    return st;
}

drx_status drxi_watch_all(drx_array *a)
{
    const drx_status st = look_again(a);

    return st || !atomic_load(&a->watch.cut) ? st : check(a, a->log.state.lower, a->log.state.upper);
}
