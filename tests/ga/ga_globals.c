/* GAs of every distribution. */
#include <string.h>

#include "ga_testing.h"

const char *const way_names[WAYS] = { "regular", "irregular", "ghosts", "restricted",
                                      "cyclic",  "ScaLAPACK", "tiled",  "tiled irregular" };
const int tested_types[GA_TYPES] = { C_INT, C_LONG, C_LONGLONG, C_FLOAT, C_DBL, C_SCPL, C_DCPL };

drx_type drx_type_of(int ga_type)
{
    static const drx_type types[GA_TYPES] = { DRX_INT32,   DRX_INT64,     DRX_INT64,     DRX_FLOAT32,
                                              DRX_FLOAT64, DRX_COMPLEX64, DRX_COMPLEX128 };

    for (int i = 0; i < GA_TYPES; i++)
        if (tested_types[i] == ga_type)
            return types[i];
    wrong("type %d", ga_type);
}

void sync_team(void)
{
    GA_Pgroup_sync(team.group);
}

static void ints(int n, const int64_t from[], int to[])
{
    for (int j = 0; j < n; j++)
        to[j] = (int)from[j];
}

/* Random borders; at most as many blocks as there are processes. */
static void set_irregular(int g_a, const struct plain *p)
{
    int map[64 * MOST_DIMS], blocks[MOST_DIMS], left = team.ranks, n = 0;

    for (int j = 0; j < p->ndim; j++) {
        const int most = left < p->shape[j] ? left : (int)p->shape[j];
        int at = 0;

        blocks[j] = 1 + (int)below(most);
        left /= blocks[j];
        for (int b = 0; b < blocks[j]; b++) {
            map[n++] = at;
            at += 1 + (int)below(p->shape[j] - at - (blocks[j] - 1 - b)); /* leave one index for each block */
        }
    }
    GA_Set_irreg_distr(g_a, map, blocks);
}

/* Global Arrays wants elements on each process for ghost cells. */
static bool has_enough(const struct plain *p)
{
    for (int j = 0; j < p->ndim; j++)
        if (p->shape[j] < 2 * team.ranks)
            return false;
    return true;
}

static void set_ghosts(int g_a, const struct plain *p)
{
    int width[MOST_DIMS];

    for (int j = 0; j < p->ndim; j++)
        width[j] = (int)below(3);
    GA_Set_ghosts(g_a, width);
}

static void set_restricted(int g_a)
{
    int list[64], n = 1 + (int)below(team.ranks);

    for (int i = 0; i < n; i++)
        list[i] = (i + 1) % team.ranks;
    GA_Set_restricted(g_a, list, n);
}

/* Blocks, and a grid whose processes are all of the team. Returns the number of blocks. */
static int64_t choose_blocks(const struct plain *p, int block[], int grid[])
{
    int64_t blocks = 1;
    int left = team.ranks;

    for (int j = 0; j < p->ndim; j++) {
        block[j] = 1 + (int)below(p->shape[j] < 4 ? p->shape[j] : 4);
        blocks *= (p->shape[j] - 1) / block[j] + 1;
        grid[j] = j == p->ndim - 1 ? left : left % 2 == 0 && below(2) ? 2 : 1;
        left /= grid[j];
    }
    return blocks;
}

static void set_tiled_irregular(int g_a, const struct plain *p, const int grid[])
{
    int map[1000], blocks[MOST_DIMS], n = 0;

    for (int j = 0; j < p->ndim; j++) {
        blocks[j] = 0;
        for (int at = 0; at < p->shape[j]; at += 1 + (int)below(4)) {
            map[n++] = at;
            blocks[j]++;
        }
    }
    GA_Set_tiled_irreg_proc_grid(g_a, map, blocks, (int *)grid);
}

/* Each process has a block: Global Arrays 5.8 touches memory out of range where one has none. */
static bool serves_all(const struct plain *p, const int block[], const int grid[])
{
    for (int j = 0; j < p->ndim; j++)
        if ((p->shape[j] - 1) / block[j] + 1 < grid[j])
            return false;
    return true;
}

static void distribute(int g_a, const struct plain *p, enum way *way)
{
    int block[MOST_DIMS], grid[MOST_DIMS];
    const int64_t blocks = choose_blocks(p, block, grid);

    if (*way == TILED_IRREGULAR)
        for (int j = 0; j < p->ndim; j++)
            block[j] = 4; /* the longest */
    if ((*way == CYCLIC && blocks < team.ranks) || (*way > CYCLIC && !serves_all(p, block, grid)))
        *way = REGULAR;
    if (*way == GHOSTS && (team.group >= 0 || !has_enough(p)))
        *way = REGULAR;
    if (*way >= CYCLIC && team.group >= 0)
        *way = REGULAR; /* refused: see ga_look.c */
    if (*way == IRREGULAR)
        set_irregular(g_a, p);
    else if (*way == GHOSTS)
        set_ghosts(g_a, p);
    else if (*way == RESTRICTED)
        set_restricted(g_a);
    else if (*way == CYCLIC)
        GA_Set_block_cyclic(g_a, block);
    else if (*way == SCALAPACK)
        GA_Set_block_cyclic_proc_grid(g_a, block, grid);
    else if (*way == TILED)
        GA_Set_tiled_proc_grid(g_a, block, grid);
    else if (*way == TILED_IRREGULAR)
        set_tiled_irregular(g_a, p, grid);
}

int make_global(int ga_type, const struct plain *p, enum way *way)
{
    const int g_a = GA_Create_handle();
    char name[] = "tested";
    int dims[MOST_DIMS];

    ints(p->ndim, p->shape, dims);
    GA_Set_data(g_a, p->ndim, dims, ga_type);
    GA_Set_array_name(g_a, name);
    if (team.group >= 0)
        GA_Set_pgroup(g_a, team.group);
    distribute(g_a, p, way);
    if (!GA_Allocate(g_a))
        wrong("a global array cannot be made");
    return g_a;
}

void put_global(int g_a, const struct plain *p)
{
    int64_t lo[MOST_DIMS] = { 0 }, hi[MOST_DIMS], ld[MOST_DIMS];

    for (int j = 0; j < p->ndim; j++) {
        hi[j] = p->shape[j] - 1;
        if (j > 0)
            ld[j - 1] = p->shape[j];
    }
    sync_team();
    if (team.rank == 0)
        NGA_Put64(g_a, lo, hi, p->bytes, ld);
    sync_team();
}
