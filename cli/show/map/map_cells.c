/* The picture of few chunks: each is a cell with its address. */
#include <inttypes.h>

#include "map_picture.h"
#include "show/draw/draw.h"

/* The index of the chunk in a row and column of the slice. */
static void chunk_at(const struct map_picture *p, int64_t row, int64_t column, int64_t index[])
{
    for (int j = 0; j < drx_ndim(p->a); j++)
        index[j] = j == p->slice->down     ? p->slice->first[0] + row
                   : j == p->slice->across ? p->slice->first[1] + column
                                           : p->slice->at[j];
}

static void put_cells(FILE *out, const struct map_picture *p, const struct slice_part *part, const char *colour)
{
    (void)fprintf(out, "<g class=\"segment\" fill=\"%s\" stroke=\"#ffffff\">\n", colour);
    for (int64_t row = part->lo[0]; row < part->hi[0]; row++)
        for (int64_t column = part->lo[1]; column < part->hi[1]; column++)
            (void)fprintf(out, "<rect class=\"chunk\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n",
                          (double)column * p->dx, (double)row * p->dy, p->dx, p->dy);
    (void)fprintf(out, "</g>\n");
}

static void put_outline(FILE *out, const struct map_picture *p, const struct slice_part *part, const char *colour)
{
    (void)fprintf(out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" stroke=\"%s\"/>\n",
                  (double)part->lo[1] * p->dx, (double)part->lo[0] * p->dy, (double)(part->hi[1] - part->lo[1]) * p->dx,
                  (double)(part->hi[0] - part->lo[0]) * p->dy, colour);
}

static void put_segment(FILE *out, const struct map_picture *p, const struct slice_part *part, int64_t k, bool outline)
{
    char colour[COLOUR_TEXT_BYTES];

    if (outline)
        put_outline(out, p, part, series_line_colour(k, p->segments, colour));
    else
        put_cells(out, p, part, series_colour(k, p->segments, colour));
}

static void put_segments(FILE *out, const struct map_picture *p, bool outlines)
{
    struct growth_steps steps;
    struct slice_part part;
    int64_t k = 0;

    for (int64_t i = 0; p->list && i < p->list->n; i++)
        if (p->list->of[i].drawn)
            put_segment(out, p, &p->list->of[i].part, k++, outlines);
    if (p->list)
        return;
    begin_steps(&steps, p->a);
    for (; next_part(&steps, p->slice, &part); k++)
        put_segment(out, p, &part, k, outlines);
}

/* Does the line of the bounds cross the chunk? */
static bool is_crossed(const struct map_picture *p, int64_t row, int64_t column)
{
    return (double)row + 1 > map_reach(p, p->slice->down) || (double)column + 1 > map_reach(p, p->slice->across) ||
           (double)row < map_begin(p, p->slice->down) || (double)column < map_begin(p, p->slice->across);
}

static drx_status put_addresses(FILE *out, const struct map_picture *p)
{
    static const char halo[] = " stroke=\"#ffffff\" stroke-opacity=\"0.8\" stroke-width=\"3\" paint-order=\"stroke\"";
    int64_t index[DRX_MAX_NDIM];
    int64_t address;
    drx_status st;

    (void)fprintf(out, "<g class=\"addresses\" font-size=\"12\" text-anchor=\"middle\">\n");
    for (int64_t row = 0; row < p->slice->rows; row++)
        for (int64_t column = 0; column < p->slice->columns; column++) {
            chunk_at(p, row, column, index);
            st = drx_chunk_address(p->a, index, &address);
            if (st)
                return st;
            (void)fprintf(out, "<text x=\"%g\" y=\"%g\"%s>%" PRId64 "</text>\n", ((double)column + 0.5) * p->dx,
                          ((double)row + 0.5) * p->dy + 4.2, is_crossed(p, row, column) ? halo : "", address);
        }
    (void)fprintf(out, "</g>\n");
    return DRX_OK;
}

drx_status put_map_cells(FILE *out, const struct map_picture *p)
{
    put_segments(out, p, false);
    (void)fprintf(out, "<g fill=\"none\" stroke-width=\"1.2\">\n");
    put_segments(out, p, true);
    (void)fprintf(out, "</g>\n");
    put_map_bounds(out, p);
    return put_addresses(out, p);
}
