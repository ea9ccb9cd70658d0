/* A program on Global Arrays that stores its array and continues from there, on any number of processes.
 *
 *     mpirun -n 4 ga_checkpoint plate 100
 *     mpirun -n 2 ga_checkpoint plate 200
 *
 * The second run begins where the first one ended. The functions save and load are all that the checkpoint takes. A
 * checkpoint gets its name when it is complete, and replaces the one before at that moment; so a whole one is there,
 * whenever the job is killed.
 *
 *     mpicc ga_checkpoint.c $(pkg-config --cflags --libs drxga) $(ga-config --libs) -lgfortran -lm */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>

#include <drxga.h>

enum { ROWS = 300, COLUMNS = 200 };

static void check(drx_status st)
{
    if (st) {
        fprintf(stderr, "ga_checkpoint: process %d: %s: %s\n", GA_Nodeid(), drx_strerror(st), drx_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void save(int g_a, const char *path, int64_t step)
{
    drxmp_array *a;

    check(drxga_create(GA_MPI_Comm(), path, g_a, &(drx_spec){ .flags = DRX_TEMPORARY }, &a));
    check(drxga_write_all(g_a, NULL, NULL, a, NULL, NULL));
    check(drxmp_attr_set(a, "step", DRX_INT64, 1, &step));
    check(drxmp_persist(a, DRX_REPLACE));
    check(drxmp_close(a));
}

/* The step that was saved; 0: none. */
static int64_t load(int g_a, const char *path)
{
    const void *step;
    int64_t found;
    drxmp_array *a;
    const drx_status st = drxmp_open(GA_MPI_Comm(), path, DRX_RDONLY, &a);

    if (st == DRX_ENOENT)
        return 0;
    check(st);
    check(drxga_read_all(g_a, NULL, NULL, a, NULL, NULL));
    check(drx_attr_get(drxmp_serial(a), "step", NULL, NULL, &step));
    found = *(const int64_t *)step;
    check(drxmp_close(a));
    return found;
}

/* ---- the program ------------------------------------------------------------------------ */

static double value_at(int64_t i, int64_t j, int64_t step)
{
    double value = (double)(i * COLUMNS + j);

    for (int64_t s = 0; s < step; s++)
        value = 0.75 * value + 1;
    return value;
}

/* Each process works on its own part: sets it to what it is at the first step, takes a step, or counts what is not as
 * it should be after `step` of them. */
enum work { BEGIN, STEP, VERIFY };
static int64_t work_on(int g_a, enum work work, int64_t step)
{
    int64_t lo[2], hi[2], ld, wrong = 0;
    double *part;

    NGA_Distribution64(g_a, GA_Nodeid(), lo, hi);
    if (lo[0] < 0 || hi[0] < lo[0])
        return 0;
    NGA_Access64(g_a, lo, hi, &part, &ld);
    for (int64_t i = lo[0]; i <= hi[0]; i++)
        for (int64_t j = lo[1]; j <= hi[1]; j++) {
            double *value = part + (i - lo[0]) * ld + j - lo[1];

            if (work == VERIFY)
                wrong += *value != value_at(i, j, step);
            else
                *value = work == BEGIN ? value_at(i, j, 0) : 0.75 * *value + 1;
        }
    NGA_Release_update64(g_a, lo, hi);
    return wrong;
}

int main(int argc, char **argv)
{
    int dims[2] = { ROWS, COLUMNS }, g_a;
    char name[] = "plate";
    int64_t step, end, wrong;

    MPI_Init(&argc, &argv);
    GA_Initialize();
    if (argc != 3 || !MA_init(C_DBL, 1 << 18, 1 << 18) || !(g_a = NGA_Create(C_DBL, 2, dims, name, NULL))) {
        fprintf(stderr, "usage: ga_checkpoint PATH STEPS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    end = strtoll(argv[2], NULL, 10);
    step = load(g_a, argv[1]);
    if (step == 0)
        (void)work_on(g_a, BEGIN, 0);
    if (GA_Nodeid() == 0)
        printf("from step %lld\n", (long long)step);
    for (; step < end; step++) {
        GA_Sync();
        (void)work_on(g_a, STEP, 0);
        if ((step + 1) % 10 == 0)
            save(g_a, argv[1], step + 1);
    }
    GA_Sync();
    wrong = work_on(g_a, VERIFY, end);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (GA_Nodeid() == 0)
        printf("step %lld, %lld elements are wrong\n", (long long)end, (long long)wrong);
    GA_Destroy(g_a);
    GA_Terminate();
    MPI_Finalize();
    return wrong != 0;
}
