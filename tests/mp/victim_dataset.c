/* For test_mp_kill.py. `victim_dataset PATH`: until the job is killed, all ranks grow the dimensions of a dataset,
 * write their parts of its variables, and commit or abort. `victim_dataset PATH check`: the dataset shows one commit,
 * whole; prints how many there are. */
#include <drxmp_dataset.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 400, BY = 3, VARIABLES = 3 };

static const char *const name[VARIABLES] = { "u", "v", "w" }, *const dims[2] = { "time", "lon" };

static int complain(void)
{
    (void)fprintf(stderr, "%s\n", drx_last_error());
    return 1;
}

static int32_t value(int variable, int64_t i, int64_t j)
{
    return (int32_t)(variable + 10 * (i * MOST + j));
}

/* Each rank writes some rows of all variables. */
static int write_all(drxmp_dataset *d, int rank, int ranks)
{
    static int32_t buf[MOST * MOST];

    for (int v = 0; v < VARIABLES; v++) {
        int64_t lo[2] = { 0, 0 }, count[2];
        drxmp_array *m;

        if (drxmp_dataset_array(d, name[v], &m))
            return complain();
        memcpy(count, drx_shape(drxmp_serial(m)), sizeof count);
        lo[0] = count[0] * rank / ranks;
        count[0] = count[0] * (rank + 1) / ranks - lo[0];
        for (int64_t i = 0; i < count[0]; i++)
            for (int64_t j = 0; j < count[1]; j++)
                buf[i * count[1] + j] = value(v, lo[0] + i, j);
        if (drxmp_write_all(m, lo, count, DRX_ROW_MAJOR, buf))
            return complain();
    }
    return 0;
}

static int go_on(drxmp_dataset *d, int rank, int ranks)
{
    for (int g = 0; g < 2 * (MOST - BY) / BY; g++) {
        if (drxmp_dataset_extend(d, dims[g % 2], BY) ||
            drxmp_dataset_attr_set(d, DRX_DATASET, NULL, "step", DRX_INT32, 1, &g))
            return complain();
        if (write_all(d, rank, ranks) || (g % 5 == 4 ? drxmp_dataset_abort(d) : drxmp_dataset_commit(d, NULL)))
            return complain();
    }
    return 0;
}

static int check_variable(drx_dataset *ds, int v, const int64_t expected[])
{
    static int32_t buf[MOST * MOST];
    const int64_t lo[2] = { 0, 0 };
    drx_array *a;

    if (drx_dataset_array(ds, name[v], &a))
        return complain();
    if (memcmp(drx_shape(a), expected, 2 * sizeof *expected) != 0)
        return (void)fprintf(stderr, "%s: has other bounds than its dimensions\n", name[v]), 1;
    if (drx_read(a, lo, expected, DRX_ROW_MAJOR, buf))
        return complain();
    for (int64_t i = 0; i < expected[0]; i++)
        for (int64_t j = 0; j < expected[1]; j++)
            if (buf[i * expected[1] + j] != value(v, i, j))
                return (void)fprintf(stderr, "%s[%lld %lld] is wrong\n", name[v], (long long)i, (long long)j), 1;
    return 0;
}

static int check(const char *path)
{
    int64_t bound[2];
    drx_dataset *ds;
    int failed = 0;

    if (drx_dataset_open(path, DRX_RDWR, DRX_LAST, &ds))
        return complain();
    for (int d = 0; d < 2; d++)
        (void)drx_dataset_dim(ds, drx_dataset_dim_find(ds, dims[d]), &bound[d]);
    for (int v = 0; v < VARIABLES && !failed; v++)
        failed = check_variable(ds, v, bound);
    (void)printf("%lld\n", (long long)drx_dataset_last(ds) - 1);
    return drx_dataset_close(ds) || drx_dataset_check(path, NULL, NULL, NULL, NULL) ? complain() : failed;
}

static int make(const char *path, int rank, drxmp_dataset **d)
{
    static const int64_t shape[2] = { 0, 0 }, chunk[2] = { 8, 8 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .dims = dims };

    if (rank == 0)
        (void)drx_dataset_delete(path);
    if (drxmp_dataset_create(MPI_COMM_WORLD, path, d))
        return complain();
    for (int v = 0; v < VARIABLES; v++)
        if (drxmp_dataset_add(*d, name[v], &spec, NULL))
            return complain();
    return drxmp_dataset_commit(*d, "made") ? complain() : 0;
}

int main(int argc, char **argv)
{
    int rank, ranks, failed;
    drxmp_dataset *d;

    if (argc < 2)
        return 2;
    if (argc > 2)
        return check(argv[1]);
    (void)MPI_Init(&argc, &argv);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (make(argv[1], rank, &d))
        return 1;
    if (rank == 0) {
        (void)printf("made\n");
        (void)fflush(stdout);
    }
    failed = go_on(d, rank, ranks) || drxmp_dataset_close(d);
    (void)MPI_Finalize();
    return failed;
}
