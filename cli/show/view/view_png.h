/* The parts of the PNG file that `drx view` makes. */
#pragma once

#include "show/draw/page.h"
#include "view.h"

enum { LEAST_BAR = 9 }; /* the height of the colour bar, in em, where there is room */

struct layout {
    int left, right, top, bottom; /* margins */
    struct box plot;
};

/* Place the frame between the margins, and shrink a page without a given size to its contents. */
void lay_out(struct layout *l, struct page *p, const struct view *v);

void fitting_ticks(struct page *p, const struct axis *x, enum side side, double length, struct ticks *out);
/* Ticks between two numbers, the larger one at place 0: three or more, unless `whole` numbers are too few. */
void fitting_number_ticks(struct page *p, double low, double high, bool whole, double length, struct ticks *out);

/* Title, horizontal axis, names, footnote; `down` are the ticks of the vertical axis. */
void put_words(struct page *p, const struct layout *l, const struct view *v, const struct ticks *down,
               const char *footnote);

struct image {
    struct grid g;
    struct scale scale;
    struct ticks ticks; /* of the colour bar */
    double letters;     /* the size of their texts, in em */
};

struct curve {
    struct line line;
    double low, high;
    struct ticks ticks; /* of the vertical axis */
};

/* Read the numbers, and make the margins wide enough for them. Give the exit code; free in any case. */
int read_image(const struct view *v, struct page *p, struct layout *l, struct image *image);
int read_curve(const struct view *v, struct page *p, struct layout *l, struct curve *curve);

void draw_image(const struct view *v, struct page *p, const struct layout *l, const struct image *image);
void draw_curve(const struct view *v, struct page *p, const struct layout *l, const struct curve *curve);
