/* Where the cells of an axis lie. A position is 0 at the first coordinate and 1 at the last one. */
#include <math.h>

#include "view.h"

static const double margin = 0.015; /* shows points at the ends whole */

static bool is_by_value(const struct axis *x)
{
    return x->spacing == ORDERED;
}

static double position_of_value(const struct axis *x, double value)
{
    const double *c = x->coordinate;

    return (value - c[0]) / (c[x->n - 1] - c[0]);
}

static double value_at(const struct axis *x, double position)
{
    const double *c = x->coordinate;

    return c[0] + position * (c[x->n - 1] - c[0]);
}

/* Between coordinates and beyond them on straight lines. */
static double position_of(const struct axis *x, double cell)
{
    const double sample = cell / (double)x->stride;
    const int64_t i = sample <= 0 ? 0 : sample >= (double)(x->n - 2) ? x->n - 2 : (int64_t)sample;
    const double from = position_of_value(x, x->coordinate[i]), to = position_of_value(x, x->coordinate[i + 1]);

    return from + (sample - (double)i) * (to - from);
}

double cell_of(const struct axis *x, double value)
{
    const double *c = x->coordinate;
    const double sign = c[x->n - 1] < c[0] ? -1 : 1;
    int64_t low = 0, high = x->n - 1;

    if (x->spacing == EVEN)
        return position_of_value(x, value) * (double)(x->n - 1) * (double)x->stride;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;

        if (sign * c[middle] <= sign * value)
            low = middle;
        else
            high = middle;
    }
    return ((double)low + (value - c[low]) / (c[high] - c[low])) * (double)x->stride;
}

/* The ends of the axis, as cells. */
static void find_ends(const struct axis *x, double *first, double *last)
{
    const double half = x->as_points ? 0 : 0.5;

    *first = -half;
    *last = (double)(x->count - 1) + half;
}

/* 0 at the first end of the axis, 1 at the last one. */
static double part_of_cell(const struct axis *x, double cell)
{
    double first, last;

    find_ends(x, &first, &last);
    if (x->count < 2 && x->as_points)
        return 0.5;
    if (!is_by_value(x))
        return (cell - first) / (last - first);
    first = position_of(x, first);
    return (position_of(x, cell) - first) / (position_of(x, last) - first);
}

double cell_place(const struct axis *x, double cell)
{
    double place = part_of_cell(x, cell);

    if (x->as_points)
        place = margin + (1 - 2 * margin) * place;
    return x->backwards ? 1 - place : place;
}

double cell_at_place(const struct axis *x, double place)
{
    double first, last;

    find_ends(x, &first, &last);
    if (!is_by_value(x))
        return first + place * (last - first);
    first = position_of(x, first);
    last = position_of(x, last);
    return cell_of(x, value_at(x, first + place * (last - first)));
}

void axis_bounds(const struct axis *x, double *low, double *high)
{
    double first, last;

    find_ends(x, &first, &last);
    first = value_at(x, position_of(x, first));
    last = value_at(x, position_of(x, last));
    *low = fmin(first, last);
    *high = fmax(first, last);
}
