/* Opening, closing and refresh. */
#include "data/sums.h"

enum { TRIES = 100 };

drx_status drxi_array_new(const char *path, drx_array **out)
{
    drx_array *a = drxi_calloc(1, sizeof *a);

    *out = NULL;
    if (!a)
        return DRX_ENOMEM;
    a->view_limit_bytes = DRXI_VIEW_BYTES;
    drxi_gate_init(&a->gate);
    (void)pthread_mutex_init(&a->view_lock, NULL);
    (void)pthread_mutex_init(&a->requests_lock, NULL);
    (void)pthread_cond_init(&a->requests_done, NULL);
    a->path = path ? drxi_strdup(path) : NULL;
    a->label = drxi_strdup(path ? path : "array in memory");
    if (!a->label || (path && !a->path)) {
        (void)drxi_array_free(a);
        return DRX_ENOMEM;
    }
    *out = a;
    return DRX_OK;
}

drx_status drxi_array_free(drx_array *a)
{
    drx_status st, other, sums;

    drxi_view_close(&a->view);
    sums = drxi_sums_close(a);
    st = a->data ? a->data->ops->close(a->data) : DRX_OK;
    other = a->meta ? a->meta->ops->close(a->meta) : DRX_OK;

    drxi_pool_free(a->pool);
    drxi_state_free(&a->state);
    drxi_gate_destroy(&a->gate);
    (void)pthread_mutex_destroy(&a->view_lock);
    (void)pthread_mutex_destroy(&a->requests_lock);
    (void)pthread_cond_destroy(&a->requests_done);
    drxi_free(a->path);
    drxi_free(a->label);
    drxi_free(a);
    return st ? st : other ? other : sums;
}

drx_status drxi_new_pool(drx_array *a)
{
    return drxi_pool_new(a->sums ? &a->sums->through : a->data, a->item_bytes, DRXI_POOL_BYTES, &a->pool);
}

drx_status drxi_check_writable(const drx_array *a)
{
    if (!a->writable)
        return drxi_fail(DRX_EACCES, "%s: opened read-only", a->label);
    if (a->broken == DRX_EMISMATCH || a->broken == DRX_EBUSY)
        return drxi_fail(a->broken, "%s: replaced, removed or changed by others: close it and open it again", a->label);
    if (a->broken)
        return drxi_fail(a->broken, "%s: an earlier failure (%s) could not be undone: close it and open it again",
                         a->label, drx_strerror(a->broken));
    return DRX_OK;
}

/* ---- opening ----------------------------------------------------------------------- */

static enum drxi_how how(const drx_array *a)
{
    return a->writable ? DRXI_WRITE : DRXI_READ;
}

static drx_status open_meta_file(drx_array *a)
{
    char *name = drxi_format("%s.xmd", a->path);
    drx_status st = name ? drxi_files->open(name, how(a), &a->meta) : DRX_ENOMEM;

    drxi_free(name);
    return st;
}

drx_status drxi_open_data_of(drx_array *a)
{
    return drxi_open_data(a->path, &a->state.stripes, a->chunk_pitch_bytes, how(a), &a->data);
}

/* Who shares it holds the lock of a change until all is mended. */
static drx_status lock_meta(drx_array *a)
{
    drx_status st = a->meta->ops->lock(a->meta, a->shared ? DRXI_LOCK_TOGETHER : DRXI_LOCK_ALONE);

    return st || !a->shared ? st : drxi_lock_log(a);
}

/* Open the metadata, and lock it when writing. Between the two it may have been
 * replaced by another file. */
static drx_status open_meta(drx_array *a)
{
    for (int tries = 0; tries < TRIES; tries++) {
        bool named = false;
        drx_status st = open_meta_file(a);

        if (st)
            return st;
        if (!a->writable)
            return DRX_OK;
        st = lock_meta(a);
        if (!st)
            st = a->meta->ops->named(a->meta, &named);
        if (st || named)
            return st;
        (void)a->meta->ops->close(a->meta);
        a->meta = NULL;
    }
    return drxi_fail(DRX_EBUSY, "%s.xmd: is being replaced again and again", a->path);
}

/* Those that are not there are missed by who needs them. */
static drx_status open_sums(drx_array *a)
{
    drx_status st = a->state.desc.flags & DRXI_DESC_CHECKSUM ? drxi_sums_open(a, how(a)) : DRX_OK;

    return st == DRX_ENOENT ? DRX_OK : st;
}

/* Open the data; *again when the metadata has been replaced or removed meanwhile. */
static drx_status open_data(drx_array *a, bool *again)
{
    bool named = true;
    drx_status st = drxi_open_data_of(a);
    drx_status other;

    if (!st)
        st = open_sums(a);
    other = a->writable ? DRX_OK : a->meta->ops->named(a->meta, &named);

    *again = !named;
    return st ? st : other;
}

void drxi_close_files(drx_array *a)
{
    (void)drxi_sums_close(a);
    if (a->data)
        (void)a->data->ops->close(a->data);
    if (a->meta)
        (void)a->meta->ops->close(a->meta);
    a->data = a->meta = NULL;
    drxi_state_free(&a->state);
}

/* Tell of a torn tail, unless it is a record that a writer is about to complete. */
static drx_status report_tail(drx_array *a, int64_t log_end, int64_t size)
{
    bool locked = false;
    drx_status st = a->writable ? DRX_OK : a->meta->ops->locked(a->meta, &locked);

    if (!st && !locked)
        drxi_report("%s: the last %lld bytes, from offset %lld on, are not whole records (a torn tail): %s",
                    a->meta->path, (long long)(size - log_end), (long long)log_end,
                    a->writable ? "dropped" : "passed over");
    return st;
}

drx_status drxi_open_pair(drx_array *a, enum drxi_tail *tail)
{
    for (int tries = 0; tries < TRIES; tries++) {
        bool again = false;
        drx_status st = open_meta(a);

        if (!st)
            st = drxi_log_describe(a);
        if (!st)
            st = drxi_log_read(a, tail);
        if (!st)
            st = open_data(a, &again);
        if (!again)
            return st;
        drxi_close_files(a);
        drxi_report_clear();
    }
    return drxi_fail(DRX_EBUSY, "%s: is being replaced again and again", a->path);
}

static drx_status open_files(drx_array *a)
{
    enum drxi_tail tail = DRXI_WHOLE;
    int64_t size;
    int64_t meta_size = 0, log_end;
    drx_status st = drxi_open_pair(a, &tail);
    bool damaged = tail == DRXI_DAMAGED;

    if (!st && a->state.desc.flags & DRXI_DESC_CHECKSUM && !a->sums)
        st = drxi_sums_missing(a);
    if (!st)
        st = drxi_check_length(a, &size, &damaged);
    if (!st)
        st = drxi_sums_check_length(a, &damaged);
    if (!st)
        st = a->meta->ops->size(a->meta, &meta_size);
    if (!st && damaged)
        return a->writable ? DRX_EDAMAGED : DRX_OK; /* with the detail set */
    log_end = a->state.log_end;
    if (!st && a->writable)
        st = drxi_recover(a, tail);
    if (!st && a->writable)
        st = drxi_new_pool(a);
    if (!st && a->writable)
        st = drxi_compact_at_open(a);
    if (!st && tail == DRXI_TORN)
        st = report_tail(a, log_end, meta_size);
    if (!st)
        drxi_sums_report(a);
    return st;
}

drx_status drx_open(const char *path, int mode, drx_array **out)
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
    if (st)
        return st;
    a->writable = mode != DRX_RDONLY;
    a->shared = mode == DRX_SHARED;
    st = open_files(a);
    if (st) {
        (void)drxi_array_free(a);
        return st;
    }
    if (a->shared)
        drxi_end_change(a);
    *out = a;
    return DRX_OK;
}

drx_status drx_close(drx_array *a)
{
    drx_status st;
    drx_status other;

    if (!a)
        return DRX_OK;
    if ((st = drxi_check_alone(a)))
        return st;
    drxi_finish_requests(a);
    st = a->pool ? drxi_pool_flush(a->pool) : DRX_OK;
    other = drxi_array_free(a);
    return st ? st : other;
}

/* ---- refresh ----------------------------------------------------------------------------- */

void drxi_swap_logs(drx_array *a, drx_array *b)
{
    const struct drxi_state state = a->state;
    drxi_io *const meta = a->meta;

    a->state = b->state;
    a->meta = b->meta;
    b->state = state;
    b->meta = meta;
}

/* The path names another file: the same array with its log made anew, or another
 * array, whose description or data file are others. */
static drx_status reopen(drx_array *a)
{
    bool same_data;
    drx_array *b;
    drx_status st = drx_open(a->path, DRX_RDONLY, &b);

    if (st)
        return st;
    st = a->data->ops->named(a->data, &same_data);
    if (!st && (!same_data || memcmp(&a->state.desc, &b->state.desc, sizeof a->state.desc) != 0)) {
        st = drxi_fail(DRX_EMISMATCH, "%s: replaced by another array since it was opened", a->path);
    } else if (!st) {
        drxi_swap_logs(a, b);
    }
    (void)drxi_array_free(b);
    return st;
}

static drx_status refresh(drx_array *a)
{
    enum drxi_tail tail = DRXI_WHOLE;
    bool named, more = false;
    drx_status st = a->meta->ops->named(a->meta, &named);

    if (st)
        return st;
    if (!named)
        return a->shared ? drxi_lost_name(a) : reopen(a);
    st = drxi_log_continues(a, &more);
    if (!st && more)
        st = drxi_log_read(a, &tail);
    return st ? st : tail == DRXI_DAMAGED ? DRX_EDAMAGED : DRX_OK;
}

drx_status drx_refresh(drx_array *a)
{
    drx_status st;

    if (!a)
        return drxi_no_array();
    drxi_gate_shut(&a->gate);
    st = drxi_check_alone(a);
    if (!st && (!a->writable || a->shared))
        st = refresh(a);
    drxi_data_resized(a);
    drxi_gate_open(&a->gate);
    return st;
}
