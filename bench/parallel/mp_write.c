/* Arrays that the ranks write together, and copy into other chunks. The time of a write covers making the array,
 * writing and closing it. */
#include <string.h>

#include "bench_mp.h"

static bool is_same(const struct part *a, const struct part *b)
{
    return memcmp(a->lo, b->lo, sizeof a->lo) == 0 && memcmp(a->count, b->count, sizeof a->count) == 0 &&
           a->fortran == b->fortran;
}

/* The elements that this rank writes, which repetitions have in common. */
static double *source_of(const struct part *part)
{
    static struct part filled;
    static double *memory;
    double *source = memory_for(SLAB, part, 1);

    if (source && (source != memory || !is_same(&filled, part))) {
        fill_box(2, part->lo, part->count, part->fortran, source);
        memory = source;
        filled = *part;
    }
    return source;
}

/* Each rank checks the part of another rank. */
static enum outcome check_written(const struct work *work, const struct job *job, const char *path)
{
    const struct layout layout = plane_layout(job);
    struct part part = part_of(work, job, (bench_rank + 1) % bench_ranks);
    double *target = memory_for(TARGET, &part, 1);
    void *array;

    part.fortran = false;
    if (!target)
        return FAILED;
    memset(target, 0xff, (size_t)box_elements(2, part.count) * sizeof *target);
    if (agree(job->peer->open(job->peer, path, &layout, WHOLE, &array)) != DONE ||
        agree(move_part(job->peer, array, false, &part, target)) != DONE || agree(job->peer->close(array)) != DONE)
        return FAILED;
    return agree(check_box(2, part.lo, part.count, false, target));
}

static enum outcome write_array(const struct work *work, const struct job *job, const char *path)
{
    const struct layout layout = plane_layout(job);
    const struct part part = part_of(work, job, bench_rank);
    double made = 0, *source = source_of(&part);
    struct measure measure;
    enum outcome outcome;
    void *array;

    if (!source)
        return FAILED;
    remove_plane(job, path);
    start_measure(&measure);
    outcome = make_array(job, path, &layout, (work->number & HISTORY), WHOLE, &array);
    if (outcome == DONE) {
        made = now() - measure.start;
        outcome = move_part(job->peer, array, true, &part, source);
    }
    if (outcome == DONE)
        outcome = job->peer->close(array);
    answer_measure(&measure, 1);
    answer_number("made_seconds", made);
    return agree(outcome);
}

static enum outcome run_write(const struct work *work, const struct job *job)
{
    const char *const path = path_of(job, "written");
    enum outcome outcome = check_history(work, job);

    if (outcome != DONE)
        return outcome;
    outcome = write_array(work, job, path);
    if (outcome == DONE && !is_known(work, job))
        outcome = check_written(work, job, path);
    remove_plane(job, path);
    return outcome;
}

static enum outcome run_build(const struct work *work, const struct job *job)
{
    const enum outcome outcome = check_history(work, job);

    return outcome == DONE ? write_array(work, job, kept_path(work, job)) : outcome;
}

/* The wide matrix of the part of layouts, as its workload copy-wide does with one process. The arguments are the rows
 * and columns of a chunk. */
static enum outcome run_copy(const struct work *work, const struct job *job)
{
    const char *const from = path_of(job, "wide"), *const to = path_of(job, "copy");
    enum outcome outcome = DONE;
    double start;

    (void)work;
    remove_plane(job, to);
    if (bench_rank == 0)
        outcome = settle_cache(job->peer->suffixes, from, job->cold);
    if (agree(outcome) != DONE)
        return FAILED;
    start = start_together();
    outcome = agree(job->peer->copy(from, to, job));
    answer_number("seconds", seconds_since(start));
    return outcome;
}

const struct work mp_write_works[] = {
    { "write", run_write, WHOLE, 0, NULL },
    { "write-fortran", run_write, WHOLE, IN_FORTRAN, NULL },
    { "write-history", run_write, WHOLE, HISTORY, NULL },
    { "write-unaligned", run_write, WHOLE, UNALIGNED, NULL },
    { "build-plain", run_build, WHOLE, 0, NULL },
    { "build-history", run_build, WHOLE, HISTORY, NULL },
    { "drop-plain", drop_array, WHOLE, 0, NULL },
    { "drop-history", drop_array, WHOLE, HISTORY, NULL },
    { "copy-wide", run_copy, WHOLE, 0, NULL },
    { 0 },
};
