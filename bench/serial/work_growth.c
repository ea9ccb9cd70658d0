/* Arrays that grow, each growth writing its slab. Timed: extending, writing, closing; not synced. */
#include "../common/bench.h"

enum { CHUNK_3D = 32, CHUNK_2D = 8 };

/* One growth of `array`, whose layout follows. Adds its seconds. */
static enum outcome grow(const struct peer *peer, void *array, struct layout *layout, int axis, int64_t by,
                         double *seconds)
{
    int64_t lo[MAX_NDIM] = { 0 }, count[MAX_NDIM];
    enum outcome outcome;
    double start, *slab;

    for (int j = 0; j < layout->ndim; j++)
        count[j] = j == axis ? by : layout->extent[j];
    lo[axis] = layout->extent[axis];
    slab = buffer(SLAB, (size_t)box_elements(layout->ndim, count) * sizeof *slab);
    if (!slab)
        return FAILED;
    fill_box(layout->ndim, lo, count, slab);
    if (peer->prepare) {
        outcome = peer->prepare(array, axis, by, slab);
        if (outcome != DONE)
            return outcome;
    }
    start = now();
    outcome = peer->grow(array, axis, by, slab);
    *seconds += now() - start;
    layout->extent[axis] += by;
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

/* Round-robin, one chunk at a time, the first axis first, until each has `chunks` chunks. */
static enum outcome build_round_robin(const struct peer *peer, const char *path, struct layout *layout, int64_t chunks,
                                      int64_t *growths, double *seconds)
{
    enum outcome outcome;
    void *array;

    *growths = 1 + layout->ndim * (chunks - 1);
    for (int j = 0; j < layout->ndim; j++)
        layout->extent[j] = j == 0 ? 0 : layout->chunk[j];
    outcome = peer->create(peer, path, layout, GROWTH, &array);
    if (outcome != DONE)
        return outcome;
    for (int64_t g = 0; g < *growths && outcome == DONE; g++) {
        const int axis = (int)(g % layout->ndim);

        outcome = grow(peer, array, layout, axis, layout->chunk[axis], seconds);
    }
    return close_timed(peer, array, outcome, seconds);
}

enum outcome build_along_axis_0(const struct peer *peer, const char *path, const struct layout *layout, double *seconds)
{
    struct layout growing = *layout;
    enum outcome outcome;
    void *array;

    growing.extent[0] = 0;
    outcome = peer->create(peer, path, &growing, GROWTH, &array);
    if (outcome != DONE)
        return outcome;
    while (outcome == DONE && growing.extent[0] < layout->extent[0])
        outcome = grow(peer, array, &growing, 0, layout->chunk[0], seconds);
    return close_timed(peer, array, outcome, seconds);
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
    const int64_t chunks = work->number == 2 ? job->size : job->size / CHUNK_3D;
    struct layout layout = { .ndim = work->number == 2 ? 2 : 3, .chunk = { edge, edge, edge } };
    char path[PATH_BYTES];
    double seconds = 0;
    int64_t growths;
    enum outcome outcome;

    if (!peer->create || !peer->grow)
        return DECLINED;
    array_path(job->folder, job->peer->files, work->name, path);
    remove_files(peer->suffixes, path);
    if (work->number == 1) {
        growths = chunks;
        for (int j = 0; j < 3; j++)
            layout.extent[j] = job->size;
        outcome = build_along_axis_0(peer, path, &layout, &seconds);
    } else {
        outcome = build_round_robin(peer, path, &layout, chunks, &growths, &seconds);
    }
    if (outcome == DONE) {
        answer_number("seconds", seconds);
        answer_integer("growths", growths);
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
