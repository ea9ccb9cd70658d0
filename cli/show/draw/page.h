/* A page that becomes a PNG file, drawn by cairo, with text by Pango. Lengths are in pixels. */
#pragma once

#include <pango/pangocairo.h>

#include "draw.h"

struct page {
    cairo_surface_t *surface;
    cairo_t *cr;
    PangoLayout *layout; /* of the text that is put next */
    int width, height;
    double em;   /* the size of the letters */
    double line; /* the width of lines */
};

struct box {
    int x, y, width, height;
};

enum { INK = 0x262626, FAINT = 0xdddddd };

/* A white page; false after printing why. A page of 1 x 1 serves to measure text. */
bool open_page(struct page *p, int width, int height, double em);
void close_page(struct page *p);

/* Write it as PNG by calls of `write`, which prints its errors; `name`: in messages. Gives the exit code. */
int write_page(struct page *p, const char *name, cairo_write_func_t write, void *to);

void set_colour(struct page *p, uint32_t colour);
void fill_box(struct page *p, struct box box, uint32_t colour);
void frame_box(struct page *p, struct box box);                /* around it */
void put_pixel(struct page *p, int x, int y, uint32_t colour); /* between begin_ and end_pixels */
void begin_pixels(struct page *p);
void end_pixels(struct page *p);

enum { TURNED = 1, BOLD = 2 };

/* Put text with its left end (align 0), middle (0.5) or right end (1) at x, vertically centred on y, and shorten it to
 * `room` (0: do not). TURNED: it goes up; exchange x and y. size: in em. */
void put_text(struct page *p, double x, double y, const char *text, double align, double size, int style, double room);
double text_width(struct page *p, const char *text, double size, int style);

/* Ticks on a side of the box, with their texts; values are places from 0 (top or left) to 1. */
enum side { LEFT_SIDE, BOTTOM_SIDE, RIGHT_SIDE };
/* size: of the texts, in em */
void put_ticks(struct page *p, struct box box, enum side side, const struct ticks *ticks, double size);
double widest_text(struct page *p, const struct ticks *ticks);

/* Is there room between the texts on a side of that length? */
bool ticks_fit(struct page *p, const struct ticks *ticks, enum side side, double length);
