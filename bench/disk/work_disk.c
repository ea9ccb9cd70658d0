/* Reads of a cube of doubles in chunks of 32 x 32 x 32 from the disk, and from memory after such a read. The first
 * argument says whether the whole page cache is dropped, or only the files. The clock runs from before the array is
 * opened until after the last element is read. The arrays are made by the workload build-cube. */
#include <stdio.h>
#include <string.h>

#include "bench_disk.h"

enum { BOX = 16 };

/* The same, added to what was read before. */
static enum outcome measure(struct session *s, const struct requests *r, const char *name)
{
    const uint64_t before = s->checksum;
    const enum outcome outcome = read_requests(s, r, name);

    s->checksum = mix(before) + s->checksum;
    return outcome;
}

static bool is_truth(const struct peer *peer)
{
    return !*peer->suffixes;
}

static enum outcome run_reads(const struct work *work, const struct job *job)
{
    const struct requests r = { .access = work->access,
                                .axis = (int)work->number,
                                .edge = BOX,
                                .list = work->access == ELEMENTS && work->number,
                                .count = work->access == ELEMENTS  ? in_proportion(2000, 20, job->size)
                                         : work->access == BOXES   ? in_proportion(1000, 20, job->size)
                                         : work->access == FORTRAN ? 1
                                                                   : 8 };
    struct session s = { .opening = true };
    enum outcome outcome = begin_session(job, "cube", &r, 0, in_proportion(2000, 20, job->size), &s);
    int64_t before;

    if (outcome == DONE && !is_truth(s.peer))
        outcome = make_cold(s.peer, s.path, job->argument[0]);
    before = resident_bytes();
    if (outcome == DONE)
        outcome = measure(&s, &r, "seconds");
    if (outcome != DONE)
        return outcome;
    answer_integer("peak_bytes", peak_bytes() - before);
    answer_integer("requests", r.count);
    answer_integer("bytes", requested_elements(&r, &s.layout) * (int64_t)sizeof(double));
    answer_checksum(s.checksum);
    return answer_chunks(&r, &s.layout);
}

/* The whole array, from the disk or after its files were read as cat does; the same again; then elements. */
static enum outcome run_whole(const struct work *work, const struct job *job)
{
    const struct requests whole = { .access = WHOLE };
    const struct requests elements = { .access = ELEMENTS, .count = in_proportion(20000, 20, job->size) };
    const struct requests list = { .access = ELEMENTS, .count = elements.count, .list = true };
    struct session s = { .opening = true };
    enum outcome outcome = begin_session(job, "cube", &whole, 0, elements.count, &s);
    int64_t before;

    if (outcome == DONE && !is_truth(s.peer))
        outcome = make_cold(s.peer, s.path, job->argument[0]);
    if (outcome == DONE && work->number && !is_truth(s.peer))
        outcome = read_plainly(s.peer, s.path);
    before = resident_bytes();
    if (outcome == DONE)
        outcome = measure(&s, &whole, "seconds");
    answer_integer("peak_bytes", peak_bytes() - before);
    if (outcome == DONE)
        outcome = measure(&s, &whole, "again_seconds");
    if (outcome == DONE)
        outcome = measure(&s, s.peer->best ? &list : &elements, "elements_seconds");
    answer_integer("bytes", requested_elements(&whole, &s.layout) * (int64_t)sizeof(double));
    answer_checksum(s.checksum);
    return outcome;
}

/* The peer that makes the files which this one reads. */
static const struct peer *maker_of(const struct peer *peer)
{
    for (const struct peer *const *p = peers; *p; p++)
        if (strcmp((*p)->files, peer->files) == 0 && (*p)->create && !((*p)->declines >> GROWTH & 1))
            return *p;
    return peer;
}

/* An array that was just written by growth, and not read since. */
static enum outcome run_grown(const struct work *work, const struct job *job)
{
    const bool list = job->peer->best && job->peer->get_many;
    const struct requests few = { .access = ELEMENTS, .count = in_proportion(20000, 20, job->size), .list = list };
    const struct requests many = { .access = ELEMENTS, .count = in_proportion(200000, 20, job->size), .list = list };
    const struct requests boxes = { .access = BOXES, .count = in_proportion(1000, 20, job->size), .edge = BOX };
    const struct peer *maker = maker_of(job->peer);
    struct session s = { .opening = true };
    struct growth growth;
    enum outcome outcome = begin_session(job, "grown", &boxes, many.count, many.count, &s);

    (void)work;
    if (!is_truth(s.peer)) {
        if (outcome == DONE)
            remove_files(maker->suffixes, s.path);
        if (outcome == DONE)
            outcome = grow_array(maker, s.path, &s.layout, !(maker->declines >> GROWTH_ALL & 1), &growth);
        if (outcome == DONE) /* so that nothing is written back meanwhile */
            outcome = sync_files(maker->suffixes, s.path);
        if (outcome == DONE) /* growth has used the memory of the indices */
            outcome = begin_session(job, "grown", &boxes, many.count, many.count, &s);
    }
    if (outcome == DONE)
        outcome = measure(&s, &few, "seconds");
    if (outcome == DONE)
        outcome = measure(&s, &many, "many_seconds");
    if (outcome == DONE)
        outcome = measure(&s, &boxes, "boxes_seconds");
    answer_checksum(s.checksum);
    remove_files(maker->suffixes, s.path);
    return outcome;
}

const struct work disk_works[] = {
    { "disk-whole", run_whole, WHOLE, false },
    { "disk-cat", run_whole, WHOLE, true },
    { "disk-fortran", run_reads, FORTRAN, 0 },
    { "disk-planes-0", run_reads, PLANES, 0 },
    { "disk-planes-1", run_reads, PLANES, 1 },
    { "disk-planes-2", run_reads, LAST_PLANES, 2 },
    { "disk-elements", run_reads, ELEMENTS, false },
    { "disk-points", run_reads, ELEMENTS, true },
    { "disk-boxes", run_reads, BOXES, 0 },
    { "disk-grown", run_grown, ELEMENTS, 0 },
    { "balloon", inflate, GROWTH, 0 },
    { 0 },
};
