#include "../common/bench.h"

extern const struct peer peer_truth, peer_drx, peer_drx_sums, peer_drx_striped, peer_bare, peer_posix, peer_posix_2,
    peer_posix_map, peer_hdf5, peer_hdf5_best, peer_hdf5_big, peer_chunks, peer_netcdf, peer_netcdf_best;

const struct peer *const peers[] = {
    &peer_truth,    &peer_drx,     &peer_drx_sums,  &peer_drx_striped, &peer_bare,
    &peer_posix,    &peer_posix_2, &peer_posix_map, &peer_hdf5,        &peer_hdf5_best,
    &peer_hdf5_big, &peer_chunks,  &peer_netcdf,    &peer_netcdf_best, NULL,
};
