/* Changes, appended as records. */
#include "lone/lone.h"

static drx_status cut_log(struct drxi_log *log)
{
    drx_status st = log->io->ops->resize(log->io, log->lone->store->end.end);

    if (!st)
        st = log->io->ops->sync(log->io);
    if (st)
        log->broken = st;
    drxi_run_free(&log->lone->open);
    log->lone->tail = st != DRX_OK;
    log->state.chain = log->lone->store->end;
    log->state.intent_open = false;
    return st;
}

drx_status drxi_log_check_open(const struct drxi_log *log)
{
    if (!log->state.unknown_open)
        return DRX_OK;
    return drxi_fail(DRX_EUNSUPPORTED,
                     "%s: a later version of the library has not completed a change: only that one can", log->io->path);
}

drx_status drxi_log_cut_rest(struct drxi_log *log)
{
    drx_status st;

    if (!log->lone || log->stale || !log->lone->tail)
        return DRX_OK;
    st = log->follows ? DRX_OK : drxi_log_check_open(log);
    return st ? st : cut_log(log);
}

static drx_status append_run(struct drxi_log *log, struct drxi_run *run, int64_t written)
{
    struct drxi_lone *l = log->lone;
    bool lost;
    drx_status st;

    drxi_run_count(run);
    st = drxi_store_append(l->store, log->io, run, 0, written, &lost);
    if (st && lost)
        log->broken = st;
    if (st)
        return st;
    l->tail = false;
    drxi_lone_took(log);
    log->state.chain = l->store->end;
    log->state.at_sync = l->store->ends_with_sync;
    log->state.intent_open = false;
    if (log->state.at_sync)
        drxi_lone_take_promise(log);
    return DRX_OK;
}

/* The growth of an append, which the run has. */
static drx_status begin_append(struct drxi_log *log, struct drxi_run *run)
{
    struct drxi_lone *l = log->lone;
    bool lost = false;
    const drx_status st = drxi_store_append_open(l->store, log->io, run, &lost);

    if (st && lost)
        log->broken = st;
    if (st) {
        drxi_run_free(run);
        return st;
    }
    drxi_run_free(&l->open);
    l->open = *run;
    l->tail = true;
    log->state.at_sync = false;
    return DRX_OK;
}

static drx_status end_append(struct drxi_log *log)
{
    struct drxi_lone *l = log->lone;
    const int64_t written = l->open.n;
    drx_status st;

    log->time = log->follows ? log->time : drxi_time(); /* that of the root */
    drxi_put_commit(&l->open, l->store->next_commit, log->time, "");
    st = append_run(log, &l->open, written);
    drxi_run_free(&l->open);
    return st;
}

drx_status drxi_lone_check_name(const struct drxi_log *log, const char *name)
{
    const size_t n = strlen(name);

    if (n == 0 || drxi_is_path_name((struct drxi_text){ name, n }, DRXI_PATH_NAME_BYTES))
        return DRX_OK;
    return drxi_fail(DRX_EINVAL,
                     "%s: an axis named \"%s\", expected 1 to %d bytes of UTF-8 without a slash, not beginning with a "
                     "dot",
                     log->io->path, name, DRXI_PATH_NAME_BYTES);
}

static void put_growth(const struct drxi_log *log, struct drxi_run *run, const struct drxi_growth *g)
{
    drxi_put_grow(run, drxi_lone_variable(log)->dim[g->axis], g->end == DRXI_LOW ? -g->by : g->by, g->bound);
}

static void put_axis(const struct drxi_log *log, struct drxi_run *run, const struct drxi_record *record)
{
    static const int64_t one[2] = { 0, 1 };
    const uint16_t number = drxi_store_next(log->lone->store, DRXI_A_DIMENSION);

    drxi_put_dimension(run, number, 0, one, record->name);
    drxi_put_axis(run, log->lone->variable, record->axis, number);
}

static void put_record(const struct drxi_log *log, struct drxi_run *run, const struct drxi_record *record)
{
    const uint16_t variable = log->lone->variable, *const dim = drxi_lone_variable(log)->dim;
    const struct drxi_trimming *t = &record->trim;

    switch (record->kind) {
    case DRXI_GROW:
    case DRXI_INTENT:
        put_growth(log, run, &record->growth);
        break;
    case DRXI_TRIM:
        drxi_put_trim(run, dim[t->axis], t->lower, t->upper);
        break;
    case DRXI_ATTR:
        drxi_put_attribute(run, log->lone->store, DRXI_A_VARIABLE, variable, &record->attr);
        break;
    case DRXI_ATTR_DELETE:
        drxi_put_attribute_delete(run, DRXI_A_VARIABLE, variable, record->name);
        break;
    case DRXI_DIM_NAME:
        drxi_put_rename(run, DRXI_A_DIMENSION, dim[record->axis], record->name);
        break;
    case DRXI_ADD_AXIS:
        put_axis(log, run, record);
        break;
    case DRXI_SYNC:
        drxi_put_sync(run);
        break;
    }
}

/* Records that go on where what counts ends. Before, what does not count is cut off. */
static struct drxi_run begin_run(struct drxi_log *log)
{
    const drx_status st = drxi_log_cut_rest(log);
    struct drxi_run run = drxi_run_at(&log->lone->store->end);

    run.failed = st;
    return run;
}

static drx_status end_log_run(struct drxi_log *log, struct drxi_run *run)
{
    const drx_status st = append_run(log, run, 0);

    drxi_run_free(run);
    return st;
}

static drx_status append_record(struct drxi_log *log, const struct drxi_record *record)
{
    const bool named = record->kind == DRXI_DIM_NAME || record->kind == DRXI_ADD_AXIS;
    struct drxi_run run;

    if (record->kind == DRXI_GROW && log->lone->open.n > 0)
        return end_append(log);
    run = begin_run(log);
    if (!run.failed && named)
        run.failed = drxi_lone_check_name(log, record->name);
    put_record(log, &run, record);
    return record->kind == DRXI_INTENT ? begin_append(log, &run) : end_log_run(log, &run);
}

drx_status drxi_log_append(struct drxi_log *log, const struct drxi_record *record)
{
    drx_status st;

    if (!log->io)
        return DRX_OK;
    if (log->defer)
        return log->defer->record(log->defer->user, record);
    if (log->stale)
        return DRX_OK;
    st = append_record(log, record);
    log->stale = st && log->follows;
    if (!log->stale)
        return st;
    drxi_report_clear();
    return DRX_OK;
}

drx_status drxi_log_append_growth(struct drxi_log *log, enum drxi_kind kind, const struct drxi_growth *growth)
{
    return drxi_log_append(log, &(struct drxi_record){ .kind = kind, .growth = *growth });
}

drx_status drxi_log_append_sync(struct drxi_log *log)
{
    const drx_status st = drxi_log_append(log, &(struct drxi_record){ .kind = DRXI_SYNC });

    if (!st)
        drxi_freed_clear(&log->state.freed);
    return st;
}

drx_status drxi_log_append_stripes(struct drxi_log *log, const struct drxi_stripes *stripes)
{
    struct drxi_run run = begin_run(log);

    drxi_put_stripes(&run, 1, stripes);
    return end_log_run(log, &run);
}

/* A run of its own, since a power cut must not leave the SYNC behind it alone. */
drx_status drxi_log_append_epoch(struct drxi_log *log)
{
    const int64_t epoch = drxi_max(log->epoch, log->state.epoch + 1);
    struct drxi_run run = begin_run(log);
    drx_status st;

    drxi_put_epoch(&run, log->lone->variable, (uint32_t)epoch);
    if ((st = end_log_run(log, &run)))
        return st;
    log->state.epoch = epoch;
    log->epoch = epoch + 1;
    return DRX_OK;
}
