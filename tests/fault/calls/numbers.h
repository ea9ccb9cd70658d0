/* Arrays of numbers that say where they belong. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include "testing.h"

enum { NUMBERS_ROWS = 11, NUMBERS_COLUMNS = 10, NUMBERS = NUMBERS_ROWS * NUMBERS_COLUMNS, NUMBERS_FILL = -7 };

static inline int32_t number(int64_t i, int64_t j)
{
    return (int32_t)(1000 * i + j + 1);
}

/* Whether arrays that are made have checksums. */
extern bool numbers_sums;
extern drx_codec numbers_codec; /* the same */

/* All of them, in that order. */
void numbers_compose(drx_order order, int32_t buf[NUMBERS]);

/* Make an array that holds all of them, with an attribute, grown along both axes, of this many
 * stripes, in folders beside that of `path`; and close it. */
void numbers_make(const char *path, int stripes);

/* The open array holds all of them, by a read the way that is chosen. */
void numbers_require(drx_array *a);

/* Whether that array is there with all numbers; then it is free of errors, and growth shows nothing but fill.
 * false: there is none of that name. */
bool numbers_there(const char *path);

/* The specification of numbers_make, in the array's own terms. */
drx_spec numbers_spec(int stripes, unsigned flags);

#endif
