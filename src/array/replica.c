#include "array/array.h"

drx_status drxi_read_log(const drx_array *a, int64_t from, uint8_t **bytes, int64_t *n)
{
    size_t got;
    drx_status st;

    *n = a->log.state.chain.end - from;
    *bytes = drxi_malloc((size_t)*n);
    if (!*bytes)
        return DRX_ENOMEM;
    st = a->log.io->ops->read(a->log.io, *bytes, (size_t)*n, from, &got);
    if (!st && (int64_t)got < *n)
        st = drxi_fail(DRX_EDAMAGED, "%s: became shorter while it was read", a->log.io->path);
    if (st) {
        drxi_free(*bytes);
        *bytes = NULL;
    }
    return st;
}

/* Keep a copy of the log in memory, and set up its state. Changes that all ranks make are not in the copy. */
static drx_status take_replica_log(drx_array *a, const uint8_t *bytes, int64_t n)
{
    enum drxi_tail tail;
    drx_status st = drxi_memory_open(&a->log.io);

    if (!st)
        st = a->log.io->ops->write(a->log.io, bytes, (size_t)n, 0);
    if (!st)
        st = drxi_log_describe(&a->log, &tail);
    if (!st)
        drxi_data_follow(&a->data);
    return st;
}

static drx_status watch_replica(drx_array *a)
{
    char *name = drxi_format("%s.xmd", a->path);
    const drx_status st = name ? drxi_watch_open(a, name) : DRX_ENOMEM;

    drxi_free(name);
    return st;
}

static drx_status open_replica(drx_array *a, const struct drxi_alias aliases[], const uint8_t *bytes, int64_t n)
{
    bool damaged;
    drx_status st = take_replica_log(a, bytes, n);

    if (!st)
        st = aliases ? drxi_data_open_aliases(&a->data, a->path, aliases, a->parts.writable ? DRXI_WRITE : DRXI_READ)
                     : drxi_open_data(a);
    if (!st)
        st = drxi_data_check_lengths(&a->data, a->path, DRXI_BESIDE, &damaged);
    if (!st)
        drxi_set_judge(a);
    if (!st && !a->parts.writable)
        st = watch_replica(a);
    if (!st && a->parts.writable)
        st = drxi_data_new_pool(&a->data);
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
    drxi_set_mode(a, writable ? DRX_RDWR : DRX_RDONLY);
    a->replica = a->log.follows = true;
    drxi_set_parallel(a, 2);
    a->data.file->unsynced = writable;
    a->parts.temporary = aliases != NULL;
    st = open_replica(a, aliases, bytes, n);
    if (st)
        (void)drxi_array_free(a);
    else
        *out = a;
    return st;
}

/* The root's SYNC counts for what this process has written, too. */
static void follow_sync(drx_array *a)
{
    if (!a->log.state.at_sync)
        return;
    a->log.unpromised = false;
    a->log.epoch = drxi_max(a->log.epoch, a->log.state.epoch + 1);
}

/* Records that follow on. */
static drx_status read_on_bytes(drx_array *a, int64_t from, const uint8_t *bytes, int64_t n)
{
    enum drxi_tail tail;
    drx_status st = a->log.io->ops->write(a->log.io, bytes, (size_t)n, from);

    if (!st)
        st = drxi_log_read_on(&a->log, &tail);
    if (!st)
        follow_sync(a);
    drxi_data_follow(&a->data);
    drxi_watch_forget(a);
    return st;
}

static drx_status read_anew(drx_array *a, const uint8_t *bytes, int64_t n)
{
    drx_array *b;
    drx_status st = drxi_array_new(a->path, &b);

    if (st)
        return st;
    b->replica = b->log.follows = true;
    st = take_replica_log(b, bytes, n);
    if (!st && !a->parts.writable)
        st = watch_replica(b);
    if (!st) {
        drxi_swap_logs(a, b);
        a->log.stale = false;
        follow_sync(a);
    }
    (void)drxi_array_free(b);
    return st;
}

drx_status drxi_follow_log(drx_array *a, int64_t from, const uint8_t *bytes, int64_t n)
{
    drx_status st;

    drxi_gate_shut(&a->gate);
    drxi_data_resized(&a->data);
    st = from > 0 ? read_on_bytes(a, from, bytes, n) : read_anew(a, bytes, n);
    drxi_gate_open(&a->gate);
    return st;
}

drxi_io *drxi_redirect_data(drx_array *a, drxi_io *io)
{
    drxi_io *before;

    drxi_finish_requests(a); /* which use the other one */
    drxi_gate_shut(&a->gate);
    before = a->data.file->io;
    drxi_data_end_view(&a->data);
    a->data.file->io = io;
    if (a->data.file->pool)
        drxi_pool_redirect(a->data.file->pool, io);
    drxi_gate_open(&a->gate);
    return before;
}
