/* An array of a dataset as an earlier commit has it. */
#ifndef AS_OF_H
#define AS_OF_H

#include "drx_dataset.h"

/* Open the array for reading with the bounds that it had at that commit (DRX_LAST: the array as it is, in a dataset or
 * not). Close it with close_as_of, which closes the dataset, too. NULL after printing why. */
drx_array *open_as_of(const char *path, int64_t commit, drx_dataset **ds);
int close_as_of(drx_array *a, drx_dataset *ds, const char *path, int status);

#endif
