#include <inttypes.h>

#include "bench_mp.h"

extern const struct peer mp_drx, peer_hdf5, peer_hdf5_alone, peer_hdf5_best, peer_hdf5_best_alone, mp_pnetcdf, mp_mpiio,
    peer_posix;

const struct peer *const peers[] = {
    &mp_drx,     &peer_hdf5, &peer_hdf5_alone, &peer_hdf5_best, &peer_hdf5_best_alone, &mp_pnetcdf, &mp_mpiio,
    &peer_posix, NULL,
};
const struct work *const works[] = {
    mp_array_works, mp_piece_works, mp_growth_works, mp_copy_works, machine_works, NULL
};

static enum outcome check(const struct job *job)
{
    const int64_t chunk = job->argument[0];

    if (bench_ranks & (bench_ranks - 1))
        return complain("%d processes, expected a power of two", bench_ranks);
    if (!job->argument[1] && (chunk < 16 || job->size % chunk)) /* else it is the shape of a copy's chunk */
        return complain("chunk %" PRId64 ", expected a divisor of the size %" PRId64 ", at least 16", chunk, job->size);
    return DONE;
}

enum outcome (*const check_job)(const struct job *job) = check;
