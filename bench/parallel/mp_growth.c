/* Growth: as the history of an array, and one call. */
#include "bench_mp.h"

enum { STEPS = 8, GROWTHS = 16 };

enum outcome make_array(const struct job *job, const char *path, const struct layout *layout, bool history,
                        enum access access, void **out)
{
    struct layout first = *layout;
    enum outcome outcome;

    for (int j = 0; history && j < 2; j++)
        first.extent[j] = layout->extent[j] / 2;
    outcome = job->peer->create(job->peer, path, &first, history ? GROWTH : access, out);
    for (int g = 0; history && g < STEPS && outcome == DONE; g++)
        outcome = job->peer->grow(*out, g % 2, layout->extent[g % 2] / STEPS, NULL);
    return outcome;
}

/* The array has its new bounds if its last element can be read. */
static enum outcome check_bounds(const struct job *job, const char *path, const struct layout *grown)
{
    const int64_t last[2] = { grown->extent[0] - 1, grown->extent[1] - 1 }, one[2] = { 1, 1 };
    double element;
    void *array;

    if (agree(job->peer->open(job->peer, path, grown, BOXES, &array)) != DONE ||
        agree(job->peer->read(array, last, one, &element)) != DONE)
        return FAILED;
    return agree(job->peer->close(array));
}

/* The mean of some growths by a chunk; the axes alternate if the peer can grow both. */
static enum outcome run_extend(const struct work *work, const struct job *job)
{
    const struct peer *peer = job->peer;
    struct layout layout = plane_layout(job);
    struct measure measure;
    enum outcome outcome;
    char path[PATH_BYTES];
    void *array;

    if (!peer->grow)
        return DECLINED;
    array_path(job->folder, job->peer->files, "growing", path);
    remove_plane(job, path);
    if (agree(make_array(job, path, &layout, peer->both_axes, GROWTH, &array)) != DONE)
        return FAILED;
    start_measure(&measure);
    outcome = DONE;
    for (int g = 0; g < GROWTHS && outcome == DONE; g++) {
        const int axis = peer->both_axes ? g % 2 : 0;

        outcome = peer->grow(array, axis, job->argument[0], NULL);
        if (outcome == DONE && (work->number & STORED) && peer->flush)
            outcome = peer->flush(array);
        layout.extent[axis] += job->argument[0];
    }
    answer_number("seconds", stop_measure(&measure) / GROWTHS);
    answer_memory(&measure);
    if (agree(outcome) != DONE || agree(peer->close(array)) != DONE)
        return FAILED;
    outcome = check_bounds(job, path, &layout);
    remove_plane(job, path);
    return outcome;
}

const struct work mp_growth_works[] = {
    { "extend", run_extend, GROWTH_ALL, 0 },
    { "extend-stored", run_extend, GROWTH_ALL, STORED },
    { 0 },
};
