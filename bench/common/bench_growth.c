#include "bench.h"

struct growth growth_by(const struct layout *now, int axis, int64_t by)
{
    struct growth growth = { .layout = *now, .axis = axis, .by = by };

    growth.layout.extent[axis] += by;
    for (int j = 0; j < now->ndim; j++) {
        growth.lo[j] = j == axis ? now->extent[j] : 0;
        growth.count[j] = j == axis ? by : now->extent[j];
    }
    return growth;
}
