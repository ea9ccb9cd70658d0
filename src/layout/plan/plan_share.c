/* How ranks share a copy: a grid with one box of the target for each rank, over all factorisations of their number.
 * Krishnamoorthy et al. (2006, Fig. 6) use those where the chunks at the origin lie on the disks of different ranks.
 * Here all chunks lie in one file, which every rank reads and writes, so any grid works that leaves no rank without a
 * box.
 *
 * On an axis, boxes end at the least common multiple of chunks of both sides, where one rank alone reads each source
 * chunk; or at any target chunk; or, where one chunk is too long for that, inside it. In the last case they consist of
 * parts that are contiguous in the file. */
#include "layout/plan/plan_internal.h"

enum { VISITS = 1 << 16 }; /* for a grid of many ranks over many axes */

struct sharing {
    const struct drxi_relayout_request *all;
    struct drxi_relayout_side source, target;
    int64_t least[DRX_MAX_NDIM]; /* the least part of the source that moves alone */
    struct drxi_share share;     /* with the axes chosen so far */
    struct drxi_share *best;
    int count, visits;
};

/* An array without elements also has a box. */
static int64_t length_of(const struct sharing *s, int j)
{
    return drxi_max(1, s->all->shape[s->all->permute ? s->all->permute[j] : j]);
}

/* Where box i begins. When the grains do not divide evenly, the first boxes have one more. */
static int64_t border(int64_t n, int64_t grain, int64_t boxes, int64_t i)
{
    const int64_t grains = drxi_ceil_div(n, grain);

    return drxi_min(n, drxi_mul_saturated(grains / boxes * i + drxi_min(i, grains % boxes), grain));
}

/* The most that a box has along an axis, in whole units. */
static int64_t longest(int64_t n, int64_t grain, int64_t boxes, int64_t unit)
{
    int64_t most = 0;

    for (int64_t i = 0; i < boxes; i++) {
        const int64_t lo = border(n, grain, boxes, i), hi = border(n, grain, boxes, i + 1);

        most = drxi_max(most, drxi_ceil_div(hi, unit) - lo / unit);
    }
    return most * unit;
}

static double rank_bytes(const struct sharing *s)
{
    double read = (double)s->all->item_bytes, written = read;

    for (int j = 0; j < s->all->ndim; j++) {
        const int64_t n = length_of(s, j), grain = s->share.grain[j], boxes = s->share.boxes[j];

        read *= (double)longest(n, grain, boxes, s->least[j]);
        written *= (double)longest(n, grain, boxes, s->share.chunk[j]);
    }
    return read + written;
}

/* Parts of chunks help only when ranks share a chunk. */
static bool is_needless(const struct sharing *s)
{
    bool parts = false;

    for (int j = 0; j < s->all->ndim; j++) {
        const bool part = s->share.chunk[j] < s->target.chunk[j];

        if (part && s->share.boxes[j] > 1)
            return false;
        parts = parts || part;
    }
    return parts;
}

static void add_share(struct sharing *s)
{
    int i;

    if (is_needless(s))
        return;
    s->share.bytes = rank_bytes(s);
    if (s->count < DRXI_SHARES)
        s->count++;
    else if (s->share.bytes >= s->best[DRXI_SHARES - 1].bytes)
        return;
    for (i = s->count - 1; i > 0 && s->share.bytes < s->best[i - 1].bytes; i--)
        s->best[i] = s->best[i - 1];
    s->best[i] = s->share;
}

static void choose_axis_share(struct sharing *s, int j, int ranks);

/* Cut axis j into this number of boxes, if there are enough grains. */
static void choose_grain(struct sharing *s, int j, int boxes, int64_t grain, int ranks)
{
    if (drxi_ceil_div(length_of(s, j), grain) < boxes)
        return;
    s->share.boxes[j] = boxes;
    s->share.grain[j] = grain;
    choose_axis_share(s, j + 1, ranks / boxes);
}

/* Cut axes from j on among this number of ranks. */
static void choose_axis_share(struct sharing *s, int j, int ranks)
{
    if (s->visits++ == VISITS || (j == s->all->ndim && ranks > 1))
        return;
    if (j == s->all->ndim) {
        add_share(s);
        return;
    }
    const int64_t length = length_of(s, j), chunk = s->share.chunk[j], lcm = drxi_lcm(s->source.chunk[j], chunk);

    for (int n = 1; n <= ranks; n++)
        if (ranks % n == 0 && drxi_ceil_div(length, chunk) >= n) {
            choose_grain(s, j, n, lcm, ranks);
            if (drxi_ceil_div(length, lcm) < n || longest(length, chunk, n, 1) < longest(length, lcm, n, 1))
                choose_grain(s, j, n, chunk, ranks);
        }
}

drx_status drxi_shares(const struct drxi_relayout_request *all, int ranks, struct drxi_share shares[DRXI_SHARES],
                       int *count)
{
    struct sharing s = { .all = all, .share = { .ranks = ranks }, .best = shares };
    const int64_t part = all->cost ? all->cost->part_bytes : drxi_relayout_cost.part_bytes;
    int64_t units[DRXI_UNITS][DRX_MAX_NDIM];
    drx_status st = drxi_relayout_check(all);
    int n;

    *count = 0;
    if (st)
        return st;
    drxi_relayout_sides(all, &s.source, &s.target);
    n = drxi_units(all->ndim, &s.source, all->item_bytes, part, units);
    memcpy(s.least, units[n - 1], sizeof s.least);
    n = drxi_units(all->ndim, &s.target, all->item_bytes, part, units);
    for (int i = 0; i < n; i++) {
        memcpy(s.share.chunk, units[i], sizeof units[i]);
        s.visits = 0;
        choose_axis_share(&s, 0, ranks);
    }
    *count = s.count;
    return DRX_OK;
}

void drxi_share_request(const struct drxi_relayout_request *all, const struct drxi_share *share, int rank, int64_t lo[],
                        int64_t hi[], struct drxi_relayout_request *one)
{
    int64_t at = rank;

    *one = *all;
    one->lo = lo;
    one->hi = hi;
    one->target.chunk = share->chunk;
    one->memory_bytes = all->memory_bytes / share->ranks;
    for (int j = all->ndim - 1; j >= 0; j--, at /= share->boxes[j + 1]) {
        const int64_t n = all->shape[all->permute ? all->permute[j] : j], i = at % share->boxes[j];

        lo[j] = rank < share->ranks ? border(n, share->grain[j], share->boxes[j], i) : 0;
        hi[j] = rank < share->ranks ? border(n, share->grain[j], share->boxes[j], i + 1) : 0;
        one->target.scattered = one->target.scattered || share->chunk[j] < all->target.chunk[j];
    }
}
