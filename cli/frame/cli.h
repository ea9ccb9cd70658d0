/* The frame of the program `drx`: verbs, their words and options, messages and
 * standard output. */
#ifndef CLI_H
#define CLI_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drx.h"

enum { DONE = 0, FAILED = 1, MISUSED = 2 }; /* exit codes */

/* ---- verbs ---------------------------------------------------------------- */

struct args;

/* A verb. To add one: a file verb_NAME.c that defines it, a line below, and a
 * line in the table in main.c. */
struct verb {
    const char *name;
    const char *summary;           /* one line, no full stop */
    const char *usage;             /* what follows "drx NAME " */
    const char *options;           /* lines, indented by two */
    const char *examples;          /* likewise */
    int (*run)(struct args *args); /* gives the exit code */
    bool together;                 /* run by all ranks of the team (team.h), not by rank 0 alone */
};

extern const struct verb verb_append, verb_create, verb_export, verb_extend, verb_import, verb_info, verb_map,
    verb_read, verb_view, verb_write;
extern const struct verb verb_advise, verb_check, verb_chmod, verb_compact, verb_copy, verb_cp, verb_dap, verb_mv,
    verb_rm;

void print_help(const struct verb *verb);

/* ---- the command line of one verb ------------------------------------------ */

struct args {
    const struct verb *verb;
    int argc;
    char **argv;  /* argv[0] is the verb */
    char **words; /* what is no option; complete when next_option gave 0 */
    int nwords;
    int status; /* the exit code, when next_option gave -1 */
};

#define HELP_OPTION                    \
    {                                  \
        "help", no_argument, NULL, 'h' \
    }
enum { LONG_ONLY = 256 }; /* option values from here on have no one-letter form */

/* The next option (its value; argument in `optarg`), 0 when there are no more,
 * -1 when there is nothing more to do: help was asked for, or the option is
 * unknown (printed). A negative number is a word, not an option. */
int next_option(struct args *args, const struct option options[]);

/* Are the words those of `names`, such as "PATH AXIS BY"? Prints what is wrong. */
bool expect_words(const struct args *args, const char *names);

/* ---- messages on standard error -------------------------------------------- */

/* What messages begin with after "drx": a verb, or NULL. */
void set_verb(const char *name);

/* Print "drx VERB: " and the message, control characters made visible; give the
 * exit code FAILED or MISUSED. */
int failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
int misused(const char *format, ...) __attribute__((format(printf, 1, 2)));
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a call of the library on `path` that returned `st`, with the
 * library's detail; and for the system call that set errno, doing `what`. */
int failed_drx(const char *path, drx_status st);
int failed_errno(const char *path, const char *what);
int out_of_memory(int64_t bytes);

/* ---- standard output -------------------------------------------------------- */

void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool put_failed(void); /* worth asking before long work */

/* Flush; `status`, or FAILED when something could not be written. Prints why,
 * except that the reader of a pipe went away. */
int finish_output(int status);

#endif
