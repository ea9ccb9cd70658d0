/* An array larger than memory (the driver limits that): it grows, is read in slabs along each axis, and by boxes. The
 * clock covers opening, and computing and comparing elements, since a library may work for later calls meanwhile.
 * Values: as long as nothing is sure, some thousand of each slab and some of each box are compared; deep-verify
 * compares the checksum of all. */
#include <drx_tools.h>
#include <string.h>

#include "bench_disk.h"

enum { EDGE = 32, BOX = 64, BOX_SAMPLES = 64, LARGE_SIZE = 512, MIB = 1 << 20 };
enum { MEMORY = 256 * MIB, LEAST_MEMORY = 4 * MIB }; /* what drx is allowed to have for copies */

/* 1024 x 1024 x 512 doubles are 4 GiB. */
static struct layout deep_layout(int64_t size)
{
    return (struct layout){ 3, { 2 * size, 2 * size, size }, { EDGE, EDGE, EDGE } };
}

static int64_t slab_elements(const struct layout *layout)
{
    int64_t most = 0;

    for (int axis = 0; axis < 3; axis++) {
        const int64_t n = box_elements(3, layout->extent) / layout->extent[axis] * EDGE;

        most = n > most ? n : most;
    }
    return most;
}

static void allow_memory(int64_t size)
{
    const int64_t part = MEMORY / LARGE_SIZE * size / LARGE_SIZE * size / LARGE_SIZE * size;

    drx_set_memory((size_t)(part > LEAST_MEMORY ? part : LEAST_MEMORY));
    answer_integer("memory_bytes", part > LEAST_MEMORY ? part : LEAST_MEMORY);
}

static enum outcome run_grow(const struct work *work, const struct job *job)
{
    const struct layout layout = deep_layout(job->size);
    char path[PATH_BYTES];
    struct growth growth;
    enum outcome outcome;
    int64_t before;
    double start;

    (void)work;
    allow_memory(job->size);
    array_path(job->folder, job->peer->files, "deep", path);
    remove_files(job->peer->suffixes, path);
    if (!buffer(SLAB, (size_t)slab_elements(&layout) * sizeof(double)))
        return FAILED;
    before = resident_bytes();
    start = now();
    outcome = grow_array(job->peer, path, &layout, !(job->peer->declines >> GROWTH_ALL & 1), &growth);
    answer_number("fill_seconds", growth.fill_seconds);
    if (outcome == DONE)
        outcome = sync_files(job->peer->suffixes, path);
    answer_number("seconds", now() - start);
    answer_integer("peak_bytes", peak_bytes() - before);
    answer_integer("bytes", box_elements(3, layout.extent) * (int64_t)sizeof(double));
    return outcome;
}

/* Some elements of a box. */
static enum outcome check_samples(const int64_t lo[], const int64_t count[], const double *out)
{
    const int64_t n = box_elements(3, count);

    for (uint64_t s = 0; s < BOX_SAMPLES; s++) {
        const int64_t p = (int64_t)(mix(s ^ (uint64_t)lo[0] << 20) % (uint64_t)n);
        const int64_t index[3] = { lo[0] + p / count[2] / count[1], lo[1] + p / count[2] % count[1],
                                   lo[2] + p % count[2] };

        if (out[p] != value_at(3, index))
            return complain("element %lld of a box is wrong", (long long)p);
    }
    return DONE;
}

/* Each request, looked at as it comes; `sum`: the checksum of all elements is wanted, whatever it costs. */
static enum outcome walk(const struct job *job, void *array, const struct requests *r, const struct layout *layout,
                         double *out, uint64_t *sum)
{
    const int64_t n = request_count(r, layout);
    enum outcome outcome = DONE;

    for (int64_t which = 0; which < n && outcome == DONE; which++) {
        int64_t lo[MAX_NDIM], count[MAX_NDIM];

        request_box(r, layout, which, lo, count);
        outcome = job->peer->read(array, lo, count, out);
        if (outcome == DONE)
            outcome = r->access == SLABS ? check_box(3, lo, count, false, out) : check_samples(lo, count, out);
        if (outcome == DONE && sum)
            *sum = mix(*sum) + checksum(box_elements(3, count), out);
    }
    return outcome;
}

static enum outcome read_deep(const struct job *job, const struct requests *r, bool cold, uint64_t *sum)
{
    const struct layout layout = deep_layout(job->size);
    const struct peer *peer = job->peer;
    char path[PATH_BYTES];
    double *out = buffer(TARGET, (size_t)slab_elements(&layout) * sizeof *out), start;
    enum outcome outcome;
    int64_t before;
    void *array;

    if (!out)
        return FAILED;
    allow_memory(job->size);
    array_path(job->folder, peer->files, "deep", path);
    if (cold && make_cold(peer, path, job->argument[0]) != DONE)
        return FAILED;
    before = resident_bytes();
    start = now();
    outcome = peer->open(peer, path, &layout, r->access, &array);
    if (outcome != DONE)
        return outcome;
    outcome = walk(job, array, r, &layout, out, sum);
    answer_number("seconds", now() - start);
    if (peer->close(array) != DONE && outcome == DONE)
        outcome = FAILED;
    answer_integer("peak_bytes", peak_bytes() - before);
    return outcome == DONE ? answer_chunks(r, &layout) : outcome;
}

static enum outcome run_slabs(const struct work *work, const struct job *job)
{
    const struct requests r = { .access = SLABS, .axis = (int)work->number, .edge = EDGE };

    return read_deep(job, &r, true, NULL);
}

static enum outcome run_boxes(const struct work *work, const struct job *job)
{
    const int64_t count = 500 * job->size / LARGE_SIZE;
    const struct requests r = { .access = LARGE_BOXES, .edge = BOX, .count = count < 10 ? 10 : count };

    (void)work;
    return read_deep(job, &r, true, NULL);
}

static enum outcome verify(const struct work *work, const struct job *job)
{
    const struct requests r = { .access = SLABS, .axis = (int)work->number, .edge = EDGE };
    uint64_t sum = 0;
    const enum outcome outcome = read_deep(job, &r, false, &sum);

    answer_checksum(sum);
    return outcome;
}

const struct work deep_works[] = {
    { "deep-grow", run_grow, GROWTH, 0 },    { "deep-verify", verify, SLABS, 0 },
    { "deep-slabs-0", run_slabs, SLABS, 0 }, { "deep-slabs-1", run_slabs, SLABS, 1 },
    { "deep-slabs-2", run_slabs, SLABS, 2 }, { "deep-boxes", run_boxes, LARGE_BOXES, 0 },
    { "drop-deep", drop_array, GROWTH, 0 },  { 0 },
};
