/* Copying between two layouts of units in memory. Along an axis, the borders of units on either side cut a box into
 * intervals. Consecutive intervals of equal length and even spacing on both sides are copied together, so a box takes a
 * few strided copies. */
#include "layout/run/run.h"

struct copying {
    int ndim;
    const struct drxi_grid *to, *from;
    const int64_t *lo, *hi;
    size_t item_bytes;
    bool large;
    int n; /* copy axes for the array's axes so far */
    struct drxi_copy_axis axes[DRXI_COPY_AXES];
};

static int64_t place_on_grid(const struct drxi_grid *g, int j, int64_t i)
{
    const int64_t k = i - g->lo[j];

    return k / g->unit[j] * g->unit_bytes[j] + k % g->unit[j] * g->item_bytes[j];
}

/* The number of indices up to the next border of a unit. */
static int64_t to_border(const struct drxi_grid *g, int j, int64_t i)
{
    return g->unit[j] - (i - g->lo[j]) % g->unit[j];
}

/* `count` intervals of `length` indices, evenly spaced on both sides. */
struct stretch {
    int64_t length, count, to_step, from_step;
};

static struct stretch find_stretch(const struct copying *c, int j, int64_t at)
{
    const int64_t to = to_border(c->to, j, at), from = to_border(c->from, j, at), rest = c->hi[j] - at;
    struct stretch s = { .length = drxi_min(drxi_min(to, from), rest), .count = 1 };
    const bool whole_to = s.length == c->to->unit[j], whole_from = s.length == c->from->unit[j];

    if (whole_to && whole_from)
        s.count = rest / s.length;
    else if (whole_to)
        s.count = drxi_min(from, rest) / s.length;
    else if (whole_from)
        s.count = drxi_min(to, rest) / s.length;
    s.to_step = whole_to ? c->to->unit_bytes[j] : s.length * c->to->item_bytes[j];
    s.from_step = whole_from ? c->from->unit_bytes[j] : s.length * c->from->item_bytes[j];
    return s;
}

/* Copy the products of each stretch of axis j with those of the axes after it. */
static void copy_from(struct copying *c, int j, uint8_t *to, const uint8_t *from)
{
    const int n = c->n;
    struct stretch s;

    if (j == c->ndim) {
        drxi_copy_axes(n, c->axes, c->item_bytes, to, from, c->large);
        return;
    }
    for (int64_t at = c->lo[j]; at < c->hi[j]; at += s.length * s.count) {
        s = find_stretch(c, j, at);
        c->n = n;
        if (s.count > 1)
            c->axes[c->n++] = (struct drxi_copy_axis){ s.count, s.to_step, s.from_step };
        if (s.length > 1)
            c->axes[c->n++] = (struct drxi_copy_axis){ s.length, c->to->item_bytes[j], c->from->item_bytes[j] };
        copy_from(c, j + 1, to + place_on_grid(c->to, j, at), from + place_on_grid(c->from, j, at));
    }
    c->n = n;
}

void drxi_grid_copy(int ndim, const struct drxi_grid *to, const struct drxi_grid *from, const int64_t lo[],
                    const int64_t hi[], size_t item_bytes, bool large)
{
    struct copying c = {
        .ndim = ndim, .to = to, .from = from, .lo = lo, .hi = hi, .item_bytes = item_bytes, .large = large
    };

    for (int j = 0; j < ndim; j++)
        if (lo[j] >= hi[j])
            return;
    copy_from(&c, 0, to->base, from->base);
}
