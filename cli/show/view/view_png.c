/* The picture as a PNG file: the page and its margins. */
#include "view_png.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/target.h"
#include "frame/progress.h"

enum { WIDTH = 1000, HEIGHT = 700, LINE_HEIGHT = 460, LETTERS = 13 };

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

static cairo_status_t write_bytes(void *target, const unsigned char *bytes, unsigned n)
{
    return write_target(target, bytes, n) == DONE ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static int draw(const struct view *v, struct target *target)
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
        status = interrupted() ? FAILED : write_page(&p, target->name, write_bytes, target);
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
