/* Finding the owner of an index, axis by axis. */
#include "mp/darray/sections.h"

/* The grid rank whose block has `index`: the first whose block ends after it. */
static int64_t find_block(const struct drxi_spread_axis *x, int64_t index)
{
    int64_t low = 0, high = x->grid;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (x->owned[middle].start + x->owned[middle].n <= index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void drxi_axis_owners(const drxmp_darray *d, int axis, int64_t from, int64_t to, int64_t *first, int64_t *n)
{
    const struct drxi_spread_axis *x = &d->axis[axis];
    const struct dap_dim *dim = &d->dims[axis];

    if (x->grid == 1 || dim->dist_type == 'u') {
        *first = 0;
        *n = x->grid;
    } else if (dim->dist_type == 'b') {
        *first = find_block(x, from);
        *n = x->owned[*first].start + x->owned[*first].n >= to ? 1 : find_block(x, to - 1) - *first + 1;
    } else {
        *first = from / dim->block_size % x->grid;
        *n = drxi_min(x->grid, (to - 1) / dim->block_size - from / dim->block_size + 1);
    }
}

/* Find the grid rank that owns an index, and the local index there; false when no rank owns it. */
static bool find_owner(const drxmp_darray *d, int axis, int64_t index, int64_t *owner, int64_t *local)
{
    const struct drxi_spread_axis *x = &d->axis[axis];
    struct drxi_run run;
    int64_t first, n;

    if (index < x->first || index >= x->end)
        return false;
    drxi_axis_owners(d, axis, index, index + 1, &first, &n);
    for (*owner = first; n > 0; n--, ++*owner)
        if (drxi_axis_next(&x->owned[*owner], index, index + 1, &run)) {
            *local = run.local;
            return true;
        }
    return false;
}

static drx_status not_owned(int axis, int64_t index)
{
    return drxi_fail(DRX_ERANGE, "axis %d: no rank owns index %lld", axis, (long long)index);
}

/* Find the owner of an element, and its local index on each axis. */
static drx_status find_element(const drxmp_darray *d, const int64_t index[], int *rank, int64_t local[])
{
    int64_t at = 0, owner;

    for (int j = 0; j < d->ndim; j++) {
        if (!find_owner(d, j, index[j], &owner, &local[j]))
            return not_owned(j, index[j]);
        at += owner * d->axis[j].behind;
    }
    *rank = (int)at;
    return DRX_OK;
}

drx_status drxi_locate(const drxmp_darray *d, const int64_t index[], int *rank, int64_t *offset_bytes)
{
    int64_t local[DRX_MAX_NDIM];
    const drx_status st = find_element(d, index, rank, local);

    *offset_bytes = 0;
    for (int j = 0; !st && j < d->ndim; j++)
        *offset_bytes += local[j] * d->reach[*rank].stride_bytes[j];
    return st;
}

drx_status drxmp_darray_owner(const drxmp_darray *d, const int64_t index[], int *rank)
{
    int64_t local[DRX_MAX_NDIM];

    if (!d || !index || !rank)
        return drxi_fail(DRX_EINVAL, "drxmp_darray_owner: a null pointer");
    return find_element(d, index, rank, local);
}

drx_status drxmp_darray_zone(const drxmp_darray *d, int rank, const struct dap_dim **dims, int64_t lo[],
                             int64_t count[])
{
    bool some = true;

    if (!d)
        return drxi_fail(DRX_EINVAL, "the darray is a null pointer");
    if (rank < 0 || rank >= d->ranks)
        return drxi_fail(DRX_EINVAL, "rank %d, expected 0 to %d", rank, d->ranks - 1);
    if (dims)
        *dims = drxi_darray_dim(d, rank, 0);
    for (int j = 0; j < d->ndim; j++) {
        int64_t first = 0, last = -1;

        some = drxi_axis_bounds(&d->axis[j].owned[drxi_grid_rank(d, rank, j)], &first, &last) && some;
        if (lo)
            lo[j] = first;
        if (count)
            count[j] = last - first + 1;
    }
    for (int j = 0; count && !some && j < d->ndim; j++)
        count[j] = 0;
    return DRX_OK;
}

/* Check that all indices lo <= i < hi have owners, on an axis where some have none. */
static drx_status check_gaps(const drxmp_darray *d, int axis, int64_t lo, int64_t hi)
{
    const struct drxi_spread_axis *x = &d->axis[axis];
    int64_t n = 0, owner, local;

    for (int64_t k = 0; k < x->grid; k++)
        n += drxi_axis_count(&x->owned[k], lo, hi);
    if (n == hi - lo)
        return DRX_OK;
    while (find_owner(d, axis, lo, &owner, &local))
        lo++;
    return not_owned(axis, lo);
}

/* The same of count indices lo, lo + step, ... */
static drx_status check_steps(const drxmp_darray *d, int axis, int64_t lo, int64_t count, int64_t step)
{
    const struct drxi_spread_axis *x = &d->axis[axis];
    int64_t owner, local, most, after;

    if (step < 1)
        return drxi_fail(DRX_EINVAL, "axis %d: step %lld, expected 1 or more", axis, (long long)step);
    if (lo < x->first || lo >= x->end)
        return not_owned(axis, lo);
    most = (x->end - 1 - lo) / step + 1; /* of them inside */
    for (int64_t i = 0; !x->whole && i < drxi_min(count, most); i++)
        if (!find_owner(d, axis, lo + i * step, &owner, &local))
            return not_owned(axis, lo + i * step);
    if (count <= most)
        return DRX_OK;
    return not_owned(axis, drxi_add(lo, drxi_mul_saturated(most, step), &after) ? after : INT64_MAX);
}

drx_status drxi_check_owned(const drxmp_darray *d, const int64_t lo[], const int64_t count[], const int64_t step[])
{
    drx_status st = DRX_OK;

    for (int j = 0; !st && j < d->ndim; j++) {
        const struct drxi_spread_axis *x = &d->axis[j];

        if (step && step[j] != 1) {
            st = check_steps(d, j, lo[j], count[j], step[j]);
            continue;
        }
        if (lo[j] < x->first || lo[j] >= x->end)
            return not_owned(j, lo[j]);
        if (!x->whole)
            st = check_gaps(d, j, lo[j], lo[j] + drxi_min(count[j], x->end - lo[j]));
        if (!st && x->end - lo[j] < count[j])
            st = not_owned(j, x->end);
    }
    return st;
}
