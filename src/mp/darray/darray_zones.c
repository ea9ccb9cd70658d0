/* Zones give each rank whole chunks of an array (Otoo and Rotem 2009, section II). A grid of ranks balances them. */
#include "mp/darray/darray.h"

/* The most chunks that one of `ranks` gets of the chunks along an axis. They are dealt out in blocks of `block` chunks;
 * 0: one block for each rank. */
static int64_t largest_share(int64_t chunks, int64_t block, int64_t ranks)
{
    int64_t rounds, left;

    if (block == 0)
        return drxi_ceil_div(chunks, ranks);
    rounds = chunks / block / ranks;
    left = chunks / block % ranks;
    return rounds * block + (left > 0 ? block : chunks % block);
}

/* The best way to spread the first axes over this many ranks. */
struct choice {
    int64_t share; /* the largest, in chunks */
    int64_t sum;   /* of the grid's extents; a smaller sum is more even */
    int64_t last;  /* ranks along the last of these axes */
};

/* Of equal choices the caller keeps the first, which has the fewest ranks along the last axis. */
static bool better(const struct choice *a, const struct choice *b)
{
    return a->share != b->share ? a->share < b->share : a->sum < b->sum;
}

static int64_t find_divisors(int64_t n, int64_t divisors[])
{
    int64_t found = 0;

    for (int64_t k = 1; k <= n; k++)
        if (n % k == 0)
            divisors[found++] = k;
    return found;
}

/* Extend the best choices by one axis. before[i] and after[i] spread the axes so far over divisors[i] ranks. */
static void add_choice(const struct choice before[], struct choice after[], const int64_t divisors[], int64_t n,
                       int64_t chunks, int64_t block)
{
    for (int64_t i = 0; i < n; i++) {
        after[i].share = 0;
        for (int64_t k = 0; k <= i; k++) {
            struct choice c;
            int64_t rest = i; /* divisors[rest] is divisors[i] / divisors[k] */

            if (divisors[i] % divisors[k] != 0)
                continue;
            while (divisors[rest] != divisors[i] / divisors[k])
                rest--;
            c.share = drxi_mul_saturated(before[rest].share, drxi_max(largest_share(chunks, block, divisors[k]), 1));
            c.sum = before[rest].sum + divisors[k];
            c.last = divisors[k];
            if (after[i].share == 0 || better(&c, &after[i]))
                after[i] = c;
        }
    }
}

/* Dynamic programming over the axes, for all divisors of `ranks`. Both measures increase with those of the earlier
 * axes, so the best choices extend best choices. */
drx_status drxi_choose_grid(int ndim, const int64_t chunks[], const int64_t blocks[], int64_t ranks, int64_t grid[])
{
    int64_t *divisors = drxi_malloc((size_t)ranks * sizeof *divisors), left = ranks;
    const int64_t n = divisors ? find_divisors(ranks, divisors) : 0;
    struct choice *choices = drxi_calloc((size_t)(n * (ndim + 1)), sizeof *choices);

    if (!divisors || !choices) {
        drxi_free(divisors);
        drxi_free(choices);
        return drxi_fail(DRX_ENOMEM, "out of memory choosing a grid of %lld ranks", (long long)ranks);
    }
    for (int64_t i = 0; i < n; i++) /* no axes: possible for one rank only */
        choices[i].share = i == 0 ? 1 : INT64_MAX;
    for (int j = 0; j < ndim; j++)
        add_choice(choices + j * n, choices + (j + 1) * n, divisors, n, chunks[j], blocks ? blocks[j] : 0);
    for (int j = ndim - 1; j >= 0; j--) {
        int64_t i = 0;

        while (divisors[i] != left)
            i++;
        grid[j] = choices[(j + 1) * n + i].last;
        left /= grid[j];
    }
    drxi_free(divisors);
    drxi_free(choices);
    return DRX_OK;
}

static drx_status check_grid(const int64_t grid[], int ndim, int ranks)
{
    int64_t all = 1;

    for (int j = 0; j < ndim; j++) {
        if (grid[j] < 1)
            return drxi_fail(DRX_EINVAL, "grid, axis %d: %lld, expected at least 1", j, (long long)grid[j]);
        all = drxi_mul_saturated(all, grid[j]);
    }
    return all == ranks
               ? DRX_OK
               : drxi_fail(DRX_EINVAL, "a grid of %lld ranks, expected %d, all of the array", (long long)all, ranks);
}

static drx_status check_blocks(const int64_t blocks[], int ndim)
{
    for (int j = 0; blocks && j < ndim; j++)
        if (blocks[j] < 1)
            return drxi_fail(DRX_EINVAL, "block_chunks, axis %d: %lld, expected at least 1", j, (long long)blocks[j]);
    return DRX_OK;
}

static drx_status set_grid(const drxmp_array *m, const int given[], const int64_t blocks[], int64_t grid[])
{
    const struct drxi_data *desc = drxi_data_of(m->a);
    int64_t chunks[DRX_MAX_NDIM];

    for (int j = 0; j < desc->ndim; j++) {
        chunks[j] = drxi_ceil_div(drx_shape(m->a)[j], desc->chunk[j]);
        grid[j] = given ? given[j] : 0;
    }
    return given ? check_grid(grid, desc->ndim, m->ranks)
                 : drxi_choose_grid(desc->ndim, chunks, blocks, m->ranks, grid);
}

/* Describe this rank's zone. */
static drx_status describe_zones(const drxmp_array *m, const int64_t grid[], const int64_t blocks[],
                                 struct dap_dim dims[])
{
    const struct drxi_data *desc = drxi_data_of(m->a);
    const int64_t *shape = drx_shape(m->a);
    int64_t at[DRX_MAX_NDIM];
    int status = dap_grid_coords(desc->ndim, grid, m->rank, at);

    for (int j = 0; !status && j < desc->ndim; j++)
        status = blocks ? dap_cyclic(shape[j], desc->chunk[j], blocks[j], grid[j], at[j], &dims[j])
                        : dap_block(shape[j], desc->chunk[j], grid[j], at[j], &dims[j]);
    return drxi_dap_fail(status, dap_strerror(status));
}

drx_status drxmp_darray_zones(drxmp_array *m, const int grid[], const int64_t block_chunks[], drx_order order,
                              drxmp_darray **out)
{
    struct drxi_darray_plan plan = { .order = order, .comm = m ? m->comm : MPI_COMM_NULL };
    struct dap_dim dims[DRX_MAX_NDIM];
    int64_t chosen[DRX_MAX_NDIM];
    struct drxi_call call;
    drx_status st = DRX_OK;

    if (out)
        *out = NULL;
    if (!m)
        return drxi_no_array();
    (void)drxi_enter(m->a, NULL);
    plan.type = drx_dtype(m->a);
    plan.ndim = drx_ndim(m->a);
    plan.dims = dims;
    plan.buffer_bytes = m->settings.buffer_bytes;
    if (!out)
        st = drxi_fail(DRX_EINVAL, "drxmp_darray_zones: out is a null pointer");
    if (!st)
        st = check_blocks(block_chunks, plan.ndim);
    if (!st)
        st = set_grid(m, grid, block_chunks, chosen);
    if (!st)
        st = describe_zones(m, chosen, block_chunks, dims);
    drxi_leave(m->a);
    drxi_call_start(&call, "drxmp_darray_zones");
    drxi_call_bytes(&call, "grid", grid, sizeof *grid * (size_t)plan.ndim);
    drxi_call_bytes(&call, "block_chunks", block_chunks, sizeof *block_chunks * (size_t)plan.ndim);
    return drxi_darray_make(st, &plan, &call, out);
}
