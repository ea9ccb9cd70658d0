/* Commit and abort. */
#include "base/work.h"
#include "data/sums.h"
#include "dataset/dataset.h"

/* Whether nobody wrote to it or changed it but by growth that only memory followed. */
static bool is_quiet(const struct drxi_lent *lent)
{
    const struct drxi_data_file *file = lent->a->data.file;

    return lent->gone || (!lent->changed && !lent->bounds && !atomic_load(&file->unsynced) &&
                          !(file->pack && (file->pack->unsynced || file->pack->undurable)));
}

static void find_busy(drx_dataset *ds)
{
    ds->busies = 0;
    for (int64_t i = 0; i < ds->lents; i++)
        ds->lent[i]->epoch = 0;
    for (int64_t i = 0; i < ds->lents; i++)
        if (!is_quiet(ds->lent[i]))
            ds->busy[ds->busies++] = ds->lent[i];
}

/* The elements of one array that is lent. */
static drx_status sync_lent(void *arg, int64_t i)
{
    const drx_dataset *ds = arg;
    drx_array *a = ds->busy[i]->a;
    drx_status st;

    drxi_gate_claim(&a->gate);
    st = drxi_sync_beside(a);
    drxi_gate_clear(&a->gate);
    if (!st)
        st = drxi_sync_data(a);
    if (!st)
        st = drxi_sums_settle(&a->data);
    if (!st) /* what is written from now on has a later one */
        ds->busy[i]->epoch = drxi_lent_take_epoch(a);
    drxi_gate_open(&a->gate);
    return st;
}

/* The commit failed: the next one tells it. */
static drx_status untold(drx_dataset *ds, drx_status st)
{
    for (int64_t i = 0; i < ds->busies; i++)
        if (ds->busy[i]->epoch > 0)
            ds->busy[i]->a->data.file->pack->unsynced = true;
    return st;
}

/* Compress the chunks that the growth of the transaction has passed. Their rows have many, which threads share. */
static drx_status close_passed(drx_array *a)
{
    drx_status st;

    drxi_gate_shut(&a->gate);
    st = drxi_pool_flush(a->data.file->pool);
    for (int k = 0; !st && k < 2 * a->log.state.desc.ndim; k++)
        st = drxi_close_before(a, NULL, &(struct drxi_growth){ .axis = k / 2, .end = k % 2 ? DRXI_LOW : DRXI_HIGH });
    drxi_gate_open(&a->gate);
    return st;
}

/* Those of all arrays, and the names of new files. Syncs wait for the disk, so several at a time take less. */
static drx_status make_durable(drx_dataset *ds)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < ds->busies; i++)
        if (ds->busy[i]->changed)
            st = close_passed(ds->busy[i]->a);
    if (!st)
        st = drxi_work_share(ds->busies, sync_lent, ds);
    return st ? st : drxi_ds_sync_added(ds, false);
}

/* Which arrays get other bounds or axes by the commit. */
static void note_bounds(drx_dataset *ds)
{
    for (int64_t i = 0; i < ds->lents && (ds->trims > 0 || ds->axes > 0); i++) {
        struct drxi_lent *lent = ds->lent[i];
        const struct drxi_variable *v = drxi_store_variable(&ds->store, lent->variable);

        for (int64_t k = 0; v && k < ds->trims; k++)
            lent->bounds = lent->bounds || drxi_ds_has(v, ds->trim[k].dimension);
        for (int64_t k = 0; k < ds->axes; k++)
            lent->bounds = lent->bounds || ds->axis[k].variable == lent->variable;
    }
}

static void forget_changes(drx_dataset *ds)
{
    for (int64_t i = 0; i < ds->lents; i++)
        ds->lent[i]->changed = ds->lent[i]->grew = ds->lent[i]->bounds = false;
}

/* Memory follows. Then space and files go, of which nobody needs anything; what fails there the next writer does. */
static drx_status settle(drx_dataset *ds)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; i < ds->busies; i++) {
        struct drxi_lent *lent = ds->busy[i];
        const struct drxi_variable *v = drxi_store_variable(&ds->store, lent->variable);

        if (v->thing.removed) {
            lent->gone = true;
            lent->a->log.broken = DRX_ENOENT;
            (void)drxi_ds_remove_files(ds, v);
            continue;
        }
        if (drxi_lent_follow(lent->a, lent->bounds))
            st = lent->a->log.broken;
    }
    forget_changes(ds);
    return st;
}

/* Files of variables that nobody has lent, and folders. */
static void remove_others(const drx_dataset *ds)
{
    if (ds->removes)
        (void)drxi_ds_remove_gone(ds, ds->store.commits > 1 ? ds->store.commit[ds->store.commits - 2].sequence : 0);
}

static drx_status give_back(drx_dataset *ds)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < ds->busies; i++)
        if (!ds->busy[i]->gone)
            st = drxi_lent_give_back(ds->busy[i]->a);
    return st;
}

static drx_status check_message(const drx_dataset *ds, const char *message)
{
    const size_t n = strlen(message);

    if (n <= DRXI_MOST_MESSAGE_BYTES && drxi_is_utf8(message, n))
        return DRX_OK;
    return drxi_fail(DRX_EINVAL, "%s: a message of %zu bytes, expected UTF-8 of up to %d", ds->path, n,
                     DRXI_MOST_MESSAGE_BYTES);
}

/* Nothing was changed but elements in place: they are durable, and of compressed arrays the log says so. */
static drx_status promise(drx_dataset *ds)
{
    bool any = false;
    drx_status st;

    for (int64_t i = 0; i < ds->busies; i++)
        any = any || ds->busy[i]->epoch > 0;
    if (!any)
        return DRX_OK;
    st = drxi_ds_start(ds);
    if (!st)
        st = drxi_ds_append_sync(ds, true);
    if (st)
        return untold(ds, st);
    if ((st = ds->io->ops->sync(ds->io)))
        return drxi_ds_break(ds, st);
    return settle(ds);
}

drx_status drx_dataset_commit(drx_dataset *ds, const char *message)
{
    drx_status st = drxi_ds_check_writable(ds);

    if (!st && ds->only_abort)
        st = drxi_fail(DRX_EBUSY, "%s: a change failed half-way: abort the transaction", ds->path);
    if (!st && message)
        st = check_message(ds, message);
    if (st)
        return st;
    note_bounds(ds);
    find_busy(ds);
    st = make_durable(ds);
    if (!st && !drxi_ds_pending(ds))
        return promise(ds);
    if (!st)
        st = drxi_ds_start(ds);
    if (!st)
        st = drxi_ds_append_commit(ds, drxi_time(), message ? message : "");
    if (st)
        return untold(ds, st);
    if ((st = settle(ds)))
        return drxi_ds_break(ds, st);
    remove_others(ds);
    if (give_back(ds) == DRX_OK)
        (void)drxi_ds_append_sync(ds, false);
    drxi_report_clear();
    ds->removes = false;
    return DRX_OK;
}

/* ---- abort ---- */

/* Take back the files that were added, durably. */
static drx_status take_back_files(drx_dataset *ds)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; i < ds->lents; i++) {
        struct drxi_lent *lent = ds->lent[i];
        const struct drxi_variable *v = drxi_store_variable(&ds->store, lent->variable);

        if (!lent->gone && v && drxi_ds_is_added(ds, &v->thing)) {
            drxi_finish_requests(lent->a);
            lent->gone = true;
            lent->a->log.broken = DRX_ENOENT;
        }
    }
    for (int i = ds->store.variable.largest; !st && i > 0; i--) {
        const struct drxi_variable *v = drxi_store_variable(&ds->store, (uint16_t)i);

        if (v && drxi_ds_is_added(ds, &v->thing))
            st = drxi_ds_remove_files(ds, v);
    }
    if (!st)
        drxi_ds_remove_folders(ds, UINT64_MAX);
    return st || ds->replica ? st : drxi_ds_sync_added(ds, true);
}

drx_status drx_dataset_abort(drx_dataset *ds)
{
    drx_status st = drxi_ds_check_writable(ds);

    if (st || (!drxi_ds_pending(ds) && !ds->only_abort))
        return st;
    st = take_back_files(ds);
    if (!st)
        st = drxi_ds_cut(ds);
    for (int64_t i = 0; !st && i < ds->lents; i++)
        if (!ds->lent[i]->gone && (ds->lent[i]->changed || ds->lent[i]->grew))
            st = drxi_lent_restore(ds->lent[i]->a);
    if (st)
        return drxi_ds_break(ds, st);
    forget_changes(ds);
    ds->removes = false;
    return drxi_ds_list_things(ds);
}
