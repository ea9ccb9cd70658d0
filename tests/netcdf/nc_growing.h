/* A dataset that grows, whose elements tell where they are; and what is written to standard error. */
#ifndef NC_GROWING_H
#define NC_GROWING_H

#include "nc_pair.h"

enum { NX = 4 }; /* of v[t][x] = t * 10 + x */

/* Make the dataset: commit 1 has t in [0, 2), commit 2 in [0, 5), commit 3 in [-4, 5). */
void make_growing(const char *path, unsigned flags);
void grow(const char *path, int64_t from, int64_t by); /* at the high end, which is `from` */

/* The file shows v with n rows, from `first` on. */
void check_rows(int nc, int64_t first, size_t n);
void check_path(const char *path, int64_t first, size_t n);

void watch_error(void);                   /* keep standard error from now on */
int error_lines(char *text, size_t room); /* until now: its text, and the number of lines */

/* nc_open gives `expected`, and says one sentence with `says` in it, or nothing when that is NULL. */
void cannot_open(const char *path, int mode, int expected, const char *says);

#endif
