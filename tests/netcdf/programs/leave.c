/* Write a file, and end without nc_close, or be ended by a signal. */
#include <netcdf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const size_t start[] = { 0 }, count[] = { 3 };
    const int values[] = { 1, 2, 3 };
    int nc, dim, var;

    if (argc != 3 || nc_create(argv[1], NC_NETCDF4, &nc) || nc_def_dim(nc, "t", NC_UNLIMITED, &dim) ||
        nc_def_var(nc, "v", NC_INT, 1, &dim, &var) || nc_put_vara_int(nc, var, start, count, values))
        return 1;
    if (strcmp(argv[2], "kill") == 0)
        raise(SIGKILL);
    exit(0);
}
