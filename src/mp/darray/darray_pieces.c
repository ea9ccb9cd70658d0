/* Finding what two ranks have in common, run by run, in pieces. The code computes it again for each piece instead of
 * storing it, because a set can have as many runs as indices. */
#include "mp/darray/darray.h"

#include "copy/copy.h"

static const int64_t lowest = -(INT64_C(1) << 62), highest = INT64_C(1) << 62; /* beyond all indices */

static int64_t last_of(const struct drxi_run *run)
{
    return run->index + (run->count - 1) * run->step;
}

/* Find the indices that both runs have; y begins inside x. If any index of y is in x, every `every`-th is. */
static bool meet(const struct drxi_run *x, const struct drxi_run *y, struct drxi_common *c)
{
    const int64_t every = x->step / drxi_gcd(x->step, y->step), end = drxi_min(last_of(x), last_of(y));
    int64_t first = 0;

    while (first < drxi_min(every, y->count) && (y->index + first * y->step - x->index) % x->step != 0)
        first++;
    c->index = y->index + first * y->step;
    if (first == every || first == y->count || c->index > end)
        return false;
    c->step = drxi_mul_saturated(every, y->step);
    c->count = (end - c->index) / c->step + 1;
    c->step = c->count > 1 ? c->step : 1;
    c->a = x->local + (c->index - x->index) / x->step * x->local_step;
    c->a_step = c->count > 1 ? c->step / x->step * x->local_step : 1;
    c->b = y->local + first * y->local_step;
    c->b_step = c->count > 1 ? every * y->local_step : 1;
    return true;
}

static void exchange_sides(struct drxi_common *c)
{
    const struct drxi_common was = *c;

    c->a = was.b;
    c->a_step = was.b_step;
    c->b = was.a;
    c->b_step = was.a_step;
}

bool drxi_common_next(const struct drxi_axis_set *a, const struct drxi_axis_set *b, int64_t from, int64_t to,
                      struct drxi_common *common)
{
    struct drxi_run x, y;

    while (from < to && drxi_axis_next_after(a, from, to, &x, &common->a_place) &&
           drxi_axis_next_after(b, from, to, &y, &common->b_place)) {
        const bool x_first = x.index <= y.index;
        const struct drxi_run *before = x_first ? &x : &y, *behind = x_first ? &y : &x;

        if (behind->index > last_of(before)) {
            from = behind->index;
        } else if (meet(before, behind, common)) {
            if (!x_first)
                exchange_sides(common);
            return true;
        } else {
            from = drxi_min(last_of(&x), last_of(&y)) + 1;
        }
    }
    return false;
}

static int64_t end_of(const struct drxi_common *c)
{
    return c->index + (c->count - 1) * c->step + 1;
}

static int64_t count_common(const struct drxi_axis_set *a, const struct drxi_axis_set *b, int64_t first, int64_t end)
{
    struct drxi_common c = { .a_place = 0 };
    int64_t n = 0;

    for (int64_t at = first; drxi_common_next(a, b, at, end, &c); at = end_of(&c))
        n += c.count;
    return n;
}

/* A piece has the last axes whole, a part of the one before them, and one index of each other axis. */
void drxi_pieces_start(struct drxi_pieces *p, int ndim, const struct drxi_axis_set a[], const struct drxi_axis_set b[],
                       const int64_t lo[], const int64_t hi[], int64_t most)
{
    p->ndim = ndim;
    p->a = a;
    p->b = b;
    p->begun = false;
    for (int j = ndim - 1; j >= 0; j--) {
        p->first[j] = lo ? lo[j] : lowest;
        p->end[j] = hi ? hi[j] : highest;
        p->all[j] = count_common(&a[j], &b[j], p->first[j], p->end[j]);
        p->most[j] = drxi_min(drxi_max(p->all[j], 1), most);
        most = p->most[j] < p->all[j] ? 1 : most / p->most[j];
    }
}

/* Set the piece's part of axis j to the next common indices from `from` on; false when there are none. */
static bool set_window(struct drxi_pieces *p, int j, int64_t from)
{
    struct drxi_common c = { .a_place = 0 };

    p->count[j] = 0;
    while (p->count[j] < p->most[j] && drxi_common_next(&p->a[j], &p->b[j], from, p->end[j], &c)) {
        const int64_t n = drxi_min(c.count, p->most[j] - p->count[j]);

        if (p->count[j] == 0)
            p->lo[j] = c.index;
        p->count[j] += n;
        p->hi[j] = from = c.index + (n - 1) * c.step + 1;
    }
    return p->count[j] > 0;
}

static bool first_piece(struct drxi_pieces *p)
{
    for (int j = 0; j < p->ndim; j++)
        if (p->all[j] == 0)
            return false;
    for (int j = 0; j < p->ndim; j++)
        (void)set_window(p, j, p->first[j]);
    p->begun = true;
    return true;
}

bool drxi_pieces_next(struct drxi_pieces *p)
{
    if (!p->begun)
        return first_piece(p);
    for (int j = p->ndim - 1; j >= 0; j--) {
        if (p->most[j] == p->all[j]) /* each piece has all of this axis */
            continue;
        if (set_window(p, j, p->hi[j]))
            return true;
        (void)set_window(p, j, p->first[j]);
    }
    return false;
}

int64_t drxi_pieces_count(const struct drxi_pieces *p)
{
    int64_t n = 1;

    for (int j = 0; j < p->ndim; j++)
        n *= p->count[j];
    return n;
}

struct product {
    const struct drxi_pieces *p;
    size_t item_bytes;
    int kind_to, kind_from;
    int64_t to[DRX_MAX_NDIM], from[DRX_MAX_NDIM]; /* strides */
    struct drxi_copy_axis *axes;
};

static int64_t place_of(int kind, const struct drxi_common *c, int64_t position)
{
    return kind == DRXI_SIDE_A ? c->a : kind == DRXI_SIDE_B ? c->b : position;
}

static int64_t step_of(int kind, const struct drxi_common *c)
{
    return kind == DRXI_SIDE_A ? c->a_step : kind == DRXI_SIDE_B ? c->b_step : 1;
}

/* Copy the products of each run of axis j with those of the axes after it. */
static void copy_runs(struct product *x, int j, uint8_t *to, const uint8_t *from)
{
    int64_t at = x->p->lo[j], position = 0;
    struct drxi_common c = { .a_place = 0 };

    while (drxi_common_next(&x->p->a[j], &x->p->b[j], at, x->p->hi[j], &c)) {
        uint8_t *const run_to = to + place_of(x->kind_to, &c, position) * x->to[j];
        const uint8_t *const run_from = from + place_of(x->kind_from, &c, position) * x->from[j];

        x->axes[j] = (struct drxi_copy_axis){ c.count, step_of(x->kind_to, &c) * x->to[j],
                                              step_of(x->kind_from, &c) * x->from[j] };
        if (j + 1 < x->p->ndim)
            copy_runs(x, j + 1, run_to, run_from);
        else
            drxi_copy_axes(j + 1, x->axes, x->item_bytes, run_to, run_from, false);
        position += c.count;
        at = end_of(&c);
    }
}

static void set_strides(const struct drxi_pieces *p, size_t item_bytes, const struct drxi_side *side, int64_t stride[])
{
    int64_t bytes = (int64_t)item_bytes;

    for (int j = p->ndim - 1; j >= 0; j--) {
        stride[j] = side->kind == DRXI_SIDE_PACKED ? bytes : side->stride_bytes[j];
        bytes *= p->count[j];
    }
}

void drxi_pieces_copy(const struct drxi_pieces *p, size_t item_bytes, struct drxi_side to, struct drxi_side from)
{
    struct drxi_copy_axis axes[DRX_MAX_NDIM];
    struct product x = { .p = p, .item_bytes = item_bytes, .kind_to = to.kind, .kind_from = from.kind, .axes = axes };

    set_strides(p, item_bytes, &to, x.to);
    set_strides(p, item_bytes, &from, x.from);
    copy_runs(&x, 0, to.base, from.base);
}
