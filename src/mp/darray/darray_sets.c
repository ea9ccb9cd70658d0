/* The sets of indices that each grid rank holds and owns along an axis. */
#include "base/sort.h"
#include "mp/darray/darray.h"

static const int64_t most_index = INT64_C(1) << 62; /* so that differences fit in 64 bits */

static void set_block(const struct dap_dim *d, struct drxi_axis_set *held, struct drxi_axis_set *owned)
{
    int64_t lo, hi;

    (void)dap_owned_range(d, &lo, &hi);
    drxi_axis_range(held, d->start, 1, d->stop - d->start, 0);
    drxi_axis_range(owned, lo, 1, hi - lo, lo - d->start);
}

/* An axis shorter than a period gives a range, so that no sum of periods overflows. */
static void set_cyclic(const struct dap_dim *d, struct drxi_axis_set *held)
{
    const int64_t start = drxi_mul_saturated(d->proc_grid_rank, d->block_size);
    const int64_t period = drxi_mul_saturated(d->proc_grid_size, d->block_size);

    if (start >= d->size)
        drxi_axis_range(held, 0, 1, 0, 0);
    else if (period >= d->size - start)
        drxi_axis_range(held, start, 1, drxi_min(d->block_size, d->size - start), 0);
    else if (d->proc_grid_size == 1)
        drxi_axis_range(held, 0, 1, d->size, 0);
    else
        drxi_axis_blocks(held, start, d->block_size, period, d->size);
}

/* The places of all indices of an axis, sorted by index, then by grid rank. */
struct places {
    struct drxi_keyed *of; /* the value has the grid rank above `shift` bits of the local index */
    int64_t n;
    int shift;
};

struct place {
    int64_t index, local, grid_rank;
};

static struct place place_at(const struct places *p, int64_t i)
{
    const int64_t value = p->of[i].value;

    return (struct place){ p->of[i].key, value & ((INT64_C(1) << p->shift) - 1), value >> p->shift };
}

/* False: out of memory. */
static bool sort_places(const drxmp_darray *d, int axis, struct places *p)
{
    const struct drxi_spread_axis *x = &d->axis[axis];
    struct drxi_keyed *next;

    for (int64_t k = 0; k < x->grid; k++) {
        const int64_t n = drxi_darray_dim(d, (int)(k * x->behind), axis)->n_indices;

        p->n += n;
        while (p->shift < 62 && n >> p->shift != 0)
            p->shift++;
    }
    if (x->grid > INT64_MAX >> p->shift)
        return false;
    p->of = next = drxi_malloc((size_t)(2 * p->n) * sizeof *p->of);
    for (int64_t k = 0; next && k < x->grid; k++) {
        const struct dap_dim *dim = drxi_darray_dim(d, (int)(k * x->behind), axis);

        for (int64_t i = 0; i < dim->n_indices; i++)
            *next++ = (struct drxi_keyed){ dim->indices[i], k << p->shift | i };
    }
    if (p->of)
        drxi_sort_keyed(p->of, p->of + p->n, p->n);
    return p->of != NULL;
}

/* Append an index to a set. It extends the last run or begins another. */
static void add_set_run(struct drxi_axis_set *set, struct drxi_run *runs, const struct place *p)
{
    struct drxi_run *last = set->n > 0 ? &runs[set->n - 1] : NULL;

    if (last && last->count == 1) {
        last->step = p->index - last->index;
        last->local_step = p->local - last->local;
    }
    if (last && p->index - last->index == last->count * last->step &&
        p->local - last->local == last->count * last->local_step)
        last->count++;
    else
        runs[set->n++] = (struct drxi_run){ p->index, 1, 1, p->local, 1 };
}

/* Make the sets of all grid ranks. The lowest grid rank that holds an index owns it. Each set has room for as many runs
 * as it has indices. Returns how often an index is held again. */
static int64_t set_runs(struct drxi_axis_set sets[], const struct places *places, bool owned)
{
    int64_t repeated = 0;

    for (int64_t i = 0; i < places->n; i++) {
        const struct place p = place_at(places, i);
        const bool again = i > 0 && p.index == places->of[i - 1].key;

        repeated += again;
        if (!owned || !again)
            add_set_run(&sets[p.grid_rank], (struct drxi_run *)(uintptr_t)sets[p.grid_rank].runs, &p);
    }
    return repeated;
}

/* Turn a set of one run into a range, if its local indices are consecutive. */
static void simplify(struct drxi_axis_set sets[], int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        const struct drxi_run *run = sets[k].runs;

        if (sets[k].n == 0)
            drxi_axis_range(&sets[k], 0, 1, 0, 0);
        else if (sets[k].n == 1 && run->local_step == 1)
            drxi_axis_range(&sets[k], run->index, run->step, run->count, run->local);
    }
}

static drx_status check_spread(const struct drxi_spread_axis *x, int axis)
{
    const bool low = x->first < -most_index;

    return low || x->end >= most_index ? drxi_fail(DRX_EOVERFLOW, "axis %d, indices: %lld, expected -2^62 to 2^62 - 1",
                                                   axis, (long long)(low ? x->first : x->end))
                                       : DRX_OK;
}

/* Where nothing is held twice, each grid rank owns what it holds. */
static void set_both(drxmp_darray *d, int axis, const struct places *places)
{
    struct drxi_spread_axis *x = &d->axis[axis];
    int64_t repeated;

    for (int64_t k = 0, at = 0; k < x->grid; k++) {
        drxi_axis_runs(&x->held[k], x->runs + at, 0);
        drxi_axis_runs(&x->owned[k], x->runs + places->n + at, 0);
        at += drxi_darray_dim(d, (int)(k * x->behind), axis)->n_indices;
    }
    repeated = set_runs(x->held, places, false);
    x->whole = places->n - repeated == x->end - x->first;
    if (repeated == 0)
        memcpy(x->owned, x->held, (size_t)x->grid * sizeof *x->owned);
    else
        (void)set_runs(x->owned, places, true);
    simplify(x->held, x->grid);
    simplify(x->owned, x->grid);
}

static drx_status set_unstructured(drxmp_darray *d, int axis)
{
    struct drxi_spread_axis *x = &d->axis[axis];
    struct places places = { .n = 0 };
    const bool sorted = sort_places(d, axis, &places);
    drx_status st;

    x->runs = drxi_malloc((size_t)(2 * places.n) * sizeof *x->runs);
    if (!sorted || !x->runs) {
        drxi_free(places.of);
        return drxi_fail(DRX_ENOMEM, "axis %d: out of memory sorting %lld indices", axis, (long long)places.n);
    }
    x->first = places.n > 0 ? places.of[0].key : 0;
    x->end = places.n > 0 ? places.of[places.n - 1].key : 0;
    st = check_spread(x, axis);
    x->end += !st && places.n > 0;
    if (!st)
        set_both(d, axis, &places);
    drxi_free(places.of);
    return st;
}

static drx_status set_axis(drxmp_darray *d, int axis)
{
    struct drxi_spread_axis *x = &d->axis[axis];

    x->held = drxi_calloc((size_t)x->grid, sizeof *x->held);
    x->owned = drxi_calloc((size_t)x->grid, sizeof *x->owned);
    if (!x->held || !x->owned)
        return drxi_fail(DRX_ENOMEM, "axis %d: out of memory for %lld ranks", axis, (long long)x->grid);
    if (d->dims[axis].dist_type == 'u')
        return set_unstructured(d, axis);
    x->end = d->dims[axis].size;
    x->whole = true;
    for (int64_t k = 0; k < x->grid; k++) {
        const struct dap_dim *dim = drxi_darray_dim(d, (int)(k * x->behind), axis);

        if (dim->dist_type == 'b') {
            set_block(dim, &x->held[k], &x->owned[k]);
        } else {
            set_cyclic(dim, &x->held[k]);
            x->owned[k] = x->held[k];
        }
    }
    return DRX_OK;
}

drx_status drxi_spread_axes(drxmp_darray *d)
{
    int64_t behind = 1;
    drx_status st = DRX_OK;

    for (int j = d->ndim - 1; j >= 0; j--) {
        d->axis[j].grid = d->dims[j].proc_grid_size;
        d->axis[j].behind = behind;
        behind *= d->axis[j].grid;
    }
    for (int j = 0; !st && j < d->ndim; j++)
        st = set_axis(d, j);
    return st;
}

void drxi_spread_free(drxmp_darray *d)
{
    for (int j = 0; j < d->ndim; j++) {
        drxi_free(d->axis[j].held);
        drxi_free(d->axis[j].owned);
        drxi_free(d->axis[j].runs);
    }
}

static void set_all(const drxmp_darray *d, bool owned, struct drxi_axis_set sets[])
{
    for (int rank = 0; rank < d->ranks; rank++)
        for (int j = 0; j < d->ndim; j++) {
            const struct drxi_spread_axis *x = &d->axis[j];

            sets[(int64_t)rank * d->ndim + j] = (owned ? x->owned : x->held)[drxi_grid_rank(d, rank, j)];
        }
}

void drxi_axis_shift(struct drxi_axis_set *set, int64_t by, struct drxi_run **room)
{
    if (set->kind == DRXI_RUNS && by != 0) {
        memcpy(*room, set->runs, (size_t)set->n * sizeof **room);
        set->runs = *room;
        for (int64_t i = 0; i < set->n; i++)
            (*room)[i].index += by;
        *room += set->n;
    } else {
        set->start += by;
        set->end += by;
    }
}

/* The sets of an axis are shifted once for each grid rank, then copied to the others. */
drx_status drxi_darray_sets_at(const drxmp_darray *d, bool owned, const int64_t by[], struct drxi_axis_set sets[],
                               struct drxi_run **runs)
{
    struct drxi_run *room;
    int64_t n = 0;

    set_all(d, owned, sets);
    for (int j = 0; j < d->ndim; j++)
        for (int64_t k = 0; k < d->axis[j].grid; k++) {
            const struct drxi_axis_set *set = &sets[k * d->axis[j].behind * d->ndim + j];

            n += set->kind == DRXI_RUNS && by[j] != 0 ? set->n : 0;
        }
    *runs = room = drxi_malloc((size_t)n * sizeof *room);
    if (!room)
        return drxi_fail(DRX_ENOMEM, "out of memory for the indices that all ranks take");
    for (int j = 0; j < d->ndim; j++)
        for (int rank = 0; rank < d->ranks; rank++) {
            const int64_t first = drxi_grid_rank(d, rank, j) * d->axis[j].behind;
            struct drxi_axis_set *set = &sets[(int64_t)rank * d->ndim + j];

            if (rank == first)
                drxi_axis_shift(set, by[j], &room);
            else
                *set = sets[first * d->ndim + j];
        }
    return DRX_OK;
}
