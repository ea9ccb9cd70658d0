#include "map_picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "files/paths.h"
#include "show/draw/draw.h"

static const double margin = 20, title_size = 16, small = 12;
static const double area_length = 640, area_least = 160, row_height = 44; /* of a picture of segments */

/* The pieces of the picture; each has its own origin. */
struct pieces {
    char *plot, *legend;
    struct map_edges edges; /* round the plot */
    double legend_size[2];
    bool merged; /* thin segments are drawn together */
    bool beside; /* the legend is right of the plot, else below it */
};

static void settle_sizes(struct map_picture *p)
{
    const double rows = (double)p->slice->rows, columns = (double)p->slice->columns;
    const double longest = fmax(rows, columns);
    char last[24];

    p->cells = p->slice->rows <= CELL_TABLE && p->slice->columns <= CELL_TABLE;
    if (p->cells) {
        (void)snprintf(last, sizeof last, "%" PRId64, p->list ? drx_chunk_count(p->a) : chunks_inside(p->a));
        p->dx = fmax(fmin(360 / fmax(columns, 1), 60), svg_text_width(last, 12) + 8);
        p->dy = fmax(fmin(300 / fmax(rows, 1), 40), 24);
        p->width = columns * p->dx;
        p->height = rows * p->dy;
    } else {
        p->width = fmax(columns / longest * area_length, area_least);
        p->height = p->slice->down < 0 ? row_height : fmax(rows / longest * area_length, area_least);
        p->dx = p->width / columns;
        p->dy = p->height / rows;
    }
}

static void count_segments(struct map_picture *p)
{
    struct growth_steps steps;
    struct slice_part part;

    p->segments = p->list ? p->list->drawn : 0;
    begin_steps(&steps, p->a);
    while (!p->list && next_part(&steps, p->slice, &part))
        p->segments++;
}

static int put_plot(FILE *out, const struct map_picture *p, const char *path, struct pieces *pieces)
{
    struct map_edges *edges = &pieces->edges;
    drx_status st = DRX_OK;

    if (chunks_inside(p->a) == 0) {
        (void)fprintf(out, "<text y=\"14\" font-size=\"13\" fill=\"%s\">The array has no chunks yet.</text>\n",
                      map_grey);
        edges->right = 200;
        edges->below = 24;
        return DONE;
    }
    if (!put_map_borders(out, p, edges))
        return out_of_memory(DRX_MAX_NDIM);
    if (p->cells)
        st = put_map_cells(out, p);
    else
        pieces->merged = put_map_areas(out, p);
    return exit_code(path, st);
}

static void put_heading(FILE *out, const struct map_picture *p)
{
    char shape[NUMBERS_TEXT_BYTES], chunk[NUMBERS_TEXT_BYTES];
    const int ndim = drx_ndim(p->a);

    (void)fprintf(out, "%s, %s in chunks of %s: %" PRId64 " chunk%s", drx_type_name(drx_dtype(p->a)),
                  numbers_text(ndim, drx_shape(p->a), " \u00d7 ", shape),
                  numbers_text(ndim, drx_chunk(p->a), " \u00d7 ", chunk), chunks_inside(p->a),
                  chunks_inside(p->a) == 1 ? "" : "s");
    if (p->list && drx_chunk_count(p->a) > chunks_inside(p->a))
        (void)fprintf(out, ", %" PRId64 " free address%s", drx_chunk_count(p->a) - chunks_inside(p->a),
                      drx_chunk_count(p->a) - chunks_inside(p->a) == 1 ? "" : "es");
}

static void put_slice_text(FILE *out, const struct map_picture *p)
{
    const char *between = "";
    char *axis;

    (void)fprintf(out, "slice at chunk index ");
    for (int j = 0; j < drx_ndim(p->a); j++) {
        if (j == p->slice->down || j == p->slice->across)
            continue;
        axis = map_axis_text(p->a, j, 100, small);
        (void)fprintf(out, "%s%" PRId64 " of %s", between, p->slice->at[j], axis ? axis : "");
        free(axis);
        between = ", ";
    }
}

/* A line of text at most `width` wide. Returns the width it has. */
static double put_cut(FILE *out, const char *text, double y, double width, double font_size, const char *style)
{
    char *cut = svg_shortened(text, width, font_size);
    const double has = cut ? svg_text_width(cut, font_size) : 0;

    (void)fprintf(out, "<text x=\"%g\" y=\"%g\" font-size=\"%g\" %s>", margin, y, font_size, style);
    svg_put_text(out, cut ? cut : "");
    (void)fprintf(out, "</text>\n");
    free(cut);
    return has;
}

/* The name of the array, its type and shape, and the slice. Returns the height, and increases *width if it must; *good
 * is false: out of memory. */
static double put_title(FILE *out, const struct map_picture *p, const char *path, double *width, bool *good)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *lines = open_memstream(&text, &bytes);
    double y = margin + title_size - 2;
    const double widest = fmax(*width, 560);
    char *next;

    *good = false;
    if (!lines)
        return 0;
    put_heading(lines, p);
    if (drx_ndim(p->a) > 2) {
        (void)fputc('\n', lines);
        put_slice_text(lines, p);
    }
    *good = fclose(lines) == 0;
    *width =
        fmax(*width, put_cut(out, base_name(path), y, widest, title_size, "font-weight=\"bold\" fill=\"#222222\""));
    for (char *line = *good ? text : NULL; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        y += 19;
        *width = fmax(*width, put_cut(out, line, y, widest, small, "fill=\"#444444\""));
    }
    free(text);
    return y;
}

static int make_pieces(const struct map_picture *p, const char *path, struct pieces *pieces)
{
    size_t bytes;
    FILE *plot = open_memstream(&pieces->plot, &bytes);
    FILE *legend = plot ? open_memstream(&pieces->legend, &bytes) : NULL;
    int status = plot && legend ? DONE : out_of_memory(BUFSIZ);

    pieces->beside = p->width <= 480 || p->width <= 1.7 * p->height;
    if (status == DONE)
        status = put_plot(plot, p, path, pieces);
    if (status == DONE &&
        !put_map_legend(legend, p, pieces->beside ? 0 : pieces->edges.left + p->width, pieces->legend_size))
        status = out_of_memory(BUFSIZ);
    if (plot && fclose(plot) != 0 && status == DONE)
        status = out_of_memory(BUFSIZ);
    if (legend && fclose(legend) != 0 && status == DONE)
        status = out_of_memory(BUFSIZ);
    return status;
}

/* What the picture shows. */
static const char *note_of(const struct map_picture *p, const struct pieces *pieces)
{
    if (chunks_inside(p->a) == 0)
        return "";
    if (p->cells)
        return "In the cells: addresses of chunks. Along the borders: chunk indices. Line: bounds of the array.";
    if (pieces->merged)
        return "Along the borders: chunk indices. Segments too thin to be seen are drawn together.";
    return "In the segments: addresses of chunks. Along the borders: chunk indices. Line: bounds of the array.";
}

static bool put_map_picture(FILE *out, const struct map_picture *p, const struct pieces *pieces, const char *path)
{
    const struct map_edges *e = &pieces->edges;
    const double plot_width = e->left + p->width + e->right, plot_height = e->above + p->height + e->below;
    const double legend_x = pieces->beside ? margin + plot_width + 24 : margin;
    double width = pieces->beside ? plot_width + 24 + pieces->legend_size[0] : fmax(plot_width, pieces->legend_size[0]);
    double top, bottom, legend_y;
    char *head = NULL;
    size_t bytes;
    FILE *title = open_memstream(&head, &bytes);
    bool good;

    if (!title)
        return false;
    top = put_title(title, p, path, &width, &good) + margin;
    legend_y = pieces->beside ? top : top + plot_height + 18;
    bottom = fmax(top + plot_height, legend_y + pieces->legend_size[1]) + 24;
    if (note_of(p, pieces)[0])
        width = fmax(width, put_cut(title, note_of(p, pieces), bottom, 2000, 11, "fill=\"#666666\""));
    if (fclose(title) != 0 || !good) {
        free(head);
        return false;
    }
    width = ceil(width + 2 * margin);
    bottom = ceil(bottom + margin);
    (void)fprintf(out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
                  "font-family=\"sans-serif\" role=\"img\">\n<title>Chunks of ",
                  width, bottom, width, bottom);
    svg_put_text(out, path);
    (void)fprintf(out, "</title>\n<rect width=\"%g\" height=\"%g\" fill=\"#ffffff\"/>\n%s", width, bottom, head);
    (void)fprintf(out, "<g class=\"plot\" transform=\"translate(%g %g)\" fill=\"%s\">\n%s</g>\n", margin + e->left,
                  top + e->above, map_ink, pieces->plot);
    (void)fprintf(out, "<g transform=\"translate(%g %g)\">\n%s</g>\n</svg>\n", legend_x, legend_y, pieces->legend);
    free(head);
    return true;
}

int draw_map(const drx_array *a, const char *path, const struct chunk_slice *slice, const char *output)
{
    struct map_picture p = { .a = a, .slice = slice };
    struct pieces pieces = { 0 };
    struct target target;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out;
    struct segments list = { 0 };
    int status = DONE;

    if (!is_simple(a)) {
        p.list = &list;
        status = find_segments(&list, a, slice) ? DONE : out_of_memory(BUFSIZ);
    }
    settle_sizes(&p);
    count_segments(&p);
    if (status == DONE)
        status = make_pieces(&p, path, &pieces);
    if (status == DONE) {
        out = open_memstream(&text, &bytes);
        if (!out || !put_map_picture(out, &p, &pieces, path))
            status = out_of_memory(BUFSIZ);
        if (out && fclose(out) != 0 && status == DONE)
            status = out_of_memory((int64_t)bytes);
    }
    if (status == DONE)
        status = open_target(&target, output) ? close_target(&target, write_target(&target, text, bytes)) : FAILED;
    free(text);
    free(list.of);
    free(pieces.plot);
    free(pieces.legend);
    return status;
}
