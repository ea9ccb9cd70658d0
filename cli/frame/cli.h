/* The frame of the program `drx`: verbs, their words and options, messages, standard output. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "drx.h"
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
 * The common ones are below. An option with `names` takes one of these, and sets the enum `to` to `first` plus its
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

/* ---- text.c: Text that comes from files: UTF-8, and what is safe to show. */

/* Bytes of the UTF-8 character at `s`, where n > 0 bytes are; 0: it is not UTF-8. */
size_t utf8_bytes(const char *s, size_t n);
/* The code point at `s`, which has this many bytes. */
uint32_t utf8_code(const char *s, size_t bytes);
bool is_utf8(const char *s, size_t n);

/* n bytes as UTF-8, to be freed; bytes that are not UTF-8 are read as Latin-1. NULL: out of memory. */
char *utf8_of(const char *bytes, size_t n);

/* Text for a terminal, to be freed: control characters and bytes that are not UTF-8 as \n, \x1b. */
char *visible_text(const char *bytes, size_t n);

/* Has the text the word, with a space or an end beside it? NULL has none. */
bool has_word(const char *text, const char *word);

/* n bytes of the text, or fewer, so that its last character is whole. */
size_t whole_characters(const char *text, size_t n);
int character_count(const char *text);

/* Close a stream of open_memstream that writes *text. Its text, to be freed; NULL: out of memory. */
char *end_text(FILE *out, char **text);

/* "3.0 MiB" */
enum { SIZE_TEXT_BYTES = 32 };
void size_text(int64_t bytes, char out[SIZE_TEXT_BYTES]);

/* Write a word quoted for a shell, and `end`. */
void write_word(FILE *out, const char *word, const char *end);

/* n numbers with `between` between them, in a buffer that holds DRX_MAX_NDIM of them. */
enum { NUMBERS_TEXT_BYTES = 32 * 24 };
const char *numbers_text(int n, const int64_t numbers[], const char *between, char out[NUMBERS_TEXT_BYTES]);

/* ---- value.c: Types by name; values to text and back. */

/* Of defined types; what others need is less. */
enum {
    REAL_TEXT_BYTES = 32,
    VALUE_MAX_BYTES = DRX_MAX_TYPE_BYTES,
    VALUE_ALIGN_BYTES = 16,
    VALUE_TEXT_BYTES = 4 * VALUE_MAX_BYTES + 3
};

/* The type with that name in NumPy (float64, f8, <f8, double, S12, <U12, ...); 0: none. */
drx_type type_named(const char *name);
bool type_is_complex(drx_type type);
bool type_is_whole(drx_type type); /* an integer, or bool */
bool type_is_real(drx_type type);  /* an integer, bool or float */

/* The shortest decimal text that reads back as the same value; "nan" for any NaN; "true" and "false"; strings in
 * quotes. Of defined types, by value_text alone: a compound as {1, 2.5}, with the values of a field that has several in
 * braces, too; an enum by its name, or as a number that has none; a bitfield as a number; opaque bytes as 0x0a1b. What
 * does not fit ends with three dots. */
void value_text(drx_type type, const void *value, char out[VALUE_TEXT_BYTES]);
void plain_text(drx_type type, const void *value, char out[VALUE_TEXT_BYTES]);

/* Read a value from the whole of `text`; complex: a, bj or a+bj; a string: as it stands, without quotes. NULL, or what
 * is wrong, such as "is out of range". */
const char *value_of_text(drx_type type, const char *text, void *out);

/* The same number as a value of another type; false: that type does not have it, or one is none of numbers. */
bool convert_value(drx_type from, const void *value, drx_type to, void *out);

/* The integer at `value`; a uint64 as the int64 with the same bits; a bool as 0 or 1. */
int64_t whole_value(drx_type type, const void *value);

/* Part 0 (real) or 1 (imaginary) of a float or complex value, and its text. */
double real_part(drx_type type, const void *value, int part);
bool is_nan(drx_type type, const void *value); /* or a part of it */
void real_text(drx_type type, double part, char out[REAL_TEXT_BYTES]);
/* The nearest number that a type of floats has, which may be infinite; of another type, the number itself. */
double real_rounded(drx_type type, double part);

/* ---- string_value.c: Elements that are fixed strings, as text and back. A string ends before the NULs that fill up
 * its element. */

/* The most bytes of UTF-8, and a NUL. */
enum { STRING_UTF8_BYTES = DRX_MAX_STRING_BYTES + 1 };

/* The bytes of a string of bytes, or Unicode in UTF-8; *n of them, which may hold NULs, and one more. False: a code
 * point that UTF-8 does not have. */
bool utf8_of_string(drx_type type, const void *value, char out[STRING_UTF8_BYTES], size_t *n);

/* n bytes, or n bytes of UTF-8, as an element. NULL, or what is wrong: "is longer than the type". */
const char *string_of_utf8(drx_type type, const char *text, size_t n, void *out);

/* In double quotes, with \n, \" and \\; bytes that are not UTF-8 and control characters are \xNN, other code points
 * that are none \uNNNN. */
void string_text(drx_type type, const void *value, char *out, size_t room);

/* ---- progress.c: Long work: a bar on the terminal, and signals that wait until the program has tidied up. */

struct progress {
    int64_t total_bytes, done_bytes;
    double begin, shown_at; /* seconds */
    bool terminal;
};

void begin_progress(struct progress *p, int64_t total_bytes);
void add_progress(struct progress *p, int64_t bytes);
/* A drx_progress for calls of the library; `user`: a struct progress of zeros. An interrupt ends the call. */
int follow_progress(void *user, int64_t done_bytes, int64_t total_bytes);
void hide_progress(void); /* at the end, or before a message */

void watch_interrupts(void);   /* from now on */
bool interrupted(void);        /* ask between steps; then tidy up and return */
void die_if_interrupted(void); /* by that signal, as its sender expects */

/* ---- options.c: Values of words and options. Each call prints what is wrong with `text`, which it calls `what`, and
 * returns false. Calls with a void * serve as `take` of struct opt. */

struct numbers { /* one for each axis */
    int64_t of[DRX_MAX_NDIM];
    int n; /* 0: not given */
};

struct name_list {
    const char *of[DRX_MAX_NDIM]; /* NULL: an empty one */
    int n;
};

struct chunks { /* --chunk: one extent for each axis, or for dimensions of a dataset by their names */
    struct numbers each;
    int n; /* of names */
    const char *dim[DRX_MAX_NDIM];
    int64_t of[DRX_MAX_NDIM];
};

/* A whole number from `least` up. */
bool parse_number(const char *what, const char *text, int64_t least, int64_t *out);

bool take_count(const char *what, char *text, void *out);      /* int64_t: a whole number from 0 up */
bool take_indices(const char *what, char *text, void *out);    /* struct numbers: such numbers, separated by commas */
bool take_signed(const char *what, char *text, void *out);     /* struct numbers: of any sign */
bool take_extents(const char *what, char *text, void *out);    /* struct numbers: from 1 up */
bool take_chunks(const char *what, char *text, void *out);     /* struct chunks: N,N,... or NAME=N,NAME=N,... */
bool take_bytes(const char *what, char *text, void *out);      /* int64_t: with K, M, G or T for powers of 1024 */
bool take_some_bytes(const char *what, char *text, void *out); /* int64_t: at least 1 */
bool take_alignment(const char *what, char *text, void *out);  /* int64_t: a power of two, or 0 */
bool take_order(const char *what, char *text, void *out);      /* drx_order: C or F */
bool take_type(const char *what, char *text,
               void *out); /* drx_type: NumPy's name: float64, f8, <f8, double, S12, ... */
bool take_text(const char *what, char *text, void *out);  /* char *: the text itself */
bool take_names(const char *what, char *text, void *out); /* struct name_list: separated by commas; changes `text` */

/* --verify: reads verify the chunks of which they take parts. Takes no value, and needs no place for one. */
bool take_verify(const char *what, char *text, void *out);
#define VERIFY_HELP "compare whole chunks with their checksums where a part is read; DRX_VERIFY=1 does it, too"

/* --wait[=SECONDS], for which verbs then wait for another writer (wait_for_writer). Needs no place for its value. */
bool take_wait(const char *what, char *text, void *out);
#define WAIT_OPTION                                                                                        \
    {                                                                                                      \
        "wait", "[=SECONDS]", "wait for another writer to end, for so long; default 60", .take = take_wait \
    }
/* May the call that gave `st` be made once more? It waits a little then. False at the end of the time; and when `st` is
 * not that somebody else writes. */
bool wait_for_writer(drx_status st);

/* The commit of a dataset, an int64_t. Verbs whose --at has indices have the first of the two rows alone. */
#define COMMIT_OPTION(to_, help_)                       \
    {                                                   \
        "commit", "N", help_, (to_), .take = take_count \
    }
#define COMMIT_OPTIONS(to_, help_)                                   \
    COMMIT_OPTION(to_, help_),                                       \
    {                                                                \
        "at", "N", "the same as --commit", (to_), .take = take_count \
    }

/* The axes, of `ndim`, that have these names or numbers, as bits. dims: their names, each may be NULL; NULL: none
 * has. */
bool parse_axes(const char *what, const struct name_list *words, int ndim, const char *const dims[], uint32_t *axes);

/* Folders, 1 to DRX_MAX_STRIPES; they live in `text`, which is changed. */
struct folders {
    const char *of[DRX_MAX_STRIPES];
    int n;
};
bool take_folders(const char *what, char *text, void *out);

/* Read a fill value; `label`: what messages begin with, or NULL. */
bool parse_fill(const char *label, drx_type type, const char *text, void *out);

/* Do they go with `path`, which is a dataset or an array? Gives the exit code. */
int check_chunks(const struct chunks *c, const char *path, bool dataset);
/* Set the extents of a chunk along the axes that have those names. */
void name_chunks(const struct chunks *c, int ndim, const char *const dims[], int64_t chunk[]);

/* Does the option have a number for each of `ndim` axes? `path` is for the message. */
bool has_one_each(const char *path, const char *what, const struct numbers *numbers, int ndim);
