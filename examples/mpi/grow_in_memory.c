/* A map of where walkers have been, in the memory of all ranks. It grows on whichever side a walker leaves it; nothing
 * moves. Every rank adds to any part of it, and at the end it is stored.
 *
 *     mpicc grow_in_memory.c $(pkg-config --cflags --libs drxmp) -o grow_in_memory && mpirun -n 4 ./grow_in_memory */
#include <drx_tools.h>
#include <drxmp.h>
#include <stdio.h>
#include <stdlib.h>

enum { WALKERS = 40, ROUNDS = 30, STEPS = 50, SIDE = 3 };

static void check(drx_status st)
{
    if (st) {
        fprintf(stderr, "grow_in_memory: %s\n", drx_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* One step of a walker, always the same for its number and time. */
static int64_t step_of(int walker, int64_t time, int axis)
{
    uint64_t x = (uint64_t)walker * 0x9e3779b97f4a7c15u + (uint64_t)time * 0xbf58476d1ce4e5b9u + (uint64_t)axis;

    x = (x ^ x >> 31) * 0x94d049bb133111ebu;
    return (int64_t)(x >> 40) % 3 - 1;
}

/* Let the map reach from low to high, where any rank needs that. */
static void grow(drxmp_array *map, const int64_t low[2], const int64_t high[2])
{
    int64_t reach[4] = { low[0], low[1], -high[0], -high[1] };

    MPI_Allreduce(MPI_IN_PLACE, reach, 4, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    for (int j = 0; j < 2; j++) {
        const int64_t lower = drx_lower(drxmp_serial(map))[j], upper = lower + drx_shape(drxmp_serial(map))[j];

        if (reach[j] < lower)
            check(drxmp_extend_before(map, j, lower - reach[j]));
        if (-reach[2 + j] > upper)
            check(drxmp_extend(map, j, -reach[2 + j] - upper));
    }
}

int main(int argc, char **argv)
{
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT64, .shape = (int64_t[]){ 1, 1 }, .chunk = (int64_t[]){ 16, 16 }
    };
    static int64_t at[WALKERS][STEPS + 1][2]; /* of this rank's walkers, in this round */
    const int64_t footprint[SIDE * SIDE] = { 1, 1, 1, 1, 2, 1, 1, 1, 1 }, side[2] = { SIDE, SIDE };
    int64_t sum = 0, *all, count[2], lo[2];
    int rank, ranks;
    drxmp_array *map;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check(drxmp_create(MPI_COMM_WORLD, NULL, &spec, &map)); /* no path: in memory */
    for (int round = 0; round < ROUNDS; round++) {
        int64_t low[2] = { 0, 0 }, high[2] = { 0, 0 };

        for (int w = rank; w < WALKERS; w += ranks)
            for (int i = 1; i <= STEPS; i++)
                for (int j = 0; j < 2; j++) {
                    int64_t *now = &at[w][i][j];

                    *now = at[w][i - 1][j] + step_of(w, round * STEPS + i, j);
                    low[j] = *now - 1 < low[j] ? *now - 1 : low[j];
                    high[j] = *now + 2 > high[j] ? *now + 2 : high[j];
                }
        grow(map, low, high);
        for (int w = rank; w < WALKERS; w += ranks) {
            for (int i = 1; i <= STEPS; i++) { /* no sum is lost when several ranks add at once */
                lo[0] = at[w][i][0] - 1;
                lo[1] = at[w][i][1] - 1;
                check(drxmp_acc(map, lo, side, DRX_ROW_MAJOR, NULL, footprint));
            }
            at[w][0][0] = at[w][STEPS][0];
            at[w][0][1] = at[w][STEPS][1];
        }
    }
    check(drxmp_sync(map));
    for (int j = 0; j < 2; j++) {
        lo[j] = drx_lower(drxmp_serial(map))[j];
        count[j] = drx_shape(drxmp_serial(map))[j];
    }
    all = malloc((size_t)(count[0] * count[1]) * sizeof *all);
    check(all ? drxmp_get(map, lo, count, DRX_ROW_MAJOR, all) : DRX_ENOMEM);
    for (int64_t i = 0; i < count[0] * count[1]; i++)
        sum += all[i];
    if (rank == 0)
        printf("%lld x %lld from [%lld, %lld] on; %lld footprints\n", (long long)count[0], (long long)count[1],
               (long long)lo[0], (long long)lo[1], (long long)sum / 10);
    free(all);
    check(drxmp_copy(map, "walkers", &(drx_copy_spec){ .flags = DRX_REPLACE }, NULL));
    check(drxmp_close(map));
    MPI_Finalize();
    return sum != 10 * (int64_t)WALKERS * ROUNDS * STEPS;
}
