#include "array/array.h"
#include "data/sums.h"

void drxi_set_parallel(drx_array *a, bool parallel)
{
    a->parallel = parallel;
    a->data.others = a->data.others || parallel;
    if (parallel && a->data.pack)
        drxi_pack_share(a->data.pack, false);
}

void drxi_set_broken(drx_array *a, drx_status st)
{
    a->log.broken = st;
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

    return drxi_log_read_on(&a->log, &tail);
}

/* Keep a copy of the log in memory, and set up its state. */
static drx_status take_log(drx_array *a, const uint8_t *bytes, int64_t n)
{
    drx_status st = drxi_memory_open(&a->log.io);

    if (!st)
        st = a->log.io->ops->write(a->log.io, bytes, (size_t)n, 0);
    if (!st)
        st = drxi_log_describe(&a->log);
    a->log.state.most_axes = a->parts.most_axes;
    if (!st)
        st = apply(a);
    if (!st)
        drxi_data_lay_out(&a->data);
    return st;
}

static drx_status open_replica(drx_array *a, const struct drxi_alias aliases[], const uint8_t *bytes, int64_t n)
{
    drx_status st = take_log(a, bytes, n);

    if (!st)
        st = aliases ? drxi_data_open_aliases(&a->data, a->path, aliases, a->parts.writable ? DRXI_WRITE : DRXI_READ)
                     : drxi_open_data(a);
    if (!st && !aliases)
        st = drxi_open_sums(a);
    if (!st)
        drxi_set_judge(a);
    if (!st && !a->parts.writable)
        st = drxi_watch_open(a);
    if (!st && a->parts.writable)
        st = drxi_data_new_pool(&a->data);
    return st;
}

drx_status drxi_open_replica(const char *path, bool writable, int most_axes, const struct drxi_alias aliases[],
                             const uint8_t *bytes, int64_t n, drx_array **out)
{
    drx_array *a;
    drx_status st = drxi_array_new(path, &a);

    *out = NULL;
    if (st)
        return st;
    a->parts.writable = writable;
    a->parts.most_axes = most_axes;
    a->replica = true;
    drxi_set_parallel(a, true);
    a->data.unsynced = writable;
    a->parts.temporary = aliases != NULL;
    st = open_replica(a, aliases, bytes, n);
    if (!st && a->data.pack) {
        drxi_pack_share(a->data.pack, false);
        a->data.pack->follows = true;
    }
    if (st)
        (void)drxi_array_free(a);
    else
        *out = a;
    return st;
}

/* The root's SYNC counts for what this process has written, too. */
static void follow_sync(drx_array *a)
{
    if (!a->data.pack || !a->log.state.at_sync)
        return;
    a->data.pack->unsynced = false;
    a->log.epoch = drxi_max(a->log.epoch, a->log.state.epoch + 1);
}

drx_status drxi_follow_log(drx_array *a, int64_t from, const uint8_t *bytes, int64_t n)
{
    drx_array *b;
    drx_status st;

    drxi_data_resized(&a->data);
    if (from > 0) {
        st = a->log.io->ops->write(a->log.io, bytes, (size_t)n, from);
        if (!st)
            st = apply(a);
        if (!st)
            follow_sync(a);
        drxi_data_lay_out(&a->data); /* there may be a new axis */
        drxi_watch_forget(a);
        return st;
    }
    st = drxi_array_new(a->path, &b);
    if (st)
        return st;
    b->replica = true;
    b->parts.most_axes = a->parts.most_axes;
    st = take_log(b, bytes, n);
    if (!st && !a->parts.writable)
        st = drxi_watch_open(b);
    if (!st) {
        drxi_swap_logs(a, b);
        follow_sync(a);
    }
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

bool drxi_root_doubts(const drx_array *a, const struct drxi_step *step)
{
    return drxi_has_doubt(a, &step->growth);
}

drx_status drxi_root_begin_extend(drx_array *a, const struct drxi_step *step)
{
    drx_status st = drxi_check_log(a);

    return st ? st : drxi_clear_residue(a, &step->growth);
}

drx_status drxi_root_end_extend(drx_array *a, const struct drxi_step *step)
{
    return drxi_extend_now(a, step);
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

drx_status drxi_root_trim(drx_array *a, const struct drxi_trimming *trim)
{
    drx_status st = drxi_check_log(a);

    return st ? st : drxi_trim(a, trim);
}

void drxi_follow_trim(drx_array *a, const struct drxi_trimming *trim)
{
    drxi_state_trim(&a->log.state, trim);
    drxi_give_back_now(a);
}

struct drxi_map_mark drxi_show_slab(drx_array *a, const struct drxi_step *step)
{
    const struct drxi_map_mark mark = drxi_map_mark(&a->log.state.map, step->growth.axis, step->growth.end);

    drxi_data_resized(&a->data);
    drxi_map_grow(&a->log.state.map, step->growth.axis, step->growth.end, step->by_chunks);
    return mark;
}

void drxi_hide_slab(drx_array *a, const struct drxi_step *step, struct drxi_map_mark mark)
{
    drxi_map_ungrow(&a->log.state.map, step->growth.axis, step->growth.end, step->by_chunks, mark);
}
