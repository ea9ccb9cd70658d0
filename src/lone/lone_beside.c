/* Readers and writers beside each other. */
#include "lone/lone.h"

drx_status drxi_make_durable(struct drxi_log *log, drxi_io *io)
{
    drx_status st = io->ops->sync(io);

    if (st)
        log->broken = st;
    return st;
}

drx_status drxi_log_tell_trims(struct drxi_log *log, bool durable)
{
    const uint64_t last_trim = log->lone ? log->lone->store->last_trim : 0;
    struct drxi_live now;
    drx_status st;

    if (log->follows || last_trim == 0)
        return DRX_OK;
    st = drxi_live_load(log->io, &now);
    if (st || now.trims == last_trim)
        return st;
    st = durable ? DRX_OK : drxi_make_durable(log, log->io);
    return st ? st : drxi_live_set_trims(log->io, last_trim);
}

struct seen {
    uint16_t variable;
    int64_t epoch;
};

static drx_status see_epoch(void *arg, const struct drxi_log_record *record)
{
    struct seen *seen = arg;

    if (record->kind == DRXI_LOG_EPOCH && record->number == seen->variable && record->payload_bytes >= 4)
        seen->epoch = drxi_max(seen->epoch, drxi_get32(record->payload));
    return DRX_OK;
}

drx_status drxi_log_look(const struct drxi_log *log, drxi_io *file, struct drxi_log_place *seen, int64_t *epoch)
{
    const struct drxi_store *s = log->lone->store;
    struct seen last = { log->lone->variable, *epoch };
    struct drxi_store other = { .kind = s->kind };
    struct drxi_log_place begin;
    drx_status st = seen ? DRX_OK : drxi_store_begin(&other, file, s->kind);

    if (!st && !seen && memcmp(other.id, s->id, sizeof s->id) != 0)
        return DRX_OK;
    begin = other.head;
    if (!st)
        st = drxi_store_skim(file, seen ? seen : &begin, seen ? log->lone->most : INT64_MAX, true, see_epoch, &last,
                             NULL);
    *epoch = last.epoch;
    return st;
}
