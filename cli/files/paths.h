/* Files and folders, as verbs see them. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "drx_dataset.h"

/* ---- folder.c: The arrays and folders in a folder. */

struct names {
    char **name;
    size_t n, room;
};

struct folder {
    struct names arrays;  /* without suffix; also those with one file missing */
    struct names folders; /* without links to folders */
};

/* Read the folder, except names that begin with a dot; sort both lists, a2 before a10. False after printing why. */
bool read_folder(struct folder *folder, const char *path);
void free_folder(struct folder *folder);

/* Remove the folder with all in it, which are all ours. */
void remove_folder(const char *path);

bool is_folder(const char *path); /* links followed */

/* The path of `name` in a folder ("." or "": the present one), to be freed. NULL: out of memory. */
char *in_folder(const char *folder, const char *name);

bool is_same_file(const char *a, const char *b); /* links followed; both exist */

/* The folder that a path lies in, to be freed; NULL: out of memory. */
char *folder_of(const char *path);
/* What follows the last slash. */
const char *base_name(const char *path);

/* Does one of the files of such an array exist? */
bool has_array_file(const char *path);

/* Is it a folder with a file dataset.xds? An array of the same path has precedence, unless a slash follows. */
bool is_dataset(const char *path);

/* Remove slashes at the end of the word, but not one that is all of it. */
void drop_slashes(char *word);

/* Does the word name a dataset? Removes slashes at its end, and "/dataset.xds". */
bool names_dataset(char *word);

/* The same; a slash stays when the word without it means an array. */
bool means_dataset(char *word);

/* ---- dataset_folder.c: Arrays have no place in the folder of a dataset, which holds its variables alone. */

/* The path of that name beside the nearest dataset above `path`, to be freed. NULL: it is in no such folder, or out
 * of memory. */
char *path_beside_dataset(const char *path);

/* The folder of the nearest dataset above a path, to be freed, and the rest of the path. NULL: there is none. */
char *dataset_above(const char *path, const char **inside);

/* drx_dataset_find, drx_dataset_group_find or drx_dataset_dim_find; find_variable_or_group: a variable or group, of
 * some number. */
typedef int find_part(const drx_dataset *ds, const char *name);
int find_variable_or_group(const drx_dataset *ds, const char *name);

/* The folder of the dataset that has what the path names, to be freed, and the path in it. NULL: it names none, or
 * out of memory. dataset_of: of a variable. */
char *dataset_with(const char *path, find_part *has, const char **inside);
char *dataset_of(const char *path);

bool names_group(const char *path);

/* Remove slashes at the end of the word if it names a group. */
void drop_slash_of_group(char *word);

/* The variable or dimension (drx_dataset_find, drx_dataset_dim_find) of that name in the group of the variable `of`,
 * or else in the nearest group above it that has one; "/x" is x of the root. -1: there is none. */
int find_in_scope(const drx_dataset *ds, find_part *find, const char *of, const char *name);

/* Is there an array, or a file of one, or a variable of a dataset? */
bool has_array(const char *path);

/* May a new array have the path? Prints why not and what would do. A variable that the dataset misses may come back. */
bool is_outside_datasets(const char *path);

/* ---- absent.c: Words for a path where there is no array or dataset. */

/* What file it is by its first bytes, with an article, such as "a netCDF file"; NULL: none that import reads. */
const char *foreign_file(const char *path);

/* Print what is there instead of `what`, such as "array", and what would do: a dataset, a folder, a file of another
 * format; or that nothing is there. Gives FAILED. */
int no_array(const char *path, const char *what);

/* ---- mode.c: Permissions as chmod(1) understands them. */

/* Is `text` a mode: octal, up to 777, or [ugoa...][+-=][rwxX...|u|g|o],... ? */
bool is_mode(const char *text);

/* The new permissions of a file that has `old`. A change without u, g, o or a leaves the bits of `mask` alone. */
mode_t apply_mode(const char *text, mode_t old, mode_t mask);

/* ---- child.c: The libraries of netCDF and HDF5 crash on some files, valid ones among them. So a forked child reads
 * foreign files while the parent waits. If the child dies, the parent removes what it left half done. */

/* Go on in a child, unless there is MPI. Gives true in the parent, when the child has ended: *status is the exit code.
 * False where the work is to be done. `word` names the file in messages. */
bool is_done_by_child(const char *word, int *status);

extern struct remains {       /* in memory of both: what the child leaves when it dies */
    char temporary[PATH_MAX]; /* a file or folder, which the parent removes */
    char reading[PATH_MAX];   /* the foreign file, where it is not the word; for the message */
    char changed[PATH_MAX];   /* an array or dataset, which it opens for writing: that takes an append back */
    bool overwritten;         /* some elements are, which it cannot take back */
    bool complete;            /* the work is done: the file is only closed */
    const char *way_out;      /* a constant text that ends the message; NULL: none */
} * remains;

/* ---- target.c: A file that appears under its name when it is complete. Once it is open, interrupts wait (progress.c).
 * */

struct target {
    const char *name; /* as in messages */
    int fd;
    bool pipe;       /* standard output or a device: written in place and in sequence */
    char *final;     /* `name`, links followed */
    char *temporary; /* its name until then, beside it */
};

/* "-" is standard output. Prints what goes wrong and returns false. */
bool open_target(struct target *target, const char *name);

/* The same on all ranks: rank 0 makes the file and the others open it, unless it is a pipe. Collective. */
bool open_shared_target(struct target *target, const char *name);
int close_shared_target(struct target *target, int status);

/* As open_target, for a library that opens the file `temporary` itself. For a pipe that is one in $TMPDIR, which
 * close_target writes to the pipe. */
bool open_named_target(struct target *target, const char *name);

/* Write n bytes, until an interrupt. Gives the exit code; prints why, unless the reader of a pipe went away. */
int write_target(const struct target *target, const void *bytes, size_t n);

/* Give the file its name, or, if `status` is not DONE, remove it. Returns the exit code. */
int close_target(struct target *target, int status);
