/* The log, read. */
#include "lone/lone.h"

const struct drxi_store *drxi_lone_store(const struct drxi_log *log)
{
    return log->lone->store;
}

const uint16_t *drxi_lone_dimensions(const struct drxi_log *log)
{
    return log->lone->dim;
}

const struct drxi_live *drxi_lone_words(const struct drxi_log *log)
{
    return log->lone->words_end > 0 ? &log->lone->words : NULL;
}

/* The growth at the begin of what does not count: an append that was not committed. */
static drx_status find_append(struct drxi_log *log)
{
    const struct drxi_store *s = log->lone->store;
    const struct drxi_variable *v = drxi_lone_variable(log);
    uint8_t bytes[DRXI_LOG_HEAD_BYTES + 16];
    struct drxi_log_record r;
    struct drxi_state *state = &log->state;
    size_t got;
    bool knows = true;
    drx_status st = drxi_lone_knows_open(log->io, &s->end, &knows);

    state->unknown_open = !knows;
    if (!st)
        st = log->io->ops->read(log->io, bytes, sizeof bytes, s->end.end, &got);
    if (st || !drxi_log_record_decode(bytes, got, s->end.end, &r) || r.kind != DRXI_LOG_GROW || r.payload_bytes != 16 ||
        r.prev != s->end.crc || r.sequence != s->end.sequence + 1)
        return st;
    if (r.flags & DRXI_C) /* it has come since the log was read */
        return DRX_OK;
    for (int j = 0; j < v->ndim; j++) {
        const int64_t by = (int64_t)drxi_get64(r.payload), bound = (int64_t)drxi_get64(r.payload + 8);

        if (v->dim[j] != r.number || by == 0 || by == INT64_MIN)
            continue;
        state->intent = (struct drxi_growth){ j, by < 0 ? DRXI_LOW : DRXI_HIGH, by < 0 ? -by : by, bound };
        state->intent_open = true;
    }
    return DRX_OK;
}

drx_status drxi_lone_read(struct drxi_log *log, enum drxi_tail *tail)
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
    return st || !l->tail ? st : find_append(log);
}

drx_status drxi_lone_describe(struct drxi_log *log, enum drxi_tail *tail)
{
    drx_status st = drxi_lone_begin(log, NULL, 1);

    if (!st)
        st = drxi_store_begin(log->lone->store, log->io, DRXI_LONE_ARRAY);
    return st ? st : drxi_lone_read(log, tail);
}

void drxi_lone_free(struct drxi_log *log)
{
    drxi_store_free(&log->lone->own);
    drxi_run_free(&log->lone->open);
    drxi_free(log->lone);
    log->lone = NULL;
}

void drxi_lone_put_back(struct drxi_log *log, int64_t end)
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
