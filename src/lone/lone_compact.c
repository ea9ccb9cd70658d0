/* A shorter log takes the place of a long one. */
#include "lone/lone.h"

enum { BASE_BYTES = DRXI_LOG_HEAD_BYTES + 24 };

/* The growths that the array tells are those of its log. There is room, since they are no more than before. */
static void take_growths(struct drxi_log *log)
{
    const struct drxi_store *s = log->lone->store;
    const struct drxi_variable *v = drxi_lone_variable(log);
    struct drxi_state *state = &log->state;

    state->growths = 0;
    for (int64_t i = 0; i < s->steps; i++)
        for (int j = 0; s->step[i].kind == DRXI_LOG_GROW && j < v->ndim; j++)
            if (v->dim[j] == s->step[i].number) {
                state->growth_axis[state->growths] = (uint8_t)j;
                state->growth_by[state->growths++] = s->step[i].a;
            }
}

/* The first time, the record with which a compacted log begins does not count: it is worth its few bytes. */
int64_t drxi_lone_compacted_bytes(const struct drxi_log *log)
{
    struct drxi_run run = { .at = DRXI_LOG_AT, .last = -1 };
    int64_t bytes = INT64_MAX;

    if (!drxi_store_shorten(log->lone->store, &run))
        bytes = DRXI_LOG_AT + run.n + DRXI_LOG_SYNC_BYTES - (log->lone->store->base.is ? 0 : BASE_BYTES);
    drxi_run_free(&run);
    return bytes;
}

/* Write a whole new log, durably, then its SYNC, and read it. */
static drx_status write_shorter(const struct drxi_store *s, drxi_io *io, struct drxi_store *out)
{
    struct drxi_log_place begin = s->head;
    enum drxi_log_tail tail;
    struct drxi_run run;
    bool lost;
    drx_status st = drxi_lone_write_head(io, s, s->last_trim);

    run = drxi_run_at(&begin);
    if (!st)
        st = drxi_store_shorten(s, &run);
    if (!st)
        st = io->ops->write(io, run.bytes, (size_t)run.n, run.at);
    drxi_run_free(&run);
    if (!st)
        st = io->ops->sync(io);
    if (!st)
        st = drxi_store_begin(out, io, s->kind);
    if (!st)
        st = drxi_store_read(out, io, DRXI_ANY_COMMIT, false, &tail);
    if (!st && tail != DRXI_LOG_CLEAN) /* it does not take the place of the other */
        st = drxi_fail(DRX_EDAMAGED, "%s: its shorter log cannot be read", io->path);
    run = drxi_run_at(&out->end);
    if (!st) {
        drxi_put_sync(&run);
        drxi_run_count(&run);
        st = drxi_store_append(out, io, &run, 0, &lost);
    }
    drxi_run_free(&run);
    return st ? st : io->ops->sync(io);
}

/* Readers that are not told go on looking at the name, each time. */
static void tell(drxi_io *old, uint64_t replaced)
{
    char detail[DRXI_DETAIL_BYTES];

    drxi_report_keep(detail);
    (void)drxi_live_set_replaced(old, replaced);
    drxi_report_set(detail);
}

/* Whether the old log still has its name, in spite of the failure to replace it. */
static bool is_still_named(const struct drxi_log *log)
{
    char detail[DRXI_DETAIL_BYTES];
    bool named = false;
    drx_status st;

    drxi_report_keep(detail);
    st = log->io->ops->named(log->io, &named);
    drxi_report_set(detail);
    return !st && named;
}

/* Names change under the folder's lock, so nobody who removes or replaces the array looks at the old log meanwhile. */
static drx_status replace(struct drxi_log *log, drxi_io *io)
{
    drxi_io *folder = NULL;
    drx_status st = drxi_files->lock_folder(log->io->path, &folder);

    if (!st) {
        st = io->ops->replace(io, log->io);
        if (st && !is_still_named(log))
            log->broken = st;
    }
    if (folder)
        (void)folder->ops->close(folder);
    return st;
}

/* Tell those who have the old log open, before and after the name is another's. */
static drx_status take_name(struct drxi_log *log, drxi_io *io)
{
    drx_status st = drxi_live_set_replaced(log->io, 1), done;

    if (!st)
        st = replace(log, io);
    if (st && !log->broken)
        tell(log->io, 0);
    if (st)
        return st;
    if ((done = drxi_files->sync_folder(io->path)))
        log->broken = done;
    else
        tell(log->io, 2);
    return DRX_OK;
}

drx_status drxi_lone_compact(struct drxi_log *log)
{
    struct drxi_store shorter = { .kind = DRXI_LONE_ARRAY };
    drxi_io *io = NULL;
    drx_status st = log->io->ops->sole(log->io);

    if (!st)
        st = drxi_lone_drop(log);
    if (!st && log->lone->store->optional)
        st = drxi_fail(DRX_EUNSUPPORTED, "%s: has records that this version does not know", log->io->path);
    if (!st)
        st = drxi_files->open(log->io->path, DRXI_NEW, &io);
    if (!st)
        st = io->ops->lock(io, DRXI_LOCK_ALONE);
    if (!st)
        st = write_shorter(log->lone->store, io, &shorter);
    if (!st)
        st = take_name(log, io);
    if (st) {
        drxi_store_free(&shorter);
        if (io)
            (void)io->ops->close(io); /* which removes the file */
        return st;
    }
    (void)log->io->ops->close(log->io);
    log->io = io;
    drxi_store_free(&log->lone->own);
    log->lone->own = shorter;
    take_growths(log);
    drxi_lone_take_rest(log);
    return log->broken;
}
