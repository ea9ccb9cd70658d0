#include "bench_mp.h"

extern const struct mp_peer mp_drx, mp_hdf5, mp_hdf5_alone, mp_hdf5_best, mp_hdf5_best_alone, mp_pnetcdf, mp_mpiio,
    mp_posix;

const struct mp_peer *const mp_peers[] = {
    &mp_drx, &mp_hdf5, &mp_hdf5_alone, &mp_hdf5_best, &mp_hdf5_best_alone, &mp_pnetcdf, &mp_mpiio, &mp_posix, NULL,
};
