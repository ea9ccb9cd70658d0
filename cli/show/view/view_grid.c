/* Reads the numbers of an image. A pixel shows the mean of its cells; of an array of very many elements, of some. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

enum { BLOCK_CELLS = 1 << 16, MOST_BLOCK_CELLS = 1 << 21 };
enum { READ_WHOLE = 1 << 28 }; /* elements; more than these are not all read */

int64_t least_of(int64_t n, int64_t most)
{
    return n < most ? n : most;
}

void thin_selection(struct selection *s, int j, int64_t every)
{
    s->count[j] = (s->count[j] - 1) / every + 1;
    s->step[j] = s->count[j] > 1 ? s->step[j] * every : 1;
}

/* Cells in a chunk along axis j. */
static int64_t cells_per_chunk(const struct view *v, const struct selection *s, int j)
{
    const int64_t step = s->step[j] < 0 ? -s->step[j] : s->step[j];
    const int64_t cells = drx_chunk(v->array)[j] / step;

    return least_of(cells < 1 ? 1 : cells, s->count[j]);
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

        block[1] = least_of(columns, unit * (units < 1 ? 1 : units));
    }
    block[1] = least_of(block[1], MOST_BLOCK_CELLS);
    block[0] = least_of(block[0], MOST_BLOCK_CELLS / block[1] > 0 ? MOST_BLOCK_CELLS / block[1] : 1);
}

/* ---- means ---- */

/* What is added up for each cell of a grid. g->number is the number itself while there is one, then the sum. Of
 * directions, which go round, it sums one part of a vector, and `across` the other one. */
struct sums {
    const struct view *v;
    struct grid *g;
    double *across;
    int32_t *n;
};

static bool alloc_sums(struct sums *s)
{
    const size_t cells = (size_t)(s->g->rows * s->g->columns);

    s->g->number = calloc(cells, sizeof *s->g->number);
    s->n = calloc(cells, sizeof *s->n);
    s->across = calloc(s->v->period > 0 ? cells : 1, sizeof *s->across);
    return s->g->number && s->n && s->across;
}

static void free_sums(struct sums *s)
{
    free(s->across);
    free(s->n);
}

static double circle(void)
{
    return 2 * acos(-1.0);
}

static void add_part(struct sums *s, int64_t cell, double x)
{
    if (s->v->period > 0) {
        s->across[cell] += sin(x / s->v->period * circle());
        x = cos(x / s->v->period * circle());
    }
    s->g->number[cell] += x / 4; /* so that a few of the largest numbers have a sum */
}

/* Add a number that is not missing. An infinite one counts where no finite one is. */
static void add_to_cell(struct sums *s, int64_t cell, double x)
{
    struct grid *g = s->g;

    if (!isfinite(x)) {
        if (s->n[cell] == 0)
            g->number[cell] = x;
        return;
    }
    g->least = x < g->least ? x : g->least;
    g->most = x > g->most ? x : g->most;
    if (s->n[cell] == 0) {
        g->number[cell] = x;
    } else {
        if (s->v->categories)
            return;
        if (s->n[cell] == 1) {
            const double first = g->number[cell];

            g->number[cell] = 0;
            add_part(s, cell, first);
        }
        add_part(s, cell, x);
    }
    s->n[cell]++;
}

static double direction_of(const struct sums *s, int64_t cell)
{
    const double mean = atan2(s->across[cell], 4 * s->g->number[cell]) / circle() * s->v->period;

    return mean < 0 && s->g->least >= 0 ? mean + s->v->period : mean;
}

static void divide(struct sums *s)
{
    for (int64_t i = 0; i < s->g->rows * s->g->columns; i++)
        if (s->n[i] > 1)
            s->g->number[i] = s->v->period > 0 ? direction_of(s, i) : s->g->number[i] / s->n[i] * 4;
        else if (s->n[i] == 0 && s->g->number[i] == 0)
            s->g->number[i] = NAN;
}

/* Add n numbers of a row, which begin at a column. */
static void add_row(struct sums *s, int64_t row, int64_t column, const double x[], int64_t n)
{
    const struct groups *across = &s->g->across;
    int64_t at = group_of(across, column);
    const int64_t first = group_of(&s->g->down, row) * s->g->columns;

    for (int64_t i = 0; i < n; i++) {
        while (column + i >= across->first[at + 1])
            at++;
        if (!isnan(x[i]))
            add_to_cell(s, first + at, x[i]);
    }
}

/* ---- reading ---- */

static int read_block(const struct selection *s, const int axes[2], const int64_t at[2], const int64_t block[2],
                      double *buf, struct sums *sums)
{
    struct selection part = *s;
    int status;

    for (int i = 0; i < 2; i++) {
        part.lo[axes[i]] = s->lo[axes[i]] + at[i] * s->step[axes[i]];
        part.count[axes[i]] = least_of(block[i], s->count[axes[i]] - at[i]);
    }
    status = read_numbers(sums->v->array, &sums->v->elements, &part, buf);
    for (int64_t r = 0; status == DONE && r < part.count[axes[0]]; r++)
        add_row(sums, at[0] + r, at[1], buf + r * part.count[axes[1]], part.count[axes[1]]);
    return status;
}

static int read_blocks(const struct selection *s, const int axes[2], struct sums *sums)
{
    const int64_t rows = s->count[axes[0]], columns = s->count[axes[1]];
    struct progress progress;
    int64_t block[2], at[2];
    double *buf;
    int status = DONE;

    find_block(sums->v, s, axes, block);
    buf = calloc((size_t)(block[0] * block[1]), sizeof *buf);
    if (!buf)
        return out_of_memory(block[0] * block[1] * (int64_t)sizeof *buf);
    begin_progress(&progress, rows * columns);
    for (at[0] = 0; at[0] < rows; at[0] += block[0])
        for (at[1] = 0; at[1] < columns && status == DONE; at[1] += block[1]) {
            status = interrupted() ? FAILED : read_block(s, axes, at, block, buf, sums);
            add_progress(&progress, least_of(block[0], rows - at[0]) * least_of(block[1], columns - at[1]));
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

/* Which elements are read, and which pixels they belong to. Gives the exit code. */
static int plan(const struct view *v, int height, int width, struct selection *s, const int axes[2], struct grid *g)
{
    const double elements = (double)s->count[axes[0]] * (double)s->count[axes[1]];
    int status;

    if (elements > READ_WHOLE || v->categories) {
        g->row_every = thinning(s->count[axes[0]], height);
        g->column_every = thinning(s->count[axes[1]], width);
    }
    thin_selection(s, axes[0], g->row_every);
    thin_selection(s, axes[1], g->column_every);
    status = find_groups(&v->axis[0], g->row_every, height, &g->down);
    if (status == DONE)
        status = find_groups(&v->axis[1], g->column_every, width, &g->across);
    g->rows = g->down.n;
    g->columns = g->across.n;
    return status;
}

int read_grid(const struct view *v, int height, int width, struct grid *g)
{
    struct selection s = *v->selection;
    struct sums sums = { .v = v, .g = g };
    int axes[DRX_MAX_NDIM];
    int status;

    *g = (struct grid){ .row_every = 1, .column_every = 1, .least = INFINITY, .most = -INFINITY };
    (void)kept_axes(&s, axes);
    status = plan(v, height, width, &s, axes, g);
    if (status == DONE && !alloc_sums(&sums))
        status = out_of_memory(g->rows * g->columns * (int64_t)sizeof *g->number);
    if (status == DONE)
        status = read_blocks(&s, axes, &sums);
    if (status == DONE) {
        divide(&sums);
        survey(g);
    }
    free_sums(&sums);
    return status;
}

void free_grid(struct grid *g)
{
    free_groups(&g->down);
    free_groups(&g->across);
    free(g->number);
    g->number = NULL;
}

double grid_at(const struct view *v, const struct grid *g, int x, int y)
{
    const int row = v->axis[0].backwards ? g->down.pixels - 1 - y : y;
    const int column = v->axis[1].backwards ? g->across.pixels - 1 - x : x;

    return g->number[g->down.of_pixel[row] * g->columns + g->across.of_pixel[column]];
}

/* ---- notes ---- */

void every_text(int64_t n, const char *of, char out[NOTE_BYTES])
{
    static const char *const endings[] = { "th", "st", "nd", "rd" };
    const bool teen = n / 10 % 10 == 1;

    (void)snprintf(out, NOTE_BYTES, "every %lld%s %s", (long long)n, endings[teen || n % 10 > 3 ? 0 : n % 10], of);
}

void constant_text(const struct view *v, double number, bool some_missing, char out[NOTE_BYTES])
{
    const char *unit = v->unit ? v->unit : "";
    const size_t bytes = strlen(unit) > 20 ? whole_characters(unit, 20) : strlen(unit);
    char text[TICK_TEXT_BYTES];

    number_text(number, 0, text);
    (void)snprintf(out, NOTE_BYTES, "all %s are %s%s%.*s", some_missing ? "that are not missing" : "elements", text,
                   *unit ? " " : "", (int)bytes, unit);
}

/* "means of up to 4 rows by 3 columns" */
static void means_text(const struct grid *g, char out[NOTE_BYTES])
{
    const long long rows = g->down.largest, columns = g->across.largest;

    if (rows > 1 && columns > 1)
        (void)snprintf(out, NOTE_BYTES, "means of up to %lld rows by %lld columns", rows, columns);
    else if (rows > 1 || columns > 1)
        (void)snprintf(out, NOTE_BYTES, "means of up to %lld %s", rows > 1 ? rows : columns,
                       rows > 1 ? "rows" : "columns");
}

void grid_footnote(const struct view *v, const struct grid *g, char out[FOOTNOTE_BYTES])
{
    char row[NOTE_BYTES] = "", column[NOTE_BYTES] = "", means[NOTE_BYTES] = "", same[NOTE_BYTES] = "";
    const bool all = g->row_every == 1 && g->column_every == 1;

    if (all && g->least == g->most)
        constant_text(v, g->least, g->some_missing, same);
    else if (all)
        means_text(g, means);
    if (g->row_every > 1)
        every_text(g->row_every, "row", row);
    if (g->column_every > 1)
        every_text(g->column_every, "column", column);
    (void)snprintf(out, FOOTNOTE_BYTES, "%s%s%s%s%s", row, row[0] && column[0] ? ", " : "", column, means, same);
}
