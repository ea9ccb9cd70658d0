/* What the files of the team of MPI ranks share. */
#pragma once

#include "drxmp_dataset.h"
#include "frame/team.h"

/* The ranks that work on the verb: all, or rank 0 alone. */
MPI_Comm team_comm(void);

/* The array that is open together, or NULL; to open one for the calls of team.h on such an array, which close it; or to
 * give them one that is open. `path` is for messages, `real` the name. Gives the exit code. */
drxmp_array *held_array(void);
int open_on_all(const char *path, const char *real, int mode, int64_t commit, drx_array **a);
int hold_array(drxmp_array *m, drx_array **a);
