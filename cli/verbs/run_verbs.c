/* A program that runs verbs. Verbs use only the public interface of the library. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "frame/team.h"
#include "verbs.h"

static const struct verb *find_verb(const struct verb *const verbs[], const char *name)
{
    for (; *verbs; verbs++)
        if (strcmp((*verbs)->name, name) == 0)
            return *verbs;
    return NULL;
}

static int print_overview(const struct verb *const verbs[])
{
    put("Dense N-dimensional arrays on disk that grow along every axis.\n\n"
        "Usage: drx VERB [WORD ...] [OPTION ...]\n\nVerbs:\n");
    for (; *verbs; verbs++)
        put("  %-9s %s\n", (*verbs)->name, (*verbs)->summary);
    put("\n'drx VERB --help' describes a verb; 'drx --version' prints the version.\n");
    return DONE;
}

static int unknown_verb(const struct verb *const verbs[], const char *name)
{
    enum { MOST = 64 };
    const char *what = name[0] == '-' ? "option" : "verb", *names[MOST], *meant;
    int n = 0;

    for (; verbs[n] && n < MOST; n++)
        names[n] = verbs[n]->name;
    meant = nearest_name(name, names, n, sizeof *names);
    return meant ? misused("unknown %s '%s'; did you mean '%s'?", what, name, meant)
                 : misused("unknown %s '%s'; 'drx --help' lists the verbs", what, name);
}

static int run(const struct verb *const verbs[], int argc, char **argv)
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
            return print_overview(verbs);
        args.argc = 2; /* drx help VERB is drx VERB --help */
        args.argv = help_argv;
    }
    args.verb = find_verb(verbs, args.argv[0]);
    if (!args.verb)
        return unknown_verb(verbs, args.argv[0]);
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

void path_from_program(char path[PROGRAM_PATH], const char *relative)
{
    char own[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    const char *slash;

    own[n > 0 ? n : 0] = '\0';
    slash = strrchr(own, '/');
    (void)snprintf(path, PROGRAM_PATH, "%.*s%s", slash ? (int)(slash + 1 - own) : 0, own, relative);
}

bool has_verb(const struct verb *const verbs[], const char *name)
{
    return find_verb(verbs, name) != NULL;
}

int run_verbs(const struct verb *const verbs[], int argc, char **argv)
{
    int status;

    occupy_standard_files();
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a limit of the file size is an error like any other */
    begin_team();
    status = end_team(finish_output(run(verbs, argc - 1, argv + 1)));
    die_if_interrupted();
    return status;
}
