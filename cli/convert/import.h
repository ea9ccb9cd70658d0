/* What `drx import` was asked for, and its parts. */
#pragma once

#include "formats/source.h"

struct import {
    drx_spec spec;
    struct chunks chunk;
    struct name_list grows;         /* of --grows */
    struct name_list names;         /* of --dims */
    const char *dims[DRX_MAX_NDIM]; /* of the array: those names, or the source's */
    struct folders stripes;
    char *fill_text;
    bool coords, no_coords, force, is_raw;
    struct raw raw;
    char *append; /* the axis, or NULL: a new array */
    int64_t from; /* first index of the source that is appended */
    drx_cf_overlap overlap;
    struct rounding rounding;
    struct codec_choice codec;
    char *as;                 /* the name of the array, when the source may have another one */
    const drx_dataset *ds;    /* that a variable is added to, or NULL; */
    const char *place, *name; /* its path, and that of the variable in it */
    const char *way_out;      /* what messages on coordinates recommend; NULL: what import does */
};

/* Make a new array, or append to one. They give the exit code. Collective. */
int import_new(struct source *s, struct import *wish, const char *path);
int import_append(struct source *s, struct import *wish, const char *path);

/* Refuse a path that `source` cannot be appended to, before the source is opened. Gives the exit code. */
int check_append_target(const char *source, const char *path, const char *axis);

/* Copy all elements into `a`, which has the shape of the source. Gives the exit code. shared: on all ranks. */
int copy_elements(struct source *s, drx_array *a, const char *path, bool shared);

struct coordinate_source {
    struct source source;
    char *path;
    bool is_there;
    drx_array *array; /* made, or to be appended to */
    void *values;     /* of one that grows: those of the source that are added, as elements of the array */
    int64_t there;    /* this many of them are in `array` already, next to the stored ones: of a killed import */
};

/* Which indices of the source, counted from --from on, are added, and where. The others are stored already. */
struct addition {
    bool before; /* they lead up to the first stored one */
    int64_t from, count;
};

struct coords {
    int n;
    struct coordinate_source of[DRX_MAX_NDIM];
    struct addition added;
    char *gap;   /* what to warn of; NULL: nothing */
    int64_t *at; /* where each index of the source goes, 0 is the first one of the array; NULL: no coordinate grows */
};

/* The indices of the axis that grows, before. */
struct span {
    int64_t lower, upper;
};

/* Find the coordinates of the dimensions, for arrays beside `path` with the names wish->dims. Arrays that exist must
 * have the same values. That of axis `grown` (-1: none), of those indices, is opened to append to it: the values from
 * wish->from on must go on from its own, lead up to them, or be there already. Without --coords, those arrays count
 * that are coordinates of the array, which has the extents of the source on other axes; others are let be. Gives the
 * exit code; release them in any case. */
int find_coords(struct coords *c, const struct source *s, const struct import *wish, const char *path, int grown,
                const struct span *span);
/* Make the missing ones without names; then name them. */
int make_coords(struct coords *c);
int name_coords(struct coords *c, int status);
/* The array grows; add the values of the source to those that grow, too, durably. */
int append_coords(struct coords *c);
void release_coords(struct coords *c);

/* Are the values in `a` those of the source? way_out: what a message recommends. */
int compare_coordinate(struct coordinate_source *c, drx_array *a, const char *way_out);
/* Where does the source go in c->array, and in the array of those indices that it belongs to? */
int align_coordinate(struct coords *all, struct coordinate_source *c, const struct import *wish,
                     const struct span *span, const char *way_out);
