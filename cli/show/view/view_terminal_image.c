/* Two axes in the terminal: half blocks in colour, or shades. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view_terminal.h"

enum { ENLARGED = 8, BAR = 24, LEAST_COLUMNS = 8, LEAST_ROWS = 3 };

static void put_shade(const struct screen *s, const struct scale *scale, double number)
{
    static const char *const blocks[] = { " ", "\u2591", "\u2592", "\u2593", "\u2588" };
    static const char ascii[] = " .:-=+*#%@";
    double part;

    if (isnan(number)) {
        put_times(s, 1, "\u00b7", '/');
        return;
    }
    part = fmin(fmax(part_of(scale->low, scale->high, number), 0), 1);
    put_times(s, 1, blocks[part == 1 ? 4 : (int)(part * 5)], ascii[part == 1 ? 9 : (int)(part * 10)]);
}

/* The pixels of the picture. */
struct pixels {
    const struct view *v;
    const struct grid *g;
    const struct scale *scale;
    int width, height;
};

/* A row of characters with two pixels each: the upper half block, and the ground below it. */
static void put_half_blocks(const struct screen *s, const void *pixels, int row)
{
    const struct pixels *p = pixels;
    int64_t last[2] = { -1, -1 };

    for (int x = 0; x < p->width; x++) {
        const uint32_t upper = scale_colour(p->scale, grid_at(p->v, p->g, x, 2 * row));

        if (upper != last[0])
            letter_colour(s, upper);
        last[0] = upper;
        if (2 * row + 1 < p->height) {
            const uint32_t lower = scale_colour(p->scale, grid_at(p->v, p->g, x, 2 * row + 1));

            if (lower != last[1])
                ground_colour(s, lower);
            last[1] = lower;
        }
        put("\u2580");
    }
    end_colours(s);
}

/* A row of characters, each a pixel. */
static void put_characters(const struct screen *s, const void *pixels, int row)
{
    const struct pixels *p = pixels;
    int64_t last = -1;

    for (int x = 0; x < p->width; x++) {
        const double number = grid_at(p->v, p->g, x, row);

        if (s->colours == NO_COLOURS) {
            put_shade(s, p->scale, number);
            continue;
        }
        if (scale_colour(p->scale, number) != last)
            ground_colour(s, scale_colour(p->scale, number));
        last = scale_colour(p->scale, number);
        put(" ");
    }
    end_colours(s);
}

static void put_numbers(const struct screen *s, const struct view *v, const struct scale *scale)
{
    char low[TICK_TEXT_BYTES], high[TICK_TEXT_BYTES];
    const double step = scale->high / 100 - scale->low / 100;

    number_text(scale->low, step, low);
    number_text(scale->high, step, high);
    put("%s ", low);
    put_times(s, 1, scale->below ? "<" : "\u2502", scale->below ? '<' : '|');
    for (int i = 0; i < BAR; i++) {
        const double part = (i + 0.5) / BAR;
        const double number = scale->low * (1 - part) + scale->high * part;

        if (s->colours == NO_COLOURS) {
            put_shade(s, scale, number);
            continue;
        }
        ground_colour(s, scale_colour(scale, number));
        put(" ");
    }
    end_colours(s);
    put_times(s, 1, scale->above ? ">" : "\u2502", scale->above ? '>' : '|');
    put(" %s%s%s", high, v->unit ? " " : "", v->unit ? v->unit : "");
}

static void put_missing(const struct screen *s, const struct scale *scale)
{
    ground_colour(s, missing_colour(scale->map));
    if (s->colours == NO_COLOURS)
        put_shade(s, scale, NAN);
    else
        put("  ");
    end_colours(s);
    put(" missing");
}

static void put_bar(const struct screen *s, const struct pixels *p)
{
    const bool some = p->g->low <= p->g->high;

    if (some)
        put_numbers(s, p->v, p->scale);
    if (some && p->g->some_missing)
        put("   ");
    if (p->g->some_missing)
        put_missing(s, p->scale);
    put("\n");
}

/* The size of the frame: pixels are square, characters twice as high as wide. */
static void find_size(const struct screen *s, const struct view *v, bool halves, struct pixels *p, struct frame *f)
{
    const int rows = s->rows - (v->subtitle[0] ? 8 : 7);

    p->width = s->columns - f->margin - 2;
    p->width = p->width < LEAST_COLUMNS ? LEAST_COLUMNS : p->width;
    p->height = 2 * (rows < LEAST_ROWS ? LEAST_ROWS : rows);
    fit_cells(v, ENLARGED, &p->width, &p->height);
    f->columns = p->width;
    f->rows = (p->height + 1) / 2;
    if (halves)
        return;
    f->rows = whole_cells(v->axis[0].count, f->rows);
    p->height = f->rows;
}

static void put_terminal_picture(const struct screen *s, const struct pixels *p, const struct frame *f, bool halves)
{
    char footnote[FOOTNOTE_BYTES];

    put_title_lines(s, p->v, NULL);
    put_frame(s, f, halves ? put_half_blocks : put_characters, p);
    put_axis_line(s, f, &p->v->axis[1]);
    put_bar(s, p);
    grid_footnote(p->v, p->g, footnote);
    if (footnote[0])
        put("%s\n", footnote);
}

int terminal_image(const struct screen *s, const struct view *v)
{
    const struct axis *down = &v->axis[0];
    const bool halves = s->colours != NO_COLOURS && s->utf8;
    char ends[2][TICK_TEXT_BYTES];
    char *name = axis_words(down);
    struct scale scale;
    struct grid g;
    struct pixels p = { .v = v, .g = &g, .scale = &scale };
    struct frame f = { .top = ends[0], .middle = name ? name : "", .bottom = ends[1] };
    int status;

    end_texts(down, ends);
    f.margin = margin_for(f.top, f.middle, f.bottom);
    find_size(s, v, halves, &p, &f);
    status = read_grid(v, p.height, p.width, &g);
    if (status == DONE)
        status = choose_scale(v, &g, &scale);
    if (status == DONE)
        put_terminal_picture(s, &p, &f, halves);
    free_grid(&g);
    free(name);
    return status;
}
