#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/cli.h"

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
    p->layout = pango_cairo_create_layout(p->cr);
    pango_layout_set_single_paragraph_mode(p->layout, TRUE);
    pango_layout_set_ellipsize(p->layout, PANGO_ELLIPSIZE_END);
    fill_box(p, (struct box){ 0, 0, width, height }, 0xffffff);
    p->line = em < 20 ? 1 : floor(em / 10);
    cairo_set_line_width(p->cr, p->line);
    return true;
}

void close_page(struct page *p)
{
    if (p->layout)
        g_object_unref(p->layout);
    cairo_destroy(p->cr);
    cairo_surface_destroy(p->surface);
    p->layout = NULL;
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

/* Lay the text out; Pango takes another font for the letters that DejaVu lacks. room: shorten it to that; 0: do not. */
static void lay_text(struct page *p, const char *text, double size, int style, double room)
{
    PangoFontDescription *font = pango_font_description_new();

    pango_font_description_set_family_static(font, "DejaVu Sans, sans-serif");
    pango_font_description_set_weight(font, style & BOLD ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    pango_font_description_set_absolute_size(font, p->em * size * PANGO_SCALE);
    pango_layout_set_font_description(p->layout, font);
    pango_font_description_free(font);
    pango_layout_set_text(p->layout, text, -1);
    pango_layout_set_width(p->layout, room > 0 ? (int)(room * PANGO_SCALE) : -1);
}

static double laid_width(struct page *p)
{
    int width, height;

    pango_layout_get_size(p->layout, &width, &height);
    return (double)width / PANGO_SCALE;
}

double text_width(struct page *p, const char *text, double size, int style)
{
    lay_text(p, text, size, style, 0);
    return laid_width(p);
}

void put_text(struct page *p, double x, double y, const char *text, double align, double size, int style, double room)
{
    double baseline;

    if (!text[0])
        return;
    lay_text(p, text, size, style, 0);
    if (room > 0 && laid_width(p) > room)
        lay_text(p, text, size, style, room);
    set_colour(p, INK);
    cairo_save(p->cr);
    cairo_translate(p->cr, x, y);
    if (style & TURNED)
        cairo_rotate(p->cr, -acos(0.0));
    pango_cairo_update_layout(p->cr, p->layout);
    baseline = (double)pango_layout_get_baseline(p->layout) / PANGO_SCALE;
    cairo_move_to(p->cr, -align * laid_width(p), 0.37 * p->em * size - baseline); /* capitals are 0.73 em high */
    pango_cairo_show_layout(p->cr, p->layout);
    cairo_restore(p->cr);
    pango_cairo_update_layout(p->cr, p->layout);
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

static void put_tick(struct page *p, struct box box, enum side side, const struct tick *tick, double size)
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
        put_text(p, x, box.y + box.height + length + p->em, tick->text, 0.5, size, 0, 0);
    else if (side == LEFT_SIDE)
        put_text(p, box.x - length - 0.4 * p->em, y, tick->text, 1, size, 0, 0);
    else
        put_text(p, box.x + box.width + length + 0.4 * p->em, y, tick->text, 0, size, 0, 0);
}

void put_ticks(struct page *p, struct box box, enum side side, const struct ticks *ticks, double size)
{
    for (int i = 0; i < ticks->n; i++)
        if (ticks->tick[i].value >= -1e-9 && ticks->tick[i].value <= 1 + 1e-9)
            put_tick(p, box, side, &ticks->tick[i], size);
}
