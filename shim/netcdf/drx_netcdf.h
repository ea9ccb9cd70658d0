/* drx_netcdf.h - programs that read and write netCDF read datasets and arrays of DRX, and write datasets.
 *
 * A program that is linked with libdrx-netcdf before libnetcdf, or runs with it in LD_PRELOAD (`drx run` sees to that),
 * has nothing to call: nc_open of a dataset's folder, of DATASET/VARIABLE, DATASET/GROUP, or of an array's path then
 * opens it, and a whole dataset for writing, too; nc_create of NAME.drx makes a dataset. A URL is opened as
 * http://HOST/PATH#mode=udf0. `#commit=N` after any of them shows an earlier commit.
 * libdrx-netcdf-mpi is the same for libnetcdf_mpi. docs/netcdf.md tells more. */
#ifndef DRX_NETCDF_H
#define DRX_NETCDF_H

struct drx_array;
struct drx_dataset;

#ifdef __cplusplus
extern "C" {
#endif

/* Register the format with the netCDF library of this process, and see that its users' nc_open finds datasets by the
 * names of their folders. For programs that load this library at run time, after or before that one; several calls do
 * no harm. It never loads a netCDF library. Returns 0, or an error of netCDF-C: NC_ENOTBUILT (-128) when the process
 * has no netCDF library of this kind (yet), and NC_EINVAL when that one takes no user-defined format. Any thread may
 * call it. */
__attribute__((visibility("default"))) int drx_netcdf_register(void);

/* Show what the program has open as a file of netCDF, which nc_close closes: a dataset; or, if `ds` is NULL, n arrays
 * as variables of these names, the first one and coordinates of its axes, each called like its axis. They stay the
 * caller's, and open until then. From the first call on, the program tells of errors, and the library prints none:
 * drx_last_error has what failed. Returns 0 or an error of netCDF-C. */
__attribute__((visibility("default"))) int
drx_netcdf_show(struct drx_dataset *ds, int n, struct drx_array *const arrays[], const char *const names[], int *ncid);

#ifdef __cplusplus
}
#endif

#endif
