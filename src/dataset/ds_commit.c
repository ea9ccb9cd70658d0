/* Commit and abort. */
#include "data/sums.h"
#include "dataset/dataset.h"

/* Whether a failed sync may have lost what was written to it, so that no commit can promise anything. */
static bool is_broken(const struct drxi_lent *lent)
{
    return !lent->gone && lent->a->log.broken;
}

/* Whether nobody wrote to it or changed it but by growth that only memory followed. */
static bool is_quiet(const struct drxi_lent *lent)
{
    return lent->gone || (!lent->changed && !lent->bounds && !atomic_load(&lent->a->data.file->unsynced) &&
                          !lent->a->log.unpromised && !lent->a->log.undurable);
}

/* Of `elements` false: those that were changed but by writing to them. The sync of one that is broken fails again. */
static void find_busy(drx_dataset *ds, bool elements)
{
    ds->busies = 0;
    for (int64_t i = 0; i < ds->lents; i++) {
        struct drxi_lent *lent = ds->lent[i];

        lent->epoch = 0;
        if (is_broken(lent) || (!is_quiet(lent) && (elements || lent->changed || lent->bounds)))
            ds->busy[ds->busies++] = lent;
    }
}

/* Others write to a compressed array, too. Then nobody writes from before it is made durable until an EPOCH tells
 * it. */
static bool is_guarded_alone(const struct drxi_lent *lent)
{
    return lent->a->log.shared && lent->a->data.file->stored->epochs && !lent->gone;
}

/* The elements of one array that is lent. */
static drx_status sync_lent(void *arg, int64_t i)
{
    const drx_dataset *ds = arg;
    drx_array *a = ds->busy[i]->a;
    drx_status st;

    if (is_guarded_alone(ds->busy[i]))
        return DRX_OK;
    drxi_gate_claim(&a->gate);
    st = drxi_sync_beside(a);
    drxi_gate_clear(&a->gate);
    if (!st)
        st = drxi_sync_data(a);
    if (!st)
        st = a->data.file->stored->settle(&a->data);
    if (!st) /* what is written from now on has a later one */
        ds->busy[i]->epoch = drxi_lent_take_epoch(a);
    drxi_gate_open(&a->gate);
    return st;
}

/* With the lock of a change. Locks come in the order of the variables' numbers. */
static drx_status sync_guarded(struct drxi_lent *lent)
{
    struct drxi_data *data = &lent->a->data;
    drx_status st;

    drxi_gate_shut(&lent->a->gate);
    st = drxi_pool_flush(data->file->pool);
    if (!st)
        st = data->file->stored->guard(data, true);
    lent->guarded = !st;
    if (st) {
        drxi_gate_open(&lent->a->gate);
        return st;
    }
    st = drxi_sync_data(lent->a);
    if (!st)
        lent->epoch = drxi_lent_take_epoch(lent->a);
    return st;
}

static drx_status guard(drx_dataset *ds)
{
    drx_status st = DRX_OK;

    for (int i = 1; !st && i <= ds->store.variable.largest; i++) {
        struct drxi_lent *lent = drxi_ds_lent_of(ds, (uint16_t)i);

        for (int64_t k = 0; lent && !st && k < ds->busies; k++)
            if (ds->busy[k] == lent && is_guarded_alone(lent)) {
                st = drxi_ds_hold(ds);
                st = st || lent->gone ? st : sync_guarded(lent); /* others may have removed it */
            }
    }
    return st;
}

static void unguard(const drx_dataset *ds)
{
    for (int64_t k = 0; k < ds->busies; k++) {
        struct drxi_lent *lent = ds->busy[k];

        if (!lent->guarded)
            continue;
        lent->guarded = false;
        (void)lent->a->data.file->stored->guard(&lent->a->data, false);
        drxi_gate_open(&lent->a->gate);
    }
}

/* The commit failed: the next one tells it. */
static drx_status untold(drx_dataset *ds, drx_status st)
{
    for (int64_t i = 0; i < ds->busies; i++)
        if (ds->busy[i]->epoch > 0)
            ds->busy[i]->a->log.unpromised = true;
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
    if (!st)
        st = guard(ds);
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
static drx_status settle_members(drx_dataset *ds)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; i < ds->busies; i++) {
        struct drxi_lent *lent = ds->busy[i];
        const struct drxi_variable *v = drxi_store_variable(&ds->store, lent->variable);

        if (v->thing.removed)
            drxi_ds_lose(lent);
        else if (drxi_lent_follow(lent->a, lent->bounds))
            st = lent->a->log.broken;
    }
    forget_changes(ds);
    return st;
}

/* Files of variables, and folders. */
static void remove_gone(const drx_dataset *ds)
{
    if (ds->removes)
        (void)drxi_ds_remove_gone(ds, ds->store.commits > 1 ? ds->store.commit[ds->store.commits - 2].sequence : 0);
}

static drx_status give_back_all(drx_dataset *ds)
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
static drx_status promise_commit(drx_dataset *ds)
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
    unguard(ds);
    if (st)
        return untold(ds, st);
    if ((st = ds->io->ops->sync(ds->io)))
        return drxi_ds_break(ds, st);
    return settle_members(ds);
}

static drx_status commit(drx_dataset *ds, const char *message, bool elements)
{
    drx_status st;

    note_bounds(ds);
    find_busy(ds, elements);
    st = make_durable(ds);
    if (!st && !drxi_ds_pending(ds))
        return promise_commit(ds);
    if (!st)
        st = drxi_ds_start(ds);
    if (!st)
        st = drxi_ds_append_commit(ds, drxi_time(), message);
    unguard(ds);
    if (st)
        return untold(ds, st);
    if ((st = settle_members(ds)))
        return drxi_ds_break(ds, st);
    remove_gone(ds);
    if (give_back_all(ds) == DRX_OK)
        (void)drxi_ds_append_sync(ds, false);
    drxi_report_clear();
    ds->removes = false;
    return DRX_OK;
}

/* Nothing can be done with the handle: others may go on. */
static drx_status refuse_commit(drx_dataset *ds, drx_status st)
{
    if (ds && ds->broken)
        drxi_ds_release(ds);
    return st;
}

/* A transaction goes on after an error that does not break the handle. */
static drx_status end_commit(drx_dataset *ds, drx_status st)
{
    unguard(ds);
    if (!st || ds->broken || !ds->begun)
        drxi_ds_release(ds);
    return st;
}

drx_status drxi_ds_check_end(const drx_dataset *ds, const char *message)
{
    drx_status st = drxi_ds_check_writable(ds);

    if (!st && ds->only_abort)
        st = drxi_fail(DRX_EBUSY, "%s: a change failed half-way: abort the transaction", ds->path);
    if (!st && message)
        st = check_message(ds, message);
    return st;
}

drx_status drx_dataset_commit(drx_dataset *ds, const char *message)
{
    const drx_status st = drxi_ds_check_end(ds, message);

    return st ? refuse_commit(ds, st) : end_commit(ds, commit(ds, message ? message : "", true));
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
            drxi_ds_lose(lent);
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

    if (st)
        return refuse_commit(ds, st);
    if (!drxi_ds_pending(ds) && !ds->only_abort) {
        drxi_ds_release(ds);
        return DRX_OK;
    }
    st = take_back_files(ds);
    if (!st)
        st = drxi_ds_return(ds);
    for (int64_t i = 0; !st && i < ds->lents; i++)
        if (!ds->lent[i]->gone && (ds->lent[i]->changed || ds->lent[i]->grew))
            st = drxi_lent_restore(ds->lent[i]->a);
    if (!st) /* then nobody needs to know what it was */
        st = drxi_ds_cut(ds);
    if (st)
        (void)drxi_ds_break(ds, st);
    drxi_ds_release(ds);
    if (st)
        return st;
    forget_changes(ds);
    ds->removes = false;
    return drxi_ds_list_things(ds);
}

/* ---- reserve ---- */

static drx_status reserve_slab(drx_dataset *ds, const char *dim, enum drxi_end end, int64_t by, int64_t *first)
{
    char detail[DRXI_DETAIL_BYTES];
    uint16_t number;
    const struct drxi_dimension *d;
    drx_status st = drxi_ds_begin(ds);

    if (st)
        return st;
    st = drxi_ds_check_extend(ds, dim, end, by, &number);
    if (!st) {
        d = drxi_store_dimension(&ds->store, number);
        if (first)
            *first = end == DRXI_LOW ? d->lower - by : d->upper;
        st = end == DRXI_LOW ? drx_dataset_extend_before(ds, dim, by) : drx_dataset_extend(ds, dim, by);
    }
    if (!st)
        st = end_commit(ds, commit(ds, "", false));
    if (!st)
        return DRX_OK;
    drxi_report_keep(detail);
    if (!ds->broken)
        (void)drx_dataset_abort(ds);
    drxi_report_set(detail);
    return st;
}

drx_status drx_dataset_reserve(drx_dataset *ds, const char *dim, int64_t by, int64_t *first)
{
    return reserve_slab(ds, dim, DRXI_HIGH, by, first);
}

drx_status drx_dataset_reserve_before(drx_dataset *ds, const char *dim, int64_t by, int64_t *first)
{
    return reserve_slab(ds, dim, DRXI_LOW, by, first);
}
