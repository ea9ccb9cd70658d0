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
drx_status drxi_log_compacted_bytes(const struct drxi_log *log, int64_t *bytes)
{
    struct drxi_run run = { .at = DRXI_LOG_AT, .last = -1 };
    const drx_status st = drxi_store_shorten(log->lone->store, &run);

    *bytes = DRXI_LOG_AT + run.n + DRXI_LOG_SYNC_BYTES - (log->lone->store->base.is ? 0 : BASE_BYTES);
    drxi_run_free(&run);
    return st;
}

drx_status drxi_log_compact(struct drxi_log *log)
{
    const struct drxi_store *s = log->lone->store;
    struct drxi_run run = drxi_run_at(&s->head);
    struct drxi_store shorter;
    drxi_io *io;
    drx_status broken = DRX_OK, st = drxi_log_cut_rest(log);

    if (!st)
        st = drxi_store_shorten(s, &run);
    if (!st)
        st = drxi_store_replace_log(s, log->io, &run, &io, &shorter, &broken);
    drxi_run_free(&run);
    if (broken)
        log->broken = broken;
    if (st)
        return st;
    (void)log->io->ops->close(log->io);
    log->io = io;
    drxi_store_free(&log->lone->own);
    log->lone->own = shorter;
    take_growths(log);
    drxi_lone_take_rest(log);
    return broken;
}
