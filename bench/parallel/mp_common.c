#include "bench_mp.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- the clock and memory -------------------------------------------------------- */

/* VmHWM begins again at VmRSS. */
static void forget_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "we");

    if (file) {
        (void)fputs("5", file);
        fclose(file);
    }
}

void start_measure(struct measure *m)
{
    forget_peak();
    m->resident_bytes = proc_bytes("/proc/self/status", "VmRSS");
    m->mapped_bytes = proc_bytes("/proc/self/status", "RssFile");
    m->start = start_together();
}

void answer_measure(const struct measure *m, int times)
{
    const double seconds = seconds_since(m->start);
    int64_t bytes[2] = { proc_bytes("/proc/self/status", "VmHWM") - m->resident_bytes,
                         proc_bytes("/proc/self/status", "RssFile") - m->mapped_bytes };

    MPI_Allreduce(MPI_IN_PLACE, bytes, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    answer_number("seconds", seconds / times);
    answer_integer("memory_bytes", bytes[0]);
    answer_integer("mapped_bytes", bytes[1]);
}

double *memory_for(enum buffer which, const struct part *part, int64_t pieces)
{
    double *memory = buffer(which, (size_t)(pieces * box_elements(2, part->count)) * sizeof *memory);

    return agree(memory ? DONE : FAILED) == DONE ? memory : NULL;
}

/* ---- arrays ------------------------------------------------------------------------ */

struct layout plane_layout(const struct job *job)
{
    return (struct layout){ 2, { 32 * job->size, 16 * job->size }, { job->argument[0], job->argument[0] } };
}

const char *kept_path(const struct work *work, const struct job *job)
{
    return path_of(job, (work->number & HISTORY) ? "history" : "plain");
}

void remove_plane(const struct job *job, const char *path)
{
    if (bench_rank == 0)
        remove_files(job->peer->suffixes, path);
    wait_for_all();
}

/* The axes are divided as evenly as possible, the first more often. */
struct part block_of(const struct layout *layout, const int64_t margin[2], int rank)
{
    struct part part = { .fortran = false };
    int blocks[2] = { 0, 0 };

    MPI_Dims_create(bench_ranks, 2, blocks);
    for (int j = 0; j < 2; j++) {
        const int at = j == 0 ? rank / blocks[1] : rank % blocks[1];

        part.count[j] = (layout->extent[j] - (margin[j] ? 2 * margin[j] + bench_ranks : 0)) / blocks[j];
        part.lo[j] = margin[j] + at * part.count[j];
    }
    return part;
}

/* Unaligned: no margin is a multiple of a chunk. */
struct part part_of(const struct work *work, const struct job *job, int rank)
{
    const struct layout layout = plane_layout(job);
    const int64_t none[2] = { 0 }, margin[2] = { job->argument[0] / 2 + 5, job->argument[0] / 3 + 2 };
    struct part part = block_of(&layout, (work->number & UNALIGNED) ? margin : none, rank);

    part.fortran = (work->number & IN_FORTRAN) != 0;
    return part;
}

enum outcome check_history(const struct work *work, const struct job *job)
{
    return (work->number & HISTORY) && !job->peer->both_axes ? DECLINED : DONE;
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

/* ---- the program ------------------------------------------------------------------- */

extern const struct peer mp_drx, peer_hdf5, peer_hdf5_alone, peer_hdf5_best, peer_hdf5_best_alone, mp_pnetcdf, mp_mpiio,
    peer_posix;

static const struct peer *const table[] = {
    &mp_drx,     &peer_hdf5, &peer_hdf5_alone, &peer_hdf5_best, &peer_hdf5_best_alone, &mp_pnetcdf, &mp_mpiio,
    &peer_posix, NULL,
};
const struct work *const works[] = { mp_write_works, mp_read_works, mp_growth_works, machine_works, NULL };

static enum outcome check(const struct job *job)
{
    const int64_t chunk = job->argument[0];

    if (check_size(job) != DONE)
        return FAILED;
    if (bench_ranks & (bench_ranks - 1))
        return complain("%d processes, expected a power of two", bench_ranks);
    if (!job->argument[1] && (chunk < 16 || job->size % chunk)) /* else it is the shape of a copy's chunk */
        return complain("chunk %" PRId64 ", expected a divisor of the size %" PRId64 ", at least 16", chunk, job->size);
    return DONE;
}

enum outcome (*const check_job)(const struct job *job) = check;

int main(int argc, char *argv[])
{
    return bench_main(argc, argv, table);
}
