/* Parts of chunks that are contiguous in the file. */
#include "layout/plan/plan_internal.h"

enum { LARGEST_SPLIT = 1 << 16 };

/* Chunks cut along axis `split`: a part has one index on slower axes, and all on faster ones. */
static void cut_unit(int ndim, const struct drxi_relayout_side *side, int k, int64_t extent, int64_t unit[])
{
    for (int i = 0; i < ndim; i++) {
        const int axis = side->within[i];

        unit[axis] = i < k ? 1 : i == k ? extent : side->chunk[axis];
    }
}

int drxi_units(int ndim, const struct drxi_relayout_side *side, int64_t item_bytes, int64_t part_bytes,
               int64_t units[DRXI_UNITS][DRX_MAX_NDIM])
{
    int64_t rest, last;
    int n = 1;

    memcpy(units[0], side->chunk, sizeof units[0]);
    if (side->temporary) /* its chunks are already what the pass needs */
        return n;
    last = rest = drxi_times(item_bytes, ndim, side->chunk);
    for (int k = 0; k < ndim; k++) {
        const int64_t extent = side->chunk[side->within[k]];

        rest /= extent; /* bytes of one index on this axis */
        for (int64_t parts = 2; parts <= drxi_min(extent, LARGEST_SPLIT); parts++) {
            const int64_t bytes = rest * (extent / parts);

            if (bytes < part_bytes)
                return n;
            if (extent % parts != 0 || bytes > last / 2)
                continue;
            cut_unit(ndim, side, k, extent / parts, units[n == DRXI_UNITS ? n - 1 : n++]); /* the least one stays */
            last = bytes;
        }
    }
    return n;
}
