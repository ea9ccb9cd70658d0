/* Copies from array to array, tile by tile. A tile is a group of whole chunks of the target; as far as memory allows
 * it also covers whole chunks of the source. Each process copies a run of tiles, and reads the next one while it
 * writes one.
 *
 * drx_copy's planner does not help here: it makes an array of its own, but the program has our target open. */
#include <stdlib.h>
#include <string.h>

#include "disk.h"

struct copying {
    struct disk_array *src, *dst;
    int axis[DISK_MAX_NDIM];     /* of src, for each of dst */
    int64_t tile[DISK_MAX_NDIM]; /* extents, in axes of dst */
    int64_t tiles[DISK_MAX_NDIM];
    size_t item_bytes;
    char *buffer[2];
    drx_request *writing[2];
};

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static double bytes_of(const struct copying *c)
{
    double bytes = (double)c->item_bytes;

    for (int j = 0; j < c->dst->ndim; j++)
        bytes *= (double)c->tile[j];
    return bytes;
}

/* The axis on which a tile covers the smallest part of a chunk of the source and can still grow; -1: none. */
static int narrowest(const struct copying *c, double memory_bytes)
{
    const int64_t *chunk = c->src->chunk;
    double least = 1;
    int axis = -1;

    for (int j = 0; j < c->dst->ndim; j++) {
        const double part = (double)c->tile[j] / (double)chunk[c->axis[j]];

        if (part < least && c->tile[j] < c->dst->dims[j] && 2 * bytes_of(c) <= memory_bytes) {
            least = part;
            axis = j;
        }
    }
    return axis;
}

static void choose_tile(struct copying *c, double memory_bytes)
{
    const int64_t *chunk = c->dst->chunk;
    const int ndim = c->dst->ndim;
    int axis;

    for (int j = 0; j < ndim; j++)
        c->tile[j] = chunk[j] < c->dst->dims[j] ? chunk[j] : c->dst->dims[j];
    while ((axis = narrowest(c, memory_bytes)) >= 0)
        c->tile[axis] = 2 * c->tile[axis] < c->dst->dims[axis] ? 2 * c->tile[axis] : c->dst->dims[axis];
    while (bytes_of(c) > memory_bytes) { /* a whole chunk does not fit: take parts of one */
        axis = 0;
        for (int j = 1; j < ndim; j++)
            if (c->tile[j] > c->tile[axis])
                axis = j;
        if (c->tile[axis] == 1)
            return;
        c->tile[axis] = ceil_div(c->tile[axis], 2);
    }
}

static int64_t count_tiles(struct copying *c)
{
    int64_t n = 1;

    for (int j = 0; j < c->dst->ndim; j++) {
        c->tiles[j] = ceil_div(c->dst->dims[j], c->tile[j]);
        n *= c->tiles[j];
    }
    return n;
}

static drx_status copy_tile(struct copying *c, int64_t number, int slot)
{
    const int ndim = c->dst->ndim;
    int64_t lo[DISK_MAX_NDIM], count[DISK_MAX_NDIM], from[DISK_MAX_NDIM], extent[DISK_MAX_NDIM];
    int64_t stride[DISK_MAX_NDIM], along = 1;
    drx_status st = DRX_OK;

    for (int j = ndim - 1; j >= 0; j--) {
        lo[j] = number % c->tiles[j] * c->tile[j];
        number /= c->tiles[j];
        count[j] = c->dst->dims[j] - lo[j] < c->tile[j] ? c->dst->dims[j] - lo[j] : c->tile[j];
        from[c->axis[j]] = lo[j];
        extent[c->axis[j]] = count[j];
        stride[c->axis[j]] = along;
        along *= count[j];
    }
    if (c->writing[slot])
        st = drx_wait(c->writing[slot]);
    c->writing[slot] = NULL;
    if (!st)
        st = disk_read(c->src, from, extent, stride, c->buffer[slot]);
    if (!st)
        st = drx_write_async(c->dst->here, &(drx_box){ .lo = lo, .count = count }, c->buffer[slot], &c->writing[slot]);
    return st;
}

static drx_status copy_tiles(struct copying *c, int64_t first, int64_t end)
{
    drx_status st = DRX_OK, other;

    for (int64_t i = first; !st && i < end; i++)
        st = copy_tile(c, i, (int)(i & 1));
    for (int slot = 0; slot < 2; slot++) {
        other = c->writing[slot] ? drx_wait(c->writing[slot]) : DRX_OK;
        st = st ? st : other;
    }
    return st;
}

static drx_status copy_share(struct copying *c)
{
    int rank, ranks;
    int64_t n;
    drx_status st;

    (void)MPI_Comm_rank(c->dst->comm, &rank);
    (void)MPI_Comm_size(c->dst->comm, &ranks);
    choose_tile(c, (double)disk_buffer_bytes() / 2);
    n = count_tiles(c);
    for (int slot = 0; slot < 2; slot++)
        c->buffer[slot] = malloc((size_t)bytes_of(c));
    if (c->buffer[0] && c->buffer[1])
        st = copy_tiles(c, n / ranks * rank, rank + 1 == ranks ? n : n / ranks * (rank + 1));
    else
        st = disk_fail(DRX_ENOMEM, "no memory for two buffers of %.0f bytes", bytes_of(c));
    free(c->buffer[0]);
    free(c->buffer[1]);
    return st;
}

static drx_status check_arrays(const struct copying *c)
{
    const struct disk_array *src = c->src, *dst = c->dst;

    if (strcmp(src->path, dst->path) == 0)
        return disk_fail(DRX_EINVAL, "%s is both source and target", src->path);
    if (!disk_may_read(src))
        return disk_fail(DRX_EACCES, "%s was opened for writing only", src->path);
    if (!disk_may_write(dst))
        return disk_fail(DRX_EACCES, "%s was opened for reading only", dst->path);
    if (src->group != dst->group || src->group != GA_Pgroup_get_default())
        return disk_fail(DRX_EINVAL, "%s, %s: opened by different groups of processes", src->path, dst->path);
    if (src->type != dst->type)
        return disk_fail(DRX_EMISMATCH, "%s has elements of type %s, %s of %s", src->path, drx_type_name(src->type),
                         dst->path, drx_type_name(dst->type));
    if (src->ndim != dst->ndim)
        return disk_fail(DRX_EMISMATCH, "%s has %d dimensions, %s %d", src->path, src->ndim, dst->path, dst->ndim);
    return DRX_OK;
}

static drx_status take_permutation(struct copying *c, const int64_t perm[], bool fortran)
{
    bool taken[DISK_MAX_NDIM] = { false };
    const int ndim = c->src->ndim;

    for (int j = 0; j < ndim; j++) {
        const int dim = disk_dimension(j, ndim, fortran);
        const int64_t given = perm ? perm[dim - fortran] : dim;
        int axis = -1;

        if (given >= fortran && given < ndim + fortran)
            axis = disk_dimension((int)given, ndim, fortran);
        if (axis < 0 || taken[axis])
            return disk_fail(DRX_EINVAL, "the permutation has %lld for dimension %d", (long long)given, dim);
        if (c->dst->dims[j] != c->src->dims[axis])
            return disk_fail(DRX_EMISMATCH, "%s: dimension %d is %lld, of %s %lld", c->dst->path, dim,
                             (long long)c->dst->dims[j], c->src->path, (long long)c->src->dims[axis]);
        taken[axis] = true;
        c->axis[j] = axis;
    }
    return DRX_OK;
}

drx_status disk_copy(int src, int dst, const int64_t perm[], bool fortran, int *id)
{
    struct copying c = { .src = NULL };
    struct disk_request *r = NULL;
    drx_status st = disk_find(src, &c.src);

    if (!st)
        st = disk_find(dst, &c.dst);
    if (!st)
        st = check_arrays(&c);
    if (!st)
        st = take_permutation(&c, perm, fortran);
    if (!st)
        st = disk_request_new(&(struct disk_request){ .writing = true }, &r);
    st = disk_agree(disk_comm(), st);
    if (st) {
        if (r)
            disk_request_drop(r);
        return st;
    }
    c.item_bytes = drx_type_size(c.dst->type);
    disk_requests_finish(c.src);
    disk_requests_finish(c.dst);
    r->array = c.dst;
    disk_request_end(r, copy_share(&c));
    disk_requests_finish(c.dst);
    *id = r->id;
    return DRX_OK;
}
