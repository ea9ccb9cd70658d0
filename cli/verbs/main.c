/* drx - dense N-dimensional arrays on disk that grow along every axis.
 *
 * `drx VERB ...` runs one verb of the table below; each is a file of its own
 * and uses nothing but the public interface of the library. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "formats/h5/h5.h"
#include "frame/cli.h"
#include "frame/interrupt.h"
#include "frame/team.h"

static const struct verb *const verbs[] = {
    &verb_create, &verb_extend, &verb_append, &verb_write,   &verb_read,   &verb_info, &verb_map,
    &verb_view,   &verb_import, &verb_export, &verb_copy,    &verb_advise, &verb_mv,   &verb_cp,
    &verb_rm,     &verb_chmod,  &verb_check,  &verb_compact, &verb_dap,
};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

static const struct verb *find_verb(const char *name)
{
    for (int i = 0; i < VERBS; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

void print_help(const struct verb *verb)
{
    put("%s.\n\nUsage: drx %s %s\n\n", verb->summary, verb->name, verb->usage);
    put("Options:\n%s  -h, --help         this text\n\nExamples:\n%s", verb->options, verb->examples);
}

static void print_overview(void)
{
    put("Dense N-dimensional arrays on disk that grow along every axis.\n\n"
        "Usage: drx VERB [WORD ...] [OPTION ...]\n\nVerbs:\n");
    for (int i = 0; i < VERBS; i++)
        put("  %-8s %s\n", verbs[i]->name, verbs[i]->summary);
    put("\n'drx VERB --help' tells about one of them; 'drx --version' which drx this is.\n");
}

static int unknown_verb(const char *what, const char *name)
{
    char known[256] = "";
    size_t used = 0;

    for (int i = 0; i < VERBS && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", verbs[i]->name);
    return misused("%s '%s', expected one of %s", what, name, known);
}

static int help(int argc, char **argv)
{
    const struct verb *verb;

    if (argc < 2) {
        print_overview();
        return DONE;
    }
    verb = find_verb(argv[1]);
    if (!verb)
        return unknown_verb("no verb", argv[1]);
    print_help(verb);
    return DONE;
}

static int run(int argc, char **argv)
{
    struct args args = { 0 };

    if (argc < 1)
        return misused("no verb given, expected drx VERB; 'drx --help' lists the verbs");
    if (strcmp(argv[0], "help") == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)
        return help(argc, argv);
    if (strcmp(argv[0], "--version") == 0) {
        put("drx %s\n", drx_version());
        return DONE;
    }
    args.verb = find_verb(argv[0]);
    if (!args.verb)
        return unknown_verb(argv[0][0] == '-' ? "unknown option" : "unknown verb", argv[0]);
    set_verb(args.verb->name);
    args.argc = argc;
    args.argv = argv;
    return args.verb->together || go_alone() ? args.verb->run(&args) : DONE;
}

/* A file opened later must not become one of the three standard files. */
static void occupy_standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)open("/dev/null", fd == 1 ? O_RDONLY : O_RDWR); /* writing to 1 still fails */
}

int main(int argc, char **argv)
{
    int status;

    occupy_standard_files();
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a limit of the file size: an error as others */
    h5_stay_out_of_exit();
    begin_team();
    status = end_team(finish_output(run(argc - 1, argv + 1)));
    die_if_interrupted();
    return status;
}
