/* The chunk of least cost: a coarse grid of shapes, then descent in fine steps. */
#include "layout/advise/advise.h"

#include "io/block_bytes.h"
#include "layout/plan/relayout.h"

enum { GRID = 1 << 16, EXTENTS = 256, LOOKS = 100000, DIVISORS = 1 << 16 };

static const double FINEST = 1.1, COARSEST = 1e10;
static const double MOST_STORED = 1.1; /* of the elements of the array, unless chunks with fewer elements store no
                                        * less */

struct search {
    struct drxi_stored_layout layout, best;
    const struct drxi_wishes *wishes;
    int64_t items, least; /* the most and the least of a chunk */
    double seconds;       /* of the best */
    int looks;
    int extents[DRX_MAX_NDIM]; /* the grid */
    int64_t *extent[DRX_MAX_NDIM];
};

double drxi_read_seconds(struct drxi_read read)
{
    return read.calls * drxi_relayout_cost.read_latency + read.bytes / drxi_relayout_cost.read_bandwidth;
}

double drxi_round_seconds(const struct drxi_stored_layout *layout, const struct drxi_wishes *wishes)
{
    double seconds = 0;

    for (int i = 0; i < wishes->n; i++) {
        const drx_access *access = &wishes->access[i];
        const double weight = access->weight > 0 ? access->weight : 1;

        seconds += weight * drxi_read_seconds(drxi_expect_read(layout, access->count));
    }
    return seconds;
}

int64_t drxi_choose_align(int64_t chunk_bytes, const struct drxi_wishes *wishes)
{
    return wishes->align ? wishes->align : drxi_fitting_align(wishes->unit, chunk_bytes);
}

/* The extents that fill the array most evenly with this number of chunks. */
static void even_out(const struct drxi_stored_layout *l, const int64_t chunk[], int64_t even[])
{
    for (int j = 0; j < l->ndim; j++)
        even[j] = drxi_ceil_div(l->shape[j], drxi_ceil_div(l->shape[j], chunk[j]));
}

/* Whether chunks at the upper bounds would store much more than the array has. */
static bool wastes(const struct drxi_stored_layout *l, const int64_t chunk[])
{
    double stored = 1;

    for (int j = 0; j < l->ndim; j++)
        stored *= (double)drxi_ceil_div(l->shape[j], chunk[j]) * (double)chunk[j] / (double)l->shape[j];
    return stored > MOST_STORED;
}

static void judge_chunk(struct search *s, const int64_t chunk[])
{
    struct drxi_stored_layout *l = &s->layout;
    const int64_t bytes = drxi_times(1, l->ndim, chunk) * l->item_bytes;
    const int64_t align = drxi_choose_align(bytes, s->wishes);

    memcpy(l->chunk, chunk, sizeof *chunk * (size_t)l->ndim);
    l->pitch_bytes = drxi_ceil_div(bytes, align) * align;
    const double seconds = drxi_round_seconds(l, s->wishes);

    s->looks++;
    if (s->seconds < 0 || seconds < s->seconds * (1 - 1e-9)) {
        s->seconds = seconds;
        s->best = *l;
    }
}

static void look_at_chunk(struct search *s, const int64_t chunk[])
{
    const int64_t items = drxi_times(1, s->layout.ndim, chunk);
    int64_t even[DRX_MAX_NDIM] = { 0 };

    if (items < s->least || items > s->items)
        return;
    even_out(&s->layout, chunk, even);
    judge_chunk(s, even);
    if (drxi_times(1, s->layout.ndim, even) < items && !wastes(&s->layout, chunk))
        judge_chunk(s, chunk);
}

/* Give an axis what the others leave; false: they leave nothing. */
static bool widen_chunk(const struct search *s, int64_t chunk[], int axis)
{
    chunk[axis] = 1;
    chunk[axis] = drxi_min(s->items / drxi_times(1, s->layout.ndim, chunk), s->layout.shape[axis]);
    return chunk[axis] > 0;
}

static void add_extent(struct search *s, int axis, int64_t extent)
{
    int *n = &s->extents[axis];

    for (int i = 0; i < *n; i++)
        if (s->extent[axis][i] == extent)
            return;
    if (*n < EXTENTS)
        s->extent[axis][(*n)++] = extent;
}

/* Let chunks fill the axis evenly: whole rows of them are one run. */
static void add_divisors(struct search *s, int axis)
{
    const int64_t n = s->layout.shape[axis];

    for (int64_t e = 1; e <= DIVISORS && e <= n / e; e++)
        if (n % e == 0) {
            add_extent(s, axis, e);
            add_extent(s, axis, n / e);
        }
}

/* Powers of `ratio`, the whole axis, and the extents of the requests; returns the number of combinations. */
static int64_t make_grid(struct search *s, double ratio)
{
    int64_t shapes = 1;

    for (int j = 0; j < s->layout.ndim; j++) {
        s->extents[j] = 0;
        for (double e = 1; e<(double)drxi_min(s->layout.shape[j], s->items); e = e + 1> e * ratio ? e + 1 : e * ratio)
            add_extent(s, j, (int64_t)e);
        add_extent(s, j, s->layout.shape[j]);
        for (int i = 0; i < s->wishes->n; i++)
            add_extent(s, j, s->wishes->access[i].count[j]);
        if (ratio < 4)
            add_divisors(s, j);
        shapes = drxi_mul_saturated(shapes, s->extents[j]);
    }
    return shapes;
}

/* Try all shapes of the grid, except that axis `filled` gets what the others leave. */
static void walk_grid(struct search *s, int axis, int filled, int64_t chunk[])
{
    if (axis == s->layout.ndim) {
        if (widen_chunk(s, chunk, filled))
            look_at_chunk(s, chunk);
        return;
    }
    chunk[axis] = 1;
    if (axis == filled) {
        walk_grid(s, axis + 1, filled, chunk);
        return;
    }
    for (int i = 0; i < s->extents[axis]; i++) {
        chunk[axis] = s->extent[axis][i];
        if (drxi_times(1, axis + 1, chunk) <= s->items)
            walk_grid(s, axis + 1, filled, chunk);
    }
}

/* Shapes to begin with where there is no grid: each request, and the whole array, cut down along its axes in turn, or
 * filled up, the fastest axis first. */
static void start_from(struct search *s, const int64_t shape[])
{
    const int ndim = s->layout.ndim;
    int64_t chunk[DRX_MAX_NDIM];

    memcpy(chunk, shape, sizeof *chunk * (size_t)ndim);
    for (int j = 0; drxi_times(1, ndim, chunk) > s->items; j = (j + 1) % ndim)
        chunk[j] = drxi_ceil_div(chunk[j], 2);
    for (int i = 0; i < ndim; i++)
        (void)widen_chunk(s, chunk, s->layout.order == DRX_ROW_MAJOR ? ndim - 1 - i : i);
    look_at_chunk(s, chunk);
}

/* Set axis i to an extent, and give axis j the rest, or the least possible. */
static void try_extent(struct search *s, const int64_t from[], int i, int64_t extent, int j)
{
    int64_t chunk[DRX_MAX_NDIM];

    memcpy(chunk, from, sizeof *chunk * (size_t)s->layout.ndim);
    chunk[i] = drxi_min(drxi_max(extent, 1), s->layout.shape[i]);
    if (chunk[i] == from[i] || !widen_chunk(s, chunk, j))
        return;
    look_at_chunk(s, chunk);
    chunk[j] = drxi_ceil_div(s->least, drxi_times(1, s->layout.ndim, chunk) / chunk[j]);
    if (chunk[j] < s->layout.shape[j])
        look_at_chunk(s, chunk);
}

static void try_around(struct search *s, const int64_t from[], int i, int j)
{
    const int64_t c = from[i], n = s->layout.shape[i];

    for (int64_t part = 1; part <= 16; part *= 2) {
        try_extent(s, from, i, c + drxi_ceil_div(c, part), j);
        try_extent(s, from, i, c - c / (part + 1), j);
        try_extent(s, from, i, drxi_ceil_div(n, drxi_ceil_div(n, c) + part), j); /* the change in the number of
                                                                                  * chunks */
        try_extent(s, from, i, drxi_ceil_div(n, drxi_max(drxi_ceil_div(n, c) - part, 1)), j);
    }
    try_extent(s, from, i, c + 1, j);
    try_extent(s, from, i, c - 1, j);
    for (int k = 0; k < s->extents[i]; k++)
        try_extent(s, from, i, s->extent[i][k], j);
}

static void descend(struct search *s)
{
    const int ndim = s->layout.ndim;
    int64_t from[DRX_MAX_NDIM];
    double before;

    do {
        before = s->seconds;
        memcpy(from, s->best.chunk, sizeof from);
        for (int i = 0; i < ndim && s->looks < LOOKS; i++)
            for (int j = 0; j < ndim; j++)
                if (i != j && s->layout.shape[i] > 1)
                    try_around(s, from, i, j);
    } while (s->seconds < before && s->looks < LOOKS);
}

/* Descend from the best shape since the last descent. */
static void settle_best(struct search *s, struct drxi_stored_layout *best, double *seconds)
{
    if (s->seconds < 0)
        return;
    descend(s);
    if (*seconds < 0 || s->seconds < *seconds * (1 - 1e-9)) {
        *seconds = s->seconds;
        *best = s->best;
    }
    s->seconds = -1;
}

static void find_best(struct search *s, struct drxi_stored_layout *best)
{
    int64_t chunk[DRX_MAX_NDIM];
    double seconds = -1, ratio = FINEST;

    while (make_grid(s, ratio) > GRID && ratio < COARSEST)
        ratio *= ratio;
    start_from(s, s->layout.shape);
    for (int i = 0; i < s->wishes->n; i++)
        start_from(s, s->wishes->access[i].count);
    settle_best(s, best, &seconds);
    if (make_grid(s, ratio) > GRID)
        return;
    for (int filled = 0; filled < s->layout.ndim; filled++) {
        walk_grid(s, 0, filled, chunk);
        settle_best(s, best, &seconds);
    }
}

drx_status drxi_best_chunk(struct drxi_stored_layout *layout, const struct drxi_wishes *wishes)
{
    struct search s = { .layout = *layout, .wishes = wishes, .seconds = -1 };
    int64_t *extents = drxi_malloc(sizeof *extents * EXTENTS * (size_t)layout->ndim);

    if (!extents)
        return DRX_ENOMEM;
    for (int j = 0; j < layout->ndim; j++)
        s.extent[j] = extents + (ptrdiff_t)j * EXTENTS;
    s.layout.scattered = false;
    s.items = drxi_max(wishes->chunk_bytes / layout->item_bytes, 1);
    s.items = drxi_min(s.items, drxi_times(1, layout->ndim, layout->shape));
    s.least = drxi_ceil_div(s.items, 2);
    find_best(&s, layout);
    drxi_free(extents);
    return DRX_OK;
}
