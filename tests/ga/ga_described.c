/* Descriptions of what processes have fit together by the rules of the protocol, and say the same as NGA_Distribution.
 * Exports lead to the elements: a darray made of them holds what the GA holds, and changes it. */
#include <stdlib.h>
#include <string.h>

#include "ga_driver.h"

/* Processes that have something, and their descriptions. */
static int describe_all(int g_a, int ndim, struct dap_dim dims[64][MOST_DIMS])
{
    int n = 0;

    for (int r = 0; r < team.ranks; r++) {
        struct dap_dim found[MOST_DIMS];
        const drx_status st = drxga_dims(g_a, r, found);

        if (st == DRX_EUNSUPPORTED)
            return -1;
        if (st && st != DRX_ENOENT)
            wrong("process %d: %s", r, drx_last_error());
        if (!st) {
            int64_t grid[MOST_DIMS], coords[MOST_DIMS], rank;

            for (int j = 0; j < ndim; j++) {
                grid[j] = found[j].proc_grid_size;
                coords[j] = found[j].proc_grid_rank;
            }
            if (dap_grid_rank(ndim, grid, coords, &rank) || rank >= 64)
                wrong("a rank in the grid");
            memcpy(dims[rank], found, sizeof found);
            n++;
        }
    }
    return n;
}

static void validate(int n, int ndim, struct dap_dim dims[64][MOST_DIMS], const char *what)
{
    struct dap_dim *all = malloc((size_t)(n * ndim) * sizeof *all);
    char why[300];

    for (int r = 0; r < n; r++)
        memcpy(all + r * ndim, dims[r], (size_t)ndim * sizeof *all);
    if (dap_validate_dims_set(n, ndim, all, NULL, why, sizeof why))
        wrong("%s: %s", what, why);
    free(all);
}

/* The sum of what is described is the whole GA, and of a regular one each part is that of NGA_Distribution. */
static void check_parts(int g_a, enum way way, int n, const struct model *p, struct dap_dim dims[64][MOST_DIMS])
{
    int64_t items = 0;

    for (int r = 0; r < n; r++) {
        int64_t mine = 1;

        for (int j = 0; j < p->ndim; j++)
            mine *= dap_num_owned(&dims[r][j]);
        items += mine;
    }
    if (items != p->count)
        wrong("%s: %lld elements in descriptions, %lld in the GA", way_names[way], (long long)items,
              (long long)p->count);
    for (int r = 0; r < n && (way <= IRREGULAR || way == GHOSTS); r++) {
        int64_t lo[MOST_DIMS], hi[MOST_DIMS];

        NGA_Distribution64(g_a, r, lo, hi);
        for (int j = 0; j < p->ndim; j++)
            if (dims[r][j].start != lo[j] || dims[r][j].stop != hi[j] + 1)
                wrong("%s: process %d, axis %d", way_names[way], r, j);
    }
}

/* Read the whole GA through a darray, on the processes of the grid in its order; then change it. */
static void use_export(int g_a, struct model *p, const char *what)
{
    int64_t lo[MOST_DIMS] = { 0 }, grid[MOST_DIMS], coords[MOST_DIMS], key = 0;
    struct dap_array mine = { .release = NULL };
    drxmp_darray *d;
    unsigned char *found;
    MPI_Comm comm;
    const drx_status st = drxga_dap(g_a, &mine);

    if (st && st != DRX_ENOENT)
        wrong("%s: %s", what, drx_last_error());
    for (int j = 0; !st && j < p->ndim; j++) {
        grid[j] = mine.dims[j].proc_grid_size;
        coords[j] = mine.dims[j].proc_grid_rank;
    }
    if (!st && dap_grid_rank(p->ndim, grid, coords, &key))
        wrong("%s: a rank in the grid", what);
    sync_team();
    MPI_Comm_split(team.comm, st ? MPI_UNDEFINED : 0, (int)key, &comm);
    if (!st) {
        found = malloc((size_t)p->count * p->element_bytes);
        succeed(drxmp_darray_from_dap(comm, &mine, &d));
        succeed(drxmp_darray_get(d, lo, p->dims, DRX_ROW_MAJOR, found));
        (void)compare(p, found, what);
        succeed(drxmp_darray_sync(d));
    }
    fill_model(p, (uint64_t)below(1000));
    if (!st) {
        if (key == 0)
            succeed(drxmp_darray_put(d, lo, p->dims, DRX_ROW_MAJOR, p->bytes));
        succeed(drxmp_darray_sync(d));
        succeed(drxmp_darray_free(d));
        MPI_Comm_free(&comm);
        free(found);
    }
    check_global(g_a, p, what);
}

/* Is every element in reach of all? MPICH 4.0 leads elsewhere in a window that begins inside the memory of another one,
 * which is that of the GA. The blocks of others than these may lie as one section on all processes, as chance has
 * it. */
static bool is_reached(int g_a, enum way way)
{
    const bool must = way < TILED && way != CYCLIC;
    struct dap_array mine = { .release = NULL };
    const drx_status st = drxga_dap(g_a, &mine);
    int can = st == DRX_OK || st == DRX_ENOENT;

    if (st && mine.release)
        wrong("an export after a failure");
    if (!st)
        dap_release(&mine);
    MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_MIN, team.comm);
    if (must && !can)
        wrong("%s: %s", way_names[way], drx_last_error());
#ifdef MPICH_VERSION
    can = can && way != GHOSTS;
#endif
    return can;
}

static void play(int ndim, const int64_t shape[], enum way way)
{
    static struct dap_dim dims[64][MOST_DIMS];
    struct model p = make_model(all_types[below(TYPES)], ndim, shape);
    const int g_a = make_global(&p, way);
    const int n = describe_all(g_a, ndim, dims);

    fill_model(&p, (uint64_t)below(1000));
    put_global(g_a, &p);
    if (n >= 0) {
        validate(n, ndim, dims, way_names[made_way]);
        check_parts(g_a, made_way, n, &p, dims);
    }
    if (n >= 0 && is_reached(g_a, made_way))
        use_export(g_a, &p, way_names[made_way]);
    release_all();
}

/* Blocks of 3 rows, dealt out in turn. */
static void play_rows(void)
{
    const int64_t shape[] = { 3 * 8 + 2, 4 };
    struct model p = make_model(C_DBL, 2, shape);
    int g_a = GA_Create_handle(), dims[] = { 3 * 8 + 2, 4 }, block[] = { 3, 4 };
    struct dap_dim found[2];

    fill_model(&p, 1);
    GA_Set_data(g_a, 2, dims, C_DBL);
    GA_Set_block_cyclic(g_a, block);
    (void)GA_Allocate(g_a);
    put_global(g_a, &p);
    succeed(drxga_dims(g_a, team.ranks - 1, found));
    if (found[0].dist_type != 'c' || found[0].block_size != 3 || found[0].proc_grid_size != team.ranks ||
        found[0].proc_grid_rank != team.ranks - 1 || found[1].proc_grid_size != 1)
        wrong("rows in turn");
    use_export(g_a, &p, "rows in turn");
    GA_Destroy(g_a);
}

static void refuse_others(void)
{
    const int64_t shape[] = { 9, 2 * 8 + 1 };
    const struct model p = make_model(C_DBL, 2, shape);
    int g_a = GA_Create_handle(), dims[] = { 9, 2 * 8 + 1 }, block[] = { 2, 2 }, grid[] = { 1, team.ranks };
    struct dap_dim found[2];
    struct dap_array out;

    GA_Set_data(g_a, 2, dims, C_DBL);
    GA_Set_array_name(g_a, (char[]){ "plane" });
    GA_Set_block_cyclic(g_a, block);
    (void)GA_Allocate(g_a);
    refuse(drxga_dims(g_a, 0, found), DRX_EUNSUPPORTED,
           "\"plane\": it is block-cyclic without a grid of processes, and both axis 0 and axis 1 are cut");
    refuse(drxga_dap(g_a, &out), DRX_EUNSUPPORTED, "without a grid");
    GA_Destroy(g_a);
    g_a = GA_Create_handle();
    GA_Set_data(g_a, 2, dims, C_DBL);
    GA_Set_array_name(g_a, (char[]){ "tiles" });
    GA_Set_tiled_proc_grid(g_a, block, grid);
    (void)GA_Allocate(g_a);
    succeed(drxga_dims(g_a, 0, found));
    if (team.rank == 0)
        refuse(drxga_dap(g_a, &out), DRX_EUNSUPPORTED, "\"tiles\": its blocks lie one after another");
    GA_Sync();
    GA_Destroy(g_a);
    g_a = make_global(&p, REGULAR);
    refuse(drxga_dims(g_a, -1, found), DRX_ERANGE, "process -1, it is on 0 to");
    refuse(drxga_dims(g_a, team.ranks, found), DRX_ERANGE, "it is on 0 to");
    refuse(drxga_dims(g_a, 0, NULL), DRX_EINVAL, "null pointer");
    refuse(drxga_dap(g_a, NULL), DRX_EINVAL, "null pointer");
    refuse(drxga_dap(5, &out), DRX_EINVAL, "5 is not the handle");
}

void described(void)
{
    const int n = rounds(100);

    for (int i = 0; i < n; i++) {
        const int ndim = 1 + (int)below(3);
        int64_t shape[MOST_DIMS];

        for (int j = 0; j < ndim; j++)
            shape[j] = 1 + below(ndim == 1 ? 90 : 20);
        play(ndim, shape, (enum way)(i % WAYS));
    }
    play_rows();
    refuse_others();
}
