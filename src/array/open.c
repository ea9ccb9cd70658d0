/* Opening, closing and refresh. */
#include "array/array.h"

/* Seconds. A writer that compacts its log may replace the file each time that a reader opens it. On a busy machine the
 * reader loses most of these races, but not all, so it tries again. */
static const double PATIENCE = 20;

static drx_status open_meta(drx_array *a)
{
    char *name = drxi_format("%s.xmd", a->path);
    drx_status st = DRX_ENOMEM;

    if (name && a->parts.writable)
        st = drxi_open_locked(name, drxi_lock_to_write, a, &a->log.io);
    else if (name)
        st = drxi_files->open(name, DRXI_READ, &a->log.io);
    drxi_free(name);
    return st;
}

/* Open the data; *again when the metadata have been replaced or removed meanwhile. */
static drx_status open_data(drx_array *a, bool *again)
{
    bool named = true;
    drx_status st = drxi_open_data(a);
    drx_status other;

    other = a->parts.writable ? DRX_OK : a->log.io->ops->named(a->log.io, &named);

    *again = !named;
    return st ? st : other;
}

/* Report a torn tail, unless a writer may be about to complete the record. */
static drx_status report_tail(drx_array *a, int64_t log_end, int64_t size)
{
    bool locked = false;
    drx_status st = a->parts.writable ? DRX_OK : a->log.io->ops->locked(a->log.io, &locked);

    if (!st && !locked)
        drxi_report("%s: the last %lld bytes, from offset %lld on, are not whole records (a torn tail): %s",
                    a->log.io->path, (long long)(size - log_end), (long long)log_end,
                    a->parts.writable ? "dropped" : "passed over");
    return st;
}

drx_status drxi_open_pair(drx_array *a, enum drxi_tail *tail)
{
    const double begun_at = drxi_now();

    do {
        bool again = false;
        drx_status st;

        if (!a->parts.writable)
            drxi_expect_array(a->path, true, DRXI_FEW_CONNECTIONS);
        st = open_meta(a);
        if (!st)
            st = drxi_log_describe(&a->log, tail);
        if (!st)
            drxi_data_follow(&a->data);
        if (!st)
            st = open_data(a, &again);
        again = again || (st && drxi_state_is(a->log.io, DRXI_ALTERED));
        if (!again)
            return st;
        drxi_close_files(a);
        drxi_report_clear();
    } while (drxi_now() - begun_at < PATIENCE);
    return drxi_fail(DRX_EBUSY, "%s: is being replaced again and again", a->path);
}

static drx_status open_own_files(drx_array *a)
{
    enum drxi_tail tail = DRXI_WHOLE;
    int64_t meta_size = 0, log_end;
    drx_status st = drxi_open_pair(a, &tail);
    bool damaged = tail == DRXI_DAMAGED;

    a->watch.blind = damaged;
    if (!st)
        st = drxi_data_check_lengths(&a->data, a->path, DRXI_ALL_FILES, &damaged);
    if (!st)
        st = a->log.io->ops->size(a->log.io, &meta_size);
    if (!st && damaged)
        return a->parts.writable ? DRX_EDAMAGED : DRX_OK; /* with the detail set */
    log_end = a->log.state.chain.end;
    if (!st && a->parts.writable)
        st = drxi_live_has_path(a->log.io);
    if (!st && a->parts.writable)
        st = drxi_recover(a);
    if (!st && a->parts.writable)
        st = drxi_data_new_pool(&a->data);
    if (!st && a->parts.writable && a->log.unpromised)
        st = drxi_sync_files(a);
    if (!st && a->parts.writable)
        st = drxi_compact_at_open(a);
    if (!st && tail == DRXI_TORN)
        st = report_tail(a, log_end, meta_size);
    if (!st && a->data.file->stored->report)
        a->data.file->stored->report(&a->data);
    return st;
}

/* The rest of an open. On failure `a` is freed. */
static drx_status open_array(drx_array *a, int mode, drx_array **out)
{
    drx_status st;

    drxi_set_mode(a, mode);
    a->log.starts = mode == DRX_RDWR;
    st = open_own_files(a);
    if (st) {
        (void)drxi_array_free(a);
        return st;
    }
    drxi_end_log_change(a);
    a->log.state.fixed_axes = true;
    *out = a;
    return DRX_OK;
}

drx_status drxi_open(const char *path, int mode, drx_array **out)
{
    drx_array *a;
    drx_status st;

    if (!out)
        return drxi_fail(DRX_EINVAL, "drx_open: out is a null pointer");
    *out = NULL;
    drxi_report_clear();
    if ((st = drxi_check_path(path)))
        return st;
    if (mode != DRX_RDONLY && mode != DRX_RDWR && mode != DRX_SHARED)
        return drxi_fail(DRX_EINVAL, "%s: mode %d, expected DRX_RDONLY, DRX_RDWR or DRX_SHARED", path, mode);
    st = drxi_array_new(path, &a);
    return st ? st : open_array(a, mode, out);
}

static drx_status close_lone(drx_array *a)
{
    drx_status st, freed;

    drxi_finish_requests(a);
    st = a->data.file->pool ? drxi_pool_flush(a->data.file->pool) : DRX_OK;
    freed = drxi_array_free(a);
    return st ? st : freed;
}

drx_status drx_close(drx_array *a)
{
    const drx_status st = a ? drxi_check_alone(a) : DRX_OK;

    return st || !a ? st : a->owner->close(a);
}

/* The path names another file: the same array with a new log, or another array, with another description or data
 * file. */
static drx_status reopen(drx_array *a)
{
    bool same_data;
    drx_array *b;
    drx_status st;

    drxi_expect_none(a->path);
    st = drxi_open(a->path, DRX_RDONLY, &b);

    if (st)
        return st;
    st = a->data.file->io->ops->named(a->data.file->io, &same_data);
    if (!st && (!same_data || memcmp(&a->log.state.made, &b->log.state.made, sizeof a->log.state.made) != 0)) {
        st = drxi_fail(DRX_EMISMATCH, "%s: replaced by another array since it was opened", a->path);
    } else if (!st && a->log.state.desc.ndim != b->log.state.desc.ndim) {
        st = drxi_fail(DRX_EMISMATCH, "%s: it has got one more axis since it was opened: close it, and open it again",
                       a->path);
    } else if (!st) {
        drxi_swap_logs(a, b);
        if ((st = drxi_repin_files(&a, 1)))
            drxi_swap_logs(a, b);
    }
    (void)drxi_array_free(b);
    return st;
}

static drx_status refresh_own(drx_array *a)
{
    const int64_t end = a->log.state.chain.end;
    enum drxi_tail tail;
    bool named, more = false;
    drx_status st;

    if (!a->log.io || (a->parts.writable && a->owner->alone))
        return DRX_OK;
    st = drxi_state_renew(a->log.io, NULL);
    if (!st)
        st = drxi_chain_named(a->log.io, &a->log.state.chain, a->log.io, &named);
    if (st)
        return st;
    if (!named) /* another log has the name */
        return a->parts.writable ? drxi_lost_name(a) : reopen(a);
    st = drxi_log_continues(&a->log, &more);
    if (!st && more)
        st = drxi_log_read_on(&a->log, &tail);
    if (!st && more && a->parts.writable)
        drxi_doubt_trims(a);
    if (!st && (st = drxi_repin_files(&a, 1)))
        drxi_log_put_back(&a->log, end);
    return st;
}

drx_status drxi_refresh_by(drx_array *a, drx_status (*how)(drx_array *))
{
    drx_status st;

    drxi_gate_shut(&a->gate);
    st = drxi_check_alone(a);
    if (!st)
        st = how(a);
    if (!st)
        drxi_watch_forget(a);
    drxi_data_follow(&a->data);
    drxi_data_resized(&a->data);
    drxi_gate_open(&a->gate);
    return st;
}

static drx_status refresh_lone(drx_array *a)
{
    return drxi_refresh_by(a, refresh_own);
}

static const struct drxi_owner program = { .alone = true,
                                           .begin = drxi_begin_alone,
                                           .sync = drxi_sync_array,
                                           .compact = drxi_compact_lone,
                                           .refresh = refresh_lone,
                                           .close = close_lone };

static const struct drxi_owner sharer = { .begin = drxi_begin_beside,
                                          .end = drxi_end_beside,
                                          .sync = drxi_sync_array,
                                          .compact = drxi_compact_beside,
                                          .refresh = refresh_lone,
                                          .close = close_lone };

void drxi_set_mode(drx_array *a, int mode)
{
    a->parts.writable = mode != DRX_RDONLY;
    a->log.shared = a->log.others = mode == DRX_SHARED;
    a->owner = mode == DRX_SHARED ? &sharer : &program;
}

drx_status drx_refresh(drx_array *a)
{
    return a ? a->owner->refresh(a) : drxi_no_array();
}
