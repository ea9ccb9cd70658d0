/* Computing on one part of a long array while the next one is read.
 *
 *     mpirun -n 4 zones_ahead [SLABS ROWS COLUMNS]
 *
 * The array consists of slabs. Two distributed arrays take turns: all ranks compute on the zones of one slab, and the
 * next slab comes into the other (drxmp_darray_iread). The program first reads all slabs, without computing, then
 * computes on all, without reading, as much as takes as long, and then does both. It tells how much of the reading was
 * hidden. Each time, the array comes from the disk. */
#include <drx_tools.h>
#include <drxmp.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static drxmp_array *array;
static drxmp_darray *zone[2];
static int64_t slabs = 12, rows = 64, columns = 500;
static int64_t steps_a_slab; /* elements of each slab on which a rank computes, the same again when it has fewer */
static volatile double result;

static void check(drx_status st)
{
    if (st != DRX_OK) {
        fprintf(stderr, "%s\n", drx_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Each rank writes its rows of each slab, all with the number of the slab. */
static void fill(void)
{
    double *mem = drxmp_darray_local(zone[0]);
    const struct dap_dim *dims = drxmp_darray_dims(zone[0]);
    const int64_t n = dap_num_local(&dims[0]) * dap_num_local(&dims[1]);

    for (int64_t s = 0; s < slabs; s++) {
        for (int64_t i = 0; i < n; i++)
            mem[i] = (double)s;
        check(drxmp_darray_write(zone[0], array, (int64_t[]){ s * rows, 0 }));
    }
    check(drxmp_sync(array));
}

/* Forget what the system has in memory of the data. */
static void drop(void)
{
    const int fd = open(drx_file(drxmp_serial(array), 1), O_RDONLY);

    if (fd >= 0) {
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        (void)close(fd);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Some terms of a series for each element, again and again until all steps are done. Returns whether all elements were
 * right; s < 0: not looked at. */
static int compute(drxmp_darray *d, int64_t s)
{
    const double *mem = drxmp_darray_local(d);
    const struct dap_dim *dims = drxmp_darray_dims(d);
    const int64_t n = dap_num_local(&dims[0]) * dap_num_local(&dims[1]);
    double sum = 0;
    int right = 1;

    for (int64_t done = 0; n > 0 && done < steps_a_slab; done += n)
        for (int64_t i = 0; i < n && done + i < steps_a_slab; i++) {
            const double x = mem[i] / (double)slabs;

            sum += 1 + x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4)));
            right &= s < 0 || mem[i] == (double)s;
        }
    result = sum;
    return right;
}

static int go(int reads, int computes)
{
    drx_request *next = NULL;
    int right = 1;

    if (reads)
        check(drxmp_darray_iread(zone[0], array, NULL, &next));
    for (int64_t s = 0; s < slabs; s++) {
        if (reads)
            check(drx_wait(next));
        if (reads && s + 1 < slabs)
            check(drxmp_darray_iread(zone[(s + 1) % 2], array, (int64_t[]){ (s + 1) * rows, 0 }, &next));
        if (computes)
            right &= compute(zone[s % 2], reads ? s : -1);
    }
    return right;
}

static double time_of(int reads, int computes, int *right)
{
    double start;

    drop();
    start = MPI_Wtime();
    *right &= go(reads, computes);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - start;
}

int main(int argc, char **argv)
{
    struct dap_dim dims[2];
    int64_t shape[2], chunk[2];
    double reading, computing, both;
    int rank, ranks, right = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 4) {
        slabs = atoll(argv[1]);
        rows = atoll(argv[2]);
        columns = atoll(argv[3]);
    }
    shape[0] = slabs * rows;
    shape[1] = columns;
    chunk[0] = (rows + ranks - 1) / ranks;
    chunk[1] = columns < 1024 ? columns : 1024;
    check(drxmp_create(
        MPI_COMM_WORLD, "zones_ahead",
        &(drx_spec){ .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE }, &array));
    dims[0] = (struct dap_dim){ .dist_type = 'b',
                                .size = rows,
                                .proc_grid_size = ranks,
                                .proc_grid_rank = rank,
                                .start = rows * rank / ranks,
                                .stop = rows * (rank + 1) / ranks };
    dims[1] = (struct dap_dim){ .dist_type = 'b', .size = columns, .proc_grid_size = 1, .stop = columns };
    for (int i = 0; i < 2; i++)
        check(drxmp_darray_create(MPI_COMM_WORLD, DRX_FLOAT64, 2, dims, DRX_ROW_MAJOR, &zone[i]));
    fill();

    reading = time_of(1, 0, &right);
    steps_a_slab = dap_num_local(&dims[0]) * dap_num_local(&dims[1]); /* each once, to see how long that takes */
    steps_a_slab = (int64_t)((double)steps_a_slab * reading / time_of(0, 1, &right));
    MPI_Bcast(&steps_a_slab, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    computing = time_of(0, 1, &right);
    both = time_of(1, 1, &right);
    if (!right)
        fprintf(stderr, "rank %d: elements are wrong\n", rank);
    else if (rank == 0)
        printf("reading %.3f s, computing %.3f s, both %.3f s: %.0f %% of the reading is hidden\n", reading, computing,
               both, 100 * (reading + computing - both) / reading);
    for (int i = 0; i < 2; i++)
        check(drxmp_darray_free(zone[i]));
    check(drxmp_close(array));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        check(drx_remove("zones_ahead"));
    MPI_Finalize();
    return !right;
}
