/* How fast the machine is at the moment, and what the libraries are. */
#include <drx.h>
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/bench.h"

enum { MIB = 1 << 20, READ_BYTES = MIB };

static int make_file(const struct job *job, const char *memory, size_t bytes)
{
    char path[PATH_BYTES];
    int fd;

    snprintf(path, sizeof path, "%s/calibration-XXXXXX", job->folder);
    fd = mkstemp(path);
    if (fd < 0)
        return -1;
    (void)unlink(path); /* it lives while it is open */
    for (size_t at = 0; at < bytes; at += READ_BYTES)
        if (pwrite(fd, memory + at, READ_BYTES, (off_t)at) != READ_BYTES) {
            close(fd);
            return -1;
        }
    return fd;
}

/* memcpy between two buffers; pread of a file in the page cache, 1 MiB at a time, into one of them. */
static enum outcome calibrate(const struct work *work, const struct job *job)
{
    const size_t cube = (size_t)(job->size * job->size * job->size) * sizeof(double);
    const size_t bytes = cube < 16 * (size_t)MIB    ? 16 * (size_t)MIB
                         : cube > 128 * (size_t)MIB ? 128 * (size_t)MIB
                                                    : cube;
    char *from = buffer(TARGET, bytes), *to = buffer(STAGE, bytes);
    double start;
    bool right;
    int fd;

    (void)work;
    if (!from || !to)
        return FAILED;
    fd = make_file(job, from, bytes);
    if (fd < 0)
        return complain("%s: %s", job->folder, strerror(errno));
    start = now();
    memcpy(to, from, bytes);
    answer_number("memcpy", (double)bytes / (now() - start) / 1e9);
    memset(to, 1, bytes);
    start = now();
    for (size_t at = 0; at < bytes; at += READ_BYTES)
        if (pread(fd, to + at, READ_BYTES, (off_t)at) != READ_BYTES)
            break;
    answer_number("pread", (double)bytes / (now() - start) / 1e9);
    right = memcmp(from, to, bytes) == 0;
    close(fd);
    return right ? DONE : complain("the calibration file reads wrong");
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
