/* The workloads of the part of netCDF. */
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench_netcdf.h"

enum { MOST = 1000, SEED = 6 << 28, MOST_REQUESTS = 64, LARGE_BYTES = 32 << 20, KEPT_BYTES = 1 << 30 };
enum { ALL, SERIES, STRIP, MAP, ASK }; /* the number of a workload; of building: */
enum { MANY = PACKED + 1 };

struct task {
    const struct reader *reader;
    char path[PATH_BYTES];
    int64_t extent[NDIM], count;
};

/* What the first number of the command counts, if there is one. */
static struct task task_of(const struct work *work, const struct job *job)
{
    struct task t = { .reader = (const struct reader *)job->peer,
                      .extent = { 2 * job->size, job->size, job->size },
                      .count = job->argument[0] > 0 ? job->argument[0] : 1 };

    array_path(job->folder, job->peer->files, strchr(work->name, '-') + 1, t.path);
    return t;
}

static void request(int64_t shape, const struct task *t, int64_t which, int64_t lo[], int64_t count[])
{
    for (int j = 0; j < NDIM; j++) {
        const bool one = shape == SERIES ? j > 0 : shape == STRIP ? j == 1 : shape == MAP && j == 0;
        const uint64_t place = mix(SEED + (uint64_t)(NDIM * which + j)) % (uint64_t)t->extent[j];

        lo[j] = one ? (int64_t)place : 0;
        count[j] = one ? 1 : t->extent[j];
    }
}

static enum outcome make_requests(const struct work *work, const struct task *t, void *file, float *out)
{
    enum outcome outcome = DONE;

    for (int64_t i = 0; i < t->count && outcome == DONE; i++) {
        int64_t lo[NDIM], count[NDIM];

        request(work->number, t, i, lo, count);
        outcome = t->reader->read(file, lo, count, out);
        out += box_elements(NDIM, count);
    }
    return outcome;
}

static enum outcome check_requests(const struct work *work, const struct task *t, const float *out)
{
    enum outcome outcome = DONE;

    for (int64_t i = 0; i < t->count && outcome == DONE; i++) {
        int64_t lo[NDIM], count[NDIM];

        request(work->number, t, i, lo, count);
        outcome = check_grid(lo, count, out);
        out += box_elements(NDIM, count);
    }
    return outcome;
}

static enum outcome run_read(const struct work *work, const struct job *job)
{
    const struct task task = task_of(work, job), *const t = &task;
    int64_t lo[NDIM], count[NDIM], elements;
    enum outcome outcome;
    double start, seconds;
    float *out;
    void *file;

    if (t->count > MOST_REQUESTS)
        return complain("%" PRId64 " requests, expected at most %d", t->count, MOST_REQUESTS);
    request(work->number, t, 0, lo, count);
    elements = t->count * box_elements(NDIM, count);
    out = buffer(TARGET, (size_t)box_elements(NDIM, t->extent) * sizeof *out);
    if (!out)
        return FAILED;
    memset(out, 0xff, (size_t)elements * sizeof *out); /* what another one read */
    outcome = settle_cache(t->reader->peer.suffixes, t->path, job->cold);
    if (outcome == DONE)
        outcome = t->reader->open(t->path, false, &file);
    if (outcome != DONE)
        return outcome;
    outcome = t->reader->take_variable(file);
    start = now();
    if (outcome == DONE)
        outcome = make_requests(work, t, file, out);
    seconds = now() - start;
    if (t->reader->close(file) != DONE && outcome == DONE)
        outcome = FAILED;
    answer_number("took", seconds);
    answer_number("seconds", seconds / (double)t->count);
    return outcome == DONE ? check_requests(work, t, out) : outcome;
}

static enum outcome run_open(const struct work *work, const struct job *job)
{
    const struct task task = task_of(work, job), *const t = &task;
    enum outcome outcome = DONE;
    double start = 0, seconds;
    void *file;

    for (int64_t i = -1; i < t->count && outcome == DONE; i++) { /* the first one warms the cache */
        if (i == 0)
            start = now();
        outcome = t->reader->open(t->path, work->number == ASK, &file);
        if (outcome == DONE)
            outcome = t->reader->close(file);
    }
    seconds = now() - start;
    answer_number("took", seconds);
    answer_number("seconds", seconds / (double)t->count);
    return outcome;
}

static enum outcome run_build(const struct work *work, const struct job *job)
{
    const struct task t = task_of(work, job);

    if (work->number != MANY)
        return t.reader->build ? t.reader->build(t.reader, t.path, t.extent, (enum stored)work->number) : DECLINED;
    return t.reader->build_many
               ? t.reader->build_many(t.reader, t.path, (int)(t.count < MOST ? t.count : MOST), (int)t.count)
               : DECLINED;
}

#define OF(data, stored)                                                                          \
    { "build-" data, run_build, GROWTH, stored }, { "whole-" data, run_read, GROWTH, ALL },       \
        { "series-" data, run_read, GROWTH, SERIES }, { "strip-" data, run_read, GROWTH, STRIP }, \
    {                                                                                             \
        "map-" data, run_read, GROWTH, MAP                                                        \
    }

static const struct work grid_works[] = {
    OF("raw", RAW),
    OF("packed", PACKED),
    { "build-many", run_build, GROWTH, MANY },
    { "open-raw", run_open, GROWTH, ALL },
    { "open-many", run_open, GROWTH, ALL },
    { "ask-many", run_open, GROWTH, ASK },
    { 0 },
};
const struct work *const works[] = { grid_works, NULL };
const struct peer *const peers[] = { &reader_bridge.peer, &reader_drx.peer, &reader_default.peer, &reader_same.peer,
                                     NULL };
enum outcome (*const check_job)(const struct job *job) = NULL;

/* What malloc has got from the system it keeps, so that nobody pays for new pages in each repetition. A dataset of
 * which each variable was asked about has two files of each open. */
__attribute__((constructor)) static void prepare_process(void)
{
    struct rlimit limit;

    (void)mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}
