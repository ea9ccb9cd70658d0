/* Words and options of a verb, and its --help. */
#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MOST_OPTS = 32, FIRST = 256, HELP_COLUMN = 21, WIDTH = 100 };

/* A label, and text beside it in lines of at most WIDTH columns. */
static void put_entry(const char *label, const char *text)
{
    int column = HELP_COLUMN;

    put("  %-*s", HELP_COLUMN - 4, label);
    if (strlen(label) > HELP_COLUMN - 4)
        column = (int)strlen(label) + 4;
    put(" ");
    while (*text && *text != '\n') {
        const int n = (int)strcspn(text, " \n");

        if (column + n + 1 > WIDTH) {
            put("\n%*s", HELP_COLUMN - 1, "");
            column = HELP_COLUMN;
        }
        put(" %.*s", n, text);
        column += n + 1;
        text += n + (text[n] == ' ');
    }
    put("\n");
}

static void put_option(char letter, const char *name, const char *value, const char *help)
{
    const char short_form[] = { '-', letter, ',', ' ', '\0' };
    char label[64];

    (void)snprintf(label, sizeof label, "%s--%s%s%s", letter ? short_form : "", name,
                   value && value[0] != '[' ? " " : "", value ? value : "");
    put_entry(label, help);
}

static void put_help(const struct verb *verb, const struct opt opts[])
{
    char label[64];

    put("%s.\n\nUsage: drx %s %s\n\nOptions:\n", verb->summary, verb->name, verb->usage);
    for (const char *at = verb->words; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        (void)snprintf(label, sizeof label, "%.*s", (int)strcspn(at, "\t"), at);
        put_entry(label, at + strlen(label) + 1);
    }
    for (const struct opt *o = opts; o->name; o++)
        put_option(o->letter, o->name, o->value, o->help);
    put_option('h', "help", NULL, "print this text");
    put("\nExamples:\n%s", verb->examples);
}

static int least_of(int a, int b, int c)
{
    return a < b ? (a < c ? a : c) : b < c ? b : c;
}

/* The letters to add, drop, change or exchange with the next one. */
static int edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    const int m = (int)strlen(a), n = (int)strlen(b);
    int d[LONGEST + 1][LONGEST + 1];

    if (m > LONGEST || n > LONGEST)
        return LONGEST;
    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = least_of(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < d[i][j])
                d[i][j] = d[i - 2][j - 2] + 1;
        }
    return d[m][n];
}

const char *nearest_name(const char *word, const void *names, int n, size_t stride)
{
    const char *nearest = NULL;
    int least = 1 + (strlen(word) < 5 ? 1 : (int)strlen(word) / 3); /* fewer letters than that may be wrong */

    for (int i = 0; i < n; i++) {
        const char *name = *(const char *const *)((const char *)names + (size_t)i * stride);
        const int distance = edit_distance(word, name);

        if (distance < least) {
            nearest = name;
            least = distance;
        }
    }
    return nearest;
}

int parse_choice(const char *what, const char *text, const char *const names[])
{
    char list[128] = "";
    const char *meant;
    size_t used = 0;
    int n = 0;

    for (; names[n]; n++) {
        const char *between = n == 0 ? "" : names[n + 1] ? ", " : " or ";

        if (strcmp(names[n], text) == 0)
            return n;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", between, names[n]);
    }
    meant = nearest_name(text, names, n, sizeof *names);
    (void)misused(meant ? "%s '%s' is unknown; give %s. Did you mean '%s'?" : "%s '%s' is unknown; give %s", what, text,
                  list, meant);
    return -1;
}

static int count(const struct opt opts[])
{
    int n = 0;

    while (opts[n].name)
        n++;
    return n;
}

/* getopt's description of the options. It reports words in order ('-') as option 1. Digits are options, so that words
 * can be negative numbers. */
static void describe_options(const struct opt opts[], struct option longs[], char shorts[128])
{
    size_t used = (size_t)snprintf(shorts, 128, "-:h0::1::2::3::4::5::6::7::8::9::");
    int i = 0;

    for (; opts[i].name; i++) {
        const char *value = opts[i].value;

        longs[i] = (struct option){ opts[i].name,
                                    !value            ? no_argument
                                    : value[0] == '[' ? optional_argument
                                                      : required_argument,
                                    NULL, FIRST + i };
        if (opts[i].letter)
            used += (size_t)snprintf(shorts + used, 128 - used, "%c%s", opts[i].letter, opts[i].value ? ":" : "");
    }
    longs[i] = (struct option){ "help", no_argument, NULL, 'h' };
    longs[i + 1] = (struct option){ 0 };
}

/* List the names that begin like the word (NULL: all), separated by `between`; returns their number. */
static int list_names(const struct option longs[], const char *word, const char *between, char out[512])
{
    size_t used = 0;
    int n = 0;

    for (const struct option *o = longs; o->name && used < 512; o++)
        if (!word || strncmp(o->name, word, strcspn(word, "=")) == 0)
            used += (size_t)snprintf(out + used, 512 - used, "%s--%s", n++ ? between : "", o->name);
    return n;
}

/* getopt says which letter it is. It does not say in which word: letters can stand together. */
static int bad_letter(const struct option longs[])
{
    char list[512] = "";

    (void)list_names(longs, NULL, ", ", list);
    return misused("unknown option -%c; the options are %s", optopt, list);
}

/* What other programs call an option of this verb; NULL: it has none of that name. */
static const char *other_name(const struct option longs[], const char *name)
{
    static const char *const known[][2] = { { "compress", "deflate" },    { "compress", "codec" },
                                            { "compression", "deflate" }, { "compression", "codec" },
                                            { "complevel", "deflate" },   { "dtype", "type" },
                                            { "chunks", "chunk" },        { "chunksizes", "chunk" } };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (const struct option *o = longs; o->name; o++)
            if (strcmp(known[i][0], name) == 0 && strcmp(known[i][1], o->name) == 0)
                return o->name;
    return NULL;
}

/* The word begins with --. */
static int bad_option(const struct option longs[], int n, const char *word)
{
    char list[512] = "", name[40];
    const char *meant;

    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (int i = 0; i < n; i++)
        if (optopt && optopt == longs[i].val && strchr(word, '='))
            return misused("option %s takes no value; give --%s", word, longs[i].name);
    if (list_names(longs, name, " or ", list) > 1)
        return misused("option %s is ambiguous; give %s", word, list);
    meant = other_name(longs, name);
    if (!meant)
        meant = nearest_name(name, longs, n, sizeof *longs);
    if (meant)
        return misused("unknown option %s; did you mean --%s?", word, meant);
    (void)list_names(longs, NULL, ", ", list);
    return misused("unknown option %s; the options are %s", word, list);
}

static bool take_option(struct opt *o, char *text)
{
    char what[40];
    int choice;

    o->given = true;
    (void)snprintf(what, sizeof what, "--%s", o->name);
    if (o->take)
        return o->take(what, text, o->to);
    if (o->names) {
        choice = parse_choice(what, text, o->names);
        *(int *)o->to = o->first + choice;
        return choice >= 0;
    }
    if (o->bits)
        *(unsigned *)o->to |= o->bits;
    else
        *(bool *)o->to = true;
    return true;
}

/* Words take the place of what getopt has read already. */
static void add_word(struct args *args, char *word)
{
    args->words = args->argv + 1;
    args->words[args->nwords++] = word;
}

static bool end_with(struct args *args, int status)
{
    args->status = status;
    return false;
}

/* As it was typed, since options change their texts; kept for the whole run. NULL: out of memory. */
static char *command;

static void note_command(const struct args *args)
{
    size_t bytes;
    FILE *out;

    free(command);
    command = NULL;
    out = open_memstream(&command, &bytes);
    if (!out)
        return;
    (void)fputs("drx", out);
    for (int i = 0; i < args->argc; i++) {
        (void)fputc(' ', out);
        write_word(out, args->argv[i], "");
    }
    (void)end_text(out, &command);
}

const char *typed_command(void)
{
    return command;
}

static bool parse_options(struct args *args, struct opt opts[])
{
    struct option longs[MOST_OPTS + 2];
    const int n = count(opts);
    char shorts[128];
    int c;

    describe_options(opts, longs, shorts);
    opterr = 0;
    while ((c = getopt_long(args->argc, args->argv, shorts, longs, NULL)) != -1) {
        int i = c - FIRST;

        if (c == 1) {
            add_word(args, optarg);
        } else if (c < 128 && isdigit(c)) {
            add_word(args, args->argv[optind - 1]);
        } else if (c == 'h') {
            put_help(args->verb, opts);
            return end_with(args, DONE);
        } else if (c == ':') {
            return end_with(args, misused("option %s needs a value", args->argv[optind - 1]));
        } else if (c == '?') {
            const bool letter = optopt && optopt < FIRST && optopt != 'h'; /* --help=x is a word, too */

            return end_with(args, letter ? bad_letter(longs) : bad_option(longs, n + 1, args->argv[optind - 1]));
        } else {
            for (i = i < 0 ? 0 : i; c < FIRST && opts[i].letter != c;)
                i++;
            if (!take_option(&opts[i], optarg))
                return end_with(args, MISUSED);
        }
    }
    while (optind < args->argc) /* after "--" */
        add_word(args, args->argv[optind++]);
    return true;
}

bool parse_args(struct args *args, struct opt opts[], const char *words)
{
    const char *name = words;

    note_command(args);
    if (!parse_options(args, opts))
        return false;
    for (int i = 0; i < args->nwords && strncmp(name, "...", 3) != 0; i++) {
        if (!*name)
            return end_with(args, misused("unexpected word '%s'; the usage is drx %s %s", args->words[i],
                                          args->verb->name, args->verb->usage));
        name += strcspn(name, " .");
        name += strspn(name, " ");
    }
    if (!*name || strncmp(name, "...", 3) == 0)
        return true;
    return end_with(args, misused("%.*s is missing; the usage is drx %s %s", (int)strcspn(name, " ."), name,
                                  args->verb->name, args->verb->usage));
}

bool is_given(const struct opt opts[], const char *name)
{
    for (; opts->name; opts++)
        if (strcmp(opts->name, name) == 0)
            return opts->given;
    return false;
}
