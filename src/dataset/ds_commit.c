/* Commit and abort. */
#include "base/work.h"
#include "data/sums.h"
#include "dataset/dataset.h"

static bool is_added(const drx_dataset *ds, int64_t member)
{
    return ds->j.member[member].added == ds->j.commits;
}

/* The elements of one array that is lent, and its log if it is new. */
static drx_status sync_lent(void *arg, int64_t i)
{
    const drx_dataset *ds = arg;
    drx_array *a = ds->lent[i]->a;
    drx_status st;

    if (ds->lent[i]->gone)
        return DRX_OK;
    drxi_gate_claim(&a->gate);
    st = drxi_sync_beside(a);
    drxi_gate_clear(&a->gate);
    if (!st)
        st = drxi_sync_data(a);
    if (!st)
        st = drxi_sums_settle(&a->data);
    if (!st && is_added(ds, ds->lent[i]->member))
        st = drxi_make_durable(&a->log, a->log.io);
    drxi_gate_open(&a->gate);
    return st;
}

/* With their gates shut, those that are lent, or those of them that this transaction has grown. */
static drx_status each_lent(const drx_dataset *ds, bool grown, drx_status (*call)(drx_array *a))
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < ds->lents; i++) {
        drx_array *a = ds->lent[i]->a;

        if (ds->lent[i]->gone || (grown && !ds->lent[i]->grown))
            continue;
        drxi_gate_shut(&a->gate);
        st = call(a);
        drxi_gate_open(&a->gate);
    }
    return st;
}

/* Compress the chunks that the growth of the transaction has passed. Their rows have many, which threads share. */
static drx_status close_passed(drx_array *a)
{
    drx_status st = drxi_pool_flush(a->data.file->pool);

    for (int k = 0; !st && k < 2 * a->log.state.desc.ndim; k++)
        st = drxi_close_before(a, NULL, &(struct drxi_growth){ .axis = k / 2, .end = k % 2 ? DRXI_LOW : DRXI_HIGH });
    return st;
}

/* Those of all arrays, and the names of new files. Syncs wait for the disk, so several at a time take less. */
static drx_status make_durable(drx_dataset *ds)
{
    bool names = false;
    char *path;
    drx_status st = ds->replica ? DRX_OK : each_lent(ds, true, close_passed);

    if (!st)
        st = drxi_work_share(ds->lents, sync_lent, ds);

    for (int64_t i = 0; !ds->replica && i < ds->lents; i++)
        names = names || (!ds->lent[i]->gone && is_added(ds, ds->lent[i]->member));
    if (st || !names)
        return st;
    path = drxi_ds_member_path(ds, "dataset.xds");
    st = path ? drxi_files->sync_folder(path) : DRX_ENOMEM;
    drxi_free(path);
    return st;
}

/* Tell the members. What fails here is committed all the same: the next writer does it again. */
static void settle(drx_dataset *ds)
{
    const int64_t last = ds->j.commits - 1;

    for (int64_t i = 0; i < ds->j.members; i++)
        if (ds->j.member[i].removed == last)
            (void)drxi_ds_remove_files(ds, i);
    for (int64_t i = 0; i < ds->lents; i++) {
        struct drxi_lent *lent = ds->lent[i];

        if (lent->gone)
            continue;
        if (ds->j.member[lent->member].removed == last) {
            lent->gone = true;
            lent->a->log.broken = DRX_ENOENT;
            continue;
        }
        drxi_gate_shut(&lent->a->gate);
        if (drxi_member_settle(lent->a, &ds->j, lent->member, last, DRXI_SETTLE_LOG) == DRX_OK)
            (void)drxi_member_sync(lent->a);
        drxi_gate_open(&lent->a->gate);
        lent->a->new_names = false;
        lent->grown = false;
    }
}

static drx_status check_message(const drx_dataset *ds, const char *message)
{
    const size_t n = strlen(message);

    if (n <= DRXI_MESSAGE_MAX_BYTES && drxi_is_utf8(message, n))
        return DRX_OK;
    return drxi_fail(DRX_EINVAL, "%s: a message of %zu bytes, expected UTF-8 of up to %d", ds->path, n,
                     DRXI_MESSAGE_MAX_BYTES);
}

drx_status drx_dataset_commit(drx_dataset *ds, const char *message)
{
    int64_t time;

    return drxi_ds_commit_at(ds, message, &time);
}

drx_status drxi_ds_commit_at(drx_dataset *ds, const char *message, int64_t *time)
{
    drx_status st = drxi_ds_check_writable(ds);

    if (!st && !ds->replica)
        *time = drxi_time();
    if (!st && ds->only_abort)
        st = drxi_fail(DRX_EBUSY, "%s: an extension failed half-way: abort the transaction", ds->path);
    if (!st && message)
        st = check_message(ds, message);
    if (!st)
        st = make_durable(ds);
    if (!st && !drxi_journal_pending(&ds->j))
        return each_lent(ds, false, drxi_member_sync); /* logs of compressed arrays say that elements are durable */
    if (st)
        return st;
    st = drxi_journal_commit(&ds->j, *time, message ? message : "");
    if (st)
        return st;
    ds->shown = ds->j.commits - 1;
    settle(ds);
    drxi_report_clear();
    return drxi_ds_find_visible(ds);
}

/* Whether the transaction changed an attribute of the member. */
static bool attr_changed(const drx_dataset *ds, int64_t member)
{
    for (int64_t i = drxi_journal_first_attr(&ds->j, ds->j.commits); i < ds->j.attr_changes; i++)
        if (ds->j.attr_change[i].member == member)
            return true;
    return false;
}

/* Mark what has to be restored when the journal has forgotten the transaction; remove what was added. */
static drx_status take_back_files(drx_dataset *ds)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; i < ds->lents; i++) {
        struct drxi_lent *lent = ds->lent[i];

        if (!lent->gone && is_added(ds, lent->member)) {
            drxi_finish_requests(lent->a);
            lent->gone = true;
            lent->a->log.broken = DRX_ENOENT;
        }
        lent->grown = lent->grown || attr_changed(ds, lent->member);
    }
    for (int64_t i = 0; !st && i < ds->j.members; i++)
        if (is_added(ds, i))
            st = drxi_ds_remove_files(ds, i);
    return st;
}

drx_status drx_dataset_abort(drx_dataset *ds)
{
    drx_status st = drxi_ds_check_writable(ds);

    if (st || (!drxi_journal_pending(&ds->j) && !ds->only_abort))
        return st;
    st = take_back_files(ds);
    if (!st)
        st = drxi_journal_abort(&ds->j);
    for (int64_t i = 0; !st && i < ds->lents; i++)
        if (!ds->lent[i]->gone && ds->lent[i]->grown) {
            st = drxi_member_restore(ds->lent[i]->a, &ds->j, ds->lent[i]->member);
            ds->lent[i]->grown = false;
        }
    if (st)
        ds->j.broken = st;
    ds->only_abort = false;
    return st ? st : drxi_ds_find_visible(ds);
}
