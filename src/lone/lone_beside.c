/* Readers and writers beside each other. */
#include "lone/lone.h"

drx_status drxi_lone_has_path(struct drxi_log *log)
{
    return drxi_live_has_path(log->io);
}

drx_status drxi_lone_tell_trims(struct drxi_log *log, bool durable)
{
    return log->follows ? DRX_OK : drxi_live_tell_trims(log, log->lone->store->last_trim, durable);
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

drx_status drxi_lone_look(const struct drxi_log *log, drxi_io *file, struct drxi_chain *seen, int64_t *epoch)
{
    struct seen last = { log->lone->variable, *epoch };
    bool open;
    const drx_status st = drxi_store_skim(file, seen, log->lone->most, true, see_epoch, &last, &open);

    *epoch = last.epoch;
    return st;
}
