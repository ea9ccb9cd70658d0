/* A new log, and one with other stripes. */
#include "lone/lone.h"

drx_status drxi_lone_describe_variable(const struct drxi_state *s, struct drxi_variable *v)
{
    const struct drxi_desc *d = &s->desc;

    *v = (struct drxi_variable){ .ndim = d->ndim, .align = d->align };
    memcpy(v->chunk, d->chunk, sizeof v->chunk);
    v->item_bytes = (uint32_t)drx_type_size(d->type);
    v->order = d->chunk_order == DRX_COL_MAJOR;
    v->initial = d->shells;
    v->codec = (uint8_t)d->codec.codec;
    v->level = (uint8_t)d->codec.level;
    v->shuffle = (uint8_t)d->codec.shuffle;
    v->flags = d->flags;
    if (drxi_is_zero(d->fill, v->item_bytes))
        return DRX_OK;
    v->fill = drxi_keep_swapped(d->fill, v->item_bytes, d->type);
    return v->fill ? DRX_OK : DRX_ENOMEM;
}

static void put_first(struct drxi_run *run, void *with)
{
    static const struct drxi_store none = { .kind = DRXI_LONE_ARRAY };
    const struct drxi_state *s = with;
    struct drxi_variable v;

    run->failed = drxi_lone_describe_variable(s, &v);
    v.thing.number = 1;
    for (int j = 0; j < v.ndim; j++) {
        const int64_t bounds[2] = { s->lower[j], s->upper[j] };

        v.dim[j] = (uint16_t)(j + 1);
        drxi_put_dimension(run, v.dim[j], 0, bounds, s->dim[j] ? s->dim[j] : "");
    }
    v.type = drxi_put_type(run, &none, 0, "", s->desc.type);
    drxi_put_variable(run, &v);
    drxi_put_stripes(run, 1, &s->stripes);
    drxi_put_source(run, 1, s->source);
}

drx_status drxi_log_create(struct drxi_log *log)
{
    drx_status st = drxi_lone_begin(log, NULL, 1);
    struct drxi_lone *l = log->lone;

    if (st)
        return st;
    l->store->kind = DRXI_LONE_ARRAY;
    memcpy(l->store->id, log->state.desc.id, sizeof l->store->id);
    for (int j = 0; !st && j < log->state.desc.ndim; j++)
        st = log->state.dim[j] ? drxi_lone_check_name(log, log->state.dim[j]) : DRX_OK;
    if (st)
        return st;
    st = drxi_store_create(l->store, log->io, put_first, &log->state);
    if (st == DRX_EINVAL) /* names were looked at: it is a limit */
        st = drxi_fail(DRX_EOVERFLOW, "%s: %s", log->io->path, drx_last_error());
    if (st)
        return st;
    drxi_lone_took(log);
    log->state.chain = l->store->end;
    return DRX_OK;
}

/* Records of a copy, and the stripes that it has. */
struct sealing {
    struct drxi_run run;
    const struct drxi_stripes *stripes;
    bool named;
};

/* The first STRIPES tells the new ones, later ones are left out; then the record before them ends their run. */
static drx_status seal_again(void *arg, const struct drxi_log_record *r)
{
    struct sealing *x = arg;

    if (r->at == DRXI_LOG_AT)
        x->run.sequence = r->sequence - 1;
    if (r->kind != DRXI_LOG_STRIPES)
        drxi_put_again(&x->run, r);
    else if (!x->named)
        drxi_put_stripes(&x->run, r->number, x->stripes);
    x->named = x->named || r->kind == DRXI_LOG_STRIPES;
    if (r->flags & DRXI_C)
        drxi_run_count(&x->run);
    return x->run.failed;
}

/* What does not count stays behind. Nobody has read the copy before a trim, so its live words are 0. */
drx_status drxi_log_restripe(const struct drxi_log *log, const struct drxi_stripes *stripes, drxi_io *to)
{
    const struct drxi_store *s = log->lone->store;
    struct sealing x = { drxi_run_at(&s->head), stripes, false };
    struct drxi_log_place at = s->head;
    drx_status st = drxi_store_skim(log->io, &at, s->end.end, false, seal_again, &x, NULL);

    if (!st && at.end != s->end.end)
        st = drxi_fail(DRX_EDAMAGED, "%s: changed while it was copied", log->io->path);
    if (!st)
        st = drxi_store_write_head(s, to, 0);
    if (!st)
        st = to->ops->write(to, x.run.bytes, (size_t)x.run.n, x.run.at);
    drxi_run_free(&x.run);
    return st;
}
