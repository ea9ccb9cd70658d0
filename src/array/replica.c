#include "array/array.h"
#include "data/sums.h"

void drxi_set_parallel(drx_array *a, bool parallel)
{
    a->parallel = parallel;
    a->data.others = a->data.others || parallel;
}

void drxi_set_log_end(drx_array *a, struct drxi_log_end end)
{
    a->log.state.chain.end = end.bytes;
    a->log.state.chain.sequence = end.sequence;
    a->log.state.chain.crc = end.crc;
    a->log.state.at_sync = end.at_sync;
}

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

/* Apply the log, of which the root has applied everything. */
static drx_status apply(drx_array *a)
{
    enum drxi_tail tail;
    drx_status st = drxi_log_read(&a->log, &tail);

    return st || tail != DRXI_DAMAGED ? st : DRX_EDAMAGED;
}

/* Keep a copy of the log in memory, and set up its state. */
static drx_status take_log(drx_array *a, const uint8_t *bytes, int64_t n)
{
    drx_status st = drxi_memory_open(&a->log.io);

    if (!st)
        st = a->log.io->ops->write(a->log.io, bytes, (size_t)n, 0);
    if (!st)
        st = drxi_log_describe(&a->log);
    if (st)
        return st;
    drxi_data_lay_out(&a->data);
    return apply(a);
}

static drx_status open_replica(drx_array *a, const struct drxi_alias aliases[], const uint8_t *bytes, int64_t n)
{
    drx_status st = take_log(a, bytes, n);

    if (!st)
        st = aliases ? drxi_data_open_aliases(&a->data, a->path, aliases, a->parts.writable ? DRXI_WRITE : DRXI_READ)
                     : drxi_open_data(a);
    if (!st && !aliases)
        st = drxi_open_sums(a);
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
    a->parts.writable = writable;
    a->replica = true;
    drxi_set_parallel(a, true);
    a->data.unsynced = writable;
    a->parts.temporary = aliases != NULL;
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

    drxi_data_resized(&a->data);
    if (from > 0) {
        st = a->log.io->ops->write(a->log.io, bytes, (size_t)n, from);
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
    drxi_io *const before = a->data.io;

    drxi_view_close(&a->data.view);
    drxi_data_resized(&a->data);
    a->data.io = io;
    if (a->data.pool)
        drxi_pool_redirect(a->data.pool, io);
    return before;
}

void drxi_set_persistent(drx_array *a)
{
    a->parts.temporary = false;
}

drx_status drxi_root_extend(drx_array *a, const struct drxi_step *step)
{
    drx_status st = drxi_check_log(a);

    return st ? st : drxi_extend(a, step);
}

drx_status drxi_root_begin_append(drx_array *a, const struct drxi_step *step)
{
    drx_status st = drxi_check_log(a);

    return st ? st : drxi_begin_append(a, step);
}

drx_status drxi_root_end_append(drx_array *a, const struct drxi_step *step, drx_status st)
{
    return st ? drxi_fail_append(a, step, st) : drxi_commit_append(a, step);
}

void drxi_follow_growth(drx_array *a, const struct drxi_step *step)
{
    drxi_state_grow(&a->log.state, step);
    drxi_data_resized(&a->data);
}

struct drxi_map_mark drxi_show_slab(drx_array *a, const struct drxi_step *step)
{
    const struct drxi_map_mark mark = drxi_map_mark(&a->log.state.map);

    drxi_data_resized(&a->data);
    drxi_map_grow(&a->log.state.map, step->growth.axis, step->by_chunks);
    return mark;
}

void drxi_hide_slab(drx_array *a, const struct drxi_step *step, struct drxi_map_mark mark)
{
    drxi_map_ungrow(&a->log.state.map, step->growth.axis, step->by_chunks, mark);
}
