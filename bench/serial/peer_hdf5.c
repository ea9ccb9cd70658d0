/* HDF5, serial or (BENCH_MPI) parallel, by collective or independent calls. "Default" opens as the library comes: a
 * chunk cache of 1 MiB. "Best" is what we found fastest for each access; best_cache() has it for one process. Of
 * several, other chunk caches, aligned chunks and ROMIO's two-phase exchange were not faster. "Big" opens with a
 * cache for the whole array, whatever the access. All axes are unlimited. */
#include <hdf5.h>
#include <stdlib.h>

#include "../common/bench.h"

struct dataset {
    hid_t file, set, space, one; /* space: of the file, -1 when it is to be asked for again; one: of an element */
    hid_t transfer;              /* how to read and write */
    int ndim;
};

static enum outcome wrong(const char *what)
{
    return complain("HDF5: %s failed", what);
}

static enum outcome close_set(void *handle)
{
    struct dataset *d = handle;
    bool failed = false;

    if (d->transfer != H5P_DEFAULT)
        failed |= H5Pclose(d->transfer) < 0;
    if (d->one >= 0)
        failed |= H5Sclose(d->one) < 0;
    if (d->space >= 0)
        failed |= H5Sclose(d->space) < 0;
    if (d->set >= 0)
        failed |= H5Dclose(d->set) < 0;
    if (d->file >= 0)
        failed |= H5Fclose(d->file) < 0;
    free(d);
    return failed ? wrong("closing") : DONE;
}

#ifdef BENCH_MPI
enum { PARALLEL = true };

/* Best, collective: all chunks as one request. */
static hid_t transfer_list(const struct peer *peer, bool alone)
{
    const hid_t list = H5Pcreate(H5P_DATASET_XFER);

    H5Pset_dxpl_mpio(list, alone ? H5FD_MPIO_INDEPENDENT : H5FD_MPIO_COLLECTIVE);
    if (peer->best && !alone)
        H5Pset_dxpl_mpio_chunk_opt(list, H5FD_MPIO_CHUNK_ONE_IO);
    return list;
}

/* Best: metadata is read by one rank for all, and written together. */
static void share_file(const struct peer *peer, bool alone, hid_t list)
{
    H5Pset_fapl_mpio(list, MPI_COMM_WORLD, MPI_INFO_NULL);
    if (peer->best) {
        H5Pset_coll_metadata_write(list, true);
        if (!alone)
            H5Pset_all_coll_metadata_ops(list, true);
    }
}
#else
enum { PARALLEL = false };

static hid_t transfer_list(const struct peer *peer, bool alone)
{
    (void)peer, (void)alone;
    return H5P_DEFAULT;
}

static void share_file(const struct peer *peer, bool alone, hid_t list)
{
    (void)peer, (void)alone, (void)list;
}
#endif

/* Best: the newer chunk index. */
static hid_t file_list(const struct peer *peer, bool alone)
{
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);

    if (peer->best)
        H5Pset_libver_bounds(list, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    share_file(peer, alone, list);
    return list;
}

static struct dataset *new_set(const struct peer *peer, const struct layout *layout, bool alone, void **out)
{
    struct dataset *d = new_handle(sizeof *d, out);
    const hsize_t one = 1;

    if (d)
        *d = (struct dataset){ .file = -1,
                               .set = -1,
                               .space = -1,
                               .one = H5Screate_simple(1, &one, NULL),
                               .transfer = transfer_list(peer, alone),
                               .ndim = layout->ndim };
    return d;
}

extern const struct peer peer_hdf5_big;

/* With the best cache, which is that of another access where all are to have a large one. */
static hid_t access_list(const struct peer *peer, const struct layout *layout, enum access access)
{
    const bool big = peer == &peer_hdf5_big;
    const struct cache cache = best_cache(layout, !big                                       ? access
                                                  : access == LARGE_BOXES || access == SLABS ? LARGE_BOXES
                                                                                             : BOXES);
    const hid_t list = H5Pcreate(H5P_DATASET_ACCESS);

    if (!peer->best || !cache.bytes || list < 0 || PARALLEL)
        return list;
    return H5Pset_chunk_cache(list, cache.slots, cache.bytes, 1.0) < 0 ? -1 : list;
}

static void to_sizes(int ndim, const int64_t from[], hsize_t to[])
{
    for (int j = 0; j < ndim; j++)
        to[j] = (hsize_t)from[j];
}

static enum outcome create_hdf5(const struct peer *peer, const char *path, const struct layout *layout,
                                enum access access, void **out)
{
    const hsize_t unlimited[MAX_NDIM] = { H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED };
    hsize_t extent[MAX_NDIM], chunk[MAX_NDIM];
    struct dataset *d = new_set(peer, layout, peer->independent, out);
    hid_t space, made, list, files;

    (void)access;
    if (!d)
        return FAILED;
    to_sizes(layout->ndim, layout->extent, extent);
    to_sizes(layout->ndim, layout->chunk, chunk);
    files = file_list(peer, peer->independent);
    made = H5Pcreate(H5P_DATASET_CREATE);
    space = H5Screate_simple(layout->ndim, extent, unlimited);
    list = access_list(peer, layout, GROWTH_ALL);
    if (peer->best) /* no fill beneath what is written */
        H5Pset_fill_time(made, H5D_FILL_TIME_NEVER);
    H5Pset_chunk(made, layout->ndim, chunk);
    d->file = H5Fcreate(file_of(path, ".h5"), H5F_ACC_EXCL, H5P_DEFAULT, files);
    d->set = H5Dcreate2(d->file, "a", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, made, list);
    H5Sclose(space);
    H5Pclose(made);
    H5Pclose(list);
    H5Pclose(files);
    if (d->set >= 0)
        return DONE;
    (void)close_set(d);
    return wrong("creating");
}

static enum outcome open_hdf5(const struct peer *peer, const char *path, const struct layout *layout,
                              enum access access, void **out)
{
    const bool alone = peer->independent || access == BOXES;
    struct dataset *d = new_set(peer, layout, alone, out);
    hid_t list, files;

    if (!d)
        return FAILED;
    list = access_list(peer, layout, access);
    files = file_list(peer, alone);
    d->file = H5Fopen(file_of(path, ".h5"), H5F_ACC_RDONLY, files);
    d->set = H5Dopen2(d->file, "a", list);
    d->space = H5Dget_space(d->set);
    H5Pclose(list);
    H5Pclose(files);
    if (d->space >= 0)
        return DONE;
    (void)close_set(d);
    return wrong("opening");
}

static bool select_box(hid_t space, int ndim, const int64_t lo[], const int64_t count[])
{
    hsize_t start[MAX_NDIM], n[MAX_NDIM];

    to_sizes(ndim, lo, start);
    to_sizes(ndim, count, n);
    return H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, n, NULL) >= 0;
}

static enum outcome move(void *handle, bool writing, const int64_t lo[], const int64_t count[], double *elements)
{
    const struct dataset *d = handle;
    const hid_t space = d->space >= 0 ? d->space : H5Dget_space(d->set);
    hsize_t n[MAX_NDIM];
    hid_t memory;
    bool done;

    to_sizes(d->ndim, count, n);
    memory = H5Screate_simple(d->ndim, n, NULL);
    done = select_box(space, d->ndim, lo, count) &&
           (writing ? H5Dwrite(d->set, H5T_NATIVE_DOUBLE, memory, space, d->transfer, elements)
                    : H5Dread(d->set, H5T_NATIVE_DOUBLE, memory, space, d->transfer, elements)) >= 0;
    H5Sclose(memory);
    if (space != d->space)
        H5Sclose(space);
    return done ? DONE : wrong(writing ? "H5Dwrite" : "H5Dread");
}

static enum outcome grow(void *handle, const struct growth *growth)
{
    struct dataset *d = handle;
    hsize_t extent[MAX_NDIM];

    to_sizes(d->ndim, growth->layout.extent, extent);
    if (H5Dset_extent(d->set, extent) < 0)
        return wrong("H5Dset_extent");
    return growth->slab ? move(d, true, growth->lo, growth->count, (double *)growth->slab) : DONE;
}

static enum outcome flush(void *handle)
{
    const struct dataset *d = handle;

    return H5Fflush(d->file, H5F_SCOPE_LOCAL) >= 0 ? DONE : wrong("H5Fflush");
}

static enum outcome get(void *handle, const int64_t index[], double *out)
{
    struct dataset *d = handle;
    const int64_t one[MAX_NDIM] = { 1, 1, 1 };

    return select_box(d->space, d->ndim, index, one) &&
                   H5Dread(d->set, H5T_NATIVE_DOUBLE, d->one, d->space, H5P_DEFAULT, out) >= 0
               ? DONE
               : wrong("H5Dread");
}

/* A list of points, in one request. */
static enum outcome get_many(void *handle, int64_t n, const int64_t (*index)[MAX_NDIM], double *out)
{
    struct dataset *d = handle;
    const hsize_t elements = (hsize_t)n;
    hsize_t *points = malloc((size_t)(n * d->ndim) * sizeof *points);
    hid_t memory;
    bool done;

    if (!points)
        return complain("no memory");
    for (int64_t e = 0; e < n; e++)
        to_sizes(d->ndim, index[e], points + e * d->ndim);
    memory = H5Screate_simple(1, &elements, NULL);
    done = H5Sselect_elements(d->space, H5S_SELECT_SET, (size_t)n, points) >= 0 &&
           H5Dread(d->set, H5T_NATIVE_DOUBLE, memory, d->space, H5P_DEFAULT, out) >= 0;
    H5Sclose(memory);
    free(points);
    return done ? DONE : wrong("H5Dread of points");
}

static enum outcome version(void)
{
    unsigned major, minor, release;

    if (H5get_libversion(&major, &minor, &release) < 0)
        return wrong("H5get_libversion");
    answer_text("HDF5", "%u.%u.%u", major, minor, release);
    return DONE;
}

static const char *const suffixes[] = { ".h5", NULL };

#define CALLS                                                                                               \
    .suffixes = suffixes, .create = create_hdf5, .open = open_hdf5, .grow = grow, .move = move, .get = get, \
    .get_many = get_many, .close = close_set, .flush = flush, .both_axes = true

const struct peer peer_hdf5 = { CALLS, .name = "hdf5", .files = "hdf5", .version = version };

const struct peer peer_hdf5_best = {
    CALLS,          .name = "hdf5-best", .files = "hdf5-best", .best = true, .by_slabs = ACCESS(WHOLE) | ACCESS(SLABS),
    .slab_rows = 32
};

#ifdef BENCH_MPI
const struct peer peer_hdf5_alone = { CALLS, .name = "hdf5-alone", .files = "hdf5", .independent = true };

const struct peer peer_hdf5_best_alone = { CALLS, .name = "hdf5-best-alone", .files = "hdf5-best", .best = true,
                                           .independent = true };
#endif

const struct peer peer_hdf5_big = { CALLS, .name = "hdf5-big", .files = "hdf5-best", .best = true,
                                    .declines = ACCESS(WHOLE) | ACCESS(FORTRAN) };
