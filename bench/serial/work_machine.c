/* How fast the machine is at the moment, and what the libraries are. */
#include <drx.h>
#include <hdf5.h>
#include <netcdf.h>
#include <string.h>

#include "../common/bench.h"

static double seconds_from(double start)
{
    return now() - start;
}

static enum outcome calibrate(const struct work *work, const struct job *job)
{
    struct calibration c;

    (void)work;
    if (prepare_calibration(job->folder, job->size * job->size * job->size * (int64_t)sizeof(double), 1, &c) != DONE)
        return FAILED;
    return calibrate_machine(&c, now, seconds_from);
}

static enum outcome versions(const struct work *work, const struct job *job)
{
    const char *drx = drx_version(), *netcdf = nc_inq_libvers();
    unsigned major, minor, release;
    size_t cache, slots;
    float preemption;

    (void)work, (void)job;
    if (nc_get_chunk_cache(&cache, &slots, &preemption))
        return complain("nc_get_chunk_cache failed");
    answer_integer("netCDF_cache", (int64_t)cache);
    if (H5get_libversion(&major, &minor, &release) < 0)
        return complain("H5get_libversion failed");
    answer_text("drx", "%s", drx);
    answer_text("HDF5", "%u.%u.%u", major, minor, release);
    answer_text("netCDF", "%.*s", (int)strcspn(netcdf, " "), netcdf);
    answer_text("compiler", "%s", __VERSION__);
    return DONE;
}

const struct work machine_works[] = {
    { "calibrate", calibrate, GROWTH, 0 },
    { "versions", versions, GROWTH, 0 },
    { 0 },
};
