#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fonts.h"
#include "frame/cli.h"
#include "frame/text.h"

static int failed_cairo(const char *name, cairo_status_t status)
{
    return failed("%s: cannot draw: %s", name, cairo_status_to_string(status));
}

bool open_page(struct page *p, int width, int height, double em)
{
    find_fonts();
    memset(p, 0, sizeof *p);
    p->width = width;
    p->height = height;
    p->em = em;
    p->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    p->cr = cairo_create(p->surface);
    if (cairo_status(p->cr) != CAIRO_STATUS_SUCCESS) {
        (void)failed_cairo("picture", cairo_status(p->cr));
        close_page(p);
        return false;
    }
    fill_box(p, (struct box){ 0, 0, width, height }, 0xffffff);
    p->line = em < 20 ? 1 : floor(em / 10);
    cairo_set_line_width(p->cr, p->line);
    return true;
}

void close_page(struct page *p)
{
    cairo_destroy(p->cr);
    cairo_surface_destroy(p->surface);
    p->cr = NULL;
    p->surface = NULL;
}

int write_page(struct page *p, const char *name, cairo_write_func_t write, void *to)
{
    cairo_status_t status = cairo_status(p->cr);

    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_write_to_png_stream(p->surface, write, to);
    if (status == CAIRO_STATUS_SUCCESS || status == CAIRO_STATUS_WRITE_ERROR)
        return status == CAIRO_STATUS_SUCCESS ? DONE : FAILED;
    return failed_cairo(name, status);
}

void set_colour(struct page *p, uint32_t colour)
{
    cairo_set_source_rgb(p->cr, (double)(colour >> 16) / 255, (double)(colour >> 8 & 0xff) / 255,
                         (double)(colour & 0xff) / 255);
}

void fill_box(struct page *p, struct box box, uint32_t colour)
{
    set_colour(p, colour);
    cairo_rectangle(p->cr, box.x, box.y, box.width, box.height);
    cairo_fill(p->cr);
}

void frame_box(struct page *p, struct box box)
{
    set_colour(p, INK);
    cairo_rectangle(p->cr, box.x - p->line / 2, box.y - p->line / 2, box.width + p->line, box.height + p->line);
    cairo_stroke(p->cr);
}

void begin_pixels(struct page *p)
{
    cairo_surface_flush(p->surface);
}

void put_pixel(struct page *p, int x, int y, uint32_t colour)
{
    unsigned char *row =
        cairo_image_surface_get_data(p->surface) + (ptrdiff_t)y * cairo_image_surface_get_stride(p->surface);

    memcpy(row + (size_t)x * sizeof colour, &colour, sizeof colour);
}

void end_pixels(struct page *p)
{
    cairo_surface_mark_dirty(p->surface);
}

static void set_font(struct page *p, double size, int style)
{
    cairo_select_font_face(p->cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           style & BOLD ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(p->cr, p->em * size);
}

static double advance(struct page *p, const char *text)
{
    cairo_text_extents_t extents;

    cairo_text_extents(p->cr, text, &extents);
    return extents.x_advance;
}

double text_width(struct page *p, const char *text, double size, int style)
{
    set_font(p, size, style);
    return advance(p, text);
}

/* As much of the text as there is room for (0: all), to be freed. */
static char *shortened(struct page *p, const char *text, double room)
{
    static const char dots[] = "\u2026";
    size_t n = strlen(text);
    char *copy = calloc(n + sizeof dots, 1);

    if (!copy)
        return NULL;
    memcpy(copy, text, n);
    while (room > 0 && n > 0 && advance(p, copy) > room) {
        n = whole_characters(text, n - 1);
        memcpy(copy + n, dots, sizeof dots);
    }
    return copy;
}

void put_text(struct page *p, double x, double y, const char *text, double align, double size, int style, double room)
{
    cairo_font_extents_t font;
    char *shown;

    set_font(p, size, style);
    set_colour(p, INK);
    shown = shortened(p, text, room);
    if (!shown)
        return;
    cairo_font_extents(p->cr, &font);
    cairo_save(p->cr);
    cairo_translate(p->cr, x, y);
    if (style & TURNED)
        cairo_rotate(p->cr, -acos(0.0));
    cairo_move_to(p->cr, -align * advance(p, shown), 0.37 * p->em * size); /* capitals are 0.73 em high */
    cairo_show_text(p->cr, shown);
    cairo_restore(p->cr);
    free(shown);
}

double widest_text(struct page *p, const struct ticks *ticks)
{
    double widest = 0;

    for (int i = 0; i < ticks->n; i++)
        widest = fmax(widest, text_width(p, ticks->tick[i].text, 1, 0));
    return widest;
}

bool ticks_fit(struct page *p, const struct ticks *ticks, enum side side, double length)
{
    double room, need;

    for (int i = 1; i < ticks->n; i++) {
        room = fabs(ticks->tick[i].value - ticks->tick[i - 1].value) * length;
        need = 1.5 * p->em;
        if (side == BOTTOM_SIDE)
            need =
                p->em + (text_width(p, ticks->tick[i].text, 1, 0) + text_width(p, ticks->tick[i - 1].text, 1, 0)) / 2;
        if (room < need)
            return false;
    }
    return true;
}

static void put_tick(struct page *p, struct box box, enum side side, const struct tick *tick)
{
    const double length = floor(0.35 * p->em);
    const double x = floor(box.x + tick->value * box.width), y = floor(box.y + tick->value * box.height);

    set_colour(p, INK);
    if (side == BOTTOM_SIDE) {
        cairo_move_to(p->cr, fmin(x, box.x + box.width - 1) + 0.5, box.y + box.height + 1);
        cairo_rel_line_to(p->cr, 0, length);
    } else {
        cairo_move_to(p->cr, side == LEFT_SIDE ? box.x - 1 : box.x + box.width + 1,
                      fmin(y, box.y + box.height - 1) + 0.5);
        cairo_rel_line_to(p->cr, side == LEFT_SIDE ? -length : length, 0);
    }
    cairo_stroke(p->cr);
    if (side == BOTTOM_SIDE)
        put_text(p, x, box.y + box.height + length + p->em, tick->text, 0.5, 1, 0, 0);
    else if (side == LEFT_SIDE)
        put_text(p, box.x - length - 0.4 * p->em, y, tick->text, 1, 1, 0, 0);
    else
        put_text(p, box.x + box.width + length + 0.4 * p->em, y, tick->text, 0, 1, 0, 0);
}

void put_ticks(struct page *p, struct box box, enum side side, const struct ticks *ticks)
{
    for (int i = 0; i < ticks->n; i++)
        if (ticks->tick[i].value >= -1e-9 && ticks->tick[i].value <= 1 + 1e-9)
            put_tick(p, box, side, &ticks->tick[i]);
}
