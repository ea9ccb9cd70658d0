#include <string.h>

#include "bench.h"

static const char *path_after(const struct work *work, const struct job *job)
{
    return path_of(job, strchr(work->name, '-') + 1);
}

enum outcome drop_array(const struct work *work, const struct job *job)
{
    if (bench_rank == 0)
        remove_files(job->peer->suffixes, path_after(work, job));
    wait_for_all();
    return DONE;
}

enum outcome settle_array(const struct work *work, const struct job *job)
{
    return settle_cache(job->peer->suffixes, path_after(work, job), job->cold);
}
