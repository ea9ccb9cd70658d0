/* The chunk of an array whose maker gave none.
 *
 * Rules, which tests/unit/test_default_chunk.c checks
 *   1. An array of more than 64 KiB fills its chunks: they take at most a tenth more than its elements.
 *   2. Its chunk has 64 KiB to 1 MiB, and about as many elements along each axis. One that begins at other indices than
 *      0 may get less: chunks begin at multiples of their extents.
 *   3. A smaller array is one chunk, of its own shape, or larger where it has room to grow: up to 4 KiB, the block of a
 *      file system; 64 KiB along axes that will grow; 1 MiB if it has no elements, and so no size. */
#include "map/map.h"

enum { MOST_BYTES = 1 << 20, SMALL_BYTES = 1 << 16, BLOCK_BYTES = 1 << 12 };
enum { LEAST_SOURCE_BYTES = 1 << 14, MOST_SOURCE_BYTES = 1 << 23 };

static const double most_padding = 1.1;

/* Stored elements over elements, along an axis of n indices from `lower` on. */
static double padding(int64_t n, int64_t lower, int64_t chunk)
{
    const int64_t before = drxi_floor_mod(lower, chunk);
    const int64_t chunks = n / chunk + (before + n % chunk + chunk - 1) / chunk;

    return (double)chunks * (double)chunk / (double)n;
}

/* The least extent that cuts the axis into as many chunks. */
static int64_t evened(int64_t n, int64_t lower, int64_t chunk)
{
    return lower == 0 ? drxi_ceil_div(n, drxi_ceil_div(n, chunk)) : chunk;
}

/* The next extent, of a chunk shorter than the axis. */
static int64_t larger(int64_t n, int64_t lower, int64_t chunk)
{
    return lower == 0 ? drxi_ceil_div(n, drxi_ceil_div(n, chunk) - 1) : chunk + 1;
}

struct cut {
    int ndim;
    int64_t shape[DRX_MAX_NDIM], lower[DRX_MAX_NDIM]; /* extents from 1 up */
    double items;                                     /* at most, in a chunk */
    int64_t *chunk;
};

static double elements(int ndim, const int64_t extent[], int but)
{
    double n = 1;

    for (int j = 0; j < ndim; j++)
        n *= j == but ? 1 : (double)extent[j];
    return n;
}

static double padding_of(const struct cut *c, int but)
{
    double all = 1;

    for (int j = 0; j < c->ndim; j++)
        all *= j == but ? 1 : padding(c->shape[j], c->lower[j], c->chunk[j]);
    return all;
}

/* The largest power of two such that a cube of that edge, inside the bounds, is no larger than a chunk. */
static int64_t edge_of(const struct cut *c)
{
    int64_t edge = 1;

    for (; 2 * edge <= MOST_BYTES; edge *= 2) {
        double n = 1;

        for (int j = 0; j < c->ndim; j++)
            n *= (double)drxi_min(c->shape[j], 2 * edge);
        if (n > c->items)
            break;
    }
    return edge;
}

/* Lengthen the chunk along an axis by the least that both limits allow. False: they allow none. */
static bool lengthen(const struct cut *c, int j)
{
    const double most = c->items / elements(c->ndim, c->chunk, j), others = padding_of(c, j);
    int64_t extent = c->chunk[j];

    while (extent < c->shape[j]) {
        extent = larger(c->shape[j], c->lower[j], extent);
        if ((double)extent > most)
            return false;
        if (others * padding(c->shape[j], c->lower[j], extent) <= most_padding) {
            c->chunk[j] = extent;
            return true;
        }
    }
    return false;
}

/* Begin with a cube, whose axes share the padding alike; then lengthen what is shortest until nothing can be. */
static void cut_chunk(const struct cut *c)
{
    const int64_t edge = edge_of(c);
    bool done[DRX_MAX_NDIM] = { false };

    for (int j = 0; j < c->ndim; j++) {
        int64_t extent = drxi_min(c->shape[j], edge);

        for (;; extent /= 2) {
            c->chunk[j] = evened(c->shape[j], c->lower[j], extent);
            if (padding(c->shape[j], c->lower[j], c->chunk[j]) <= 1 + 0.09 / c->ndim)
                break;
        }
    }
    for (;;) {
        int shortest = -1;

        for (int j = c->ndim - 1; j >= 0; j--)
            if (!done[j] && c->chunk[j] < c->shape[j] && (shortest < 0 || c->chunk[j] < c->chunk[shortest]))
                shortest = j;
        if (shortest < 0)
            return;
        done[shortest] = !lengthen(c, shortest);
    }
}

static double power(double base, int exponent)
{
    double product = 1;

    for (int k = 0; k < exponent; k++)
        product *= base;
    return product;
}

/* Multiply the extents of the growing axes alike, as far as `items` allows; a single one takes all the room. */
static void reduce_chunk(int ndim, uint32_t grows, double items, int64_t chunk[])
{
    const double room = items / elements(ndim, chunk, -1);
    int64_t times = 1;
    int n = 0;

    for (int j = 0; j < ndim; j++)
        n += (int)(grows >> j & 1);
    while (n > 1 && power((double)times + 1, n) <= room)
        times++;
    for (int j = 0; j < ndim; j++)
        if (grows >> j & 1)
            chunk[j] = n > 1 ? chunk[j] * times : drxi_max(chunk[j], (int64_t)(items / elements(ndim, chunk, j)));
}

static uint32_t axes_up_to(const struct drxi_bounds *b, int64_t extent)
{
    uint32_t axes = 0;

    for (int j = 0; j < b->ndim; j++)
        axes |= (uint32_t)(b->shape[j] <= extent) << j;
    return axes;
}

/* An axis of one index is the likeliest to grow; without one, all are alike. */
static void choose_small(const struct drxi_bounds *b, int64_t chunk[])
{
    const uint32_t empty = axes_up_to(b, 0), single = axes_up_to(b, 1);
    const uint32_t grows = empty | b->grows;
    const double item = (double)b->item_bytes;

    if (empty)
        reduce_chunk(b->ndim, grows, MOST_BYTES / item, chunk);
    else if (grows)
        reduce_chunk(b->ndim, grows, SMALL_BYTES / item, chunk);
    else
        reduce_chunk(b->ndim, single ? single : UINT32_MAX, BLOCK_BYTES / item, chunk);
}

void drxi_choose_chunk(const struct drxi_bounds *b, int64_t chunk[])
{
    const double items = (double)MOST_BYTES / (double)b->item_bytes;
    struct cut c = { .ndim = b->ndim, .items = items, .chunk = chunk };
    double bytes;

    for (int j = 0; j < b->ndim; j++) {
        c.shape[j] = chunk[j] = drxi_max(1, b->shape[j]);
        c.lower[j] = b->lower ? b->lower[j] : 0;
    }
    bytes = elements(b->ndim, chunk, -1) * (double)b->item_bytes;
    if (bytes > (axes_up_to(b, 0) ? MOST_BYTES : SMALL_BYTES))
        cut_chunk(&c);
    else
        choose_small(b, chunk);
}

bool drxi_is_sensible_chunk(const struct drxi_bounds *b, const int64_t chunk[])
{
    const double bytes = elements(b->ndim, chunk, -1) * (double)b->item_bytes;
    const double all = elements(b->ndim, b->shape, -1) * (double)b->item_bytes;
    double stored = all;

    for (int j = 0; j < b->ndim; j++)
        if (chunk[j] < 1)
            return false;
    if (bytes < LEAST_SOURCE_BYTES || bytes > MOST_SOURCE_BYTES)
        return false;
    for (int j = 0; all > 0 && j < b->ndim; j++)
        stored *= padding(b->shape[j], b->lower ? b->lower[j] : 0, chunk[j]);
    return stored <= SMALL_BYTES || stored <= most_padding * all;
}
