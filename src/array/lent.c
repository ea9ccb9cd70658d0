/* Arrays that a dataset lends. Their log is that of the dataset, which alone reads and appends; their state is that
 * of one variable of its store (lone/lone.h). */
#include "array/place.h"
#include "lone/lone.h"

#define ITS_DIMENSIONS                                                                      \
    "a variable of a dataset: its bounds are those of its dimensions: drx_dataset_extend, " \
    "drx_dataset_extend_before and drx_dataset_trim change them"

const char *const drxi_lent_refused[] = {
    [DRXI_GROW] = ITS_DIMENSIONS,
    [DRXI_TRIM] = ITS_DIMENSIONS,
    [DRXI_ADD_AXIS] = ITS_DIMENSIONS,
    [DRXI_DIM_NAME] = "a variable of a dataset: drx_dataset_set_name renames its dimensions",
};

static drx_status refuse_compact(drx_array *a)
{
    return drxi_fail(DRX_EINVAL, "%s: lent by a dataset: open the array itself to compact it", a->parts.label);
}

static drx_status refuse_close(drx_array *a)
{
    return drxi_fail(DRX_EINVAL, "%s: lent by a dataset, which closes it", a->parts.label);
}

/* The dataset has read the log on. */
static drx_status repin_lent(drx_array *a)
{
    return drxi_repin_files(&a, 1);
}

static drx_status refresh_lent(drx_array *a)
{
    return drxi_refresh_by(a, repin_lent);
}

static const struct drxi_owner lender = { .refused = drxi_lent_refused,
                                          .sync = drxi_sync_array,
                                          .compact = refuse_compact,
                                          .refresh = refresh_lent,
                                          .close = refuse_close };

static void set_lent(drx_array *a, const struct drxi_lending *l)
{
    a->parts.writable = l->writable;
    a->owner = &lender;
    a->log.shared = l->shared;
    a->log.others = a->log.others || l->shared;
    a->replica = a->log.follows = l->replica;
    a->log.io = l->io;
    a->log.borrowed = true;
    a->data.file->may_end_early = true;
}

static drx_status open_lent_files(drx_array *a)
{
    const bool root = a->parts.writable && !a->replica, none = drxi_lone_variable(&a->log)->null;
    bool damaged = false;
    drx_status st = none ? drxi_data_start(&a->data, NULL, DRXI_NEW) : drxi_open_data(a);

    if (!st)
        st = drxi_data_check_lengths(&a->data, a->path, DRXI_ALL_FILES, &damaged);
    if (!st && damaged)
        return root ? DRX_EDAMAGED : DRX_OK; /* with the detail set */
    if (!st && root)
        st = drxi_recover(a);
    if (!st && a->parts.writable)
        st = drxi_data_new_pool(&a->data);
    if (!st && !a->replica && a->data.file->stored->report)
        a->data.file->stored->report(&a->data);
    return st;
}

static void take_words(drx_array *a, const struct drxi_lending *l)
{
    a->log.lone->most = l->most;
    if (!l->words)
        return;
    a->log.lone->words = *l->words;
    a->log.lone->words_end = l->store->end.end;
}

drx_status drxi_lent_open(const char *path, const struct drxi_lending *l, drx_array **out)
{
    drx_array *a;
    drx_status st = drxi_array_new(path, &a);

    *out = NULL;
    if (st)
        return st;
    set_lent(a, l);
    if (l->replica)
        drxi_set_parallel(a, 2);
    a->data.file->unsynced = l->replica && l->writable;
    st = drxi_lone_begin(&a->log, l->store, l->variable);
    if (!st)
        st = drxi_lone_take_all(&a->log);
    if (!st) {
        take_words(a, l);
        drxi_data_follow(&a->data);
        st = open_lent_files(a);
    }
    if (!st && l->replica && !l->writable)
        st = drxi_watch_open(a, l->name);
    if (st) {
        (void)drxi_array_free(a);
        return st;
    }
    *out = a;
    return DRX_OK;
}

drx_status drxi_lent_create(const char *path, const drx_spec *spec, const struct drxi_lending *l, drx_array **out)
{
    const drx_status st = drxi_create(path, spec, DRXI_FILLED | DRXI_FOR_DATASET, out);

    if (st)
        return st;
    set_lent(*out, l);
    return drxi_data_bound_pool(&(*out)->data, DRXI_POOL_BYTES);
}

drx_status drxi_lent_made(drx_array *a, const struct drxi_lending *l)
{
    drx_status st = drxi_lone_begin(&a->log, l->store, l->variable);

    if (!st)
        st = drxi_lone_take_all(&a->log);
    drxi_data_follow(&a->data);
    return st ? st : drxi_name_data(a, false);
}

drx_status drxi_lent_prepare(drx_array *a, int axis, enum drxi_end end, int64_t by, struct drxi_step *step)
{
    const bool ready = drxi_state_is_ready(&a->log.state, axis, end);
    drx_status st;

    if (!ready)
        drxi_gate_claim(&a->gate);
    st = drxi_prepare_step(a, axis, end, by, step);
    if (!ready)
        drxi_gate_open(&a->gate);
    return st;
}

bool drxi_lent_only_follows(const drx_array *a, const struct drxi_growth *growth)
{
    return drxi_data_ends_early(&a->data) && !drxi_has_doubt(a, growth) && !drxi_has_pending(a);
}

void drxi_lent_publish(drx_array *a, const struct drxi_step *step)
{
    drxi_state_grow(&a->log.state, step);
    drxi_lone_took(&a->log);
    drxi_data_follow(&a->data);
    drxi_data_resized(&a->data);
}

drx_status drxi_lent_grow(drx_array *a, int axis, enum drxi_end end, int64_t by)
{
    struct drxi_change c;
    drx_status st = drxi_wait_to_grow(a, axis, end);

    if (st)
        return st;
    drxi_change_start(&c);
    drxi_claim_change(a);
    st = drxi_prepare_growth(a, &(struct drxi_asked){ .kind = DRXI_GROW, .axis = axis, .end = end, .by = by }, &c);
    if (!st)
        st = drxi_change_run(a, &c, &drxi_alone);
    drxi_change_end(&c);
    if (!st)
        drxi_lone_took(&a->log);
    drxi_gate_open(&a->gate);
    return st;
}

/* The log of the dataset may be another one. */
static void take_lent_log(drx_array *a, const struct drxi_lending *l)
{
    if (a->log.io != l->io) /* it was the other file that was looked at */
        a->log.seen = (struct drxi_log_place){ 0 };
    a->log.io = l->io;
}

drx_status drxi_lent_take_log(drx_array *a, const struct drxi_lending *l)
{
    drx_status st = DRX_OK;

    drxi_gate_shut(&a->gate);
    drxi_watch_forget(a);
    take_lent_log(a, l);
    drxi_lone_take_rest(&a->log);
    if (a->watch.log) {
        (void)a->watch.log->ops->close(a->watch.log);
        a->watch.log = a->log.tail = NULL;
        st = drxi_watch_open(a, l->name);
    }
    drxi_gate_open(&a->gate);
    return st;
}

drx_status drxi_lent_take_new(drx_array *a, const struct drxi_lending *l, bool all)
{
    const uint64_t before = a->log.state.chain.sequence;
    drx_status st;

    drxi_gate_shut(&a->gate);
    take_lent_log(a, l);
    all = all || l->store->steps < a->log.lone->taken;
    st = all ? drxi_lone_take_all(&a->log) : drxi_lone_take_new(&a->log);
    drxi_data_follow(&a->data);
    drxi_data_resized(&a->data);
    drxi_freed_clear(&a->log.state.freed); /* who trimmed it gives that back */
    drxi_watch_forget(a);
    take_words(a, l);
    if (l->store->last_trim > before)
        drxi_doubt_trims(a);
    if (st && a->parts.writable)
        a->log.broken = st;
    drxi_gate_open(&a->gate);
    return st;
}

drx_status drxi_lent_follow(drx_array *a, bool bounds)
{
    drx_status st = DRX_OK;

    drxi_gate_shut(&a->gate);
    if (bounds) {
        st = drxi_lone_take_all(&a->log);
        drxi_data_follow(&a->data);
        for (int j = 0; j < a->log.state.desc.ndim; j++) {
            drxi_doubt_outside(a, j, DRXI_LOW);
            drxi_doubt_outside(a, j, DRXI_HIGH);
        }
    } else {
        drxi_lone_take_rest(&a->log);
    }
    drxi_data_resized(&a->data); /* what was written may have lengthened it */
    a->log.epoch = drxi_max(a->log.epoch, a->log.state.epoch + 1);
    a->new_names = false;
    drxi_watch_forget(a); /* a trim that it has seen is its own */
    if (st)
        a->log.broken = st;
    drxi_gate_open(&a->gate);
    return st;
}

drx_status drxi_lent_restore(drx_array *a)
{
    bool changed;
    drx_status st;

    drxi_finish_requests(a);
    drxi_gate_shut(&a->gate);
    st = a->data.file->pool ? drxi_pool_flush(a->data.file->pool) : DRX_OK;
    if (!st)
        st = drxi_lone_take_all(&a->log);
    drxi_data_follow(&a->data);
    if (!st && !a->replica)
        st = drxi_recover(a);
    if (!st && a->log.shared) /* others rely on these cells */
        st = drxi_restore_outside(a, &changed);
    drxi_data_resized(&a->data);
    if (st)
        a->log.broken = st;
    drxi_gate_open(&a->gate);
    return st;
}

drx_status drxi_lent_give_back(drx_array *a)
{
    drx_status st = DRX_OK;

    drxi_gate_shut(&a->gate);
    if (!a->replica && drxi_freed_any(&a->log.state.freed))
        st = drxi_tell_trims(a, true);
    if (!st && !a->replica)
        st = drxi_data_give_back(&a->data, &a->log.state.freed);
    drxi_freed_clear(&a->log.state.freed);
    drxi_gate_open(&a->gate);
    return st;
}

int64_t drxi_lent_take_epoch(drx_array *a)
{
    int64_t epoch;

    if (!a->log.unpromised)
        return 0;
    a->log.unpromised = false;
    epoch = drxi_max(a->log.epoch, a->log.state.epoch + 1);
    a->log.epoch = epoch + 1;
    return epoch;
}
