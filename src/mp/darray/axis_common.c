/* Finding what two sets of indices have in common, run by run. */
#include "mp/darray/darray.h"

static int64_t last_of(const struct drxi_run *run)
{
    return run->index + (run->count - 1) * run->step;
}

/* Find the indices that both runs have; y begins inside x. If any index of y is in x, every `every`-th is. */
static bool runs_meet(const struct drxi_run *x, const struct drxi_run *y, struct drxi_common *c)
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
        } else if (runs_meet(before, behind, common)) {
            if (!x_first)
                exchange_sides(common);
            return true;
        } else {
            from = drxi_min(last_of(&x), last_of(&y)) + 1;
        }
    }
    return false;
}
