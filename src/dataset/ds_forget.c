/* A shorter log takes the place of the dataset's (spec/drx-format.md, 5.6). */
#include "dataset/dataset.h"

drx_status drxi_ds_take_log(drx_dataset *ds, struct drxi_ds_log *log)
{
    drx_status st = DRX_OK;

    drxi_ds_swap_log(ds, log);
    for (int64_t i = 0; i < ds->lents; i++) {
        const struct drxi_lending l = drxi_ds_lending(ds, ds->lent[i]->variable);

        if (!st && !drxi_ds_is_gone(ds, ds->lent[i]))
            st = drxi_lent_take_log(ds->lent[i]->a, &l);
    }
    drxi_ds_drop_log(ds, log);
    return st;
}

/* Let the log have the commits from number n on; one that would become no shorter stays. */
static drx_status shorten(drx_dataset *ds, int64_t n)
{
    struct drxi_run run = drxi_run_at(&ds->store.head);
    struct drxi_ds_log log = { .words = { .trims = ds->store.last_trim } };
    drx_status broken = DRX_OK, st = drxi_store_forget(&ds->store, ds->io, n, &run);
    const bool same = n == drx_dataset_oldest(ds) && run.at + run.n + DRXI_LOG_SYNC_BYTES >= ds->store.counts.end;

    if (!st && !same)
        st = drxi_store_replace_log(&ds->store, ds->io, &run, &log.io, &log.store, &broken);
    drxi_run_free(&run);
    if (!st && !same)
        st = drxi_ds_take_log(ds, &log);
    if (broken)
        st = drxi_ds_break(ds, broken);
    return st ? st : drxi_ds_list_things(ds);
}

drx_status drxi_ds_check_forget(const drx_dataset *ds, int64_t n)
{
    drx_status st = drxi_ds_check_writable(ds);

    if (!st)
        st = drxi_ds_check_alone(ds);
    if (!st)
        st = drxi_ds_check_commit(ds, n);
    if (!st && (drxi_ds_pending(ds) || ds->only_abort))
        st = drxi_fail(DRX_EBUSY, "%s: a transaction is in progress: commit or abort it first", ds->path);
    return st;
}

/* What the new log does not tell of any more is durably gone, and what it tells is durable. */
drx_status drx_dataset_forget(drx_dataset *ds, int64_t n)
{
    drx_status st = drxi_ds_check_forget(ds, n);

    if (!st)
        st = drx_dataset_commit(ds, NULL);
    if (!st)
        st = drxi_ds_remove_gone(ds, 0);
    if (!st)
        st = drxi_ds_sync_folders(ds);
    return st ? st : shorten(ds, n);
}

drx_status drx_dataset_compact(drx_dataset *ds)
{
    return drx_dataset_forget(ds, ds ? drx_dataset_oldest(ds) : 0);
}
