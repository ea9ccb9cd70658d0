/* How fast the machine is at the moment for all ranks together, and what the libraries are. */
#include <drx.h>
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_mp.h"

enum { MIB = 1 << 20, LEAST_BYTES = 16 * MIB, MOST_BYTES = 128 * MIB };

/* A file of this rank that has no name. */
static int make_file(const struct mp_job *job, const char *memory, size_t bytes)
{
    char path[PATH_BYTES];
    int fd;

    snprintf(path, sizeof path, "%s/calibration-XXXXXX", job->folder);
    fd = mkstemp(path);
    if (fd < 0)
        return -1;
    (void)unlink(path);
    for (size_t at = 0; at < bytes; at += MIB)
        if (pwrite(fd, memory + at, MIB, (off_t)at) != MIB) {
            close(fd);
            return -1;
        }
    return fd;
}

/* memcpy between two buffers; pread of a file in the page cache, 1 MiB at a time, into one of them. */
static enum outcome calibrate(const struct mp_work *work, const struct mp_job *job)
{
    const size_t array = (size_t)(job->size * job->size) * 512 * sizeof(double);
    const size_t all = array < LEAST_BYTES ? LEAST_BYTES : array > MOST_BYTES ? MOST_BYTES : array;
    const size_t bytes = all / (size_t)mp_ranks / MIB * MIB;
    char *from = buffer(TARGET, bytes), *to = buffer(STAGE, bytes);
    const int fd = from && to ? make_file(job, from, bytes) : -1;
    struct measure m;
    bool right;

    (void)work;
    if (agree(fd >= 0 ? DONE : complain("%s: %s", job->folder, strerror(errno))) != DONE)
        return FAILED;
    start_measure(&m);
    memcpy(to, from, bytes);
    answer_number("memcpy", (double)bytes * mp_ranks / stop_measure(&m) / 1e9);
    memset(to, 1, bytes);
    start_measure(&m);
    for (size_t at = 0; at < bytes; at += MIB)
        if (pread(fd, to + at, MIB, (off_t)at) != MIB)
            break;
    answer_number("pread", (double)bytes * mp_ranks / stop_measure(&m) / 1e9);
    right = memcmp(from, to, bytes) == 0;
    close(fd);
    return right ? DONE : complain("the calibration file reads wrong");
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
