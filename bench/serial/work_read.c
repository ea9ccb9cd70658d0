/* Reads of a cube of doubles in chunks of 32 x 32 x 32, and of a table whose chunks are rows. Each array is made
 * once (the workloads `build-`), then read by one workload after the other. Timed: the reading alone. */
#include <string.h>

#include "requests.h"

enum { BOX = 16, PLANE_COUNT = 64, STRIP_COUNT = 16, STRIP = 64 };

static struct requests requests_of(const struct work *work, const struct job *job)
{
    struct requests r = { .access = work->access, .axis = (int)work->number };

    switch (work->access) {
    case PLANES:
    case LAST_PLANES:
        r.count = PLANE_COUNT;
        break;
    case ELEMENTS:
        r.count = in_proportion(200000, 1000, job->size);
        r.list = job->peer->best && job->peer->get_many;
        break;
    case BOXES:
    case SHARED_BOXES:
        r.count = in_proportion(20000, 20, job->size);
        r.edge = BOX;
        break;
    case STRIPS:
        r.count = STRIP_COUNT;
        r.edge = STRIP;
        break;
    default:
        r.count = 1;
    }
    return r;
}

/* All use the same memory. */
static enum outcome run_read(const struct work *work, const struct job *job)
{
    const struct requests r = requests_of(work, job);
    struct session s = { .opening = false };
    enum outcome outcome = begin_session(job, work->access == STRIPS ? "table" : "cube", &r,
                                         job->size * job->size * job->size, work->access == ELEMENTS ? r.count : 0, &s);

    if (outcome == DONE)
        outcome = settle_cache(job->peer->suffixes, s.path, job->cold);
    if (outcome == DONE)
        outcome = read_requests(&s, &r, "seconds");
    answer_integer("bytes", requested_elements(&r, &s.layout) * (int64_t)sizeof(double));
    answer_integer("requests", r.count);
    answer_checksum(s.checksum);
    return outcome;
}

static enum outcome run_build(const struct work *work, const struct job *job)
{
    const struct layout layout = array_layout(work->access == STRIPS, job->size);

    return build_array(job, work->access == STRIPS ? "table" : "cube", &layout);
}

static void path_of(const struct work *work, const struct job *job, char path[PATH_BYTES])
{
    array_path(job->folder, job->peer->files, strchr(work->name, '-') + 1, path);
}

enum outcome drop_array(const struct work *work, const struct job *job)
{
    char path[PATH_BYTES];

    path_of(work, job, path);
    remove_files(job->peer->suffixes, path);
    return DONE;
}

enum outcome settle_array(const struct work *work, const struct job *job)
{
    char path[PATH_BYTES];

    path_of(work, job, path);
    return settle_cache(job->peer->suffixes, path, job->cold);
}

const struct work read_works[] = {
    { "build-cube", run_build, WHOLE, 0 },    { "drop-cube", drop_array, WHOLE, 0 },
    { "build-table", run_build, STRIPS, 0 },  { "drop-table", drop_array, STRIPS, 0 },
    { "whole-c", run_read, WHOLE, 0 },        { "whole-f", run_read, FORTRAN, 0 },
    { "planes-0", run_read, PLANES, 0 },      { "planes-1", run_read, PLANES, 1 },
    { "planes-2", run_read, LAST_PLANES, 2 }, { "elements", run_read, ELEMENTS, 0 },
    { "boxes", run_read, BOXES, 0 },          { "boxes-shared", run_read, SHARED_BOXES, 0 },
    { "strips", run_read, STRIPS, 0 },        { 0 },
};
