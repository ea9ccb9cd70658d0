/* No library: a loop of one pwrite for each chunk, at the addresses that drx computes. It computes the addresses and
 * gathers the elements of each chunk beforehand, untimed. The file is the `.xta` of an array that drx extends but does
 * not write, so drx can read it back. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drx_tools.h"
#include "peer_drx.h"

struct bare {
    void *array;
    int fd;
    size_t chunk_bytes;
    int64_t chunks, capacity; /* of the slab at hand */
    int64_t *offset;
    double *elements; /* chunk after chunk, in STAGE */
};

static enum outcome close_bare(void *handle)
{
    struct bare *bare = handle;
    enum outcome outcome = DONE;

    if (bare->fd >= 0 && close(bare->fd) != 0)
        outcome = complain("close: %s", strerror(errno));
    if (bare->array && close_drx(bare->array) != DONE)
        outcome = FAILED;
    free(bare->offset);
    free(bare);
    return outcome;
}

static enum outcome create_bare(const struct peer *peer, const char *path, const struct layout *layout,
                                enum access access, void **out)
{
    struct bare *bare = calloc(1, sizeof *bare);
    char file[PATH_BYTES + 8];

    if (!bare)
        return complain("no memory");
    bare->fd = -1;
    bare->chunk_bytes = (size_t)box_elements(layout->ndim, layout->chunk) * sizeof(double);
    if (create_drx(peer, path, layout, access, &bare->array) != DONE)
        goto failed;
    snprintf(file, sizeof file, "%s%s", path, drx_suffixes[1]);
    bare->fd = open(file, O_WRONLY | O_CLOEXEC);
    if (bare->fd < 0) {
        (void)complain("%s: %s", file, strerror(errno));
        goto failed;
    }
    *out = bare;
    return DONE;

failed:
    (void)close_bare(bare);
    return FAILED;
}

/* The elements of the chunk whose first element is `at` in the slab of extents n. */
static void gather(int ndim, const int64_t chunk[], const int64_t n[], const int64_t at[], const double *slab,
                   double *to)
{
    const int64_t planes = ndim == 3 ? chunk[0] : 1, rows = chunk[ndim - 2], row = chunk[ndim - 1];
    const int64_t next_row = n[ndim - 1], next_plane = n[ndim - 2] * next_row;
    const double *from = slab + (ndim == 3 ? at[0] * next_plane : 0) + at[ndim - 2] * next_row + at[ndim - 1];

    for (int64_t i = 0; i < planes; i++)
        for (int64_t j = 0; j < rows; j++, to += row)
            memcpy(to, from + i * next_plane + j * next_row, (size_t)row * sizeof *to);
}

static enum outcome prepare(void *handle, int axis, int64_t by, const double *slab)
{
    struct bare *bare = handle;
    const int ndim = drx_ndim(bare->array);
    const int64_t *chunk = drx_chunk(bare->array);
    int64_t n[MAX_NDIM], at[MAX_NDIM] = { 0 }, before = drx_shape(bare->array)[axis], address;

    if (grow_drx(bare->array, axis, by, NULL) != DONE)
        return FAILED;
    bare->chunks = 1;
    for (int j = 0; j < ndim; j++) {
        n[j] = j == axis ? by : drx_shape(bare->array)[j];
        bare->chunks *= n[j] / chunk[j];
    }
    if (bare->capacity < bare->chunks) {
        free(bare->offset);
        bare->capacity = bare->chunks;
        bare->offset = malloc((size_t)bare->chunks * sizeof *bare->offset);
    }
    bare->elements = buffer(STAGE, (size_t)bare->chunks * bare->chunk_bytes);
    if (!bare->offset || !bare->elements)
        return complain("no memory");
    for (int64_t c = 0; c < bare->chunks; c++) {
        int64_t index[MAX_NDIM];
        int j = ndim - 1;

        for (int d = 0; d < ndim; d++)
            index[d] = (at[d] + (d == axis ? before : 0)) / chunk[d];
        if (drx_chunk_address(bare->array, index, &address))
            return complain("%s", drx_last_error());
        bare->offset[c] = address * (int64_t)bare->chunk_bytes;
        gather(ndim, chunk, n, at, slab, bare->elements + (size_t)c * bare->chunk_bytes / sizeof(double));
        while (j >= 0 && (at[j] += chunk[j]) == n[j])
            at[j--] = 0;
    }
    return DONE;
}

static enum outcome grow(void *handle, int axis, int64_t by, const double *slab)
{
    const struct bare *bare = handle;

    (void)axis, (void)by, (void)slab;
    for (int64_t c = 0; c < bare->chunks; c++)
        if (pwrite(bare->fd, (const char *)bare->elements + (size_t)c * bare->chunk_bytes, bare->chunk_bytes,
                   bare->offset[c]) != (ssize_t)bare->chunk_bytes)
            return complain("pwrite: %s", strerror(errno));
    return DONE;
}

/* Opened to read back, it is an array like any other. */
static enum outcome open_bare(const struct peer *peer, const char *path, const struct layout *layout,
                              enum access access, void **out)
{
    struct bare *bare = calloc(1, sizeof *bare);

    if (!bare)
        return complain("no memory");
    bare->fd = -1;
    if (open_drx(peer, path, layout, access, &bare->array) != DONE) {
        free(bare);
        return FAILED;
    }
    *out = bare;
    return DONE;
}

static enum outcome read_bare(void *handle, const int64_t lo[], const int64_t count[], double *out)
{
    return read_drx(((struct bare *)handle)->array, lo, count, out);
}

const struct peer peer_bare = {
    .name = "bare",
    .files = "bare",
    .suffixes = drx_suffixes,
    .declines = ~(UINT64_C(1) << GROWTH | UINT64_C(1) << GROWTH_ALL),
    .create = create_bare,
    .open = open_bare,
    .prepare = prepare,
    .grow = grow,
    .read = read_bare,
    .close = close_bare,
};
