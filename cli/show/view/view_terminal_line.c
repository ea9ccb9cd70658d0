/* One axis in the terminal: a line of Braille dots, or of stars. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view_terminal.h"

enum { LEAST_COLUMNS = 8, LEAST_ROWS = 3, MOST_ROWS = 20 };

/* Dots, `across` x `down` of them in each character. */
struct canvas {
    int width, height; /* in dots */
    int across, down;
    unsigned char *dot;
    double low, high;
};

static void set_dot(struct canvas *c, int x, int y)
{
    if (x >= 0 && x < c->width && y >= 0 && y < c->height)
        c->dot[y * c->width + x] = 1;
}

static int dot_x(const struct canvas *c, double place)
{
    return (int)floor(place * (c->width - 1) + 0.5);
}

/* Numbers beyond the ends are one dot outside of the canvas. */
static int dot_y(const struct canvas *c, double number)
{
    const double part = fmin(fmax(part_of(c->low, c->high, number), -1), 2);

    return part > 1 ? -1 : part < 0 ? c->height : (int)floor((1 - part) * (c->height - 1) + 0.5);
}

static void draw_stroke(struct canvas *c, int x, int y, int to_x, int to_y)
{
    const int steps = abs(to_x - x) > abs(to_y - y) ? abs(to_x - x) : abs(to_y - y);

    for (int i = 0; i <= steps; i++) {
        const double part = steps ? (double)i / steps : 0;

        set_dot(c, (int)floor(x + part * (to_x - x) + 0.5), (int)floor(y + part * (to_y - y) + 0.5));
    }
}

static void draw_line_of(struct canvas *c, const struct axis *x, const struct line *l)
{
    int last_x = 0, last_y = 0;
    bool begun = false;

    for (int64_t i = 0; i < l->points; i++) {
        const int at = dot_x(c, point_place(x, l, i));

        if (isnan(l->low[i])) {
            begun = false;
            continue;
        }
        if (begun)
            draw_stroke(c, last_x, last_y, at, dot_y(c, l->first[i]));
        draw_stroke(c, at, dot_y(c, l->high[i]), at, dot_y(c, l->low[i]));
        last_x = at;
        last_y = dot_y(c, l->last[i]);
        begun = true;
    }
}

static void draw_zero(struct canvas *c, const struct line *l)
{
    if (crosses_zero(l, c->low, c->high))
        for (int x = 0; x < c->width; x += 2 * c->across)
            set_dot(c, x, dot_y(c, 0));
}

/* The character with the dots. Braille numbers them 1 2 3 7 down, then 4 5 6 8. */
static void put_character(const struct screen *s, const struct canvas *c, int row, int column)
{
    static const unsigned bits[4][2] = { { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 } };
    unsigned dots = 0;
    char braille[4] = { (char)0xe2, 0, 0, 0 };

    for (int y = 0; y < c->down; y++)
        for (int x = 0; x < c->across; x++)
            if (c->dot[(row * c->down + y) * c->width + column * c->across + x])
                dots |= bits[y][x];
    braille[1] = (char)(0xa0 | dots >> 6);
    braille[2] = (char)(0x80 | (dots & 0x3f));
    put_times(s, 1, dots ? braille : " ", dots ? '*' : ' ');
}

static void put_dots(const struct screen *s, const void *canvas, int row)
{
    const struct canvas *c = canvas;

    for (int column = 0; column < c->width / c->across; column++)
        put_character(s, c, row, column);
}

static void put_canvas(const struct screen *s, const struct view *v, const struct frame *f, const struct canvas *c,
                       const struct line *l)
{
    char footnote[FOOTNOTE_BYTES];

    put_title_lines(s, v, v->unit);
    put_frame(s, f, put_dots, c);
    put_axis_line(s, f, &v->axis[0]);
    line_footnote(v, l, footnote);
    if (footnote[0])
        put("%s\n", footnote);
}

static int limit(int n, int least, int most)
{
    return n < least ? least : n > most ? most : n;
}

int terminal_line(const struct screen *s, const struct view *v)
{
    enum { NUMBER_COLUMNS = 10 };
    struct canvas c = { .across = s->utf8 ? 2 : 1, .down = s->utf8 ? 4 : 1 };
    struct frame f = { .middle = "" };
    char ends[2][TICK_TEXT_BYTES];
    struct line l;
    int status =
        read_line(v, (int64_t)limit(s->columns - NUMBER_COLUMNS - 2, LEAST_COLUMNS, s->columns) * c.across, &l);

    if (status == DONE) {
        line_range(v, &l, &c.low, &c.high);
        number_text(c.high, c.high / 100 - c.low / 100, ends[0]);
        number_text(c.low, c.high / 100 - c.low / 100, ends[1]);
        f.top = ends[0];
        f.bottom = ends[1];
        f.margin = margin_for(f.top, f.middle, f.bottom);
        f.columns = limit(s->columns - f.margin - 2, LEAST_COLUMNS, s->columns);
        f.rows = limit(s->rows - 7, LEAST_ROWS, v->wish->height ? s->rows : MOST_ROWS);
        c.width = f.columns * c.across;
        c.height = f.rows * c.down;
        c.dot = calloc((size_t)c.width, (size_t)c.height);
        status = c.dot ? DONE : out_of_memory((int64_t)c.width * c.height);
    }
    if (status == DONE) {
        draw_zero(&c, &l);
        draw_line_of(&c, &v->axis[0], &l);
        put_canvas(s, v, &f, &c, &l);
    }
    free(c.dot);
    free_line(&l);
    return status;
}
