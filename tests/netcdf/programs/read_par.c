/* Ranks that open a file together, and read a part each, alone and collectively. */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int st)
{
    if (st != NC_NOERR) {
        (void)fprintf(stderr, "%s\n", nc_strerror(st));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv)
{
    int rank, size, nc, var, dims[3];
    size_t n[3], start[3] = { 0 };
    double mine = 0, all;
    float *values;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(nc_open_par(argv[1], NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    check(nc_inq_varid(nc, "t2m", &var));
    check(nc_inq_vardimid(nc, var, dims));
    for (int k = 0; k < 3; k++)
        check(nc_inq_dimlen(nc, dims[k], &n[k]));
    start[0] = n[0] * (size_t)rank / (size_t)size;
    n[0] = n[0] * ((size_t)rank + 1) / (size_t)size - start[0];
    values = malloc(n[0] * n[1] * n[2] * sizeof *values);
    for (int how = NC_INDEPENDENT; how <= NC_COLLECTIVE; how++) {
        check(nc_var_par_access(nc, var, how));
        check(nc_get_vara_float(nc, var, start, n, values));
        mine = 0;
        for (size_t i = 0; i < n[0] * n[1] * n[2]; i++)
            mine += (double)values[i];
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0)
            (void)printf("%d ranks: %.3f\n", size, all);
    }
    free(values);
    check(nc_close(nc));
    MPI_Finalize();
    return 0;
}
