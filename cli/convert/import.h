/* What `drx import` was asked for, and its parts. */
#ifndef IMPORT_H
#define IMPORT_H

#include "drx_cf.h"
#include "formats/source.h"
#include "frame/options.h"

struct import {
    drx_spec spec;
    struct numbers chunk;
    struct name_list names;         /* of --dims */
    const char *dims[DRX_MAX_NDIM]; /* of the array: those names, or the source's */
    struct folders stripes;
    char *fill_text;
    bool coords, no_coords, force, is_raw;
    struct raw raw;
    char *append; /* the axis, or NULL: a new array */
    int64_t from; /* first index of the source that is appended */
    drx_cf_overlap overlap;
    char *as; /* the name of the array, when the source may have another one */
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
    drx_array *array;          /* made, or to be appended to */
    void *values;              /* of one that grows: those of the source, as elements of the array */
    int64_t bound, have, skip; /* indices of what they belong to, and of `array`; the first values that are there */
};

struct coords {
    int n;
    struct coordinate_source of[DRX_MAX_NDIM];
    int64_t overlap; /* so many indices of the source, from the first on, are stored already, */
    int64_t *at;     /* at these indices of the array; NULL: no coordinate grows */
};

/* Find the coordinates of the dimensions, for arrays beside `path` with the names wish->dims. Arrays that exist must
 * have the same values. That of axis `grown` (-1: none), of `bound` indices, is opened to append to it: the values from
 * wish->from on must go on from its own, or be there already. Without --coords, those arrays count that are coordinates
 * of the array, which has the extents of the source on other axes; others are let be. Gives the exit code; release them
 * in any case. */
int find_coords(struct coords *c, const struct source *s, const struct import *wish, const char *path, int grown,
                int64_t bound);
/* Make the missing ones without names; then name them. */
int make_coords(struct coords *c);
int name_coords(struct coords *c, int status);
/* The array grows by `by` indices; append the values of the source to those that grow, too, durably. */
int append_coords(struct coords *c, int64_t by);
void release_coords(struct coords *c);

/* What the numbers of the source mean; the description points into the array that is returned, which the caller closes.
 * NULL after printing why. */
drx_array *describe_source(struct source *s, drx_cf *cf);
/* Are the values in `a` those of the source? way_out: what a message recommends. */
int compare_coordinate(struct coordinate_source *c, drx_array *a, const char *way_out);
/* Where does the source go in c->array, and in the array of `bound` indices that it belongs to? */
int align_coordinate(struct coords *all, struct coordinate_source *c, const struct import *wish, int64_t bound,
                     const char *way_out);

#endif
