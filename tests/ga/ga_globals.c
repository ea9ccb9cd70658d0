/* Global arrays of every distribution. What is drawn for one depends on the number of processes. */
#include "ga_testing.h"

#include <stdlib.h>
#include <string.h>

/* Blocks are this much longer than the shortest ones, of which an axis has at most so many. */
enum { LONGER = 4, MOST_BLOCKS = 100, MOST_GLOBALS = 1000, MOST_RANKS = 64 };

const char *const way_names[WAYS] = { "regular",    "irregular", "cyclic", "ghosts",
                                      "restricted", "ScaLAPACK", "tiled",  "tiled irregular" };
enum way made_way;

/* Divide the processes into numbers of blocks for the axes, and each axis at random borders. */
static void set_irregular(int g_a, const struct model *m)
{
    int map[MOST_RANKS + MOST_DIMS], blocks[MOST_DIMS], n = 0;

    for (int j = 0; j < m->ndim; j++)
        blocks[j] = 1;
    for (int left = team.ranks, factor = 2; left > 1; factor++)
        for (; left % factor == 0; left /= factor) {
            const int axis = (int)other_below(m->ndim);

            if ((int64_t)blocks[axis] * factor <= m->dims[axis])
                blocks[axis] *= factor;
        }
    for (int j = 0; j < m->ndim; j++) {
        int at = 0;

        for (int b = 1; b <= blocks[j]; b++) {
            map[n++] = at;
            at += b < blocks[j] ? 1 + (int)other_below((m->dims[j] - at - 1) / (blocks[j] - b)) : 0;
        }
    }
    GA_Set_irreg_distr(g_a, map, blocks);
}

static void set_ghosts(int g_a, const struct model *m)
{
    int width[MOST_DIMS];

    for (int j = 0; j < m->ndim; j++)
        width[j] = (int)other_below(3);
    GA_Set_ghosts(g_a, width);
}

static void set_restricted(int g_a)
{
    int list[MOST_RANKS], n = 1 + (int)other_below(team.ranks);

    for (int i = 0; i < n; i++)
        list[i] = (i + 1) % team.ranks;
    GA_Set_restricted(g_a, list, n);
}

static void set_tiled_irregular(int g_a, const struct model *m, int grid[])
{
    int map[MOST_BLOCKS * MOST_DIMS], blocks[MOST_DIMS], n = 0;

    for (int j = 0; j < m->ndim; j++) {
        blocks[j] = 0;
        for (int at = 0; at < m->dims[j]; at += (int)(m->dims[j] / MOST_BLOCKS + 1 + other_below(LONGER))) {
            map[n++] = at;
            blocks[j]++;
        }
    }
    GA_Set_tiled_irreg_proc_grid(g_a, map, blocks, grid);
}

/* Blocks, and a grid whose processes are all of the team; and whether Global Arrays can do it. It wants elements on
 * each process for ghost cells; its version 5.8 touches memory out of range where a process has no block; and
 * block-cyclic arrays of groups are wrong (see ga_look.c). */
static bool is_possible(const struct model *m, enum way way, int block[], int grid[])
{
    int64_t blocks = 1;
    int left = team.ranks;
    bool enough = true, served = true;

    for (int j = 0; j < m->ndim; j++) {
        const int64_t more = m->dims[j] / MOST_BLOCKS;

        block[j] = (int)(more + 1 + other_below(m->dims[j] < LONGER ? m->dims[j] : LONGER));
        grid[j] = j == m->ndim - 1 ? left : left % 2 == 0 && other_below(2) ? 2 : 1;
        left /= grid[j];
        blocks *= (m->dims[j] - 1) / block[j] + 1;
        enough = enough && m->dims[j] >= 2 * team.ranks;
        served = served && (m->dims[j] - 1) / (way == TILED_IRREGULAR ? more + LONGER : block[j]) + 1 >= grid[j];
    }
    if (team.group >= 0 && way != IRREGULAR && way != RESTRICTED)
        return false;
    return way == CYCLIC ? blocks >= team.ranks : way == GHOSTS ? enough : way > RESTRICTED ? served : true;
}

static void distribute(int g_a, const struct model *m)
{
    int block[MOST_DIMS], grid[MOST_DIMS];

    made_way = is_possible(m, made_way, block, grid) ? made_way : REGULAR;
    if (made_way == IRREGULAR)
        set_irregular(g_a, m);
    else if (made_way == CYCLIC)
        GA_Set_block_cyclic(g_a, block);
    else if (made_way == GHOSTS)
        set_ghosts(g_a, m);
    else if (made_way == RESTRICTED)
        set_restricted(g_a);
    else if (made_way == SCALAPACK)
        GA_Set_block_cyclic_proc_grid(g_a, block, grid);
    else if (made_way == TILED)
        GA_Set_tiled_proc_grid(g_a, block, grid);
    else if (made_way == TILED_IRREGULAR)
        set_tiled_irregular(g_a, m, grid);
}

static int globals[MOST_GLOBALS], nglobals;

int make_global(const struct model *model, enum way way)
{
    const int g_a = GA_Create_handle();
    int dims[MOST_DIMS];

    for (int j = 0; j < model->ndim; j++)
        dims[j] = (int)model->dims[j];
    GA_Set_data(g_a, model->ndim, dims, model->type);
    GA_Set_array_name(g_a, (char[]){ "tested" });
    if (team.group >= 0)
        GA_Set_pgroup(g_a, team.group);
    made_way = way;
    distribute(g_a, model);
    if (!GA_Allocate(g_a) || nglobals == MOST_GLOBALS)
        wrong("a global array cannot be made");
    return globals[nglobals++] = g_a;
}

void destroy_global(int g_a)
{
    int i = nglobals - 1;

    while (globals[i] != g_a)
        i--;
    GA_Destroy(g_a);
    memmove(globals + i, globals + i + 1, (size_t)(--nglobals - i) * sizeof *globals);
}

void release_all(void)
{
    while (nglobals > 0)
        destroy_global(globals[nglobals - 1]);
    free_models();
}

/* The indices of all, and the extents of the bytes of a model. */
static void bounds(const struct model *model, int64_t hi[], int64_t ld[])
{
    for (int j = 0; j < model->ndim; j++) {
        hi[j] = model->dims[j] - 1;
        if (j > 0)
            ld[j - 1] = model->dims[j];
    }
}

void put_global(int g_a, const struct model *model)
{
    int64_t lo[MOST_DIMS] = { 0 }, hi[MOST_DIMS], ld[MOST_DIMS];

    bounds(model, hi, ld);
    sync_team();
    if (team.rank == 0)
        NGA_Put64(g_a, lo, hi, model->bytes, ld);
    sync_team();
}

uint64_t check_global(int g_a, const struct model *model, const char *what)
{
    int64_t lo[MOST_DIMS] = { 0 }, hi[MOST_DIMS], ld[MOST_DIMS];
    unsigned char *found = malloc((size_t)model->count * model->element_bytes + 1);
    uint64_t sum;

    if (!found)
        wrong("no memory");
    bounds(model, hi, ld);
    sync_team();
    NGA_Get64(g_a, lo, hi, found, ld);
    sum = compare(model, found, what);
    free(found);
    sync_team();
    return sum;
}
