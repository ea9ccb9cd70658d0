/* Words and options of a verb. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* getopt's description of the one-letter options. Words come in order ('-'), as
 * option 1; digits are made options so that negative numbers can be words. */
static void letters(const struct option options[], char out[128])
{
    size_t n = (size_t)snprintf(out, 128, "-:0::1::2::3::4::5::6::7::8::9::");

    for (; options->name; options++)
        if (options->val < LONG_ONLY)
            n += (size_t)snprintf(out + n, 128 - n, "%c%s", options->val, options->has_arg ? ":" : "");
}

/* The words take the place of what getopt has read already. */
static void add_word(struct args *args, char *word)
{
    args->words = args->argv + 1;
    args->words[args->nwords++] = word;
}

/* The options that the word abbreviates, unless there are none: then `list` stays. */
static int list_beginning(const struct option options[], const char *word, char *list, size_t room)
{
    const char *name = word + strspn(word, "-");
    const size_t n = strcspn(name, "=");
    size_t used = 0;
    int found = 0;

    for (const struct option *o = options; o->name; o++)
        if (strncmp(o->name, name, n) == 0 && used < room) {
            used += (size_t)snprintf(list + used, room - used, "%s--%s", found ? " or " : "", o->name);
            found++;
        }
    return found;
}

static int bad_option(const struct option options[], const char *word, bool no_value)
{
    char known[512] = "";
    size_t used = 0;

    if (no_value)
        return misused("option %s has no value, expected one behind it", word);
    for (const struct option *o = options; o->name; o++) {
        if (optopt && optopt == o->val && strchr(word, '='))
            return misused("option %s takes no value, expected --%s", word, o->name);
        used += (size_t)snprintf(known + used, sizeof known - used, "%s--%s", used ? ", " : "", o->name);
    }
    if (optopt)
        return misused("unknown option -%c, expected one of %s", optopt, known);
    if (list_beginning(options, word, known, sizeof known) > 1)
        return misused("option %s can be %s, expected one of them", word, known);
    return misused("unknown option %s, expected one of %s", word, known);
}

int next_option(struct args *args, const struct option options[])
{
    char shorts[128];
    int c;

    letters(options, shorts);
    opterr = 0;
    for (;;) {
        c = getopt_long(args->argc, args->argv, shorts, options, NULL);
        if (c == -1)
            break;
        if (c == 1) {
            add_word(args, optarg);
        } else if (c < 128 && isdigit(c)) {
            add_word(args, args->argv[optind - 1]);
        } else if (c == 'h') {
            print_help(args->verb);
            args->status = DONE;
            return -1;
        } else if (c == '?' || c == ':') {
            args->status = bad_option(options, args->argv[optind - 1], c == ':');
            return -1;
        } else {
            return c;
        }
    }
    while (optind < args->argc) /* after "--" */
        add_word(args, args->argv[optind++]);
    return 0;
}

bool expect_words(const struct args *args, const char *names)
{
    const char *name = names;

    for (int i = 0; i < args->nwords; i++) {
        if (!*name) {
            (void)misused("unexpected '%s', expected drx %s %s", args->words[i], args->verb->name, args->verb->usage);
            return false;
        }
        name += strcspn(name, " ");
        name += strspn(name, " ");
    }
    if (!*name)
        return true;
    (void)misused("%.*s is missing, expected drx %s %s", (int)strcspn(name, " "), name, args->verb->name,
                  args->verb->usage);
    return false;
}
