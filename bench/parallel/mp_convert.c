/* The ranks copy the wide matrix of the part of layouts into chunks of another shape (drxmp_copy), as its workload
 * copy-wide does with one process. */
#include <drx_tools.h>
#include <drxmp.h>

#include "../common/bench_drx.h"
#include "bench_mp.h"

/* Cold: the copy is durable in the end. */
static drx_status copy(const char *from, const char *to, const drx_copy_spec *spec, bool cold)
{
    drxmp_array *a, *b = NULL;
    drx_status st = drxmp_open(MPI_COMM_WORLD, from, DRX_RDONLY, &a), closed;

    if (st)
        return st;
    st = drxmp_copy(a, to, spec, &b);
    if (!st && cold)
        st = drxmp_sync(b);
    closed = b ? drxmp_close(b) : DRX_OK;
    st = st ? st : closed;
    closed = drxmp_close(a);
    return st ? st : closed;
}

/* The arguments are the rows and columns of a chunk. */
static enum outcome run_copy(const struct work *work, const struct job *job)
{
    const drx_copy_spec spec = { .chunk = job->argument, .memory_bytes = 2048 * job->size * job->size };
    char from[PATH_BYTES], to[PATH_BYTES];
    enum outcome outcome = DONE;
    double start;

    (void)work;
    array_path(job->folder, job->peer->files, "wide", from);
    array_path(job->folder, job->peer->files, "copy", to);
    if (bench_rank == 0) {
        remove_files(job->peer->suffixes, to);
        outcome = settle_cache(job->peer->suffixes, from, job->cold);
    }
    if (agree(outcome) != DONE)
        return FAILED;
    start = start_together();
    outcome = agree(of_drx(copy(from, to, &spec, job->cold)));
    answer_number("seconds", seconds_since(start));
    return outcome;
}

const struct work mp_copy_works[] = {
    { "copy-wide", run_copy, WHOLE, 0 },
    { 0 },
};
