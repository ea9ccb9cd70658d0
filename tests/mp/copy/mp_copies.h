/* Copies by all ranks, beside the same copy by one process. The targets are "to" and "alone". */
#ifndef MP_COPIES_H
#define MP_COPIES_H

#include "drx_tools.h"
#include "mp_testing.h"

enum { MAX_TEST_NDIM = 4 };

/* An array of random numbers with an attribute, of indices from `first` on. */
drxmp_array *make_small(const char *path, int64_t first, int64_t rows);
/* Random numbers for all elements, by rank 0. */
void write_all(drxmp_array *m);

/* The copy by one process, with all the memory that it wants. */
void copy_alone(drxmp_array *m, const drx_copy_spec *wishes);
/* The copy by all ranks, which then is the same. */
void copy_and_compare(drxmp_array *m, const drx_copy_spec *spec, bool stays_open);

#endif
