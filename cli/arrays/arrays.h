/* Arrays as verbs use them: opened, asked, closed; what goes wrong is printed. */
#ifndef ARRAYS_H
#define ARRAYS_H

#include "drx.h"
#include "frame/cli.h"

/* The array meant by a word: without the .xmd or .xta that completing a file name in a shell leaves behind. Changes
 * `word`. */
char *array_path(char *word);

/* Is the file one of those of the array? */
bool is_own_file(const char *path, const char *file);
/* The exit code of writing to `file`: FAILED, printed, if it is one of them. */
int expect_other_file(const char *path, const char *file);

/* The same for each word; of two that are the two files of one array one stays. Returns how many there are then. */
int array_paths(char *words[], int n);

/* Is there no array of that name, or may it be replaced? Prints what goes wrong. */
bool is_free_path(const char *path, const drx_spec *spec);

/* Make a new one; NULL after printing why. */
drx_array *create_array(const char *path, const drx_spec *spec);

/* Make one that gets its name when it is complete: name_array gives it when `status` is DONE, makes it durable, and
 * closes it; what is replaced stays until then. Returns the exit code. */
drx_array *create_unnamed_array(const char *path, drx_spec *spec);
int name_array(drx_array *a, const char *path, unsigned flags, int status);

/* NULL after printing why; a report of the library is printed as a warning. */
drx_array *open_array(const char *path, int mode);

/* Close, after making everything durable when `status` is DONE and the array was changed. Returns the exit code. */
int close_array(drx_array *a, const char *path, int status);
int commit_array(drx_array *a, const char *path, int status);

/* The fill value, which marks what is missing; NULL when it is zero, which marks nothing. */
const void *fill_of(const drx_array *a);

/* Is `word` a number from 0 up or a name? Needs no array. */
bool is_axis(const char *word);

/* The axis of that number or name. */
bool find_axis(const drx_array *a, const char *path, const char *word, int *axis);

/* "axis 0" or "axis 0 (time)", the name made visible, and cut when it is long. */
enum { AXIS_TEXT_BYTES = 96 };
const char *axis_text(const drx_array *a, int axis, char out[AXIS_TEXT_BYTES]);

struct array_files {
    int n;
    char *name[2 + DRX_MAX_STRIPES]; /* the metadata, then the data, then the checksums if there are any */
};

/* List them; of an array that cannot be opened, or is none, the pair that it would be, with the library's status.
 * DRX_ENOMEM: none. Free in any case. */
drx_status list_array_files(const char *path, struct array_files *files);
void free_array_files(struct array_files *files);

/* Open the array with the coordinates along `axis` of `a`, whose path is `path`; to be closed. NULL, silently, when
 * there is none that fits: of one dimension, with the extent of the axis, of real numbers, and not the array itself. */
drx_array *open_coordinate(const drx_array *a, const char *path, int axis);

/* The same, of whatever extent and type. */
drx_array *open_named_like(const drx_array *a, const char *path, int axis);

/* The path of the array `name` in the folder of `path`, to be freed; NULL when no array can be called so, or memory
 * is out. */
char *path_beside(const char *path, const char *name);

#endif
