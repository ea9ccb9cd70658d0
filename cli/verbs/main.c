/* drx - dense N-dimensional arrays on disk that grow along every axis.
 *
 * `drx VERB ...` runs a verb of the table below. Verbs use only the public interface of the library. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "formats/h5/h5.h"
#include "frame/cli.h"
#include "frame/progress.h"
#include "frame/team.h"
#include "verbs.h"

static const struct verb *const verbs[] = {
    &verb_create, &verb_extend, &verb_append, &verb_write,  &verb_read,    &verb_info,   &verb_log,
    &verb_map,    &verb_view,   &verb_import, &verb_export, &verb_copy,    &verb_advise, &verb_mv,
    &verb_cp,     &verb_rm,     &verb_chmod,  &verb_check,  &verb_compact, &verb_dap,
};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

static const struct verb *find_verb(const char *name)
{
    for (int i = 0; i < VERBS; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

static int print_overview(void)
{
    put("Dense N-dimensional arrays on disk that grow along every axis.\n\n"
        "Usage: drx VERB [WORD ...] [OPTION ...]\n\nVerbs:\n");
    for (int i = 0; i < VERBS; i++)
        put("  %-8s %s\n", verbs[i]->name, verbs[i]->summary);
    put("\n'drx VERB --help' describes a verb; 'drx --version' prints the version.\n");
    return DONE;
}

static int unknown_verb(const char *name)
{
    const char *what = name[0] == '-' ? "option" : "verb", *names[VERBS], *meant;

    for (int i = 0; i < VERBS; i++)
        names[i] = verbs[i]->name;
    meant = nearest_name(name, names, VERBS, sizeof *names);
    return meant ? misused("unknown %s '%s'; did you mean '%s'?", what, name, meant)
                 : misused("unknown %s '%s'; 'drx --help' lists the verbs", what, name);
}

static int run(int argc, char **argv)
{
    static char help[] = "--help";
    char *help_argv[] = { argc > 1 ? argv[1] : NULL, help, NULL };
    struct args args = { .argc = argc, .argv = argv };

    if (argc < 1)
        return misused("no verb is given; 'drx --help' lists the verbs");
    if (strcmp(argv[0], "--version") == 0) {
        put("drx %s\n", drx_version());
        return DONE;
    }
    if (strcmp(argv[0], "help") == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        if (argc < 2)
            return print_overview();
        args.argc = 2; /* drx help VERB is drx VERB --help */
        args.argv = help_argv;
    }
    args.verb = find_verb(args.argv[0]);
    if (!args.verb)
        return unknown_verb(args.argv[0]);
    set_verb(args.verb->name);
    return args.verb->together || go_alone() ? args.verb->run(&args) : DONE;
}

/* No file that is opened later becomes one of the three standard files. */
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
    (void)signal(SIGXFSZ, SIG_IGN); /* a limit of the file size is an error like any other */
    h5_stay_out_of_exit();
    begin_team();
    status = end_team(finish_output(run(argc - 1, argv + 1)));
    die_if_interrupted();
    return status;
}
