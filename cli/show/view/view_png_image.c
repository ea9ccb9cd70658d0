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
    const int least = room < LEAST_BAR * em ? room : LEAST_BAR * em;
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

/* From the bar to the middle of the unit. */
static double unit_distance(struct page *p, const struct image *image)
{
    return fmax(3.5 * p->em, image->letters * widest_text(p, &image->ticks) + 0.8 * p->em) + p->em;
}

/* From the plot to the end of what stands at the bar. */
static double bar_room(const struct view *v, struct page *p, const struct image *image)
{
    const double texts = widest_text(p, &image->ticks) * image->letters + 0.75 * p->em;

    return 2 * p->em + 1.3 * p->em + (v->unit ? unit_distance(p, image) + 0.7 * p->em : texts) + 0.6 * p->em;
}

static void put_bar(const struct view *v, struct page *p, const struct layout *l, const struct image *image)
{
    const struct scale *scale = &image->scale;
    const struct box bar = place_bar(p, l, scale);

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
    put_ticks(p, bar, RIGHT_SIDE, &image->ticks, image->letters);
    if (v->unit)
        put_text(p, bar.x + bar.width + unit_distance(p, image), bar.y + bar.height / 2.0, v->unit, 0.5, 1, TURNED,
                 fmax(bar.height, l->plot.height));
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

/* ---- the margin of the bar ---- */

/* At quarters of a circle in degrees. */
static void circle_ticks(struct page *p, const struct scale *scale, double length, struct ticks *out)
{
    const int parts = length < 8 * p->em ? 2 : 4;

    for (out->n = 0; out->n <= parts; out->n++) {
        out->tick[out->n].value = 1 - (double)out->n / parts;
        number_text(scale->low + out->n * 360.0 / parts, 1, out->tick[out->n].text);
    }
}

static void find_ticks(const struct view *v, struct page *p, const struct layout *l, struct image *image)
{
    const struct scale *scale = &image->scale;
    const double length = place_bar(p, l, scale).height;

    if (scale->map == CYCLIC && v->period == 360 && scale->high - scale->low == 360)
        circle_ticks(p, scale, length, &image->ticks);
    else
        fitting_number_ticks(p, scale->low, scale->high, v->whole, length, &image->ticks);
}

static int read_once(const struct view *v, struct page *p, const struct layout *l, struct image *image)
{
    int status;

    free_grid(&image->g);
    status = read_grid(v, l->plot.height, l->plot.width, &image->g);
    if (status == DONE)
        status = choose_scale(v, &image->g, &image->scale);
    if (status == DONE)
        find_ticks(v, p, l, image);
    return status;
}

/* A page of no given size gets wider where numbers at the bar are long; in another one the image gets smaller, and
 * then the letters. */
int read_image(const struct view *v, struct page *p, struct layout *l, struct image *image)
{
    int status, need, most;

    image->letters = 1;
    status = read_once(v, p, l, image);
    if (status != DONE)
        return status;
    need = (int)ceil(bar_room(v, p, image));
    if (need <= l->right)
        return DONE;
    if (!v->wish->width) {
        p->width += need - l->right;
        l->right = need;
        return DONE;
    }
    most = p->width - l->left - (int)(4 * p->em);
    need = need < most ? need : most;
    l->right = need > l->right ? need : l->right;
    lay_out(l, p, v);
    status = read_once(v, p, l, image);
    need = status == DONE ? (int)ceil(bar_room(v, p, image)) : 0;
    if (need > l->right)
        image->letters = fmax(0.3, 1 - (need - l->right) / widest_text(p, &image->ticks));
    return status;
}

void draw_image(const struct view *v, struct page *p, const struct layout *l, const struct image *image)
{
    const struct grid *g = &image->g;
    char footnote[FOOTNOTE_BYTES];
    struct ticks ticks;

    put_cells(v, p, l->plot, g, &image->scale);
    frame_box(p, l->plot);
    fitting_ticks(p, &v->axis[0], LEFT_SIDE, l->plot.height, &ticks);
    put_ticks(p, l->plot, LEFT_SIDE, &ticks, 1);
    grid_footnote(v, g, footnote);
    put_words(p, l, v, &ticks, footnote);
    if (g->low <= g->high)
        put_bar(v, p, l, image);
    if (g->some_missing)
        put_missing(p, l, &image->scale);
}
