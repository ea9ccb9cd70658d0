/* The limits of chunks and of growth (spec/drx-format.md, sections 6.3 and 6.4). */
#include "store/kinds.h"

enum { MOST_SHELL = 1 << 20, FRAME_MAX_BYTES = INT32_MAX - 16 };

drx_status drxi_most_chunks(const struct drxi_variable *v, int64_t *most)
{
    struct drxi_laid laid;
    const bool fits = drxi_lay_chunk(v->item_bytes, v->ndim, v->chunk, v->align, v->codec, &laid);

    *most = laid.most;
    return fits && (!v->codec || laid.bytes <= FRAME_MAX_BYTES) ? DRX_OK
                                                                : drxi_fail(DRX_EDAMAGED, "a chunk that is too large");
}

/* ---- initial orders ---- */

static int64_t chunks_of(int64_t lower, int64_t upper, int64_t chunk)
{
    return lower == upper ? 0 : drxi_ceil_div(upper, chunk) - drxi_floor_div(lower, chunk);
}

int64_t drxi_layers_of(int64_t lower, int64_t upper, int64_t chunk, int64_t by, int64_t bound)
{
    const bool empty = lower == upper;

    if (by < 0)
        return (empty ? drxi_ceil_div(lower, chunk) : drxi_floor_div(lower, chunk)) - drxi_floor_div(bound, chunk);
    return drxi_ceil_div(bound, chunk) - (empty ? drxi_floor_div(upper, chunk) : drxi_ceil_div(upper, chunk));
}

/* How many expansion records shells have: each layer is one, but the rest of the last axis that grows is one in all. */
static int64_t shell_records(const struct drxi_variable *v, const int64_t extent[])
{
    int64_t n = 1, rounds = 0, alone;
    int longest = 0, last = -1;

    for (int j = 0; j < v->made_ndim; j++)
        longest = extent[j] >= extent[longest] ? j : longest;
    for (int j = 0; j < v->made_ndim; j++) {
        if (j == longest)
            continue;
        n = extent[j] > MOST_SHELL ? MOST_SHELL + 1 : drxi_min(n + extent[j] - 1, MOST_SHELL + 1);
        last = extent[j] - 1 >= rounds && extent[j] > 1 ? j : last;
        rounds = drxi_max(rounds, extent[j] - 1);
    }
    alone = drxi_max(longest < last ? rounds : rounds - 1, 0);
    return n + drxi_min(alone, MOST_SHELL) + (extent[longest] - 1 > alone);
}

static drx_status check_initial(const struct drxi_variable *v)
{
    int64_t extent[DRX_MAX_NDIM] = { 0 };
    bool empty = false, powers = true;

    for (int j = 0; j < v->made_ndim; j++) {
        extent[j] = chunks_of(v->made_lower[j], v->made_upper[j], v->chunk[j]);
        empty = empty || extent[j] == 0;
        powers = powers && extent[j] > 0 && (extent[j] & (extent[j] - 1)) == 0;
    }
    if (v->initial == DRXI_Z_ORDER && !powers)
        return drxi_fail(DRX_EDAMAGED, "Z order of extents that are no powers of two");
    if (v->initial == DRXI_SHELLS && !empty && shell_records(v, extent) > MOST_SHELL / v->made_ndim)
        return drxi_fail(DRX_EDAMAGED, "shells of too many layers");
    return DRX_OK;
}

/* ---- growth ---- */

/* What the limits are about. A map would take more time and memory, and has limits of its own. */
struct extents {
    int ndim;
    uint16_t dim[DRX_MAX_NDIM];
    int64_t chunk[DRX_MAX_NDIM], lower[DRX_MAX_NDIM], upper[DRX_MAX_NDIM];
    int64_t given; /* addresses */
};

static int64_t add_saturated(int64_t a, int64_t b)
{
    int64_t sum;

    return drxi_add(a, b, &sum) ? sum : INT64_MAX;
}

/* The chunks of a layer across an axis; of all, across -1. `least`: as many count along an axis without chunks. */
static int64_t layer(const struct extents *e, int across, int64_t least)
{
    int64_t n = 1;

    for (int j = 0; j < e->ndim; j++)
        if (j != across)
            n = drxi_mul_saturated(n, drxi_max(least, chunks_of(e->lower[j], e->upper[j], e->chunk[j])));
    return n;
}

static bool fits(const struct extents *e, int64_t most)
{
    return layer(e, -1, 1) <= most && e->given <= most;
}

static void grow_extents(struct extents *e, int j, int64_t by, int64_t bound)
{
    const int64_t layers = drxi_layers_of(e->lower[j], e->upper[j], e->chunk[j], by, bound);

    *(by < 0 ? &e->lower[j] : &e->upper[j]) = bound;
    e->given = add_saturated(e->given, drxi_mul_saturated(layers, layer(e, j, 0)));
}

static void add_limit(struct extents *e, int at, uint16_t dimension)
{
    int64_t *const each[] = { e->chunk, e->lower, e->upper };
    const size_t n = (size_t)(e->ndim - at);

    for (size_t k = 0; k < sizeof each / sizeof *each; k++)
        memmove(each[k] + at + 1, each[k] + at, n * sizeof **each);
    memmove(e->dim + at + 1, e->dim + at, n * sizeof *e->dim);
    e->dim[at] = dimension;
    e->lower[at] = 0;
    e->chunk[at] = e->upper[at] = 1;
    e->ndim++;
}

/* Whether it keeps within the limits. */
static bool take_step(struct extents *e, const struct drxi_variable *v, const struct drxi_change_of *c, int64_t most)
{
    if (c->kind == DRXI_LOG_AXIS) {
        if (c->variable == v->thing.number)
            add_limit(e, c->at, c->number);
        return true;
    }
    for (int j = 0; j < e->ndim; j++) {
        if (e->dim[j] != c->number)
            continue;
        if (c->kind == DRXI_LOG_GROW) {
            grow_extents(e, j, c->a, c->b);
            if (!fits(e, most))
                return false;
        } else {
            e->lower[j] = c->a;
            e->upper[j] = c->b;
        }
    }
    return true;
}

static void start_extents(struct extents *e, const struct drxi_variable *v)
{
    e->ndim = v->made_ndim;
    memcpy(e->dim, v->made_dim, sizeof e->dim);
    memcpy(e->chunk, v->made_chunk, sizeof e->chunk);
    memcpy(e->lower, v->made_lower, sizeof e->lower);
    memcpy(e->upper, v->made_upper, sizeof e->upper);
    e->given = layer(e, -1, 0);
}

/* The first step before `end` that leads beyond a limit, or `end`. */
static int64_t first_beyond(const struct drxi_store *s, const struct drxi_variable *v, int64_t most, int64_t end)
{
    struct extents e;
    int64_t i = v->first_step;

    end = drxi_min(end, v->last_step);
    start_extents(&e, v);
    while (i < end && take_step(&e, v, &s->step[i], most))
        i++;
    return i < end ? i : INT64_MAX;
}

/* At least as many chunks as it can ever have had. Of a dimension that was never trimmed, all are there. A growth by n
 * makes at most n / chunk + 2 layers, and so did the first bounds. */
static int64_t most_ever(const struct drxi_store *s, const struct drxi_variable *v)
{
    int64_t n = 1;

    for (int j = 0; j < v->ndim; j++) {
        const struct drxi_dimension *d = drxi_store_dimension(s, v->dim[j]);
        const int64_t c = v->chunk[j];

        if (d->trimmed)
            n = drxi_mul_saturated(n, add_saturated(d->ever / c, 2 * d->growths + 2));
        else if (d->lower < d->upper)
            n = drxi_mul_saturated(n, drxi_ceil_div(d->upper, c) - drxi_floor_div(d->lower, c));
    }
    return n;
}

drx_status drxi_store_check_made(const struct drxi_variable *v)
{
    struct extents e;
    int64_t most;
    drx_status st = drxi_most_chunks(v, &most);

    if (st || v->null || v->ndim == 0)
        return st;
    start_extents(&e, v);
    return fits(&e, most) ? check_initial(v) : drxi_fail(DRX_EDAMAGED, "more chunks than 64 bits of offsets allow");
}

drx_status drxi_store_check_growths(const struct drxi_store *s, uint64_t *sequence)
{
    int64_t first = s->steps, most;

    for (int64_t i = 1; i <= s->variable.largest; i++) {
        const struct drxi_variable *v = s->variable.of[i];

        if (v && !v->refused && !v->null && v->ndim > 0 && !drxi_most_chunks(v, &most) && most_ever(s, v) > most)
            first = drxi_min(first, first_beyond(s, v, most, first));
    }
    if (first == s->steps)
        return DRX_OK;
    *sequence = s->step[first].sequence;
    return drxi_fail(DRX_EDAMAGED, "a growth to more chunks than 64 bits of offsets allow");
}
