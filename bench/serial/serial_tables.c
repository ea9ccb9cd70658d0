#include "../layout/tools.h"

extern const struct peer peer_truth, peer_drx, peer_drx_sums, peer_drx_striped, peer_bare, peer_posix, peer_posix_2,
    peer_posix_map, peer_hdf5, peer_hdf5_best, peer_hdf5_big, peer_netcdf, peer_netcdf_best;

static const struct peer *const table[] = {
    &peer_truth,       &peer_drx,       &peer_drx_sums, &peer_drx_striped, &peer_bare,        &peer_posix,
    &peer_posix_2,     &peer_posix_map, &peer_hdf5,     &peer_hdf5_best,   &peer_hdf5_big,    &peer_netcdf,
    &peer_netcdf_best, &peer_cp,        &peer_h5repack, &peer_nccopy,      &peer_nccopy_best, NULL,
};

extern const struct work growth_works[], ends_works[], beside_works[], read_works[], map_works[], layout_works[],
    disk_works[], dataset_works[];

const struct work *const works[] = {
    growth_works, ends_works, beside_works,  read_works,    map_works,
    layout_works, disk_works, dataset_works, machine_works, NULL,
};

enum outcome (*const check_job)(const struct job *job) = check_size;

int main(int argc, char *argv[])
{
    return bench_main(argc, argv, table);
}
