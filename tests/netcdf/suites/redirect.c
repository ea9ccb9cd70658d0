/* Preloaded into programs of netCDF's test suites: what they create becomes a file of another format. REDIRECT says
 * which: `netcdf4`, all files of netCDF-4; `drx4`, datasets instead of files of netCDF-4; `drx`, all datasets. The
 * rules of the classic formats stay with them, and files in memory what they are. Since DRX makes a folder where
 * programs expect a file, the calls that remove a file remove it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <ftw.h>
#include <netcdf.h>
#include <netcdf_dispatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef int create(const char *path, int mode, int *ncid);
typedef int create_tuned(const char *path, int mode, size_t bytes, size_t *hint, int *ncid);
typedef int remover(const char *path);

/* That of the netCDF library itself, below libdrx-netcdf's. */
static void *of_netcdf(const char *name)
{
    void *library = dlopen("libnetcdf.so.19", RTLD_LAZY | RTLD_NOLOAD);

    return library ? dlsym(library, name) : NULL;
}

static int redirected(int mode)
{
    const int old = NC_64BIT_OFFSET | NC_64BIT_DATA, wanted = mode & (NC_NETCDF4 | old);
    const char *to = getenv("REDIRECT");
    int format = NC_FORMAT_CLASSIC, classic;

    if (mode & (NC_DISKLESS | NC_INMEMORY | NC_MMAP | NC_UDF0 | NC_UDF1) || (wanted & (wanted - 1)))
        return mode;
    (void)nc_set_default_format(NC_FORMAT_CLASSIC, &format);
    (void)nc_set_default_format(format, NULL);
    classic = wanted == NC_64BIT_OFFSET || (!wanted && format != NC_FORMAT_NETCDF4 && format != NC_FORMAT_CDF5);
    if (strcmp(to, "drx4") == 0 && wanted != NC_NETCDF4 &&
        (wanted || (format != NC_FORMAT_NETCDF4 && format != NC_FORMAT_NETCDF4_CLASSIC)))
        return mode;
    mode = (mode & ~old) | NC_NETCDF4 | (classic ? NC_CLASSIC_MODEL : 0);
    return strcmp(to, "netcdf4") == 0 ? mode : mode | NC_UDF0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st, (void)where;
    return type == FTW_DP ? rmdir(path) : unlinkat(AT_FDCWD, path, 0);
}

static int remove_dataset(const char *path)
{
    char log[4096];

    (void)snprintf(log, sizeof log, "%s/dataset.xds", path);
    return access(log, F_OK) == 0 ? nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) : -1;
}

static int remove_file(const char *path, const char *call)
{
    remover *next = (remover *)dlsym(RTLD_NEXT, call);

    return remove_dataset(path) == 0 ? 0 : next(path);
}

/* A file takes the place of a dataset. */
static int prepared(const char *path, int mode)
{
    mode = redirected(mode);
    if (!(mode & (NC_UDF0 | NC_UDF1 | NC_NOCLOBBER | NC_DISKLESS)))
        (void)remove_dataset(path);
    return mode;
}

int nc_create(const char *path, int mode, int *ncid)
{
    create *next = (create *)of_netcdf("nc_create");

    return next(path, prepared(path, mode), ncid);
}

int nc__create(const char *path, int mode, size_t bytes, size_t *hint, int *ncid)
{
    create_tuned *next = (create_tuned *)of_netcdf("nc__create");

    return next(path, prepared(path, mode), bytes, hint, ncid);
}

int remove(const char *path)
{
    return remove_file(path, "remove");
}

int unlink(const char *path)
{
    return remove_file(path, "unlink");
}
