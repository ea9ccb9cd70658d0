/* Global and local indices of one axis. */
#include "dap/dap_internal.h"

/* How many of `size` indices a grid rank owns: its whole blocks, and the last, short block if it is the rank's turn.
 * (ScaLAPACK's NUMROC with the first block on process 0.) */
static int64_t cyclic_owned(const struct dap_dim *d)
{
    const int64_t blocks = d->size / d->block_size;
    const int64_t rounds = blocks / d->proc_grid_size;
    const int64_t turn = blocks % d->proc_grid_size;
    int64_t owned = rounds * d->block_size;

    if (d->proc_grid_rank < turn)
        owned += d->block_size;
    else if (d->proc_grid_rank == turn)
        owned += d->size % d->block_size;
    return owned;
}

int64_t dap_num_local(const struct dap_dim *d)
{
    if (dapi_is_block(d))
        return d->stop - d->start;
    if (dapi_is_cyclic(d))
        return cyclic_owned(d);
    return dapi_is_unstructured(d) ? d->n_indices : -1;
}

int64_t dap_num_owned(const struct dap_dim *d)
{
    const int64_t local = dap_num_local(d);

    return dapi_is_block(d) ? local - dapi_shared_before(d) - dapi_shared_after(d) : local;
}

int dap_owned_range(const struct dap_dim *d, int64_t *lo, int64_t *hi)
{
    if (!dapi_is_block(d))
        return DAP_EINVAL;
    *lo = d->start + dapi_shared_before(d);
    *hi = d->stop - dapi_shared_after(d);
    return DAP_OK;
}

static int cyclic_to_local(const struct dap_dim *d, int64_t global, int64_t *local)
{
    const int64_t block = global / d->block_size;

    if (global < 0 || global >= d->size || block % d->proc_grid_size != d->proc_grid_rank)
        return DAP_ERANGE;
    *local = block / d->proc_grid_size * d->block_size + global % d->block_size;
    return DAP_OK;
}

static int search(const struct dap_dim *d, int64_t global, int64_t *local)
{
    for (int64_t i = 0; i < d->n_indices; i++)
        if (d->indices[i] == global) {
            *local = i;
            return DAP_OK;
        }
    return DAP_ERANGE;
}

int dap_global_to_local(const struct dap_dim *d, int64_t global, int64_t *local)
{
    if (dapi_is_block(d)) {
        if (global < d->start || global >= d->stop)
            return DAP_ERANGE;
        *local = global - d->start;
        return DAP_OK;
    }
    if (dapi_is_cyclic(d))
        return cyclic_to_local(d, global, local);
    return dapi_is_unstructured(d) ? search(d, global, local) : DAP_EINVAL;
}

int dap_local_to_global(const struct dap_dim *d, int64_t local, int64_t *global)
{
    const int64_t n = dap_num_local(d);

    if (n < 0)
        return DAP_EINVAL;
    if (local < 0 || local >= n)
        return DAP_ERANGE;
    if (dapi_is_block(d))
        *global = d->start + local;
    else if (dapi_is_unstructured(d))
        *global = d->indices[local];
    else /* below size, since local is owned */
        *global =
            (local / d->block_size * d->proc_grid_size + d->proc_grid_rank) * d->block_size + local % d->block_size;
    return DAP_OK;
}

/* Borders do not decrease, so those at or before `global` come first. */
static int block_owner(const struct dap_dim set[], int64_t global, int64_t *grid_rank)
{
    int64_t low = 0, high = set->proc_grid_size; /* low starts at or before global, high after it */

    if (global < 0 || global >= set->size)
        return DAP_ERANGE;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;

        if (set[middle].start + dapi_shared_before(&set[middle]) <= global)
            low = middle;
        else
            high = middle;
    }
    *grid_rank = low;
    return DAP_OK;
}

int dap_owner(const struct dap_dim set[], int64_t global, int64_t *grid_rank)
{
    int64_t local;

    if (dapi_is_block(set))
        return block_owner(set, global, grid_rank);
    if (dapi_is_cyclic(set)) {
        if (global < 0 || global >= set->size)
            return DAP_ERANGE;
        *grid_rank = global / set->block_size % set->proc_grid_size;
        return DAP_OK;
    }
    if (!dapi_is_unstructured(set))
        return DAP_EINVAL;
    for (int64_t r = 0; r < set->proc_grid_size; r++)
        if (search(&set[r], global, &local) == DAP_OK) {
            *grid_rank = r;
            return DAP_OK;
        }
    return DAP_ERANGE;
}
