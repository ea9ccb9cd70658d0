/* The picture as a PNG file: the page and its margins. */
#include "view_png.h"

#include <math.h>

#include "files/paths.h"

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
    struct image image = { 0 };
    struct curve curve = { 0 };
    struct page p;
    struct layout l = { 0 };
    int status;

    if (!open_page(&p, 1, 1, em))
        return FAILED;
    p.width = width;
    p.height = height;
    find_margins(&l, &p, v);
    lay_out(&l, &p, v);
    status = v->naxes == 2 ? read_image(v, &p, &l, &image) : read_curve(v, &p, &l, &curve);
    close_page(&p);
    if (status == DONE && !open_page(&p, p.width, p.height, em))
        status = FAILED;
    if (status == DONE) {
        if (v->naxes == 2)
            draw_image(v, &p, &l, &image);
        else
            draw_curve(v, &p, &l, &curve);
        status = interrupted() ? FAILED : write_page(&p, target->name, write_bytes, target);
        close_page(&p);
    }
    free_grid(&image.g);
    free_line(&curve.line);
    return status;
}

int view_png(const struct view *v)
{
    struct target target;

    if (!open_target(&target, v->wish->output))
        return FAILED;
    return close_target(&target, draw(v, &target));
}
