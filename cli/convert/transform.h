/* What `drx copy` was asked for, and its parts.
 *
 * Source and target are arrays or files of other formats. A copy has up to three steps: it imports a file or selects a
 * part of an array, gives the array another layout (drx_copy), and exports it. Between the steps the array has no name,
 * so it never stays. */
#pragma once

#include "destination.h"
#include "formats/source.h"

struct transform {
    drx_copy_spec spec; /* what it points to is here */
    struct rounding rounding;
    struct codec_choice codec; /* spec has what follows from it */
    struct numbers chunk;
    struct name_list axes; /* of --permute, numbers or names */
    struct folders stripes;
    int permute[DRX_MAX_NDIM];
    drx_order order;
    bool ordered; /* the order was given */

    char *from;                /* the path of an array, or how messages call a file */
    const char *path;          /* of the target, without suffix if it is an array */
    struct destination target; /* format NO_FORMAT: an array */
    struct source source;      /* a file, or a part of an array; kind NULL: an array */
    int64_t commit;            /* as of which the source is copied */

    bool imports, selects, copies, exports; /* the steps: import a file, or select a part of an array; and so on */
    drx_array *array; /* what the next step begins with; before an import or a selection, an empty one of that shape,
                         or NULL if nobody asks for it */
    char *between;    /* a path for arrays without a name, in the folder for such */
};

/* Open the source, and check the target and the options; `target` has been split, `exports` is set. Prints what is
 * wrong and gives the exit code; close it in any case. */
int open_transform(struct transform *t, char *source, char *target);
void close_transform(struct transform *t);

/* Carry it out. Gives the exit code. An interrupt ends it and leaves no files. */
int run_transform(struct transform *t);

/* Print the steps and what they cost. */
int print_transform(const struct transform *t, bool as_json);

/* Extents, and the element type, of what is imported or selected, or of the array that is copied. */
struct extent {
    int ndim;
    int64_t shape[DRX_MAX_NDIM];
    drx_type type;
};
void source_extent(const struct transform *t, struct extent *e);

/* Go on with this array. */
void go_on_with(struct transform *t, drx_array *a);

/* Make t->array of the source, with its elements and attributes, changed as --chunk, --order and so on say if no step
 * follows; stand_in: with nothing in it. They give the exit code. */
int import_elements(struct transform *t);
int stand_in(struct transform *t);

/* Arrays beside the target that have the names of its axes count as its coordinates: refuse those of other values. */
int check_coordinates_beside(const struct transform *t);

/* Is the part written to a file as it is, with no array between? */
bool exports_part(const struct transform *t);

/* The plan of drx_copy; prints what is wrong. */
int plan_transform(const struct transform *t, drx_copy_plan *plan);
