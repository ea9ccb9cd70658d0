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

struct section {
    int lo[2], hi[2], ld[1];
};

static struct section section(const int64_t lo[2], const int64_t count[2])
{
    return (struct section){ { (int)lo[0], (int)lo[1] },
                             { (int)(lo[0] + count[0] - 1), (int)(lo[1] + count[1] - 1) },
                             { (int)count[1] } };
}

static void get(void *array, const int64_t lo[2], const int64_t count[2], double *buf)
{
    struct section s = section(lo, count);

    NGA_Get(*(int *)array, s.lo, s.hi, buf, s.ld);
}

static void put(void *array, const int64_t lo[2], const int64_t count[2], const double *buf)
{
    struct section s = section(lo, count);

    NGA_Put(*(int *)array, s.lo, s.hi, (double *)(uintptr_t)buf, s.ld);
}

static void acc(void *array, const int64_t lo[2], const int64_t count[2], const double *buf)
{
    struct section s = section(lo, count);
    double one = 1;

    NGA_Acc(*(int *)array, s.lo, s.hi, (double *)(uintptr_t)buf, s.ld, &one);
}

const struct mover mover_ga = { { .name = "ga" }, false, make, drop, get, put, acc, NULL };
