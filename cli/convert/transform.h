/* What `drx copy` was asked for, and its parts.
 *
 * Source and target are arrays or files of other formats. A copy has up to three steps: it imports a file, gives the
 * array another layout (drx_copy), and exports it. Between the steps the array has no name, so it never stays. */
#ifndef TRANSFORM_H
#define TRANSFORM_H

#include "destination.h"
#include "formats/source.h"
#include "frame/options.h"

struct transform {
    drx_copy_spec spec; /* what it points to is here */
    struct numbers chunk;
    struct name_list axes; /* of --permute, numbers or names */
    struct folders stripes;
    int permute[DRX_MAX_NDIM];
    drx_order order;
    bool ordered; /* the order was given */

    char *from;                /* the path of an array, or how messages call a file */
    const char *path;          /* of the target, without suffix if it is an array */
    struct destination target; /* format NO_FORMAT: an array */
    struct source source;      /* kind NULL: an array */

    bool imports, copies, exports; /* the steps */
    drx_array *array;              /* what the next step begins with; before an import, an empty one of that shape */
    char *between;                 /* a path for arrays without a name, in the folder for such */
};

/* Open the source, and check the target and the options; `target` has been split, `exports` is set. Prints what is
 * wrong and gives the exit code; close it in any case. */
int open_transform(struct transform *t, char *source, char *target);
void close_transform(struct transform *t);

/* Carry it out. Gives the exit code. An interrupt ends it and leaves no files. */
int run_transform(struct transform *t);

/* Print the steps and what they cost. */
int print_transform(const struct transform *t, bool as_json);

/* The plan of drx_copy; prints what is wrong. */
int plan_transform(const struct transform *t, drx_copy_plan *plan);

#endif
