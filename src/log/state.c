#include "log/state.h"

int64_t drxi_state_chunks_begin(const struct drxi_state *s, int axis)
{
    int64_t begin;

    return drxi_mul(s->map.lower[axis], s->desc.chunk[axis], &begin) ? begin : INT64_MIN;
}

int64_t drxi_state_chunks_end(const struct drxi_state *s, int axis)
{
    return drxi_mul_saturated(s->map.upper[axis], s->desc.chunk[axis]);
}

drx_status drxi_state_start(struct drxi_state *s, const struct drxi_desc *desc, const int64_t lower[],
                            int64_t most_chunks)
{
    int64_t first[DRX_MAX_NDIM], end[DRX_MAX_NDIM];

    memset(s, 0, sizeof *s);
    s->desc = s->made = *desc;
    s->most_chunks = most_chunks;
    for (int j = 0; j < desc->ndim; j++) {
        if (lower[j] < DRXI_LEAST_INDEX || !drxi_add(lower[j], desc->shape[j], &s->upper[j]))
            return drxi_fail(DRX_EOVERFLOW, "axis %d: %lld indices from %lld on overflow 64 bits", j,
                             (long long)desc->shape[j], (long long)lower[j]);
        first[j] = drxi_floor_div(lower[j], desc->chunk[j]);
        end[j] = desc->shape[j] == 0 ? first[j] : drxi_ceil_div(s->upper[j], desc->chunk[j]);
        s->origin[j] = s->lower[j] = s->left[DRXI_LOW][j] = lower[j];
        s->left[DRXI_HIGH][j] = s->upper[j];
        s->shape[j] = desc->shape[j];
    }
    return drxi_map_init(&s->map, desc->ndim, first, end, desc->shells ? DRXI_MAP_SHELLS : DRXI_MAP_ROWS, most_chunks);
}

drx_status drxi_state_init(struct drxi_state *s, const struct drxi_desc *desc, const int64_t lower[])
{
    static const int64_t zeros[DRX_MAX_NDIM];
    struct drxi_laid laid;

    memset(s, 0, sizeof *s);
    return drxi_desc_lay(desc, &laid) ? drxi_state_start(s, desc, lower ? lower : zeros, laid.most)
                                      : drxi_fail(DRX_EOVERFLOW, "the bytes of a chunk overflow 64 bits");
}

void drxi_state_free(struct drxi_state *s)
{
    for (int j = 0; j < DRX_MAX_NDIM; j++)
        drxi_free(s->dim[j]);
    drxi_attrs_free(&s->attrs);
    drxi_free(s->growth_axis);
    drxi_free(s->growth_by);
    drxi_freed_free(&s->freed);
    drxi_map_free(&s->map);
    drxi_stripes_free(&s->stripes);
    drxi_free(s->source);
    memset(s, 0, sizeof *s);
}

/* The bound of the chunks that elements up to `bound` need. */
static int64_t chunk_bound(const struct drxi_state *s, int axis, enum drxi_end end, int64_t bound)
{
    return end == DRXI_LOW ? drxi_floor_div(bound, s->desc.chunk[axis]) : drxi_ceil_div(bound, s->desc.chunk[axis]);
}

static int64_t chunks_at(const struct drxi_state *s, int axis, enum drxi_end end)
{
    return end == DRXI_LOW ? s->map.lower[axis] : s->map.upper[axis];
}

bool drxi_state_is_ready(const struct drxi_state *s, int axis, enum drxi_end end)
{
    return drxi_map_extent(&s->map, axis) > 0 && drxi_map_has_room(&s->map, axis, end) &&
           s->growths < s->growth_axis_room && s->growths < s->growth_by_room;
}

drx_status drxi_state_prepare(struct drxi_state *s, int axis, enum drxi_end end, int64_t by, struct drxi_step *step)
{
    const int64_t from = end == DRXI_LOW ? s->lower[axis] : s->upper[axis];
    int64_t bound, extent;
    drx_status st;

    if (!drxi_add(from, end == DRXI_LOW ? -by : by, &bound) || bound < DRXI_LEAST_INDEX ||
        !drxi_add(s->shape[axis], by, &extent))
        return drxi_fail(DRX_EOVERFLOW, "axis %d: growing by %lld from %lld overflows 64 bits", axis, (long long)by,
                         (long long)from);
    if (drxi_map_extent(&s->map, axis) == 0) /* so that a chunk in which the bound lies is a new one, at either end */
        drxi_map_place(&s->map, axis,
                       drxi_floor_div(from - (end == DRXI_LOW), s->desc.chunk[axis]) + (end == DRXI_LOW));
    step->growth = (struct drxi_growth){ axis, end, by, bound };
    step->by_chunks = chunk_bound(s, axis, end, bound) - chunks_at(s, axis, end);
    step->by_chunks = end == DRXI_LOW ? -step->by_chunks : step->by_chunks;
    step->chunks_before = s->map.chunks;
    step->chunks_after = s->map.chunks;
    if (by > 0 && (st = drxi_map_prepare(&s->map, axis, end, step->by_chunks, &step->chunks_after)))
        return st;
    st = drxi_reserve(&s->growth_axis, &s->growth_axis_room, s->growths + 1, sizeof *s->growth_axis);
    return st ? st : drxi_reserve(&s->growth_by, &s->growth_by_room, s->growths + 1, sizeof *s->growth_by);
}

void drxi_state_grow(struct drxi_state *s, const struct drxi_step *step)
{
    const struct drxi_growth *g = &step->growth;

    drxi_map_grow(&s->map, g->axis, g->end, step->by_chunks);
    *(g->end == DRXI_LOW ? &s->lower[g->axis] : &s->upper[g->axis]) = g->bound;
    s->shape[g->axis] += g->by;
    s->growth_axis[s->growths] = (uint8_t)g->axis;
    s->growth_by[s->growths++] = g->end == DRXI_LOW ? -g->by : g->by;
}

/* The bounds in chunks after a trim: those of chunks that keep an index. */
static void trimmed_chunks(const struct drxi_state *s, const struct drxi_trimming *t, int64_t bound[2])
{
    bound[DRXI_HIGH] = drxi_min(s->map.upper[t->axis], drxi_ceil_div(t->upper, s->desc.chunk[t->axis]));
    bound[DRXI_LOW] = drxi_max(s->map.lower[t->axis], drxi_floor_div(t->lower, s->desc.chunk[t->axis]));
    bound[DRXI_LOW] = drxi_min(bound[DRXI_LOW], bound[DRXI_HIGH]);
    if (t->lower == t->upper) /* none is kept */
        bound[DRXI_HIGH] = bound[DRXI_LOW];
}

drx_status drxi_state_prepare_trim(struct drxi_state *s, const struct drxi_trimming *trim)
{
    int64_t bound[2], lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM];
    drx_status st;

    drxi_freed_drop(&s->freed);
    trimmed_chunks(s, trim, bound);
    memcpy(lo, s->map.lower, sizeof lo);
    memcpy(hi, s->map.upper, sizeof hi);
    hi[trim->axis] = bound[DRXI_LOW];
    st = drxi_freed_prepare(&s->freed, &s->map, lo, hi);
    lo[trim->axis] = bound[DRXI_HIGH];
    hi[trim->axis] = s->map.upper[trim->axis];
    return st ? st : drxi_freed_prepare(&s->freed, &s->map, lo, hi);
}

int64_t drxi_state_reach(const struct drxi_state *s, int axis, enum drxi_end end)
{
    return drxi_outer(end, s->left[end][axis], end == DRXI_LOW ? s->lower[axis] : s->upper[axis]);
}

/* An array without elements has no chunks in which a trim could leave any. */
static void leave_nothing(struct drxi_state *s)
{
    bool empty = false;

    for (int j = 0; j < s->desc.ndim; j++)
        empty = empty || s->shape[j] == 0;
    if (!empty)
        return;
    memcpy(s->left[DRXI_LOW], s->lower, sizeof s->lower);
    memcpy(s->left[DRXI_HIGH], s->upper, sizeof s->upper);
}

/* A trim leaves elements in the chunks that it cuts through. The map has it already, the bounds have not. */
static void leave_axis(struct drxi_state *s, int axis)
{
    const int64_t chunks_end[2] = {
        [DRXI_LOW] = drxi_state_chunks_begin(s, axis), [DRXI_HIGH] = drxi_state_chunks_end(s, axis)
    };

    for (int end = 0; end < 2; end++) {
        const enum drxi_end e = (enum drxi_end)end;

        s->left[end][axis] = drxi_inner(e, drxi_state_reach(s, axis, e), chunks_end[end]);
    }
}

void drxi_state_trim(struct drxi_state *s, const struct drxi_trimming *trim)
{
    int64_t bound[2];

    trimmed_chunks(s, trim, bound);
    for (int end = 0; end < 2; end++) {
        const int64_t by = bound[end] - chunks_at(s, trim->axis, (enum drxi_end)end);

        if (by != 0)
            drxi_map_trim(&s->map, trim->axis, (enum drxi_end)end, by < 0 ? -by : by);
    }
    drxi_freed_take(&s->freed);
    leave_axis(s, trim->axis);
    s->lower[trim->axis] = trim->lower;
    s->upper[trim->axis] = trim->upper;
    s->shape[trim->axis] = trim->upper - trim->lower;
    leave_nothing(s);
    s->trimmed = true;
}

/* The places of the axes from `at` on become those from at + 1 on, and place `at` gets `value`. */
static void insert(int64_t values[], int ndim, int at, int64_t value)
{
    memmove(values + at + 1, values + at, (size_t)(ndim - at) * sizeof *values);
    values[at] = value;
}

drx_status drxi_state_prepare_axis(struct drxi_state *s)
{
    return drxi_map_prepare_axis(&s->map);
}

void drxi_state_add_axis(struct drxi_state *s, int at)
{
    const int ndim = s->desc.ndim;

    drxi_map_add_axis(&s->map, at);
    insert(s->desc.shape, ndim, at, 1);
    insert(s->desc.chunk, ndim, at, 1);
    insert(s->lower, ndim, at, 0);
    insert(s->upper, ndim, at, 1);
    insert(s->shape, ndim, at, 1);
    for (int end = 0; end < 2; end++)
        insert(s->left[end], ndim, at, end == DRXI_HIGH);
    memmove(s->dim + at + 1, s->dim + at, (size_t)(ndim - at) * sizeof *s->dim);
    s->dim[at] = NULL;
    for (int64_t i = 0; i < s->growths; i++)
        s->growth_axis[i] = (uint8_t)(s->growth_axis[i] + (s->growth_axis[i] >= at));
    s->desc.ndim++;
}

void drxi_state_set_dim(struct drxi_state *s, int axis, char *made)
{
    drxi_free(s->dim[axis]);
    s->dim[axis] = made;
}
