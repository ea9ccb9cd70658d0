#include "log/state.h"

enum { CHECKSUM_BYTES = 8 }; /* an entry of the file of checksums */

drx_status drxi_chunk_pitch(const struct drxi_desc *desc, int64_t *bytes)
{
    int64_t n = (int64_t)drx_type_size(desc->type);
    bool fits = true;

    for (int j = 0; j < desc->ndim; j++)
        fits = fits && drxi_mul(n, desc->chunk[j], &n);
    if (!fits || !drxi_add(n, desc->align - 1, &n))
        return drxi_fail(DRX_EOVERFLOW, "the bytes of a chunk overflow 64 bits");
    *bytes = n / desc->align * desc->align;
    return DRX_OK;
}

int64_t drxi_state_chunks_end(const struct drxi_state *s, int axis)
{
    return drxi_mul_saturated(s->map.bound[axis], s->desc.chunk[axis]);
}

static enum drxi_map_order initial_order(uint32_t flags)
{
    return flags & DRXI_DESC_SHELL        ? DRXI_MAP_SHELLS
           : flags & DRXI_DESC_SHELL_LAST ? DRXI_MAP_SHELLS_LAST
                                          : DRXI_MAP_ROWS;
}

drx_status drxi_state_init(struct drxi_state *s, const struct drxi_desc *desc)
{
    int64_t bound[DRX_MAX_NDIM];
    int64_t pitch_bytes = 0;
    drx_status st;

    memset(s, 0, sizeof *s);
    s->desc = *desc;
    s->member.settled = -1;
    if ((st = drxi_chunk_pitch(desc, &pitch_bytes)))
        return st;
    s->most_chunks = INT64_MAX / drxi_max(pitch_bytes, desc->flags & DRXI_DESC_CHECKSUM ? CHECKSUM_BYTES : 1);
    for (int j = 0; j < desc->ndim; j++) {
        s->shape[j] = desc->shape[j];
        bound[j] = drxi_ceil_div(desc->shape[j], desc->chunk[j]);
    }
    st = drxi_map_init(&s->map, desc->ndim, bound, initial_order(desc->flags));
    if (!st && s->map.chunks > s->most_chunks)
        st = drxi_fail(DRX_EOVERFLOW, "%lld chunks of %lld bytes overflow 64 bits", (long long)s->map.chunks,
                       (long long)pitch_bytes);
    return st;
}

void drxi_state_free(struct drxi_state *s)
{
    for (int j = 0; j < DRX_MAX_NDIM; j++)
        drxi_free(s->dim[j]);
    drxi_attrs_free(&s->attrs);
    drxi_free(s->growth_axis);
    drxi_free(s->growth_by);
    drxi_map_free(&s->map);
    drxi_stripes_free(&s->stripes);
    memset(s, 0, sizeof *s);
}

drx_status drxi_state_prepare(struct drxi_state *s, int axis, int64_t by, struct drxi_step *step)
{
    int64_t bound;
    drx_status st;

    if (!drxi_add(s->shape[axis], by, &bound))
        return drxi_fail(DRX_EOVERFLOW, "axis %d: growing by %lld from %lld overflows 64 bits", axis, (long long)by,
                         (long long)s->shape[axis]);
    step->growth = (struct drxi_growth){ axis, by, bound };
    step->by_chunks = drxi_ceil_div(bound, s->desc.chunk[axis]) - s->map.bound[axis];
    step->chunks_before = s->map.chunks;
    if ((st = drxi_map_prepare(&s->map, axis, step->by_chunks, &step->chunks_after)))
        return st;
    if (step->chunks_after > s->most_chunks)
        return drxi_fail(DRX_EOVERFLOW, "axis %d: growing by %lld to %lld: the bytes of %lld chunks overflow 64 bits",
                         axis, (long long)by, (long long)bound, (long long)step->chunks_after);
    st = drxi_reserve(&s->growth_axis, &s->growth_axis_room, s->growths + 1, sizeof *s->growth_axis);
    if (st)
        return st;
    return drxi_reserve(&s->growth_by, &s->growth_by_room, s->growths + 1, sizeof *s->growth_by);
}

void drxi_state_grow(struct drxi_state *s, const struct drxi_step *step)
{
    s->growth_runs += step->by_chunks > 0 && (s->growth_runs == 0 || s->map.last_axis != step->growth.axis);
    drxi_map_grow(&s->map, step->growth.axis, step->by_chunks);
    s->shape[step->growth.axis] = step->growth.bound;
    s->growth_axis[s->growths] = (uint8_t)step->growth.axis;
    s->growth_by[s->growths++] = step->growth.by;
}

void drxi_state_set_dim(struct drxi_state *s, int axis, char *made)
{
    drxi_free(s->dim[axis]);
    s->dim[axis] = made;
}

static const drx_status nonsense = DRX_EDAMAGED;

static bool plausible(const struct drxi_state *s, const struct drxi_growth *g)
{
    int64_t bound;

    return g->axis < s->desc.ndim && g->by > 0 && drxi_add(s->shape[g->axis], g->by, &bound) && bound == g->bound;
}

static drx_status apply_grow(struct drxi_state *s, const struct drxi_record *record)
{
    struct drxi_growth growth;
    struct drxi_step step;
    drx_status st;

    if (!drxi_growth_decode(record, &growth) || !plausible(s, &growth))
        return nonsense;
    st = drxi_state_prepare(s, growth.axis, growth.by, &step);
    if (st)
        return st == DRX_EOVERFLOW ? nonsense : st;
    drxi_state_grow(s, &step);
    return DRX_OK;
}

static drx_status apply_dim_name(struct drxi_state *s, const struct drxi_record *record)
{
    const char *name;
    size_t name_bytes;
    char *made = NULL;

    if (!drxi_name_decode(record, &name, &name_bytes) || record->arg >= s->desc.ndim)
        return nonsense;
    if (name_bytes > 0 && !(made = drxi_format("%.*s", (int)name_bytes, name)))
        return DRX_ENOMEM;
    drxi_state_set_dim(s, record->arg, made);
    return DRX_OK;
}

static drx_status apply_sync(struct drxi_state *s, const struct drxi_record *record)
{
    int64_t chunks;

    if (!drxi_sync_decode(record, &chunks) || chunks != s->map.chunks)
        return nonsense;
    s->synced_chunks = chunks;
    s->ever_synced = true;
    return DRX_OK;
}

/* This is the first record, or gives other folders for the same stripes. */
static drx_status apply_stripes(struct drxi_state *s, const struct drxi_record *record)
{
    struct drxi_stripes stripes;
    bool good;
    drx_status st = drxi_stripes_decode(record, &stripes, &good);

    if (st)
        return st;
    if (!good)
        return nonsense;
    if (s->chain.sequence > 0 && (s->stripes.n != stripes.n || strcmp(s->stripes.stem, stripes.stem) != 0)) {
        drxi_stripes_free(&stripes);
        return nonsense;
    }
    drxi_stripes_free(&s->stripes);
    s->stripes = stripes;
    return DRX_OK;
}

/* A dataset makes elements durable before it commits, so that each record but the first promises the chunks. */
static drx_status apply_member(struct drxi_state *s, const struct drxi_record *record)
{
    struct drxi_membership member;

    if (!drxi_member_decode(record, &member))
        return nonsense;
    if (s->is_member) {
        s->synced_chunks = s->map.chunks;
        s->ever_synced = true;
    }
    s->is_member = true;
    s->member = member;
    return DRX_OK;
}

static drx_status apply_kind(struct drxi_state *s, const struct drxi_record *record)
{
    switch (record->kind) {
    case DRXI_GROW:
        return apply_grow(s, record);
    case DRXI_INTENT:
        return drxi_growth_decode(record, &s->intent) && plausible(s, &s->intent) ? DRX_OK : nonsense;
    case DRXI_SYNC:
        return apply_sync(s, record);
    case DRXI_ATTR:
        return drxi_attrs_apply_set(&s->attrs, record);
    case DRXI_ATTR_DELETE:
        return drxi_attrs_apply_delete(&s->attrs, record);
    case DRXI_DIM_NAME:
        return apply_dim_name(s, record);
    case DRXI_STRIPES:
        return apply_stripes(s, record);
    case DRXI_MEMBER:
        return apply_member(s, record);
    default:
        s->unknown_records = true;
        return record->kind >= DRXI_OPTIONAL
                   ? DRX_OK
                   : drxi_fail(DRX_EUNSUPPORTED, "a record of the unknown kind %d", record->kind);
    }
}

drx_status drxi_state_apply(struct drxi_state *s, const struct drxi_record *record)
{
    drx_status st = apply_kind(s, record);

    if (st)
        return st;
    s->intent_open = record->kind == DRXI_INTENT;
    s->at_sync = record->kind == DRXI_SYNC;
    drxi_chain_advance(&s->chain, record);
    return DRX_OK;
}
