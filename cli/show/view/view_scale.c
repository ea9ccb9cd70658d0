/* Which numbers have which colours. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "view.h"

enum { SAMPLE = 1 << 20 };

double part_of(double low, double high, double number)
{
    const double half = high / 2 - low / 2; /* the difference itself may not be finite */

    return (number / 2 - low / 2) / half;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Percentiles 2 and 98 of the finite numbers, or of a sample of many; false: there are none. */
static bool percentiles(const struct grid *g, double *sorted, double *low, double *high)
{
    const int64_t cells = g->rows * g->columns;
    const int64_t every = (cells - 1) / SAMPLE + 1;
    int64_t n = 0;

    for (int64_t i = 0; i < cells; i += every)
        if (isfinite(g->number[i]))
            sorted[n++] = g->number[i];
    if (n == 0)
        return false;
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    *low = sorted[(int64_t)(0.02 * (double)(n - 1) + 0.5)];
    *high = sorted[(int64_t)(0.98 * (double)(n - 1) + 0.5)];
    return true;
}

/* Rare numbers at the ends get the colours of the ends if that leaves much more contrast to the rest. */
static void robust_range(const struct grid *g, double *sorted, double *low, double *high)
{
    if (percentiles(g, sorted, low, high) && *low < *high && g->high / 2 - g->low / 2 > 1.3 * (*high / 2 - *low / 2))
        return;
    *low = g->low;
    *high = g->high;
}

/* Make low < high. */
static void widen(double *low, double *high)
{
    double middle, margin;

    if (*low < *high)
        return;
    middle = *low > *high ? 0 : *low;
    margin = fabs(middle) >= DBL_MIN ? 0.1 * fabs(middle) : middle != 0 ? DBL_MIN : 1;
    *low = fmax(middle - margin, -DBL_MAX);
    *high = fmin(middle + margin, DBL_MAX);
}

static void find_ends(const struct view *v, struct scale *s)
{
    const bool both_signs = s->low < 0 && s->high > 0;
    const double least = fmin(-s->low, s->high), most = fmax(-s->low, s->high);

    if (v->wish->map == COLOUR_MAPS)
        s->map = v->period > 0 ? CYCLIC : both_signs && least >= 0.2 * most ? DIVERGING : SEQUENTIAL;
    else
        s->map = v->wish->map;
    if (s->map == DIVERGING && both_signs) {
        s->from = -most;
        s->to = most;
        if (!v->wish->ranged) {
            s->low = -most;
            s->high = most;
        }
    } else {
        s->from = s->low;
        s->to = s->high;
    }
}

/* Once round: from 0, or, if there are negative numbers, about 0. */
static void whole_circle(const struct view *v, const struct grid *g, struct scale *s)
{
    const bool about_zero = v->elements.part == PART_ARG || (g->least < 0 && g->most <= v->period / 2);

    s->low = about_zero ? -v->period / 2 : 0;
    s->high = s->low + v->period;
}

int choose_scale(const struct view *v, const struct grid *g, struct scale *s)
{
    const bool cyclic = v->period > 0 && (v->wish->map == COLOUR_MAPS || v->wish->map == CYCLIC);
    double *sorted = NULL;

    if (v->wish->ranged) {
        s->low = v->wish->low;
        s->high = v->wish->high;
    } else if (cyclic || v->elements.part == PART_ARG) {
        whole_circle(v, g, s);
    } else {
        sorted = calloc((size_t)(g->rows * g->columns < SAMPLE ? g->rows * g->columns : SAMPLE), sizeof *sorted);
        if (!sorted)
            return out_of_memory(SAMPLE * (int64_t)sizeof *sorted);
        robust_range(g, sorted, &s->low, &s->high);
        free(sorted);
        widen(&s->low, &s->high);
    }
    find_ends(v, s);
    s->below = s->above = false;
    for (int64_t i = 0; s->map != CYCLIC && i < g->rows * g->columns; i++) {
        s->below = s->below || g->number[i] < s->low;
        s->above = s->above || g->number[i] > s->high;
    }
    return DONE;
}

uint32_t scale_colour(const struct scale *s, double number)
{
    return isnan(number) ? missing_colour(s->map) : colour_at(s->map, scale_place(s, number));
}

double scale_place(const struct scale *s, double number)
{
    const double within = number < s->low ? s->low : number > s->high ? s->high : number;

    if (s->map == CYCLIC && isfinite(number)) {
        const double rounds = part_of(s->from, s->to, number);

        return rounds - floor(rounds);
    }
    return part_of(s->from, s->to, within);
}
