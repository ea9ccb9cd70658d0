/* The state of the log follows the store. */
#include "lone/lone.h"

struct drxi_variable *drxi_lone_variable(const struct drxi_log *log)
{
    return drxi_store_variable(log->lone->store, log->lone->variable);
}

drx_status drxi_lone_begin(struct drxi_log *log, struct drxi_store *store, uint16_t variable)
{
    struct drxi_lone *l = drxi_calloc(1, sizeof *l);

    log->lone = l;
    if (!l)
        return DRX_ENOMEM;
    l->open.last = -1;
    l->most = INT64_MAX;
    l->store = store ? store : &l->own;
    l->variable = variable;
    return DRX_OK;
}

/* An attribute of a type that drx_type has not is none of the array's calls. */
static drx_status take_attributes(struct drxi_log *log)
{
    const struct drxi_attrs *from = &drxi_lone_variable(log)->thing.attrs;
    struct drxi_attrs before = log->state.attrs, all = { .n = 0 };
    struct drxi_attr made;
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < from->n; i++) {
        const struct drxi_attr *a = &from->item[i];
        const struct drxi_attr_payload payload = { a->name, strlen(a->name), a->type, a->is_text, a->n, a->values };

        if (a->type && a->rank != DRXI_NULL && !(st = drxi_attrs_make(&all, &payload, &made)))
            drxi_attrs_set(&all, &made);
    }
    if (!st)
        log->state.attrs = all;
    drxi_attrs_free(st ? &all : &before);
    return st;
}

static drx_status take_dimensions(struct drxi_log *log)
{
    const struct drxi_variable *v = drxi_lone_variable(log);

    for (int j = 0; j < v->ndim; j++) {
        const char *name = drxi_thing_name(&drxi_store_dimension(log->lone->store, v->dim[j])->thing);
        char *copy = NULL;

        if (strcmp(name, log->state.dim[j] ? log->state.dim[j] : "") == 0)
            continue;
        if (*name && !(copy = drxi_strdup(name)))
            return DRX_ENOMEM;
        drxi_state_set_dim(&log->state, j, copy);
    }
    return DRX_OK;
}

static drx_status take_stripes(struct drxi_log *log)
{
    const struct drxi_stripes *from = &drxi_lone_variable(log)->stripes;
    struct drxi_stripes made;
    drx_status st;

    if (from->n == 0)
        return DRX_OK;
    if ((st = drxi_stripes_copy(from, &made)))
        return st;
    drxi_stripes_free(&log->state.stripes);
    log->state.stripes = made;
    return DRX_OK;
}

static drx_status take_source(struct drxi_log *log)
{
    drx_source *made;
    const drx_status st = drxi_source_copy(drxi_lone_variable(log)->source, &made);

    if (st)
        return st;
    drxi_free(log->state.source);
    log->state.source = made;
    return DRX_OK;
}

/* The last SYNC of a lone array promises the lengths of files as of then (5.3). A dataset promises those of raw
 * elements whose fill has to be written. */
void drxi_lone_take_promise(struct drxi_log *log)
{
    if (log->lone->store->kind == DRXI_DATASET) {
        const struct drxi_variable *v = drxi_lone_variable(log);

        log->state.ever_synced = true;
        log->state.synced_chunks = v->fill && !v->codec ? log->state.map.chunks : 0;
        return;
    }
    log->state.ever_synced = log->lone->store->last_sync > 0 || drxi_lone_variable(log)->epoch > 0;
    if (log->lone->store->ends_with_sync)
        log->state.synced_chunks = log->state.map.chunks;
}

void drxi_lone_took(const struct drxi_log *log)
{
    struct drxi_lone *l = log->lone;

    l->taken = l->store->steps;
    l->named = l->store->named;
    memcpy(l->dim, drxi_lone_variable(log)->dim, sizeof l->dim);
}

/* What does not depend on bounds. */
void drxi_lone_take_rest(struct drxi_log *log)
{
    const struct drxi_store *s = log->lone->store;
    const struct drxi_variable *v = drxi_lone_variable(log);
    struct drxi_state *state = &log->state;

    state->chain = s->counts;
    state->at_sync = s->ends_with_sync;
    drxi_lone_take_promise(log);
    state->epoch = v->epoch;
    state->trimmed = state->trimmed || s->last_trim > 0;
    state->unknown_records = s->optional;
    state->intent_open = state->unknown_open = false;
    if (s->ends_with_sync)
        drxi_freed_clear(&state->freed);
    drxi_lone_took(log);
}

static drx_status check_supported(const struct drxi_log *log)
{
    const struct drxi_variable *v = drxi_lone_variable(log);
    const bool no_axes = v->ndim == 0 && log->lone->store->kind == DRXI_LONE_ARRAY;
    const char *const what = v->refused       ? "an array with values of a later version"
                             : no_axes        ? "an array without axes"
                             : v->initial > 1 ? "an array whose first chunks are in Z order"
                                              : NULL;

    return what ? drxi_fail(DRX_EUNSUPPORTED, "%s: %s, which this version of the library does not read", log->io->path,
                            what)
                : DRX_OK;
}

drx_status drxi_lone_take_names(struct drxi_log *log)
{
    drx_status st = take_attributes(log);

    if (!st)
        st = take_dimensions(log);
    if (!st)
        st = take_source(log);
    return st ? st : take_stripes(log);
}

drx_status drxi_lone_take_all(struct drxi_log *log)
{
    struct drxi_state before = log->state, state;
    int64_t step;
    drx_status st = check_supported(log);

    if (st)
        return st;
    if ((st = drxi_store_map(log->lone->store, drxi_lone_variable(log), &state, &step))) {
        drxi_state_free(&state);
        return st;
    }
    state.fixed_axes = before.fixed_axes;
    log->state = state;
    if ((st = drxi_lone_take_names(log))) { /* what was there before stays */
        state = log->state;
        log->state = before;
        before = state;
    } else {
        drxi_lone_take_rest(log);
    }
    drxi_state_free(&before);
    return st;
}

static bool has_new_axis(const struct drxi_store *s, const struct drxi_variable *v, int64_t from)
{
    for (int64_t i = from; i < s->steps; i++)
        if (s->step[i].kind == DRXI_LOG_AXIS && s->step[i].variable == v->thing.number)
            return true;
    return false;
}

drx_status drxi_lone_take_new(struct drxi_log *log)
{
    const struct drxi_store *s = log->lone->store;
    const struct drxi_variable *v = drxi_lone_variable(log);
    uint16_t dim[DRX_MAX_NDIM];
    drx_status st = DRX_OK;

    if (has_new_axis(s, v, log->lone->taken)) {
        if (log->state.fixed_axes && v->ndim != log->state.desc.ndim) /* a scalar has one before */
            return drxi_fail(DRX_EMISMATCH,
                             "%s: it has got one more axis since it was opened: close it, and open it again",
                             log->io->path);
        return drxi_lone_take_all(log);
    }
    memcpy(dim, v->dim, sizeof dim);
    if (log->lone->taken == 0 || s->step[log->lone->taken - 1].sequence < s->last_sync)
        log->state.synced_chunks = s->last_sync > 0 ? log->state.map.chunks : 0;
    st = drxi_store_follow(s, v, &log->state, dim, &log->lone->taken);
    if (!st && s->named != log->lone->named)
        st = drxi_lone_take_names(log);
    else if (!st)
        st = take_stripes(log);
    if (!st)
        drxi_lone_take_rest(log);
    return st;
}
