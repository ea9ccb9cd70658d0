/* Two axes as an image with a colour bar. */
#include <math.h>

#include "view_png.h"

static void put_cells(const struct view *v, struct page *p, struct box box, const struct grid *g,
                      const struct scale *scale)
{
    begin_pixels(p);
    for (int y = 0; y < box.height; y++)
        for (int x = 0; x < box.width; x++)
            put_pixel(p, box.x + x, box.y + y, scale_colour(scale, grid_at(v, g, x, y)));
    end_pixels(p);
}

/* A triangle at an end of the bar, for numbers beyond it. */
static void put_extension(struct page *p, struct box bar, bool up, uint32_t colour)
{
    const double base = up ? bar.y - 1 : bar.y + bar.height + 1;

    cairo_move_to(p->cr, bar.x - 0.5, base);
    cairo_line_to(p->cr, bar.x + bar.width / 2.0, up ? base - p->em : base + p->em);
    cairo_line_to(p->cr, bar.x + bar.width + 0.5, base);
    cairo_close_path(p->cr);
    set_colour(p, colour);
    cairo_fill_preserve(p->cr);
    set_colour(p, INK);
    cairo_stroke(p->cr);
}

static struct box place_bar(struct page *p, const struct layout *l, const struct scale *scale)
{
    const int em = (int)p->em;
    const int room = p->height - l->top - l->bottom;
    const int least = room < 9 * em ? room : 9 * em;
    struct box bar = { .x = l->plot.x + l->plot.width + 2 * em, .width = (int)(1.3 * p->em) };

    bar.height = l->plot.height > least ? l->plot.height : least;
    bar.y = l->plot.y + (l->plot.height - bar.height) / 2;
    if (scale->above) {
        bar.y += em + 1;
        bar.height -= em + 1;
    }
    if (scale->below)
        bar.height -= em + 1;
    return bar;
}

static void put_bar(const struct view *v, struct page *p, const struct layout *l, const struct scale *scale)
{
    const struct box bar = place_bar(p, l, scale);
    struct ticks ticks;

    begin_pixels(p);
    for (int y = 0; y < bar.height; y++) {
        const double part = 1 - (y + 0.5) / bar.height;
        const double number = scale->low * (1 - part) + scale->high * part;

        for (int x = 0; x < bar.width; x++)
            put_pixel(p, bar.x + x, bar.y + y, scale_colour(scale, number));
    }
    end_pixels(p);
    frame_box(p, bar);
    if (scale->above)
        put_extension(p, bar, true, scale_colour(scale, INFINITY));
    if (scale->below)
        put_extension(p, bar, false, scale_colour(scale, -INFINITY));
    fitting_number_ticks(p, scale->low, scale->high, bar.height, &ticks);
    put_ticks(p, bar, RIGHT_SIDE, &ticks);
    if (v->unit)
        put_text(p, bar.x + bar.width + fmax(3.5 * p->em, widest_text(p, &ticks) + 0.8 * p->em) + p->em,
                 bar.y + bar.height / 2.0, v->unit, 0.5, 1, TURNED, fmax(bar.height, l->plot.height));
}

/* The colour of missing elements, explained. */
static void put_missing(struct page *p, const struct layout *l, const struct scale *scale)
{
    const int em = (int)p->em;
    const struct box swatch = { l->plot.x + l->plot.width + 2 * em, l->plot.y + l->plot.height + (int)(2.4 * em),
                                (int)(1.3 * p->em), em };

    fill_box(p, swatch, missing_colour(scale->map));
    frame_box(p, swatch);
    put_text(p, swatch.x + swatch.width + 0.6 * p->em, swatch.y + swatch.height / 2.0, "missing", 0, 1, 0, 0);
}

int draw_image(const struct view *v, struct page *p, const struct layout *l)
{
    char footnote[FOOTNOTE_BYTES];
    struct scale scale;
    struct ticks ticks;
    struct grid g;
    int status = read_grid(v, l->plot.height, l->plot.width, &g);

    if (status == DONE)
        status = choose_scale(v, &g, &scale);
    if (status == DONE) {
        put_cells(v, p, l->plot, &g, &scale);
        frame_box(p, l->plot);
        fitting_ticks(p, &v->axis[0], LEFT_SIDE, l->plot.height, &ticks);
        put_ticks(p, l->plot, LEFT_SIDE, &ticks);
        grid_footnote(&g, footnote);
        put_words(p, l, v, &ticks, footnote);
        if (g.low <= g.high)
            put_bar(v, p, l, &scale);
        if (g.some_missing)
            put_missing(p, l, &scale);
    }
    free_grid(&g);
    return status;
}
