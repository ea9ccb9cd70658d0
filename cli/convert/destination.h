/* The file that an array, or a selection of it, is exported to. */
#pragma once

#include "formats/export.h"

enum format { NO_FORMAT, NPY, NETCDF, HDF5 };

struct destination {
    enum format format;
    char *name, *variable;  /* variable NULL: called like the array */
    drx_order order;        /* of a .npy file */
    struct deflate deflate; /* of the others */
    bool coords;            /* with the coordinates that lie beside the array */
    bool own_chunks;        /* the file has the very chunks of the array */
};

/* Split TARGET:VARIABLE at the first colon after the suffix of a format; without such a suffix, if the format is given,
 * at the last colon. Sets the format, if it is not given, by the suffix (NO_FORMAT: unknown). Changes `word` and points
 * into it. */
void split_destination(struct destination *d, char *word);

/* Do the options suit the format? ordered, deflated: --order, --deflate were given. Gives the exit code. */
int check_destination(const struct destination *d, bool ordered, bool deflated);

/* Write the selection. Gives the exit code. Collective for .npy; only rank 0 writes the other formats. */
int export_selection(drx_array *a, const struct selection *s, const struct destination *d);
