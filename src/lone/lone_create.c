/* A new log, and one with other stripes. */
#include "lone/lone.h"

/* A type of strings has a record. */
uint32_t drxi_lone_put_type(struct drxi_run *run, drx_type type, uint16_t number)
{
    if (!DRX_IS_STRING(type))
        return (uint32_t)type;
    drxi_run_begin(run, DRXI_LOG_TYPE, number);
    drxi_run16(run, 0);
    drxi_run_text(run, "");
    drxi_run8(run, DRX_IS_BYTES(type) ? 1 : 2);
    drxi_run_zeros(run, 3);
    drxi_run32(run, (uint32_t)drx_type_size(type));
    drxi_run_end(run);
    return UINT32_C(256) + number;
}

void drxi_lone_describe_variable(const struct drxi_state *s, uint8_t fill[], struct drxi_variable *v)
{
    const struct drxi_desc *d = &s->desc;

    *v = (struct drxi_variable){ .ndim = d->ndim, .align = d->align };
    memcpy(v->chunk, d->chunk, sizeof v->chunk);
    v->item_bytes = (uint32_t)drx_type_size(d->type);
    v->order = d->chunk_order == DRX_COL_MAJOR;
    v->initial = (d->flags & DRXI_DESC_SHELL) != 0;
    v->flags = (uint8_t)((d->flags & DRXI_DESC_CHECKSUM ? 1 : 0) | (s->stripes.n > 0 ? 2 : 0));
    if (d->codec.codec != DRX_RAW) {
        v->codec = d->codec.codec == DRX_ZSTD ? 1 : d->codec.codec == DRX_LZ4 ? 2 : 3;
        v->level = (uint8_t)d->codec.level;
        v->shuffle = (uint8_t)d->codec.shuffle;
    }
    memcpy(fill, d->fill, v->item_bytes);
    drxi_swap(fill, v->item_bytes, d->type);
    v->fill = drxi_is_zero(fill, v->item_bytes) ? NULL : fill;
}

static void put_first(struct drxi_run *run, void *with)
{
    const struct drxi_state *s = with;
    uint8_t fill[DRXI_ITEM_MAX_BYTES];
    struct drxi_variable v;

    drxi_lone_describe_variable(s, fill, &v);
    v.thing.number = 1;
    for (int j = 0; j < v.ndim; j++) {
        const int64_t bounds[2] = { s->lower[j], s->upper[j] };

        v.dim[j] = (uint16_t)(j + 1);
        drxi_put_dimension(run, v.dim[j], 0, bounds, s->dim[j] ? s->dim[j] : "");
    }
    v.type = drxi_lone_put_type(run, s->desc.type, 1);
    drxi_put_variable(run, &v);
    if (s->stripes.n > 0)
        drxi_put_stripes(run, 1, &s->stripes);
}

drx_status drxi_lone_create(struct drxi_log *log)
{
    drx_status st = drxi_lone_begin(log, NULL, 1);
    struct drxi_lone *l = log->lone;

    if (st)
        return st;
    l->store->kind = DRXI_LONE_ARRAY;
    memcpy(l->store->id, log->state.desc.id, sizeof l->store->id);
    for (int j = 0; !st && j < log->state.desc.ndim; j++)
        st = log->state.dim[j] ? drxi_lone_check_name(log, log->state.dim[j], strlen(log->state.dim[j])) : DRX_OK;
    if (st)
        return st;
    st = drxi_store_create(l->store, log->io, put_first, &log->state);
    if (st == DRX_EINVAL) /* names were looked at: it is a limit */
        st = drxi_fail(DRX_EOVERFLOW, "%s: %s", log->io->path, drx_last_error());
    if (st)
        return st;
    drxi_lone_took(log);
    log->state.chain = drxi_lone_chain(&l->store->end);
    return DRX_OK;
}

drx_status drxi_lone_write_head(drxi_io *io, const struct drxi_store *s, uint64_t trims)
{
    uint8_t head[DRXI_STORE_HEAD_BYTES], words[DRXI_LIVE_BYTES] = { 0 };
    drx_status st;

    (void)drxi_store_head_encode(s->kind, s->id, head);
    drxi_put64(words, trims);
    st = io->ops->write(io, head, sizeof head, 0);
    return st ? st : io->ops->write(io, words, sizeof words, DRXI_LIVE_AT);
}

/* The first STRIPES tells the new ones, later ones are left out; then the record before them ends their run. */
static void seal_again(struct drxi_run *run, const struct drxi_log_record *r, const struct drxi_stripes *stripes,
                       bool *named)
{
    if (r->kind != DRXI_LOG_STRIPES) {
        drxi_run_begin(run, (enum drxi_log_kind)r->kind, r->number);
        drxi_run_bytes(run, r->payload, r->payload_bytes);
        drxi_run_end(run);
    } else if (!*named) {
        drxi_put_stripes(run, r->number, stripes);
        *named = true;
    }
    if (r->flags & DRXI_C)
        drxi_run_count(run);
}

/* What does not count stays behind. Nobody has read the copy before a trim, so its live words are 0. */
drx_status drxi_lone_restripe(const struct drxi_log *log, const struct drxi_stripes *stripes, drxi_io *to)
{
    const struct drxi_store *s = log->lone->store;
    const int64_t n = s->end.end - DRXI_LOG_AT;
    struct drxi_run run = drxi_run_at(&s->head);
    uint8_t *bytes = drxi_malloc((size_t)n);
    struct drxi_log_record r = { .kind = 0 };
    bool named = false;
    size_t got = 0;
    drx_status st = bytes ? log->io->ops->read(log->io, bytes, (size_t)n, DRXI_LOG_AT, &got) : DRX_ENOMEM;

    if (!st && (int64_t)got < n)
        st = drxi_fail(DRX_EDAMAGED, "%s: became shorter while it was copied", log->io->path);
    for (int64_t at = 0; !st && at < n; at += (int64_t)r.bytes) {
        if (!drxi_log_record_decode(bytes + at, (size_t)(n - at), DRXI_LOG_AT + at, &r))
            st = drxi_fail(DRX_EDAMAGED, "%s: changed while it was copied", log->io->path);
        else if (at == 0)
            run.sequence = r.sequence - 1;
        if (!st)
            seal_again(&run, &r, stripes, &named);
    }
    if (!st)
        st = run.failed ? run.failed : drxi_lone_write_head(to, s, 0);
    if (!st)
        st = to->ops->write(to, run.bytes, (size_t)run.n, run.at);
    drxi_free(bytes);
    drxi_run_free(&run);
    return st;
}
