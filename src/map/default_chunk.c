/* The chunk of an array whose maker gave none. */
#include "map/map.h"

enum { DEFAULT_CHUNK_BYTES = 1 << 20, SHORT_EXTENT = 8 };

static int64_t scaled(int64_t extent, double factor)
{
    const double product = (double)extent * factor;

    return product < 1 ? 1 : product < DEFAULT_CHUNK_BYTES ? (int64_t)product : DEFAULT_CHUNK_BYTES;
}

/* Scale the chosen extents by the largest factor that leaves at most `items`
 * elements; none falls below 1. */
static void scale(int ndim, const bool chosen[], double items, int64_t chunk[])
{
    double low = 0;
    double high = items;

    for (int i = 0; i < 200; i++) {
        const double factor = (low + high) / 2;
        double product = 1;

        for (int j = 0; j < ndim; j++)
            product *= (double)(chosen[j] ? scaled(chunk[j], factor) : chunk[j]);
        if (product <= items)
            low = factor;
        else
            high = factor;
    }
    for (int j = 0; j < ndim; j++)
        if (chosen[j])
            chunk[j] = scaled(chunk[j], low);
}

static double elements(int ndim, const int64_t extent[])
{
    double n = 1;

    for (int j = 0; j < ndim; j++)
        n *= (double)extent[j];
    return n;
}

/* Bounds of more than a chunk shrink alike, short ones only when that is not enough,
 * and then to 1, first the first: parts of them would leave chunks half empty. Where they are less, the axes of
 * extent 0 or 1 are taken to be those that will grow, or else all of them. */
void drxi_choose_chunk(int ndim, const int64_t shape[], size_t item_bytes, int64_t chunk[])
{
    const double items = (double)DEFAULT_CHUNK_BYTES / (double)item_bytes;
    bool chosen[DRX_MAX_NDIM];
    bool thin = false;
    double all;

    for (int j = 0; j < ndim; j++) {
        chunk[j] = drxi_max(1, shape[j]);
        thin = thin || shape[j] <= 1;
    }
    all = elements(ndim, chunk);
    for (int j = 0; j < ndim; j++)
        chosen[j] = all >= items ? shape[j] > SHORT_EXTENT : !thin || shape[j] <= 1;
    scale(ndim, chosen, items, chunk);
    for (int j = 0; j < ndim && elements(ndim, chunk) > items; j++)
        if (!chosen[j])
            chunk[j] = 1;
    for (int j = 0; j < ndim; j++) /* as many chunks, but none nearly empty at the end */
        if (shape[j] > chunk[j])
            chunk[j] = drxi_ceil_div(shape[j], drxi_ceil_div(shape[j], chunk[j]));
    for (int j = ndim - 1; j >= 0; j--) { /* room that rounding has left */
        const int64_t whole = all >= items ? shape[j] : 2 * chunk[j];

        if (chosen[j] && whole > chunk[j] && elements(ndim, chunk) / (double)chunk[j] * (double)whole <= items)
            chunk[j] = whole;
    }
}
