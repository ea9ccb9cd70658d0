/* A model writes through netCDF's C interface: nc-writes WORK PATH SIZE sync|plain, by one process or more.  The
 * name of PATH says what is written: a dataset if it ends in .drx, else a file of netCDF-4. Processes write bands
 * of the grid, collectively. `model` writes as examples/fortran/shallow.f90 does: a grid of SIZE * 4 by SIZE floats
 * in three variables along time, and a nest, in a group, along a time of its own, of a quarter of the size each
 * way, whose places go along a third unlimited dimension. `small` writes records of 8 * SIZE bytes. With `sync` all
 * bytes are on the disk at the end of what is timed. The last record is read back, untimed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;

static void check(int st, const char *what)
{
    if (!st)
        return;
    (void)printf("{\"workload\": \"nc-writes\", \"outcome\": \"failed\", \"error\": \"%s: %s\"}\n", what,
                 nc_strerror(st));
    (void)fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CHECK(call) check(call, #call)

/* A grid that all write a band of: the part of this process along y. */
struct grid {
    int group, var[3], nvars;
    size_t ny, nx, first, rows;
    float *values;
};

static void fill(struct grid *g, size_t record)
{
    for (size_t j = 0; j < g->rows; j++)
        for (size_t i = 0; i < g->nx; i++)
            g->values[j * g->nx + i] = (float)((record * 31 + (g->first + j) * 7 + i) % 4096);
}

static void make_grid(struct grid *g, int group, int time, size_t ny, size_t nx, int nvars)
{
    static const char *const names[] = { "h", "u", "v" };
    int dims[3] = { time };

    *g = (struct grid){ .group = group, .nvars = nvars, .ny = ny, .nx = nx };
    g->first = ny * (size_t)rank / (size_t)ranks;
    g->rows = ny * ((size_t)rank + 1) / (size_t)ranks - g->first;
    g->values = malloc(g->rows * nx * sizeof *g->values + 1);
    check(g->values ? NC_NOERR : NC_ENOMEM, "malloc");
    CHECK(nc_def_dim(group, "y", ny, &dims[1]));
    CHECK(nc_def_dim(group, "x", nx, &dims[2]));
    for (int v = 0; v < nvars; v++)
        CHECK(nc_def_var(group, names[v], NC_FLOAT, 3, dims, &g->var[v]));
}

static void share(int group, int var)
{
    if (ranks > 1)
        CHECK(nc_var_par_access(group, var, NC_COLLECTIVE));
}

static void put_grid(struct grid *g, size_t record)
{
    const size_t start[] = { record, g->first, 0 }, count[] = { 1, g->rows, g->nx };

    fill(g, record);
    for (int v = 0; v < g->nvars; v++)
        CHECK(nc_put_vara_float(g->group, g->var[v], start, count, g->values));
}

static void check_grid(int nc, const char *group, const struct grid *made, size_t record)
{
    const size_t start[] = { record, made->first, 0 }, count[] = { 1, made->rows, made->nx };
    const size_t n = made->rows * made->nx * sizeof *made->values;
    float *values = malloc(n + 1);
    int in = nc, var;

    if (*group)
        CHECK(nc_inq_ncid(nc, group, &in));
    CHECK(nc_inq_varid(in, "h", &var));
    CHECK(nc_get_vara_float(in, var, start, count, values));
    check(memcmp(values, made->values, n) == 0 ? NC_NOERR : NC_EINVAL, "what was read back");
    free(values);
}

static void define_along(int group, const char *dim, const char *name, int *dimid, int *var)
{
    CHECK(nc_def_dim(group, dim, NC_UNLIMITED, dimid));
    CHECK(nc_def_var(group, name, NC_DOUBLE, 1, dimid, var));
}

static void put_number(int group, int var, size_t at, double value)
{
    CHECK(nc_put_var1_double(group, var, &at, &value));
}

enum { RECORDS = 40, NESTED = 4, SMALL_RECORDS = 4000 };

static struct grid grid, nest;

static void write_model(int nc, size_t size)
{
    int group, time, t, nest_time, nt, move, place;

    define_along(nc, "time", "time", &time, &t);
    make_grid(&grid, nc, time, 4 * size, size, 3);
    CHECK(nc_def_grp(nc, "nest", &group));
    define_along(group, "time", "time", &nest_time, &nt);
    define_along(group, "move", "place", &move, &place);
    make_grid(&nest, group, nest_time, size, size / 4, 1);
    CHECK(nc_enddef(nc));
    for (int v = 0; v < 3; v++)
        share(nc, grid.var[v]);
    share(nc, t);
    share(group, nt);
    share(group, place);
    share(group, nest.var[0]);
    for (size_t r = 0; r < RECORDS; r++) {
        put_number(nc, t, r, (double)r);
        put_grid(&grid, r);
        for (size_t n = r * NESTED; n < (r + 1) * NESTED; n++) {
            put_number(group, nt, n, (double)n);
            put_grid(&nest, n);
        }
        put_number(group, place, r, (double)r);
    }
}

static void write_small(int nc, size_t size)
{
    int time, t;

    define_along(nc, "time", "time", &time, &t);
    make_grid(&grid, nc, time, 4, size / 2, 1);
    CHECK(nc_enddef(nc));
    share(nc, t);
    share(nc, grid.var[0]);
    for (size_t r = 0; r < SMALL_RECORDS; r++) {
        put_number(nc, t, r, (double)r);
        put_grid(&grid, r);
    }
}

static const struct work {
    const char *name;
    void (*write)(int nc, size_t size);
    size_t records;
} works[] = { { "model", write_model, RECORDS }, { "small", write_small, SMALL_RECORDS } };

static void sync_file(const char *path)
{
    const int fd = open(path, O_RDONLY);

    check(fd >= 0 && fsync(fd) == 0 ? NC_NOERR : errno, "fsync");
    (void)close(fd);
}

/* Of a dataset all that is in its folder. */
static void sync_all(const char *path)
{
    DIR *folder = opendir(path);
    char name[4096];

    for (struct dirent *e; folder && (e = readdir(folder));) {
        (void)snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            sync_all(name);
    }
    if (folder)
        (void)closedir(folder);
    sync_file(path);
}

int main(int argc, char **argv)
{
    const struct work *work = works;
    const size_t size = argc == 5 ? strtoul(argv[3], NULL, 10) : 0;
    double start, seconds;
    int nc;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while (size > 0 && work < works + 2 && strcmp(work->name, argv[1]) != 0)
        work++;
    check(size > 7 && work < works + 2 ? NC_NOERR : NC_EINVAL, "nc-writes model|small PATH SIZE sync|plain");
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (ranks > 1)
        CHECK(nc_create_par(argv[2], NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    else
        CHECK(nc_create(argv[2], NC_NETCDF4 | NC_CLOBBER, &nc));
    work->write(nc, size);
    CHECK(nc_close(nc));
    if (rank == 0 && strcmp(argv[4], "sync") == 0)
        sync_all(argv[2]);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime() - start;
    CHECK(nc_open(argv[2], NC_NOWRITE, &nc));
    check_grid(nc, "", &grid, work->records - 1);
    if (nest.values)
        check_grid(nc, "nest", &nest, RECORDS * NESTED - 1);
    CHECK(nc_close(nc));
    if (rank == 0)
        (void)printf("{\"workload\": \"%s\", \"outcome\": \"done\", \"seconds\": %.6f}\n", work->name, seconds);
    MPI_Finalize();
    return 0;
}
