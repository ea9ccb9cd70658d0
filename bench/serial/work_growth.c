/* Arrays that grow, each growth writing its slab. Timed: extending, writing, closing; not synced. */
#include "../common/bench.h"

enum { CHUNK_3D = 32, CHUNK_2D = 8 };

/* One growth of `array`, by a chunk; its layout follows. Adds its seconds. */
static enum outcome grow(const struct peer *peer, void *array, struct layout *layout, int axis, struct growth *growth)
{
    int64_t lo[MAX_NDIM] = { 0 }, count[MAX_NDIM];
    enum outcome outcome = DONE;
    double start = now(), *slab;

    for (int j = 0; j < layout->ndim; j++)
        count[j] = j == axis ? layout->chunk[j] : layout->extent[j];
    lo[axis] = layout->extent[axis];
    slab = buffer(SLAB, (size_t)box_elements(layout->ndim, count) * sizeof *slab);
    if (!slab)
        return FAILED;
    fill_box(layout->ndim, lo, count, slab);
    growth->fill_seconds += now() - start;
    if (peer->prepare)
        outcome = peer->prepare(array, axis, count[axis], slab);
    if (outcome != DONE)
        return outcome;
    start = now();
    outcome = peer->grow(array, axis, count[axis], slab);
    growth->seconds += now() - start;
    growth->growths++;
    layout->extent[axis] += count[axis];
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
                        struct growth *growth)
{
    struct layout now_is = *layout;
    enum outcome outcome;
    bool grew = true;
    void *array;

    *growth = (struct growth){ 0 };
    for (int j = 0; j < layout->ndim; j++)
        now_is.extent[j] = j == 0 ? 0 : all_axes ? layout->chunk[j] : layout->extent[j];
    outcome = peer->create(peer, path, &now_is, GROWTH, &array);
    if (outcome != DONE)
        return outcome;
    while (outcome == DONE && grew) {
        grew = false;
        for (int axis = 0; axis < layout->ndim && outcome == DONE; axis++)
            if (now_is.extent[axis] < layout->extent[axis]) {
                outcome = grow(peer, array, &now_is, axis, growth);
                grew = true;
            }
    }
    return close_timed(peer, array, outcome, &growth->seconds);
}

enum outcome build_array(const struct job *job, const char *name, const struct layout *layout)
{
    struct growth growth;
    char path[PATH_BYTES];

    array_path(job->folder, job->peer->files, name, path);
    remove_files(job->peer->suffixes, path);
    return grow_array(job->peer, path, layout, false, &growth);
}

/* Read all of it back, in pieces of one row of chunks, and answer the checksum. */
static enum outcome check_array(const struct peer *peer, const char *path, const struct layout *layout)
{
    enum outcome outcome;
    uint64_t sum = 0;
    double *piece;
    void *array;

    outcome = peer->open(peer, path, layout, WHOLE, &array);
    if (outcome != DONE)
        return outcome;
    for (int64_t i = 0; i < layout->extent[0] && outcome == DONE; i += layout->chunk[0]) {
        int64_t lo[MAX_NDIM] = { i }, count[MAX_NDIM];

        for (int j = 0; j < layout->ndim; j++)
            count[j] = j == 0 ? layout->chunk[0] : layout->extent[j];
        piece = buffer(SLAB, (size_t)box_elements(layout->ndim, count) * sizeof *piece);
        outcome = piece ? peer->read(array, lo, count, piece) : FAILED;
        if (outcome != DONE)
            break;
        outcome = check_box(layout->ndim, lo, count, false, piece);
        sum = mix(sum) + checksum(box_elements(layout->ndim, count), piece);
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
    char path[PATH_BYTES];
    struct growth growth;
    enum outcome outcome;

    if (!peer->create || !peer->grow)
        return DECLINED;
    array_path(job->folder, job->peer->files, work->name, path);
    remove_files(peer->suffixes, path);
    outcome = grow_array(peer, path, &layout, work->number != 1, &growth);
    if (outcome == DONE) {
        answer_number("seconds", growth.seconds);
        answer_integer("growths", growth.growths);
        answer_integer("bytes", box_elements(layout.ndim, layout.extent) * (int64_t)sizeof(double));
        answer_integer("file_bytes", files_bytes(peer, path));
        if (!job->argument[0])
            outcome = check_array(peer, path, &layout);
    }
    remove_files(peer->suffixes, path);
    return outcome;
}

const struct work growth_works[] = {
    { "growth-3d", run_growth, GROWTH_ALL, 3 },
    { "growth-2d", run_growth, GROWTH_ALL, 2 },
    { "growth-axis-0", run_growth, GROWTH, 1 },
    { 0 },
};
