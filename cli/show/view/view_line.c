/* Reads the numbers of a line, but no more than it can show. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

enum { LINE_BLOCK = 1 << 18 };
enum { READ_WHOLE = 1 << 27, READ_SINGLY = 1 << 19 }; /* distant elements cost a call each */

static bool alloc_line(struct line *l)
{
    double **const parts[] = { &l->first, &l->low, &l->high, &l->last };
    bool good = true;

    for (int i = 0; i < 4; i++) {
        *parts[i] = calloc((size_t)l->points, sizeof(double));
        good = good && *parts[i];
    }
    for (int64_t i = 0; good && i < l->points; i++)
        l->first[i] = l->low[i] = l->high[i] = l->last[i] = NAN;
    return good;
}

void free_line(struct line *l)
{
    free(l->first);
    free(l->low);
    free(l->high);
    free(l->last);
}

/* Add number i of those that were read to its point. */
static void add_number(struct line *l, int64_t i, double x)
{
    const int64_t point = i / l->per_point;

    if (isnan(x)) {
        l->some_missing = true;
        return;
    }
    if (isnan(l->first[point]))
        l->first[point] = x;
    l->last[point] = x;
    l->low[point] = l->low[point] < x ? l->low[point] : x; /* true also for NaN */
    l->high[point] = l->high[point] > x ? l->high[point] : x;
    if (isfinite(x) && x < l->lowest)
        l->lowest = x;
    if (isfinite(x) && x > l->highest)
        l->highest = x;
}

double point_place(const struct axis *x, const struct line *l, int64_t i)
{
    const int64_t first = i * l->per_point * l->every, end = first + l->per_point * l->every;

    return cell_place(x, ((double)first + (double)least_of(end, x->count) - 1) / 2);
}

int read_line(const struct view *v, int64_t most_points, struct line *l)
{
    struct selection s = *v->selection, part;
    int axes[DRX_MAX_NDIM];
    struct progress progress;
    double *buf = NULL;
    int64_t n;
    int status = DONE, j;

    memset(l, 0, sizeof *l);
    l->lowest = INFINITY;
    l->highest = -INFINITY;
    (void)kept_axes(&s, axes);
    j = axes[0];
    l->every = s.count[j] > READ_WHOLE ? (s.count[j] - 1) / READ_SINGLY + 1 : 1;
    thin_selection(&s, j, l->every);
    l->per_point = (s.count[j] - 1) / most_points + 1;
    l->points = (s.count[j] - 1) / l->per_point + 1;
    n = least_of(s.count[j], LINE_BLOCK);
    buf = calloc((size_t)n, sizeof *buf);
    if (!buf || !alloc_line(l))
        status = out_of_memory((4 * l->points + n) * (int64_t)sizeof *buf);
    begin_progress(&progress, s.count[j]);
    for (int64_t at = 0; status == DONE && at < s.count[j]; at += n) {
        part = s;
        part.lo[j] += at * s.step[j];
        part.count[j] = least_of(n, s.count[j] - at);
        status = interrupted() ? FAILED : read_numbers(v->array, &v->elements, &part, buf);
        for (int64_t i = 0; status == DONE && i < part.count[j]; i++)
            add_number(l, at + i, buf[i]);
        add_progress(&progress, part.count[j]);
    }
    hide_progress();
    free(buf);
    return status;
}

void line_range(const struct view *v, const struct line *l, double *low, double *high)
{
    double margin;

    *low = l->lowest <= l->highest ? l->lowest : 0;
    *high = l->lowest <= l->highest ? l->highest : 0;
    margin = *low < *high ? 0.04 * *high - 0.04 * *low : *low != 0 ? 0.1 * fabs(*low) : 1;
    *low = fmax(*low - margin, -DBL_MAX / 4);
    *high = fmin(*high + margin, DBL_MAX / 4);
    if (v->wish->ranged) {
        *low = v->wish->low;
        *high = v->wish->high;
    }
}

bool crosses_zero(const struct line *l, double low, double high)
{
    return l->lowest < 0 && l->highest > 0 && low < 0 && high > 0;
}

void line_footnote(const struct view *v, const struct line *l, char out[FOOTNOTE_BYTES])
{
    const bool constant = l->every == 1 && l->lowest == l->highest;
    char every[NOTE_BYTES] = "", range[NOTE_BYTES] = "", same[NOTE_BYTES] = "";

    if (l->every > 1)
        every_text(l->every, "element", every);
    if (l->per_point > 1 && !constant)
        (void)snprintf(range, sizeof range, "lowest to highest of %lld at each point", (long long)l->per_point);
    if (constant)
        constant_text(v, l->lowest, l->some_missing, same);
    (void)snprintf(out, FOOTNOTE_BYTES, "%s%s%s%s", every, every[0] && range[0] ? ", " : "", range, same);
}
