/* The log that has the name of the dataset's now, and takes its place.
 *
 * Arrays that are gone go on to look at the log that they know: it stays open as long as they. */
#include "dataset/dataset.h"

void drxi_ds_free_log(struct drxi_ds_log *log)
{
    drxi_store_free(&log->store);
    drxi_close(log->io);
    log->io = NULL;
}

static drx_status fail_other(const drx_dataset *ds)
{
    return drxi_fail(DRX_EMISMATCH, "%s: replaced since it was opened: open it again", ds->io->path);
}

/* Whether it goes on where the handle's log ended: the same file, or one that a compaction has made of it. */
static drx_status check_same(const drx_dataset *ds, const struct drxi_ds_log *log)
{
    const struct drxi_store *s = &log->store;
    bool same = memcmp(s->id, ds->store.id, sizeof s->id) == 0;
    drx_status st = DRX_OK;

    if (same && s->base.is && s->base.sequence > ds->whole->end.sequence)
        return DRX_OK;
    if (same)
        st = drxi_chain_named(ds->io, &ds->whole->end, log->io, &same);
    return st || same ? st : fail_other(ds);
}

/* What the first part of a compacted log leads to is shown as of its commit alone. */
drx_status drxi_ds_read_store(struct drxi_store *s, drxi_io *io, bool others, enum drxi_log_tail *tail)
{
    const drx_status st = drxi_store_read(s, io, DRXI_ANY_COMMIT, others, tail);

    return st || s->commits > 0 ? st : drxi_fail(DRX_EDAMAGED, "%s: damaged: it has no whole commit", io->path);
}

drx_status drxi_ds_read_on(drx_dataset *ds)
{
    enum drxi_log_tail tail = DRXI_LOG_CLEAN;
    bool more = false;
    struct drxi_live words = { .known = false };
    drx_status st = ds->live ? drxi_live_load(ds->io, &words) : DRX_OK;

    if (!st)
        st = drxi_chain_continues(ds->io, &ds->store.counts, &more);
    if (!st && more)
        st = drxi_store_read(&ds->store, ds->io, DRXI_ANY_COMMIT, true, &tail);
    if (!st && tail == DRXI_LOG_DAMAGED)
        st = DRX_EDAMAGED;
    if (!st)
        ds->words = words;
    return st;
}

drx_status drxi_ds_log_now(const drx_dataset *ds, struct drxi_ds_log *out)
{
    enum drxi_log_tail tail = DRXI_LOG_CLEAN;
    drx_status st;

    *out = (struct drxi_ds_log){ .store = { .kind = DRXI_DATASET } };
    st = drxi_files->open(ds->log_path, DRXI_READ, &out->io);
    if (!st)
        st = drxi_store_begin(&out->store, out->io, DRXI_DATASET);
    if (st == DRX_EFORMAT)
        st = fail_other(ds);
    if (!st)
        st = drxi_live_note(out->io, &out->words);
    if (!st)
        st = drxi_ds_read_store(&out->store, out->io, true, &tail);
    if (!st)
        st = check_same(ds, out);
    if (!st && tail == DRXI_LOG_DAMAGED)
        st = DRX_EDAMAGED; /* with the detail set */
    if (st)
        drxi_ds_free_log(out);
    return st;
}

void drxi_ds_swap_log(drx_dataset *ds, struct drxi_ds_log *log)
{
    const struct drxi_ds_log before = { ds->io, ds->store, ds->words };

    ds->io = log->io;
    ds->store = log->store;
    ds->words = log->words;
    drxi_run_free(&ds->open);
    ds->open = drxi_run_at(&ds->store.counts);
    ds->another = true;
    *log = before;
}

bool drxi_ds_is_gone(const drx_dataset *ds, const struct drxi_lent *lent)
{
    const struct drxi_variable *v = drxi_store_variable(&ds->store, lent->variable);

    return lent->gone || !v || v->thing.removed;
}

void drxi_ds_drop_log(drx_dataset *ds, struct drxi_ds_log *log)
{
    for (int64_t i = 0; log->io && i < ds->lents; i++)
        if (ds->lent[i]->a->log.io == log->io && !ds->lent[i]->log) {
            ds->lent[i]->log = log->io; /* the first of them keeps it for all */
            log->io = NULL;
        }
    drxi_ds_free_log(log);
}

int64_t drx_dataset_oldest(const drx_dataset *ds)
{
    return ds->whole->commit[0].number;
}

drx_status drxi_ds_check_commit(const drx_dataset *ds, int64_t n)
{
    const int64_t oldest = drx_dataset_oldest(ds), last = drxi_ds_last(ds);

    if (n >= 0 && n < oldest)
        return drxi_fail(DRX_ERANGE, "%s: commit %lld was forgotten: the oldest one is %lld", ds->path, (long long)n,
                         (long long)oldest);
    return n >= oldest && n <= last ? DRX_OK
                                    : drxi_fail(DRX_ERANGE, "%s: commit %lld, expected %lld to %lld", ds->path,
                                                (long long)n, (long long)oldest, (long long)last);
}
