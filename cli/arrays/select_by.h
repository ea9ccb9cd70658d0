/* Selection by coordinate, as xarray's `sel` has it. */
#pragma once

#include "select.h"

/* The axes that a selection is of: those of an array, or the dimensions of a dataset. */
struct frame {
    const char *path, *text; /* text: of the selection, for messages */
    const drx_array *a;      /* NULL: a dataset */
    drx_dataset *ds;
    int n;
};

const char *frame_name(const struct frame *f, int axis); /* NULL: it has none */
int64_t frame_extent(const struct frame *f, int axis);
int frame_axis(const struct frame *f, const char *name); /* -1: none */

/* The variable of a dataset, which owns it; NULL: none. */
drx_array *frame_member(const struct frame *f, const char *name);

/* Values of a coordinate. */
struct coordinate {
    const char *path, *name;
    int64_t n;
    double *value; /* along an axis they rise or fall strictly; NaN where they are missing */
    bool falls, dates;
    drx_cf cf; /* of an array that is open */
};

/* Read all of them; c->value is to be freed. Gives the exit code. */
int read_values(struct coordinate *c, drx_array *from);
bool is_longitude(const struct coordinate *c);

/* Select on an axis, which has a name, what `text` says of its coordinate:
 *
 *   45            the index with the nearest coordinate; of two equally near, the larger. The axis is dropped. What
 *                 lies further outside than half a step is refused
 *   1997-12       a date, of a coordinate of dates: all indices in that year, month, day, hour, ...; the axis is
 *                 dropped when it is one. If there is none, the nearest
 *   -10:10        all from one to the other, both included, in either order; `-10:`, `:10`: to the end
 *   1997..1998    the same, for times of day that have colons
 *   -10:10:2      every second of them
 *
 * Prints what is wrong; gives the exit code. Changes `text` meanwhile. */
int select_by(const struct frame *f, int axis, char *text, struct range *r);

/* A place: values of two coordinates, latitude and longitude, that vary along two axes. */
struct cell {
    int n;
    char *name[2], *value[2];
    drx_array *from[2];
    bool owned; /* the arrays */
};

/* Add NAME=VALUE; false: it is no such coordinate, or there are two already. */
bool add_to_cell(const struct frame *f, struct cell *c, const char *name, const char *value);
/* Select the element that lies nearest on the sphere; both axes are dropped. A place further away from it than all
 * elements beside it is refused. given: axes that were selected on. */
int select_cell(const struct frame *f, const struct cell *c, const bool given[], struct range of[]);
void release_cell(struct cell *c);
