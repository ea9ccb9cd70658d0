/* Reads of a cube of doubles in chunks of 32 x 32 x 32, and of a table whose chunks are rows. Each array is made
 * once (the workloads `build-`), then read by one workload after the other. Timed: the reading alone. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../common/bench.h"

enum { EDGE = 32, ROWS = 8, BOX = 16, PLANE_COUNT = 64, STRIP_COUNT = 16, STRIP = 64 };
enum { ELEMENT_SEED = 1 << 28, BOX_SEED = 2 << 28, STRIP_SEED = 3 << 28 };

static bool is_table(enum access access)
{
    return access == STRIPS;
}

static struct layout array_layout(bool table, int64_t size)
{
    const int64_t columns = 8 * size;

    if (table)
        return (struct layout){ 2, { size * size / 8, columns }, { ROWS, columns } };
    return (struct layout){ 3, { size, size, size }, { EDGE, EDGE, EDGE } };
}

/* 200,000 elements and 20,000 boxes of a cube of 512^3; of a smaller one in proportion. */
static int64_t in_proportion(int64_t count, int64_t least, int64_t size)
{
    const double part = (double)size / 512;
    const int64_t n = (int64_t)((double)count * part * part * part);

    return n < least ? least : n;
}

/* Index `which` of PLANE_COUNT spread evenly. */
static int64_t plane(int64_t which, int64_t extent)
{
    return which * extent / PLANE_COUNT;
}

static void random_index(uint64_t seed, int64_t which, const struct layout *layout, int64_t box, int64_t index[])
{
    for (int j = 0; j < 3; j++)
        index[j] = (int64_t)(mix(seed + 3 * (uint64_t)which + (uint64_t)j) % (uint64_t)(layout->extent[j] - box + 1));
}

static int64_t strip_start(int64_t which, const struct layout *layout)
{
    return (int64_t)(mix(STRIP_SEED + (uint64_t)which) % (uint64_t)(layout->extent[1] - STRIP + 1));
}

/* Box `which` of the workload; the boxes fill `out` one after the other. */
static void box_at(const struct work *work, const struct layout *layout, int64_t which, int64_t lo[], int64_t count[])
{
    for (int j = 0; j < layout->ndim; j++) {
        lo[j] = 0;
        count[j] = layout->extent[j];
    }
    switch (work->access) {
    case PLANES:
    case LAST_PLANES:
        lo[work->number] = plane(which, layout->extent[work->number]);
        count[work->number] = 1;
        break;
    case BOXES:
    case SHARED_BOXES:
        random_index(BOX_SEED, which, layout, BOX, lo);
        for (int j = 0; j < 3; j++)
            count[j] = BOX;
        break;
    case STRIPS:
        lo[1] = strip_start(which, layout);
        count[1] = STRIP;
        break;
    default:
        break;
    }
}

static int64_t box_count(const struct work *work, int64_t size)
{
    switch (work->access) {
    case PLANES:
    case LAST_PLANES:
        return PLANE_COUNT;
    case BOXES:
    case SHARED_BOXES:
        return in_proportion(20000, 20, size);
    case STRIPS:
        return STRIP_COUNT;
    default:
        return 1;
    }
}

static enum outcome read_boxes(const struct work *work, const struct peer *peer, void *array,
                               const struct layout *layout, int64_t first, int64_t end, double *out)
{
    enum outcome outcome = DONE;

    for (int64_t b = first; b < end && outcome == DONE; b++) {
        int64_t lo[MAX_NDIM], count[MAX_NDIM];

        box_at(work, layout, b, lo, count);
        outcome = peer->read(array, lo, count, out);
        out += box_elements(layout->ndim, count);
    }
    return outcome;
}

static enum outcome check_boxes(const struct work *work, const struct layout *layout, int64_t boxes, const double *out)
{
    enum outcome outcome = DONE;

    for (int64_t b = 0; b < boxes && outcome == DONE; b++) {
        int64_t lo[MAX_NDIM], count[MAX_NDIM];

        box_at(work, layout, b, lo, count);
        outcome = check_box(layout->ndim, lo, count, work->access == FORTRAN, out);
        out += box_elements(layout->ndim, count);
    }
    return outcome;
}

static enum outcome read_elements(const struct peer *peer, void *array, int64_t n, const int64_t (*index)[MAX_NDIM],
                                  double *out)
{
    enum outcome outcome = DONE;

    if (peer->best && peer->get_many)
        return peer->get_many(array, n, index, out);
    for (int64_t e = 0; e < n && outcome == DONE; e++)
        outcome = peer->get(array, index[e], &out[e]);
    return outcome;
}

static enum outcome check_elements(int64_t n, const int64_t (*index)[MAX_NDIM], const double *out)
{
    for (int64_t e = 0; e < n; e++)
        if (out[e] != value_at(3, index[e]))
            return complain("one of the elements that were read is wrong");
    return DONE;
}

/* What is read, and where it goes. */
struct reading {
    struct layout layout;
    int64_t boxes;    /* or elements */
    int64_t elements; /* in all */
    int64_t (*index)[MAX_NDIM];
    double *out;
};

static enum outcome prepare_reading(const struct work *work, int64_t size, struct reading *r)
{
    int64_t least = size * size * size; /* so that all use the same memory */

    r->layout = array_layout(is_table(work->access), size);
    if (work->access == ELEMENTS) {
        r->boxes = r->elements = in_proportion(200000, 1000, size);
        r->index = buffer(SLAB, (size_t)r->boxes * sizeof *r->index);
        if (!r->index)
            return FAILED;
        for (int64_t e = 0; e < r->boxes; e++)
            random_index(ELEMENT_SEED, e, &r->layout, 1, r->index[e]);
    } else {
        int64_t lo[MAX_NDIM], count[MAX_NDIM];

        r->boxes = box_count(work, size);
        box_at(work, &r->layout, 0, lo, count);
        r->elements = r->boxes * box_elements(r->layout.ndim, count);
    }
    if (least < r->elements)
        least = r->elements;
    r->out = buffer(TARGET, (size_t)least * sizeof *r->out);
    if (!r->out)
        return FAILED;
    memset(r->out, 0xff, (size_t)r->elements * sizeof *r->out); /* what another peer read */
    return DONE;
}

/* What a second thread reads: all boxes from `first` on. */
struct share {
    const struct work *work;
    const struct peer *peer;
    void *array;
    const struct reading *reading;
    int64_t first;
    enum outcome outcome;
};

static void *read_share(void *arg)
{
    struct share *s = arg;
    const struct reading *r = s->reading;

    s->outcome = read_boxes(s->work, s->peer, s->array, &r->layout, s->first, r->boxes,
                            r->out + r->elements / r->boxes * s->first);
    return NULL;
}

static enum outcome share_boxes(const struct work *work, const struct peer *peer, void *array, const struct reading *r)
{
    struct share s = { work, peer, array, r, r->boxes / 2, FAILED };
    enum outcome outcome;
    pthread_t second;

    if (pthread_create(&second, NULL, read_share, &s))
        return complain("no thread");
    outcome = read_boxes(work, peer, array, &r->layout, 0, s.first, r->out);
    (void)pthread_join(second, NULL);
    return outcome == DONE ? s.outcome : outcome;
}

static enum outcome perform(const struct work *work, const struct peer *peer, void *array, const struct reading *r)
{
    if (work->access == ELEMENTS)
        return read_elements(peer, array, r->boxes, (const int64_t(*)[MAX_NDIM])r->index, r->out);
    if (work->access == FORTRAN)
        return peer->read_fortran ? peer->read_fortran(array, &r->layout, r->out)
                                  : read_fortran_by_slabs(peer, array, &r->layout, r->out);
    if (work->access == SHARED_BOXES)
        return share_boxes(work, peer, array, r);
    return read_boxes(work, peer, array, &r->layout, 0, r->boxes, r->out);
}

static enum outcome run_read(const struct work *work, const struct job *job)
{
    const struct peer *peer = job->peer;
    char path[PATH_BYTES];
    struct reading r = { 0 };
    enum outcome outcome;
    double start, seconds;
    void *array;

    array_path(job->folder, job->peer->files, is_table(work->access) ? "table" : "cube", path);
    outcome = prepare_reading(work, job->size, &r);
    if (outcome == DONE)
        outcome = settle_cache(peer->suffixes, path, job->cold);
    if (outcome == DONE)
        outcome = peer->open(peer, path, &r.layout, work->access, &array);
    if (outcome != DONE)
        return outcome;
    start = now();
    outcome = perform(work, peer, array, &r);
    seconds = now() - start;
    if (peer->close(array) != DONE && outcome == DONE)
        outcome = FAILED;
    if (outcome != DONE)
        return outcome;
    answer_number("seconds", seconds);
    answer_integer("bytes", r.elements * (int64_t)sizeof(double));
    answer_integer("requests", r.boxes);
    answer_checksum(checksum(r.elements, r.out));
    return work->access == ELEMENTS ? check_elements(r.elements, (const int64_t(*)[MAX_NDIM])r.index, r.out)
                                    : check_boxes(work, &r.layout, r.boxes, r.out);
}

static enum outcome run_build(const struct work *work, const struct job *job)
{
    const struct layout layout = array_layout(is_table(work->access), job->size);
    char path[PATH_BYTES];
    double seconds = 0;

    array_path(job->folder, job->peer->files, is_table(work->access) ? "table" : "cube", path);
    remove_files(job->peer->suffixes, path);
    return build_along_axis_0(job->peer, path, &layout, &seconds);
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
