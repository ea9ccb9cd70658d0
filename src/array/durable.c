/* What a sync makes durable, and what a SYNC then promises. The caller has the lock of a change (sync.c, run.c). */
#include "array/array.h"
#include "lone/lone.h"

drx_status drxi_sync_data(drx_array *a)
{
    drx_status st = drxi_check_writable(a);

    return st ? st : drxi_data_sync(&a->data);
}

drx_status drxi_sync_beside(drx_array *a)
{
    const drx_status st = drxi_check_writable(a);

    return st ? st : drxi_data_sync_beside(&a->data);
}

static drx_status append_sync(drx_array *a)
{
    drx_status st = drxi_log_append_sync(&a->log);

    return st ? st : drxi_make_durable(&a->log, a->log.io);
}

drx_status drxi_sync_names(drx_array *a)
{
    drx_status st;

    if (!a->new_names || a->parts.temporary)
        return DRX_OK;
    st = drxi_stripes_sync_folders(&a->data);
    if (!st)
        st = drxi_files->sync_folder(a->log.io->path);
    a->new_names = st != DRX_OK;
    return st;
}

/* Sync the records; give back what trims have freed; then append the SYNC. */
drx_status drxi_promise(drx_array *a)
{
    drx_status st = a->log.state.at_sync ? DRX_OK : a->data.file->stored->promise(&a->data);

    if (!st)
        st = drxi_make_durable(&a->log, a->log.io);
    if (!st && !a->log.state.at_sync)
        st = drxi_tell_trims(a, true);
    if (!st && !a->log.state.at_sync && drxi_freed_any(&a->log.state.freed))
        st = drxi_data_give_back(&a->data, &a->log.state.freed);
    if (!st && !a->log.state.at_sync)
        st = append_sync(a);
    if (!st)
        a->log.unpromised = false;
    return st;
}

drx_status drxi_start_changes(drx_array *a)
{
    drx_status st;

    if (!a->log.starts)
        return DRX_OK;
    st = a->owner->begin(a);
    if (!st)
        st = drxi_store_write_anew(drxi_lone_store(&a->log), a->log.io);
    if (!st)
        st = drxi_make_durable(&a->log, a->log.io);
    a->log.starts = st != DRX_OK;
    return st;
}
