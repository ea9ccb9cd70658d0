/* The records of the log, applied to the state. */
#include "log/state.h"

static const drx_status nonsense = DRX_EDAMAGED;

static bool plausible(const struct drxi_state *s, const struct drxi_growth *g)
{
    int64_t bound;

    if (g->axis >= s->desc.ndim || g->by <= 0)
        return false;
    if (g->end == DRXI_LOW)
        return drxi_add(s->lower[g->axis], -g->by, &bound) && bound == g->bound && bound >= DRXI_LEAST_INDEX;
    return drxi_add(s->upper[g->axis], g->by, &bound) && bound == g->bound;
}

static drx_status apply_grow(struct drxi_state *s, const struct drxi_record *record)
{
    struct drxi_growth growth;
    struct drxi_step step;
    drx_status st;

    if (!drxi_growth_decode(record, &growth) || !plausible(s, &growth))
        return nonsense;
    st = drxi_state_prepare(s, growth.axis, growth.end, growth.by, &step);
    if (st)
        return st == DRX_EOVERFLOW ? nonsense : st;
    drxi_state_grow(s, &step);
    s->steps++;
    return DRX_OK;
}

/* Nothing but the names of stripes comes before it. */
static drx_status apply_origin(struct drxi_state *s, const struct drxi_record *record)
{
    int64_t lower[DRX_MAX_NDIM];
    drx_status st;

    if (s->chain.sequence > (s->stripes.n > 0) || !drxi_origin_decode(record, s->desc.ndim, lower))
        return nonsense;
    st = drxi_state_set_origin(s, lower);
    return st == DRX_EOVERFLOW ? nonsense : st;
}

static drx_status apply_trim(struct drxi_state *s, const struct drxi_record *record)
{
    struct drxi_trimming t;
    drx_status st;

    if (!drxi_trim_decode(record, &t) || t.axis >= s->desc.ndim || t.lower < s->lower[t.axis] || t.upper < t.lower ||
        t.upper > s->upper[t.axis])
        return nonsense;
    if ((st = drxi_state_prepare_trim(s, &t)))
        return st;
    drxi_state_trim(s, &t);
    s->steps++;
    s->trim_open = true;
    return DRX_OK;
}

/* The log has all that the dataset says up to the commit that MEMBER names. In a log that was compacted MEMBER stands
 * before the trims, and SYNC after them. */
static void settle(struct drxi_state *s)
{
    s->steps = 0;
    if (s->trim_open && s->is_member)
        s->trimmed_by = s->member.settled;
    s->trim_open = false;
}

/* Pass over a new axis: later records number the others anew. */
static void pass_axis(struct drxi_state *s, int at)
{
    for (int j = 0; !s->stopped && j < DRX_MAX_NDIM; j++)
        s->own[j] = (int8_t)(j < s->desc.ndim ? j : -1);
    s->stopped = true;
    memmove(s->own + at + 1, s->own + at, (size_t)(DRX_MAX_NDIM - 1 - at) * sizeof *s->own);
    s->own[at] = -1;
}

static drx_status apply_add_axis(struct drxi_state *s, const struct drxi_record *record)
{
    const char *name;
    size_t name_bytes;
    char *made = NULL;
    drx_status st;

    if (!drxi_name_decode(record, &name, &name_bytes))
        return nonsense;
    if (s->stopped || (s->most_axes > 0 && s->desc.ndim == s->most_axes)) {
        if (record->arg >= DRX_MAX_NDIM)
            return nonsense;
        pass_axis(s, record->arg);
        return DRX_OK;
    }
    if (record->arg > s->desc.ndim || s->desc.ndim == DRX_MAX_NDIM)
        return nonsense;
    if (s->fixed_axes)
        return drxi_fail(DRX_EMISMATCH, "it has got one more axis since it was opened: close it, and open it again");
    if (name_bytes > 0 && !(made = drxi_format("%.*s", (int)name_bytes, name)))
        return DRX_ENOMEM;
    if ((st = drxi_state_prepare_axis(s))) {
        drxi_free(made);
        return st;
    }
    drxi_state_add_axis(s, record->arg);
    drxi_state_set_dim(s, record->arg, made);
    s->steps++;
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
    int64_t chunks, epoch;

    if (!drxi_sync_decode(record, &chunks, &epoch) || (chunks != s->map.chunks && !s->stopped) ||
        (epoch > 0) != drxi_state_packed(s) || epoch < s->epoch)
        return nonsense;
    s->epoch = epoch;
    if (record->arg > 0)
        s->compaction = (uint16_t)record->arg;
    drxi_state_synced(s);
    settle(s);
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
    if (s->is_member)
        drxi_state_promise(s);
    s->is_member = true;
    s->member = member;
    settle(s);
    return DRX_OK;
}

/* Whether to pass over the record: the array is shown as it was before a later axis, and the record changes its bounds or
 * the name of an axis. */
static bool is_passed(struct drxi_state *s, const struct drxi_record *record)
{
    if (!s->stopped)
        return false;
    switch (record->kind) {
    case DRXI_TRIM:
        s->trim_open = true;
        return true;
    case DRXI_GROW:
    case DRXI_GROW_LOW:
    case DRXI_INTENT:
    case DRXI_INTENT_LOW:
    case DRXI_DIM_NAME:
        return true;
    default:
        return false;
    }
}

static drx_status apply_kind(struct drxi_state *s, const struct drxi_record *record)
{
    if (is_passed(s, record))
        return DRX_OK;
    switch (record->kind) {
    case DRXI_GROW:
    case DRXI_GROW_LOW:
        return apply_grow(s, record);
    case DRXI_ORIGIN:
        return apply_origin(s, record);
    case DRXI_TRIM:
        return apply_trim(s, record);
    case DRXI_ADD_AXIS:
        return apply_add_axis(s, record);
    case DRXI_INTENT:
    case DRXI_INTENT_LOW:
        return drxi_growth_decode(record, &s->intent) && plausible(s, &s->intent) ? DRX_OK : nonsense;
    case DRXI_SYNC:
        return apply_sync(s, record);
    case DRXI_ATTR:
    case DRXI_ATTR_LATER:
        return drxi_attrs_apply_set(&s->attrs, record);
    case DRXI_ATTR_DELETE:
        return drxi_attrs_apply_delete(&s->attrs, record);
    case DRXI_DIM_NAME:
        return apply_dim_name(s, record);
    case DRXI_STRIPES:
        return apply_stripes(s, record);
    case DRXI_MEMBER:
        return apply_member(s, record);
    case DRXI_REPLACED:
        return DRX_OK;
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
    s->before_intent = s->chain;
    s->intent_open = !s->stopped && (record->kind == DRXI_INTENT || record->kind == DRXI_INTENT_LOW);
    s->at_sync = record->kind == DRXI_SYNC;
    drxi_chain_advance(&s->chain, record);
    return DRX_OK;
}
