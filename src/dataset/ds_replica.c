/* Datasets that several processes have open. */
#include "dataset/dataset.h"

drx_status drxi_ds_tell(const drx_dataset *ds, int64_t from, struct drxi_ds_news *news, uint8_t **journal)
{
    const int64_t n = ds->j.committed.end - from;
    size_t got = 0;
    drx_status st;

    *news = (struct drxi_ds_news){ ds->shown, n, ds->writable, ds->folder, ds->follows };
    if (!journal)
        return DRX_OK;
    *journal = drxi_malloc((size_t)n);
    st = *journal ? ds->j.io->ops->read(ds->j.io, *journal, (size_t)n, from, &got) : DRX_ENOMEM;
    if (!st && (int64_t)got < n)
        st = drxi_fail(DRX_EDAMAGED, "%s: became shorter while it was read", ds->j.io->path);
    if (st) {
        drxi_free(*journal);
        *journal = NULL;
    }
    return st;
}

drx_status drxi_ds_open_replica(const char *path, const struct drxi_ds_news *news, const uint8_t journal[],
                                drx_dataset **out)
{
    drx_dataset *ds;
    drx_status st = drxi_ds_new(path, &ds);

    *out = NULL;
    if (st)
        return st;
    ds->replica = true;
    ds->writable = news->writable;
    ds->folder = news->folder;
    ds->follows = news->follows;
    ds->shown = news->shown;
    st = drxi_journal_copy(journal, news->journal_bytes, &ds->j);
    if (!st)
        st = drxi_ds_find_visible(ds);
    if (st)
        drxi_ds_free(ds);
    else
        *out = ds;
    return st;
}

int64_t drxi_ds_member_of(const drx_dataset *ds, const drx_array *a)
{
    for (int64_t i = 0; i < ds->lents; i++)
        if (ds->lent[i]->a == a && !ds->lent[i]->gone)
            return ds->lent[i]->member;
    return -1;
}

const char *drxi_ds_path(const drx_dataset *ds)
{
    return ds->path;
}

static drx_array *lent(const drx_dataset *ds, int64_t member)
{
    for (int64_t i = 0; i < ds->lents; i++)
        if (ds->lent[i]->member == member && !ds->lent[i]->gone)
            return ds->lent[i]->a;
    return NULL;
}

drx_array *drxi_ds_lent(const drx_dataset *ds, const char *name)
{
    return lent(ds, drxi_journal_find(&ds->j, name, drxi_ds_now(ds)));
}

drx_status drxi_ds_take_replica(drx_dataset *ds, const char *name, const drx_spec *spec, drx_array *a)
{
    const int64_t member = spec ? ds->j.members : drxi_journal_find(&ds->j, name, drxi_ds_now(ds));
    drx_status st =
        spec ? drxi_ds_record_addition(ds, name, spec, a->log.state.desc.id) : drxi_ds_show(ds, member, ds->shown, a);

    if (st) {
        (void)drxi_array_free(a);
        return st;
    }
    st = drxi_ds_take(ds, member, a, NULL);
    return st || !spec ? st : drxi_ds_find_visible(ds);
}

drx_status drxi_ds_follow(drx_dataset *ds, const uint8_t journal[], int64_t n)
{
    drx_status st = ds->j.io->ops->write(ds->j.io, journal, (size_t)n, ds->j.committed.end);

    return st ? st : drxi_journal_follow(&ds->j);
}

drx_status drxi_ds_follow_member(drx_dataset *ds, int64_t member, const uint8_t log[], int64_t n)
{
    drx_array *a = lent(ds, member);
    drx_status st;

    if (!drxi_journal_has(&ds->j, member, ds->j.commits - 1)) /* it was removed, and so were its files */
        return DRX_OK;
    drxi_gate_shut(&a->gate);
    st = drxi_follow_log(a, 0, log, n);
    if (!st)
        st = drxi_ds_show(ds, member, ds->j.commits - 1, a);
    drxi_gate_open(&a->gate);
    return st;
}

drx_status drxi_ds_show_last(drx_dataset *ds)
{
    ds->shown = ds->j.commits - 1;
    return drxi_ds_find_visible(ds);
}
