/* The picture of many chunks: segments as areas. In the order of growth, each adds rows below or columns to the right
 * of the rectangle that is covered. Several together are a rectangle or an angle. */
#include <inttypes.h>
#include <math.h>

#include "map_picture.h"
#include "show/draw/draw.h"

static const double thinnest = 2; /* pixels; thinner segments are drawn together */
static const double outlined = 5; /* thinner ones have an outline of their own colour, which hides seams */
static const double label_size = 11, label_height = 14;

struct area {
    int64_t rows, columns;         /* covered before it */
    int64_t new_rows, new_columns; /* and with it */
    int64_t first, last;           /* addresses */
    int64_t k0, k1;                /* numbers of its segments, for the colour */
    int64_t segments;
};

/* The thicker of its two arms. */
static double thickness(const struct map_picture *p, const struct area *area)
{
    const double right = (double)(area->new_columns - area->columns) * p->dx;
    const double below = (double)(area->new_rows - area->rows) * p->dy;

    return fmax(right, below);
}

static void put_label(FILE *out, const struct map_picture *p, const struct area *area)
{
    const double right = (double)(area->new_columns - area->columns) * p->dx;
    const double below = (double)(area->new_rows - area->rows) * p->dy;
    const bool lying = area->columns == 0 || area->rows == 0 || below >= right; /* the arm for the label */
    const double x0 = lying ? 0 : (double)area->columns * p->dx;
    const double x1 = (double)area->new_columns * p->dx;
    const double y0 = lying && area->columns > 0 ? (double)area->rows * p->dy : 0;
    const double y1 = (double)area->new_rows * p->dy;
    char text[48];
    double width;

    if (area->first == area->last)
        (void)snprintf(text, sizeof text, "%" PRId64, area->first);
    else
        (void)snprintf(text, sizeof text, "%" PRId64 "\u2013%" PRId64, area->first, area->last);
    width = svg_text_width(text, label_size) + 6;
    if (x1 - x0 >= width && y1 - y0 >= label_height)
        (void)fprintf(out, "<text x=\"%g\" y=\"%g\">%s</text>\n", (x0 + x1) / 2, (y0 + y1) / 2 + 4, text);
    else if (y1 - y0 >= width && x1 - x0 >= label_height)
        (void)fprintf(out, "<text transform=\"translate(%g %g) rotate(-90)\">%s</text>\n", (x0 + x1) / 2 + 4,
                      (y0 + y1) / 2, text);
}

static void put_shape(FILE *out, const struct map_picture *p, const struct area *area)
{
    const double x0 = (double)area->columns * p->dx, x1 = (double)area->new_columns * p->dx;
    const double y0 = (double)area->rows * p->dy, y1 = (double)area->new_rows * p->dy;
    const int64_t middle = area->k0 + (area->k1 - area->k0) / 2;
    const int64_t k = area->segments > 1 ? middle / 2 * 2 : middle; /* one of the plain colours if they are many */
    char fill[COLOUR_TEXT_BYTES], line[COLOUR_TEXT_BYTES];

    (void)series_colour(k, p->segments, fill);
    (void)fprintf(out, "<path fill=\"%s\" stroke=\"%s\"", fill,
                  thickness(p, area) >= outlined ? series_line_colour(k, p->segments, line) : fill);
    if (area->rows == 0 || area->columns == 0)
        (void)fprintf(out, " d=\"M0 0H%gV%gH0Z\"/>\n", x1, y1);
    else if (area->rows == area->new_rows)
        (void)fprintf(out, " d=\"M%g 0H%gV%gH%gZ\"/>\n", x0, x1, y1, x0);
    else if (area->columns == area->new_columns)
        (void)fprintf(out, " d=\"M0 %gH%gV%gH0Z\"/>\n", y0, x1, y1);
    else
        (void)fprintf(out, " d=\"M%g 0H%gV%gH0V%gH%gZ\"/>\n", x0, x1, y1, y0, x0);
}

/* Does it stand for several segments? */
static bool put_area(FILE *out, const struct map_picture *p, const struct area *area)
{
    if (area->segments == 0)
        return false;
    (void)fprintf(out, "<g class=\"area\">");
    put_shape(out, p, area);
    put_label(out, p, area);
    (void)fprintf(out, "</g>\n");
    return area->segments > 1;
}

/* An empty area after `area`. */
static struct area next_area(const struct area *area)
{
    return (struct area){ .rows = area->new_rows,
                          .columns = area->new_columns,
                          .new_rows = area->new_rows,
                          .new_columns = area->new_columns };
}

static void add_segment(struct area *area, const struct step *step, const struct slice_part *part, int64_t k)
{
    if (area->segments++ == 0) {
        area->first = step->address;
        area->k0 = k;
    }
    area->last = step->address + step->chunks - 1;
    area->k1 = k;
    area->new_rows = part->hi[0];
    area->new_columns = part->hi[1];
}

/* The segments of any array are boxes: so are their areas. */
static void put_boxes(FILE *out, const struct map_picture *p)
{
    char fill[COLOUR_TEXT_BYTES], line[COLOUR_TEXT_BYTES];
    int64_t k = 0;

    for (int64_t i = 0; i < p->list->n; i++) {
        const struct segment *s = &p->list->of[i];
        const double width = (double)(s->part.hi[1] - s->part.lo[1]) * p->dx,
                     height = (double)(s->part.hi[0] - s->part.lo[0]) * p->dy;
        struct area area = { .new_rows = s->part.hi[0] - s->part.lo[0],
                             .new_columns = s->part.hi[1] - s->part.lo[1],
                             .first = s->first,
                             .last = s->last };

        if (!s->drawn)
            continue;
        (void)fprintf(out,
                      "<g class=\"area\" transform=\"translate(%g %g)\">"
                      "<rect width=\"%g\" height=\"%g\" fill=\"%s\" stroke=\"%s\"/>\n",
                      (double)s->part.lo[1] * p->dx, (double)s->part.lo[0] * p->dy, width, height,
                      series_colour(k, p->segments, fill), series_line_colour(k, p->segments, line));
        put_label(out, p, &area);
        (void)fprintf(out, "</g>\n");
        k++;
    }
}

bool put_map_areas(FILE *out, const struct map_picture *p)
{
    struct growth_steps steps;
    struct slice_part part;
    struct area area = { 0 }, single;
    int64_t k = 0;
    bool merged = false;

    (void)fprintf(out, "<g font-size=\"%g\" text-anchor=\"middle\" stroke-width=\"0.8\">\n", label_size);
    if (p->list)
        put_boxes(out, p);
    begin_steps(&steps, p->a);
    while (!p->list && next_part(&steps, p->slice, &part)) {
        single = next_area(&area);
        add_segment(&single, &steps.step, &part, k);
        if (thickness(p, &single) >= thinnest) {
            merged |= put_area(out, p, &area);
            area = single;
        } else {
            add_segment(&area, &steps.step, &part, k);
        }
        if (thickness(p, &area) >= thinnest) {
            merged |= put_area(out, p, &area);
            area = next_area(&area);
        }
        k++;
    }
    merged |= put_area(out, p, &area);
    (void)fprintf(out, "</g>\n");
    put_map_bounds(out, p);
    return merged;
}
