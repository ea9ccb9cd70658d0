/* The log, read. */
#include "lone/lone.h"

/* Of what does not count. The growth at its begin is an append that was not committed. */
static drx_status see_open(void *arg, const struct drxi_log_record *r)
{
    const bool known = r->kind >= DRXI_LOG_OPTIONAL || (r->kind < DRXI_LOG_KINDS && !(r->flags & ~DRXI_C));
    struct drxi_log *log = arg;
    const struct drxi_variable *v = drxi_lone_variable(log);
    struct drxi_state *state = &log->state;
    int64_t by, bound;

    state->unknown_open = state->unknown_open || !known;
    if (r->at != log->lone->store->end.end || r->kind != DRXI_LOG_GROW || r->payload_bytes != 16)
        return DRX_OK;
    by = (int64_t)drxi_get64(r->payload);
    bound = (int64_t)drxi_get64(r->payload + 8);
    for (int j = 0; j < v->ndim; j++) {
        if (v->dim[j] != r->number || by == 0 || by == INT64_MIN)
            continue;
        state->intent = (struct drxi_growth){ j, by < 0 ? DRXI_LOW : DRXI_HIGH, by < 0 ? -by : by, bound };
        state->intent_open = true;
    }
    return DRX_OK;
}

drx_status drxi_log_read(struct drxi_log *log, enum drxi_tail *tail)
{
    static const enum drxi_tail of[] = { DRXI_WHOLE, DRXI_WHOLE, DRXI_TORN, DRXI_DAMAGED };
    enum drxi_log_tail is = DRXI_LOG_CLEAN;
    struct drxi_lone *l = log->lone;
    struct drxi_live words;
    drx_status st = drxi_live_note(log->io, &words);

    if (!st)
        st = drxi_store_read(l->store, log->io, DRXI_ANY_COMMIT, true, &is);
    if (!st && log->state.desc.ndim == 0)
        st = drxi_lone_take_all(log);
    else if (!st && l->store->end.end >= log->state.chain.end)
        st = drxi_lone_take_new(log);
    if (!st && words.known && is != DRXI_LOG_DAMAGED) { /* a handle that knows the log goes back */
        l->words = words;
        l->words_end = l->store->end.end;
    }
    *tail = of[is];
    l->tail = is == DRXI_LOG_OPEN || is == DRXI_LOG_TORN;
    log->state.unknown_open = false;
    return st || !l->tail ? st : drxi_store_see_open(log->io, &l->store->end, see_open, log);
}

drx_status drxi_log_describe(struct drxi_log *log, enum drxi_tail *tail)
{
    drx_status st = drxi_lone_begin(log, NULL, 1);

    if (!st)
        st = drxi_store_begin(log->lone->store, log->io, DRXI_LONE_ARRAY);
    return st ? st : drxi_log_read(log, tail);
}

void drxi_log_put_back(struct drxi_log *log, int64_t end)
{
    char detail[DRXI_DETAIL_BYTES];
    drx_status st;

    drxi_report_keep(detail);
    if (log->lone->words_end > end) /* they may be later ones */
        log->lone->words_end = 0;
    st = drxi_store_return(log->lone->store, log->io, end);
    if (!st)
        (void)drxi_lone_take_all(log);
    drxi_report_set(detail);
}

drx_status drxi_log_read_on(struct drxi_log *log, enum drxi_tail *tail)
{
    const int64_t end = log->state.chain.end;
    drx_status st = drxi_log_read(log, tail);

    if (!st && *tail == DRXI_DAMAGED)
        st = DRX_EDAMAGED;
    if (st)
        drxi_log_put_back(log, end);
    return st;
}

/* An append that was going on may be gone by now. */
drx_status drxi_log_continues(struct drxi_log *log, bool *more)
{
    drx_status st = drxi_chain_continues(log->io, &log->state.chain, more);

    *more = !st && (*more || log->state.intent_open);
    return st;
}

void drxi_log_free(struct drxi_log *log)
{
    if (log->lone) {
        drxi_store_free(&log->lone->own);
        drxi_run_free(&log->lone->open);
        drxi_free(log->lone);
        log->lone = NULL;
    }
    drxi_state_free(&log->state);
    log->unpromised = log->undurable = false;
    log->seen = (struct drxi_log_place){ 0 };
}

drx_status drxi_log_peek(drxi_io *meta, struct drxi_log *log, bool *known)
{
    char detail[DRXI_DETAIL_BYTES];
    enum drxi_tail tail;
    drx_status st;

    drxi_report_keep(detail);
    *log = (struct drxi_log){ .io = meta };
    st = drxi_log_describe(log, &tail);
    *known = !st;
    if (st == DRX_EFORMAT || st == DRX_EDAMAGED || st == DRX_EUNSUPPORTED || st == DRX_EOVERFLOW)
        st = DRX_OK;
    if (!st)
        drxi_report_set(detail);
    return st;
}

drx_status drxi_log_find_stripes(drxi_io *meta, struct drxi_stripes *out)
{
    struct drxi_looked looked;
    struct drxi_log log;
    bool known;
    const drx_status st = drxi_log_peek(meta, &log, &known);

    *out = log.state.stripes;
    memset(&log.state.stripes, 0, sizeof log.state.stripes);
    drxi_log_free(&log);
    drxi_files->look(meta->path, true, &looked);
    out->owned = looked.there;
    out->owner = looked.owner;
    return st;
}
