#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrays/arrays.h"
#include "frame/options.h"
#include "frame/value.h"
#include "show/view/view.h"

enum { SLICE = LONG_ONLY, TERMINAL, COLORS, RANGE, PART, SIZE };
enum {
    LEAST_WIDTH = 200,
    LEAST_HEIGHT = 150,
    MOST_PIXELS = 4000,
    LEAST_COLUMNS = 20,
    LEAST_ROWS = 8,
    MOST_COLUMNS = 1000
};

static const struct option options[] = {
    { "output", required_argument, NULL, 'o' },
    { "terminal", no_argument, NULL, TERMINAL },
    { "slice", required_argument, NULL, SLICE },
    { "colors", required_argument, NULL, COLORS },
    { "range", required_argument, NULL, RANGE },
    { "part", required_argument, NULL, PART },
    { "size", required_argument, NULL, SIZE },
    HELP_OPTION,
    { 0 },
};

struct words {
    struct view_wish wish;
    char *slice;
    bool terminal;
};

/* ---- options ------------------------------------------------------------------------------ */

static bool parse_map(const char *text, enum colour_map *out)
{
    *out = colour_map_named(text);
    if (*out != COLOUR_MAPS)
        return true;
    (void)misused("--colors '%s' is unknown, expected sequential, diverging or grey", text);
    return false;
}

static bool parse_part(const char *text, enum part *out)
{
    static const char *const names[PARTS_OF_COMPLEX] = { "abs", "re", "im", "arg" };
    int part = 0;

    while (part < PARTS_OF_COMPLEX && strcmp(names[part], text) != 0)
        part++;
    *out = (enum part)part;
    if (part < PARTS_OF_COMPLEX)
        return true;
    (void)misused("--part '%s' is unknown, expected abs, re, im or arg", text);
    return false;
}

/* Two finite numbers with a comma between them, the first one less. */
static bool parse_range(const char *text, struct view_wish *wish)
{
    char *end;

    wish->ranged = true;
    wish->low = strtod(text, &end);
    if (end != text && *end == ',') {
        const char *second = end + 1;

        wish->high = strtod(second, &end);
        if (end != second && !*end && isfinite(wish->low) && isfinite(wish->high) && wish->low < wish->high)
            return true;
    }
    (void)misused("--range '%s' is not valid, expected LOW,HIGH, two numbers of which the first is less", text);
    return false;
}

/* 1200x800 */
static bool parse_size(const char *text, struct view_wish *wish)
{
    int used = 0;

    if (text[0] >= '0' && text[0] <= '9' &&
        sscanf(text, "%5" SCNd64 "x%5" SCNd64 "%n", &wish->width, &wish->height, &used) == 2 && !text[used] &&
        wish->width > 0 && wish->height > 0)
        return true;
    (void)misused("--size '%s' is not valid, expected WIDTHxHEIGHT such as 1200x800", text);
    return false;
}

static bool take(struct words *words, int option)
{
    switch (option) {
    case SLICE:
        words->slice = optarg;
        return true;
    case TERMINAL:
        words->terminal = true;
        return true;
    case COLORS:
        return parse_map(optarg, &words->wish.map);
    case RANGE:
        return parse_range(optarg, &words->wish);
    case PART:
        return parse_part(optarg, &words->wish.part);
    case SIZE:
        return parse_size(optarg, &words->wish);
    default:
        words->wish.output = optarg;
        return true;
    }
}

static bool in_bounds(const struct view_wish *wish, const char *what, int64_t least_width, int64_t least_height,
                      int64_t most)
{
    if (!wish->width ||
        (wish->width >= least_width && wish->height >= least_height && wish->width <= most && wish->height <= most))
        return true;
    (void)misused("--size %" PRId64 "x%" PRId64 " is not possible, expected %" PRId64 "x%" PRId64 " to %" PRId64
                  "x%" PRId64 " %s",
                  wish->width, wish->height, least_width, least_height, most, most, what);
    return false;
}

/* Is it clear where the picture goes, and can it go there? */
static bool check_words(const struct words *words, const struct selection *s)
{
    const char *output = words->wish.output;
    const size_t n = output ? strlen(output) : 0;

    if (words->slice && s->text) {
        (void)misused("[%s] and --slice are both given, expected one of them", s->text);
        return false;
    }
    if (output && words->terminal) {
        (void)misused("-o and --terminal are both given, expected one of them");
        return false;
    }
    if (!output && !words->terminal && isatty(STDOUT_FILENO) != 1) {
        (void)misused("standard output is no terminal, expected -o FILE.png, or --terminal to have text all the same");
        return false;
    }
    if (output && strcmp(output, "-") != 0 && (n < 5 || strcmp(output + n - 4, ".png") != 0)) {
        (void)misused("-o '%s' is no name of a PNG file, expected FILE.png, or - for standard output", output);
        return false;
    }
    return output ? in_bounds(&words->wish, "pixels", LEAST_WIDTH, LEAST_HEIGHT, MOST_PIXELS)
                  : in_bounds(&words->wish, "characters", LEAST_COLUMNS, LEAST_ROWS, MOST_COLUMNS);
}

/* ---- the selection --------------------------------------------------------------------------- */

/* The selection in Python's notation, of which all but two axes are given by an index. */
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
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
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
            return failed("%s: nothing to show, %s has no elements here, expected at least one", s->path,
                          axis_text(a, j, axis));
    if (kept == 0)
        return failed("%s: [%s] is a single element, expected one or two axes; 'drx read' prints it", s->path, s->text);
    if (kept > 2) {
        other = proposal(s, a);
        (void)failed("%s: %d axes are too many for a picture, expected one or two; such as '%s'", s->path, kept,
                     other ? other : "");
        free(other);
        return FAILED;
    }
    if (wish->part != PARTS_OF_COMPLEX && !type_is_complex(drx_dtype(a)))
        return failed("%s: elements of type %s have no parts, expected no --part", s->path,
                      drx_type_name(drx_dtype(a)));
    if (kept == 1 && wish->map != COLOUR_MAPS)
        return failed("%s: one axis is shown as a line, expected no --colors", s->path);
    return DONE;
}

/* ---- the verb ----------------------------------------------------------------------------------- */

static int show(drx_array *a, const struct selection *s, const struct view_wish *wish)
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
    struct selection s;
    drx_array *a;
    int option, status;

    while ((option = next_option(args, options)) != 0) {
        if (option < 0)
            return args->status;
        if (!take(&words, option))
            return MISUSED;
    }
    if (!expect_words(args, "PATH"))
        return MISUSED;
    split_selection(&s, args->words[0]);
    if (!check_words(&words, &s))
        return MISUSED;
    if (words.slice)
        s.text = words.slice;
    a = open_array(s.path, DRX_RDONLY);
    if (!a)
        return FAILED;
    status = settle_selection(&s, a);
    if (status == DONE)
        status = check_selection(&s, a, &words.wish);
    if (status == DONE && words.wish.output && is_own_file(s.path, words.wish.output))
        status = failed("%s: is a file of the array itself, expected another --output", words.wish.output);
    if (status == DONE)
        status = show(a, &s, &words.wish);
    return close_array(a, s.path, status);
}

const struct verb verb_view = {
    .name = "view",
    .summary = "Draw one or two axes of an array, as a picture or in the terminal",
    .usage = "PATH[SELECTION] [-o FILE.png | --terminal] [OPTION ...]",
    .options = "  SELECTION          what of it, as Python writes it, so that one or two axes remain:\n"
               "                     [0,:,:], [-1,:,10:20], [:,3]; the shell may want it in quotes\n"
               "  -o, --output FILE  make a PNG file, '-' for standard output\n"
               "  --terminal         draw with characters; the default if standard output is a terminal\n"
               "  --slice SELECTION  the same as SELECTION in brackets\n"
               "  --colors MAP       sequential, diverging (about 0), or grey; default as the numbers are\n"
               "  --range LOW,HIGH   numbers at the ends of the colours, or of the vertical axis of a line;\n"
               "                     default without the rare ones at the ends; all for a line\n"
               "  --part PART        of complex elements: abs (default), re, im or arg\n"
               "  --size WxH         of the picture in pixels, of the drawing in characters\n",
    .examples = "  drx view 'uwnd[0,:,:]' -o wind.png\n"
                "  drx view 'uwnd[:,36,72]'\n"
                "  drx view relief --range -6000,6000 --size 2000x1200 -o relief.png\n",
    .run = view,
};
