#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame/team.h"
#include "show/view/view.h"
#include "verbs.h"

enum {
    LEAST_WIDTH = 200,
    LEAST_HEIGHT = 150,
    MOST_PIXELS = 4000,
    LEAST_COLUMNS = 20,
    LEAST_ROWS = 8,
    MOST_COLUMNS = 1000
};

struct words {
    struct view_wish wish;
    char *slice;
    bool terminal;
};

/* Two finite numbers with a comma between them; the first is the smaller one. */
static bool take_range(const char *what, char *text, void *out)
{
    struct view_wish *wish = out;
    char *end;

    wish->ranged = true;
    wish->low = strtod(text, &end);
    if (end != text && *end == ',') {
        const char *second = end + 1;

        wish->high = strtod(second, &end);
        if (end != second && !*end && isfinite(wish->low) && isfinite(wish->high) && wish->low < wish->high)
            return true;
    }
    return !misused("%s '%s' is not valid; give LOW,HIGH, two numbers with the smaller one first", what, text);
}

/* 1200x800 */
static bool take_size(const char *what, char *text, void *out)
{
    struct view_wish *wish = out;
    int used = 0;

    return (text[0] >= '0' && text[0] <= '9' &&
            sscanf(text, "%5" SCNd64 "x%5" SCNd64 "%n", &wish->width, &wish->height, &used) == 2 && !text[used] &&
            wish->width > 0 && wish->height > 0) ||
           !misused("%s '%s' is not valid; give WIDTHxHEIGHT, such as 1200x800", what, text);
}

static bool in_bounds(const struct view_wish *wish, const char *what, int64_t least_width, int64_t least_height,
                      int64_t most)
{
    if (!wish->width ||
        (wish->width >= least_width && wish->height >= least_height && wish->width <= most && wish->height <= most))
        return true;
    return !misused("--size %" PRId64 "x%" PRId64 " is not possible; give %" PRId64 "x%" PRId64 " to %" PRId64
                    "x%" PRId64 " %s",
                    wish->width, wish->height, least_width, least_height, most, most, what);
}

/* Do the words say where the picture goes, and can it go there? */
static bool check_words(const struct words *words, const struct selection *s)
{
    const char *output = words->wish.output;
    const size_t n = output ? strlen(output) : 0;

    if (words->slice && s->text)
        return !misused("[%s] and --slice exclude each other; give one of them", s->text);
    if (output && words->terminal)
        return !misused("-o and --terminal exclude each other; give one of them");
    if (!output && !words->terminal && isatty(STDOUT_FILENO) != 1)
        return !misused("standard output is not a terminal; give -o FILE.png, or --terminal to get text anyway");
    if (output && strcmp(output, "-") != 0 && (n < 5 || strcmp(output + n - 4, ".png") != 0))
        return !misused("-o '%s' is not the name of a PNG file; give FILE.png, or - for standard output", output);
    return output ? in_bounds(&words->wish, "pixels", LEAST_WIDTH, LEAST_HEIGHT, MOST_PIXELS)
                  : in_bounds(&words->wish, "characters", LEAST_COLUMNS, LEAST_ROWS, MOST_COLUMNS);
}

/* A selection in Python's notation with an index for all but two axes. */
static char *proposal(const struct selection *s, const drx_array *a)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    int axes[DRX_MAX_NDIM];
    const int spare = kept_axes(s, axes) - 2;

    if (!out)
        return NULL;
    (void)fprintf(out, "%s[", s->path);
    for (int j = 0; j < s->ndim; j++) {
        const int64_t end = s->lo[j] + s->count[j] * s->step[j];

        (void)fputs(j ? "," : "", out);
        if (s->dropped[j] || j < axes[spare])
            (void)fprintf(out, "%" PRId64, s->lo[j]);
        else if (s->step[j] == 1 && s->lo[j] == 0 && s->count[j] == drx_shape(a)[j])
            (void)fputs(":", out);
        else if (s->step[j] == 1)
            (void)fprintf(out, "%" PRId64 ":%" PRId64, s->lo[j], end);
        else if (end < 0)
            (void)fprintf(out, "%" PRId64 "::%" PRId64, s->lo[j], s->step[j]);
        else
            (void)fprintf(out, "%" PRId64 ":%" PRId64 ":%" PRId64, s->lo[j], end, s->step[j]);
    }
    (void)fputs("]", out);
    return end_text(out, &text);
}

/* Can it be shown? Gives the exit code. */
static int check_selection(const struct selection *s, const drx_array *a, const struct view_wish *wish)
{
    int axes[DRX_MAX_NDIM];
    const int kept = kept_axes(s, axes);
    char axis[AXIS_TEXT_BYTES];
    char *other;

    for (int j = 0; j < s->ndim; j++)
        if (s->count[j] == 0)
            return failed("%s: nothing to show, because %s has no elements here", s->path, axis_text(a, j, axis));
    if (kept == 0)
        return failed("%s: [%s] is a single element; select one or two axes, or print it with 'drx read'", s->path,
                      s->text);
    if (kept > 2) {
        other = proposal(s, a);
        (void)failed("%s: %d axes are too many for a picture; select one or two, such as '%s'", s->path, kept,
                     other ? other : "");
        free(other);
        return FAILED;
    }
    if (DRX_IS_DEFINED(drx_dtype(a)))
        return failed("%s: elements of %s have no picture; print them with 'drx read'", s->path,
                      drx_type_name(drx_dtype(a)));
    if (DRX_IS_STRING(drx_dtype(a)) || holds_text(a))
        return failed("%s: holds text, which has no picture; print it with 'drx read'", s->path);
    if (wish->part != PARTS_OF_COMPLEX && !type_is_complex(drx_dtype(a)))
        return failed("%s: elements of type %s have no parts; remove --part", s->path, drx_type_name(drx_dtype(a)));
    if (kept == 1 && wish->map != COLOUR_MAPS)
        return failed("%s: one axis is drawn as a line; remove --colors", s->path);
    return DONE;
}

static int show_view(drx_array *a, const struct selection *s, const struct view_wish *wish)
{
    struct view v;
    int status = open_view(&v, a, s, wish);

    if (status == DONE)
        status = wish->output ? view_png(&v) : view_terminal(&v);
    close_view(&v);
    return status;
}

static int view(struct args *args)
{
    struct words words = { .wish = { .map = COLOUR_MAPS, .part = PARTS_OF_COMPLEX } };
    struct view_wish *wish = &words.wish;
    int64_t commit = DRX_LAST;
    struct opt opts[] = {
        { "output", "FILE", "write a PNG file; '-' is standard output", &wish->output, .take = take_text,
          .letter = 'o' },
        { "terminal", .help = "draw with characters; the default if standard output is a terminal",
          .to = &words.terminal },
        COMMIT_OPTIONS(&commit, "of an array of a dataset: as commit N has it, not the last one"),
        { "verify", .help = VERIFY_HELP, .take = take_verify },
        { "slice", "SELECTION", "the same as SELECTION in brackets", &words.slice, .take = take_text },
        { "colors", "MAP",
          "sequential, diverging (about 0), grey, or cyclic (directions); default: what suits the numbers", &wish->map,
          .names = NAMES("sequential", "diverging", "grey", "cyclic") },
        { "range", "LOW,HIGH",
          "numbers at the ends of the colours, or of the vertical axis of a line; default: all "
          "numbers, but for an image without rare ones at the ends",
          wish, .take = take_range },
        { "part", "PART", "of complex elements: abs (default), re, im or arg", &wish->part,
          .names = NAMES("abs", "re", "im", "arg") },
        { "size", "WxH", "size of the picture in pixels, or of the drawing in characters", wish, .take = take_size },
        { 0 },
    };
    struct selection s;
    drx_array *a;
    int status;

    if (!parse_args(args, opts, "PATH"))
        return args->status;
    split_selection(&s, args->words[0], commit);
    if (!check_words(&words, &s))
        return MISUSED;
    if (words.slice)
        s.text = words.slice;
    a = open_selection(&s, &status);
    if (!a)
        return status;
    status = check_selection(&s, a, wish);
    if (status == DONE && wish->output)
        status = expect_other_file(s.path, wish->output);
    if (status == DONE)
        status = show_view(a, &s, wish);
    return close_together(a, s.path, status);
}

const struct verb verb_view = {
    .name = "view",
    .summary = "Draw one or two axes of an array, as a picture or in the terminal",
    .usage = "PATH[SELECTION] [-o FILE.png | --terminal] [OPTION ...]",
    .words = "SELECTION\ta part of it, in Python's notation, that leaves one or two axes: [0,:,:], [-1,:,10:20], "
             "[:,3], or by coordinates: [time=1997-12]; the shell may need quotes around it\n",
    .examples = "  drx view 'uwnd[0,:,:]' -o wind.png\n"
                "  drx view 'uwnd[:,36,72]'\n"
                "  drx view relief --range -6000,6000 --size 2000x1200 -o relief.png\n",
    .run = view,
};
