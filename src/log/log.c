/* The log of an array, read and appended. */
#include "log/log.h"

enum {
    SMALL_RECORD_BYTES = 64,
    GROWTH_BYTES = DRXI_RECORD_HEAD_BYTES + 16, /* of the record of a growth */
    LEAST_EXPECTED_BYTES = 1 << 16,
    MOST_EXPECTED_BYTES = 1 << 26
};

drx_status drxi_log_describe(struct drxi_log *log)
{
    uint8_t bytes[DRXI_DESC_MAX_BYTES];
    struct drxi_desc desc;
    uint32_t crc;
    size_t got;
    drx_status st = log->io->ops->read(log->io, bytes, sizeof bytes, 0, &got);

    if (!st && log->next && (log->variable || drxi_desc_is_next(bytes, got)))
        return log->next->describe(log);
    if (!st)
        st = drxi_desc_decode(bytes, got, log->io->path, &desc, &crc);
    if (!st && (st = drxi_state_init(&log->state, &desc)))
        return drxi_fail(st == DRX_EOVERFLOW ? DRX_EFORMAT : st, "%s: %s", log->io->path, drx_last_error());
    if (st)
        return st;
    log->state.chain.crc = crc;
    log->state.chain.crc_at = DRXI_DESC_CRC_AT;
    log->state.chain.end = (int64_t)drxi_desc_bytes(desc.ndim);
    return DRX_OK;
}

drx_status drxi_log_check_open(const struct drxi_log *log)
{
    if (!log->state.unknown_open)
        return DRX_OK;
    return drxi_fail(DRX_EUNSUPPORTED,
                     "%s: a later version of the library has not completed a change: only that one can", log->io->path);
}

drx_status drxi_log_drop_append(struct drxi_log *log)
{
    return log->lone ? log->next->drop(log) : DRX_OK;
}

static bool has_origin(const struct drxi_state *s)
{
    return !drxi_is_zero(s->origin, (size_t)s->desc.ndim * sizeof *s->origin);
}

static drx_status append_origin(struct drxi_log *log)
{
    uint8_t record[DRXI_RECORD_HEAD_BYTES + 8 * DRX_MAX_NDIM];
    const size_t bytes = drxi_origin_encode(log->state.desc.ndim, log->state.origin, record + DRXI_RECORD_HEAD_BYTES);

    return drxi_log_append(log, DRXI_ORIGIN, 0, record, bytes);
}

drx_status drxi_log_create(struct drxi_log *log, int version)
{
    uint8_t bytes[DRXI_DESC_MAX_BYTES];
    const size_t n = drxi_desc_bytes(log->state.desc.ndim);

    drx_status st;

    if (version == 2)
        return log->next->create(log);
    log->state.chain.crc = drxi_desc_encode(&log->state.desc, bytes);
    log->state.chain.crc_at = DRXI_DESC_CRC_AT;
    log->state.chain.end = (int64_t)n;
    st = log->io->ops->write(log->io, bytes, n, 0);
    if (!st && log->state.stripes.n > 0)
        st = drxi_log_append_stripes(log, &log->state.stripes);
    return st || !has_origin(&log->state) ? st : append_origin(log);
}

void drxi_log_free(struct drxi_log *log)
{
    if (log->lone)
        log->next->free(log);
    drxi_state_free(&log->state);
}

static drx_status apply(void *state, const struct drxi_record *record)
{
    return drxi_state_apply(state, record);
}

/* The rest of the log may be growths. */
static void expect_growths(struct drxi_log *log)
{
    int64_t bytes;

    if (log->io->ops->size(log->io, &bytes)) {
        drxi_report_clear();
        return;
    }
    bytes -= log->state.chain.end;
    if (bytes >= LEAST_EXPECTED_BYTES && bytes <= MOST_EXPECTED_BYTES)
        drxi_state_expect(&log->state, bytes / GROWTH_BYTES);
}

static const struct drxi_chain_kind arrays = { DRXI_SYNC, "array", apply, NULL };

static drx_status read_up_to(struct drxi_log *log, int64_t most, enum drxi_tail *tail)
{
    drx_status st;

    expect_growths(log);
    st = drxi_chain_read(log->io, most, &log->state.chain, &arrays, &log->state, tail);
    drxi_attrs_pack(&log->state.attrs);
    return st;
}

drx_status drxi_log_read(struct drxi_log *log, enum drxi_tail *tail)
{
    return log->lone ? log->next->read(log, tail) : read_up_to(log, INT64_MAX, tail);
}

void drxi_log_put_back(struct drxi_log *log, int64_t end)
{
    struct drxi_log old = { .io = log->io };
    char detail[DRXI_DETAIL_BYTES];
    enum drxi_tail tail;
    drx_status st;

    if (log->lone) {
        log->next->put_back(log, end);
        return;
    }
    if (log->state.chain.end == end)
        return;
    drxi_report_keep(detail);
    st = drxi_log_describe(&old);
    old.state.most_axes = log->state.most_axes;
    if (!st)
        st = read_up_to(&old, end, &tail);
    old.state.fixed_axes = log->state.fixed_axes;
    if (!st && old.state.chain.end == end) {
        drxi_state_free(&log->state);
        log->state = old.state;
    } else {
        drxi_state_free(&old.state);
    }
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

    *more = !st && (*more || (log->lone && log->state.intent_open));
    return st;
}

drx_status drxi_log_append(struct drxi_log *log, enum drxi_kind kind, int arg, uint8_t *record, size_t payload_bytes)
{
    bool lost;
    drx_status st;

    if (!log->io)
        return DRX_OK;
    if (log->defer)
        return log->defer->record(log->defer->user, kind, record + DRXI_RECORD_HEAD_BYTES, payload_bytes);
    if (log->lone)
        return log->next->append(log, kind,
                                 &(struct drxi_record){ .kind = (int)kind,
                                                        .arg = arg,
                                                        .payload = record + DRXI_RECORD_HEAD_BYTES,
                                                        .payload_bytes = payload_bytes });
    st = drxi_chain_append(log->io, &log->state.chain, kind, arg, record, payload_bytes, &lost);
    if (st && lost)
        log->broken = st;
    if (st)
        return st;
    log->state.at_sync = kind == DRXI_SYNC;
    log->state.intent_open = false;
    return DRX_OK;
}

drx_status drxi_log_append_growth(struct drxi_log *log, enum drxi_kind kind, const struct drxi_growth *growth)
{
    uint8_t record[SMALL_RECORD_BYTES];
    const size_t bytes = drxi_growth_encode(growth, record + DRXI_RECORD_HEAD_BYTES);

    if (growth->end == DRXI_LOW)
        kind = kind == DRXI_GROW ? DRXI_GROW_LOW : DRXI_INTENT_LOW;
    return drxi_log_append(log, kind, growth->axis, record, bytes);
}

static int64_t next_epoch(const struct drxi_log *log)
{
    return drxi_max(log->epoch, log->state.epoch + 1);
}

static void set_epoch(struct drxi_log *log, int64_t epoch)
{
    log->state.epoch = epoch;
    log->epoch = epoch + 1;
}

drx_status drxi_log_append_sync(struct drxi_log *log)
{
    uint8_t record[SMALL_RECORD_BYTES];
    const int64_t epoch = drxi_state_packed(&log->state) && !log->lone ? next_epoch(log) : 0;
    const size_t bytes = drxi_sync_encode(log->state.map.chunks, epoch, record + DRXI_RECORD_HEAD_BYTES);
    drx_status st = drxi_log_append(log, DRXI_SYNC, 0, record, bytes);

    if (st)
        return st;
    if (log->lone) { /* it knows what is promised */
        drxi_freed_clear(&log->state.freed);
        return DRX_OK;
    }
    set_epoch(log, epoch);
    drxi_state_synced(&log->state);
    return DRX_OK;
}

drx_status drxi_log_append_epoch(struct drxi_log *log)
{
    const int64_t epoch = next_epoch(log);
    const drx_status st = log->next->append_epoch(log, (uint32_t)epoch);

    if (!st)
        set_epoch(log, epoch);
    return st;
}

drx_status drxi_log_append_stripes(struct drxi_log *log, const struct drxi_stripes *stripes)
{
    const size_t bytes = drxi_stripes_encode(stripes, NULL);
    uint8_t *record = drxi_malloc(DRXI_RECORD_HEAD_BYTES + bytes);
    drx_status st = DRX_ENOMEM;

    if (record) {
        (void)drxi_stripes_encode(stripes, record + DRXI_RECORD_HEAD_BYTES);
        st = drxi_log_append(log, DRXI_STRIPES, stripes->n, record, bytes);
    }
    drxi_free(record);
    return st;
}

drx_status drxi_log_tell_trims(struct drxi_log *log, bool durable)
{
    return log->lone ? log->next->tell_trims(log, durable) : DRX_OK;
}

drx_status drxi_make_durable(struct drxi_log *log, drxi_io *io)
{
    drx_status st = io->ops->sync(io);

    if (st)
        log->broken = st;
    return st;
}
