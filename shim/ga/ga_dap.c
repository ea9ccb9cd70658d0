/* Descriptions and exports of GAs through the Distributed Array Protocol. */
#include <stdlib.h>

#include "ga_inside.h"

/* Axes in the order of C. The number of a block counts up along the last axis first. */
struct grid {
    bool cyclic;
    int64_t blocks[GA_MAX_DIM]; /* blocks along each axis */
    int64_t extent[GA_MAX_DIM]; /* cyclic: of a block */
    int64_t procs[GA_MAX_DIM];  /* processes along each axis */
};

static drx_status check_process(const struct drxgai_global *g, int process)
{
    if (process < 0 || process >= g->nodes)
        return drxgai_fail_of(g, DRX_ERANGE, "process %d, it is on 0 to %d", process, g->nodes - 1);
    return DRX_OK;
}

/* ---- regular and irregular ----------------------------------------------------------- */

/* Step along an axis from block to block, beside what the process has. */
static drx_status describe_block(const struct drxgai_global *g, int process, const int64_t lo[], int axis,
                                 struct dap_dim *dim)
{
    int64_t at[GA_MAX_DIM], first[GA_MAX_DIM], last[GA_MAX_DIM], blocks = 0, mine = 0;

    for (int i = 0; i < g->ndim; i++)
        at[i] = lo[i];
    *dim = (struct dap_dim){ .dist_type = 'b', .size = g->dims[axis], .start = lo[axis] };
    for (at[axis] = 0; at[axis] < g->dims[axis]; at[axis] = last[axis] + 1) {
        const int owner = NGA_Locate64(g->handle, at);

        if (owner < 0)
            return drxgai_fail_of(g, DRX_EUNSUPPORTED, "nobody has index %lld of axis %d", (long long)at[axis], axis);
        NGA_Distribution64(g->handle, owner, first, last);
        if (owner == process) {
            mine = blocks;
            dim->stop = last[axis] + 1;
        }
        blocks++;
    }
    dim->proc_grid_size = blocks;
    dim->proc_grid_rank = mine;
    return DRX_OK;
}

static drx_status describe_blocks(const struct drxgai_global *g, int process, struct dap_dim dims[])
{
    int64_t lo[GA_MAX_DIM], hi[GA_MAX_DIM];
    drx_status st = DRX_OK;

    if (!drxgai_part(g->handle, g->ndim, process, NULL, NULL, lo, hi))
        return drxgai_fail_of(g, DRX_ENOENT, "process %d has no part of it", process);
    for (int j = 0; !st && j < g->ndim; j++)
        st = describe_block(g, process, lo, j, &dims[j]);
    return st;
}

/* ---- block-cyclic ---------------------------------------------------------------------- */

static int64_t block_number(const struct drxgai_global *g, const struct grid *grid, const int64_t block[])
{
    int64_t number = 0;

    for (int j = 0; j < g->ndim; j++)
        number = number * grid->blocks[j] + block[j];
    return number;
}

/* All blocks along each axis have one extent, except for the last. */
static drx_status find_extents(const struct drxgai_global *g, struct grid *grid)
{
    int64_t block[GA_MAX_DIM] = { 0 }, lo[GA_MAX_DIM], hi[GA_MAX_DIM];

    for (int j = 0; j < g->ndim; j++) {
        for (block[j] = 0; block[j] < grid->blocks[j]; block[j]++) {
            NGA_Distribution64(g->handle, (int)block_number(g, grid, block), lo, hi);
            if (block[j] == 0)
                grid->extent[j] = hi[j] - lo[j] + 1;
            if (lo[j] != block[j] * grid->extent[j])
                return drxgai_fail_of(g, DRX_EUNSUPPORTED,
                                      "axis %d: its blocks have different extents, and the protocol has no such cyclic "
                                      "distribution",
                                      j);
        }
        block[j] = 0;
    }
    return DRX_OK;
}

/* Without a grid, blocks are dealt out by their numbers. */
static drx_status deal_out(const struct drxgai_global *g, struct grid *grid)
{
    int cut = 0;

    for (int j = 0; j < g->ndim; j++)
        grid->procs[j] = 1;
    for (int j = 0; j < g->ndim; j++)
        if (grid->blocks[j] > 1) {
            if (grid->blocks[cut] > 1 && cut != j)
                return drxgai_fail_of(
                    g, DRX_EUNSUPPORTED,
                    "it is block-cyclic without a grid of processes, and both axis %d and axis %d are "
                    "cut; the protocol describes grids",
                    cut, j);
            cut = j;
        }
    grid->procs[cut] = g->nodes;
    return DRX_OK;
}

/* Global Arrays gives the grid of processes in Fortran's order of axes, in C, too; and the numbers of blocks in C's. */
static drx_status find_grid(const struct drxgai_global *g, struct grid *grid)
{
    int n[GA_MAX_DIM];
    drx_status st;

    GA_Nblock(g->handle, n);
    for (int j = 0; j < g->ndim; j++)
        grid->blocks[j] = n[j];
    st = find_extents(g, grid);
    if (st || !GA_Uses_proc_grid(g->handle))
        return st ? st : deal_out(g, grid);
    GA_Get_proc_grid(g->handle, n);
    for (int j = 0; j < g->ndim; j++)
        grid->procs[j] = n[g->ndim - 1 - j];
    return DRX_OK;
}

static drx_status describe_cycles(const struct drxgai_global *g, int process, const struct grid *grid,
                                  struct dap_dim dims[])
{
    int64_t rest = process;

    for (int j = g->ndim - 1; j >= 0; j--) {
        const int64_t coord = rest % grid->procs[j];

        rest /= grid->procs[j];
        if (dap_cyclic(g->dims[j], grid->extent[j], 1, grid->procs[j], coord, &dims[j]))
            return drxgai_fail_of(g, DRX_EUNSUPPORTED, "axis %d has no description", j);
    }
    if (rest)
        return drxgai_fail_of(g, DRX_ENOENT, "process %d is outside the grid of processes", process);
    return DRX_OK;
}

static drx_status describe(const struct drxgai_global *g, int process, struct grid *grid, struct dap_dim dims[])
{
    drx_status st = check_process(g, process);

    *grid = (struct grid){ .cyclic = g->cyclic };
    if (st || !g->cyclic)
        return st ? st : describe_blocks(g, process, dims);
    st = find_grid(g, grid);
    return st ? st : describe_cycles(g, process, grid, dims);
}

drx_status drxga_dims(int g_a, int process, struct dap_dim dims[])
{
    struct dap_dim found[GA_MAX_DIM];
    struct drxgai_global g;
    struct grid grid;
    drx_status st = drxgai_look(g_a, &g);

    if (!st && !dims)
        st = shim_fail(DRX_EINVAL, "drxga_dims: dims is a null pointer");
    if (!st)
        st = describe(&g, process, &grid, found);
    for (int j = 0; !st && j < g.ndim; j++)
        dims[j] = found[j];
    return st;
}

/* ---- exports ------------------------------------------------------------------------------ */

struct export
{
    struct dap_dim dims[GA_MAX_DIM];
    int64_t shape[GA_MAX_DIM], strides[GA_MAX_DIM]; /* bytes */
};

static void release(struct dap_array *a)
{
    free(a->private_data);
    a->release = NULL;
}

static const char *format_of(drx_type type)
{
    static const char *const formats[] = { [DRX_INT32] = "i",   [DRX_INT64] = "q",      [DRX_FLOAT32] = "f",
                                           [DRX_FLOAT64] = "d", [DRX_COMPLEX64] = "Zf", [DRX_COMPLEX128] = "Zd" };

    return formats[type];
}

static void *find_part(const struct drxgai_global *g, struct export *e)
{
    int64_t lo[GA_MAX_DIM], hi[GA_MAX_DIM], stride[GA_MAX_DIM];
    void *memory;

    (void)drxgai_part(g->handle, g->ndim, g->me, NULL, NULL, lo, hi); /* it has one: there is a description */
    memory = drxgai_access(g->handle, g->ndim, lo, hi, stride);
    NGA_Release_update64(g->handle, lo, hi);
    for (int j = 0; j < g->ndim; j++)
        e->strides[j] = stride[j] * (int64_t)g->item_bytes;
    return memory;
}

static char *access_block(const struct drxgai_global *g, int64_t number, int64_t stride_bytes[])
{
    int64_t ld[GA_MAX_DIM];
    char *memory = NULL;

    NGA_Access_block64(g->handle, number, &memory, ld);
    NGA_Release_update_block(g->handle, (int)number);
    drxgai_strides(g->ndim, ld, (int64_t)g->item_bytes, stride_bytes);
    return memory;
}

/* The next block of the process; false after the last one. */
static bool next_block(const struct drxgai_global *g, const struct grid *grid, const struct export *e, int64_t block[])
{
    for (int j = g->ndim - 1; j >= 0; j--) {
        block[j] += grid->procs[j];
        if (block[j] < grid->blocks[j])
            return true;
        block[j] = e->dims[j].proc_grid_rank;
    }
    return false;
}

/* Does this block lie where the strides say? Strides of axes where it has one index do not count. */
static bool fits(const struct drxgai_global *g, const struct grid *grid, const struct export *e, const char *first,
                 const int64_t block[])
{
    int64_t stride[GA_MAX_DIM], at = 0;
    const char *memory = access_block(g, block_number(g, grid, block), stride);

    for (int j = 0; j < g->ndim; j++) {
        const int64_t before = block[j] * grid->extent[j], extent = g->dims[j] - before;

        at += block[j] / grid->procs[j] * grid->extent[j] * e->strides[j];
        if (stride[j] != e->strides[j] && extent > 1 && grid->extent[j] > 1)
            return false;
    }
    return memory == first + at;
}

/* Where the memory of this process begins. Global Arrays 5.8 misplaces blocks of tiled GAs, and the first one shows
 * it. */
static const void *segment(const struct drxgai_global *g)
{
    int64_t items;
    void *memory = NULL;

    NGA_Access_block_segment64(g->handle, g->me, &memory, &items);
    NGA_Release_update_block_segment(g->handle, g->me);
    return memory;
}

/* Do the blocks from this first one on lie as one section? Those of a grid stored as ScaLAPACK does do. */
static bool is_one_section(const struct drxgai_global *g, const struct grid *grid, const struct export *e,
                           const void *first, int64_t block[])
{
    if (first != segment(g))
        return false;
    do
        if (!fits(g, grid, e, first, block))
            return false;
    while (next_block(g, grid, e, block));
    return true;
}

static drx_status find_blocks(const struct drxgai_global *g, const struct grid *grid, struct export *e, void **data)
{
    int64_t block[GA_MAX_DIM], along = (int64_t)g->item_bytes, stride[GA_MAX_DIM];
    bool any = true;

    for (int j = g->ndim - 1; j >= 0; j--) {
        e->strides[j] = along;
        along *= e->shape[j];
        block[j] = e->dims[j].proc_grid_rank;
        any = any && block[j] < grid->blocks[j];
    }
    *data = NULL;
    if (!any)
        return DRX_OK;
    *data = access_block(g, block_number(g, grid, block), stride);
    return is_one_section(g, grid, e, *data, block)
               ? DRX_OK
               : drxgai_fail_of(g, DRX_EUNSUPPORTED, "its blocks lie one after another, not as one section");
}

static drx_status fill_in(const struct drxgai_global *g, struct export *e, void **data)
{
    struct grid grid;
    drx_status st = describe(g, g->me, &grid, e->dims);

    if (st)
        return st;
    for (int j = 0; j < g->ndim; j++)
        e->shape[j] = dap_num_local(&e->dims[j]);
    if (grid.cyclic)
        return find_blocks(g, &grid, e, data);
    *data = find_part(g, e);
    return DRX_OK;
}

drx_status drxga_dap(int g_a, struct dap_array *out)
{
    struct drxgai_global g;
    struct export *e = NULL;
    void *data = NULL;
    drx_status st = drxgai_look(g_a, &g);

    if (!st && !out)
        st = shim_fail(DRX_EINVAL, "drxga_dap: out is a null pointer");
    if (st)
        return st;
    e = calloc(1, sizeof *e);
    st = e ? fill_in(&g, e, &data) : drxgai_fail_of(&g, DRX_ENOMEM, "no memory for an export");
    if (st) {
        free(e);
        return st;
    }
    *out = (struct dap_array){ .abi_major = DAP_ABI_MAJOR,
                               .abi_minor = DAP_ABI_MINOR,
                               .release = release,
                               .private_data = e,
                               .version = { DAP_VERSION_MAJOR, DAP_VERSION_MINOR, DAP_VERSION_PATCH },
                               .ndim = g.ndim,
                               .device_type = DAP_HOST,
                               .data = data,
                               .itemsize = (int64_t)g.item_bytes,
                               .format = format_of(g.type),
                               .shape = e->shape,
                               .strides = e->strides,
                               .dims = e->dims,
                               .dim_stride = sizeof(struct dap_dim) };
    return DRX_OK;
}
