/* Strided copy: reduce the box to as few axes as it has, then copy rows where
 * both sides are contiguous, and tiles where they run along different axes. */
#include "copy/copy.h"

enum { TILE = 16 }; /* elements; a tile of both sides stays in the L1 cache */

struct axis {
    int64_t count, dst, src;
};

void drxi_strides(int ndim, const int64_t extent[], size_t item_bytes, drx_order order, int64_t stride[])
{
    int64_t bytes = (int64_t)item_bytes;

    for (int i = 0; i < ndim; i++) {
        const int j = order == DRX_ROW_MAJOR ? ndim - 1 - i : i;

        stride[j] = bytes;
        bytes *= extent[j];
    }
}

static int64_t magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* The axes longer than 1, in decreasing order of their stride in dst, those
 * merged that follow on from each other on both sides. */
static int reduce(int ndim, const int64_t count[], const int64_t dst_stride[], const int64_t src_stride[],
                  struct axis axes[])
{
    int n = 0;
    int kept = 0;

    for (int j = 0; j < ndim; j++) {
        const struct axis axis = {count[j], dst_stride[j], src_stride[j]};
        int at = n;

        if (count[j] == 1)
            continue;
        while (at > 0 && magnitude(axes[at - 1].dst) < magnitude(axis.dst)) {
            axes[at] = axes[at - 1];
            at--;
        }
        axes[at] = axis;
        n++;
    }
    for (int j = 1; j < n; j++) {
        struct axis *outer = &axes[kept];

        if (outer->dst == axes[j].count * axes[j].dst && outer->src == axes[j].count * axes[j].src) {
            outer->count *= axes[j].count;
            outer->dst = axes[j].dst;
            outer->src = axes[j].src;
        } else {
            axes[++kept] = axes[j];
        }
    }
    return n ? kept + 1 : 0;
}

/* One tile, `item` a constant after inlining. */
static inline __attribute__((always_inline)) void copy_tile(size_t item, uint8_t *dst, const uint8_t *src,
                                                            struct axis outer, struct axis inner)
{
    for (int64_t i = 0; i < outer.count; i++) {
        uint8_t *d = dst + i * outer.dst;
        const uint8_t *s = src + i * outer.src;

        for (int64_t j = 0; j < inner.count; j++, d += inner.dst, s += inner.src)
            memcpy(d, s, item);
    }
}

static inline __attribute__((always_inline)) void copy_tiles(size_t item, uint8_t *dst, const uint8_t *src,
                                                             struct axis outer, struct axis inner)
{
    for (int64_t i = 0; i < outer.count; i += TILE)
        for (int64_t j = 0; j < inner.count; j += TILE) {
            const struct axis o = {drxi_min(TILE, outer.count - i), outer.dst, outer.src};
            const struct axis n = {drxi_min(TILE, inner.count - j), inner.dst, inner.src};

            copy_tile(item, dst + i * o.dst + j * n.dst, src + i * o.src + j * n.src, o, n);
        }
}

static void copy_plane(size_t item, uint8_t *dst, const uint8_t *src, struct axis outer, struct axis inner)
{
    if (inner.dst == (int64_t)item && inner.src == (int64_t)item) {
        for (int64_t i = 0; i < outer.count; i++)
            memcpy(dst + i * outer.dst, src + i * outer.src, (size_t)inner.count * item);
        return;
    }
    switch (item) {
    case 1:
        copy_tiles(1, dst, src, outer, inner);
        break;
    case 2:
        copy_tiles(2, dst, src, outer, inner);
        break;
    case 4:
        copy_tiles(4, dst, src, outer, inner);
        break;
    case 8:
        copy_tiles(8, dst, src, outer, inner);
        break;
    default:
        copy_tiles(16, dst, src, outer, inner);
        break;
    }
}

/* All planes of the last two axes. */
static void copy_planes(const struct axis *axes, int n, size_t item, uint8_t *dst, const uint8_t *src)
{
    if (n == 2) {
        copy_plane(item, dst, src, axes[0], axes[1]);
        return;
    }
    for (int64_t i = 0; i < axes[0].count; i++)
        copy_planes(axes + 1, n - 1, item, dst + i * axes[0].dst, src + i * axes[0].src);
}

/* Bring the axis that is fastest in src beside the one that is fastest in dst,
 * so that tiles span both. */
static void pair_fastest(struct axis axes[], int n)
{
    int fastest = n - 2;

    for (int j = 0; j < n - 1; j++)
        if (magnitude(axes[j].src) < magnitude(axes[fastest].src))
            fastest = j;
    if (magnitude(axes[fastest].src) < magnitude(axes[n - 1].src)) {
        const struct axis kept = axes[fastest];

        memmove(axes + fastest, axes + fastest + 1, (size_t)(n - 2 - fastest) * sizeof *axes);
        axes[n - 2] = kept;
    }
}

void drxi_copy(int ndim, const int64_t count[], size_t item_bytes, void *dst, const int64_t dst_stride[],
               const void *src, const int64_t src_stride[])
{
    struct axis axes[DRX_MAX_NDIM + 2] = {{0, 0, 0}};
    struct axis *first = axes + 2; /* room for axes of extent 1 in front */
    int n;

    for (int j = 0; j < ndim; j++)
        if (count[j] == 0)
            return;
    n = reduce(ndim, count, dst_stride, src_stride, first);
    if (n > 2)
        pair_fastest(first, n);
    for (; n < 2; n++)
        *--first = (struct axis){1, 0, 0};
    if (first[1].count == 1) /* a single element */
        first[1] = (struct axis){1, (int64_t)item_bytes, (int64_t)item_bytes};
    copy_planes(first, n, item_bytes, dst, src);
}
