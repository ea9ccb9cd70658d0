/* The files of an array, which the commands treat as one. */
#ifndef ARRAY_FILES_H
#define ARRAY_FILES_H

#include "frame/cli.h"

struct array_files {
    int n;
    char *name[2 + DRX_MAX_STRIPES]; /* the metadata, then the data, then the checksums if there are any */
};

/* List them; of an array that cannot be opened, or is none, the pair that it would be, with the library's status.
 * DRX_ENOMEM: none. Free in any case. */
drx_status list_array_files(const char *path, struct array_files *files);
void free_array_files(struct array_files *files);

#endif
