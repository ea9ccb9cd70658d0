/* Values of words and options. Each call prints what is wrong with `text`, which it calls `what`, and returns false.
 * Calls with a void * serve as `take` of struct opt. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "cli.h"

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

#endif
