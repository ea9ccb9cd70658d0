/* How fast the machine is at the moment for all ranks together, and what the libraries are. */
#include <drx.h>
#include <hdf5.h>
#include <pnetcdf.h>
#include <stdlib.h>
#include <string.h>

#include "bench_mp.h"

static enum outcome calibrate(const struct mp_work *work, const struct mp_job *job)
{
    struct calibration c;

    (void)work;
    if (agree(prepare_calibration(job->folder, job->size * job->size * 512 * (int64_t)sizeof(double), bench_ranks,
                                  &c)) != DONE)
        return FAILED;
    return calibrate_machine(&c, start_together, seconds_since);
}

static enum outcome versions(const struct mp_work *work, const struct mp_job *job)
{
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    const char *pnetcdf = ncmpi_inq_libvers();
    const char *drx = drx_version(), *component = getenv("OMPI_MCA_io");
    unsigned major, minor, release;
    int n;

    (void)work, (void)job;
    if (H5get_libversion(&major, &minor, &release) < 0)
        return complain("H5get_libversion failed");
    MPI_Get_library_version(mpi, &n);
    answer_text("drx", "%s", drx);
    answer_text("HDF5", "%u.%u.%u", major, minor, release);
    answer_text("PnetCDF", "%.*s", (int)strcspn(pnetcdf, " "), pnetcdf);
    answer_text("MPI:", "%.*s", (int)strcspn(mpi, ","), mpi);
    answer_text("MPI-IO:", "%s", component ? component : "as it comes");
    answer_text("compiler", "%s", __VERSION__);
    return DONE;
}

const struct mp_work mp_machine_works[] = {
    { .name = "calibrate", .run = calibrate },
    { .name = "versions", .run = versions },
    { 0 },
};
