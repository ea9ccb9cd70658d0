/* What the log says of an array, kept in memory. */
#include "array/array.h"
#include "format/crc.h"

drx_status drxi_state_init(struct drxi_state *s, const struct drxi_desc *desc)
{
    int64_t bound[DRX_MAX_NDIM];
    int64_t pitch_bytes;
    drx_status st;

    memset(s, 0, sizeof *s);
    s->desc = *desc;
    if ((st = drxi_chunk_pitch(desc, &pitch_bytes)))
        return st;
    s->most_chunks = INT64_MAX / pitch_bytes;
    for (int j = 0; j < desc->ndim; j++) {
        s->shape[j] = desc->shape[j];
        bound[j] = drxi_ceil_div(desc->shape[j], desc->chunk[j]);
    }
    st = drxi_map_init(&s->map, desc->ndim, bound, (desc->flags & DRXI_DESC_SHELL) != 0);
    if (!st && s->map.chunks > s->most_chunks)
        st = drxi_fail(DRX_EOVERFLOW, "%lld chunks of %lld bytes overflow 64 bits", (long long)s->map.chunks,
                       (long long)pitch_bytes);
    return st;
}

void drxi_attr_free(struct drxi_attr *attr)
{
    drxi_free(attr->name);
    drxi_free(attr->values);
}

void drxi_state_free(struct drxi_state *s)
{
    for (int64_t i = 0; i < s->attrs; i++)
        drxi_attr_free(&s->attr[i]);
    for (int j = 0; j < DRX_MAX_NDIM; j++)
        drxi_free(s->dim[j]);
    drxi_free(s->attr);
    drxi_free(s->attr_hash);
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
    step->growth = (struct drxi_growth){axis, by, bound};
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

static void *copy_with_nul(const void *bytes, size_t n)
{
    char *copy = drxi_malloc(n + 1);

    if (copy && n > 0)
        memcpy(copy, bytes, n);
    if (copy)
        copy[n] = '\0';
    return copy;
}

drx_status drxi_state_make_attr(struct drxi_state *s, const struct drxi_attr_payload *payload, struct drxi_attr *made)
{
    const size_t value_bytes = (size_t)payload->n * drx_type_size(payload->type);
    drx_status st = drxi_reserve(&s->attr, &s->attr_room, s->attrs + 1, sizeof *s->attr);

    if (!st)
        st = drxi_reserve(&s->attr_hash, &s->attr_hash_room, s->attrs + 1, sizeof *s->attr_hash);
    if (st)
        return st;
    made->type = payload->type;
    made->is_text = payload->is_text;
    made->n = payload->n;
    made->name = copy_with_nul(payload->name, payload->name_bytes);
    made->values = copy_with_nul(payload->values, value_bytes);
    if (made->name && made->values)
        return DRX_OK;
    drxi_attr_free(made);
    return DRX_ENOMEM;
}

/* The first attribute from `i` on whose name has that hash, or their number. A loop that always runs to its end is
 * vectorised: with 1000 attributes it takes a tenth of the time. */
static int64_t next_with_hash(const struct drxi_state *s, int64_t i, uint32_t hash)
{
    enum { AT_ONCE = 64 };

    for (; i + AT_ONCE <= s->attrs; i += AT_ONCE) {
        uint32_t found = 0;

        for (int k = 0; k < AT_ONCE; k++)
            found |= s->attr_hash[i + k] == hash;
        if (found)
            break;
    }
    while (i < s->attrs && s->attr_hash[i] != hash)
        i++;
    return i;
}

int64_t drxi_state_find_attr(const struct drxi_state *s, const char *name, size_t name_bytes)
{
    const uint32_t hash = drxi_crc32c(0, name, name_bytes);

    for (int64_t i = 0; i < s->attrs; i++) {
        i = next_with_hash(s, i, hash);
        if (i < s->attrs && strncmp(s->attr[i].name, name, name_bytes) == 0 && s->attr[i].name[name_bytes] == '\0')
            return i;
    }
    return -1;
}

void drxi_state_set_attr(struct drxi_state *s, const struct drxi_attr *made)
{
    int64_t i = drxi_state_find_attr(s, made->name, strlen(made->name));

    if (i < 0)
        i = s->attrs++;
    else
        drxi_attr_free(&s->attr[i]);
    s->attr[i] = *made;
    s->attr_hash[i] = drxi_crc32c(0, made->name, strlen(made->name));
}

void drxi_state_delete_attr(struct drxi_state *s, int64_t i)
{
    drxi_attr_free(&s->attr[i]);
    s->attrs--;
    memmove(s->attr + i, s->attr + i + 1, (size_t)(s->attrs - i) * sizeof *s->attr);
    memmove(s->attr_hash + i, s->attr_hash + i + 1, (size_t)(s->attrs - i) * sizeof *s->attr_hash);
}

void drxi_state_set_dim(struct drxi_state *s, int axis, char *made)
{
    drxi_free(s->dim[axis]);
    s->dim[axis] = made;
}

/* ---- records ---------------------------------------------------------------- */

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

static drx_status apply_attr(struct drxi_state *s, const struct drxi_record *record)
{
    struct drxi_attr_payload payload;
    struct drxi_attr made;
    drx_status st;

    if (!drxi_attr_decode(record, &payload))
        return nonsense;
    st = drxi_state_make_attr(s, &payload, &made);
    if (st)
        return st;
    drxi_swap(made.values, (size_t)made.n * drx_type_size(made.type), made.type);
    drxi_state_set_attr(s, &made);
    return DRX_OK;
}

static drx_status apply_attr_delete(struct drxi_state *s, const struct drxi_record *record)
{
    const char *name;
    size_t name_bytes;
    int64_t i;

    if (!drxi_name_decode(record, &name, &name_bytes))
        return nonsense;
    i = drxi_state_find_attr(s, name, name_bytes);
    if (i < 0)
        return nonsense;
    drxi_state_delete_attr(s, i);
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

/* The first record, or other folders for the same stripes. */
static drx_status apply_stripes(struct drxi_state *s, const struct drxi_record *record)
{
    struct drxi_stripes stripes;
    bool good;
    drx_status st = drxi_stripes_decode(record, &stripes, &good);

    if (st)
        return st;
    if (!good)
        return nonsense;
    if (s->sequence > 0 && (s->stripes.n != stripes.n || strcmp(s->stripes.stem, stripes.stem) != 0)) {
        drxi_stripes_free(&stripes);
        return nonsense;
    }
    drxi_stripes_free(&s->stripes);
    s->stripes = stripes;
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
        return apply_attr(s, record);
    case DRXI_ATTR_DELETE:
        return apply_attr_delete(s, record);
    case DRXI_DIM_NAME:
        return apply_dim_name(s, record);
    case DRXI_STRIPES:
        return apply_stripes(s, record);
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
    s->crc_at = s->log_end;
    s->log_end += (int64_t)record->bytes;
    s->sequence = record->sequence;
    s->crc = record->crc;
    return DRX_OK;
}
