/* A new dataset. It is made under another name beside its place and renamed when it is durable, so that a verb that
 * fails or is killed leaves no dataset. */
#ifndef NEW_DATASET_H
#define NEW_DATASET_H

#include <stdbool.h>

#include "drx_dataset.h"

/* Fills the empty dataset and commits; `path` is for messages. Gives the exit code. */
typedef int fill_work(drx_dataset *ds, const char *path, void *with);

/* Is there nothing, or an empty folder, which the new one replaces? Prints what is; `otherwise` ends the message when
 * that is a dataset. */
bool is_free_folder(const char *path, const char *otherwise);

/* Make a dataset of that path, which is free. Interrupts wait from here on. Gives the exit code. */
int make_dataset(const char *path, fill_work *fill, void *with);

/* Commit with what was typed as the message, cut to the bytes that one may have and made UTF-8. Gives the exit code. */
int commit_typed(drx_dataset *ds, const char *path);
/* Do that if `status` is DONE, and close. Gives the exit code. */
int commit_and_close(drx_dataset *ds, const char *path, int status);

#endif
