/* All ranks have one array open. Each appends its part of a time step, then reads the history of its own columns.
 *
 *     mpicc grow_together.c $(pkg-config --cflags --libs drxmp) -o grow_together && mpirun -n 4 ./grow_together */
#include <drxmp.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 5, COLUMNS = 1000 };

static void check(drx_status st)
{
    if (st) {
        fprintf(stderr, "grow_together: %s\n", drx_last_error());
        exit(1); /* all ranks have the same status */
    }
}

int main(int argc, char **argv)
{
    /* Time grows along axis 0; 10 steps of 250 columns lie together in a chunk. */
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_FLOAT64,
                            .shape = (int64_t[]){ 0, COLUMNS },
                            .chunk = (int64_t[]){ 10, 250 },
                            .flags = DRX_REPLACE };
    double part[COLUMNS], history[STEPS * COLUMNS];
    int rank, ranks;
    drxmp_array *a;
    int wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int64_t from = COLUMNS * rank / ranks, to = COLUMNS * (rank + 1) / ranks;

    check(drxmp_create(MPI_COMM_WORLD, "steps", &spec, &a));
    for (int64_t step = 0; step < STEPS; step++) {
        for (int64_t j = from; j < to; j++)
            part[j - from] = (double)(1000 * step + j);
        check(drxmp_append_all(a, 0, 1, (int64_t[]){ step, from }, (int64_t[]){ 1, to - from }, DRX_ROW_MAJOR, part));
    }
    check(drxmp_extend(a, 1, 500)); /* more columns for the steps to come: nothing moves */

    check(drxmp_read_all(a, (int64_t[]){ 0, from }, (int64_t[]){ STEPS, to - from }, DRX_COL_MAJOR, history));
    for (int64_t j = from; j < to; j++)
        for (int64_t step = 0; step < STEPS; step++)
            wrong += history[(j - from) * STEPS + step] != (double)(1000 * step + j);
    if (rank == 0)
        printf("%lld x %lld\n", (long long)drx_shape(drxmp_serial(a))[0], (long long)drx_shape(drxmp_serial(a))[1]);
    check(drxmp_close(a));
    MPI_Finalize();
    return wrong != 0;
}
