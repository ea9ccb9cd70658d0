/* Arrays as verbs use them. The calls print what goes wrong. */
#ifndef ARRAYS_H
#define ARRAYS_H

#include "drx_dataset.h"
#include "frame/cli.h"

/* The path of the array that a word names: a shell that completes file names may leave the suffix of one of its files
 * at its end. Changes `word`. */
char *array_path(char *word);

/* FAILED, after printing why, if the file is one of those of the array; else DONE. Collective. */
int expect_other_file(const char *path, const char *file);

/* The paths of n words. Neighbours that are files of one array become one path. Returns the number of paths. */
int array_paths(char *words[], int n);

/* Is the name free, or may the array that has it be replaced? */
bool is_free_path(const char *path, const drx_spec *spec);

/* Make a new one; NULL after printing why. */
drx_array *create_array(const char *path, const drx_spec *spec);

/* Make an array that gets its name when it is complete. If `status` is DONE, name_array makes it durable and names it;
 * it closes it in any case. An array that is replaced stays until then. Returns the exit code. */
drx_array *create_unnamed_array(const char *path, drx_spec *spec);
int name_array(drx_array *a, const char *path, unsigned flags, int status);

/* NULL after printing why. Prints a report of the library as a warning. */
drx_array *open_array(const char *path, int mode);
/* The same; DRX_RDONLY: as of that commit of its dataset. */
drx_array *open_array_at(const char *path, int mode, int64_t commit);

/* Close it; commit_array syncs it first if `status` is DONE. Returns the exit code. */
int close_array(drx_array *a, const char *path, int status);
int commit_array(drx_array *a, const char *path, int status);

/* As drx_read and drx_write, of the box that begins `at` elements after the first ones of each axis. */
drx_status read_at(drx_array *a, const int64_t at[], const int64_t count[], drx_order order, void *buf);
drx_status write_at(drx_array *a, const int64_t at[], const int64_t count[], drx_order order, const void *buf);

/* Does the history of growth tell where the chunks are? So it is when the array begins at index 0, grew at the high
 * ends alone, and was not trimmed. */
bool is_simple(const drx_array *a);
/* Whether the first index of each axis is 0. A copy of any other array goes box by box, without a plan. */
bool begins_at_zero(const drx_array *a);

/* The fill value, which marks missing elements; NULL if it is zero, which does not. */
const void *fill_of(const drx_array *a);
/* Is it a null variable, without elements and without a shape? */
bool is_null(const drx_array *a);
/* Has the element the bytes of the fill value? */
bool is_fill(const drx_array *a, const void *element);

/* Is `word` a number from 0 up or a name? Needs no array. */
bool is_axis(const char *word);

/* The axis of that number or name. */
bool find_axis(const drx_array *a, const char *path, const char *word, int *axis);

/* "axis 0" or "axis 0 (time)". A long name is cut; control characters are made visible. */
enum { AXIS_TEXT_BYTES = 96 };
const char *axis_text(const drx_array *a, int axis, char out[AXIS_TEXT_BYTES]);

struct array_files {
    int n;
    char *name[2 + DRX_MAX_STRIPES]; /* the metadata, then the data, then the checksums or the table */
};

/* List the files of an array. If it cannot be opened, list the usual names and return the library's status. DRX_ENOMEM:
 * the list is empty. Free it in any case. */
drx_status list_array_files(const char *path, struct array_files *files);
void free_array_files(struct array_files *files);

/* Open the array `name` in the folder of `path`: as of the commit that `a` shows, if a dataset has both; `a` may be
 * NULL. NULL, silently: there is none. */
drx_array *open_array_beside(const drx_array *a, const char *path, const char *name);

/* Open the array with the coordinates along `axis` of `a`, whose path is `path`; close it. It has one dimension, the
 * extent of the axis, and real numbers, and is not `a` itself. NULL, silently: there is none. */
drx_array *open_coordinate(const drx_array *a, const char *path, int axis);
/* The same of real numbers or strings. */
drx_array *open_labels(const drx_array *a, const char *path, int axis);

/* `a`, or, if it is not wanted, NULL after closing it. */
drx_array *kept_if(bool wanted, drx_array *a);

/* The same, of any extent and type. */
drx_array *open_named_like(const drx_array *a, const char *path, int axis);

/* The path of the array `name` in the folder of `path`, to be freed. NULL: it is no possible name, or out of memory. */
char *path_beside(const char *path, const char *name);

#endif
