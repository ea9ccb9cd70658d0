/* Arrays have no place in the folder of a dataset, which holds its variables alone. */
#ifndef DATASET_FOLDER_H
#define DATASET_FOLDER_H

#include <stdbool.h>

/* The path of that name beside the dataset in whose folder `path` is, to be freed. NULL: it is in no such folder, or out
 * of memory. */
char *path_beside_dataset(const char *path);

/* The folder of the dataset whose variable the path names, to be freed. NULL: it names none, or out of memory. */
char *dataset_of(const char *path);

/* Is there an array, or a file of one, or a variable of a dataset? */
bool has_array(const char *path);

/* May a new array have the path? Prints why not and what would do. A variable that the dataset misses may come back. */
bool is_outside_datasets(const char *path);

#endif
