/* Words for a path where there is no array or dataset. */
#ifndef ABSENT_H
#define ABSENT_H

/* What file it is by its first bytes, with an article, such as "a netCDF file"; NULL: none that import reads. */
const char *foreign_file(const char *path);

/* Print what is there instead of `what`, such as "array", and what would do: a dataset, a folder, a file of another
 * format; or that nothing is there. Gives FAILED. */
int no_array(const char *path, const char *what);

#endif
