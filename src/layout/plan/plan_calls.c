/* How many calls move a set of boxes of units: the number of units less those that follow another unit of their box in
 * the file. From one unit to the next in the file, the index counts up like a number with two digits for each axis, the
 * place in the chunk and the chunk: one digit increases, and the faster ones go from their ends to 0. For a given
 * digit, the pairs of neighbours in a box are a product over the axes, and the sum over a grid of boxes is the product
 * of the sums. */
#include "layout/plan/plan_internal.h"

void drxi_count_runs(int64_t lo, int64_t hi, const struct drxi_axis_side *side, int64_t length,
                     int64_t counts[DRXI_RUNS])
{
    const int64_t parts = side->chunk / side->unit;

    if (lo >= hi)
        return;
    const int64_t borders = (hi - 1) / parts - lo / parts;

    counts[DRXI_SAME] += hi - lo;
    counts[DRXI_INNER] += hi - lo - 1 - borders;
    counts[DRXI_NEXT] += borders;
    counts[DRXI_WHOLE] += drxi_max(0, hi / parts - drxi_ceil_div(lo, parts));
    counts[DRXI_ALL] += lo == 0 && hi == drxi_ceil_div(length, side->chunk) * parts;
}

/* The product of counts[j] when digit `k` of `order` (slowest first) increases. `faster`: the axes faster than it. */
static bool pairs(int ndim, const int order[], int k, const enum drxi_run run[3], const int64_t *const counts[],
                  int64_t *out)
{
    *out = 1;
    for (int i = 0; i < ndim; i++)
        if (!drxi_mul(*out, counts[order[i]][run[i < k ? 0 : i == k ? 1 : 2]], out))
            return false;
    return true;
}

int64_t drxi_count_calls(int ndim, const struct drxi_relayout_side *side, const int64_t *const counts[])
{
    static const enum drxi_run within[3] = { DRXI_SAME, DRXI_INNER, DRXI_WHOLE };
    static const enum drxi_run across[3] = { DRXI_WHOLE, DRXI_NEXT, DRXI_ALL };
    int64_t calls = 1, less;

    for (int j = 0; j < ndim; j++)
        if (!drxi_mul(calls, counts[j][DRXI_SAME], &calls))
            return 0;
    for (int k = 0; k < ndim; k++) { /* no product is larger than the number of units */
        if (!pairs(ndim, side->within, k, within, counts, &less))
            return 0;
        calls -= less;
        if (!side->scattered && !pairs(ndim, side->across, k, across, counts, &less))
            return 0;
        calls -= side->scattered ? 0 : less;
    }
    return calls;
}
