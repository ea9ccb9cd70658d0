/* The libraries are loaded while the program runs, and are closed while a file is open; it exits with open files.
 * Usage: ends LIBNETCDF BRIDGE PATH */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

union function {
    void *address;
    int (*register_all)(void);
    int (*open)(const char *path, int mode, int *ncid);
    int (*sync)(int ncid);
    int (*inq_nvars)(int ncid, int *n);
    int (*get_var1_double)(int ncid, int var, const size_t *at, double *value);
    int (*close)(int ncid);
};

static union function find(void *library, const char *name)
{
    const union function f = { dlsym(library, name) };

    if (!f.address) {
        (void)fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return f;
}

static void check(int st, int line)
{
    if (st != 0) {
        (void)fprintf(stderr, "line %d: %d\n", line, st);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    const size_t at[] = { 0, 0, 0 };
    void *netcdf, *bridge = dlopen(argv[2], RTLD_NOW); /* before there is a netCDF */
    int first, second, n;
    double value;

    if (argc != 4 || !bridge)
        return 1;
    if (find(bridge, "drx_netcdf_register").register_all() != -128)
        return 2;
    netcdf = dlopen(argv[1], RTLD_NOW);
    if (!netcdf)
        return 3;
    for (int i = 0; i < 3; i++)
        check(find(bridge, "drx_netcdf_register").register_all(), __LINE__);
    check(find(bridge, "nc_open").open(argv[3], 0, &first), __LINE__);
    check(dlclose(bridge), __LINE__);
    check(find(netcdf, "nc_inq_nvars").inq_nvars(first, &n), __LINE__);
    check(find(netcdf, "nc_get_var1_double").get_var1_double(first, n - 1, at, &value), __LINE__);
    check(find(netcdf, "nc_sync").sync(first), __LINE__);
    bridge = dlopen(argv[2], RTLD_NOW);
    check(find(bridge, "drx_netcdf_register").register_all(), __LINE__);
    check(find(bridge, "nc_open").open(argv[3], 0, &second), __LINE__);
    check(find(netcdf, "nc_close").close(first), __LINE__);
    check(find(netcdf, "nc_inq_nvars").inq_nvars(second, &n), __LINE__);
    check(dlclose(bridge), __LINE__);
    (void)printf("%d variables\n", n);
    return 0; /* with `second` open */
}
