/* The legend of the picture: the creation and growth of the array. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map_picture.h"
#include "show/draw/draw.h"

enum { SHOWN = 24, LINES = 2 * SHOWN + 4 }; /* steps, and with the gaps between them */

static const double size = 12, line_height = 20, indent = 24, between = 14;
static const double longest_name = 150;

struct line {
    char *text;      /* NULL: steps left out */
    char range[48];  /* addresses */
    int64_t segment; /* its number among those with a colour; -1: it has none */
    int64_t left_out;
};

struct legend {
    const struct map_picture *p;
    struct line lines[LINES];
    int nlines;
    bool good; /* memory was enough */
};

static char *step_text(const drx_array *a, const struct step *step, bool shells)
{
    char numbers[NUMBERS_TEXT_BYTES];
    char *axis = NULL, *text = NULL;
    int n;

    if (step->axis < 0) {
        n = asprintf(&text, "made as %s%s", numbers_text(drx_ndim(a), drx_initial_shape(a), " \u00d7 ", numbers),
                     shells ? ", in shells" : "");
        return n < 0 ? NULL : text;
    }
    axis = map_axis_text(a, step->axis, longest_name, size);
    if (!axis)
        return NULL;
    if (step->shell)
        n = asprintf(&text, "shell: %s +%" PRId64 " chunk%s", axis, step->by, step->by == 1 ? "" : "s");
    else if (step->growths > 1)
        n = asprintf(&text, "%s +%" PRId64 " in %" PRId64 " growths", axis, step->by, step->growths);
    else
        n = asprintf(&text, "%s +%" PRId64, axis, step->by);
    free(axis);
    return n < 0 ? NULL : text;
}

static void add_line(struct legend *l, const struct step *step, int64_t segment, bool shells)
{
    struct line *line = &l->lines[l->nlines++];
    char *text = step_text(l->p->a, step, shells);

    line->segment = segment;
    line->text = text ? svg_shortened(text, 420, size) : NULL;
    free(text);
    l->good = l->good && line->text;
    if (step->chunks == 0)
        (void)snprintf(line->range, sizeof line->range, step->axis < 0 ? "no chunks" : "no new chunks");
    else if (segment < 0)
        (void)snprintf(line->range, sizeof line->range, "not in this slice");
    else if (step->chunks == 1)
        (void)snprintf(line->range, sizeof line->range, "%" PRId64, step->address);
    else
        (void)snprintf(line->range, sizeof line->range, "%" PRId64 "\u2013%" PRId64, step->address,
                       step->address + step->chunks - 1);
}

/* The lines for segments: the creation, and growth at an end of an axis. */
static void add_segment_line(struct legend *l, const struct segment *s, int64_t k)
{
    struct line *line = &l->lines[l->nlines++];
    char numbers[NUMBERS_TEXT_BYTES];
    const drx_array *a = l->p->a;
    char *axis = map_axis_text(a, s->axis, longest_name, size), *text = NULL;
    int n = -1;

    if (axis && s->made)
        n = asprintf(&text, "made as %s", numbers_text(drx_ndim(a), drx_initial_shape(a), " \u00d7 ", numbers));
    else if (axis)
        n = asprintf(&text, "%s, %s end", axis, s->low ? "low" : "high");
    free(axis);
    line->segment = k;
    line->text = n < 0 ? NULL : svg_shortened(text, 420, size);
    if (n >= 0)
        free(text);
    l->good = l->good && line->text;
    if (s->first == s->last)
        (void)snprintf(line->range, sizeof line->range, "%" PRId64, s->first);
    else
        (void)snprintf(line->range, sizeof line->range, "%" PRId64 "\u2013%" PRId64, s->first, s->last);
}

static void leave_out(struct legend *l)
{
    if (l->nlines == 0 || l->lines[l->nlines - 1].text)
        l->lines[l->nlines++] = (struct line){ .segment = -1 };
    l->lines[l->nlines - 1].left_out++;
}

/* Those in the picture; if they are many, the first and the last. */
static void gather_segments(struct legend *l)
{
    const struct segments *list = l->p->list;
    int64_t k = 0;

    for (int64_t i = 0; i < list->n; i++) {
        if (!list->of[i].drawn)
            continue;
        if (list->drawn <= SHOWN || k < SHOWN / 2 || k >= list->drawn - SHOWN / 2)
            add_segment_line(l, &list->of[i], k);
        else
            leave_out(l);
        k++;
    }
}

/* If there are many steps, leave out those without a segment in the picture; if still many, those in the middle. The
 * first always has a line. */
static void gather_lines(struct legend *l)
{
    const struct map_picture *p = l->p;
    struct growth_steps steps;
    struct slice_part part;
    drx_spec spec;
    int64_t total = 0, k = 0, seen = 0;

    drx_describe(p->a, &spec);
    begin_steps(&steps, p->a);
    while (next_step(&steps))
        total++;
    begin_steps(&steps, p->a);
    while (next_step(&steps)) {
        const bool drawn = part_of_slice(&steps.step, p->slice, drx_ndim(p->a), &part);
        const int64_t of = total <= SHOWN ? total : p->segments;
        const bool first = steps.step.axis < 0;

        if (total <= SHOWN || first || (drawn && (of <= SHOWN || seen < SHOWN / 2 || seen >= of - SHOWN / 2)))
            add_line(l, &steps.step, drawn ? k : -1, (spec.flags & DRX_SHELL) != 0);
        else
            leave_out(l);
        seen += total <= SHOWN || drawn;
        k += drawn;
    }
}

static void put_legend_line(FILE *out, const struct map_picture *p, const struct line *line, double x, double y,
                            double range_x)
{
    char colour[COLOUR_TEXT_BYTES];

    if (!line->text) {
        (void)fprintf(out, "<text x=\"%g\" y=\"%g\" fill=\"%s\">\u2026 %" PRId64 " more</text>\n", x + indent, y + 14,
                      map_grey, line->left_out);
        return;
    }
    if (line->segment >= 0)
        (void)fprintf(out, "<rect class=\"swatch\" x=\"%g\" y=\"%g\" width=\"16\" height=\"13\" fill=\"%s\"", x, y + 3,
                      series_colour(line->segment, p->segments, colour));
    else
        (void)fprintf(out, "<rect x=\"%g\" y=\"%g\" width=\"16\" height=\"13\" fill=\"none\" stroke-dasharray=\"2 2\"",
                      x, y + 3);
    (void)fprintf(out, " stroke=\"%s\"/>\n<text x=\"%g\" y=\"%g\">",
                  line->segment >= 0 ? series_line_colour(line->segment, p->segments, colour) : map_grey, x + indent,
                  y + 14);
    svg_put_text(out, line->text);
    (void)fprintf(out, "</text>\n<text class=\"range\" x=\"%g\" y=\"%g\" fill=\"%s\">%s</text>\n", range_x, y + 14,
                  map_grey, line->range);
}

static void put_lines(FILE *out, const struct legend *l, double width, double legend_size[2])
{
    double text_width = 0, range_width = 0, column;
    int columns, high;

    for (int i = 0; i < l->nlines; i++)
        if (l->lines[i].text) {
            text_width = fmax(text_width, svg_text_width(l->lines[i].text, size));
            range_width = fmax(range_width, svg_text_width(l->lines[i].range, size));
        }
    column = indent + text_width + between + range_width;
    columns = (int)fmax(1, fmin(floor((width + 2 * between) / (column + 2 * between)), l->nlines));
    high = l->nlines ? (l->nlines + columns - 1) / columns : 1;
    columns = (l->nlines + high - 1) / high;
    (void)fprintf(out, "<text y=\"12\" font-weight=\"bold\">Growth, and the addresses of its chunks</text>\n");
    for (int i = 0; i < l->nlines; i++) {
        const double x = i / high * (column + 2 * between);

        put_legend_line(out, l->p, &l->lines[i], x, 20 + i % high * line_height, x + indent + text_width + between);
    }
    legend_size[0] = fmax(columns * (column + 2 * between) - 2 * between, 280);
    legend_size[1] = 20 + high * line_height;
}

bool put_map_legend(FILE *out, const struct map_picture *p, double width, double legend_size[2])
{
    struct legend l = { .p = p, .good = true };

    if (p->list)
        gather_segments(&l);
    else
        gather_lines(&l);
    (void)fprintf(out, "<g class=\"legend\" font-size=\"%g\" fill=\"%s\">\n", size, map_ink);
    if (l.good)
        put_lines(out, &l, width, legend_size);
    (void)fprintf(out, "</g>\n");
    for (int i = 0; i < l.nlines; i++)
        free(l.lines[i].text);
    return l.good;
}
