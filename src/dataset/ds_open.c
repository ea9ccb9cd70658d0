/* Opening, closing and refresh of a dataset. */
#include "dataset/dataset.h"
#include "drx_tools.h"
#include "remote/remote.h"

enum { MOST_EXPECTED = 32 };

/* Is the name of a removed member that of another one now? */
static bool is_taken(const struct drxi_journal *j, int64_t member)
{
    return drxi_journal_find(j, j->member[member].name, j->commits - 1) >= 0;
}

/* Take back a transaction that was cut short, and complete the removals of those that were not. */
static drx_status recover(drx_dataset *ds, bool cut)
{
    const struct drxi_journal *j = &ds->j;
    drx_status st = DRX_OK;

    for (int64_t i = j->members - 1; !st && i >= 0; i--) /* what was added last may have the name of what was removed */
        if (j->member[i].added == j->commits || (j->member[i].removed < j->commits && !is_taken(j, i)))
            st = drxi_ds_remove_files(ds, i);
    if (!st && cut)
        st = drxi_journal_abort(&ds->j);
    if (!st)
        drxi_report_clear();
    return st;
}

/* Let a server send the first bytes of all arrays while the first one is being opened. */
static void expect_members(const drx_dataset *ds)
{
    for (int64_t i = 0; i < ds->visible && i < MOST_EXPECTED; i++) {
        char *path = drxi_ds_member_path(ds, ds->j.member[ds->member[i]].name);

        if (path)
            drxi_expect_array(path, true, 0);
        drxi_free(path);
    }
}

/* The same of those that will be opened anew; what was expected is older than the commit. */
static void expect_lent(const drx_dataset *ds)
{
    drxi_remote_unexpect(ds->path);
    for (int64_t i = 0; i < ds->lents; i++)
        drxi_expect_array(ds->lent[i]->a->path, true, 0);
}

static drx_status repin_lent(const drx_dataset *ds)
{
    drx_array **a = drxi_calloc((size_t)ds->lents + 1, sizeof *a);
    drx_status st;

    if (!a)
        return DRX_ENOMEM;
    for (int64_t i = 0; i < ds->lents; i++)
        a[i] = ds->lent[i]->a;
    st = drxi_repin_files(a, ds->lents);
    drxi_free(a);
    return st;
}

/* The arrays will be asked for as soon as the journal is there, each on a connection of its own. */
static void expect_journal(const drx_dataset *ds)
{
    char *path = drx_is_url(ds->path) && !ds->writable ? drxi_format("%s/dataset.xds", ds->path) : NULL;

    if (path)
        drxi_remote_expect(path, false, DRXI_MANY_CONNECTIONS);
    drxi_free(path);
}

static drx_status open_journal(drx_dataset *ds, int64_t at)
{
    bool cut = false;
    drx_status st;

    expect_journal(ds);
    st = drxi_journal_open(ds->path, ds->writable ? DRXI_WRITE : DRXI_READ, &ds->j, &cut);

    if (st == DRX_ENOENT && !ds->writable && !drx_is_url(ds->path)) /* a server does not list a folder */
        st = drxi_ds_view_folder(ds);
    if (!st && ds->writable)
        st = recover(ds, cut);
    if (st)
        return st;
    if (at != DRX_LAST && (at < 0 || at >= ds->j.commits))
        return drxi_fail(DRX_ERANGE, "%s: commit %lld, expected 0 to %lld", ds->path, (long long)at,
                         (long long)ds->j.commits - 1);
    ds->follows = !ds->writable && at == DRX_LAST && !ds->folder;
    ds->shown = at == DRX_LAST ? ds->j.commits - 1 : at;
    st = drxi_ds_find_visible(ds);
    if (!st && ds->j.io->remote)
        expect_members(ds);
    return st;
}

drx_status drx_dataset_open(const char *path, int mode, int64_t at, drx_dataset **out)
{
    drx_dataset *ds;
    drx_status st = drxi_ds_new(path, &ds);

    if (out)
        *out = NULL;
    if (st || !out) {
        if (!st)
            drxi_ds_free(ds);
        return st ? st : drxi_fail(DRX_EINVAL, "drx_dataset_open: out is a null pointer");
    }
    ds->writable = mode == DRX_RDWR;
    if (mode != DRX_RDONLY && mode != DRX_RDWR)
        st = drxi_fail(DRX_EINVAL, "%s: mode %d, expected DRX_RDONLY or DRX_RDWR", path, mode);
    else if (ds->writable && at != DRX_LAST)
        st = drxi_fail(DRX_EINVAL, "%s: commit %lld: an earlier commit opens for reading alone", path, (long long)at);
    if (!st)
        st = open_journal(ds, at);
    if (st) {
        drxi_ds_free(ds);
        return st;
    }
    *out = ds;
    return DRX_OK;
}

drx_status drx_dataset_close(drx_dataset *ds)
{
    drx_status st = DRX_OK;

    if (!ds)
        return DRX_OK;
    if (ds->writable && !ds->j.broken)
        st = drx_dataset_abort(ds);
    for (int64_t i = 0; i < ds->lents; i++) {
        drx_array *a = ds->lent[i]->a;
        drx_status flushed = DRX_OK;

        drxi_finish_requests(a);
        if (a->data.file->pool && !ds->lent[i]->gone && !a->log.broken)
            flushed = drxi_pool_flush(a->data.file->pool);
        st = st ? st : flushed;
    }
    drxi_ds_free(ds);
    return st;
}

drx_status drx_dataset_refresh(drx_dataset *ds)
{
    bool named;
    int64_t end;
    drx_status st;

    if (!ds)
        return drxi_no_dataset();
    if (!ds->follows)
        return DRX_OK;
    end = ds->j.committed.end;
    st = drxi_remote_renew(ds->j.io);
    if (!st)
        st = ds->j.io->ops->named(ds->j.io, &named);
    if (!st && !named)
        st = drxi_fail(DRX_EMISMATCH, "%s: removed or replaced since it was opened: open it again", ds->j.io->path);
    if (!st)
        st = drxi_journal_follow(&ds->j);
    if (st == DRX_EDAMAGED && ds->j.io->remote)
        st = drxi_fail(DRX_EMISMATCH, "%s: replaced by another log since it was opened: open it again", ds->j.io->path);
    if (!st && ds->j.io->remote)
        st = repin_lent(ds);
    if (!st && ds->shown < ds->j.commits - 1) {
        if (ds->j.io->remote)
            expect_lent(ds);
        st = drxi_ds_find_visible(ds); /* makes room, so that it cannot fail later */
        if (!st)
            st = drxi_ds_reload(ds, ds->j.commits - 1);
        if (!st)
            st = drxi_ds_find_visible(ds);
    }
    if (st)
        drxi_journal_put_back(&ds->j, end);
    return st;
}
