/* The log of an array: what all logs do alike. log->calls does the rest. */
#include "log/log.h"

drx_status drxi_log_check_open(const struct drxi_log *log)
{
    if (!log->state.unknown_open)
        return DRX_OK;
    return drxi_fail(DRX_EUNSUPPORTED,
                     "%s: a later version of the library has not completed a change: only that one can", log->io->path);
}

drx_status drxi_log_drop_append(struct drxi_log *log)
{
    return log->lone && !log->stale ? log->calls->drop(log) : DRX_OK;
}

void drxi_log_free(struct drxi_log *log)
{
    if (log->lone)
        log->calls->free(log);
    drxi_state_free(&log->state);
    log->unpromised = log->undurable = false;
    log->seen = (struct drxi_chain){ 0 };
}

drx_status drxi_log_read_on(struct drxi_log *log, enum drxi_tail *tail)
{
    const int64_t end = log->state.chain.end;
    drx_status st = log->calls->read(log, tail);

    if (!st && *tail == DRXI_DAMAGED)
        st = DRX_EDAMAGED;
    if (st)
        log->calls->put_back(log, end);
    return st;
}

/* An append that was going on may be gone by now. */
drx_status drxi_log_continues(struct drxi_log *log, bool *more)
{
    drx_status st = drxi_chain_continues(log->io, &log->state.chain, more);

    *more = !st && (*more || log->state.intent_open);
    return st;
}

drx_status drxi_log_append(struct drxi_log *log, enum drxi_kind kind, int arg, const uint8_t *payload,
                           size_t payload_bytes)
{
    drx_status st;

    if (!log->io)
        return DRX_OK;
    if (log->defer)
        return log->defer->record(log->defer->user, kind, payload, payload_bytes);
    if (log->stale)
        return DRX_OK;
    st = log->calls->append(log, kind, &(struct drxi_record){ (int)kind, arg, payload, payload_bytes });
    log->stale = st && log->follows;
    if (!log->stale)
        return st;
    drxi_report_clear();
    return DRX_OK;
}

drx_status drxi_log_append_growth(struct drxi_log *log, enum drxi_kind kind, const struct drxi_growth *growth)
{
    uint8_t payload[DRXI_GROWTH_BYTES];
    const size_t bytes = drxi_growth_encode(growth, payload);

    if (growth->end == DRXI_LOW)
        kind = kind == DRXI_GROW ? DRXI_GROW_LOW : DRXI_INTENT_LOW;
    return drxi_log_append(log, kind, growth->axis, payload, bytes);
}

drx_status drxi_log_append_sync(struct drxi_log *log)
{
    const drx_status st = drxi_log_append(log, DRXI_SYNC, 0, NULL, 0);

    if (!st)
        drxi_freed_clear(&log->state.freed);
    return st;
}

drx_status drxi_log_append_epoch(struct drxi_log *log)
{
    const int64_t epoch = drxi_max(log->epoch, log->state.epoch + 1);
    const drx_status st = log->calls->append_epoch(log, (uint32_t)epoch);

    if (st)
        return st;
    log->state.epoch = epoch;
    log->epoch = epoch + 1;
    return DRX_OK;
}

drx_status drxi_log_tell_trims(struct drxi_log *log, bool durable)
{
    return log->lone ? log->calls->tell_trims(log, durable) : DRX_OK;
}

drx_status drxi_make_durable(struct drxi_log *log, drxi_io *io)
{
    drx_status st = io->ops->sync(io);

    if (st)
        log->broken = st;
    return st;
}

drx_status drxi_log_peek(drxi_io *meta, const struct drxi_log_calls *calls, struct drxi_log *log, bool *known)
{
    char detail[DRXI_DETAIL_BYTES];
    enum drxi_tail tail;
    drx_status st;

    drxi_report_keep(detail);
    *log = (struct drxi_log){ .io = meta, .calls = calls };
    st = calls->describe(log, &tail);
    *known = !st;
    if (st == DRX_EFORMAT || st == DRX_EDAMAGED || st == DRX_EUNSUPPORTED || st == DRX_EOVERFLOW)
        st = DRX_OK;
    if (!st)
        drxi_report_set(detail);
    return st;
}

drx_status drxi_log_find_stripes(drxi_io *meta, const struct drxi_log_calls *calls, struct drxi_stripes *out)
{
    struct drxi_looked looked;
    struct drxi_log log;
    bool known;
    const drx_status st = drxi_log_peek(meta, calls, &log, &known);

    *out = log.state.stripes;
    memset(&log.state.stripes, 0, sizeof log.state.stripes);
    drxi_log_free(&log);
    drxi_files->look(meta->path, true, &looked);
    out->owned = looked.there;
    out->owner = looked.owner;
    return st;
}
