/* Changes, appended as records. */
#include "lone/lone.h"

static drx_status cut(struct drxi_log *log)
{
    drx_status st = log->io->ops->resize(log->io, log->lone->store->end.end);

    if (!st)
        st = log->io->ops->sync(log->io);
    if (st)
        log->broken = st;
    drxi_run_free(&log->lone->open);
    log->lone->tail = st != DRX_OK;
    log->state.chain = drxi_lone_chain(&log->lone->store->end);
    log->state.intent_open = false;
    return st;
}

drx_status drxi_lone_drop(struct drxi_log *log)
{
    drx_status st;

    if (!log->lone->tail)
        return DRX_OK;
    st = log->follows ? DRX_OK : drxi_log_check_open(log);
    return st ? st : cut(log);
}

static drx_status append_run(struct drxi_log *log, struct drxi_run *run, int64_t written)
{
    struct drxi_lone *l = log->lone;
    bool lost;
    drx_status st;

    drxi_run_count(run);
    st = drxi_store_append(l->store, log->io, run, written, &lost);
    if (st && lost)
        log->broken = st;
    if (st)
        return st;
    l->tail = false;
    drxi_lone_took(log);
    log->state.chain = drxi_lone_chain(&l->store->end);
    log->state.at_sync = l->store->ends_with_sync;
    log->state.intent_open = false;
    if (log->state.at_sync)
        drxi_lone_take_promise(log);
    return DRX_OK;
}

static drx_status begin_append(struct drxi_log *log, const struct drxi_growth *g)
{
    struct drxi_lone *l = log->lone;
    bool lost = false;
    drx_status st;

    drxi_run_free(&l->open);
    l->open = drxi_run_at(&l->store->end);
    drxi_put_grow(&l->open, drxi_lone_variable(log)->dim[g->axis], g->end == DRXI_LOW ? -g->by : g->by, g->bound);
    st = drxi_store_append_open(l->store, log->io, &l->open, &lost);
    if (st && lost)
        log->broken = st;
    if (st) {
        drxi_run_free(&l->open);
        return st;
    }
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

drx_status drxi_lone_check_name(const struct drxi_log *log, const char *name, size_t n)
{
    if (n == 0 || drxi_is_path_name((struct drxi_text){ name, n }, DRXI_PATH_NAME_BYTES))
        return DRX_OK;
    return drxi_fail(
        DRX_EINVAL,
        "%s: an axis named \"%.*s\", expected 1 to %d bytes of UTF-8 without a slash, not beginning with a "
        "dot",
        log->io->path, (int)n, name, DRXI_PATH_NAME_BYTES);
}

static drx_status put_name(const struct drxi_log *log, struct drxi_run *run, const struct drxi_record *record)
{
    static const int64_t one[2] = { 0, 1 };
    const struct drxi_store *s = log->lone->store;
    char text[DRXI_PATH_NAME_BYTES + 1];
    const char *name;
    size_t n;
    drx_status st;

    if (!drxi_name_decode(record, &name, &n))
        return drxi_fail(DRX_EINVAL, "%s: a name that is none", log->io->path);
    if (record->kind != DRXI_ATTR_DELETE && (st = drxi_lone_check_name(log, name, n)))
        return st;
    if (record->kind == DRXI_ATTR_DELETE) {
        char *copy = drxi_format("%.*s", (int)n, name);

        if (!copy)
            return DRX_ENOMEM;
        drxi_put_attribute_delete(run, DRXI_A_VARIABLE, log->lone->variable, copy);
        drxi_free(copy);
        return DRX_OK;
    }
    memcpy(text, name, n);
    text[n] = '\0';
    if (record->kind == DRXI_DIM_NAME) {
        drxi_put_rename(run, DRXI_A_DIMENSION, drxi_lone_variable(log)->dim[record->arg], text);
    } else {
        drxi_put_dimension(run, drxi_store_next(s, DRXI_A_DIMENSION), 0, one, text);
        drxi_put_axis(run, 1, record->arg, drxi_store_next(s, DRXI_A_DIMENSION));
    }
    return DRX_OK;
}

static drx_status put(struct drxi_log *log, struct drxi_run *run, const struct drxi_record *record)
{
    struct drxi_attr_payload attr;
    struct drxi_trimming t;
    struct drxi_growth g;

    switch ((enum drxi_kind)record->kind) {
    case DRXI_GROW:
    case DRXI_GROW_LOW:
        (void)drxi_growth_decode(record, &g);
        drxi_put_grow(run, drxi_lone_variable(log)->dim[g.axis], g.end == DRXI_LOW ? -g.by : g.by, g.bound);
        return DRX_OK;
    case DRXI_TRIM:
        (void)drxi_trim_decode(record, &t);
        drxi_put_trim(run, drxi_lone_variable(log)->dim[t.axis], t.lower, t.upper);
        return DRX_OK;
    case DRXI_ATTR:
        (void)drxi_attr_decode(record, &attr);
        drxi_put_attribute(run, DRXI_A_VARIABLE, log->lone->variable, &attr);
        return DRX_OK;
    case DRXI_ATTR_DELETE:
    case DRXI_DIM_NAME:
    case DRXI_ADD_AXIS:
        return put_name(log, run, record);
    case DRXI_SYNC:
        drxi_put_sync(run);
        return DRX_OK;
    default:
        return drxi_fail(DRX_EINVAL, "%s: a change of kind %d", log->io->path, record->kind);
    }
}

drx_status drxi_lone_append(struct drxi_log *log, enum drxi_kind kind, const struct drxi_record *record)
{
    struct drxi_lone *l = log->lone;
    struct drxi_growth g;
    struct drxi_run run;
    drx_status st = DRX_OK;

    if ((kind == DRXI_GROW || kind == DRXI_GROW_LOW) && l->open.n > 0)
        return end_append(log);
    if ((st = drxi_lone_drop(log)))
        return st;
    if ((kind == DRXI_INTENT || kind == DRXI_INTENT_LOW) && drxi_growth_decode(record, &g))
        return begin_append(log, &g);
    run = drxi_run_at(&l->store->end);
    st = put(log, &run, record);
    if (!st)
        st = append_run(log, &run, 0);
    drxi_run_free(&run);
    return st;
}

drx_status drxi_lone_append_stripes(struct drxi_log *log, const struct drxi_stripes *stripes)
{
    struct drxi_run run;
    drx_status st = drxi_lone_drop(log);

    if (st)
        return st;
    run = drxi_run_at(&log->lone->store->end);
    drxi_put_stripes(&run, 1, stripes);
    st = append_run(log, &run, 0);
    drxi_run_free(&run);
    return st;
}

/* A run of its own, since a power cut must not leave the SYNC behind it alone. */
drx_status drxi_lone_append_epoch(struct drxi_log *log, uint32_t epoch)
{
    struct drxi_run run;
    drx_status st = drxi_lone_drop(log);

    if (st)
        return st;
    run = drxi_run_at(&log->lone->store->end);
    drxi_put_epoch(&run, log->lone->variable, epoch);
    st = append_run(log, &run, 0);
    drxi_run_free(&run);
    return st;
}
