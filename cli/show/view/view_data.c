/* Reads the numbers of a picture, but no more than it can show. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/progress.h"
#include "view.h"

enum { BLOCK_CELLS = 1 << 16, LINE_BLOCK = 1 << 18 };
enum { READ_WHOLE = 1 << 27, READ_SINGLY = 1 << 19 }; /* distant elements cost a call each */

static int64_t at_most(int64_t n, int64_t most)
{
    return n < most ? n : most;
}

/* Keep every n-th element of the selection along axis j. */
static void thin_axis(struct selection *s, int j, int64_t every)
{
    s->count[j] = (s->count[j] - 1) / every + 1;
    s->step[j] = s->count[j] > 1 ? s->step[j] * every : 1;
}

/* Cells in a chunk along axis j. */
static int64_t cells_per_chunk(const struct view *v, const struct selection *s, int j)
{
    const int64_t step = s->step[j] < 0 ? -s->step[j] : s->step[j];
    const int64_t cells = drx_chunk(v->array)[j] / step;

    return at_most(cells < 1 ? 1 : cells, s->count[j]);
}

/* Choose a block of whole chunks, with all columns if possible. */
static void find_block(const struct view *v, const struct selection *s, const int axes[2], int64_t block[2])
{
    const int64_t columns = s->count[axes[1]];

    block[0] = cells_per_chunk(v, s, axes[0]);
    block[1] = columns;
    if (block[0] * columns < BLOCK_CELLS) {
        block[0] *= BLOCK_CELLS / (block[0] * columns);
    } else {
        const int64_t unit = cells_per_chunk(v, s, axes[1]);
        const int64_t units = BLOCK_CELLS / (block[0] * unit);

        block[1] = at_most(columns, unit * (units < 1 ? 1 : units));
    }
}

/* Read the block at a row and a column of the thinned selection into the grid. */
static int read_block(const struct view *v, const struct selection *s, const int axes[2], const int64_t at[2],
                      const int64_t block[2], double *buf, struct grid *g)
{
    struct selection part = *s;
    int status;

    for (int i = 0; i < 2; i++) {
        part.lo[axes[i]] = s->lo[axes[i]] + at[i] * s->step[axes[i]];
        part.count[axes[i]] = at_most(block[i], s->count[axes[i]] - at[i]);
    }
    status = read_numbers(v->array, &v->elements, &part, buf);
    for (int64_t r = 0; status == DONE && r < part.count[axes[0]]; r++)
        memcpy(g->number + (at[0] + r) * g->columns + at[1], buf + r * part.count[axes[1]],
               (size_t)part.count[axes[1]] * sizeof *buf);
    return status;
}

static int read_blocks(const struct view *v, const struct selection *s, const int axes[2], struct grid *g)
{
    struct progress progress;
    int64_t block[2], at[2];
    double *buf;
    int status = DONE;

    find_block(v, s, axes, block);
    buf = calloc((size_t)(block[0] * block[1]), sizeof *buf);
    if (!buf)
        return out_of_memory(block[0] * block[1] * (int64_t)sizeof *buf);
    begin_progress(&progress, g->rows * g->columns);
    for (at[0] = 0; at[0] < g->rows; at[0] += block[0])
        for (at[1] = 0; at[1] < g->columns && status == DONE; at[1] += block[1]) {
            status = interrupted() ? FAILED : read_block(v, s, axes, at, block, buf, g);
            add_progress(&progress, at_most(block[0], g->rows - at[0]) * at_most(block[1], g->columns - at[1]));
        }
    hide_progress();
    free(buf);
    return status;
}

static void survey(struct grid *g)
{
    g->low = INFINITY;
    g->high = -INFINITY;
    for (int64_t i = 0; i < g->rows * g->columns; i++) {
        const double x = g->number[i];

        g->some_missing = g->some_missing || isnan(x);
        if (isfinite(x) && x < g->low)
            g->low = x;
        if (isfinite(x) && x > g->high)
            g->high = x;
    }
}

/* The step between cells that gives as many cells as pixels, or up to twice as many. */
static int64_t thinning(int64_t cells, int64_t pixels)
{
    const int64_t every = (cells - 1) / pixels + 1;

    return (cells - 1) / every + 1 == pixels || cells < pixels ? every : cells / pixels;
}

int read_grid(const struct view *v, int64_t most_rows, int64_t most_columns, struct grid *g)
{
    struct selection s = *v->selection;
    int axes[DRX_MAX_NDIM];
    int status;

    memset(g, 0, sizeof *g);
    (void)kept_axes(&s, axes);
    g->row_every = thinning(s.count[axes[0]], most_rows);
    g->column_every = thinning(s.count[axes[1]], most_columns);
    thin_axis(&s, axes[0], g->row_every);
    thin_axis(&s, axes[1], g->column_every);
    g->rows = s.count[axes[0]];
    g->columns = s.count[axes[1]];
    g->number = calloc((size_t)(g->rows * g->columns), sizeof *g->number);
    if (!g->number)
        return out_of_memory(g->rows * g->columns * (int64_t)sizeof *g->number);
    status = read_blocks(v, &s, axes, g);
    if (status == DONE)
        survey(g);
    return status;
}

/* Which of the `shown` cells is at the pixel; each has the same number of pixels if possible. */
static int64_t cell_at(const struct axis *x, int64_t shown, int64_t every, int pixel, int pixels)
{
    const int64_t at = x->backwards ? pixels - 1 - pixel : pixel;

    if (pixels % shown == 0)
        return at / (pixels / shown);
    return (int64_t)(((double)at + 0.5) / pixels * (double)x->count) / every;
}

double grid_at(const struct view *v, const struct grid *g, int x, int y, int width, int height)
{
    const int64_t row = cell_at(&v->axis[0], g->rows, g->row_every, y, height);
    const int64_t column = cell_at(&v->axis[1], g->columns, g->column_every, x, width);

    return g->number[row * g->columns + column];
}

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

    return cell_place(x, ((double)first + (double)at_most(end, x->count) - 1) / 2);
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
    thin_axis(&s, j, l->every);
    l->per_point = (s.count[j] - 1) / most_points + 1;
    l->points = (s.count[j] - 1) / l->per_point + 1;
    n = at_most(s.count[j], LINE_BLOCK);
    buf = calloc((size_t)n, sizeof *buf);
    if (!buf || !alloc_line(l))
        status = out_of_memory((4 * l->points + n) * (int64_t)sizeof *buf);
    begin_progress(&progress, s.count[j]);
    for (int64_t at = 0; status == DONE && at < s.count[j]; at += n) {
        part = s;
        part.lo[j] += at * s.step[j];
        part.count[j] = at_most(n, s.count[j] - at);
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

/* "every 4th row" */
static const char *ordinal(int64_t n, const char *of, char out[NOTE_BYTES])
{
    static const char *const endings[] = { "th", "st", "nd", "rd" };
    const bool teen = n / 10 % 10 == 1;

    (void)snprintf(out, NOTE_BYTES, "every %lld%s %s", (long long)n, endings[teen || n % 10 > 3 ? 0 : n % 10], of);
    return out;
}

void grid_footnote(const struct grid *g, char out[FOOTNOTE_BYTES])
{
    char row[NOTE_BYTES] = "", column[NOTE_BYTES] = "";

    out[0] = '\0';
    if (g->row_every > 1)
        (void)ordinal(g->row_every, "row", row);
    if (g->column_every > 1)
        (void)ordinal(g->column_every, "column", column);
    if (row[0] || column[0])
        (void)snprintf(out, FOOTNOTE_BYTES, "%s%s%s", row, row[0] && column[0] ? ", " : "", column);
}

void line_footnote(const struct line *l, char out[FOOTNOTE_BYTES])
{
    char every[NOTE_BYTES] = "", range[NOTE_BYTES] = "";

    if (l->every > 1)
        (void)ordinal(l->every, "element", every);
    if (l->per_point > 1)
        (void)snprintf(range, sizeof range, "lowest to highest of %lld at each point", (long long)l->per_point);
    (void)snprintf(out, FOOTNOTE_BYTES, "%s%s%s", every, every[0] && range[0] ? ", " : "", range);
}
