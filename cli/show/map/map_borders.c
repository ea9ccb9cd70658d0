/* The indices and names along the borders of the picture. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "map_picture.h"
#include "show/draw/draw.h"

static const double size = 11, title_size = 13, gap = 6;

char *map_axis_text(const drx_array *a, int axis, double width, double font_size)
{
    const char *name = drx_dim_name(a, axis);
    char *shown = name ? svg_shortened(name, width, font_size) : NULL;
    char *text;

    if (name && !shown)
        return NULL;
    if (asprintf(&text, shown ? "axis %d (%s)" : "axis %d", axis, shown ? shown : "") < 0)
        text = NULL;
    free(shown);
    return text;
}

static double digits(int64_t n)
{
    return 0.66 * size * snprintf(NULL, 0, "%" PRId64, n);
}

/* The step between indices with a number, so that numbers have room; n indices, `pixels` apart. */
static int64_t stride(int64_t n, double pixels, double room)
{
    static const int64_t nice[] = { 1, 2, 5 };
    int64_t power = 1;

    for (;; power *= 10)
        for (int i = 0; i < 3; i++)
            if ((double)(nice[i] * power) * pixels >= room || nice[i] * power >= n || power > INT64_MAX / 100)
                return nice[i] * power;
}

/* The indices above the columns, or left of the rows. */
static void put_indices(FILE *out, const struct map_picture *p, bool rows)
{
    const int64_t n = rows ? p->slice->rows : p->slice->columns;
    const double pixels = rows ? p->dy : p->dx;
    const int64_t step = p->cells ? 1 : stride(n, pixels, rows ? size + 14 : digits(n) + 16);

    (void)fprintf(out, "<g class=\"%s\" text-anchor=\"%s\">\n", rows ? "rows" : "columns", rows ? "end" : "middle");
    for (int64_t i = 0; i < n; i += step) {
        const double place = ((double)i + (p->cells ? 0.5 : 0)) * pixels;

        if (!p->cells)
            (void)fprintf(out,
                          rows ? "<path d=\"M0 %gh-4\" stroke=\"%s\"/>\n" : "<path d=\"M%g 0v-4\" stroke=\"%s\"/>\n",
                          place, map_grey);
        (void)fprintf(out, "<text x=\"%g\" y=\"%g\">%" PRId64 "</text>\n", rows ? -gap : place, rows ? place + 4 : -gap,
                      p->slice->first[!rows] + i);
        if (i > n - step)
            break; /* i + step may overflow */
    }
    (void)fprintf(out, "</g>\n");
}

bool put_map_borders(FILE *out, const struct map_picture *p, struct map_edges *edges)
{
    const bool two = p->slice->down >= 0;
    char *across = map_axis_text(p->a, p->slice->across, 320, title_size);
    char *down = two ? map_axis_text(p->a, p->slice->down, 320, title_size) : NULL;
    double length;

    if (!across || (two && !down)) {
        free(across);
        free(down);
        return false;
    }
    (void)fprintf(out, "<g font-size=\"%g\" fill=\"%s\">\n", size, map_grey);
    put_indices(out, p, false);
    edges->above = gap + size + 8;
    if (two) {
        put_indices(out, p, true);
        edges->left = gap + fmax(digits(p->slice->rows + p->slice->first[0]), digits(p->slice->first[0])) + 8;
    }
    (void)fprintf(out, "</g>\n<g class=\"axes\" font-size=\"%g\" fill=\"%s\">\n<text x=\"0\" y=\"%g\">", title_size,
                  map_ink, -edges->above);
    svg_put_text(out, across);
    length = svg_text_width(across, title_size);
    edges->right = fmax(digits(p->slice->columns) / 2, length - p->width); /* the last number may extend beyond */
    edges->above += title_size + 4;
    if (two) {
        (void)fprintf(out, "</text>\n<text text-anchor=\"end\" transform=\"translate(%g 0) rotate(-90)\">",
                      -edges->left);
        svg_put_text(out, down);
        edges->below = fmax(4, svg_text_width(down, title_size) - p->height);
        edges->left += title_size + 4;
    }
    (void)fprintf(out, "</text>\n</g>\n");
    free(across);
    free(down);
    return true;
}

double map_begin(const struct map_picture *p, int axis)
{
    const int64_t chunk = axis < 0 ? 1 : drx_chunk(p->a)[axis], n = axis < 0 ? 0 : drx_lower(p->a)[axis] % chunk;

    return (double)(n < 0 ? n + chunk : n) / (double)chunk;
}

double map_reach(const struct map_picture *p, int axis)
{
    return axis < 0 ? 1 : map_begin(p, axis) + (double)drx_shape(p->a)[axis] / (double)drx_chunk(p->a)[axis];
}

void put_map_bounds(FILE *out, const struct map_picture *p)
{
    const double x = map_reach(p, p->slice->across) * p->dx;
    const double y = map_reach(p, p->slice->down) * p->dy;
    const double x0 = map_begin(p, p->slice->across) * p->dx, y0 = map_begin(p, p->slice->down) * p->dy;

    if (x0 > 0 || y0 > 0) {
        (void)fprintf(out,
                      "<path class=\"outside\" fill=\"#ffffff\" fill-opacity=\"0.55\" fill-rule=\"evenodd\" "
                      "d=\"M0 0H%gV%gH0ZM%g %gH%gV%gH%gZ\"/>\n"
                      "<rect class=\"bounds\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"none\" "
                      "stroke=\"%s\" stroke-width=\"2\"/>\n",
                      p->width, p->height, x0, y0, x, y, x0, x0, y0, x - x0, y - y0, map_ink);
        return;
    }
    if (x < p->width || y < p->height)
        (void)fprintf(out,
                      "<path class=\"outside\" fill=\"#ffffff\" fill-opacity=\"0.55\" "
                      "d=\"M%g 0H%gV%gH0V%gH%gZ\"/>\n",
                      x, p->width, p->height, y, x);
    (void)fprintf(out,
                  "<rect class=\"bounds\" width=\"%g\" height=\"%g\" fill=\"none\" stroke=\"%s\" "
                  "stroke-width=\"2\"/>\n",
                  x, y, map_ink);
}
