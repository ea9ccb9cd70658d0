/* One axis as a line. */
#include <math.h>

#include "view_png.h"

enum { FEW_POINTS = 64, LINE_COLOUR = 0x1f5fa8 };

struct pen {
    struct page *p;
    struct box box;
    double low, high;
    bool begun; /* a stroke has a first point */
};

static double y_of(const struct pen *c, double number)
{
    const double part = part_of(c->low, c->high, number);

    return c->box.y + c->box.height * (1 - fmin(fmax(part, -1), 2)); /* infinities leave the frame */
}

static double x_of(const struct pen *c, const struct view *v, const struct line *l, int64_t i)
{
    return c->box.x + c->box.width * point_place(&v->axis[0], l, i);
}

static void line_to(struct pen *c, double x, double number)
{
    if (c->begun)
        cairo_line_to(c->p->cr, x, y_of(c, number));
    else
        cairo_move_to(c->p->cr, x, y_of(c, number));
    c->begun = true;
}

static void put_dot(struct pen *c, double x, double number, double size)
{
    cairo_new_sub_path(c->p->cr);
    cairo_arc(c->p->cr, x, y_of(c, number), size * c->p->em, 0, 4 * acos(0.0));
    cairo_fill(c->p->cr);
}

static void put_curve(struct pen *c, const struct view *v, const struct line *l)
{
    for (int64_t i = 0; i < l->points; i++) {
        const double x = x_of(c, v, l, i);

        if (isnan(l->low[i])) {
            c->begun = false; /* a gap */
            continue;
        }
        line_to(c, x, l->first[i]);
        line_to(c, x, l->low[i]);
        line_to(c, x, l->high[i]);
        line_to(c, x, l->last[i]);
    }
    cairo_set_line_width(c->p->cr, 0.12 * c->p->em);
    cairo_set_line_join(c->p->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_stroke(c->p->cr);
    cairo_set_line_width(c->p->cr, c->p->line);
    for (int64_t i = 0; i < l->points; i++) {
        const bool alone = (i == 0 || isnan(l->low[i - 1])) && (i + 1 == l->points || isnan(l->low[i + 1]));

        if (!isnan(l->low[i]) && (alone || l->points <= FEW_POINTS))
            put_dot(c, x_of(c, v, l, i), l->last[i], l->points <= FEW_POINTS ? 0.25 : 0.12);
    }
}

static void put_line_across(const struct pen *c, double y, uint32_t colour)
{
    set_colour(c->p, colour);
    cairo_move_to(c->p->cr, c->box.x, floor(y) + 0.5);
    cairo_rel_line_to(c->p->cr, c->box.width, 0);
    cairo_stroke(c->p->cr);
}

/* Lines across the frame at the ticks, a darker one at zero. */
static void put_grid(const struct pen *c, const struct line *l, const struct ticks *down)
{
    for (int i = 0; i < down->n; i++)
        put_line_across(c, c->box.y + down->tick[i].value * c->box.height, FAINT);
    if (crosses_zero(l, c->low, c->high))
        put_line_across(c, y_of(c, 0), 0x808080);
}

int read_curve(const struct view *v, struct page *p, struct layout *l, struct curve *curve)
{
    const int status = read_line(v, l->plot.width, &curve->line);
    double left, right = 0;
    struct ticks ticks;

    if (status != DONE)
        return status;
    line_range(v, &curve->line, &curve->low, &curve->high);
    fitting_number_ticks(p, curve->low, curve->high, v->whole, l->plot.height, &curve->ticks);
    left = widest_text(p, &curve->ticks) + (v->unit ? 4 : 2.3) * p->em;
    fitting_ticks(p, &v->axis[0], BOTTOM_SIDE, l->plot.width, &ticks);
    for (int i = 0; i < ticks.n; i++)
        right = fmax(right, (ticks.tick[i].value - 1) * l->plot.width + text_width(p, ticks.tick[i].text, 1, 0) / 2);
    l->left = (int)ceil(fmax(l->left, fmin(left, p->width / 2.0)));
    l->right = (int)ceil(fmax(l->right, fmin(right + 0.5 * p->em, p->width / 4.0)));
    lay_out(l, p, v);
    return DONE;
}

void draw_curve(const struct view *v, struct page *p, const struct layout *l, const struct curve *curve)
{
    struct pen c = { .p = p, .box = l->plot, .low = curve->low, .high = curve->high };
    char footnote[FOOTNOTE_BYTES];

    put_grid(&c, &curve->line, &curve->ticks);
    cairo_save(p->cr);
    cairo_rectangle(p->cr, l->plot.x, l->plot.y, l->plot.width, l->plot.height);
    cairo_clip(p->cr);
    set_colour(p, LINE_COLOUR);
    put_curve(&c, v, &curve->line);
    cairo_restore(p->cr);
    frame_box(p, l->plot);
    put_ticks(p, l->plot, LEFT_SIDE, &curve->ticks, 1);
    line_footnote(v, &curve->line, footnote);
    put_words(p, l, v, &curve->ticks, footnote);
}
