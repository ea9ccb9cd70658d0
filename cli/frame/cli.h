/* The frame of the program `drx`: verbs, their words and options, messages, standard output. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drx_tools.h"

enum { DONE = 0, FAILED = 1, MISUSED = 2 }; /* exit codes */

struct args;

/* A verb. To add one, write a file verb_NAME.c that defines it, and add a line to the table in main.c. */
struct verb {
    const char *name;
    const char *summary;           /* one line without a full stop */
    const char *usage;             /* what follows "drx NAME " */
    const char *words;             /* "WORD\tHELP" for each word that needs it, one a line; NULL: none */
    const char *examples;          /* lines that begin with "  drx NAME" */
    int (*run)(struct args *args); /* gives the exit code */
    bool together;                 /* all ranks of the team run it (team.h), not rank 0 alone */
};

struct args {
    const struct verb *verb;
    int argc;
    char **argv;  /* argv[0] is the verb */
    char **words; /* everything that is not an option */
    int nwords;
    int status; /* the exit code, when parse_args gave false */
};

/* An option of a verb; a table of them ends with a row without a name.
 *
 * `take` stores the value `text` in `to`; it prints what is wrong with it, calls the option `what`, and returns false.
 * options.h has the common ones. An option with `names` takes one of these, and sets the enum `to` to `first` plus its
 * place. One without both has no value and sets the bool `to`, or adds `bits` to the unsigned `to`. */
struct opt {
    const char *name;  /* without dashes */
    const char *value; /* how --help names the value; "[=VALUE]": it may be left out; NULL: the option has none */
    const char *help;  /* --help breaks it into lines */
    void *to;
    bool (*take)(const char *what, char *text, void *to);
    const char *const *names; /* NAMES(...) */
    int first;
    unsigned bits;
    char letter; /* 0: none */
    bool given;  /* set by parse_args */
};

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Read the options and the words. `words` names the words, such as "PATH AXIS BY"; "..." at its end allows more. False:
 * nothing is left to do, since help was printed or something is wrong (printed); `status` has the exit code. */
bool parse_args(struct args *args, struct opt opts[], const char *words);

bool is_given(const struct opt opts[], const char *name);

/* "drx VERB ..." as it was typed, with quotes where a shell needs them; the frame keeps it. NULL: out of memory. */
const char *typed_command(void);

/* The name nearest to a mistyped one, of n names that are `stride` bytes apart; NULL: none is near. */
const char *nearest_name(const char *word, const void *names, int n, size_t stride);

/* The number of the name that `text` is, of those up to a NULL; -1, after printing: none. */
int parse_choice(const char *what, const char *text, const char *const names[]);

/* The word that messages have after "drx": a verb, or NULL. */
void set_verb(const char *name);

/* Print "drx VERB: " and the message, with control characters made visible. Give the exit code FAILED or MISUSED. */
int failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define misused(...) (failed(__VA_ARGS__), MISUSED)
/* From now on errors are printed as warnings that end so; NULL: as errors. */
void soften_messages(const char *end);
/* Print nothing from now on; gives what was so before. */
bool quiet_messages(bool on);
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print that a library call on `path` returned `st`, with the library's detail; that a system call failed to do `what`;
 * that memory ran out. */
int failed_drx(const char *path, drx_status st);
int exit_code(const char *path, drx_status st); /* DONE, or failed_drx */
/* The same of a detail that was kept, and what follows it. */
int failed_why(const char *path, const char *detail, const char *more);
/* What errno says of `path`, which cannot be opened, say; or that a folder in it is missing. */
int failed_errno(const char *path, const char *what);
void say_why(const char *path, const char *what, char *text, size_t text_bytes); /* without the path */
/* There is no such `what`, or a folder in its path is missing. */
int no_such(const char *path, const char *what);
int out_of_memory(int64_t bytes);

void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
void put_visible(const char *text); /* with control characters made visible */
bool put_failed(void);              /* worth asking before long work */

/* Flush. Gives `status`, or FAILED if output was lost; prints why, unless the reader of a pipe went away. */
int finish_output(int status);

#endif
