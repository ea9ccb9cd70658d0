/* The transaction in the log. */
#include "dataset/dataset.h"

drx_status drxi_ds_break(drx_dataset *ds, drx_status st)
{
    return ds->broken = st;
}

static void shorten(drx_dataset *ds, const struct drxi_run *to)
{
    ds->open.n = to->n;
    ds->open.sequence = to->sequence;
    ds->open.crc = to->crc;
    ds->open.last = to->last;
    ds->open.failed = to->failed;
}

static drx_status rewind_records(drx_dataset *ds, const struct drxi_run *mark)
{
    const drx_status st = ds->io->ops->resize(ds->io, ds->open.at + mark->n);

    shorten(ds, mark);
    return st ? st : drxi_store_rewind(&ds->store, ds->io, &ds->open, mark->n);
}

void drxi_ds_rewind(drx_dataset *ds, const struct drxi_run *mark)
{
    char detail[DRXI_DETAIL_BYTES];
    drx_status st;

    drxi_report_keep(detail);
    if (mark->n < ds->open.n && !ds->broken && (st = rewind_records(ds, mark)))
        (void)drxi_ds_break(ds, st);
    (void)drxi_ds_list_things(ds);
    drxi_report_set(detail);
}

/* The run goes on, or begins. */
struct drxi_run drxi_ds_mark(drx_dataset *ds)
{
    if (ds->open.n == 0) {
        drxi_run_free(&ds->open);
        ds->open = drxi_run_at(&ds->store.counts);
    }
    return ds->open;
}

static drx_status check_alone(drx_dataset *ds)
{
    const drx_status st = drxi_check_length(ds->io, ds->store.counts.end + ds->open.n);

    return st == DRX_EBUSY ? drxi_ds_break(ds, st) : st;
}

drx_status drxi_ds_start(drx_dataset *ds)
{
    drx_status st = DRX_OK;

    if (ds->started || ds->replica)
        return DRX_OK;
    st = drxi_ds_sync_folders(ds);
    if (!st)
        st = drxi_store_write_anew(&ds->store, ds->io);
    if (!st)
        st = ds->io->ops->sync(ds->io);
    if (!st && !ds->store.ends_with_sync)
        st = drxi_ds_append_sync(ds, false);
    ds->started = !st;
    return st;
}

/* Whether another process writes to the log, too, is checked when a transaction begins and when it ends. */
struct drxi_run *drxi_ds_run(drx_dataset *ds)
{
    drx_status st = ds->open.n == 0 ? check_alone(ds) : DRX_OK;

    if (!st)
        st = drxi_ds_start(ds);
    ds->mark = drxi_ds_mark(ds);
    ds->open.failed = st;
    return &ds->open;
}

drx_status drxi_ds_append(drx_dataset *ds)
{
    bool lost;
    const drx_status st = drxi_store_append(&ds->store, ds->io, &ds->open, ds->mark.n, ds->mark.n, &lost);

    if (!st)
        return DRX_OK;
    if (lost)
        (void)drxi_ds_break(ds, st);
    shorten(ds, &ds->mark);
    return st;
}

drx_status drxi_ds_append_listed(drx_dataset *ds)
{
    const struct drxi_run mark = ds->mark;
    drx_status st = drxi_ds_append(ds);

    if (!st && (st = drxi_ds_list_things(ds)))
        drxi_ds_rewind(ds, &mark);
    return st;
}

drx_status drxi_ds_append_attribute(drx_dataset *ds, enum drxi_what what, uint16_t number,
                                    const struct drxi_record *record)
{
    struct drxi_run *run = drxi_ds_run(ds);

    if (record->kind == DRXI_ATTR)
        drxi_put_attribute(run, &ds->store, what, number, &record->attr);
    else
        drxi_put_attribute_delete(run, what, number, record->name);
    return record->kind == DRXI_ATTR && DRX_IS_DEFINED(record->attr.type) ? drxi_ds_append_listed(ds) /* a new type */
                                                                          : drxi_ds_append(ds);
}

static void put_deferred(const drx_dataset *ds, struct drxi_run *run)
{
    for (int64_t i = 0; i < ds->trims; i++) {
        const struct drxi_ds_trim *t = &ds->trim[i];
        const struct drxi_dimension *d = drxi_store_dimension(&ds->store, t->dimension);

        if (t->by[DRXI_LOW] > 0 || t->by[DRXI_HIGH] > 0)
            drxi_put_trim(run, t->dimension, d->lower + t->by[DRXI_LOW], d->upper - t->by[DRXI_HIGH]);
    }
    for (int64_t i = 0; i < ds->axes; i++)
        drxi_put_axis(run, ds->axis[i].variable, ds->axis[i].at, ds->axis[i].dimension);
}

/* Those of arrays whose elements are durable now. */
static bool put_epochs(const drx_dataset *ds, struct drxi_run *run)
{
    bool any = false;

    for (int64_t i = 0; i < ds->busies; i++) {
        const struct drxi_lent *lent = ds->busy[i];
        const struct drxi_variable *v = drxi_store_variable(&ds->store, lent->variable);

        if (lent->epoch > 0 && v && !v->thing.removed)
            drxi_put_epoch(run, lent->variable, (uint32_t)lent->epoch);
        any = any || lent->epoch > 0;
    }
    return any;
}

/* The end of a run counts. */
static void settle_log_end(drx_dataset *ds)
{
    drxi_run_free(&ds->open);
    ds->open = drxi_run_at(&ds->store.end);
}

static void forget_pending(drx_dataset *ds)
{
    ds->trims = ds->axes = 0;
    ds->only_abort = false;
}

drx_status drxi_ds_append_commit(drx_dataset *ds, int64_t time, const char *message)
{
    const bool begun = ds->open.n > 0;
    struct drxi_run *run = drxi_ds_run(ds);
    drx_status st;

    if (begun)
        run->failed = check_alone(ds);
    put_deferred(ds, run);
    (void)put_epochs(ds, run);
    drxi_put_commit(run, ds->store.next_commit, time, message);
    drxi_run_count(run);
    if ((st = drxi_ds_append(ds)))
        return st;
    settle_log_end(ds);
    if ((st = ds->io->ops->sync(ds->io)))
        return drxi_ds_break(ds, st);
    forget_pending(ds);
    return DRX_OK;
}

/* What a SYNC follows is durable before it is written. */
drx_status drxi_ds_append_sync(drx_dataset *ds, bool epochs)
{
    const struct drxi_run begin = ds->mark = drxi_ds_mark(ds);
    drx_status st = DRX_OK;

    epochs = epochs && put_epochs(ds, &ds->open);
    if (!epochs && ds->store.ends_with_sync)
        return DRX_OK;
    if (epochs && (st = drxi_ds_append(ds)))
        return st;
    if (epochs && (st = ds->io->ops->sync(ds->io)))
        return drxi_ds_break(ds, st);
    ds->mark = ds->open;
    drxi_put_sync(&ds->open);
    drxi_run_count(&ds->open);
    st = drxi_ds_append(ds);
    if (!st)
        settle_log_end(ds);
    else
        drxi_ds_rewind(ds, &begin);
    return st;
}

drx_status drxi_ds_return(drx_dataset *ds)
{
    return ds->store.end.end == ds->store.counts.end ? DRX_OK
                                                     : drxi_store_return(&ds->store, ds->io, ds->store.counts.end);
}

drx_status drxi_ds_cut(drx_dataset *ds)
{
    drx_status st = ds->io->ops->resize(ds->io, ds->store.counts.end);

    if (!st && !ds->replica)
        st = ds->io->ops->sync(ds->io);
    if (!st)
        st = drxi_ds_return(ds);
    if (st)
        return drxi_ds_break(ds, st);
    settle_log_end(ds);
    forget_pending(ds);
    return DRX_OK;
}
