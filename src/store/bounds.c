/* Bounds and maps of variables, from the steps of their dimensions (spec/drx-format.md, section 6). */
#include "store/kinds.h"

/* A type of drx.h of as many bytes, for the map alone, which needs nothing else of it. */
static drx_type type_of(const struct drxi_store *s, const struct drxi_variable *v)
{
    const drx_type type = drxi_store_drx_type(s, v->type);

    if (type || v->type < 256)
        return type ? type : (drx_type)v->type;
    return v->item_bytes > 0 && v->item_bytes <= DRX_MAX_STRING_BYTES ? DRX_BYTES((int)v->item_bytes) : DRX_UINT8;
}

static drx_status describe_variable(const struct drxi_store *s, const struct drxi_variable *v, struct drxi_desc *d,
                                    uint16_t dim[])
{
    *d = (struct drxi_desc){ .ndim = v->made_ndim,
                             .type = type_of(s, v),
                             .chunk_order = v->order ? DRX_COL_MAJOR : DRX_ROW_MAJOR,
                             .flags = v->flags,
                             .shells = v->initial == DRXI_SHELLS,
                             .align = v->align };
    memcpy(d->id, s->id, sizeof d->id);
    if (s->kind == DRXI_DATASET) /* the arrays of a dataset differ */
        drxi_put16(d->id, (uint16_t)(drxi_get16(d->id) ^ v->thing.number));
    memcpy(d->chunk, v->made_chunk, sizeof d->chunk);
    memcpy(dim, v->made_dim, sizeof v->made_dim);
    for (int j = 0; j < v->made_ndim; j++)
        d->shape[j] = v->made_upper[j] - v->made_lower[j];
    if (v->made_ndim == 0) { /* a scalar is an array of one element, on an axis that no dimension has yet; a null
                                variable one of none */
        d->ndim = 1;
        d->shape[0] = v->null ? 0 : 1;
        d->chunk[0] = 1;
        dim[0] = 0;
    }
    d->codec = (struct drxi_codec){ (drx_codec)v->codec, v->level, (drx_shuffle)v->shuffle };
    d->fill = v->fill ? drxi_keep_swapped(v->fill, v->item_bytes, d->type) : drxi_keep_element(NULL, v->item_bytes);
    return d->fill ? DRX_OK : DRX_ENOMEM;
}

/* ---- steps ---- */

static drx_status take_step(const struct drxi_store *s, struct drxi_state *out, uint16_t dim[],
                            const struct drxi_variable *v, const struct drxi_change_of *c)
{
    const int ndim = out->desc.ndim;
    struct drxi_step step;
    drx_status st = DRX_OK;

    if (c->kind == DRXI_LOG_AXIS) {
        if (c->variable != v->thing.number)
            return DRX_OK;
        if (v->made_ndim == 0 && dim[0] == 0) { /* the one that a scalar's map has */
            dim[0] = c->number;
            return DRX_OK;
        }
        if ((st = drxi_state_prepare_axis(out)))
            return st;
        drxi_state_add_axis(out, c->at);
        memmove(dim + c->at + 1, dim + c->at, (size_t)(ndim - c->at) * sizeof *dim);
        dim[c->at] = c->number;
        return DRX_OK;
    }
    for (int j = 0; !st && j < ndim; j++) {
        const struct drxi_trimming trim = { j, c->a, c->b };
        const enum drxi_end e = c->a < 0 ? DRXI_LOW : DRXI_HIGH;

        if (dim[j] != c->number)
            continue;
        if (c->kind == DRXI_LOG_GROW) {
            if (!(st = drxi_state_prepare(out, j, e, c->a < 0 ? -c->a : c->a, &step)))
                drxi_state_grow(out, &step);
        } else if (!(st = drxi_state_prepare_trim(out, &trim))) {
            drxi_state_trim(out, &trim);
            if (c->sequence < s->last_sync) /* it was given back */
                drxi_freed_clear(&out->freed);
        }
    }
    return st;
}

drx_status drxi_store_follow(const struct drxi_store *s, const struct drxi_variable *v, struct drxi_state *out,
                             uint16_t dim[], int64_t *step)
{
    const int64_t end = drxi_min(v->last_step, s->steps);
    drx_status st = DRX_OK;

    while (!st && *step < end)
        if (!(st = take_step(s, out, dim, v, &s->step[*step]))) {
            if (s->step[*step].sequence < s->last_sync)
                out->synced_chunks = out->map.chunks;
            ++*step;
        }
    return st;
}

drx_status drxi_store_map(const struct drxi_store *s, const struct drxi_variable *v, struct drxi_state *out,
                          int64_t *step)
{
    uint16_t dim[DRX_MAX_NDIM];
    struct drxi_desc d;
    int64_t most;
    drx_status st = drxi_most_chunks(v, &most);

    memset(out, 0, sizeof *out);
    *step = -1;
    if (!st)
        st = describe_variable(s, v, &d, dim);
    if (st)
        return st;
    *step = v->first_step;
    st = drxi_state_start(out, &d, v->made_lower, most);
    out->synced_chunks = st || s->last_sync == 0 ? 0 : out->map.chunks;
    return st ? st : drxi_store_follow(s, v, out, dim, step);
}
