/* Global Arrays, on ARMCI over MPI as Debian builds it. */
#include <ga.h>
#include <macdecls.h>

#include "bench_onesided.h"

static void *make(const struct mover *mover)
{
    static int handle;
    static char name[] = "bench"; /* it takes no constants */
    int dims[2] = { (int)edge, (int)edge }, blocks[2] = { grid[0], grid[1] }, map[64], n = 0;

    GA_Initialize();
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < grid[j]; i++)
            map[n++] = (int)(i * block_extent(j));
    handle = NGA_Create_irreg(C_DBL, 2, dims, name, blocks, map);
    check(handle == 0, "NGA_Create_irreg");
    GA_Zero(handle);
    (void)mover;
    return &handle;
}

static void drop(void *array)
{
    GA_Destroy(*(int *)array);
    GA_Terminate();
}

static void move(void *array, enum way way, const int64_t lo[2], const int64_t count[2], double *buf)
{
    int slo[2] = { (int)lo[0], (int)lo[1] }, ld[1] = { (int)count[1] };
    int shi[2] = { (int)(lo[0] + count[0] - 1), (int)(lo[1] + count[1] - 1) };
    double one = 1;

    if (way == GET)
        NGA_Get(*(int *)array, slo, shi, buf, ld);
    else if (way == PUT)
        NGA_Put(*(int *)array, slo, shi, buf, ld);
    else
        NGA_Acc(*(int *)array, slo, shi, buf, ld, &one);
}

const struct mover mover_ga = { { .name = "ga" }, false, make, drop, move, NULL };
