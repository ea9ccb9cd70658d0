/* The file that an array, or a selection of it, is exported to. */
#ifndef DESTINATION_H
#define DESTINATION_H

#include "arrays/select.h"

enum format { NO_FORMAT, NPY, NETCDF, HDF5 };

struct destination {
    enum format format;
    char *name, *variable; /* variable NULL: called like the array */
    drx_order order;       /* of a .npy file */
    int deflate;           /* of the others; 0: not compressed */
    bool coords;           /* with the coordinates that lie beside the array */
    bool own_chunks;       /* the file has the very chunks of the array */
};

/* Split TARGET:VARIABLE at the first colon that has the suffix of a format before it; if there is none and the
 * format was given, at the last colon. Finds the format where none was given: NO_FORMAT when the name tells none.
 * Changes `word` and points into it. */
void split_destination(struct destination *d, char *word);

/* Does what was asked for go with the format? ordered, deflated: such options were given. Gives the exit code. */
int check_destination(const struct destination *d, bool ordered, bool deflated);

/* Write the selection of `a`. Gives the exit code. Collective for .npy, for the others rank 0's alone. */
int export_selection(drx_array *a, const struct selection *s, const struct destination *d);

#endif
