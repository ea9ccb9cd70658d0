/* Readers, and writers that share an array, beside a writer that trims it.
 *
 * A trim gives chunks back to the file system, and growth may then use the cells that it left in others. So a handle
 * whose bounds are older looks at the log after it has moved elements: when a trim has been recorded, what was read
 * outside the bounds that are left is not given out, but DRX_ERANGE. The record comes before anything that it allows.
 *
 *   live.c     how it looks: the live words
 *   lookout.c  where it looks
 *   judge.c    files on a server
 *
 * Invariants
 *   1. Lookouts are freed while nothing can look: with the gate shut, and, on MPI, while no request is pending.
 *   2. A replica has a copy of the log in memory, which says what it knows, and looks at the file. It opens that by
 *      name and finds in it the last record of its copy; if not, the log was replaced in between. */
#include "array/watch/lookout.h"

enum { PIECE_BYTES = 4096 };

void drxi_watch_init(struct drxi_watch *w)
{
    (void)pthread_mutex_init(&w->lock, NULL);
}

static void forget_inquiry(struct drxi_watch *w)
{
    if (w->inquiry)
        w->inquired->ops->state->forget(w->inquiry);
    w->inquiry = NULL;
}

void drxi_watch_forget(drx_array *a)
{
    struct drxi_watch *w = &a->watch;

    atomic_store(&w->place, NULL);
    atomic_store(&w->cut, false);
    w->blind = false;
    atomic_store(&w->compared, false);
    forget_inquiry(w);
    w->growths = 0;
    drxi_lookout_free(w);
}

void drxi_watch_free(drx_array *a)
{
    drxi_watch_forget(a);
    drxi_close(a->watch.log);
    (void)pthread_mutex_destroy(&a->watch.lock);
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
    return drxi_state_renew(io, inquiry);
}

/* Go over what has come to the log. */
static drx_status go_over(drx_array *a, bool may_have_asked)
{
    struct drxi_watch *w = &a->watch;
    bool more, named = true;
    drx_status st;

    if (!drxi_watch_needed(a))
        return drxi_fail(DRX_EMISMATCH, "%s: changed since it was opened", a->parts.label);
    st = atomic_load(&w->now) ? DRX_OK : drxi_live_begin(a);
    if (!st)
        st = renew(a, may_have_asked);
    if (!st)
        st = atomic_load(&w->now)->io->ops->named(atomic_load(&w->now)->io, &named);
    if (!st && named)
        st = drxi_chain_continues(atomic_load(&w->now)->io, &w->sure, &more);
    if (!named || st == DRX_EDAMAGED)
        st = drxi_fail(DRX_EMISMATCH, "%s: replaced by another log since it was opened: refresh the handle",
                       atomic_load(&w->now)->io->path);
    if (!st)
        drxi_lookout_slow(w); /* until it has noted where it ended */
    return st ? st : drxi_live_look(a);
}

drx_status drxi_watch_renew(drx_array *a)
{
    return go_over(a, false);
}

/* The log of an array on a server, after the first read of the handle: judge.c. When all files are firm, their states,
 * and with them the elements, were fixed before it is looked at, whatever is still being read. */
static drx_status compare_bounds(drx_array *a)
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
    const drxi_io *const log = drxi_watched_log(a);
    struct drxi_watch *w = &a->watch;
    drx_status st;

    if (!log || !log->pinned || atomic_load_explicit(&w->compared, memory_order_relaxed))
        return;
    if (!drxi_watch_needed(a) || w->elsewhere || !drxi_data_is_firm(&a->data))
        return;
    (void)pthread_mutex_lock(&w->lock);
    st = atomic_load(&w->now) ? DRX_OK : drxi_live_begin(a);
    if (!st && !w->inquiry && !atomic_load(&w->compared)) {
        w->inquired = atomic_load(&w->now)->io;
        st = w->inquired->ops->state->inquire(w->inquired, &w->inquiry);
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

drx_status drxi_watch_open(drx_array *a, const char *name)
{
    const struct drxi_log_place *last = &a->log.state.chain;
    bool same = false;
    drx_status st = drxi_files->open(name, DRXI_READ, &a->watch.log);

    if (!st) /* its checksum covers those before it */
        st = is_copied(a, last->last, last->end, &same);
    a->watch.elsewhere = !same;
    a->log.tail = same ? a->watch.log : NULL;
    if (!st && !same)
        st = drxi_live_begin(a);
    if (!st && !same && atomic_load(&a->watch.now)->io == a->watch.log) /* it found no log to go on in */
        st = drxi_fail(DRX_EMISMATCH, "%s: here it is another array than on rank 0", name);
    return st;
}

static drx_status refuse_bounds(const drx_array *a, int j, int64_t lo, int64_t hi)
{
    const struct drxi_watch *w = &a->watch;
    const int64_t from = drxi_max(w->kept[DRXI_LOW][j], a->data.lower[j]),
                  to = drxi_min(w->kept[DRXI_HIGH][j], a->data.upper[j]);

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
    if (drxi_watched_log(a)->pinned && (!atomic_load(&a->watch.compared) || drxi_data_is_fresh(&a->data)))
        return compare_bounds(a);
    st = drxi_lookout_check(&a->watch, &quiet);
    if (st || quiet)
        return st;
    (void)pthread_mutex_lock(&a->watch.lock);
    st = drxi_live_look(a);
    (void)pthread_mutex_unlock(&a->watch.lock);
    return st;
}

static drx_status check_watched(drx_array *a, const int64_t lo[], const int64_t hi[])
{
    struct drxi_watch *w = &a->watch;
    drx_status st = DRX_OK;

    (void)pthread_mutex_lock(&w->lock);
    for (int j = 0; !st && j < w->ndim; j++)
        if (w->lost || lo[j] < w->kept[DRXI_LOW][j] || hi[j] > w->kept[DRXI_HIGH][j])
            st = refuse_bounds(a, j, lo[j], hi[j]);
    (void)pthread_mutex_unlock(&w->lock);
    return st;
}

drx_status drxi_watch_box(drx_array *a, const int64_t lo[], const int64_t count[], const int64_t step[])
{
    int64_t hi[DRX_MAX_NDIM];
    const drx_status st = look_again(a);

    if (st || !atomic_load(&a->watch.cut))
        return st;
    for (int j = 0; j < a->data.ndim; j++)
        hi[j] = lo[j] + (count[j] - 1) * (step ? step[j] : 1) + 1;
    return check_watched(a, lo, hi);
}

drx_status drxi_watch_points(drx_array *a, int64_t n, const int64_t indices[])
{
    const int ndim = a->data.ndim;
    int64_t end[DRX_MAX_NDIM];
    drx_status st = look_again(a);

    if (st || !atomic_load(&a->watch.cut))
        return st;
    for (int64_t i = 0; !st && i < n; i++) {
        for (int j = 0; j < ndim; j++)
            end[j] = indices[i * ndim + j] + 1;
        st = check_watched(a, indices + i * ndim, end);
    }
    return st;
}

drx_status drxi_watch_all(drx_array *a)
{
    const drx_status st = look_again(a);

    return st || !atomic_load(&a->watch.cut) ? st : check_watched(a, a->data.lower, a->data.upper);
}
