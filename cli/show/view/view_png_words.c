/* The words and ticks around the frame of a PNG file. */
#include "view_png.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
