/* Two axes of any strides, in tiles that fit in the L1 cache on both sides. */
#include "copy/plan.h"

enum { TILE = 16 };

/* Copy one tile; `item` is a constant after inlining. */
static inline __attribute__((always_inline)) void copy_tile(size_t item, uint8_t *dst, const uint8_t *src,
                                                            struct drxi_copy_axis outer, struct drxi_copy_axis inner)
{
    for (int64_t i = 0; i < outer.count; i++) {
        uint8_t *d = dst + i * outer.dst;
        const uint8_t *s = src + i * outer.src;

        for (int64_t j = 0; j < inner.count; j++, d += inner.dst, s += inner.src)
            memcpy(d, s, item);
    }
}

static inline __attribute__((always_inline)) void copy_tiles(size_t item, uint8_t *dst, const uint8_t *src,
                                                             struct drxi_copy_axis outer, struct drxi_copy_axis inner)
{
    struct drxi_copy_axis o = outer, n = inner;

    for (int64_t i = 0; i < outer.count; i += TILE)
        for (int64_t j = 0; j < inner.count; j += TILE) {
            o.count = drxi_min(TILE, outer.count - i);
            n.count = drxi_min(TILE, inner.count - j);
            copy_tile(item, dst + i * o.dst + j * n.dst, src + i * o.src + j * n.src, o, n);
        }
}

void drxi_copy_tiles(const struct drxi_plan *p, uint8_t *dst, const uint8_t *src)
{
    switch (p->item) {
    case 1:
        copy_tiles(1, dst, src, p->column, p->inner);
        break;
    case 2:
        copy_tiles(2, dst, src, p->column, p->inner);
        break;
    case 4:
        copy_tiles(4, dst, src, p->column, p->inner);
        break;
    case 8:
        copy_tiles(8, dst, src, p->column, p->inner);
        break;
    default:
        copy_tiles(16, dst, src, p->column, p->inner);
        break;
    }
}
