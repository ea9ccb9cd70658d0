/* Datasets that several processes have open. */
#include "dataset/dataset.h"

drx_status drxi_ds_call(drx_dataset *ds, drx_status broken)
{
    ds->told = ds->whole->end.end;
    return broken ? drxi_fail(broken, "%s: a rank could not follow an earlier change: close it and open it again",
                              ds->path)
                  : DRX_OK;
}

drx_status drxi_ds_tell(drx_dataset *ds, struct drxi_ds_news *news, uint8_t **log)
{
    const bool another = ds->another;
    const int64_t end = ds->whole->end.end, begin = another ? 0 : ds->told, n = end > begin ? end - begin : 0;
    size_t got = 0;
    drx_status st;

    ds->another = false;
    *news = (struct drxi_ds_news){ .at = ds->whole == &ds->store ? DRX_LAST : drx_dataset_shown(ds),
                                   .from = drxi_min(begin, end),
                                   .bytes = n,
                                   .counts = ds->whole == &ds->store ? ds->store.counts.end : ds->whole->end.end,
                                   .another = another,
                                   .writable = ds->writable,
                                   .only_abort = ds->only_abort,
                                   .broken = (int)ds->broken };
    if (n == 0)
        return DRX_OK;
    *log = drxi_malloc((size_t)n);
    st = *log ? ds->io->ops->read(ds->io, *log, (size_t)n, begin, &got) : DRX_ENOMEM;
    if (!st && (int64_t)got < n)
        st = drxi_fail(DRX_EDAMAGED, "%s: became shorter while it was read", ds->io->path);
    if (st) {
        drxi_free(*log);
        *log = NULL;
    }
    return st;
}

/* The root has taken its transaction back. */
static drx_status go_back(drx_dataset *ds, const struct drxi_ds_news *news)
{
    drx_status st = ds->io->ops->resize(ds->io, news->from);

    if (!st && news->from != ds->store.counts.end)
        return drxi_fail(DRX_EMISMATCH, "%s: here its log is another one than on rank 0", ds->path);
    if (!st)
        st = drxi_store_return(&ds->store, ds->io, news->from);
    drxi_run_free(&ds->open);
    ds->open = drxi_run_at(&ds->store.counts);
    return st;
}

/* Records that came to the log, of which the first ones may count. */
static drx_status take_records(drx_dataset *ds, const struct drxi_ds_news *news, const uint8_t log[])
{
    const struct drxi_run run = { .bytes = (uint8_t *)(uintptr_t)log, .n = news->bytes, .at = news->from };
    const int64_t counts = drxi_max(0, news->counts - news->from);
    drx_status st = ds->io->ops->write(ds->io, log, (size_t)news->bytes, news->from);

    if (!st)
        st = drxi_store_apply_run(&ds->store, &run, 0, counts);
    if (!st && counts > 0)
        drxi_run_free(&ds->open);
    if (ds->open.n == 0)
        ds->open = drxi_run_at(&ds->store.counts);
    if (!st)
        st = drxi_store_apply_run(&ds->store, &run, counts, run.n);
    if (st)
        return st;
    drxi_run_bytes(&ds->open, log + counts, (size_t)(run.n - counts));
    ds->open.sequence = ds->store.end.sequence;
    ds->open.crc = ds->store.end.crc;
    return ds->open.failed;
}

/* A copy in memory of what the root has of its log. */
static drx_status copy_log(const struct drxi_ds_news *news, const uint8_t log[], struct drxi_ds_log *out)
{
    enum drxi_log_tail tail;
    drx_status st = drxi_memory_open(&out->io);

    if (!st)
        st = out->io->ops->write(out->io, log, (size_t)news->bytes, 0);
    if (!st)
        st = drxi_store_begin(&out->store, out->io, DRXI_DATASET);
    if (!st)
        st = drxi_store_read(&out->store, out->io, DRXI_ANY_COMMIT, false, &tail);
    if (st)
        drxi_ds_free_log(out);
    return st;
}

static drx_status take_dataset_log(drx_dataset *ds, const struct drxi_ds_news *news, const uint8_t log[])
{
    struct drxi_ds_log other = { .io = NULL };
    const drx_status st = news->another ? copy_log(news, log, &other) : DRX_OK;

    if (news->another)
        return st ? st : drxi_ds_take_log(ds, &other);
    if (news->from < ds->store.end.end)
        return go_back(ds, news);
    return news->bytes > 0 ? take_records(ds, news, log) : DRX_OK;
}

drx_status drxi_ds_follow(drx_dataset *ds, const struct drxi_ds_news *news, const uint8_t log[])
{
    const bool news_of_records = news->bytes > 0 || news->from < ds->store.end.end;
    drx_status st = take_dataset_log(ds, news, log);

    ds->only_abort = news->only_abort != 0;
    ds->broken = (drx_status)news->broken;
    if (!st && !news_of_records)
        return DRX_OK;
    for (int64_t i = 0; !st && i < ds->lents && ds->open.n == 0; i++)
        ds->lent[i]->a->log.unpromised = false;
    return st ? st : drxi_ds_follow_store(ds, news->another);
}

drx_status drxi_ds_open_replica(const char *path, const struct drxi_ds_news *news, const uint8_t log[],
                                drx_dataset **out)
{
    struct drxi_ds_log copy = { .io = NULL };
    drx_dataset *ds;
    drx_status st = drxi_ds_new(path, &ds);

    *out = NULL;
    if (st)
        return st;
    ds->replica = true;
    ds->writable = news->writable;
    ds->follows = !news->writable && news->at == DRX_LAST;
    st = copy_log(news, log, &copy);
    drxi_ds_swap_log(ds, &copy);
    if (!st && news->at != DRX_LAST)
        st = drxi_ds_go_back(ds, news->at);
    if (!st)
        st = drxi_ds_list_things(ds);
    if (st)
        drxi_ds_free(ds);
    else
        *out = ds;
    return st;
}

drx_array *drxi_ds_lent(const drx_dataset *ds, const char *name)
{
    const struct drxi_variable *v = drxi_ds_find_variable(ds, name);
    const struct drxi_lent *lent = v ? drxi_ds_lent_of(ds, v->thing.number) : NULL;

    return lent ? lent->a : NULL;
}

drx_status drxi_ds_check(const drx_dataset *ds, const struct drxi_ds_asked *asked)
{
    const bool high = asked->what == DRXI_DS_EXTEND || asked->what == DRXI_DS_RESERVE;
    uint16_t dim;
    drx_status st = DRX_OK;

    if (asked->what == DRXI_DS_COMMIT)
        return drxi_ds_check_end(ds, asked->text);
    if (asked->what == DRXI_DS_FORGET)
        return drxi_ds_check_forget(ds, asked->by);
    if (asked->what == DRXI_DS_TRIM)
        return drxi_ds_check_trim(ds, asked->name, asked->by, asked->after, &dim);
    if (asked->what == DRXI_DS_RESERVE || asked->what == DRXI_DS_RESERVE_BEFORE)
        st = drxi_ds_check_begin(ds);
    return st ? st : drxi_ds_check_extend(ds, asked->name, high ? DRXI_HIGH : DRXI_LOW, asked->by, &dim);
}
