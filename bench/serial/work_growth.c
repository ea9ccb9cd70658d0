/* Arrays that grow, each growth writing its slab. Timed: extending, writing, closing; not synced. */
#include "../common/bench.h"

enum { CHUNK_3D = 32, CHUNK_2D = 8 };

/* One growth of `array`, by a chunk; its layout follows. Adds its seconds. */
static enum outcome grow(const struct peer *peer, void *array, struct layout *layout, int axis, struct grown *grown)
{
    struct growth growth = growth_by(layout, axis, layout->chunk[axis]);
    double start = now(), *slab = buffer(SLAB, (size_t)box_elements(layout->ndim, growth.count) * sizeof *slab);
    enum outcome outcome = slab ? DONE : FAILED;

    if (!slab)
        return FAILED;
    fill_box(layout->ndim, growth.lo, growth.count, false, slab);
    growth.slab = slab;
    grown->fill_seconds += now() - start;
    if (peer->prepare)
        outcome = peer->prepare(array, &growth);
    start = now();
    if (outcome == DONE)
        outcome = peer->grow(array, &growth);
    grown->seconds += now() - start;
    grown->growths++;
    *layout = growth.layout;
    return outcome;
}

/* Closes and adds the seconds of it. Gives the worse of `outcome` and its own. */
static enum outcome close_timed(const struct peer *peer, void *array, enum outcome outcome, double *seconds)
{
    const double start = now();
    const enum outcome closed = peer->close(array);

    *seconds += now() - start;
    return outcome == DONE ? closed : outcome;
}

enum outcome grow_array(const struct peer *peer, const char *path, const struct layout *layout, bool all_axes,
                        struct grown *grown)
{
    struct layout now_is = *layout;
    enum outcome outcome;
    bool grew = true;
    void *array;

    *grown = (struct grown){ 0 };
    for (int j = 0; j < layout->ndim; j++)
        now_is.extent[j] = j == 0 ? 0 : all_axes ? layout->chunk[j] : layout->extent[j];
    outcome = peer->create(peer, path, &now_is, GROWTH, &array);
    if (outcome != DONE)
        return outcome;
    while (outcome == DONE && grew) {
        grew = false;
        for (int axis = 0; axis < layout->ndim && outcome == DONE; axis++)
            if (now_is.extent[axis] < layout->extent[axis]) {
                outcome = grow(peer, array, &now_is, axis, grown);
                grew = true;
            }
    }
    return close_timed(peer, array, outcome, &grown->seconds);
}

enum outcome build_array(const struct job *job, const char *name, const struct layout *layout)
{
    struct grown grown;
    const char *const path = path_of(job, name);

    remove_files(job->peer->suffixes, path);
    return grow_array(job->peer, path, layout, false, &grown);
}

/* Read all of it back, in pieces of one row of chunks, and answer the checksum. */
static enum outcome check_array(const struct peer *peer, const char *path, const struct layout *layout)
{
    const int64_t thick = layout->chunk[0], *n = layout->extent;
    const int64_t count[MAX_NDIM] = { thick, n[1], n[2] }, elements = box_elements(layout->ndim, count);
    double *piece = buffer(SLAB, (size_t)elements * sizeof *piece);
    enum outcome outcome;
    uint64_t sum = 0;
    void *array;

    outcome = piece ? peer->open(peer, path, layout, WHOLE, &array) : FAILED;
    if (outcome != DONE)
        return outcome;
    for (int64_t i = 0; i < n[0] && outcome == DONE; i += thick) {
        const int64_t lo[MAX_NDIM] = { i };

        outcome = read_box(peer, array, lo, count, piece);
        if (outcome == DONE)
            outcome = check_some(SAMPLES, layout->ndim, lo, count, false, piece);
        sum = mix(sum) + checksum(elements, piece);
    }
    if (peer->close(array) != DONE && outcome == DONE)
        return FAILED;
    answer_checksum(sum);
    return outcome;
}

/* work->number is the number of axes; 1: three, of which only the first grows. An argument: it is not checked again. */
static enum outcome run_growth(const struct work *work, const struct job *job)
{
    const struct peer *peer = job->peer;
    const int64_t edge = work->number == 2 ? CHUNK_2D : CHUNK_3D;
    const int64_t extent = work->number == 2 ? job->size * CHUNK_2D : job->size;
    const struct layout layout = { work->number == 2 ? 2 : 3, { extent, extent, extent }, { edge, edge, edge } };
    const char *const path = path_of(job, work->name);
    struct grown grown;
    enum outcome outcome;

    if (!peer->create || !peer->grow)
        return DECLINED;
    remove_files(peer->suffixes, path);
    outcome = grow_array(peer, path, &layout, work->number != 1, &grown);
    if (outcome == DONE) {
        answer_number("seconds", grown.seconds);
        answer_integer("growths", grown.growths);
        answer_integer("bytes", box_elements(layout.ndim, layout.extent) * (int64_t)sizeof(double));
        answer_integer("file_bytes", files_bytes(peer, path));
        if (!job->argument[0])
            outcome = check_array(peer, path, &layout);
    }
    remove_files(peer->suffixes, path);
    return outcome;
}

const struct work growth_works[] = {
    { "growth-3d", run_growth, GROWTH_ALL, 3, NULL },
    { "growth-2d", run_growth, GROWTH_ALL, 2, NULL },
    { "growth-axis-0", run_growth, GROWTH, 1, NULL },
    { 0 },
};
