/* The parts of the PNG file that `drx view` makes. */
#ifndef VIEW_PNG_H
#define VIEW_PNG_H

#include "show/draw/page.h"
#include "view.h"

struct layout {
    int left, right, top, bottom; /* margins */
    struct box plot;
};

void fitting_ticks(struct page *p, const struct axis *x, enum side side, double length, struct ticks *out);
void fitting_number_ticks(struct page *p, double low, double high, double length, struct ticks *out);

/* Title, horizontal axis, names, footnote; `down` are the ticks of the vertical axis. */
void put_words(struct page *p, const struct layout *l, const struct view *v, const struct ticks *down,
               const char *footnote);

/* Read the numbers and draw everything. Give the exit code. */
int draw_image(const struct view *v, struct page *p, const struct layout *l);
int draw_line(const struct view *v, struct page *p, const struct layout *l);

#endif
