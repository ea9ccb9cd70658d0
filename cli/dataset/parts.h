/* Variables, dimensions and groups of a dataset, by their paths. The calls print what goes wrong and give the exit
 * code. */
#ifndef PARTS_H
#define PARTS_H

#include "drx_dataset.h"

/* Rename those of `parts` (bits of enum drx_part) that have the path `old`; 0: all, but not a dimension with a
 * group. */
int rename_part(drx_dataset *ds, const char *path, const char *old, const char *new, unsigned parts);

/* Remove, or rename to the path `to`, the variable or group `inside` of the dataset in `folder`, whose whole path is
 * `path`, in a commit of its own. */
int remove_part(const char *folder, const char *path, const char *inside);
int move_part(const char *folder, const char *path, const char *inside, const char *to);

#endif
