/* The picture as a PNG file: the page, its margins, and the words and ticks around the frame. */
#include "view_png.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/target.h"
#include "frame/progress.h"

enum { WIDTH = 1000, HEIGHT = 700, LINE_HEIGHT = 460, LETTERS = 13 };

/* As many ticks as have room on the side. */
void fitting_ticks(struct page *p, const struct axis *x, enum side side, double length, struct ticks *out)
{
    int most = (int)(length / p->em / (side == BOTTOM_SIDE ? 4 : 2.5));

    most = most > 12 ? 12 : most < 1 ? 1 : most;
    for (; most >= 1; most--) {
        axis_ticks(x, most, out);
        if (ticks_fit(p, out, side, length))
            return;
    }
}

/* The same between two numbers, the larger one at place 0. */
void fitting_number_ticks(struct page *p, double low, double high, double length, struct ticks *out)
{
    const int most = (int)(length / p->em / 2.5);

    round_ticks(low, high, most > 12 ? 12 : most < 2 ? 2 : most, false, out);
    for (int i = 0; i < out->n; i++)
        out->tick[i].value = 1 - part_of(low, high, out->tick[i].value);
}

static void put_title(struct page *p, const struct layout *l, const struct view *v)
{
    const double room = p->width - l->plot.x - p->em;
    const double top = l->plot.y - l->top;
    double size = 1.35;

    while (size > 1 && text_width(p, v->title, size, BOLD) > room)
        size -= 0.05;
    put_text(p, l->plot.x, top + 1.9 * p->em, v->title, 0, size, BOLD, room);
    put_text(p, l->plot.x, top + 3.7 * p->em, v->subtitle, 0, 1, 0, room);
}

void put_words(struct page *p, const struct layout *l, const struct view *v, const struct ticks *down,
               const char *footnote)
{
    const struct axis *right = &v->axis[v->naxes - 1];
    const double bottom = l->plot.y + l->plot.height;
    char *label = axis_words(right);
    struct ticks ticks;

    put_title(p, l, v);
    fitting_ticks(p, right, BOTTOM_SIDE, l->plot.width, &ticks);
    put_ticks(p, l->plot, BOTTOM_SIDE, &ticks);
    if (label)
        put_text(p, l->plot.x + l->plot.width / 2.0, bottom + 2.9 * p->em, label, 0.5, 1, 0,
                 fmax(l->plot.width, p->width - 2 * p->em));
    free(label);
    put_text(p, p->em, p->height - p->em, footnote, 0, 0.8, 0, p->width - 2 * p->em);
    label = v->naxes == 2 ? axis_words(&v->axis[0]) : strdup(v->unit ? v->unit : "");
    if (label)
        put_text(p, l->plot.x - fmin(widest_text(p, down) + 2.2 * p->em, l->left - p->em),
                 l->plot.y + l->plot.height / 2.0, label, 0.5, 1, TURNED, fmax(l->plot.height, p->height - 2 * p->em));
    free(label);
}

static void find_margins(struct layout *l, struct page *p, const struct view *v)
{
    const double em = p->em;
    struct ticks ticks;

    l->top = (int)(em * (v->subtitle[0] ? 5.2 : 3.6));
    l->bottom = (int)(em * 4.9);
    if (v->naxes == 2) {
        fitting_ticks(p, &v->axis[0], LEFT_SIDE, p->height - l->top - l->bottom, &ticks);
        l->left = (int)(em * 4 + fmax(2.2 * em, widest_text(p, &ticks)));
        l->right = (int)(em * (v->unit ? 11.2 : 9.4));
    } else {
        l->left = (int)(em * (v->unit ? 8.5 : 6.8));
        l->right = (int)(em * 2.5);
    }
}

/* Place the frame, and shrink a page without a given size to its contents. */
static void lay_out(struct layout *l, struct page *p, const struct view *v)
{
    const int width = p->width - l->left - l->right, height = p->height - l->top - l->bottom;
    const int least_width = (int)(18 * p->em), least_height = (int)(12 * p->em);
    int room_across = width, room_down = height;

    l->plot.width = width;
    l->plot.height = height;
    if (v->naxes == 2) {
        fit_cells(v, INT16_MAX, &l->plot.width, &l->plot.height);
        if (!v->wish->width) {
            room_across = l->plot.width > least_width ? l->plot.width : least_width;
            room_down = l->plot.height > least_height ? l->plot.height : least_height;
        }
    }
    l->plot.x = l->left + (room_across - l->plot.width) / 2;
    l->plot.y = l->top + (room_down - l->plot.height) / 2;
    p->width = l->left + room_across + l->right;
    p->height = l->top + room_down + l->bottom;
}

static int draw(const struct view *v, const struct target *target)
{
    const int width = v->wish->width ? (int)v->wish->width : WIDTH;
    const int usual = v->naxes == 2 ? HEIGHT : LINE_HEIGHT;
    const int height = v->wish->height ? (int)v->wish->height : usual;
    const double scale = fmin((double)width / WIDTH, (double)height / usual);
    const double em = LETTERS * fmax(scale, 0.7);
    struct page p;
    struct layout l = { 0 };
    int status;

    if (!open_page(&p, 1, 1, em))
        return FAILED;
    p.width = width;
    p.height = height;
    find_margins(&l, &p, v);
    lay_out(&l, &p, v);
    close_page(&p);
    if (!open_page(&p, p.width, p.height, em))
        return FAILED;
    status = v->naxes == 2 ? draw_image(v, &p, &l) : draw_line(v, &p, &l);
    if (status == DONE)
        status = interrupted() ? FAILED : write_page(&p, target);
    close_page(&p);
    return status;
}

int view_png(const struct view *v)
{
    struct target target;

    if (!open_target(&target, v->wish->output))
        return FAILED;
    return close_target(&target, draw(v, &target));
}
