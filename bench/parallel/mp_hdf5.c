/* Parallel HDF5, by collective or independent calls. "Best" is the fastest setting that we found; other chunk caches,
 * aligned chunks and ROMIO's two-phase exchange were not faster. Both axes are unlimited. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_mp.h"

struct dataset {
    hid_t file, set, transfer; /* transfer: how to read and write */
    int64_t extent[2];
};

static enum outcome wrong(const char *what)
{
    return complain("HDF5: %s failed", what);
}

static enum outcome close_set(void *handle)
{
    struct dataset *d = handle;
    bool failed = false;

    failed |= H5Pclose(d->transfer) < 0;
    if (d->set >= 0)
        failed |= H5Dclose(d->set) < 0;
    if (d->file >= 0)
        failed |= H5Fclose(d->file) < 0;
    free(d);
    return failed ? wrong("closing") : DONE;
}

/* Best, collective: all chunks as one request. */
static hid_t transfer_list(const struct mp_peer *peer, bool alone)
{
    const hid_t list = H5Pcreate(H5P_DATASET_XFER);

    H5Pset_dxpl_mpio(list, alone ? H5FD_MPIO_INDEPENDENT : H5FD_MPIO_COLLECTIVE);
    if (peer->best && !alone)
        H5Pset_dxpl_mpio_chunk_opt(list, H5FD_MPIO_CHUNK_ONE_IO);
    return list;
}

/* Best: the newer chunk index; metadata is read by one rank for all, and written together. */
static hid_t file_list(const struct mp_peer *peer, bool alone)
{
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);

    H5Pset_fapl_mpio(list, MPI_COMM_WORLD, MPI_INFO_NULL);
    if (peer->best) {
        H5Pset_libver_bounds(list, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        H5Pset_coll_metadata_write(list, true);
        if (!alone)
            H5Pset_all_coll_metadata_ops(list, true);
    }
    return list;
}

static struct dataset *new_set(const struct mp_peer *peer, const struct layout *layout, bool alone)
{
    struct dataset *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->file = d->set = -1;
    d->transfer = transfer_list(peer, alone);
    memcpy(d->extent, layout->extent, sizeof d->extent);
    return d;
}

static void file_name(const char *path, char file[PATH_BYTES + 8])
{
    snprintf(file, PATH_BYTES + 8, "%s.h5", path);
}

static hid_t create_set(const struct mp_peer *peer, hid_t file, const struct layout *layout)
{
    const hsize_t extent[2] = { (hsize_t)layout->extent[0], (hsize_t)layout->extent[1] };
    const hsize_t chunk[2] = { (hsize_t)layout->chunk[0], (hsize_t)layout->chunk[1] };
    const hsize_t unlimited[2] = { H5S_UNLIMITED, H5S_UNLIMITED };
    const hid_t made = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, extent, unlimited);
    hid_t set;

    H5Pset_chunk(made, 2, chunk);
    if (peer->best) /* no fill values, since all is written */
        H5Pset_fill_time(made, H5D_FILL_TIME_NEVER);
    set = H5Dcreate2(file, "a", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, made, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(made);
    return set;
}

static enum outcome create(const struct mp_peer *peer, const char *path, const struct layout *layout,
                           enum access access, void **out)
{
    struct dataset *d = new_set(peer, layout, peer->independent);
    char file[PATH_BYTES + 8];
    hid_t files;

    (void)access;
    *out = d;
    if (!d)
        return complain("no memory");
    file_name(path, file);
    files = file_list(peer, peer->independent);
    d->file = H5Fcreate(file, H5F_ACC_EXCL, H5P_DEFAULT, files);
    d->set = create_set(peer, d->file, layout);
    H5Pclose(files);
    return d->set >= 0 ? DONE : wrong("creating");
}

static enum outcome open_set(const struct mp_peer *peer, const char *path, const struct layout *layout,
                             enum access access, void **out)
{
    const bool alone = peer->independent || access == BOXES;
    struct dataset *d = new_set(peer, layout, alone);
    char file[PATH_BYTES + 8];
    hid_t files;

    *out = d;
    if (!d)
        return complain("no memory");
    file_name(path, file);
    files = file_list(peer, alone);
    d->file = H5Fopen(file, H5F_ACC_RDONLY, files);
    d->set = H5Dopen2(d->file, "a", H5P_DEFAULT);
    H5Pclose(files);
    return d->set >= 0 ? DONE : wrong("opening");
}

static enum outcome grow(void *handle, int axis, int64_t by)
{
    struct dataset *d = handle;
    hsize_t extent[2];

    d->extent[axis] += by;
    for (int j = 0; j < 2; j++)
        extent[j] = (hsize_t)d->extent[j];
    return H5Dset_extent(d->set, extent) >= 0 ? DONE : wrong("H5Dset_extent");
}

static enum outcome flush(void *handle)
{
    const struct dataset *d = handle;

    return H5Fflush(d->file, H5F_SCOPE_LOCAL) >= 0 ? DONE : wrong("H5Fflush");
}

static enum outcome move_box(void *handle, bool writing, const int64_t lo[2], const int64_t count[2], double *elements)
{
    struct dataset *d = handle;
    const hsize_t start[2] = { (hsize_t)lo[0], (hsize_t)lo[1] }, n[2] = { (hsize_t)count[0], (hsize_t)count[1] };
    const hid_t space = H5Dget_space(d->set), memory = H5Screate_simple(2, n, NULL);
    herr_t done = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, n, NULL);

    if (done >= 0)
        done = writing ? H5Dwrite(d->set, H5T_NATIVE_DOUBLE, memory, space, d->transfer, elements)
                       : H5Dread(d->set, H5T_NATIVE_DOUBLE, memory, space, d->transfer, elements);
    H5Sclose(memory);
    H5Sclose(space);
    return done >= 0 ? DONE : wrong(writing ? "H5Dwrite" : "H5Dread");
}

static enum outcome move(void *handle, bool writing, const struct part *part, double *elements)
{
    return move_by_slabs(move_box, handle, writing, part, elements);
}

static enum outcome read_box(void *handle, const int64_t lo[2], const int64_t count[2], double *out)
{
    return move_box(handle, false, lo, count, out);
}

static const char *const suffixes[] = { ".h5", NULL };

#define CALLS                                                                                             \
    .create = create, .open = open_set, .grow = grow, .flush = flush, .move = move, .read_box = read_box, \
    .close = close_set

const struct mp_peer mp_hdf5 = { .name = "hdf5", .files = "hdf5", .suffixes = suffixes, .both_axes = true, CALLS };

const struct mp_peer mp_hdf5_alone = {
    .name = "hdf5-alone", .files = "hdf5", .suffixes = suffixes, .both_axes = true, .independent = true, CALLS
};

const struct mp_peer mp_hdf5_best = {
    .name = "hdf5-best", .files = "hdf5-best", .suffixes = suffixes, .both_axes = true, .best = true, CALLS
};

const struct mp_peer mp_hdf5_best_alone = { .name = "hdf5-best-alone",
                                            .files = "hdf5-best",
                                            .suffixes = suffixes,
                                            .both_axes = true,
                                            .best = true,
                                            .independent = true,
                                            CALLS };
