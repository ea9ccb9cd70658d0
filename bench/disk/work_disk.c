/* Reads of a cube of doubles in chunks of 32 x 32 x 32 from the disk, and from memory after such a read. The first
 * argument says whether the whole page cache is dropped, or only the files. The clock runs from before the array is
 * opened until after the last element is read. The arrays are made by the workload build-cube. */
#include <stdio.h>
#include <string.h>

#include "bench_disk.h"

enum { EDGE = 32, MIB = 1 << 20 };
enum { LARGE_SIZE = 512 }; /* of the cube that the numbers are for; a smaller one has fewer requests */

static struct layout cube_layout(int64_t size)
{
    return (struct layout){ 3, { size, size, size }, { EDGE, EDGE, EDGE } };
}

static int64_t in_proportion(int64_t count, int64_t size)
{
    const double part = (double)size / LARGE_SIZE;
    const int64_t n = (int64_t)((double)count * part * part * part);

    return n < 20 ? 20 : n > count ? count : n;
}

/* A process that reads an array, once or a few times. */
struct session {
    const struct peer *peer;
    struct layout layout;
    char path[PATH_BYTES];
    int64_t (*index)[MAX_NDIM];
    double *out;
    uint64_t checksum; /* of all that was read */
};

/* Memory for the largest requests `r`, and `most` elements, is there, and touched, before the clock starts. */
static enum outcome begin_session(const struct job *job, const char *array, int64_t most, const struct requests *r,
                                  struct session *s)
{
    const struct requests elements = { .access = ELEMENTS, .count = most };
    const size_t slab = (size_t)(job->size * job->size * EDGE) * sizeof(double);

    s->peer = job->peer;
    s->layout = cube_layout(job->size);
    s->checksum = 0;
    array_path(job->folder, job->peer->files, array, s->path);
    s->index = buffer(SLAB, (size_t)most * sizeof *s->index + slab);
    s->out = buffer(TARGET, (size_t)(requested_elements(r, &s->layout) + most) * sizeof *s->out);
    if (!s->index || !s->out || !buffer(STAGE, slab))
        return FAILED;
    for (int64_t e = 0; e < most; e++) {
        int64_t one[MAX_NDIM];

        request_box(&elements, &s->layout, e, s->index[e], one);
    }
    return DONE;
}

/* Make the requests of an array that is opened for them, and answer the seconds under this name. */
static enum outcome measure(struct session *s, const struct requests *r, const char *name)
{
    const int64_t elements = requested_elements(r, &s->layout);
    const struct peer *peer = s->peer;
    enum outcome outcome;
    double start, seconds;
    void *array;

    memset(s->out, 0xff, (size_t)elements * sizeof *s->out); /* what was read before */
    start = now();
    outcome = peer->open(peer, s->path, &s->layout, r->access, &array);
    if (outcome != DONE)
        return outcome;
    outcome = make_requests(peer, array, r, &s->layout, (const int64_t(*)[MAX_NDIM])s->index, s->out);
    seconds = now() - start;
    if (peer->close(array) != DONE && outcome == DONE)
        outcome = FAILED;
    if (outcome != DONE)
        return outcome;
    answer_number(name, seconds);
    s->checksum = mix(s->checksum) + checksum(elements, s->out);
    return check_requests(r, &s->layout, s->out);
}

static bool is_truth(const struct peer *peer)
{
    return !*peer->suffixes;
}

static enum outcome run_reads(const struct work *work, const struct job *job)
{
    const struct requests r = { .access = work->access,
                                .axis = (int)work->number,
                                .edge = 16,
                                .list = work->access == ELEMENTS && work->number,
                                .count = work->access == ELEMENTS  ? in_proportion(2000, job->size)
                                         : work->access == BOXES   ? in_proportion(1000, job->size)
                                         : work->access == FORTRAN ? 1
                                                                   : 8 };
    struct session s;
    enum outcome outcome = begin_session(job, "cube", in_proportion(2000, job->size), &r, &s);
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
    const struct requests elements = { .access = ELEMENTS, .count = in_proportion(20000, job->size) };
    const struct requests list = { .access = ELEMENTS, .count = elements.count, .list = true };
    struct session s;
    enum outcome outcome = begin_session(job, "cube", elements.count, &whole, &s);
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
    const struct requests few = { .access = ELEMENTS, .count = in_proportion(20000, job->size), .list = list };
    const struct requests many = { .access = ELEMENTS, .count = in_proportion(200000, job->size), .list = list };
    const struct requests boxes = { .access = BOXES, .count = in_proportion(1000, job->size), .edge = 16 };
    const struct peer *maker = maker_of(job->peer);
    struct session s;
    enum outcome outcome = begin_session(job, "grown", many.count, &boxes, &s);

    (void)work;
    if (!is_truth(s.peer)) {
        if (outcome == DONE)
            remove_files(maker->suffixes, s.path);
        if (outcome == DONE)
            outcome = grow_array(maker, s.path, &s.layout);
        if (outcome == DONE) /* so that nothing is written back meanwhile */
            outcome = sync_files(maker, s.path);
        if (outcome == DONE) /* growth has used the memory of the indices */
            outcome = begin_session(job, "grown", many.count, &boxes, &s);
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
