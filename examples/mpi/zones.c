/* Each rank holds a zone of an array in memory and reaches the zones of all others (Otoo and Rotem 2009, section II).
 * Elements that have been appended since are in no zone; they come from the file.
 *
 *     mpicc zones.c $(pkg-config --cflags --libs drxmp) -o zones && mpirun -n 4 ./zones
 *
 * The program sums all columns. Tasks are boxes of the array, chosen without regard to zones. A counter in memory gives
 * the next task, so a faster rank does more of them. */
#include <drxmp.h>
#include <stdio.h>
#include <stdlib.h>

enum { OLD_ROWS = 600, ROWS = 800, COLUMNS = 500, TASK_ROWS = 90, TASK_COLUMNS = 70 };

static void check(drx_status st)
{
    if (st) {
        fprintf(stderr, "zones: %s\n", drx_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1); /* what is not collective fails on one rank alone */
    }
}

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static double value(int64_t i, int64_t j)
{
    return (double)((i * 31 + j * 17) % 1000);
}

/* This rank's share of some new rows. */
static void append_rows(drxmp_array *a, int64_t rows)
{
    const int64_t first = drx_shape(drxmp_serial(a))[0];
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int64_t from = COLUMNS * rank / ranks, to = COLUMNS * (rank + 1) / ranks;
    double *part = malloc(sizeof *part * (size_t)(rows * (to - from) + 1));

    for (int64_t i = 0; part && i < rows; i++)
        for (int64_t j = from; j < to; j++)
            part[i * (to - from) + j - from] = value(first + i, j);
    check(
        drxmp_append_all(a, 0, rows, (int64_t[]){ first, from }, (int64_t[]){ rows, to - from }, DRX_ROW_MAJOR, part));
    free(part);
}

/* One axis in equal blocks over all ranks, of zeros. */
static drxmp_darray *spread(drx_type type, int64_t n)
{
    struct dap_dim dim;
    drxmp_darray *d;
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (dap_block(n, 1, ranks, rank, &dim))
        MPI_Abort(MPI_COMM_WORLD, 1);
    check(drxmp_darray_create(MPI_COMM_WORLD, type, 1, &dim, DRX_ROW_MAJOR, &d));
    return d;
}

/* Read a box of the array: elements inside the bounds of the zones from their ranks, the rest from the file. Neither
 * call is collective. */
static void fetch(drxmp_darray *zones, drxmp_array *a, const int64_t lo[2], const int64_t count[2], double *box)
{
    const int64_t border = drxmp_darray_dims(zones)[0].size;
    const int64_t inside = lo[0] < border ? min(count[0], border - lo[0]) : 0;

    check(drxmp_darray_get(zones, lo, (int64_t[]){ inside, count[1] }, DRX_ROW_MAJOR, box));
    check(drxmp_read(a, (int64_t[]){ lo[0] + inside, lo[1] }, (int64_t[]){ count[0] - inside, count[1] }, DRX_ROW_MAJOR,
                     box + inside * count[1]));
}

static void sum_columns(const double *box, const int64_t count[2], double *sums)
{
    for (int64_t j = 0; j < count[1]; j++)
        sums[j] = 0;
    for (int64_t i = 0; i < count[0]; i++)
        for (int64_t j = 0; j < count[1]; j++)
            sums[j] += box[i * count[1] + j];
}

/* Do tasks one after the other until the counter has passed the last one; returns how many this rank did. */
static int64_t work(drxmp_darray *zones, drxmp_array *a, drxmp_darray *counter, drxmp_darray *sums)
{
    const int64_t across = (COLUMNS + TASK_COLUMNS - 1) / TASK_COLUMNS;
    const int64_t tasks = (ROWS + TASK_ROWS - 1) / TASK_ROWS * across, first = 0;
    static double box[TASK_ROWS * TASK_COLUMNS], part[TASK_COLUMNS];
    int64_t task, done = 0;

    for (;; done++) {
        check(drxmp_darray_fetch_add(counter, &first, 1, &task));
        if (task >= tasks)
            return done;
        const int64_t lo[2] = { task / across * TASK_ROWS, task % across * TASK_COLUMNS };
        const int64_t count[2] = { min(TASK_ROWS, ROWS - lo[0]), min(TASK_COLUMNS, COLUMNS - lo[1]) };

        fetch(zones, a, lo, count, box);
        sum_columns(box, count, part);
        check(drxmp_darray_acc(sums, &lo[1], &count[1], DRX_ROW_MAJOR, NULL, part));
    }
}

/* Any rank may look at all of them. */
static int count_wrong(drxmp_darray *sums)
{
    static double found[COLUMNS];
    int wrong = 0;

    check(drxmp_darray_get(sums, (int64_t[]){ 0 }, (int64_t[]){ COLUMNS }, DRX_ROW_MAJOR, found));
    for (int64_t j = 0; j < COLUMNS; j++) {
        double expected = 0;

        for (int64_t i = 0; i < ROWS; i++)
            expected += value(i, j);
        wrong += found[j] != expected; /* whole numbers: sums are exact in any order */
    }
    return wrong;
}

int main(int argc, char **argv)
{
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_FLOAT64,
                            .shape = (int64_t[]){ 0, COLUMNS },
                            .chunk = (int64_t[]){ 64, 64 },
                            .flags = DRX_REPLACE };
    drxmp_darray *zones, *counter, *sums;
    drxmp_array *a;
    int rank, wrong;
    int64_t done;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check(drxmp_create(MPI_COMM_WORLD, "zones", &spec, &a));
    append_rows(a, OLD_ROWS);
    check(drxmp_darray_zones(a, NULL, NULL, DRX_ROW_MAJOR, &zones)); /* whole chunks for each rank, and no more: */
    check(drxmp_darray_read(zones, a, NULL));
    append_rows(a, ROWS - OLD_ROWS);

    counter = spread(DRX_INT64, 1);
    sums = spread(DRX_FLOAT64, COLUMNS);
    check(drxmp_darray_sync(zones)); /* all have their zones before any gets from them */
    done = work(zones, a, counter, sums);
    check(drxmp_darray_sync(sums)); /* all have added what they had to */
    wrong = count_wrong(sums);
    printf("rank %d did %lld tasks, %d sums are wrong\n", rank, (long long)done, wrong);

    check(drxmp_darray_free(sums));
    check(drxmp_darray_free(counter));
    check(drxmp_darray_free(zones));
    check(drxmp_close(a));
    MPI_Finalize();
    return wrong != 0;
}
