/* Opening, closing and refresh of a dataset. */
#include "dataset/dataset.h"
#include "lone/lone.h"

enum { MOST_EXPECTED = 32 }; /* variables of which a server sends ahead */

/* Whether nobody else may write. */
static bool opens_alone(const drx_dataset *ds)
{
    return ds->writable && !ds->shared;
}

static drx_status lock_log(void *of)
{
    const drx_dataset *ds = of;

    return ds->io->ops->lock(ds->io, ds->shared ? DRXI_LOCK_TOGETHER : DRXI_LOCK_ALONE);
}

static drx_status open_log(drx_dataset *ds)
{
    if (ds->writable)
        return drxi_open_locked(ds->log_path, lock_log, ds, &ds->io);
    drxi_expect(ds->log_path, "", false, DRXI_MANY_CONNECTIONS);
    return drxi_files->open(ds->log_path, DRXI_READ, &ds->io);
}

/* The head, the live words, and then the log. */
static drx_status read_all(drx_dataset *ds, enum drxi_log_tail *tail)
{
    drx_status st = drxi_store_begin(&ds->store, ds->io, DRXI_DATASET);

    if (!st && !ds->replica)
        st = drxi_live_note(ds->io, &ds->words);
    if (!st)
        st = drxi_ds_read_store(&ds->store, ds->io, !opens_alone(ds), tail);
    ds->damaged = *tail == DRXI_LOG_DAMAGED;
    ds->live = ds->words.known && !ds->damaged;
    return st;
}

drx_status drxi_ds_go_back(drx_dataset *ds, int64_t at)
{
    struct drxi_store *whole;
    enum drxi_log_tail tail;
    drx_status st;

    if ((st = drxi_ds_check_commit(ds, at)))
        return st;
    whole = drxi_malloc(sizeof *whole);
    if (!whole)
        return DRX_ENOMEM;
    *whole = ds->store;
    ds->whole = whole;
    ds->live = false; /* trims since then are looked for */
    st = drxi_store_begin(&ds->store, ds->io, DRXI_DATASET);
    if (!st)
        st = drxi_store_read(&ds->store, ds->io, at, false, &tail);
    return st;
}

/* Let a server send the first bytes of the elements of a variable, before it is opened. */
static bool expect(const drx_dataset *ds, uint16_t variable)
{
    const struct drxi_variable *v = drxi_store_variable(&ds->store, variable);
    char *path = v && !v->thing.removed ? drxi_ds_stem_path(ds, v) : NULL;
    const bool helps = !path || drxi_expect(path, v->codec ? ".xct" : ".xta", true, 0);

    drxi_free(path);
    return helps;
}

static void expect_variables(const drx_dataset *ds)
{
    for (int64_t i = 0; i < ds->variables.n && i < MOST_EXPECTED && expect(ds, ds->variables.number[i]);)
        i++;
}

/* A writer takes back a transaction that was cut short, and completes removals. */
static drx_status recover_members(drx_dataset *ds)
{
    drx_status st = drxi_live_has_path(ds->io);

    if (!st)
        st = drxi_ds_give_back(ds);
    if (!st)
        st = drxi_ds_finish_removals(ds);
    if (!st)
        drxi_report_clear();
    return st;
}

static drx_status open_store(drx_dataset *ds, int64_t at)
{
    enum drxi_log_tail tail = DRXI_LOG_CLEAN;
    drx_status st = open_log(ds);

    if (!st)
        st = read_all(ds, &tail);
    if (!st && ds->writable && tail == DRXI_LOG_DAMAGED)
        return DRX_EDAMAGED; /* with the detail set */
    if (!st && opens_alone(ds))
        st = recover_members(ds);
    ds->follows = !opens_alone(ds) && at == DRX_LAST;
    if (!st && at != DRX_LAST && at != drxi_ds_last(ds))
        st = drxi_ds_go_back(ds, at);
    if (!st)
        st = drxi_ds_list_things(ds);
    if (!st)
        expect_variables(ds);
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
    ds->shared = mode == DRX_SHARED;
    ds->writable = mode == DRX_RDWR || ds->shared;
    if (mode != DRX_RDONLY && !ds->writable)
        st = drxi_fail(DRX_EINVAL, "%s: mode %d, expected DRX_RDONLY, DRX_RDWR or DRX_SHARED", path, mode);
    else if (ds->writable && at != DRX_LAST)
        st = drxi_fail(DRX_EINVAL, "%s: commit %lld: an earlier commit opens for reading alone", path, (long long)at);
    if (!st)
        st = open_store(ds, at);
    if (st) {
        drxi_ds_free(ds);
        return st;
    }
    *out = ds;
    return DRX_OK;
}

/* The next writer need not look at what is behind the last commit. */
static void end_log(drx_dataset *ds)
{
    char detail[DRXI_DETAIL_BYTES];

    if (!ds->started || ds->replica || ds->broken || ds->store.ends_with_sync)
        return;
    drxi_report_keep(detail);
    if (drxi_ds_hold(ds) == DRX_OK && !ds->store.ends_with_sync && ds->io->ops->sync(ds->io) == DRX_OK)
        (void)drxi_ds_append_sync(ds, false);
    drxi_ds_release(ds);
    drxi_report_set(detail);
}

drx_status drx_dataset_close(drx_dataset *ds)
{
    drx_status st = DRX_OK;

    if (!ds)
        return DRX_OK;
    if (ds->writable && !ds->broken)
        st = drx_dataset_abort(ds);
    for (int64_t i = 0; i < ds->lents; i++) {
        drx_array *a = ds->lent[i]->a;
        drx_status flushed = DRX_OK;

        drxi_finish_requests(a);
        if (a->data.file->pool && !ds->lent[i]->gone && !a->log.broken)
            flushed = drxi_pool_flush(a->data.file->pool);
        st = st ? st : flushed;
    }
    if (ds->writable)
        end_log(ds);
    drxi_ds_release(ds);
    drxi_ds_free(ds);
    return st;
}

/* ---- refresh ---- */

static drx_status repin_dataset(const drx_dataset *ds)
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

/* Show what was shown before, also in arrays that have followed. The lists have room for it. */
static void put_back(drx_dataset *ds, struct drxi_ds_log *other, int64_t end, const struct drxi_live *words,
                     bool followed)
{
    char detail[DRXI_DETAIL_BYTES];

    drxi_report_keep(detail);
    if (other->io)
        drxi_ds_swap_log(ds, other);
    else if (ds->store.end.end != end)
        (void)drxi_store_return(&ds->store, ds->io, end);
    ds->words = *words;
    (void)(followed ? drxi_ds_follow_store(ds, true) : drxi_ds_list_things(ds));
    drxi_report_set(detail);
}

drx_status drx_dataset_refresh(drx_dataset *ds)
{
    struct drxi_ds_log other = { .io = NULL };
    struct drxi_live words;
    struct drxi_log_place chain;
    bool named = true, followed;
    drx_status st;

    if (!ds)
        return drxi_no_dataset();
    if (!ds->follows || ds->held)
        return DRX_OK;
    if (ds->writable)
        return ds->broken ? drxi_ds_check_writable(ds) : drxi_ds_follow_others(ds);
    chain = ds->store.counts;
    words = ds->words;
    st = drxi_state_renew(ds->io, NULL);
    if (!st)
        st = drxi_chain_named(ds->io, &chain, ds->io, &named);
    if (!st && named)
        st = drxi_ds_read_on(ds);
    if (!st && !named) { /* another log has the name */
        st = drxi_ds_log_now(ds, &other);
        if (!st)
            drxi_ds_swap_log(ds, &other);
    }
    if (!st)
        st = repin_dataset(ds);
    if (!st)
        st = drxi_ds_check_axes(ds);
    if ((followed = !st))
        st = drxi_ds_follow_store(ds, other.io != NULL);
    if (st)
        put_back(ds, &other, chain.end, &words, followed);
    else if (other.io)
        ds->live = ds->words.known;
    drxi_ds_drop_log(ds, &other);
    return st;
}
