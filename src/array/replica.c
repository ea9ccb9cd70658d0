/* The handles of an array that several processes have open together (libdrxmp). One of them, the root's, reads and
 * writes the log; the others are replicas, which know the log from the root and share only the data file.
 *
 * Invariants
 *   1. All have the same state, but for what only the log's writer needs: after each change the root tells how far its
 *      log goes now, and a replica that made the same change is there, too.
 *   2. The program changes none of them by the calls of drx.h: `parallel` is set. */
#include "data/sums.h"

drx_status drxi_check_alone(const drx_array *a)
{
    return a->parallel ? drxi_fail(DRX_EACCES, "%s: opened in parallel: it is changed and closed by drxmp_ calls alone",
                                   a->label)
                       : DRX_OK;
}

drx_status drxi_check_changeable(const drx_array *a)
{
    drx_status st = drxi_check_alone(a);

    return st ? st : drxi_check_writable(a);
}

void drxi_set_parallel(drx_array *a, bool parallel)
{
    a->parallel = parallel;
    if (a->sums && parallel)
        a->sums->others = true; /* from now on */
}

void drxi_share_machine(drx_array *a, int processes)
{
    a->view_limit_bytes = processes > 1 ? DRXI_PARALLEL_VIEW_BYTES : DRXI_VIEW_BYTES;
}

struct drxi_log_end drxi_get_log_end(const drx_array *a)
{
    const struct drxi_state *s = &a->state;
    const struct drxi_log_end end = { s->log_end, s->sequence, s->crc, s->at_sync };

    return end;
}

void drxi_set_log_end(drx_array *a, struct drxi_log_end end)
{
    a->state.log_end = end.bytes;
    a->state.sequence = end.sequence;
    a->state.crc = end.crc;
    a->state.at_sync = end.at_sync;
}

drx_status drxi_read_log(const drx_array *a, int64_t from, uint8_t **bytes, int64_t *n)
{
    size_t got;
    drx_status st;

    *n = a->state.log_end - from;
    *bytes = drxi_malloc((size_t)*n);
    if (!*bytes)
        return DRX_ENOMEM;
    st = a->meta->ops->read(a->meta, *bytes, (size_t)*n, from, &got);
    if (!st && (int64_t)got < *n)
        st = drxi_fail(DRX_EDAMAGED, "%s: became shorter while it was read", a->meta->path);
    if (st) {
        drxi_free(*bytes);
        *bytes = NULL;
    }
    return st;
}

/* Apply the log in a->meta, of which the root has applied all. */
static drx_status apply(drx_array *a)
{
    enum drxi_tail tail;
    drx_status st = drxi_log_read(a, &tail);

    return st || tail != DRXI_DAMAGED ? st : DRX_EDAMAGED;
}

/* A copy of the log in memory, and what it says. */
static drx_status take_log(drx_array *a, const uint8_t *bytes, int64_t n)
{
    drx_status st = drxi_memory_open(&a->meta);

    if (!st)
        st = a->meta->ops->write(a->meta, bytes, (size_t)n, 0);
    if (!st)
        st = drxi_log_describe(a);
    return st ? st : apply(a);
}

static drx_status open_replica(drx_array *a, const struct drxi_alias aliases[], const uint8_t *bytes, int64_t n)
{
    drx_status st = take_log(a, bytes, n);

    if (!st)
        st = aliases ? drxi_open_aliases(a, aliases) : drxi_open_data_of(a);
    if (!st && !aliases && a->state.desc.flags & DRXI_DESC_CHECKSUM)
        st = drxi_sums_open(a, a->writable ? DRXI_WRITE : DRXI_READ);
    if (!st && a->writable)
        st = drxi_new_pool(a);
    return st;
}

drx_status drxi_open_replica(const char *path, bool writable, const struct drxi_alias aliases[], const uint8_t *bytes,
                             int64_t n, drx_array **out)
{
    drx_array *a;
    drx_status st = drxi_array_new(path, &a);

    *out = NULL;
    if (st)
        return st;
    a->writable = writable;
    drxi_set_parallel(a, true);
    a->data_unsynced = writable;
    a->temporary = aliases != NULL;
    st = open_replica(a, aliases, bytes, n);
    if (st)
        (void)drxi_array_free(a);
    else
        *out = a;
    return st;
}

drx_status drxi_follow_log(drx_array *a, int64_t from, const uint8_t *bytes, int64_t n)
{
    drx_array *b;
    drx_status st;

    drxi_data_resized(a);
    if (from > 0) {
        st = a->meta->ops->write(a->meta, bytes, (size_t)n, from);
        return st ? st : apply(a);
    }
    st = drxi_array_new(a->path, &b);
    if (st)
        return st;
    st = take_log(b, bytes, n);
    if (!st)
        drxi_swap_logs(a, b);
    (void)drxi_array_free(b);
    return st;
}

drxi_io *drxi_redirect_data(drx_array *a, drxi_io *io)
{
    drxi_io *const before = a->data;

    drxi_view_close(&a->view);
    drxi_data_resized(a);
    a->data = io;
    if (a->pool)
        drxi_pool_redirect(a->pool, io);
    return before;
}

drx_status drxi_sync_data(drx_array *a)
{
    drx_status st = drxi_check_writable(a);

    if (!st && a->pool)
        st = drxi_pool_flush(a->pool);
    if (!st && atomic_exchange(&a->data_unsynced, false))
        st = drxi_make_durable(a, a->data);
    return st;
}
