/* Writers that share a dataset (spec/drx-format.md, section 11).
 *
 * Invariants
 *   1. Each of them has DRXI_LOCK_TOGETHER. Only who has DRXI_LOCK_CHANGE changes the log, lengths of files and cells
 *      outside the bounds, after it has read what others appended: between drxi_ds_hold and drxi_ds_release.
 *   2. What a dead writer has left behind what counts, the next one that has the lock gives back. Others rely on cells
 *      outside the bounds of arrays that they have open, so these are restored at once.
 *   3. Elements inside the bounds are written without that lock. */
#include <unistd.h>

#include "dataset/dataset.h"

/* ---- handles of this process with a transaction in progress ---- */

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static drx_dataset *begun;

static void note_begun(drx_dataset *ds)
{
    (void)pthread_mutex_lock(&list_lock);
    ds->process = (int64_t)getpid();
    ds->next_begun = begun;
    begun = ds;
    (void)pthread_mutex_unlock(&list_lock);
}

static void note_ended(const drx_dataset *ds)
{
    (void)pthread_mutex_lock(&list_lock);
    for (drx_dataset **at = &begun; *at; at = &(*at)->next_begun)
        if (*at == ds) {
            *at = ds->next_begun;
            break;
        }
    (void)pthread_mutex_unlock(&list_lock);
}

/* A thread that has begun with another handle of this process would wait for itself. */
static drx_status refuse_second(const drx_dataset *ds)
{
    bool same = false;

    (void)pthread_mutex_lock(&list_lock);
    for (const drx_dataset *of = begun; of && !same; of = of->next_begun)
        if (of->process == (int64_t)getpid() && drxi_files->same(of->log_path, ds->log_path, &same))
            same = false;
    (void)pthread_mutex_unlock(&list_lock);
    return same ? drxi_fail(DRX_EBUSY, "%s: another handle of this process has a transaction in progress", ds->path)
                : DRX_OK;
}

/* ---- what others have appended ---- */

drx_status drxi_ds_check_axes(const drx_dataset *ds)
{
    for (int64_t i = 0; i < ds->lents; i++) {
        const struct drxi_variable *v = drxi_store_variable(&ds->store, ds->lent[i]->variable);
        const drx_array *a = ds->lent[i]->a;

        if (!drxi_ds_is_gone(ds, ds->lent[i]) && drxi_max(1, v->ndim) != a->log.state.desc.ndim)
            return drxi_fail(DRX_EMISMATCH, "%s: has got one more axis since the dataset was opened: open it again",
                             a->parts.label);
    }
    return DRX_OK;
}

/* What a transaction in progress removes is not gone yet. A reader goes on to show what is. */
static drx_status follow_lent(drx_dataset *ds, struct drxi_lent *lent, bool all)
{
    const struct drxi_lending l = drxi_ds_lending(ds, lent->variable);
    const struct drxi_variable *v = drxi_store_variable(&ds->store, lent->variable);
    const bool gone = lent->gone || !v || (v->thing.removed && ds->open.n == 0);

    if (gone && !lent->gone && ds->writable)
        drxi_ds_lose(lent);
    return gone ? DRX_OK : drxi_lent_take_new(lent->a, &l, all);
}

drx_status drxi_ds_follow_store(drx_dataset *ds, bool all)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < ds->lents; i++)
        st = follow_lent(ds, ds->lent[i], all);
    return st ? st : drxi_ds_list_things(ds);
}

drx_status drxi_ds_follow_others(drx_dataset *ds)
{
    const int64_t end = ds->store.counts.end;
    bool named = false;
    drx_status st = ds->io->ops->named(ds->io, &named);

    if (!st && !named)
        return drxi_ds_break(ds, drxi_fail(DRX_EMISMATCH,
                                           "%s: renamed, removed or replaced since it was opened: open it again",
                                           ds->io->path));
    if (!st)
        st = drxi_ds_read_on(ds);
    if (st == DRX_EDAMAGED)
        return drxi_ds_break(ds, st);
    if (st || ds->store.end.end == end)
        return st;
    st = drxi_ds_check_axes(ds);
    if (!st) {
        st = drxi_ds_follow_store(ds, false);
        return st ? drxi_ds_break(ds, st) : DRX_OK;
    }
    if (drxi_store_return(&ds->store, ds->io, end))
        (void)drxi_ds_break(ds, st);
    return st;
}

/* ---- the lock of a change ---- */

/* Changes with what another process writes. */
static drx_status stamp(void *of, uint64_t *out)
{
    const drx_dataset *ds = of;
    drx_status st = ds->io->ops->stamp(ds->io, out);

    for (int64_t i = 0; !st && i < ds->variables.n; i++) {
        const struct drxi_variable *v = drxi_store_variable(&ds->store, ds->variables.number[i]);
        char *path = drxi_ds_path_below(ds, ds->path, &v->thing, v->codec ? ".xtz" : ".xta");
        struct drxi_looked looked = { .bytes = 0 };

        if (path)
            drxi_files->look(path, true, &looked);
        *out += (uint64_t)looked.changed + (uint64_t)looked.bytes;
        drxi_free(path);
    }
    return st;
}

drx_status drxi_ds_hold(drx_dataset *ds)
{
    drx_status st;

    if (!ds->shared || ds->held)
        return DRX_OK;
    st = ds->io->ops->lock(ds->io, DRXI_LOCK_CHANGE);
    if (st == DRX_EBUSY && !(st = refuse_second(ds)))
        st = drxi_lock_change(ds->io, stamp, ds);
    if (st)
        return st;
    ds->held = true;
    st = drxi_ds_follow_others(ds);
    if (!st)
        st = drxi_ds_give_back(ds);
    if (!st && !ds->started)
        st = drxi_live_has_path(ds->io);
    if (!st && !ds->started)
        st = drxi_ds_finish_removals(ds);
    if (st)
        drxi_ds_release(ds);
    else
        drxi_report_clear();
    return st;
}

void drxi_ds_release(drx_dataset *ds)
{
    if (!ds->held)
        return;
    if (ds->begun)
        note_ended(ds);
    ds->held = ds->begun = false;
    ds->io->ops->unlock(ds->io);
}

/* ---- calls ---- */

drx_status drxi_ds_check_begin(const drx_dataset *ds)
{
    const drx_status st = drxi_ds_check_writable(ds);

    return st || !(ds->begun || drxi_ds_pending(ds))
               ? st
               : drxi_fail(DRX_EINVAL, "%s: a transaction is in progress: commit or abort it first", ds->path);
}

drx_status drxi_ds_begin(drx_dataset *ds)
{
    drx_status st = drxi_ds_check_begin(ds);

    if (!st)
        st = drxi_ds_hold(ds);
    ds->begun = ds->begun || (ds->shared && !st);
    return st;
}

drx_status drx_dataset_begin(drx_dataset *ds)
{
    const drx_status st = drxi_ds_begin(ds);

    if (!st && ds->shared)
        note_begun(ds);
    return st;
}
