/* What `drx import` was asked for, and its parts. */
#ifndef IMPORT_H
#define IMPORT_H

#include "formats/source.h"
#include "frame/options.h"

struct import {
    drx_spec spec;
    struct numbers chunk;
    struct name_list names;         /* of --dims */
    const char *dims[DRX_MAX_NDIM]; /* of the array: those names, or the source's */
    struct folders stripes;
    char *fill_text;
    bool coords, force, is_raw;
    struct raw raw;
    char *append; /* the axis, or NULL: a new array */
    int64_t from; /* first index of the source that is appended */
};

/* Make a new array, or append to one. They give the exit code. Collective. */
int import_new(struct source *s, struct import *wish, const char *path);
int import_append(struct source *s, struct import *wish, const char *path);

/* Copy all elements into `a`, which has the shape of the source. Gives the exit code. shared: on all ranks. */
int copy_elements(struct source *s, drx_array *a, const char *path, bool shared);

struct coordinate_source {
    struct source source;
    char *path;
    bool is_there;
    drx_array *array; /* made, or to be appended to */
};

struct coords {
    int n;
    struct coordinate_source of[DRX_MAX_NDIM];
};

/* Find the coordinates of the dimensions, for arrays beside `path` with the names `dims`. Arrays that exist must have
 * the same values. That of axis `grown` (-1: none) must have `bound` indices, and is opened to append to it. Gives the
 * exit code; release them in any case. */
int find_coords(struct coords *c, const struct source *s, const char *const dims[], const char *path, int grown,
                int64_t bound);
/* Make the missing ones without names; then name them. */
int make_coords(struct coords *c);
int name_coords(struct coords *c, int status);
/* Append `by` values, from index `from` on, to those that grow. */
int append_coords(struct coords *c, int64_t from, int64_t by);
void release_coords(struct coords *c);

#endif
