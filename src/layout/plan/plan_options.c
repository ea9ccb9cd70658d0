/* The ways to go along an axis that a search considers. They do not depend on the memory limit, so more memory never
 * hides a plan. */
#include "layout/plan/plan_internal.h"

enum { LONG_WORK = 1 << 16 };

struct listing {
    const struct drxi_axis *axis;
    double ratio;
    struct drxi_options *options;
};

/* Skip what does not repeat soon enough, unless whole chunks have nothing smaller. */
static bool add_option(const struct listing *l, int64_t stride, int64_t region, bool first)
{
    const struct drxi_axis_option option = { .stride = stride, .region = region };
    const struct drxi_axis *axis = l->axis;
    const bool whole = axis->source.unit == axis->source.chunk && axis->target.unit == axis->target.chunk;

    if (drxi_axis_work(axis, &option) > LONG_WORK && !(first && whole))
        return true;
    if (l->options->count == DRXI_AXIS_OPTIONS)
        return false;
    l->options->option[l->options->count++] = option;
    return true;
}

/* n * ratio, at least n + 1, at most `most`. */
static int64_t grown(int64_t n, double ratio, int64_t most)
{
    const double more = (double)n * ratio;

    return more >= (double)most ? most : drxi_min(most, drxi_max(n + 1, (int64_t)more));
}

/* Templates of `least` to `most` target units, each at least `ratio` times the one before. */
static bool add_templates(const struct listing *l, int64_t stride, int64_t least, int64_t most)
{
    int visited = 0;

    for (int64_t n = least; n <= most; n = grown(n, l->ratio, most)) {
        if (visited++ == DRXI_AXIS_OPTIONS || !add_option(l, stride, n * l->axis->target.unit, false))
            return false;
        if (n == most)
            break;
    }
    return true;
}

bool drxi_axis_options(const struct drxi_axis *axis, double ratio, struct drxi_options *options)
{
    const struct listing l = { .axis = axis, .ratio = ratio, .options = options };
    const int64_t s = axis->source.unit, t = axis->target.unit, group = axis->group;
    const int64_t lcm = drxi_lcm(s, t), unit = drxi_max(s, t);
    const int64_t most = drxi_ceil_div(axis->start % unit + group, unit); /* all in a step */
    int visited = 0;

    options->count = 0;
    for (int64_t n = 1; n <= most; n = grown(n, ratio, most)) {
        const int64_t stride = n * unit, whole = drxi_min(group, drxi_round_up(stride, lcm));
        const int64_t least = n == 1 ? 1 : drxi_ceil_div(stride, t);

        if (visited++ == DRXI_AXIS_OPTIONS || !add_option(&l, stride, whole, n == 1) ||
            (stride <= lcm && !add_templates(&l, stride, least, (whole - 1) / t)))
            return false;
        if (n == most)
            break;
    }
    return true;
}
