/* Arrays have no place in the folder of a dataset, which holds its variables alone. */
#ifndef DATASET_FOLDER_H
#define DATASET_FOLDER_H

#include <stdbool.h>

#include "drx_dataset.h"

/* The path of that name beside the nearest dataset above `path`, to be freed. NULL: it is in no such folder, or out
 * of memory. */
char *path_beside_dataset(const char *path);

/* The folder of the nearest dataset above a path, to be freed, and the rest of the path. NULL: there is none. */
char *dataset_above(const char *path, const char **inside);

/* drx_dataset_find, drx_dataset_group_find or drx_dataset_dim_find; find_variable_or_group: a variable or group, of
 * some number. */
typedef int find_part(const drx_dataset *ds, const char *name);
int find_variable_or_group(const drx_dataset *ds, const char *name);

/* The folder of the dataset that has what the path names, to be freed, and the path in it. NULL: it names none, or
 * out of memory. dataset_of: of a variable. */
char *dataset_with(const char *path, find_part *has, const char **inside);
char *dataset_of(const char *path);

bool names_group(const char *path);

/* Remove slashes at the end of the word if it names a group. */
void drop_slash_of_group(char *word);

/* The variable or dimension (drx_dataset_find, drx_dataset_dim_find) of that name in the group of the variable `of`,
 * or else in the nearest group above it that has one; "/x" is x of the root. -1: there is none. */
int find_in_scope(const drx_dataset *ds, find_part *find, const char *of, const char *name);

/* Is there an array, or a file of one, or a variable of a dataset? */
bool has_array(const char *path);

/* May a new array have the path? Prints why not and what would do. A variable that the dataset misses may come back. */
bool is_outside_datasets(const char *path);

#endif
