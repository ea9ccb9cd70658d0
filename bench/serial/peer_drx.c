/* This library, by the calls of drx.h. DRX_THREADS says how many threads it may use. */
#include <stdlib.h>
#include <string.h>

#include "peer_drx.h"

static enum outcome create_drx(const struct peer *peer, const char *path, const struct layout *layout,
                               enum access access, void **out)
{
    static const char *const folders[] = { ".", ".", "." }; /* where the metadata are */
    const bool striped = peer == &peer_drx_striped;
    const drx_spec spec = { .ndim = layout->ndim,
                            .type = DRX_FLOAT64,
                            .shape = layout->extent,
                            .chunk = layout->chunk,
                            .nstripes = striped ? 3 : 0,
                            .stripes = striped ? folders : NULL,
                            .flags = peer == &peer_drx_sums ? DRX_CHECKSUM : 0 };

    (void)access;
    return of_drx(drx_create(path, &spec, (drx_array **)out));
}

static enum outcome open_drx(const struct peer *peer, const char *path, const struct layout *layout, enum access access,
                             void **out)
{
    (void)peer, (void)layout, (void)access;
    return of_drx(drx_open(path, DRX_RDONLY, (drx_array **)out));
}

static enum outcome grow_drx(void *array, const struct growth *growth)
{
    drx_status st = drx_extend(array, growth->axis, growth->by);

    if (!st && growth->slab)
        st = drx_write(array, growth->lo, growth->count, DRX_ROW_MAJOR, growth->slab);
    return of_drx(st);
}

static enum outcome read_drx(void *array, const int64_t lo[], const int64_t count[], double *out)
{
    return of_drx(drx_read(array, lo, count, DRX_ROW_MAJOR, out));
}

static enum outcome read_fortran(void *array, const struct layout *layout, double *out)
{
    const int64_t lo[MAX_NDIM] = { 0 };

    return of_drx(drx_read(array, lo, layout->extent, DRX_COL_MAJOR, out));
}

static enum outcome get(void *array, const int64_t index[], double *out)
{
    return of_drx(drx_get(array, index, out));
}

/* A list of points, in one request. */
static enum outcome get_many(void *array, int64_t n, const int64_t (*index)[MAX_NDIM], double *out)
{
    const int ndim = drx_ndim(array);
    int64_t *indices = malloc((size_t)(n * ndim) * sizeof *indices);
    drx_status st;

    if (!indices)
        return complain("no memory");
    for (int64_t e = 0; e < n; e++)
        memcpy(indices + e * ndim, index[e], (size_t)ndim * sizeof *indices);
    st = drx_read_points(array, n, indices, out);
    free(indices);
    return of_drx(st);
}

static enum outcome close_drx(void *array)
{
    return of_drx(drx_close(array));
}

const char *const drx_suffixes[] = { ".xmd", ".xta", NULL };
static const char *const sums_suffixes[] = { ".xmd", ".xta", ".xcs", NULL };
static const char *const striped_suffixes[] = { ".xmd", ".*.xta.*", NULL };

static enum outcome version(void)
{
    answer_text("drx", "%s", drx_version());
    return DONE;
}

#define CALLS                                                                                                 \
    .create = create_drx, .open = open_drx, .grow = grow_drx, .read = read_drx, .read_fortran = read_fortran, \
    .get = get, .get_many = get_many, .close = close_drx, .shares = true

const struct peer peer_drx = {
    CALLS, .name = "drx", .files = "drx", .suffixes = drx_suffixes, .copy = copy_drx, .version = version
};

/* With checksums of the data. */
const struct peer peer_drx_sums = { CALLS, .name = "drx-sums", .files = "drx-sums", .suffixes = sums_suffixes };

/* In three stripes, which have one disk here. */
const struct peer peer_drx_striped = { CALLS, .name = "drx-striped", .files = "drx-striped",
                                       .suffixes = striped_suffixes };
