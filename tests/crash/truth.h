/* What an array may be found to be, after a crash at any moment. */
#ifndef TRUTH_H
#define TRUTH_H

#include "testing.h"

enum { TRUTH_NDIM = 3, TRUTH_MOST_ATTRS = 8, TRUTH_MOST_PLACES = 3, TRUTH_LOW = 6, TRUTH_NEW_AXIS = 3 };

/* Something that was written. `fresh`: the element is another one from that version on, since the one before was
 * trimmed. */
struct written {
    int64_t value;
    int version;
    bool fresh;
};

/* What was written to an element since it was last synced, oldest first. */
struct cell {
    int64_t synced;    /* what it held then; else the fill */
    int64_t sure;      /* what is in the file for certain: it was not only put */
    int64_t now, next; /* what a program reads: before the step being done, and after it */
    struct written *since;
    int n, room;
};

/* Bounds, names and attributes after a record of the log. */
struct version {
    int ndim;
    int64_t lower[TRUTH_NDIM], shape[TRUTH_NDIM];
    char *text;
};

struct attr {
    char *name, *value;
};

struct truth {
    int ndim;
    drx_type type;             /* DRX_INT32 or DRX_INT64 */
    int64_t limit[TRUTH_NDIM]; /* of the upper bounds; of the lower ones, -TRUTH_LOW */
    int64_t fill;
    const char *at[TRUTH_MOST_PLACES]; /* where it may be found; NULL: none */
    bool must;                         /* it must be found at one of these, after a power cut; */
    bool there;                        /* and when only the process died */
    bool sound;                        /* if its metadata are found, it is whole */
    bool synced;                       /* once */

    struct version *version;
    int versions;
    int first; /* what was synced: no earlier one may be found */
    int done;  /* the one before the step being done */

    /* of the newest version, as is `ndim` */
    int64_t lower[TRUTH_NDIM], shape[TRUTH_NDIM];
    char *dim[TRUTH_NDIM];
    struct attr attr[TRUTH_MOST_ATTRS];
    int attrs;

    struct cell *cell; /* row-major, from -TRUTH_LOW to limit on each axis */
};

/* No version yet; `at` stays the caller's. */
struct truth *truth_new(const char *at, int ndim, drx_type type, const int64_t shape[], const int64_t limit[],
                        int64_t fill);
struct truth *truth_clone(const struct truth *t, const char *at); /* all that is is synced */
void truth_free(struct truth *t);

int64_t truth_cells(const struct truth *t); /* this many can be */
struct cell *truth_cell(const struct truth *t, const int64_t index[]);
int64_t truth_elements(int ndim, const int64_t shape[]); /* this many */

/* A step is going to do this. */
void truth_write(struct cell *cell, int64_t value);
void truth_uncover(struct truth *t, const int64_t lo[], const int64_t count[]); /* after truth_commit: growth adds it */
void truth_add_axis(struct truth *t, const char *name);                         /* as the last one */
void truth_set_attr(struct truth *t, const char *name, const char *value);      /* value NULL: delete it */
void truth_set_dim(struct truth *t, int axis, const char *name);
void truth_commit(struct truth *t); /* a new version: the bounds, names and attributes as they are now */

/* It has been done, and what it wrote may be in memory, or is in the file, or all is that was ever written. */
enum handed { PUT, WRITTEN, ALL };
void truth_done(struct truth *t, enum handed handed);
void truth_sync(struct truth *t); /* and is durable */

/* A place is none any more; or one more. */
void truth_leave(struct truth *t, const char *place);
void truth_enter(struct truth *t, const char *place);
bool truth_is_at(const struct truth *t, const char *place);

/* How much is asked of an array that is found: after a power cut, or when the process died in the step, or between two
 * steps. */
enum demand { POWER_CUT, DIED, DIED_BETWEEN };

/* Does the open array agree? It says why not in `why`; *version is the one found. */
bool truth_agrees(const struct truth *t, drx_array *a, enum demand demand, int *version, char *why, size_t room);

/* All its elements, to be freed; NULL: they cannot be read. */
void *truth_read(drx_array *a);

/* What was found is the truth from now on, all of it synced. */
void truth_become(struct truth *t, drx_array *a);

#endif
