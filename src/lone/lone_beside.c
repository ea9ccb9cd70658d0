/* Readers and writers beside each other. */
#include "lone/lone.h"

drx_status drxi_lone_has_path(struct drxi_log *log)
{
    return drxi_live_has_path(log->io);
}

drx_status drxi_lone_tell_trims(struct drxi_log *log, bool durable)
{
    return log->follows ? DRX_OK : drxi_live_tell_trims(log, log->lone->store.last_trim, durable);
}

static drx_status see_epoch(void *epoch, const struct drxi_log_record *record)
{
    int64_t *last = epoch;

    if (record->kind == DRXI_LOG_EPOCH && record->payload_bytes >= 4)
        *last = drxi_max(*last, drxi_get32(record->payload));
    return DRX_OK;
}

drx_status drxi_lone_look(drxi_io *file, struct drxi_chain *seen, int64_t *epoch)
{
    bool open;

    return drxi_store_skim(file, seen, true, see_epoch, epoch, &open);
}
