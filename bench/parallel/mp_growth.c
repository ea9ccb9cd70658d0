/* Growth: as the history of an array, and one call. */
#include "bench_mp.h"

enum { HISTORY_STEPS = 8, GROWTHS = 16 };

/* The layout follows. */
static enum outcome grow(const struct peer *peer, void *array, struct layout *layout, int axis, int64_t by)
{
    const struct growth growth = growth_by(layout, axis, by);

    *layout = growth.layout;
    return peer->grow(array, &growth);
}

enum outcome make_array(const struct job *job, const char *path, const struct layout *layout, bool history,
                        enum access access, void **out)
{
    struct layout now_is = *layout;
    enum outcome outcome;

    for (int j = 0; history && j < 2; j++)
        now_is.extent[j] = layout->extent[j] / 2;
    outcome = job->peer->create(job->peer, path, &now_is, history ? GROWTH : access, out);
    for (int g = 0; history && g < HISTORY_STEPS && outcome == DONE; g++)
        outcome = grow(job->peer, *out, &now_is, g % 2, layout->extent[g % 2] / HISTORY_STEPS);
    return outcome;
}

/* The array has its new bounds if its last element can be read. */
static enum outcome check_bounds(const struct job *job, const char *path, const struct layout *grown)
{
    const int64_t last[2] = { grown->extent[0] - 1, grown->extent[1] - 1 }, one[2] = { 1, 1 };
    double element;
    void *array;

    if (agree(job->peer->open(job->peer, path, grown, BOXES, &array)) != DONE ||
        agree(read_box(job->peer, array, last, one, &element)) != DONE)
        return FAILED;
    return agree(job->peer->close(array));
}

/* The mean of some growths by a chunk; the axes alternate if the peer can grow both. */
static enum outcome run_extend(const struct work *work, const struct job *job)
{
    const struct peer *peer = job->peer;
    struct layout layout = plane_layout(job);
    enum outcome outcome = DONE;
    struct measure measure;
    const char *const path = path_of(job, "growing");
    void *array;

    remove_plane(job, path);
    if (agree(make_array(job, path, &layout, peer->both_axes, GROWTH, &array)) != DONE)
        return FAILED;
    start_measure(&measure);
    for (int g = 0; g < GROWTHS && outcome == DONE; g++) {
        outcome = grow(peer, array, &layout, peer->both_axes ? g % 2 : 0, job->argument[0]);
        if (outcome == DONE && (work->number & STORED) && peer->flush)
            outcome = peer->flush(array);
    }
    answer_measure(&measure, GROWTHS);
    if (agree(outcome) != DONE || agree(peer->close(array)) != DONE)
        return FAILED;
    outcome = check_bounds(job, path, &layout);
    remove_plane(job, path);
    return outcome;
}

const struct work mp_growth_works[] = {
    { "extend", run_extend, GROWTH_ALL, 0, NULL },
    { "extend-stored", run_extend, GROWTH_ALL, STORED, NULL },
    { 0 },
};
