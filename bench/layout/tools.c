#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools.h"

enum { COMMAND_BYTES = 2 * PATH_BYTES + 256, SLOTS = 65537 /* of the chunk cache: more than there are chunks */ };

int64_t copy_memory_bytes(const struct job *job)
{
    return 2048 * job->size * job->size;
}

static enum outcome run(const char *command)
{
    const int status = system(command);

    return status ? complain("%.200s: exit status %d", command, status) : DONE;
}

static enum outcome copy(const char *from, const char *to, const struct job *job)
{
    const int64_t rows = job->argument[0], columns = job->argument[1], memory = copy_memory_bytes(job);
    char command[COMMAND_BYTES], room[128] = "";

    if (job->peer == &peer_nccopy_best)
        (void)snprintf(room, sizeof room, "-m %" PRId64 " -h %" PRId64 " -e %d", memory, memory, SLOTS);
    if (job->peer == &peer_cp)
        (void)snprintf(command, sizeof command, "exec cp '%s.xta' '%s.xta'", from, to);
    else if (job->peer == &peer_h5repack)
        (void)snprintf(command, sizeof command,
                       "exec h5repack -l CHUNK=%" PRId64 "x%" PRId64 " '%s.h5' '%s.h5' > /dev/null", rows, columns,
                       from, to);
    else
        (void)snprintf(command, sizeof command, "exec nccopy %s -c a:%" PRId64 ",%" PRId64 " '%s.nc' '%s.nc'", room,
                       rows, columns, from, to);
    return run(command);
}

enum outcome compare_copy(const char *array, const char *copy, const struct job *job)
{
    const char *const suffix = *job->peer->suffixes;
    char command[COMMAND_BYTES];

    (void)snprintf(command, sizeof command, "exec cmp -s '%s%s' '%s%s'", path_of(job, array), suffix, copy, suffix);
    return run(command);
}

static const char *const data[] = { ".xta", NULL }, *const hdf5[] = { ".h5", NULL }, *const netcdf[] = { ".nc", NULL };

const struct peer peer_cp = { .name = "cp", .files = "drx", .suffixes = data, .copy = copy };
const struct peer peer_h5repack = { .name = "h5repack", .files = "hdf5", .suffixes = hdf5, .copy = copy };
const struct peer peer_nccopy = { .name = "nccopy", .files = "netcdf", .suffixes = netcdf, .copy = copy };
const struct peer peer_nccopy_best = { .name = "nccopy-best", .files = "netcdf", .suffixes = netcdf, .copy = copy };
