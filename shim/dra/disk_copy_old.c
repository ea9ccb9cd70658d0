/* Copies from arrays that Global Arrays' own library has stored, tile by tile. A tile is a group of whole chunks of the
 * target; as far as memory allows it also covers whole chunks of the source. Each process copies a run of tiles, and
 * reads the next one while it writes one. */
#include <stdlib.h>

#include "disk.h"

struct copying {
    struct disk_array *src, *dst;
    const int *axis;             /* of src, for each of dst */
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

/* The axis on which a tile covers the smallest part of a chunk of the source and can still grow; -1: none. */
static int narrowest(const struct copying *c, double memory_bytes)
{
    const int64_t *chunk = c->src->chunk;
    double least = 1;
    int axis = -1;

    for (int j = 0; j < c->dst->ndim; j++) {
        const double part = (double)c->tile[j] / (double)chunk[c->axis[j]];

        if (part < least && c->tile[j] < c->dst->dims[j] &&
            2 * drxgai_bytes(c->dst->ndim, c->tile, c->item_bytes) <= memory_bytes) {
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
    while (drxgai_bytes(c->dst->ndim, c->tile, c->item_bytes) >
           memory_bytes) { /* a whole chunk does not fit: take parts of one */
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

drx_status disk_copy_old(struct disk_array *src, struct disk_array *dst, const int axis[])
{
    struct copying c = { .src = src, .dst = dst, .axis = axis, .item_bytes = drx_type_size(dst->type) };
    int rank, ranks;
    int64_t n;
    double bytes;
    drx_status st;

    (void)MPI_Comm_rank(dst->comm, &rank);
    (void)MPI_Comm_size(dst->comm, &ranks);
    choose_tile(&c, (double)disk_settings.buffer_bytes / 2);
    n = count_tiles(&c);
    bytes = drxgai_bytes(dst->ndim, c.tile, c.item_bytes);
    for (int slot = 0; slot < 2; slot++)
        c.buffer[slot] = malloc((size_t)bytes);
    if (c.buffer[0] && c.buffer[1])
        st = copy_tiles(&c, n / ranks * rank, rank + 1 == ranks ? n : n / ranks * (rank + 1));
    else
        st = shim_fail(DRX_ENOMEM, "no memory for two buffers of %.0f bytes", bytes);
    free(c.buffer[0]);
    free(c.buffer[1]);
    return st;
}
