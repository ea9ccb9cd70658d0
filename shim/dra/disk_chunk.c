/* A chunk has the shape of the request that the hints describe, and holds about 1 MiB. */
#include <math.h>

#include "disk.h"

enum { CHUNK_BYTES = 1 << 20, ROW_BYTES = 512 };

/* The extent near `hint` that divides the dimension into equal parts, if there is one. */
static int64_t fitted(int64_t dim, int64_t hint)
{
    const int64_t parts = (int64_t)((double)dim / (double)hint + 0.5);

    return hint < dim && parts > 0 && dim % parts == 0 ? dim / parts : shim_smaller(dim, hint);
}

/* Give the axes without a hint what the others leave, the shorter ones first, whole if they fit. */
static void fill(int ndim, const int64_t dims[], bool open[], double items, int64_t chunk[])
{
    for (;;) {
        int least = -1;
        double room;

        for (int j = 0; j < ndim; j++)
            if (open[j] && (least < 0 || dims[j] < dims[least]))
                least = j;
        if (least < 0)
            return;
        room = floor(items / drxgai_bytes(ndim, chunk, 1));
        chunk[least] = room >= (double)dims[least] ? dims[least] : room < 1 ? 1 : (int64_t)room;
        open[least] = false;
    }
}

static void shrink(int ndim, double items, int64_t chunk[])
{
    const double by = pow(items / drxgai_bytes(ndim, chunk, 1), 1.0 / ndim);

    for (int j = 0; j < ndim; j++)
        chunk[j] = (double)chunk[j] * by < 1 ? 1 : (int64_t)((double)chunk[j] * by);
    while (drxgai_bytes(ndim, chunk, 1) > items) { /* still too large: axes with a hint give, too */
        int most = 0;

        for (int j = 1; j < ndim; j++)
            if (chunk[j] > chunk[most])
                most = j;
        chunk[most] = (chunk[most] + 1) / 2;
    }
}

/* Without hints, divide each dimension into a power of two of equal parts. Global arrays tend to be divided so, and
 * their blocks are then whole chunks. A chunk has half of CHUNK_BYTES, because writes go through a buffer of that size
 * and both should stay in a cache. Rows are short: strips across them then take most of each chunk, and strips along
 * them lose nothing. */
static void choose(int ndim, const int64_t dims[], double items, size_t item_bytes, int64_t chunk[])
{
    int64_t parts[DISK_MAX_NDIM];
    const int last = ndim - 1;

    for (int j = 0; j < ndim; j++) {
        parts[j] = 1;
        chunk[j] = dims[j];
    }
    while (drxgai_bytes(ndim, chunk, 1) > items / 2 && chunk[last] > ROW_BYTES / (int64_t)item_bytes) {
        parts[last] *= 2;
        chunk[last] = (dims[last] - 1) / parts[last] + 1;
    }
    drxgai_halve(ndim, dims, 1, items / 2, parts, chunk);
}

void disk_chunk(int ndim, const int64_t dims[], const int64_t hint[], size_t item_bytes, int64_t chunk[])
{
    const double items = (double)CHUNK_BYTES / (double)item_bytes;
    bool open[DISK_MAX_NDIM], any = false;

    for (int j = 0; j < ndim; j++) {
        open[j] = hint[j] < 1;
        any = any || !open[j];
        chunk[j] = open[j] ? 1 : fitted(dims[j], hint[j]);
    }
    if (!any)
        choose(ndim, dims, items, item_bytes, chunk);
    else if (drxgai_bytes(ndim, chunk, 1) > items)
        shrink(ndim, items, chunk);
    else
        fill(ndim, dims, open, items, chunk);
}
