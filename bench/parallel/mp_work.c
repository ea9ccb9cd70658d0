/* Arrays that the ranks write and read together. The time of a write covers making the array, writing and closing it;
 * that of a read covers the reading alone. */
#include <string.h>

#include "bench_mp.h"

struct layout plane_layout(const struct job *job)
{
    return (struct layout){ 2, { 32 * job->size, 16 * job->size }, { job->argument[0], job->argument[0] } };
}

void remove_plane(const struct job *job, const char *path)
{
    if (bench_rank == 0)
        remove_files(job->peer->suffixes, path);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The block of a rank. The axes are divided as evenly as possible, the first more often. Unaligned: no margin. */
static struct part part_of(const struct work *work, const struct job *job, int rank)
{
    const struct layout layout = plane_layout(job);
    const int64_t margin[2] = { job->argument[0] / 2 + 5, job->argument[0] / 3 + 2 };
    int blocks[2] = { 0, 0 };
    struct part part = { .fortran = (work->number & IN_FORTRAN) != 0 };

    MPI_Dims_create(bench_ranks, 2, blocks);
    for (int j = 0; j < 2; j++) {
        const int64_t first = (work->number & UNALIGNED) ? margin[j] : 0;
        const int64_t n = layout.extent[j] - ((work->number & UNALIGNED) ? 2 * margin[j] + bench_ranks : 0);
        const int at = j == 0 ? rank / blocks[1] : rank % blocks[1];

        part.count[j] = n / blocks[j];
        part.lo[j] = first + at * part.count[j];
    }
    return part;
}

double *memory_for(enum buffer which, const struct part *part)
{
    return buffer(which, (size_t)box_elements(2, part->count) * sizeof(double));
}

bool is_known(const struct work *work, const struct job *job)
{
    static struct {
        const struct work *work;
        struct job job;
    } known[256];
    static size_t n;

    for (size_t i = 0; i < n; i++)
        if (known[i].work == work && known[i].job.peer == job->peer && known[i].job.size == job->size &&
            known[i].job.argument[0] == job->argument[0])
            return true;
    if (n < sizeof known / sizeof *known) {
        known[n].work = work;
        known[n++].job = *job;
    }
    return false;
}

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
    double *source = memory_for(SLAB, part);

    if (source && (source != memory || !is_same(&filled, part))) {
        fill_plane(part->lo, part->count, part->fortran, source);
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
    double *target = memory_for(TARGET, &part);
    void *array;

    part.fortran = false;
    if (agree(target ? DONE : FAILED) != DONE)
        return FAILED;
    memset(target, 0xff, (size_t)box_elements(2, part.count) * sizeof *target);
    if (agree(job->peer->open(job->peer, path, &layout, WHOLE, &array)) != DONE ||
        agree(job->peer->move(array, false, &part, target)) != DONE)
        return FAILED;
    if (agree(job->peer->close(array)) != DONE)
        return FAILED;
    return agree(check_plane(part.lo, part.count, false, target));
}

static enum outcome write_array(const struct work *work, const struct job *job, const char *path)
{
    const struct layout layout = plane_layout(job);
    const struct part part = part_of(work, job, bench_rank);
    double made = 0, *source = source_of(&part);
    struct measure measure;
    enum outcome outcome;
    void *array;

    if (agree(source ? DONE : FAILED) != DONE)
        return FAILED;
    remove_plane(job, path);
    start_measure(&measure);
    outcome = make_array(job, path, &layout, (work->number & HISTORY), WHOLE, &array);
    if (outcome == DONE) {
        made = now() - measure.start;
        outcome = job->peer->move(array, true, &part, source);
    }
    if (outcome == DONE)
        outcome = job->peer->close(array);
    answer_number("seconds", stop_measure(&measure));
    answer_memory(&measure);
    answer_number("made_seconds", made);
    return agree(outcome);
}

static enum outcome run_write(const struct work *work, const struct job *job)
{
    char path[PATH_BYTES];
    enum outcome outcome;

    if ((work->number & HISTORY) && !job->peer->both_axes)
        return DECLINED;
    array_path(job->folder, job->peer->files, "written", path);
    outcome = write_array(work, job, path);
    if (outcome == DONE && !is_known(work, job))
        outcome = check_written(work, job, path);
    remove_plane(job, path);
    return outcome;
}

static void kept_path(const struct work *work, const struct job *job, char path[PATH_BYTES])
{
    array_path(job->folder, job->peer->files, (work->number & HISTORY) ? "history" : "plain", path);
}

static enum outcome run_build(const struct work *work, const struct job *job)
{
    char path[PATH_BYTES];

    if ((work->number & HISTORY) && !job->peer->both_axes)
        return DECLINED;
    kept_path(work, job, path);
    return write_array(work, job, path);
}

static enum outcome run_drop(const struct work *work, const struct job *job)
{
    char path[PATH_BYTES];

    kept_path(work, job, path);
    remove_plane(job, path);
    return DONE;
}

enum outcome open_warm(const struct work *work, const struct job *job, enum access access, void **out)
{
    const struct layout layout = plane_layout(job);
    char path[PATH_BYTES];

    kept_path(work, job, path);
    if (agree(bench_rank == 0 ? settle_cache(job->peer->suffixes, path, false) : DONE) != DONE)
        return FAILED;
    return agree(job->peer->open(job->peer, path, &layout, access, out));
}

enum outcome finish_read(const struct job *job, const struct measure *measure, enum outcome outcome, void *array)
{
    answer_number("seconds", stop_measure(measure));
    answer_memory(measure);
    if (agree(outcome) != DONE)
        return FAILED;
    return agree(job->peer->close(array));
}

static enum outcome run_read(const struct work *work, const struct job *job)
{
    const struct part part = part_of(work, job, bench_rank);
    double *target = memory_for(TARGET, &part);
    struct measure measure;
    void *array;
    bool known;

    if ((work->number & HISTORY) && !job->peer->both_axes)
        return DECLINED;
    if (agree(target ? DONE : FAILED) != DONE || open_warm(work, job, WHOLE, &array) != DONE)
        return FAILED;
    known = is_known(work, job);
    if (!known) /* forget what another peer read */
        memset(target, 0xff, (size_t)box_elements(2, part.count) * sizeof *target);
    start_measure(&measure);
    if (finish_read(job, &measure, job->peer->move(array, false, &part, target), array) != DONE)
        return FAILED;
    return known ? DONE : agree(check_plane(part.lo, part.count, part.fortran, target));
}

const struct work mp_array_works[] = {
    { "write", run_write, WHOLE, 0 },
    { "write-fortran", run_write, WHOLE, IN_FORTRAN },
    { "write-history", run_write, WHOLE, HISTORY },
    { "write-unaligned", run_write, WHOLE, UNALIGNED },
    { "build-plain", run_build, WHOLE, 0 },
    { "build-history", run_build, WHOLE, HISTORY },
    { "drop-plain", run_drop, WHOLE, 0 },
    { "drop-history", run_drop, WHOLE, HISTORY },
    { "read", run_read, WHOLE, 0 },
    { "read-fortran", run_read, WHOLE, IN_FORTRAN },
    { "read-history", run_read, WHOLE, HISTORY },
    { "read-unaligned", run_read, WHOLE, UNALIGNED },
    { 0 },
};
