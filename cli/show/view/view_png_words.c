/* The frame of a PNG file, and the words and ticks around it. */
#include "view_png.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lay_out(struct layout *l, struct page *p, const struct view *v)
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

static void number_ticks(double low, double high, int most, bool whole, struct ticks *out)
{
    round_ticks(low, high, most, whole, out);
    if (whole && out->n == 0)
        round_ticks(low, high, most, false, out);
    for (int i = 0; i < out->n; i++)
        out->tick[i].value = 1 - part_of(low, high, out->tick[i].value);
}

/* Where round numbers are too few: at both ends and in the middle. */
static void three_ticks(double low, double high, struct ticks *out)
{
    const double numbers[] = { low, low / 2 + high / 2, high };

    for (out->n = 0; out->n < 3; out->n++) {
        out->tick[out->n].value = 1 - out->n / 2.0;
        number_text(numbers[out->n], high / 100 - low / 100, out->tick[out->n].text);
    }
}

void fitting_number_ticks(struct page *p, double low, double high, bool whole, double length, struct ticks *out)
{
    const int room = (int)(length / p->em / 2.5), most = room > 12 ? 12 : room < 2 ? 2 : room;
    struct ticks more;

    number_ticks(low, high, most, whole, out);
    for (int i = most + 1; i <= MOST_TICKS && out->n < 3; i++) {
        number_ticks(low, high, i, whole, &more);
        if (more.n > out->n && ticks_fit(p, &more, RIGHT_SIDE, length))
            *out = more;
    }
    if (out->n < 3 && !whole)
        three_ticks(low, high, out);
}

static void put_title(struct page *p, const struct layout *l, const struct view *v)
{
    const double room = p->width - l->plot.x - p->em;
    const double bar = v->naxes == 2 ? fmax(0, LEAST_BAR * p->em - l->plot.height) / 2 : 0; /* higher than the frame */
    const double top = fmax(0, l->plot.y - l->top - bar);
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
    put_ticks(p, l->plot, BOTTOM_SIDE, &ticks, 1);
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
