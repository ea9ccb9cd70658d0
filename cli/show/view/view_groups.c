/* Which cells of an axis a pixel shows. Each cell belongs to the pixel that its middle lies in, so none is left out;
 * a pixel without a middle shows the cell that covers it. */
#include <math.h>
#include <stdlib.h>

#include "view.h"

/* The first of the cells whose middle is at or after the place. */
static int64_t first_after(const struct axis *x, const struct groups *g, double place)
{
    const double cell = ceil(cell_at_place(x, place) / (double)g->every - 1e-9);

    return cell <= 0 ? 0 : cell >= (double)g->cells ? g->cells : (int64_t)cell;
}

int64_t group_of(const struct groups *g, int64_t cell)
{
    int64_t low = 0, high = g->n;

    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;

        if (g->first[middle] <= cell)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int64_t covering_cell(const struct axis *x, const struct groups *g, int pixel)
{
    const double cell = floor(cell_at_place(x, (pixel + 0.5) / g->pixels) / (double)g->every + 0.5);

    return cell <= 0 ? 0 : cell >= (double)g->cells ? g->cells - 1 : (int64_t)cell;
}

int find_groups(const struct axis *x, int64_t every, int pixels, struct groups *g)
{
    int64_t from = 0, to;

    *g = (struct groups){ .cells = (x->count - 1) / every + 1, .every = every, .pixels = pixels };
    g->first = calloc((size_t)pixels + 1, sizeof *g->first);
    g->of_pixel = calloc((size_t)pixels, sizeof *g->of_pixel);
    if (!g->first || !g->of_pixel)
        return out_of_memory((int64_t)pixels * (int64_t)sizeof *g->first);
    for (int p = 0; p < pixels; p++, from = to) {
        to = p + 1 == pixels ? g->cells : first_after(x, g, (double)(p + 1) / pixels);
        if (to > from) {
            g->first[g->n++] = from;
            g->largest = to - from > g->largest ? to - from : g->largest;
        } else {
            to = from;
        }
        g->of_pixel[p] = to > from ? (int)g->n - 1 : -1;
    }
    g->first[g->n] = g->cells;
    for (int p = 0; p < pixels; p++)
        if (g->of_pixel[p] < 0)
            g->of_pixel[p] = (int)group_of(g, covering_cell(x, g, p));
    return DONE;
}

void free_groups(struct groups *g)
{
    free(g->first);
    free(g->of_pixel);
    *g = (struct groups){ 0 };
}
